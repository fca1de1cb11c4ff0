"""A small study's report in the Chromium of this machine, which can reach nothing but the report's own files."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright

from tests.end_to_end.command import SCRIPTED, runner

# What a model may write: markup that runs, ends of scripts, separators of lines, half of a character, a wrong step.
HOSTILE = (
    "<think>12 + 13 = 26.\u2028</script><script>document.title = 'owned'</script>\ud800</think>"
    "<img src=x onerror=\"document.title='owned'\"> So \\boxed{26}"
)
STUDY = "<img src=x onerror=alert(1)>"
expect.set_options(timeout=30_000)  # as everything else of the driver
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of a study of four runs, one sample of which was written by an enemy."""
    place = tmp_path_factory.mktemp("report")
    asked = (*SCRIPTED, "study=s", "suite.tasks=[sum,mode]", "suite.samples=6", "engine.accuracy=0.5")
    done = runner("-m", *asked, "engine.thinking_tokens=60", "budget.tokens=40,80,120,null", cwd=place)
    assert done.code == 0, done.err
    for run in sorted((place / "outputs" / "s").glob("*/generations.jsonl")):
        _plant(run)
    shutil.move(place / "outputs" / "s", place / STUDY)
    done = runner("report", STUDY, "--out", "page", cwd=place)
    assert done.code == 0, done.err
    return place / "page" / "index.html"


def _plant(generations: Path) -> None:
    """Let the first sample of a run have the hostile text."""
    lines = generations.read_text("ascii").splitlines()
    record = json.loads(lines[0])
    record["turns"][0]["text"] = HOSTILE
    generations.write_text("\n".join([json.dumps(record), *lines[1:], ""]), "ascii")


# No longer than this folder's tests: while the driver is open its event loop runs, and `asyncio.run` refuses a second.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        missing = "no Chromium on this machine; apt-get install --no-install-recommends chromium"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Watched:
    """A page; whatever it complains about or asks for outside its folder is kept.

    Attributes:
        page: The browser's page.
        complaints: Errors on the console, uncaught exceptions, and files that are missing.
        outside: Addresses that were asked for and are not files of the report.
    """

    def __init__(self, page: Page, report: Path) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.outside: list[str] = []
        self._report = report
        page.on("console", lambda message: self._note(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self._note(str(error)))
        page.on("requestfailed", lambda request: self._note(request.url))
        page.on("dialog", lambda dialog: self._note(f"dialog {dialog.message}"))
        page.on("request", self._asked)

    def open(self, address: str = "") -> Page:
        self.page.goto(self._report.as_uri() + address)
        self.page.locator("main:visible h1, main:visible h2").first.wait_for()
        return self.page

    def _note(self, text: str) -> None:
        self.complaints.append(text)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self._report.parent.as_uri(), "data:", "blob:")):
            self.outside.append(request.url)


@pytest.fixture
def watched(chromium: Browser, report: Path, request: pytest.FixtureRequest) -> Iterator[Watched]:
    """Return a page in a fresh context; ``@pytest.mark.parametrize("watched", [options], indirect=True)`` sets it."""
    context = chromium.new_context(**getattr(request, "param", {"viewport": {"width": 1280, "height": 900}}))
    seen = Watched(context.new_page(), report)
    yield seen
    context.close()
    assert seen.complaints == []
    assert seen.outside == []
