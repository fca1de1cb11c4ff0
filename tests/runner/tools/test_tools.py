"""The tools and their pool, as a driver uses them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.config.tools import ToolSettings
from runner.errors import UserError
from runner.tools import usable
from runner.tools.execute import run_program
from runner.tools.launch import Limits, SandboxKind
from runner.tools.pool import ToolPool
from runner.tools.protocol import SPECS, ToolCall, ToolResult
from runner.tools.python import make_pool, visible
from runner.tools.sandbox import Sandbox
from runner.tools.usable import choose

SETTINGS = ToolSettings(names=("calculator", "python_repl", "code_executor"), wall_s=3, output_chars=400)


def everything(pool: ToolPool) -> dict[str, ToolResult]:
    found = {}
    while pool.in_flight:
        found |= {result.key: result for result in pool.poll(1.0)}
    return found


@pytest.fixture(scope="module")
def pool() -> Iterator[ToolPool]:
    made = make_pool(SETTINGS)
    yield made
    made.close()


def call(pool: ToolPool, name: str, code: str, session: str = "s") -> ToolResult:
    argument = SPECS[name].argument
    pool.submit(ToolCall("k", name, {argument: code}, session))
    return everything(pool)["k"]


def test_each_tool_answers_to_its_name(pool: ToolPool) -> None:
    assert call(pool, "calculator", "2 ** 10").text == "1024"
    assert call(pool, "python_repl", "2 ** 10").text == "1024"
    assert call(pool, "code_executor", "print(2 ** 10)").text == "1024"


def test_an_unknown_tool_is_told_which_there_are(pool: ToolPool) -> None:
    pool.submit(ToolCall("k", "search", {}))
    result = everything(pool)["k"]
    assert not result.ok
    assert "calculator, code_executor, python_repl" in result.text


@pytest.mark.parametrize("arguments", [{}, {"code": ""}, {"code": 7}, {"code": None}, {"code": "x" * 200_000}])
def test_wrong_arguments_are_told(pool: ToolPool, arguments: dict[str, object]) -> None:
    for name in ("python_repl", "code_executor"):
        pool.submit(ToolCall("k", name, arguments))
        assert not everything(pool)["k"].ok


def test_variables_belong_to_a_session(pool: ToolPool) -> None:
    assert call(pool, "python_repl", "x = 7", "one").text == "(no output)"
    assert call(pool, "python_repl", "x * 6", "one").text == "42"
    other = call(pool, "python_repl", "x", "two")
    assert not other.ok
    assert "NameError" in other.text
    assert "NameError" in call(pool, "code_executor", "x", "one").text
    pool.release("one")
    assert "NameError" in call(pool, "python_repl", "x", "one").text


def test_an_error_keeps_the_variables_and_a_limit_loses_them(pool: ToolPool) -> None:
    assert call(pool, "python_repl", "y = 1\n1/0", "three").ok is False
    assert call(pool, "python_repl", "y", "three").text == "1"
    stopped = call(pool, "python_repl", "import time; time.sleep(60)", "three")
    assert stopped.text == "Stopped: it ran longer than 3 seconds. All variables are lost."
    ended = call(pool, "python_repl", "import os; os._exit(4)", "three")
    assert ended.text == "The interpreter ended with exit code 4. All variables are lost."
    assert "NameError" in call(pool, "python_repl", "y", "three").text


def test_a_thread_that_goes_on_stands_still_between_calls(pool: ToolPool) -> None:
    code = """
import threading
def count():
    while True: print(end="noise ", flush=True)
