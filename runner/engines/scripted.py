"""An engine that plays a part, for tests and demonstrations: real queue, invented text, one token a character.

It is told the problem behind each request and writes a response of the asked kind: right or wrong, with or
without thinking, endless, failing or odd. Everything is drawn from (seed, request key), so the same run
gives the same texts in any order. Its results say nothing about any model.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import takewhile
from typing import ClassVar

from bench.problem import AnswerKind, Gold, Problem, write_gold
from bench.seeding import Stream
from runner.config.fingerprint import SCRIPT
from runner.config.scripted import Slip
from runner.config.settings import ModelSettings, ScriptedSettings
from runner.engines.base import EngineCapabilities, EngineDied, LoadedModel
from runner.engines.markers import opens_thinking
from runner.engines.scripted_prose import around, chance, prose, rechecked
from runner.engines.scripted_tools import calls_made, has_tools, most_calls, played_call, slip_of, written_prompt
from runner.engines.writing import Rendered, cap_of, without_room
from runner.sampling.generation import Boundary, FinishReason, Generation, Usage, failed
from runner.sampling.request import Request, SamplingParams

END_ID = 0x110000  # one past the last code point, so that it is no character
_DEFAULT_CONTEXT = 8192
_TOKENS_A_STEP = 32
_ODD_TEXT = "\u2028\u0085\x00\ud800\r\n"


class ScriptedEngine:
    """See the module's text.

    Args:
        model: Gives the thinking markers and the context.
        settings: The part to play.
        problem_of: Returns the problem with this id.
    """

    # Its texts come from the seed alone, so any noise is as good to it.
    capabilities = EngineCapabilities(
        continues=True,
        token_ids=True,
        seeds=True,
        stop_strings=False,
        local=True,
        continues_draws=True,
        counter_noise=True,
        thinking_cap=True,
        native_tools=True,
    )

    _has_died: ClassVar[bool] = False  # in this process; the engine built in its place lives on

    def __init__(self, model: ModelSettings, settings: ScriptedSettings, problem_of: Callable[[str], Problem]) -> None:
        self._model = model
        self._settings = settings
        self._problem_of = problem_of
        self._context = model.context or _DEFAULT_CONTEXT
        self._due: list[tuple[int, int, Generation]] = []  # (step it ends at, submission number, result)
        self._cancelled: set[str] = set()
        self._keys: set[str] = set()
        self._step = 0
        self._submitted = 0
        self.window = settings.window
        self.default_sampling = SamplingParams()
        self.loaded = LoadedModel("scripted", _script(model, settings), 0, "none", "none", "none", self._context, {})

    takes_tools = True  # as many a model's chat template does

    @property
    def writer(self) -> ScriptedEngine:
        return self

    @property
    def in_flight(self) -> int:
        return len(self._keys)

    def submit(self, request: Request) -> None:
        self._submitted += 1
        if self._submitted == self._settings.die_at and not ScriptedEngine._has_died:
            ScriptedEngine._has_died = True
            raise EngineDied(f"the script says: die at request {self._settings.die_at}")
        generation = self._play(request)
        steps = 1 + generation.usage.output // _TOKENS_A_STEP
        self._keys.add(request.key)
        heapq.heappush(self._due, (self._step + steps, self._submitted, generation))

    def poll(self, timeout_s: float) -> list[Generation]:
        if not self._due:
            return []
        if self._settings.step_s:
            time.sleep(self._settings.step_s)
            self._step += 1
        else:
            self._step = max(self._step + 1, self._due[0][0])
        finished = []
        while self._due and self._due[0][0] <= self._step:
            generation = heapq.heappop(self._due)[2]
            if generation.key in self._cancelled:
                self._cancelled.remove(generation.key)
            else:
                self._keys.remove(generation.key)
                finished.append(generation)
        return finished

    def cancel(self, key: str) -> None:
        if key in self._keys:
            self._keys.remove(key)
            self._cancelled.add(key)

    def close(self) -> None:
        self._due.clear()
        self._keys.clear()

    def render(self, request: Request) -> Rendered | Generation:
        """Return the request as ids, or the generation that says why it can't be asked."""
        prompt = written_prompt(request)
        prefix = "".join(segment.text for segment in request.prefix)
        room = self._context - len(prompt) - len(prefix)
        cap = cap_of(request, room, 0 if request.reserve is None else len(request.reserve.text))
        if cap < 1:
            return without_room(request, room, self._context)
        return Rendered(
            prompt_ids=tuple(map(ord, prompt)),
            prefix_ids=tuple(map(ord, prefix)),
            prompt_tail=prompt[-64:],
            prompt_sha256=hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest(),
            injected=sum(len(segment.text) for segment in request.prefix if segment.injected),
            max_new_tokens=cap,
            thinking_open=self._model.thinking is not None and opens_thinking(prefix, self._model.thinking),
            tool=sum(len(message.content) for message in request.messages if message.role == "tool"),
        )

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids; the end token has none."""
        return "".join(chr(token) for token in ids if token != END_ID)

    def generation(
        self,
        request: Request,
        rendered: Rendered,
        new_ids: Sequence[int],
        finish_reason: FinishReason,
        latency_s: float,
    ) -> Generation:
        """Return what is handed out for ``new_ids``."""
        text = self.decode(new_ids)
        prefix = "".join(map(chr, rendered.prefix_ids))
        return Generation(
            key=request.key,
            text=text,
            finish_reason=finish_reason,
            usage=self._usage(rendered, prefix, text, len(new_ids)),
            token_ids=tuple(new_ids),
            latency_s=latency_s,
            max_tokens=rendered.max_new_tokens,
            prompt_sha256=rendered.prompt_sha256,
            prompt_tail=rendered.prompt_tail,
        )

    def _play(self, request: Request) -> Generation:
        sample_key, _, turn = request.key.rpartition("#")
        problem_id, _, _ = sample_key.rpartition("/")
        stream = Stream("scripted", request.seed, sample_key)
        if chance(stream, self._settings.fail):
            return failed(request.key, Boundary.ENGINE, "scripted", "the script says: fail")
        rendered = self.render(request)
        if isinstance(rendered, Generation):
            return rendered
        calls, made = chance(stream, self._settings.tool_calls), calls_made(request)
        slip = slip_of(self._settings, sample_key)
        thought, said, ends = self._script(self._problem_of(problem_id), stream, slip if made else None)
        if has_tools(request) and ((calls and turn == "0") or 0 < made < most_calls(self._settings, slip)):
            return self._call(request, rendered, slip, "" if request.prefix else thought)
        if request.thinking_cap is not None and thought:
            thought, said = self._capped(thought, request.thinking_cap), said or prose(stream, self._context)
        whole, prefix = thought + said, "".join(segment.text for segment in request.prefix)
        text = whole.removeprefix(prefix) if whole.startswith(prefix) else said.removeprefix(_own_text(request))
        return self._cut(request, rendered, text, ends)

    def _call(self, request: Request, rendered: Rendered, slip: Slip, thought: str) -> Generation:
        """Return a turn that calls a tool."""
        problem = self._problem_of(request.key.rpartition("#")[0].rpartition("/")[0])
        played = played_call(request, problem, self._settings.call_form, slip, thought)
        written = self._cut(request, rendered, played.text, ends=True)
        if not played.calls or written.finish_reason is not FinishReason.STOP:
            return written
        return replace(written, tool_calls=played.calls, finish_reason=FinishReason.TOOL_CALLS)

    def _capped(self, thought: str, cap: int) -> str:
        """Return the thinking, closed at the cap where it is longer."""
        assert self._model.thinking is not None
        opening, closing = self._model.thinking.open, self._model.thinking.close
        body, closed, _ = thought.removeprefix(opening).partition(closing)
        return thought if closed and len(body) <= cap else f"{opening}{body[:cap]}{closing}\n\n"

    def _script(self, problem: Problem, stream: Stream, slip: Slip | None) -> tuple[str, str, bool]:
        """Return the thinking with its markers, the visible text, and whether it ends by itself.

        Args:
            problem: What is asked.
            stream: What is drawn from.
            slip: What went wrong with the calls; None where no tool's result was read.
        """
        overruns = chance(stream, self._settings.overrun)
        odd = _ODD_TEXT if chance(stream, self._settings.odd_bytes) else ""
        thought = ""
        if self._settings.thinking_tokens and self._model.thinking is not None:
            markers = self._model.thinking
            if overruns:
                return f"{markers.open}{odd}{prose(stream, self._context)}", "", False
            text = prose(stream, around(stream, self._settings.thinking_tokens))
            text += "".join(map(rechecked, range(self._settings.rechecks)))
            thought = f"{markers.open}{odd}{text}{markers.close}\n\n"
        if overruns:
            return thought, odd + prose(stream, self._context), False
        text = prose(stream, around(stream, self._settings.answer_tokens))
        return thought, f"{odd}{text} {self._answer(problem, stream, slip)}", True

    def _answer(self, problem: Problem, stream: Stream, slip: Slip | None) -> str:
        right = chance(stream, self._accuracy(problem, slip is not None)) and slip not in ("ignored", "wrong_logic")
        if "script" in problem.facts:  # see runner.asking.Ask
            return f"\n{problem.facts['script' if right else 'script_wrong']}"
        value = write_gold(problem.gold if right else wrong_answer(problem))
        if chance(stream, self._settings.unboxed):
            return f"I would say {value}"
        return f"\\boxed{{{value}}}"

    def _accuracy(self, problem: Problem, with_tools: bool) -> float:
        """Return how likely a right answer to this problem is."""
        if with_tools and self._settings.accuracy_with_tools is not None:
            return self._settings.accuracy_with_tools
        negative = isinstance(problem.gold, int | Fraction) and problem.gold < 0
        if negative and self._settings.negative_accuracy is not None:
            return self._settings.negative_accuracy
        return self._settings.task_accuracy.get(problem.task, self._settings.accuracy)

    def _cut(self, request: Request, rendered: Rendered, text: str, ends: bool) -> Generation:
        cap = rendered.max_new_tokens
        whole = ends and len(text) + 1 <= cap
        ids = (*map(ord, text), END_ID) if whole else tuple(map(ord, text[:cap]))
        return self.generation(request, rendered, ids, FinishReason.STOP if whole else FinishReason.LENGTH, 0.0)

    def _usage(self, rendered: Rendered, prefix: str, text: str, output: int) -> Usage:
        thinking = markers = 0
        if self._model.thinking is not None:
            opening, closing = self._model.thinking.open, self._model.thinking.close
            whole = prefix + text
            if opening in whole:
                start = whole.index(opening) + len(opening)
                end = whole.find(closing, start)
                inside = len(whole) if end < 0 else end
                thinking = max(0, inside - max(start, len(prefix)))
                markers = (len(opening) if not prefix else 0) + (len(closing) if end >= len(prefix) else 0)
        answer = output - thinking - markers
        return Usage(len(rendered.prompt_ids), thinking, answer, output, rendered.injected, tool=rendered.tool)


def wrong_answer(problem: Problem) -> Gold:
    """Return an answer of the right kind that is not the gold."""
    gold = problem.gold
    if problem.answer_kind is AnswerKind.RELATION:
        return "<" if gold == ">" else ">"
    if isinstance(gold, tuple):
        return (*gold, gold[-1] + 1)
    if isinstance(gold, int | Fraction):
        return gold + 7
    if problem.answer_kind is AnswerKind.CHOICE:
        return "A" if gold != "A" else "B"
    if problem.answer_kind is AnswerKind.EXPRESSION:
        return f"{gold} + 7"
    return gold[: len(gold) // 2] or "none"  # half a plan, half a list


def _script(model: ModelSettings, settings: ScriptedSettings) -> str:
    """Return the name of the part: engines with the same one write the same texts."""
    part = [settings.model_dump(mode="json", include=SCRIPT), model.model_dump(mode="json", include={"thinking"})]
    return "script-" + hashlib.sha256(json.dumps(part, sort_keys=True).encode("ascii")).hexdigest()[:8]


def _own_text(request: Request) -> str:
    """Return what was said since the last forced text."""
    own = takewhile(lambda segment: not segment.injected, reversed(request.prefix))
    return "".join(reversed([segment.text for segment in own]))
