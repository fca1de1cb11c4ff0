"""On a terminal: live progress, and Ctrl-C ends it."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import runner as package
from tests.end_to_end.command import SCRIPTED, environment, hear_ctrl_c


def read_until(terminal: int, text: bytes, seconds: float = 120) -> bytes:
    seen = b""
    deadline = time.monotonic() + seconds
    while text not in seen and time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                seen += os.read(terminal, 65536)
            except OSError:  # the other side is closed
                break
    assert text in seen, seen.decode(errors="replace")
    return seen


def test_ctrl_c_ends_a_live_display(tmp_path: Path) -> None:
    """More than once, since a lock held by the display at the wrong moment would hang it."""
    for attempt in range(3):
        terminal, other = pty.openpty()
        asked = [*SCRIPTED, "suite.samples=200", "engine.step_s=0.01", "engine.window=64"]
        process = subprocess.Popen(
            [sys.executable, "-m", "runner", *asked],
            cwd=tmp_path,
            env=environment(TERM="xterm", COLUMNS="120"),
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
            preexec_fn=hear_ctrl_c,
        )
        os.close(other)
        try:
            read_until(terminal, b"tokens/s")
            time.sleep(0.3 + attempt / 7)
            process.send_signal(2)
            read_until(terminal, b"to go on: python -m runner")
            assert process.wait(60) == 130
        finally:
            process.kill()
            os.close(terminal)
    assert len(package.load(tmp_path / "outputs" / "single")) > 0
