"""Which kind of sandbox this machine can have; asked before a run starts, and by ``runner doctor``."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from functools import cache

from runner.config.tools import SandboxChoice
from runner.errors import UserError
from runner.tools.launch import Limits, SandboxKind
from runner.tools.sandbox import Sandbox, SandboxError
from runner.tools.seccomp import supported

INSTALL = "apt install bubblewrap"
KINDS = (SandboxKind.BUBBLEWRAP, SandboxKind.NAMESPACES)


def choose(choice: SandboxChoice) -> SandboxKind:
    """Return the kind of sandbox to use.

    Raises:
        UserError: this machine has none that was asked for; the message says why and what to do.
    """
    if choice == "none":
        return SandboxKind.NONE
    kinds = KINDS if choice == "auto" else (SandboxKind(choice),)
    troubles = {kind: trouble(kind) for kind in kinds}
    for kind in kinds:
        if troubles[kind] is None:
            return kind
    reasons = "; ".join(f"{kind}: {reason}" for kind, reason in troubles.items())
    raise UserError(
        f"tools.sandbox={choice}: code that a model wrote needs a sandbox, and this machine has none ({reasons}); "
        f"{INSTALL}, or write tools.sandbox=none, which gives that code all your rights"
    )


def trouble(kind: SandboxKind) -> str | None:
    """Return why a kind of sandbox can't be had here, None if it works: a program was run in one."""
    if not sys.platform.startswith("linux"):
        return f"needs Linux, this is {platform.system()}"
    if not supported():
        return f"no filter on system calls is known for {platform.machine()}"
    bubblewrap = shutil.which("bwrap")
    if kind is SandboxKind.BUBBLEWRAP and bubblewrap is None:
        return "not installed"
    if kind is SandboxKind.NAMESPACES and os.geteuid() != 0:
        return "only root can make them"
    return _try(kind, bubblewrap)


@cache
def _try(kind: SandboxKind, bubblewrap: str | None) -> str | None:
    """Run a program in a sandbox; the path of bubblewrap only tells one machine from another."""
    try:
        sandbox = Sandbox(kind, Limits())
    except SandboxError as error:
        return str(error)
    try:
        done = sandbox.run("print(6 * 7)")
    finally:
        sandbox.close()
    return None if done.stdout == "42\n" else done.stderr or f"a program in it ended with {done.status}"
