"""A vLLM engine whose core process ends with us, survives Ctrl-C and never dies unnoticed."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import IO, Any

from runner.engines.base import EngineDied
from runner.errors import UserError

# A line such as "(EngineCore pid=7) ERROR 01-31 12:00:00 [core.py:9] ValueError: no memory".
_ERROR_LINE = re.compile(
    rb"(?:^|[\s.])(\w+(?:Error|Exception): [^\r\n]*\S|Worker proc [^\r\n]* died unexpectedly)", re.MULTILINE
)
_LAST_WORDS_S = 2.0  # how long a dying process may take to write its reason
_LOOK_AGAIN_S = 0.01
_END_S = 10.0  # how long a process that was told to end may take before it is killed


class VllmCore:
    """``vllm.LLMEngine`` with what it lacks: it blocks for ever when its core process is killed, its core
    process dies of our Ctrl-C and outlives our death, and its log covers the terminal.

    The core processes write to a hidden file, from which the causes in error messages are read. A user who
    sets ``VLLM_LOGGING_LEVEL`` gets everything on the terminal instead.

    Args:
        environment: Variables that vLLM reads while it starts; what the user has set wins. Ours is as it
            was afterwards.
        make_arguments: Returns those of ``vllm.EngineArgs``; called in that environment, so it may import vLLM.

    Raises:
        UserError: vLLM refuses the arguments or can't load the model; names vLLM's own reason.
    """

    def __init__(self, environment: Mapping[str, str], make_arguments: Callable[[], Mapping[str, Any]]) -> None:
        self._log: IO[bytes] = tempfile.TemporaryFile("a+b")  # noqa: SIM115 - closed in close()
        self._death: EngineDied | None = None
        self._guard = _Guard()
        verbose = "VLLM_LOGGING_LEVEL" in os.environ
        try:
            with (
                _environment(environment),
                nullcontext() if verbose else _stderr_into(self._log),
                _starts_watched(self._guard) as self._processes,
            ):
                self._llm = _start(make_arguments(), self._log)
            self._workers = _children_of(self._processes)
        except BaseException:
            self._guard.strike()
            raise
        self._log_start = self._log.seek(0, os.SEEK_END)
        self._report_death()

    @property
    def config(self) -> Any:
        """The ``vllm.config.VllmConfig`` that really acts."""
        return self._llm.vllm_config

    def add(self, key: str, ids: Sequence[int], params: Any) -> None:
        """Queue a prompt.

        Raises:
            EngineDied: the core process is gone.
            Exception: vLLM refuses this request.
        """
        from vllm.v1.engine.exceptions import EngineDeadError

        if self._death is not None:  # vLLM itself notices only now and then
            raise self._death
        try:
            self._llm.add_request(key, {"type": "token", "prompt_token_ids": list(ids)}, params)
        except EngineDeadError as error:
            raise self._died() from error

    def abort(self, key: str) -> None:
        """Drop a request; does nothing when the engine is dead."""
        if self._death is None:
            self._llm.abort_request([key])

    def step(self) -> list[Any]:
        """Await the next step and return the requests that finished in it. At least one must be queued.

        Raises:
            EngineDied: the core process is gone, or was told to go by somebody else.
        """
        if self._death is not None:
            raise self._death
        try:
            outputs = self._llm.step()
        except Exception as error:  # whatever it is, the state of the engine is unknown after it
            raise self._died() from error
        if any(output.outputs[0].finish_reason == "abort" for output in outputs):
            raise self._died()  # a core process that gets SIGTERM ends every request like this
        return [output for output in outputs if output.finished]

    def close(self) -> None:
        """End all processes and release the memory. Idempotent."""
        if self._llm is None:
            return
        self._llm.engine_core.shutdown()
        self._llm = None
        gc.collect()
        for process in self._processes:
            process.join(_END_S)
        _end(self._workers)
        self._guard.dismiss()
        self._log.close()

    def _died(self) -> EngineDied:
        """Remember the death, so that nothing waits for a dead engine again."""
        if self._death is None:
            codes = ", ".join(_exit_codes(self._processes))
            outside = f"exit code {codes}" if codes else "it was told to end"
            self._death = EngineDied(f"the vLLM core process is gone: {_cause(self._log, self._log_start) or outside}")
        return self._death

    def _report_death(self) -> None:
        """Wake ``step`` when a core process ends. vLLM notices a killed one, but leaves ``step`` waiting."""
        from vllm.v1.engine.exceptions import EngineDeadError

        if not self._processes:  # the user wants the core in this process: VLLM_ENABLE_V1_MULTIPROCESSING=0
            return
        processes, outputs = self._processes, self._llm.engine_core.outputs_queue

        def report() -> None:
            wait([process.sentinel for process in processes])
            outputs.put(EngineDeadError())

        threading.Thread(target=report, daemon=True, name="vllm-death-report").start()


def _exit_codes(processes: Sequence[Any]) -> list[str]:
    """Return the exit codes of those that end soon.

    vLLM waits for the same processes in a thread of its own. Whoever comes second is told that there is no such
    process before the first one has noted the code, so one look is not enough.
    """
    deadline = time.monotonic() + _LAST_WORDS_S
    while any(process.exitcode is None for process in processes) and time.monotonic() < deadline:
        time.sleep(_LOOK_AGAIN_S)
    return [str(process.exitcode) for process in processes if process.exitcode is not None]


def _start(arguments: Mapping[str, Any], log: IO[bytes]) -> Any:
    from vllm import EngineArgs, LLMEngine

    try:
        llm = LLMEngine.from_engine_args(EngineArgs(**arguments))
        llm.get_supported_tasks()  # the first request would ask the core for them and wait
    except Exception as error:  # vLLM raises every kind, from pydantic's to the operating system's
        in_core = isinstance(error, RuntimeError | TimeoutError)  # says only that a core process failed
        cause = (_cause(log, 0) if in_core else None) or _plain(error)
        raise UserError(f"vLLM can't start {arguments['model']}: {cause}") from error
    return llm


def _cause(log: IO[bytes], start: int) -> str | None:
    """Return the first error in the log from ``start`` on; those after it are its consequences."""
    log.seek(start)
    found = _ERROR_LINE.search(log.read())
    return None if found is None else found.group(1).decode(errors="replace")


def _plain(error: Exception) -> str:
    """Return the error as one line, without what pydantic adds."""
    message = " ".join(str(error).split()).partition(" [type=")[0]
    return f"{type(error).__name__}: {message}"


@contextmanager
def _environment(defaults: Mapping[str, str]) -> Iterator[None]:
    """Set what the user has not set, and undo that and whatever else is set meanwhile (vLLM sets LD_PRELOAD)."""
    before = dict(os.environ)
    for name, value in defaults.items():
        os.environ.setdefault(name, value)
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


@contextmanager
def _stderr_into(log: IO[bytes]) -> Iterator[None]:
    """Send this process's errors to ``log`` for now, and for good those of the processes started meanwhile."""
    sys.stderr.flush()
    terminal = os.dup(2)
    os.dup2(log.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(terminal, 2)
        os.close(terminal)


class _Guard:
    """A shell that kills the processes it was told of as soon as this process is gone, however it ends.

    vLLM's core would go on without us, and hold its memory.
    """

    _SCRIPT = 'while read -r pid; do pids="$pids $pid"; done; kill -KILL $pids 2>/dev/null'

    def __init__(self) -> None:
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", self._SCRIPT],
            stdin=subprocess.PIPE,  # ends when we do
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # out of reach of Ctrl-C
        )

    def tell(self, process: BaseProcess) -> None:
        """Add a process."""
        assert self._shell.stdin is not None
        self._shell.stdin.write(f"{process.pid}\n".encode())
        self._shell.stdin.flush()

    def strike(self) -> None:
        """Kill the processes now."""
        self._shell.communicate()

    def dismiss(self) -> None:
        """Leave the processes alone."""
        self._shell.kill()
        self._shell.communicate()


