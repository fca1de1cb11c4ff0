"""Runs a program with an input in a sandbox of its own: how code that answers a problem is tried."""

from __future__ import annotations

from runner.tools.launch import Limits, SandboxKind
from runner.tools.sandbox import ProgramResult, Sandbox


def run_program(
    source: str, stdin: str = "", limits: Limits | None = None, kind: SandboxKind = SandboxKind.BUBBLEWRAP
) -> ProgramResult:
    """Run a Python program in a fresh sandbox, with the standard library alone.

    Args:
        source: The program.
        stdin: Its standard input.
        limits: What it may use; None for the usual limits.
        kind: See :func:`runner.tools.usable.choose`.

    Returns:
        Output and errors apart, and how it ended; status ``sandbox`` if the sandbox was lost.

    Raises:
        SandboxError: no sandbox of this kind can be started.
    """
    sandbox = Sandbox(kind, limits or Limits())
    try:
        return sandbox.run(source, stdin, apart=True)
    finally:
        sandbox.close()
