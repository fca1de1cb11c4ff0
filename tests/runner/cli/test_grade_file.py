"""`grade FILE` reads what other harnesses write, and no line of it does harm."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from runner.cli.app import main
from runner.cli.grade import grade_file
from runner.config.settings import Scoring
from runner.errors import UserError

SUM = {"task": "sum", "data": [12, 30], "response": r"\boxed{42}"}


def graded(tmp_path: Path, *lines: Any, arguments: tuple[str, ...] = ()) -> tuple[int, list[dict[str, Any]]]:
    """Write the lines, grade them and return the exit code and the verdicts."""
    path = tmp_path / "texts.jsonl"
    path.write_bytes(b"".join((x if isinstance(x, bytes) else json.dumps(x).encode()) + b"\n" for x in lines))
    code = main(["grade", str(path), *arguments])
    written = tmp_path / "texts.jsonl.verdicts.jsonl"
    return code, [json.loads(line) for line in written.read_text("ascii").split("\n") if line]


@pytest.mark.parametrize(
    "line",
    [
        SUM,
        {"task": "sum", "input": [12, 30], "output": "The answer is 42."},
        {"task": "sum", "gold": 42, "completion": r"\boxed{42}"},
        {"task": "sum", "target": "42", "input": "Add 12 and 30.", "resps": [[r"\boxed{42}"]], "filtered_resps": ["7"]},
        {"task": "sum", "gold": 42.0, "filtered_resps": ["42"], "doc_id": 3},
        {"task": "division", "gold": "1/3", "response": r"\boxed{0.33}"},
        {"task": "sum", "gold": 42, "resps": [[[r"\boxed{42}"]]]},
        {"task": "sum", "gold": 42, "response": None, "resps": [["42"]]},
        {"task": "division", "gold": 10 / 3, "response": r"\boxed{10/3}"},
        {"task": "mean", "gold": -1e6 / 7, "response": r"\boxed{-\frac{1000000}{7}}"},
        {"task": "division", "gold": str(2 / 3), "response": r"\boxed{0.67}"},
        {"task": "division", "gold": 0.33, "response": r"\boxed{33/100}"},
        {"task": "division", "data": [3, 10], "gold": 0.3, "response": r"\boxed{3/10}"},
        {"task": "mean", "data": [1, 3, 6], "gold": 3.33, "response": r"\boxed{10/3}"},
        {"task": "mode", "data": [2, 1, 2, 1], "gold": [2, 1], "response": r"\boxed{1, 2}"},
        {"task": "mean", "gold": 0.25, "response": r"\boxed{\frac{1}{4}}"},
        {"task": "comparison", "gold": "greater than", "response": r"\boxed{>}"},
        {"task": "sorting", "gold": [1, 2], "response": r"\boxed{1, 2}"},
        {"task": "mode", "gold": "[2, 1]", "response": r"\boxed{1, 2}"},
        {"task": "mode", "gold": 2, "response": r"\boxed{2}"},
        {"task": "find_maximum", "data": [1, 2], "response": r"\boxed{2}"},
        {**SUM, "finish_reason": "end_turn", "response": "It is 42."},
        {**SUM, "finish_reason": None, "response": "It is 42."},
        {**SUM, "finish_reason": "STOP_SEQUENCE", "response": "It is 42."},
        {"task": "comparison", "gold": ">", "response": "9 > 5"},
        {"task": "comparison", "gold": ">", "response": r"\boxed{9 > 5}"},
        {"task": "comparison", "gold": ">", "response": "9 is greater than 5"},
        {"task": "comparison", "gold": "<", "response": "-9 < 5"},
        {**SUM, "family": "magistral", "response": r"[THINK]\boxed{7}[/THINK]\boxed{42}"},
    ],
)
def test_a_right_line_of_every_form_is_right(tmp_path: Path, line: dict[str, Any]) -> None:
    code, (verdict,) = graded(tmp_path, line)
    assert (code, verdict["outcome"], verdict["line"]) == (0, "correct", 1)


def test_a_cut_text_is_graded_as_one(tmp_path: Path) -> None:
    _, (verdict,) = graded(tmp_path, {**SUM, "response": "It is 42", "finish_reason": "length"})
    assert (verdict["outcome"], verdict["reason"]) == ("unparsed", "truncated")


def test_every_one_of_several_responses_is_graded(tmp_path: Path) -> None:
    _, verdicts = graded(tmp_path, {"task": "sum", "gold": 42, "resps": [["42", "43"]], "id": {"a": 1.5}})
    assert [verdict["outcome"] for verdict in verdicts] == ["correct", "incorrect"]
    assert [(verdict["id"], verdict["response"]) for verdict in verdicts] == [({"a": "1.5"}, 1), ({"a": "1.5"}, 2)]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"{", "not a JSON object"),
        (b"[1]", "not a JSON object"),
        (b"\xff\xfe", "not a JSON object"),
        (b"[" * 100_000, "not a JSON object"),
        (b'{"task": "sum", "gold": NaN, "response": "1"}', "NaN is no number"),
        ({"data": [1], "response": "1"}, "--task"),
        ({**SUM, "task": "summ"}, "Did you mean sum"),
        ({"task": "sum", "response": "1"}, "neither the operands"),
        ({"task": "sum", "gold": "x", "response": "1"}, "is no number"),
        ({"task": "sum", "gold": 0.5, "response": "1"}, "no whole number"),
        ({"task": "division", "gold": "1e999999999", "response": "1"}, "at most 1000 digits"),
        ({"task": "division", "gold": "1/0", "response": "1"}, "line 2"),
        ({"task": "mode", "gold": [], "response": "1"}, "empty list"),
        ({"task": "comparison", "gold": "!", "response": "1"}, "none of"),
        ({"task": "sum", "data": {"a": 1}, "response": "1"}, "line 2"),
        ({"task": "sum", "data": [1, 2]}, "no text"),
        ({**SUM, "response": 42}, "no text"),
        ({**SUM, "response": None}, "response is null"),
        ({**SUM, "response": ["42", None]}, "no text"),
        ({"task": "sum", "gold": 42, "resps": [[[-1.5, False]]]}, "no text"),
        ({"task": "comparison", "gold": [">"], "response": "1"}, "none of"),
        ({"task": "mode", "gold": "1, 2", "response": "1"}, "no list such as"),
        ({**SUM, "gold": 43}, "gold 43 is not 42, which data [12, 30] gives"),
        ({"task": "subtraction", "data": [3, 5], "gold": -2, "response": "2"}, "what is (5) - (3)?); mind the order"),
        ({"task": "mean", "data": [1, 3, 6], "gold": 3.34, "response": "1"}, "gold 3.34 is not 10/3"),
        ({"task": "sorting", "data": [2, 1], "gold": [2, 1], "response": "1"}, "is not [1, 2]"),
        (b'{"task": "sum", "gold": 1, "response": "1", "id": ' + b"[" * 960 + b"]" * 960 + b"}", "line 2"),
    ],
)
def test_a_bad_line_is_named_and_costs_the_others_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: Any, says: str
) -> None:
    code, verdicts = graded(tmp_path, SUM, line, SUM)
    assert (code, [verdict["line"] for verdict in verdicts]) == (2, [1, 3])
    error = capsys.readouterr().err
    assert "line 2" in error
    assert says in error
    assert "1 lines could not be graded" in error


@pytest.mark.parametrize(
    "text", ["\ud800 \\boxed{42}", "\x00\\boxed{42}", "[bold]\\boxed{42}[/nope]", "\x1b[2J\\boxed{42}"]
)
def test_hostile_texts_are_graded(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    code, (verdict,) = graded(tmp_path, {**SUM, "response": text, "id": text, "family": text, "finish_reason": "stop"})
    assert (code, verdict["answer"], verdict["id"]) == (0, "42", text)
    assert "\x1b" not in capsys.readouterr().out


def test_no_bad_line_steers_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert graded(tmp_path, SUM, {**SUM, "task": "\x1b[2J[/red]"})[0] == 2
    error = capsys.readouterr().err
    assert "\x1b" not in error
    assert "[/red]" in error


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    line = json.dumps({**SUM, "response": "so " * 20_000 + r"\boxed{42}"}) + "\n"
    peaks = []
    for count in (20, 200):
        path.write_text(line * count)
        tracemalloc.start()
        assert grade_file(path, None, None, Scoring.PAPER) == 0
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def test_a_line_of_ten_megabytes_is_graded(tmp_path: Path) -> None:
    assert graded(tmp_path, {**SUM, "response": " " * 10_000_000 + r"\boxed{42}"})[1][0]["outcome"] == "correct"


def test_a_line_without_end_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runner.results.foreign.MAX_LINE", 500)
    code, verdicts = graded(tmp_path, SUM, {**SUM, "response": " " * 2000}, SUM)
    assert (code, [verdict["line"] for verdict in verdicts]) == (2, [1, 3])


def test_verdicts_on_standard_output_are_alone_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text(json.dumps({**SUM, "response": r"<think>\boxed{7}"}) + "\n")
    assert main(["grade", str(path), "--out", "-", "--scoring", "released_code"]) == 0
    captured = capsys.readouterr()
    verdict = json.loads(captured.out)
    assert (verdict["answer"], verdict["scoring"]) == ("7", "released_code")
    assert "released_code 1 (0 right)" in captured.err


@pytest.mark.parametrize("arguments", [["missing.jsonl"], ["."], ["here.jsonl", "--out", "here.jsonl"]])
def test_a_wrong_file_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("here.jsonl").write_text("{}\n")
    assert main(["grade", *arguments]) == 2
    assert len(capsys.readouterr().err.strip().split("\n")) == 1
    assert Path("here.jsonl").read_text() == "{}\n"


def test_what_is_no_plain_file_is_written_into_not_replaced(tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"task": "sum", "data": [1, 2], "response": "3"}\n')
    target, link = tmp_path / "kept", tmp_path / "link"
    target.write_text("")
    target.chmod(0o640)
    link.symlink_to(target)
    assert grade_file(texts, str(link), None, Scoring.PAPER) == 0
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert json.loads(target.read_text())["outcome"] == "correct"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_text)
        assert grade_file(texts, str(pipe), None, Scoring.PAPER) == 0
        assert json.loads(read.result(timeout=30))["outcome"] == "correct"
    assert pipe.is_fifo()


@pytest.mark.parametrize("out", ["", ".", "run/new.jsonl", "run/generations.jsonl", "run/wandb/x"])
def test_no_folder_and_no_file_of_a_run_is_written_over(
    tmp_path: Path, out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run" / "wandb").mkdir(parents=True)
    (tmp_path / "run" / "run.json").write_text("{}")
    (tmp_path / "run" / "generations.jsonl").write_text("kept")
    (tmp_path / "texts.jsonl").write_text('{"task": "sum", "data": [1, 2], "response": "3"}\n')
    with pytest.raises(UserError, match="--out"):
        grade_file(Path("texts.jsonl"), out, None, Scoring.PAPER)
    assert (tmp_path / "run" / "generations.jsonl").read_text() == "kept"
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["generations.jsonl", "run.json", "wandb"]


@pytest.mark.parametrize("reason", ["[]", "{}", '{"type": "stop"}', "7", "true"])
def test_an_odd_finish_reason_costs_no_other_line(tmp_path: Path, reason: str) -> None:
    texts = tmp_path / "texts.jsonl"
    line = '{"task": "sum", "data": [1, 2], "response": "3", "finish_reason": %s}\n'
    texts.write_text(line % reason + line % '"stop"')
    assert grade_file(texts, None, None, Scoring.PAPER) == 0
    assert len((tmp_path / "texts.jsonl.verdicts.jsonl").read_text().splitlines()) == 2


def typed(arguments: str, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command line of the shell in which $GRADE is the command."""
    environment = {**os.environ, "GRADE": f"{sys.executable} -m runner grade", "PYTHONPATH": os.getcwd()}
    command = ["bash", "-c", arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize(
    "command",
    [
        "$GRADE - < texts.jsonl",
        "cat texts.jsonl | $GRADE -",
        "$GRADE <(cat texts.jsonl)",
        "$GRADE - --out x <texts.jsonl; cat x",
    ],
)
def test_texts_come_from_a_pipe_too(tmp_path: Path, command: str) -> None:
    (tmp_path / "texts.jsonl").write_text(json.dumps(SUM) + "\n")
    done = typed(command, tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.split("\n")[-2])["outcome"] == "correct"


@pytest.mark.parametrize(
    "command", ["$GRADE t --out - >/dev/full", "$GRADE t >/dev/full", "$GRADE - --out t <t", "$GRADE '' --out ''"]
)
def test_what_can_not_be_written_is_one_line(tmp_path: Path, command: str) -> None:
    (tmp_path / "t").write_text(json.dumps(SUM) + "\n")
    done = typed(command, tmp_path)
    assert done.returncode == (1 if "full" in command else 2)
    assert len(done.stderr.strip().split("\n")) == 1
    assert (tmp_path / "t").read_text() == json.dumps(SUM) + "\n"


def test_a_reader_that_has_gone_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "t").write_text((json.dumps(SUM) + "\n") * 5000)
    assert typed("$GRADE t --out - 2>errors | head -1; grep -c . errors", tmp_path).stdout.endswith("\n0\n")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (json.dumps([SUM, SUM]).encode(), "one JSON array"),
        (json.dumps([SUM, SUM], indent=1).encode(), "one JSON array"),
        (json.dumps(SUM, indent=1).encode(), "over several lines"),
        ((json.dumps(SUM) + "\n").encode("utf-16"), "UTF-16"),
        ((json.dumps(SUM) + "\n").encode("utf-16-le"), "UTF-16"),
        (b"", "holds no texts"),
        (b"\n \n", "holds no texts"),
        (b"{}\n", "none of its 1 lines"),
    ],
)
def test_a_file_that_is_no_json_lines_is_one_error_and_replaces_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, says: str
) -> None:
    good = graded(tmp_path, SUM)[1]
    capsys.readouterr()
    (tmp_path / "texts.jsonl").write_bytes(content)
    assert main(["grade", str(tmp_path / "texts.jsonl")]) == 2
    error = capsys.readouterr().err.strip()
    assert says in error.split("\n")[-1]
    assert len(error.split("\n")) == (2 if "1 lines" in says else 1)
    assert json.loads((tmp_path / "texts.jsonl.verdicts.jsonl").read_text()) == good[0]
    assert not list(tmp_path.glob(".*.tmp"))


@pytest.mark.parametrize("there", [True, False])
def test_a_files_name_is_shown_on_one_line_without_control_characters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], there: bool
) -> None:
    path = tmp_path / "a\x1b[2J\nb.jsonl"
    if there:
        path.write_text(json.dumps(SUM) + "\n{}\n")
    assert main(["grade", str(path)]) == 2
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err
    assert "a\\x1b[2J\\nb.jsonl" in shown.err


def test_a_terminated_command_leaves_no_temporary_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "texts")
    command = [sys.executable, "-m", "runner", "grade", str(tmp_path / "texts"), "--out", str(tmp_path / "out")]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process, (tmp_path / "texts").open("w") as pipe:
        pipe.write((json.dumps(SUM) + "\n") * 1000)
        pipe.flush()
        while not list(tmp_path.glob(".out.*.tmp")):
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 128 + signal.SIGTERM
    assert [path.name for path in tmp_path.iterdir()] == ["texts"]