threading.Thread(target=count, daemon=True).start()
"""
    assert call(pool, "python_repl", code, "four").ok
    pool.submit(ToolCall("other", "code_executor", {"code": "import time; time.sleep(0.5); print('slept')"}))
    assert everything(pool)["other"].text == "slept"
    # What it prints later belongs to no call, and the next one is not disturbed.
    assert call(pool, "python_repl", "1 + 1", "four").ok
    pool.release("four")


def test_output_is_cut_in_its_middle(pool: ToolPool) -> None:
    text = call(pool, "code_executor", "print('a' * 300 + 'b' * 300 + 'c')").text
    assert text.startswith("aaa")
    assert text.endswith("bc")
    assert "left out" in text
    assert len(text) < SETTINGS.output_chars + 60


def test_no_character_of_an_observation_is_harmful() -> None:
    assert visible("a\x00b\x1b[31m\ud800\x85é\n\t", 100) == "a\\x00b\\x1b[31m\\xd800\\x85é\n\t"


def test_a_traceback_names_the_line_and_nothing_of_ours(pool: ToolPool) -> None:
    text = call(pool, "code_executor", "def f():\n    return 1 / 0\n\nf()").text
    assert text.split("\n")[:3] == [
        "Traceback (most recent call last):",
        '  File "program.py", line 4, in <module>',
        "    f()",
    ]
    assert "inside" not in text


def test_sessions_end_when_the_pool_does() -> None:
    before = children()
    pool = make_pool(SETTINGS)
    call(pool, "python_repl", "x = 1")
    assert children() - before
    pool.close()
    assert not children() - before


def test_a_session_holds_one_descriptor_and_gives_it_back() -> None:
    pool = make_pool(SETTINGS)
    call(pool, "python_repl", "1", "first")
    before = len(os.listdir("/proc/self/fd"))
    for number in range(6):
        call(pool, "python_repl", "1", f"more {number}")
    held = len(os.listdir("/proc/self/fd")) - before
    assert held <= 6 + 2 * (os.cpu_count() or 1)  # those that are starting hold two
    for number in range(6):
        pool.release(f"more {number}")
    pool.close()
    assert len(os.listdir("/proc/self/fd")) < before


def test_a_pool_starts_nothing_before_the_first_call() -> None:
    threads, processes = threading.active_count(), children()
    pool = make_pool(SETTINGS)
    assert (threading.active_count(), children()) == (threads, processes)
    pool.close()


def test_a_killed_worker_is_replaced() -> None:
    before = children()
    pool = make_pool(SETTINGS)
    call(pool, "code_executor", "print(1)")
    for child in children() - before:
        for process in (child, *descendants(child)):
            os.kill(process, signal.SIGKILL)
    results = [call(pool, "code_executor", "print(1)") for _ in range(6)]
    assert results[-1].text == "1"
    assert sum(result.ok for result in results) >= 3
    pool.close()


def test_the_end_of_a_pool_ends_a_running_call() -> None:
    before = children(), set(threading.enumerate())
    pool = make_pool(SETTINGS.model_copy(update={"wall_s": 500}))
    pool.submit(ToolCall("k", "code_executor", {"code": "import time; time.sleep(400)"}))
    assert pool.poll(0.3) == []
    pool.close()
    assert (children(), set(threading.enumerate())) == before


def test_a_hung_tool_blocks_nobody() -> None:
    gate = threading.Event()
    tools = {"hang": lambda _: str(gate.wait()), "quick": lambda _: "here"}
    pool = ToolPool(tools, workers=1, patience_s=0.2)
    pool.submit(ToolCall("a", "hang", {}))
    pool.submit(ToolCall("b", "quick", {}))
    found = everything(pool)
    assert not found["a"].ok
    assert found["b"].text == "here"
    gate.set()
    pool.close()


def test_poll_takes_no_longer_than_it_may() -> None:
    gate = threading.Event()
    pool = ToolPool({"hang": lambda _: str(gate.wait())})
    pool.submit(ToolCall("a", "hang", {}))
    assert pool.poll(0.0) == []
    assert pool.poll(0.05) == []
    gate.set()
    assert everything(pool)["a"].ok
    pool.close()


def test_nothing_is_left_when_this_program_is_killed(tmp_path: Path) -> None:
    script = """
