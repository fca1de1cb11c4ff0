"""Anthropic's Messages: what a request becomes, and what a reply is worth; needs no client library."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from bench.message import split_message
from bench.message_usage import read_usage
from runner.config.api import AnthropicSettings
from runner.config.model import ModelSettings
from runner.engines.faults import BadReply
from runner.engines.reply import Part, marked_text, usage_of
from runner.sampling.generation import FinishReason, Generation
from runner.sampling.request import Message, ModelCall, Request, SamplingParams

# What the API does where no sampling parameter is sent; these values are therefore never sent.
DEFAULT_SAMPLING = SamplingParams(temperature=1.0)

_FINISH = {
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "tool_use": FinishReason.TOOL_CALLS,
    "refusal": FinishReason.REFUSED,
}
# A refused field is named at the beginning of the message; no other request of the run would fare better.
_FIELD = re.compile(r"`?(max_tokens|temperature|top_[pk]|thinking|output_config|stop_sequences)\b")
_TOO_LONG = re.compile(r"prompt is too long|exceed context limit", re.IGNORECASE)
_NO_CREDIT = re.compile(r"credit balance", re.IGNORECASE)


def body_of(request: Request, model: ModelSettings, settings: AnthropicSettings, *, drawn: bool) -> dict[str, Any]:
    """Return the body of a Messages call.

    Args:
        request: What is asked. Its template options are fields of the body for a model of Anthropic's, variables of the
            chat template for another one, as vLLM's server takes them.
        model: Who is asked.
        settings: Give the cap on output where the request has none, since Messages takes no call without.
        drawn: Whether the request says how tokens are drawn; else the server's own way acts.
    """
    system = "\n\n".join(message.content for message in request.messages if message.role == "system")
    body: dict[str, Any] = {
        "model": model.id,
        "max_tokens": request.max_tokens or settings.max_output_tokens,
        "messages": _turns(request.messages),
    }
    if system:
        body["system"] = system
    if request.tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.schema} for tool in request.tools
        ]
    if request.stop:
        body["stop_sequences"] = list(request.stop)
    if request.template_options:
        body |= (
            request.template_options if model.source == "api" else {"chat_template_kwargs": request.template_options}
        )
    if request.thinking_cap is not None:
        body["thinking"] = {"type": "enabled", "budget_tokens": request.thinking_cap}
    return body | (dict(_sampling(request.sampling, model)) if drawn else {})


def _turns(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the chat; the answers to all calls of a turn stand together in one message of the user."""
    turns: list[dict[str, Any]] = []
    after_result = False
    for message in messages:
        if message.role == "system":
            continue
        is_result = message.role == "tool"
        if is_result and after_result:
            turns[-1]["content"].append(_result(message))
        elif is_result:
            turns.append({"role": "user", "content": [_result(message)]})
        else:
            turns.append({"role": message.role, "content": _content(message)})
        after_result = is_result
    return turns


def _result(message: Message) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": message.call_id, "content": message.content}


def _content(message: Message) -> str | list[Any]:
    """Return what a turn says; one of the model's as it came, since signed thinking must not be changed."""
    if message.raw:
        blocks: list[Any] = json.loads(message.raw)
        return blocks
    if not message.calls:
        return message.content
    said = [{"type": "text", "text": message.content}] if message.content.strip() else []
    return said + [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": _arguments(call)} for call in message.calls
    ]


def _arguments(call: ModelCall) -> dict[str, Any]:
    """Return the arguments of a call; a text that is no JSON object, which the API does not take, under one name."""
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        arguments = None
    return arguments if isinstance(arguments, dict) else {"text": call.arguments}


def _sampling(sampling: SamplingParams, model: ModelSettings) -> Iterator[tuple[str, float]]:
    """Yield the sampling parameters that are sent.

    Of a model of Anthropic's only those that differ from what it does untold, since its later ones refuse the very
    words; another one's server may do anything untold.
    """
    for name in ("temperature", "top_p", "top_k"):
        value = getattr(sampling, name)
        untold = getattr(DEFAULT_SAMPLING, name)
        if value != untold or (model.source != "api" and name != "top_k"):
            yield name, value


def generation_of(reply: Mapping[str, Any], key: str, model: ModelSettings) -> Generation:
    """Return what a reply says; its cap and its prompt are the request's to say.

    Args:
        reply: The body of a successful answer.
        key: Of the request.
        model: Who was asked.

    Raises:
        BadReply: it is no message.
    """
    blocks = _blocks(reply)
    reason = reply.get("stop_reason")
    if not isinstance(reason, str):
        raise BadReply("a message without a stop_reason")
    # A cap, the context, a pause or a reason that is not known yet: the reply is not whole.
    finish = _FINISH.get(reason, FinishReason.LENGTH)
    usage = reply.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    cached, prompt = _prompt_tokens(usage)
    cut = finish in (FinishReason.LENGTH, FinishReason.REFUSED)
    whole = finish is FinishReason.TOOL_CALLS  # a cut one may have half its arguments
    calls = tuple(_call(block) for block in blocks if whole and block.get("type") == "tool_use")
    return Generation(
        key=key,
        text=marked_text(list(_parts(blocks)), model.thinking, cut=cut),
        finish_reason=finish,
        usage=usage_of(
            split_message(reply, provider="anthropic", family=model.family),
            read_usage(usage, "anthropic"),
            prompt=prompt,
            cached=cached,
        ),
        tool_calls=calls,
        raw_turn=json.dumps(blocks) if calls else "",
    )


def _blocks(reply: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the content of a message.

    Raises:
        BadReply: there is none, or an error in its place, as gateways send it with status 200.
    """
    if reply.get("type") == "error" or isinstance(reply.get("error"), dict):
        message, code = error_of(reply)
        raise BadReply(message, code=code)
    blocks = reply.get("content")
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise BadReply("a message without content")
    return cast("list[dict[str, Any]]", blocks)


def _parts(blocks: list[dict[str, Any]]) -> Iterator[Part]:
    """Yield texts and thinking in order; redacted thinking has no text, and a tool's call is none."""
    for block in blocks:
        kind = block.get("type")
        text = block.get("thinking" if kind == "thinking" else "text")
        if kind in ("text", "thinking") and isinstance(text, str):
            yield Part(text, thought=kind == "thinking")


def _call(block: Mapping[str, Any]) -> ModelCall:
    return ModelCall(str(block.get("id")), str(block.get("name")), json.dumps(block.get("input") or {}))


def _prompt_tokens(usage: Mapping[str, Any]) -> tuple[int, int | None]:
    """Return the prompt's tokens that came from the cache, and all of them, None where they are not told."""
    read, written, fresh = (usage.get(f"{name}input_tokens") for name in ("cache_read_", "cache_creation_", ""))
    if not isinstance(fresh, int):
        return 0, None
    cached = read if isinstance(read, int) else 0
    return cached, fresh + cached + (written if isinstance(written, int) else 0)


def error_of(body: object) -> tuple[str, str]:
    """Return the message and the code of an error's body; the code is one that :mod:`runner.engines.faults` knows."""
    error = body.get("error") if isinstance(body, dict) else None
    error = error if isinstance(error, dict) else {}
    message, code = str(error.get("message") or "an error without a message"), str(error.get("type") or "")
    if _NO_CREDIT.search(message):
        code = "billing_error"
    elif _TOO_LONG.search(message):
        code = "context_length"
    elif code == "invalid_request_error" and _FIELD.match(message):
        code = "invalid_parameter"
    return message, code
