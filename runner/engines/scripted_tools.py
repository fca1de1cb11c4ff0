"""How the scripted engine calls tools: every form of call, and every slip that models make."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fractions import Fraction

from bench.problem import Problem, write_gold
from bench.seeding import Stream
from runner.config.scripted import CallForm, ScriptedSettings, Slip
from runner.sampling.request import Message, ModelCall, Request
from runner.tools.protocol import SPECS, ToolSpec

_AGAIN = 4  # times that a call is made whose slip is to come again
_NAMED = re.compile(r"^Answer the question with the help of these tools:\n- (\w+):", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PlayedCall:
    """A turn that calls a tool.

    Attributes:
        text: What is written.
        calls: Calls that are reported apart from the text, as providers do.
    """

    text: str
    calls: tuple[ModelCall, ...] = ()


def slip_of(settings: ScriptedSettings, sample_key: str) -> Slip:
    """Return what goes wrong with a sample's calls; the same for all its turns."""
    slips = Stream("scripted slip", sample_key).below(1_000_000) < settings.slips * 1_000_000
    return settings.slip if slips else "none"


def most_calls(settings: ScriptedSettings, slip: Slip) -> int:
    """Return how many calls a sample makes that calls at all."""
    return _AGAIN if slip == "again" else settings.calls


def calls_made(request: Request) -> int:
    """Return how many results of tools stand in a request."""
    forced = sum("Observation:" in segment.text for segment in request.prefix if segment.injected)
    told = [message for message in request.messages if message.role == "tool" or _is_result(message)]
    return forced + len(told)


def has_tools(request: Request) -> bool:
    """Tell whether a request offers tools, in whichever way."""
    return _offered(request) is not None


def played_call(request: Request, problem: Problem, form: CallForm, slip: Slip, thought: str) -> PlayedCall:
    """Return the turn that calls a tool to work out the problem's answer.

    Args:
        request: What is asked; says which tools there are, and how they are told.
        problem: The problem behind it.
        form: How native calls are written.
        slip: What goes wrong.
        thought: Thinking that stands before the call, its markers included, as far as there is some.
    """
    spec = _offered(request)
    assert spec is not None  # see has_tools
    given = _given(problem, spec, slip, calls_made(request))
    if request.tools:
        return _native(request, spec, given, form, slip, thought)
    call = _react(spec.name, given, slip)
    if slip == "in_thinking":
        return PlayedCall(_inside(thought, call))
    return PlayedCall(thought + call)


def written_prompt(request: Request) -> str:
    """Return what a model is told as one text: tools, messages and their calls."""
    lines = [f"tool: {spec.name}" for spec in request.tools]
    for message in request.messages:
        lines += [message.content, *(f"{call.name}({call.arguments})" for call in message.calls)]
    return "\n".join(lines)


def _is_result(message: Message) -> bool:
    return message.role == "user" and message.content.startswith("Observation:")


def _offered(request: Request) -> ToolSpec | None:
    if request.tools:
        return request.tools[0]
    named = _NAMED.search(written_prompt(request))
    return SPECS.get(named[1]) if named is not None else None


def _given(problem: Problem, spec: ToolSpec, slip: Slip, made: int) -> str:
    """Return what the tool is given: arithmetic that gives the answer where that is a number."""
    gold, number = problem.gold, "1"
    if isinstance(gold, int | Fraction) and not isinstance(gold, bool):
        number = write_gold(gold + 7 if slip == "wrong_logic" else gold)
    if slip == "fails":
        return "1 / 0" if spec.argument == "expression" else "print(1 / 0)"
    expression = f"{number} + 0" if slip == "again" else f"{number} + {made} - {made}"
    return expression if spec.argument == "expression" else f"value = {expression}\nprint(value)"


def _react(name: str, given: str, slip: Slip) -> str:
    """Return a call as ReAct text."""
    whole = f"Thought: a tool can do this.\nAction: {name}\nAction Input: {given}"
    forms = {
        "fence": f"Action: {name}\nAction Input:\n```python\n{given}\n```",
        "json": f"Action: {name}\nAction Input: {json.dumps({'input': given})}",
        "broken": f'Action: {name}\nAction Input: {{"input": "{given}',
        "inline": f"Action: {name}({given})",
        "lower_case": f"thought: a tool can do this.\naction: {name.upper()}\naction input: {given}",
        "no_input": f"Action: {name}\n",
        "unknown_tool": f"Action: search\nAction Input: {given}",
        "several": f"{whole}\nAction: {name}\nAction Input: 1 + 1\n",
        "made_up": f"{whole}\nObservation: 1000003\nFinal Answer: \\boxed{{1000003}}",
    }
    return forms.get(slip, whole + "\n")


def _native(request: Request, spec: ToolSpec, given: str, form: CallForm, slip: Slip, thought: str) -> PlayedCall:
    """Return a call in a family's own form, or a provider's."""
    name = "search" if slip == "unknown_tool" else spec.name
    arguments: dict[str, str] = {} if slip == "no_input" else {spec.argument: given}
    if form == "structured":
        text = json.dumps(arguments)
        made = ModelCall(f"call_{calls_made(request)}", name, text[:-2] if slip == "broken" else text)
        return PlayedCall(thought, (made,) * (2 if slip == "several" else 1))
    call = _marked(name, arguments, form, broken=slip == "broken")
    if slip == "in_thinking":
        return PlayedCall(_inside(thought, call))
    return PlayedCall(thought + (f"{call}\n{call}" if slip == "several" else call))


def _marked(name: str, arguments: dict[str, str], form: CallForm, *, broken: bool) -> str:
    body = json.dumps({"name": name, "arguments": arguments})
    body = body[:-3] if broken else body
    if form == "llama":
        return f"<|python_tag|>{body.replace('arguments', 'parameters')}"
    if form == "bare":
        return body
    if form == "mistral":
        return f"[TOOL_CALLS][{body}]"
    return f"<tool_call>\n{body}\n</tool_call>"


def _inside(thought: str, call: str) -> str:
    """Return thinking that stops behind a call, before its closing marker."""
    opening, marked, _ = thought.partition(">")
    return f"{opening}{marked}I call a tool.\n{call}" if marked else call