@contextmanager
def _starts_watched(guard: _Guard) -> Iterator[list[BaseProcess]]:
    """Yield the list of processes started meanwhile, which the guard hears of and Ctrl-C never reaches.

    A Ctrl-C goes to all processes of a terminal's group; we end the core ourselves, after the results. A process
    keeps the signals blocked that were blocked at its start, so they are just then, and only then: a Ctrl-C while
    the model loads acts at once. vLLM has no door for this, hence the method of the standard library.
    """
    resource_tracker.ensure_running()  # the first process would start it, which unblocks the signal
    start = BaseProcess.start
    started: list[BaseProcess] = []

    def watched(process: BaseProcess) -> None:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            start(process)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        started.append(process)
        guard.tell(process)

    BaseProcess.start = watched  # type: ignore[method-assign, assignment]
    try:
        yield started
    finally:
        BaseProcess.start = start  # type: ignore[method-assign]


def _children_of(processes: Sequence[BaseProcess]) -> list[Any]:
    import psutil  # type: ignore[import-untyped]  # comes with vLLM

    return [child for process in processes for child in psutil.Process(process.pid).children(recursive=True)]


def _end(workers: Sequence[Any]) -> None:
    import psutil

    for worker in psutil.wait_procs(workers, timeout=_END_S)[1]:
        worker.kill()
