"""What a task of an array runs: ``python -m runner.slurm.task FOLDER``, where FOLDER is the submission's.

The pack runs in a process of its own (:mod:`runner.worker`), so that whatever ends it, this one says the truth to
SLURM by its exit code. SLURM's notice (SIGUSR2) before a time limit or a preemption stops the pack, which stores what
it has, and the job is put back into the queue; a bounded number of starts is counted in a file. After SIGTERM the
pack stops too, but whether the job starts again is SLURM's business: it does after a preemption, not after scancel.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

from runner.errors import EXIT_FAILED, EXIT_USAGE, StorageError, UserError
from runner.pack import understood
from runner.point import pending
from runner.slurm.queue import requeue
from runner.slurm.source import check
from runner.slurm.submission import Submission, TaskFiles, load

_WAIT_S = 0.5  # how late a notice is acted on
_SHARE = 0.75  # of the notice, after which a pack that does not stop is killed, so that the job still goes on


def main() -> int:
    """Run the task that SLURM names; return the exit code of the job."""
    try:
        submission = load(Path(sys.argv[1]))
        files = submission.task(int(os.environ["SLURM_ARRAY_TASK_ID"]))
        return _run(submission, files)
    except UserError as error:
        return _say(str(error), EXIT_USAGE)
    except StorageError as error:
        return _say(str(error), EXIT_FAILED)


def _run(submission: Submission, files: TaskFiles) -> int:
    starts = files.begin()
    try:
        check(submission.source)
    except UserError:
        files.end(EXIT_USAGE)
        raise
    if starts > submission.requeues + 1:
        return _exhausted(submission, files, starts - 1)
    pack = _Pack(files, submission.notice * _SHARE)
    code = pack.run()
    if pack.noticed is not None and code:
        if starts > submission.requeues:
            return _exhausted(submission, files, starts)
        _say(f"start {starts} ends; what was generated is kept, and the job goes back into the queue", code)
        try:
            requeue(f"{os.environ['SLURM_ARRAY_JOB_ID']}_{files.index}")
        except UserError as error:  # after a preemption SLURM may have done it by itself
            _say(str(error), code)
        return code
    if not (pack.told and code):
        files.end(code)
    return code


class _Pack:
    """The process that runs the pack.

    Args:
        files: The task's files.
        patience_s: How long it may take to stop after a notice.

    Attributes:
        noticed: When SLURM gave notice, None if it did not.
        told: Whether SLURM or somebody else ended it.
    """

    def __init__(self, files: TaskFiles, patience_s: float) -> None:
        self._files = files
        self._patience_s = patience_s
        self._process: subprocess.Popen[bytes] | None = None
        self.noticed: float | None = None
        self.told = False

    def run(self) -> int:
        """Run the pack; return its exit code, which is 0 only if every sample is stored."""
        signal.signal(signal.SIGUSR2, self._on_notice)
        signal.signal(signal.SIGTERM, self._on_term)
        asked = self._files.pack.read_bytes()
        with _started() as process:
            self._process = process
            assert process.stdin is not None
            with suppress(BrokenPipeError):  # it ended at once; its exit code tells
                process.stdin.write(asked + b"\n")
                process.stdin.flush()
            if self.noticed is not None:
                process.terminate()
            code = self._ended(process)
        return self._checked(code, asked)

    def _ended(self, process: subprocess.Popen[bytes]) -> int:
        while True:
            with suppress(subprocess.TimeoutExpired):
                return process.wait(_WAIT_S)
            if self.noticed is not None and time.monotonic() - self.noticed > self._patience_s:
                process.kill()

    def _checked(self, code: int, asked: bytes) -> int:
        if code < 0:
            return _say(f"the pack was ended by {signal.Signals(-code).name}", EXIT_FAILED)
        left = _unfinished(asked) if code == 0 else 0
        if left:
            return _say(f"the pack ended by itself; {left} samples are missing", EXIT_FAILED)
        return code

    def _on_notice(self, number: int, frame: FrameType | None) -> None:
        self.noticed = self.noticed or time.monotonic()
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()

    def _on_term(self, number: int, frame: FrameType | None) -> None:
        self.told = True  # SLURM tells every process of a job, the pack's too


def _started() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "runner.worker"],
        stdin=subprocess.PIPE,  # its life line
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        preexec_fn=_deaf_to_notice,
    )


def _deaf_to_notice() -> None:
    """SLURM sends its notice to every process of a job, and it would end those that do not expect it."""
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)


def _unfinished(asked: bytes) -> int:
    points = understood(json.loads(asked))
    return sum(pending(point).count for point in points)


def _exhausted(submission: Submission, files: TaskFiles, starts: int) -> int:
    files.end(EXIT_FAILED)
    limit = f"hydra.launcher.requeues={submission.requeues}"
    return _say(f"{starts} starts are all that {limit} allows; to go on: {submission.command}", EXIT_FAILED)


def _say(text: str, code: int) -> int:
    print(text, file=sys.stderr, flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
