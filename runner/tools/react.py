"""ReAct: a model calls tools in plain text, and reads what they gave back as the next line of its own turn.

``Thought: … Action: … Action Input: …``, then the program writes ``Observation: …``, until a text without an action is
the answer. Source of the form: Yao et al., "ReAct: Synergizing Reasoning and Acting in Language Models" (2023).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bench.text_calls import take_tool_calls
from runner.tools.protocol import ToolSpec
from runner.tools.reading import ReadCall, Reading, read_call

# End the text of a model that does not think, before it makes up a result, or a question behind its answer. A stop
# string never fires inside thinking, so the text of a model that thinks is cut by us.
STOPS = ("\nObservation:", "\nQuestion:")

_INSTRUCTIONS = """Answer the question with the help of these tools:
{tools}

Write a Thought, the Action (the name of a tool) and the Action Input (what the tool is given), and stop. You are then \
told the Observation, which is the result of the tool. This can repeat up to {turns} times. Once you know the answer, \
write it as the Final Answer, in the form that the question asks for.

{examples}Question: """
_EXAMPLE = """Question: {question}
Thought: {thought}
Action: {name}
Action Input: {given}
Observation: {result}
Thought: I know the answer.
Final Answer: {result}

"""
# Question, thought, input and result of an example, by what the tool is given.
_EXAMPLES = {
    "expression": ("What is 17 * 23?", "I multiply the numbers.", "17 * 23", "391"),
    "code": (
        "How many of the integers from 5 to 800 are divisible by 7?",
        "I count them with a program.",
        "print(sum(1 for n in range(5, 801) if n % 7 == 0))",
        "114",
    ),
}

_LABEL = re.compile(
    r"^[ \t>*_#`-]{0,8}(thought|action[ _-]?input|action|observation|final[ _-]?answer)[*_`]{0,3}[ \t]{0,4}:[*_`]{0,3}",
    re.IGNORECASE | re.MULTILINE,
)
# More labels than that in one text are a loop; only the first call is made anyway.
_MOST_LABELS = 64
_FENCE = re.compile(r"```[\w+-]{0,20}[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_INLINE = re.compile(r"([\w .-]{1,64}?)\s*([(\[])(.*)[)\]]\s*\Z", re.DOTALL)
# A JSON object of arguments; where it can't be read it is no expression and no code.
_BROKEN = re.compile(r"\s*\{\s*[\"'](?:expression|code|input)[\"']\s*:")
_NO_TOOL = frozenset(
    {"none", "no tool", "no tool needed", "n/a", "na", "nothing", "finish", "final answer", "stop", ""}
)
_OBJECT_KEYS = ({"action", "action_input"}, {"name", "arguments"})  # of a call written as a JSON object
_LONGEST_LITERAL = 2_000  # characters of a Python literal that is read


@dataclass(frozen=True, slots=True)
class _Label:
    kind: str
    start: int
    end: int


def instructions(specs: Sequence[ToolSpec], turns: int) -> str:
    """Return what stands before a question: the tools, how to call one, and an example of each kind."""
    first = {spec.argument: spec.name for spec in reversed(specs)}
    shown = [_example(spec.name, spec.argument) for spec in specs if first[spec.argument] == spec.name]
    return _INSTRUCTIONS.format(
        tools="\n".join(f"- {spec.name}: {spec.description} Input: {spec.meaning}" for spec in specs),
        turns=turns,
        examples="".join(shown),
    )


def _example(name: str, argument: str) -> str:
    question, thought, given, result = _EXAMPLES[argument]
    return _EXAMPLE.format(question=question, thought=thought, name=name, given=given, result=result)


def observation(before: str, result: str) -> str:
    """Return what is forced behind a model's text: a result, and where the model goes on.

    Args:
        before: The model's text.
        result: What the tool gave back.
    """
    return f"{'' if before.endswith(chr(10)) else chr(10)}Observation: {result}\nThought:"


def read_react(text: str, specs: Sequence[ToolSpec]) -> Reading:
    """Return the first call of a text, or none for an answer. Never raises; linear in the length.

    Understood as slips are: labels in any case and in Markdown, code fences, JSON or bare arguments, one line for both
    (``calculator(1 + 1)``), a JSON object with ``action`` and ``action_input``, the marks of native calls, several
    actions (the first is made), and an observation or an answer made up behind the call (cut off).

    Args:
        text: The model's, with blanks in the place of thinking that counts for no call.
        specs: The tools.
    """
    labels = _labels(text)
    place = next((place for place, label in enumerate(labels) if label.kind in ("action", "finalanswer")), None)
    if place is None or labels[place].kind == "finalanswer":
        return Reading() if place is not None else _unlabelled(text, specs)
    written, end = _part(text, labels, place)
    slips = ["form"] if text[labels[place].start : labels[place].end] != "Action:" else []
    if _is_none(written):
        return Reading()
    following = labels[place + 1] if place + 1 < len(labels) else None
    if following is not None and following.kind == "actioninput":
        given, end = _part(text, labels, place + 1)
        call, used = _with_input(written, given, specs)
        end = following.end + used if used is not None else end
    else:
        call, slips = _without_input(written, specs), [*slips, "no_action_input"]
    kept, more = _cut(text, end, labels)
    return Reading((call,), kept, tuple(dict.fromkeys([*slips, *more])))


def _labels(text: str) -> list[_Label]:
    found = []
    for match in _LABEL.finditer(text):
        found.append(_Label(re.sub(r"[ _-]", "", match[1].lower()), match.start(), match.end()))
        if len(found) == _MOST_LABELS:
            break
    return found


def _part(text: str, labels: Sequence[_Label], place: int) -> tuple[str, int]:
    """Return what stands behind a label up to the next one, and where it ends."""
    end = labels[place + 1].start if place + 1 < len(labels) else len(text)
    return text[labels[place].end : end], end


def _cut(text: str, end: int, labels: Sequence[_Label]) -> tuple[int | None, list[str]]:
    """Return how much of a text is kept whose call ends at ``end``, and what was written behind it."""
    if not text[end:].strip():
        return None, []
    behind = {label.kind for label in labels if label.start >= end}
    slips = ["made_up_observation"] if behind & {"observation", "finalanswer"} else []
    slips += ["several_actions"] if "action" in behind else []
    return len(text[:end].rstrip()), slips or ["went_on"]


def _is_none(written: str) -> bool:
    return written.strip().strip("*_`'\"[]().").strip().lower() in _NO_TOOL


def _with_input(written: str, given: str, specs: Sequence[ToolSpec]) -> tuple[ReadCall, int | None]:
    """Return the call with its input, and how many characters of ``given`` that is, None for all."""
    name = written.strip().partition("\n")[0]
    fence = _FENCE.search(given)
    if fence is not None:
        return _called(name, fence[1], specs), fence.end()
    if isinstance(_value(given), dict) or "\n" not in given.strip() or _takes_code(name, specs):
        return _called(name, given, specs), None
    # An expression is a line, and what follows it is talk; code may have any number of lines.
    first = given.lstrip().partition("\n")[0]
    return _called(name, first, specs), len(given) - len(given.lstrip()) + len(first)


def _without_input(written: str, specs: Sequence[ToolSpec]) -> ReadCall:
    """Return the call of an action that brings its input along, or the fault that it has none."""
    value = _value(written)
    if isinstance(value, dict):
        return _object_call(value, specs)
    name, _, rest = written.strip().partition("\n")
    fence = _FENCE.search(rest)
    if fence is not None or rest.strip():
        return _called(name, rest.strip() if fence is None else fence[1], specs)
    inline = _INLINE.match(name)
    if inline is not None and inline[3].strip():
        return _called(inline[1], inline[3].removeprefix("code=").removeprefix("expression="), specs)
    return read_call(specs, name, None)


def _unlabelled(text: str, specs: Sequence[ToolSpec]) -> Reading:
    """Return the call of a text without labels that is a JSON object, or that is marked as native calls are."""
    native, _ = take_tool_calls(text)
    if native:
        call = native[0]
        return Reading((read_call(specs, call.name, dict(call.arguments) or None),), slips=("native_form",))
    start = text.find("{")
    value = _value(text[start:]) if start >= 0 else None
    if not isinstance(value, dict) or not any(keys <= value.keys() for keys in _OBJECT_KEYS):
        return Reading()
    if _is_none(str(value.get("action", value.get("name")))):
        return Reading()
    return Reading((_object_call(value, specs),), slips=("json_form",))


def _object_call(value: dict[str, object], specs: Sequence[ToolSpec]) -> ReadCall:
    name = value.get("action", value.get("name", value.get("tool", "")))
    arguments = value.get("action_input", value.get("arguments", value.get("input")))
    return read_call(specs, name if isinstance(name, str) else "", arguments)


def _called(name: str, given: str, specs: Sequence[ToolSpec]) -> ReadCall:
    """Return the call of a tool with an input as it was written: a JSON object, a quoted text, or the text itself."""
    value = _value(given)
    if value is None and not _BROKEN.match(given):
        # The indentation of code counts, but for what stands between a label and its text.
        value = given.strip("\n").rstrip() if given.startswith("\n") else given.strip()
        quoted = isinstance(value, str) and len(value) > 2 and value[0] == value[-1] == "`" and "`" not in value[1:-1]
        value = value[1:-1] if quoted else value
    return read_call(specs, name, value)


def _takes_code(name: str, specs: Sequence[ToolSpec]) -> bool:
    asked = read_call(specs, name, "x")
    return asked.fault is None and "code" in asked.arguments


def _value(written: str) -> object:
    """Return the mapping or the quoted text that is written, in JSON or as Python writes it; None for anything else."""
    bare = written.strip()
    fence = _FENCE.match(bare)
    bare = fence[1].strip() if fence is not None else bare
    if bare[:1] not in ("{", '"', "'"):
        return None
    try:
        value, end = _DECODER.raw_decode(bare)
    except (ValueError, RecursionError):
        return _literal(bare)
    if isinstance(value, dict):
        return value
    return value if not bare[end:].strip() else None


def _literal(bare: str) -> object:
    if len(bare) > _LONGEST_LITERAL:
        return None
    try:
        value = ast.literal_eval(bare)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, dict | str) else None


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, strict=False)  # lines of code in a text
