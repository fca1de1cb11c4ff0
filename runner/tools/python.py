"""The tools that run Python: each call in a fresh process, or with the variables of the calls before."""

from __future__ import annotations

import re
import threading

from runner.config.tools import ToolSettings
from runner.tools.calculator import Calculator
from runner.tools.launch import Limits
from runner.tools.pool import ToolPool, cores
from runner.tools.protocol import Outcome, Tool, ToolCall
from runner.tools.sandbox import ProgramResult, Sandbox
from runner.tools.usable import choose
from runner.tools.warm import WarmSandboxes

_MOST_CODE = 100_000  # characters; no model writes that much for one call
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class CodeExecutor:
    """``code_executor``: a program in a fresh process, which leaves nothing behind."""

    def __init__(self, sandboxes: WarmSandboxes, limits: Limits, output_chars: int) -> None:
        self._sandboxes, self._limits, self._output_chars = sandboxes, limits, output_chars

    def run(self, call: ToolCall) -> Outcome:
        """Run the argument ``code``."""
        code = code_of(call)
        if isinstance(code, Outcome):
            return code
        sandbox = self._sandboxes.take()
        result = sandbox.run(code)
        self._sandboxes.give(sandbox)
        self._sandboxes.refill()
        return outcome(result, self._limits, self._output_chars)

    def release(self, session: str) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Close the sandboxes."""
        self._sandboxes.close()


class PythonRepl:
    """``python_repl``: a session's cells share their variables, in a sandbox of the session's own."""

    def __init__(self, sandboxes: WarmSandboxes, limits: Limits, output_chars: int) -> None:
        self._sandboxes, self._limits, self._output_chars = sandboxes, limits, output_chars
        self._lock = threading.Lock()
        self._sessions: dict[str, Sandbox] = {}

    def run(self, call: ToolCall) -> Outcome:
        """Run the argument ``code`` as the session's next cell."""
        code = code_of(call)
        if isinstance(code, Outcome):
            return code
        with self._lock:
            sandbox = self._sessions.get(call.session)
        if sandbox is None:
            sandbox = self._sandboxes.take()
            with self._lock:
                self._sessions[call.session] = sandbox
        result = sandbox.cell(code)
        if result.status == "sandbox":
            self.release(call.session)
        self._sandboxes.refill()
        return outcome(result, self._limits, self._output_chars, session=True)

    def release(self, session: str) -> None:
        """End a session's interpreter."""
        with self._lock:
            sandbox = self._sessions.pop(session, None)
        if sandbox is not None:
            sandbox.reusable = False
            self._sandboxes.give(sandbox)

    def close(self) -> None:
        """End all sessions and close the sandboxes."""
        self._sandboxes.close()
        with self._lock:
            sessions = list(self._sessions)
        for session in sessions:
            self.release(session)


def code_of(call: ToolCall) -> str | Outcome:
    """Return the code that a call brings, or what is wrong with its arguments."""
    code = call.arguments.get("code")
    if not isinstance(code, str) or not code.strip():
        return Outcome(f"{call.name} needs the argument code, a text with Python code", False)
    if len(code) > _MOST_CODE:
        return Outcome(f"the code has {len(code)} characters, more than the {_MOST_CODE} that are run", False)
    return code


def outcome(result: ProgramResult, limits: Limits, output_chars: int, session: bool = False) -> Outcome:
    """Return what the model gets to see of a call."""
    printed = visible(result.stdout, output_chars).rstrip("\n")
    note = _note(result, limits)
    if session and result.status not in ("ok", "raised"):
        note += " All variables are lost."
    if not printed and not note:
        printed = "(no output)"
    return Outcome("\n".join(part for part in (printed, note) if part), result.ok)


def _note(result: ProgramResult, limits: Limits) -> str:
    """Return what the output does not say itself."""
    notes = {
        "ok": "",
        "raised": "" if result.stdout.strip() else f"The program ended with exit code {result.exit_code}.",
        "signal": f"The process was ended by signal {-result.exit_code}.",
        "exit": f"The interpreter ended with exit code {result.exit_code}.",
        "time": f"Stopped: it ran longer than {limits.wall_s:g} seconds.",
        "cpu": f"Stopped: it used more than {limits.cpu_s:g} seconds of processor time.",
        "memory": f"Stopped: it used more than {limits.memory_mib} MiB of memory.",
        "processes": f"Stopped: it started more than {limits.processes} processes and threads.",
        "files": "Stopped: it made too many files.",
        "output": "Stopped: it printed too much.",
        "sandbox": f"The sandbox failed: {result.stderr}.",
    }
    return notes[result.status]


def visible(text: str, most: int) -> str:
    """Return a text cut to ``most`` characters, its middle left out, with control characters written as escapes."""
    clean = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    if len(clean) <= most:
        return clean
    end = most // 4
    left_out = len(clean) - most
    return f"{clean[: most - end]}\n[... {left_out} characters left out ...]\n{clean[len(clean) - end :]}"


def make_pool(settings: ToolSettings) -> ToolPool:
    """Return the pool that runs the tools of a run; it starts nothing before the first call.

    Raises:
        UserError: a tool runs code, and this machine has no sandbox for it.
    """
    tools: dict[str, Tool] = {}
    limits = Limits(
        settings.cpu_s,
        settings.wall_s,
        settings.memory_mib,
        settings.disk_mib,
        settings.processes,
        output_bytes=4 * settings.output_chars,  # as many bytes as a character may have
    )
    if settings.runs_code:
        sandboxes = WarmSandboxes(choose(settings.sandbox), limits, cores())
        tools["code_executor"] = CodeExecutor(sandboxes, limits, settings.output_chars)
        tools["python_repl"] = PythonRepl(sandboxes, limits, settings.output_chars)
    tools["calculator"] = Calculator()
    patience_s = settings.wall_s + 60.0
    return ToolPool({name: tools[name] for name in settings.names}, patience_s=patience_s)
