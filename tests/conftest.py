"""A skipped test must not go unnoticed where everything is installed for it."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# How long an example takes on a busy machine says nothing.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if os.environ.get("CI") and skipped:
        names = ", ".join(sorted({report.nodeid for report in skipped}))
        reporter.write_line(f"skipped in CI, which installs for every test: {names}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
