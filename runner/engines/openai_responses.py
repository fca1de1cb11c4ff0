"""OpenAI's Responses: from a request to a body, from a reply to a text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench import split_message
from bench.message_usage import read_usage
from runner.config.model import ModelSettings
from runner.engines.faults import BadReply
from runner.engines.openai_chat import error_fields
from runner.engines.reply import Part, marked_text, usage_of
from runner.sampling.generation import FinishReason, Generation
from runner.sampling.request import Message, ModelCall, Request

_STATUS_OF = {"rate_limit_exceeded": 429, "server_error": 500}  # of an error in a reply of success
_INCOMPLETE = {"max_output_tokens": FinishReason.LENGTH, "content_filter": FinishReason.REFUSED}


def responses_body(request: Request, model: ModelSettings, *, drawn: bool) -> dict[str, Any]:
    """Return the body of a call; nothing is kept at the provider.

    There is no field for a seed, so none is sent.
    """
    body: dict[str, Any] = {"model": model.id, "input": list(_input(request.messages)), "store": False}
    if request.max_tokens is not None:
        body["max_output_tokens"] = request.max_tokens
    if drawn:
        body |= {"temperature": request.sampling.temperature, "top_p": request.sampling.top_p}
    if request.tools:
        body["tools"] = [
            {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.schema}
            for tool in request.tools
        ]
        if model.kind == "reasoning":  # a further turn has to bring back what was thought before the call
            body["include"] = ["reasoning.encrypted_content"]
    options = dict(request.template_options)
    if "reasoning_effort" in options:  # Chat Completions' name for it, as models' files have it
        body["reasoning"] = {"effort": options.pop("reasoning_effort")}
    return body | options


def responses_generation(reply: Mapping[str, Any], key: str, model: ModelSettings) -> Generation:
    """Return a reply as a text with its counts.

    Raises:
        BadReply: it is no reply: an error in the body, no output, not finished.
    """
    items = reply.get("output")
    if reply.get("error") or not isinstance(items, list):
        message, words, status = error_fields(reply)
        status = status or next((_STATUS_OF[word] for word in words.split() if word in _STATUS_OF), None)
        raise BadReply(message or "the reply has no output", status=status, code=words)
    items = [item for item in items if isinstance(item, Mapping)]
    calls = tuple(_calls(items))
    finish = _finish(reply, items, calls)
    parts = list(_parts(items))
    usage = reply.get("usage") or {}
    counts = read_usage(usage, "openai")
    if not (parts or calls or counts.output or finish is FinishReason.REFUSED):
        raise BadReply("the reply has neither a text nor a count of tokens")
    cached = (usage.get("input_tokens_details") or {}).get("cached_tokens") or 0
    return Generation(
        key=key,
        text=marked_text(parts, model.thinking, cut=finish is FinishReason.LENGTH),
        finish_reason=finish,
        usage=usage_of(
            split_message(reply, provider="openai", family=model.family),
            counts,
            prompt=usage.get("input_tokens"),
            cached=cached,
        ),
        tool_calls=calls,
        raw_turn=json.dumps(items) if calls else "",
        request_id=str(reply.get("id") or ""),
    )


def _input(messages: Sequence[Message]) -> Iterator[dict[str, Any]]:
    for message in messages:
        if message.raw:
            yield from json.loads(message.raw)
        elif message.role == "tool":
            yield {"type": "function_call_output", "call_id": message.call_id, "output": message.content}
        else:
            yield {"role": message.role, "content": message.content}


def _finish(reply: Mapping[str, Any], items: Sequence[Mapping[str, Any]], calls: tuple[ModelCall, ...]) -> FinishReason:
    status = reply.get("status")
    if status == "incomplete":
        reason = (reply.get("incomplete_details") or {}).get("reason")
        if reason not in _INCOMPLETE:
            raise BadReply(f"the reply is incomplete because of {reason!r}")
        return _INCOMPLETE[reason]
    if status != "completed":
        raise BadReply(f"the reply has status={status!r}")
    if any(part.get("type") == "refusal" for item in items for part in _content(item)):
        return FinishReason.REFUSED
    return FinishReason.TOOL_CALLS if calls else FinishReason.STOP


def _parts(items: Sequence[Mapping[str, Any]]) -> Iterator[Part]:
    for item in items:
        if item.get("type") == "reasoning":  # its text where the server shows it, else a summary of it, else nothing
            shown = _content(item) or [each for each in item.get("summary") or () if isinstance(each, Mapping)]
            text = "\n".join(str(each.get("text") or "") for each in shown)
        else:
            text = "".join(str(part.get("text") or "") for part in _content(item))
        if text:
            yield Part(text, thought=item.get("type") == "reasoning")


def _content(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = item.get("content")
    return [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []


def _calls(items: Sequence[Mapping[str, Any]]) -> Iterator[ModelCall]:
    for item in items:
        if item.get("type") == "function_call":
            yield ModelCall(str(item.get("call_id")), str(item.get("name")), str(item.get("arguments") or ""))
