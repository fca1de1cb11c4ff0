"""Google's generateContent: what a request becomes, and what a reply is worth; needs no client library."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench.message import split_message
from bench.message_usage import TokenCounts, read_usage
from runner.config.api import GoogleSettings
from runner.config.model import ModelSettings
from runner.engines.faults import BadReply, UnfitServer
from runner.engines.reply import Part, marked_text, usage_of
from runner.sampling.generation import FinishReason, Generation, Usage
from runner.sampling.request import Message, ModelCall, Request, SamplingParams

_MOST_SEED = 2**31 - 1  # the API's seeds have 32 bits, with a sign

_FINISH = {
    "STOP": FinishReason.STOP,
    "MALFORMED_FUNCTION_CALL": FinishReason.STOP,  # the model's own slip, as a wrong text would be
    "UNEXPECTED_TOOL_CALL": FinishReason.STOP,
    **dict.fromkeys(
        ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "ESCALATION", "MODEL_ARMOR"),
        FinishReason.REFUSED,
    ),
}
_NO_ACCOUNT = "PUP_LIMITED_DISABLED"  # the account is closed, whatever is asked
_TOO_LONG = re.compile(r"input token count.*exceeds", re.IGNORECASE)
# The places of a field in the body, as the API names a field that it refuses.
_FIELD = re.compile(r"generation_?config|thinking|temperature|top_?[pk]|max_?output_?tokens|seed", re.IGNORECASE)


def contents_of(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the chat; the results of all calls of a turn stand together."""
    known = _ids(messages)
    contents: list[dict[str, Any]] = []
    after_result = False
    for message in messages:
        if message.role == "system":
            continue
        is_result = message.role == "tool"
        if is_result and after_result:
            contents[-1]["parts"].append(_result(message, known))
        elif is_result:
            contents.append({"role": "user", "parts": [_result(message, known)]})
        else:
            contents.append(_content(message))
        after_result = is_result
    return contents


def _ids(messages: Sequence[Message]) -> frozenset[str]:
    """Return the ids that the API itself gave to calls; it takes no others."""
    turns = [json.loads(message.raw) for message in messages if message.raw]
    calls = [part.get("functionCall") or {} for turn in turns for part in turn.get("parts") or ()]
    return frozenset(call["id"] for call in calls if call.get("id"))


def _result(message: Message, known: frozenset[str]) -> dict[str, Any]:
    response: dict[str, Any] = {"name": message.name, "response": {"output": message.content}}
    if message.call_id in known:
        response["id"] = message.call_id
    return {"functionResponse": response}


def _content(message: Message) -> dict[str, Any]:
    """Return a turn; one of the model's as it came, since its thoughts are signed."""
    if message.raw:
        content: dict[str, Any] = json.loads(message.raw)
        return content
    said = [{"text": message.content}] if message.content or not message.calls else []
    calls = [{"functionCall": {"name": call.name, "args": _arguments(call)}} for call in message.calls]
    return {"role": "model" if message.role == "assistant" else "user", "parts": [*said, *calls]}


def _arguments(call: ModelCall) -> dict[str, Any]:
    """Return the arguments of a call; a text that is no JSON object, which the API does not take, under one name."""
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        arguments = None
    return arguments if isinstance(arguments, dict) else {"text": call.arguments}


def config_of(request: Request, model: ModelSettings, settings: GoogleSettings) -> dict[str, Any]:
    """Return all of a call but the chat, by the API's names, flat as the client library has it.

    Args:
        request: What is asked. Its template options are fields of the body of a call, e.g.
            ``{"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}}``.
        model: Who is asked; thinking is spoken of only to a model that thinks, since others refuse the word.
        settings: Say whether summaries of the thinking are wanted.
    """
    config: dict[str, Any] = dict(_sampling(request.sampling))
    config["seed"] = request.seed & _MOST_SEED
    config |= sent_config(request.template_options)
    if request.max_tokens is not None:
        config["maxOutputTokens"] = request.max_tokens
    if request.stop:
        config["stopSequences"] = list(request.stop)
    if system := "\n\n".join(message.content for message in request.messages if message.role == "system"):
        config["systemInstruction"] = system
    if request.tools:
        declared = [
            {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.schema}
            for tool in request.tools
        ]
        config["tools"] = [{"functionDeclarations": declared}]
    if thinking := _thinking(config.get("thinkingConfig") or {}, request.thinking_cap, model, settings):
        config["thinkingConfig"] = thinking
    return config


