"""A sandbox that an ordinary user makes, for tests that run as root.

Started by :class:`OrdinarySandbox` as another user, this file is a program: a line of JSON in, one out. That user can't
read root's home, so it runs the system's Python and a copy of the few files that a sandbox needs.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from runner.tools import sandbox
from runner.tools.launch import Limits, SandboxKind
from runner.tools.sandbox import ProgramResult, Sandbox

_UID = "61000"  # no account has it
_PYTHON = "/usr/bin/python3"


class OrdinarySandbox:
    """Like :class:`Sandbox`, made with bubblewrap by another user."""

    def __init__(self, limits: Limits) -> None:
        self.reusable = True
        self._folder = Path(tempfile.mkdtemp(prefix="ordinary-"))
        shutil.copytree(Path(sandbox.__file__).parent, self._folder / "runner" / "tools")
        shutil.copy(__file__, self._folder / "ordinary.py")
        for path in (self._folder, *self._folder.rglob("*")):
            path.chmod(0o755)
        user = ["setpriv", f"--reuid={_UID}", f"--regid={_UID}", "--clear-groups"]
        self._helper = subprocess.Popen(
            [*user, _PYTHON, str(self._folder / "ordinary.py"), json.dumps(asdict(limits))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=self._folder,
            env={"PYTHONPATH": str(self._folder), "PATH": "/usr/bin:/bin"},
            text=True,
        )

    def run(self, source: str, stdin: str = "", *, apart: bool = False) -> ProgramResult:
        return self._ask("run", {"source": source, "stdin": stdin, "apart": apart})

    def cell(self, source: str) -> ProgramResult:
        return self._ask("cell", {"source": source})

    def close(self) -> None:
        self._helper.communicate()
        shutil.rmtree(self._folder)

    def _ask(self, name: str, arguments: dict[str, object]) -> ProgramResult:
        assert self._helper.stdin
        assert self._helper.stdout
        self._helper.stdin.write(json.dumps([name, arguments]) + "\n")
        self._helper.stdin.flush()
        answer, self.reusable = json.loads(self._helper.stdout.readline())
        return ProgramResult(**answer)


def main(limits: str) -> None:
    box = Sandbox(SandboxKind.BUBBLEWRAP, Limits(**json.loads(limits)))
    for line in sys.stdin:
        name, arguments = json.loads(line)
        result = getattr(box, name)(**arguments)
        print(json.dumps([asdict(result), box.reusable]), flush=True)
    box.close()


if __name__ == "__main__":
    main(sys.argv[1])
