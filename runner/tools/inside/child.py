"""The process in which model-written code runs: what it is made of, and how it reports errors of the code."""

from __future__ import annotations

import ast
import atexit
import linecache
import os
import signal
import struct
import sys
import threading
import traceback
import types
from typing import Any, NoReturn

from .limits import Limits, bound_process


def become_child(
    limits: Limits, stdin: int, stdout: int, stderr: int, cpu_s: float | None, keep: tuple[int, ...] = ()
) -> None:
    """Turn a forked process into one that has nothing of its parent's but these descriptors."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.setsid()
    for place, fd in enumerate((stdin, stdout, stderr)):
        os.dup2(fd, place)
    start = 3
    for fd in (*sorted(keep), 1 << 16):
        os.closerange(start, fd)
        start = fd + 1
    bound_process(limits, cpu_s)
    sys.stdin = os.fdopen(0, "r", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
    for name in ("stdin", "stdout", "stderr"):
        setattr(sys, f"__{name}__", getattr(sys, name))
    code_folder = os.environ.pop("PYTHONPATH", "")
    sys.path[:] = [folder for folder in sys.path if folder != code_folder]
    sys.argv = ["program.py"]


def run_as_main(source: str) -> NoReturn:
    """Run a program as ``python program.py`` would, and end the process."""
    code = _guarded(source, "program.py", _new_main(), echo=False)
    try:
        threading._shutdown()  # type: ignore[attr-defined]  # a program's end waits for its threads
        atexit._run_exitfuncs()
    except BaseException:
        code = code or 1
    _flush()
    os._exit(code)


def run_cells(source_fd: int, done_fd: int) -> NoReturn:
    """Run cell after cell with the same variables; say ``k`` after one that went well, ``e`` after one that raised."""
    variables, number = _new_main(), 0
    while True:
        size = struct.unpack(">I", _read(source_fd, 4))[0]
        source = _read(source_fd, size).decode("utf-8", "surrogatepass")
        number += 1
        code = _guarded(source, f"cell {number}", variables, echo=True)
        _flush()
        os.write(done_fd, b"e" if code else b"k")


def _new_main() -> dict[str, Any]:
    module = types.ModuleType("__main__")
    module.__dict__.update(exit=sys.exit, quit=sys.exit)  # the site module, which is left out, would bring them
    sys.modules["__main__"] = module
    return module.__dict__


def _guarded(source: str, name: str, variables: dict[str, Any], echo: bool) -> int:
    """Run code, print a traceback if it raises, and return its exit code."""
    try:
        _execute(source, name, variables, echo)
    except SystemExit as request:
        if request.code is None or isinstance(request.code, int):
            return (request.code or 0) & 0xFF
        print(request.code, file=sys.stderr)
        return 1
    except BaseException as error:
        _flush()
        _print_traceback(error, name, source)
        return 1
    return 0


def _execute(source: str, name: str, variables: dict[str, Any], echo: bool) -> None:
    tree = ast.parse(source, name)
    last = tree.body.pop() if echo and tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), variables)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), name, "eval"), variables)
        if value is not None:
            variables["_"] = value
            print(repr(value))


def _print_traceback(error: BaseException, name: str, source: str) -> None:
    """Print what Python prints of an error, without the frames of this file."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    try:
        sys.stderr.write("".join(traceback.format_exception(type(error), error.with_traceback(frames), frames)))
        sys.stderr.flush()
    except BaseException:  # no memory left, or the code put something else in the place of stderr
        os.write(2, f"{type(error).__name__}\n".encode("utf-8", "replace"))


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # closed or replaced by the code
            continue


def _read(fd: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = os.read(fd, min(size - len(data), 1 << 20))
        if not part:
            os._exit(0)
        data += part
    return data