def sent_config(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an effort sends, flat as the client library has it."""
    return {name: value for name, value in options.items() if name != "generationConfig"} | dict(
        options.get("generationConfig") or {}
    )


def _sampling(sampling: SamplingParams) -> Iterator[tuple[str, float]]:
    """Yield the sampling parameters; all are sent, since what the API does untold differs by model."""
    yield "temperature", sampling.temperature
    yield "topP", sampling.top_p
    if sampling.top_k:
        yield "topK", sampling.top_k


def _thinking(
    sent: Mapping[str, Any], cap: int | None, model: ModelSettings, settings: GoogleSettings
) -> dict[str, Any]:
    """Return what is said of thinking: the effort's words or the budget's cap, and whether it is to be shown."""
    thinking = dict(sent) if cap is None else {"thinkingBudget": cap}
    thinks = model.kind in ("hybrid", "reasoning") and thinking.get("thinkingBudget") != 0
    return thinking | ({"includeThoughts": True} if thinks and settings.include_thoughts else {})


def generation_of(reply: Mapping[str, Any], key: str, model: ModelSettings) -> Generation:
    """Return what a reply says; its cap and its prompt are the request's to say.

    Args:
        reply: The body of a successful answer, by the API's names.
        key: Of the request.
        model: Who was asked.

    Raises:
        BadReply: it holds no candidate although nothing was blocked, or one that says nothing at all.
    """
    candidate = _candidate(reply)
    reason = str((candidate or {}).get("finishReason") or "")
    finish = FinishReason.REFUSED if candidate is None else _FINISH.get(reason, FinishReason.LENGTH)
    content = (candidate or {}).get("content") or {}
    parts = [part for part in content.get("parts") or () if isinstance(part, dict)]
    calls = tuple(_calls(parts, key)) if finish is FinishReason.STOP else ()
    cut = finish in (FinishReason.LENGTH, FinishReason.REFUSED)
    text = marked_text(list(_said(parts)), model.thinking, cut=cut)
    usage = _usage(reply, model)
    if finish is FinishReason.STOP and not (text or calls or usage.output):
        raise BadReply("a candidate that says nothing and took no token")
    return Generation(
        key=key,
        text=text,
        finish_reason=FinishReason.TOOL_CALLS if calls else finish,
        usage=usage,
        tool_calls=calls,
        raw_turn=json.dumps(content) if calls else "",
        request_id=str(reply.get("responseId") or ""),
    )


def _candidate(reply: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the one candidate, None where the prompt was blocked.

    Raises:
        BadReply: see :func:`generation_of`.
        UnfitServer: the account is closed.
    """
    candidates = reply.get("candidates")
    candidate = candidates[0] if isinstance(candidates, list) and candidates else None
    if not isinstance(candidate, dict):
        if (reply.get("promptFeedback") or {}).get("blockReason"):
            return None
        message, code, status = error_of(reply)
        raise BadReply(message if code else "an answer without candidates", status=status, code=code)
    reason = candidate.get("finishReason")
    if reason == _NO_ACCOUNT:
        raise UnfitServer(f"finishReason {reason}: the account is limited or closed")
    if not reason:
        raise BadReply("a candidate without a finishReason")
    return candidate


def _said(parts: Sequence[Mapping[str, Any]]) -> Iterator[Part]:
    """Yield texts and thoughts in order, neighbours of a kind together."""
    kept: Part | None = None
    for part in parts:
        text, thought = part.get("text"), part.get("thought") is True
        if not isinstance(text, str) or not text:
            continue
        if kept is not None and kept.thought == thought:
            kept = Part(kept.text + text, thought)
            continue
        if kept is not None:
            yield kept
        kept = Part(text, thought)
    if kept is not None:
        yield kept


def _calls(parts: Sequence[Mapping[str, Any]], key: str) -> Iterator[ModelCall]:
    for number, part in enumerate(parts):
        call = part.get("functionCall")
        if isinstance(call, dict):
            own = hashlib.sha256(f"{key}/{number}".encode()).hexdigest()[:9]
            yield ModelCall(call.get("id") or own, str(call.get("name")), json.dumps(call.get("args") or {}))


def _usage(reply: Mapping[str, Any], model: ModelSettings) -> Usage:
    told = reply.get("usageMetadata") or {}
    prompt, cached = told.get("promptTokenCount"), told.get("cachedContentTokenCount")
    split, counts = split_message(reply, provider="google", family=model.family), read_usage(told, "google")
    if counts == TokenCounts() and isinstance(prompt, int) and not split.answer:
        counts = TokenCounts(output=0)  # the API leaves out what is 0
    return usage_of(
        split,
        counts,
        prompt=prompt,
        cached=cached,
    )


def error_of(body: object) -> tuple[str, str, int | None]:
    """Return message, code and status of an error's body, as :mod:`runner.engines.faults` knows them."""
    body = body[0] if isinstance(body, list) and body else body
    error = body.get("error", body) if isinstance(body, dict) else {}
    error = error if isinstance(error, dict) else {}
    message, code = str(error.get("message") or "an error without a message"), str(error.get("status") or "")
    status = error.get("code")
    details = [detail for detail in error.get("details") or () if isinstance(detail, dict)]
    if any(detail.get("reason") == "API_KEY_INVALID" for detail in details):
        return message, code, 401  # the API says 400
    if _daily(details):
        code = "quota_exceeded"  # no wait within a run brings it back
    elif _TOO_LONG.search(message):
        code = "context_length"
    elif code == "INVALID_ARGUMENT" and _FIELD.search(message):
        code = "invalid_parameter"
    return message, code, status if isinstance(status, int) else None


def _daily(details: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether a quota is that of a day."""
    violations = [violation for detail in details for violation in detail.get("violations") or ()]
    return any("PerDay" in str(violation.get("quotaId")) for violation in violations if isinstance(violation, dict))


def retry_delay(body: object) -> float | None:
    """Return the seconds that an error asks to wait by its ``RetryInfo``, None where it has none."""
    body = body[0] if isinstance(body, list) and body else body
    error = body.get("error", body) if isinstance(body, dict) else {}
    for detail in (error.get("details") or ()) if isinstance(error, dict) else ():
        delay = str(detail.get("retryDelay") or "") if isinstance(detail, dict) else ""
        if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?s", delay):
            return float(delay[:-1])
    return None