import sys
from runner.config.tools import ToolSettings
from runner.tools.python import make_pool
from runner.tools.protocol import ToolCall
pool = make_pool(ToolSettings(names=("python_repl",), wall_s=500))
pool.submit(ToolCall("a", "python_repl", {"code": "1"}, "s"))
while pool.in_flight: pool.poll(1)
pool.submit(ToolCall("b", "python_repl", {"code": "import time; time.sleep(400)"}, "s"))
pool.poll(0.3)
print("running", flush=True)
pool.poll(600)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "running\n"
        family = descendants(started.pid)
        assert len(family) >= 3  # bubblewrap, process 1, the interpreter
        started.kill()
    for process in family:
        wait_until_gone(process)


def test_a_process_that_leads_no_group_yet_is_ended_without_a_sandbox() -> None:
    """Whoever asked was killed right after the fork: nobody was signalled, and the end was waited for without one."""
    script = """
import os, time
from runner.tools.inside.processes import end_all
child = os.fork()
if child == 0:
    time.sleep(400)
print(end_all(child))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "-9\n", done.stderr


def test_no_folder_is_left_without_a_sandbox_either_when_this_program_is_killed(tmp_path: Path) -> None:
    script = """
from runner.tools.launch import Limits, SandboxKind
from runner.tools.sandbox import Sandbox
box = Sandbox(SandboxKind.NONE, Limits(wall_s=500))
box.run("open('note', 'w').close()")
print("running", flush=True)
box.run("import time; time.sleep(400)")
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment
    ) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "running\n"
        (folder,) = tmp_path.glob("tools-*")
        assert (folder / "note").exists()
        family = descendants(started.pid)
        started.kill()
    for process in family:
        wait_until_gone(process)
    assert not folder.exists()


def test_a_program_gets_its_input_and_is_told_apart_from_its_errors() -> None:
    source = "import sys\na, b = map(int, input().split())\nprint(a + b)\nprint('odd', file=sys.stderr)"
    result = run_program(source, "20 22\n", Limits(wall_s=5), choose("auto"))
    assert (result.status, result.stdout, result.stderr) == ("ok", "42\n", "odd\n")


def test_a_large_input_is_read_and_one_that_is_not_read_does_no_harm() -> None:
    many = "\n".join(map(str, range(300_000)))
    kind = choose("auto")
    assert run_program("import sys; print(sum(map(int, sys.stdin)))", many, kind=kind).stdout == "44999850000\n"
    assert run_program("print(1)", many, kind=kind).stdout == "1\n"


def test_without_a_sandbox_code_still_runs_within_limits() -> None:
    box = Sandbox(SandboxKind.NONE, Limits(cpu_s=1, wall_s=2, memory_mib=256))
    assert box.run("print(6 * 7)").stdout == "42\n"
    assert box.run("while True: pass").status in ("cpu", "time")
    assert "MemoryError" in box.run("x = bytearray(10 << 30)").stdout
    assert box.cell("x = 1\nx").stdout == "1\n"
    box.close()


def test_no_sandbox_means_no_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usable, "trouble", lambda kind: "not installed")
    with pytest.raises(UserError, match=r"bubblewrap: not installed.*apt install bubblewrap.*tools\.sandbox=none"):
        make_pool(SETTINGS)
    make_pool(SETTINGS.model_copy(update={"sandbox": "none"})).close()
    make_pool(ToolSettings(names=("calculator",))).close()


def test_another_system_is_told_that_it_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "needs Linux" in str(usable.trouble(SandboxKind.BUBBLEWRAP))
    with pytest.raises(UserError, match=r"tools\.sandbox=none"):
        choose("auto")


def children() -> set[int]:
    """Return the direct child processes of this one."""
    return set(_children(os.getpid()))


def descendants(process: int) -> list[int]:
    found = _children(process)
    return found + [grandchild for child in found for grandchild in descendants(child)]


def _children(process: int) -> list[int]:
    files = Path(f"/proc/{process}/task").glob("*/children")
    return [int(word) for file in files for word in file.read_text().split()]


def wait_until_gone(process: int) -> None:
    """Wait for the end of a process, which a hanging test would show; a zombie of a lost parent counts as gone."""
    while True:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return
        if state in "ZX":
            return
