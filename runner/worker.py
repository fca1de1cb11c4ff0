"""A process that runs one pack for another one, see :mod:`runner.spread`.

It reads one line of JSON from standard input, see :func:`runner.pack.described`. Then standard input is its life line:
when it ends, because the process at the other end was killed, this one finishes as if it were asked to.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from threading import Thread

from runner.errors import EXIT_USAGE, UserError
from runner.pack import packs_of, understood
from runner.report.console import make_console
from runner.sweep import complain, run_packs


def main() -> int:
    """Run the pack; return the largest exit code of its points."""
    with open(0, "rb", buffering=0, closefd=False) as lines:
        asked = json.loads(lines.readline())
    Thread(target=_finish_with_parent, daemon=True).start()
    try:
        points = understood(asked)
    except UserError as error:
        return complain(str(error), EXIT_USAGE)
    return run_packs(packs_of(points), asked["command"], make_console(), asked["brief"])


def _finish_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
