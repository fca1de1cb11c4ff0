"""Whole runs that ask a provider: what they cost, batches, and what is refused before the first call."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from runner.config.compose import compose
from runner.engines.batch import Batch
from runner.engines.openai import OpenAIProvider
from runner.errors import EXIT_FAILED, EXIT_LATER, StorageError, UserError
from runner.experiment import run_point
from runner.pack import opened, packs_of
from runner.plan import shown_cost
from runner.point import Point, prepare
from runner.results.batch_journal import BatchJournal
from runner.results.record import Record, read_line, to_json
from runner.results.store import read
from runner.sampling.generation import Usage
from runner.spending import planned, spending_of
from tests.runner.engines.loopback import Answer, Call, Loopback, serving

KEY = "sk-a-secret-key"
BASE = ("model=gpt4o", "engine=openai", "tracking=off", "suite.tasks=[sum,mode]", "engine.backoff_s=0.001")
PRICES = "gpt-4o: {input: 10, cached_input: 1, output: 100, batch: 0.5, date: 2026-01-31, source: an example}\n"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def reply(tokens: int = 1000) -> dict[str, Any]:
    message = {"role": "assistant", "content": "\\boxed{1}"}
    usage = {"prompt_tokens": 1000, "completion_tokens": tokens, "total_tokens": 1000 + tokens,
             "prompt_tokens_details": {"cached_tokens": 500}}  # fmt: skip
    choices = [{"index": 0, "finish_reason": "stop", "message": message}]
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": choices, "usage": usage}


def point(outputs: Path, server: Loopback, *overrides: str) -> Point:
    return prepare(compose([*BASE, f"outputs={outputs}", f"engine.base_url={server.url}/v1", *overrides]))


def run(asked: Point) -> tuple[int, str]:
    console = Console(record=True, width=200, file=open("/dev/null", "w"))  # noqa: SIM115
    with opened(packs_of([asked])[0]) as source:
        code = run_point(asked, source, "command", console)
    return code, console.export_text()


def records(asked: Point) -> list[Record]:
    return list(read(asked.folder))


def test_a_run_ends_at_its_cost_says_so_and_goes_on_with_more(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(PRICES)
    sample = (500 * 10 + 500 * 1 + 1000 * 100) / 1e6  # $0.1055
    limits = ("engine.max_concurrency=1", "suite.samples=10", f"engine.prices={prices}")
    with serving(Answer(reply())) as server:
        asked = point(tmp_path, server, *limits, "engine.max_cost=0.5")
        assert shown_cost(planned(asked, 20).cost).startswith("about $")
        code, out = run(asked)
        assert code == EXIT_FAILED
        assert "engine.max_cost=0.5: the run has cost $0.4220" in out
        assert len(records(asked)) == len(server.calls) == 4
        assert run(asked)[0] == EXIT_FAILED  # what it cost before counts: nothing more is asked
        assert len(server.calls) == 4
        more = point(tmp_path, server, *limits, "engine.max_cost=5")
        assert (more.folder, run(more)[0]) == (asked.folder, 0)
    attempts = json.loads(asked.folder.run_json.read_text())["attempts"]
    assert sum(attempt["cost"] for attempt in attempts) == pytest.approx(20 * sample)
    assert KEY not in "".join(path.read_text() for path in asked.folder.path.glob("*.json*"))


def test_what_was_paid_counts_though_its_line_can_no_longer_be_read(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(PRICES)
    limits = ("engine.max_concurrency=1", "suite.samples=10", f"engine.prices={prices}", "engine.max_cost=0.5")
    with serving(Answer(reply())) as server:
        asked = point(tmp_path, server, *limits)
        assert run(asked)[0] == EXIT_FAILED
        first, *others = asked.folder.generations.read_bytes().split(b"\n")
        asked.folder.generations.write_bytes(b"\n".join([first[:-9], *others]))
        assert len(records(asked)) == 3
        assert spending_of(asked).spent == pytest.approx(4 * 0.1055)
        assert run(asked)[0] == EXIT_FAILED
        assert len(server.calls) == 4


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        ("engine.max_cost=1 engine.prices={twice}", "found duplicate key gpt-4o"),
        ("engine.max_cost=1", "conf/prices.yaml has no price of gpt-4o; write one"),
        ("engine.max_cost=1 engine.prices={bad}", "is no table of prices"),
        ("engine.base_url=http://me:secret@127.0.0.1:9/v1", "holds a user, a password or a query"),
        ("engine.base_url='http://127.0.0.1:9/v1?key=secret'", "holds a user, a password or a query"),
        ("engine.base_url=null model=claude_sonnet4", "it needs engine=anthropic"),
        ("engine.base_url=null model=thinker", "openai does not serve it; give engine.base_url"),
        ("engine.base_url=null model=o3", "takes no temperature and top_p for o3; use sampling=model_default"),
        ("engine.base_url=null sampling.top_k=5", "has no such field"),
        ("engine.base_url=null engine.continues=true", "OpenAI continues no text"),
        ("engine.api=responses engine.continues=true", "use engine.api=chat"),
        ("precision=bf16", "who serves the model decides"),
        ("model=thinker budget=thinking", "can't continue a text"),
        ("model=thinker budget=thinking engine.continues=true engine.batch=true", "a batch has one"),
        ("engine.batch=true shards=2", "use shards=1"),
        ("budget=native", "no cap on thinking of its own"),
        ("effort=low", "knows none of them"),
        ("engine.api_key_env=NOT_SET engine.base_url=null", "export NOT_SET=..."),
    ],
)
def test_what_a_provider_does_not_take_is_refused_before_the_first_call(
    overrides: str, says: str, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("gpt-4o: {input: free}")
    twice = tmp_path / "twice.yaml"
    twice.write_text(PRICES + PRICES.replace("100", "10"))
    given = [override.format(bad=bad, twice=twice) for override in overrides.split()]
    with pytest.raises(UserError, match=re.escape(says)):
        prepare(compose([*BASE, "engine.base_url=http://127.0.0.1:9/v1", *given]))


@pytest.mark.parametrize(
    "overrides",
    [
        "model=gpt4o",
        "model=o3 sampling=model_default effort=high",
        "model=gpt5 sampling=model_default engine.api=responses",
        "model=thinker engine.base_url=http://localhost:8000/v1",
        "model=thinker engine.base_url=http://localhost:8000/v1 engine.continues=true budget=thinking",
        "model=smollm2_135m engine.base_url=http://localhost:8000/v1 budget=hint",
    ],
)
def test_what_a_provider_takes_is_not_refused(overrides: str) -> None:
    assert prepare(compose([*BASE, *overrides.split()])).engine.name == "openai"


def test_a_url_is_part_of_what_a_run_is_and_speed_and_price_are_not(tmp_path: Path) -> None:
    def folder(*overrides: str) -> Path:
        return prepare(compose([*BASE, f"outputs={tmp_path}", *overrides])).folder.path

    assert folder("engine.max_concurrency=1", "engine.timeout_s=5.0", "engine.batch=true") == folder()
    assert folder("engine.base_url=http://localhost/v1") != folder()
    assert folder("engine.api=responses") != folder()


class BatchServer:
    """OpenAI's files and batches: a batch is done once somebody says so."""

    def __init__(self, answer: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
        self._answer = answer
        self.batches: list[dict[str, Any]] = []
        self.lines: list[dict[str, Any]] = []
        self.done = False
        self.fails = False
        self.refuses = False
        self.garbage = b""  # after the answers
        self.gone = False

    def __call__(self, call: Call) -> Answer:
        path = call.path.partition("?")[0]
        if path == "/v1/files" and call.method == "POST":
            found = re.findall(rb'^\{"custom_id".*\}$', call.body.replace(b"\r", b""), re.MULTILINE)
            self.lines = [json.loads(line) for line in found]
            return Answer({"id": "file-in", "object": "file"})
        if path == "/v1/files/file-out/content":
            if self.gone:
                return Answer({"error": {"message": "expired"}}, 404)
            return Answer("\n".join(json.dumps(self._answer(line)) for line in self.lines).encode() + self.garbage)
        if path == "/v1/batches" and call.method == "POST" and self.refuses:
            return Answer({"error": {"message": "no such endpoint"}}, 400)
        if path == "/v1/batches" and call.method == "POST":
            self.batches.append({"id": f"batch_{len(self.batches)}", "object": "batch", **call.body})
            return Answer(b"{", cut_after=0) if self.fails else Answer(self._shown(-1))
        if path == "/v1/batches":
            return Answer(
                {"object": "list", "data": [self._shown(n) for n in range(len(self.batches))], "has_more": False}
            )
        return Answer(self._shown(int(path.rpartition("_")[2])))

    def _shown(self, number: int) -> dict[str, Any]:
        done = {"status": "completed", "output_file_id": "file-out"} if self.done else {"status": "in_progress"}
        return {**self.batches[number], **done}


def good(line: Mapping[str, Any]) -> dict[str, Any]:
    return {"custom_id": line["custom_id"], "response": {"status_code": 200, "request_id": "r", "body": reply()}}


@pytest.fixture
def batches() -> Iterator[tuple[BatchServer, Loopback]]:
    script = BatchServer(good)
    with serving(script) as server:
        yield script, server


def test_a_batch_is_handed_in_once_and_collected_by_the_same_command(
    batches: tuple[BatchServer, Loopback], tmp_path: Path
) -> None:
    script, server = batches
    asked = point(tmp_path, server, "engine.batch=true", "suite.samples=3")
    code, out = run(asked)
    assert (code, len(script.lines)) == (EXIT_LATER, 6)
    assert "6 samples are under way in batch batch_0" in out
    assert run(asked)[0] == EXIT_LATER
    grown = point(tmp_path, server, "engine.batch=true", "suite.samples=4")
    assert run(grown)[0] == EXIT_LATER
    assert [len(script.batches), len(script.lines)] == [2, 2]  # the new samples alone
    script.done = True
    script.lines = [{"custom_id": f"{record}#0"} for record in _keys(grown)]
    assert run(grown)[0] == 0
    found = records(grown)
    assert [len(found), len(script.batches)] == [8, 2]
    assert {record.request_ids for record in found} == {("r",)}
    assert "nothing to generate" in run(grown)[1]
    journal = BatchJournal(grown.folder.batches)
    assert journal.open_batches() == []
    journal.close()


def _keys(asked: Point) -> list[str]:
    return [f"{problem.id}/{place.repeat}" for problem, place in asked.suite.places()]


def test_a_batch_whose_id_got_lost_is_found_again_and_not_handed_in_twice(
    batches: tuple[BatchServer, Loopback], tmp_path: Path
) -> None:
    script, server = batches
    asked = point(tmp_path, server, "engine.batch=true", "suite.samples=2")
    script.fails = True  # the provider takes it and its answer is lost
    assert run(asked)[0] == EXIT_FAILED
    script.fails = False
    assert run(asked)[0] == EXIT_LATER
    script.done = True
    assert (run(asked)[0], len(script.batches)) == (0, 1)


def test_a_batch_whose_journal_was_deleted_is_not_handed_in_again(
    batches: tuple[BatchServer, Loopback], tmp_path: Path
) -> None:
    script, server = batches
    asked = point(tmp_path, server, "engine.batch=true", "suite.samples=2")
    assert run(asked)[0] == EXIT_LATER
    for _ in range(2):  # also where the journal was deleted and made again
        asked.folder.batches.unlink(missing_ok=True)
        code, out = run(asked)
        assert (code, len(script.batches)) == (EXIT_LATER, 1)
        assert "the samples are under way in batch batch_0" in out
    assert run(asked)[0] == EXIT_LATER
    script.batches.append({**script.batches[0], "id": "batch_1", "metadata": {"thinkmeter": "another run's"}})
    script.done = True
    assert (run(asked)[0], len(records(asked)), len(script.batches)) == (0, 4, 2)


def test_what_lies_in_a_batch_is_not_asked_one_by_one(batches: tuple[BatchServer, Loopback], tmp_path: Path) -> None:
    _, server = batches
    assert run(point(tmp_path, server, "engine.batch=true", "suite.samples=2"))[0] == EXIT_LATER
    single = point(tmp_path, server, "suite.samples=2")
    with pytest.raises(UserError, match="has 1 open, whose samples would be paid twice"):
        run(single)
    assert records(single) == []


def test_a_provider_that_can_not_list_its_batches_is_not_paid_twice(
    batches: tuple[BatchServer, Loopback], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def batches_of(provider: OpenAIProvider, mark: str) -> dict[str, str]:
        raise LookupError

    script, server = batches
    monkeypatch.setattr(OpenAIProvider, "batches", batches_of)
    asked = point(tmp_path, server, "engine.batch=true", "suite.samples=2")
    assert run(asked)[0] == EXIT_LATER  # of a new run nothing can have got lost
    asked.folder.batches.unlink()
    code, out = run(asked)
    out = " ".join(out.split())
    assert (code, len(script.batches)) == (EXIT_FAILED, 1)
    line = re.search(r'its id, as the line (\{"token": "\w+", "id": )"…"\}', out)
    assert line is not None
    asked.folder.batches.write_text(f'{line[1]}"batch_0"}}\n')
    script.done = True
    assert (run(asked)[0], len(script.batches)) == (0, 1)


def test_a_batch_that_was_refused_for_certain_is_not_looked_for(
    batches: tuple[BatchServer, Loopback], tmp_path: Path
) -> None:
    script, server = batches
    asked = point(tmp_path, server, "engine.batch=true", "suite.samples=2")
    script.refuses = True
    code, out = run(asked)
    assert code == EXIT_FAILED
    assert "no such endpoint" in out
    journal = BatchJournal(asked.folder.batches)
    assert journal.open_batches() == []
    journal.close()


def test_a_line_that_can_not_be_read_costs_its_sample_and_not_the_batch(tmp_path: Path) -> None:
    def odd(line: Mapping[str, Any]) -> dict[str, Any]:
        number = int(line["custom_id"].split(":")[3])
        bodies = [{**reply(), "usage": [1]}, reply()]
        return {**good(line), "response": {"status_code": 200, "body": bodies[number]}} if number < 2 else good(line)

    script = BatchServer(odd)
    script.garbage = b'\n{"torn\n[1]\n\n'
    with serving(script) as server:
        asked = point(tmp_path, server, "engine.batch=true", "suite.samples=3")
        assert run(asked)[0] == EXIT_LATER
        script.done = True
        run(asked)
    found = [(record.status, record.failure and record.failure.kind) for record in records(asked)]
    assert sorted(found, key=str) == [("error", "bad_reply")] * 2 + [("ok", None)] * 4


def test_a_batch_that_is_gone_is_named_with_what_to_do(batches: tuple[BatchServer, Loopback], tmp_path: Path) -> None:
    script, server = batches
    asked = point(tmp_path, server, "engine.batch=true", "suite.samples=2")
    assert run(asked)[0] == EXIT_LATER
    script.done = script.gone = True
    code, out = run(asked)
    assert code == EXIT_FAILED
    out = " ".join(out.split())
    assert "batch batch_0 or its answers are not there for this key" in out
    (token,) = re.findall(r'add the line \{"token": "([\w-]+)", "closed": "not there"\}', out)
    run(asked)
    assert len(script.batches) == 1  # not before somebody says so
    with asked.folder.batches.open("a") as journal:
        journal.write(json.dumps({"token": token, "closed": "not there"}) + "\n")
    script.gone = script.done = False
    assert (run(asked)[0], len(script.batches)) == (EXIT_LATER, 2)


def test_what_failed_within_a_batch_is_an_error_and_goes_into_the_next_one(
    batches: tuple[BatchServer, Loopback], tmp_path: Path
) -> None:
    script, server = batches
    asked = point(tmp_path, server, "engine.batch=true", "suite.samples=1")
    run(asked)
    script.done, lines = True, script.lines
    script.lines = lines[:1]  # the other one expired
    assert run(asked)[0] == EXIT_FAILED
    assert sorted(record.status for record in records(asked)) == ["error", "ok"]
    assert run(asked)[0] == EXIT_LATER
    assert [line["custom_id"] for line in script.lines] == [lines[1]["custom_id"]]


def test_a_torn_line_of_a_journal_counts_as_not_written(tmp_path: Path) -> None:
    path = tmp_path / "batches.jsonl"
    journal = BatchJournal(path)
    journal.begin("a", ["x", "y"])
    journal.name("a", "batch_0")
    journal.begin("b", ["z"])
    journal.close()
    path.write_bytes(path.read_bytes()[:-3])
    journal = BatchJournal(path)
    journal.begin("c", ["z"])
    assert journal.open_batches() == [Batch("a", frozenset("xy"), "batch_0"), Batch("c", frozenset("z"), None)]
    journal.close()
    path.write_text("no JSON\n")
    with pytest.raises(UserError, match="line 1"):
        BatchJournal(path).open_batches()


def test_a_journal_that_does_not_reach_the_disk_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    refused = pytest.raises(StorageError, match=r"batches\.jsonl: No space left")
    with closing(BatchJournal(tmp_path / "batches.jsonl")) as journal, refused:
        journal.begin("a", ["x"])


def test_a_line_of_an_earlier_version_has_no_ids_of_requests_and_no_cached_tokens(tmp_path: Path) -> None:
    with serving(Answer(reply())) as server:
        asked = point(tmp_path, server, "suite.samples=1")
        run(asked)
    (first, *_) = records(asked)
    plain = json.loads(to_json(first))
    for name in ("cached", "resent"):
        del plain["usage"][name]
    del plain["request_ids"]
    before, _ = read_line(json.dumps(plain))
    assert (before.request_ids, before.usage.cached) == ((), 0)
    assert isinstance(before.usage, Usage)
