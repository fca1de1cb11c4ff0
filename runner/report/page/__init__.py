"""The report as a folder that a browser opens by double click: no server, no network, traces loaded on demand."""

from runner.report.page.write import write_page

__all__ = ["write_page"]
