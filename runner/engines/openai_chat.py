"""Chat Completions, of OpenAI and of servers that speak like it: from a request to a body, from a reply to a text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from bench import split_message, split_thinking
from bench.message_usage import read_usage
from bench.thinking import Thinking, ThinkingState
from runner.config.api import OpenAISettings
from runner.config.model import ModelSettings
from runner.engines.faults import BadReply, UnfitServer
from runner.engines.markers import opens_thinking
from runner.engines.reply import Part, marked_text, usage_of
from runner.sampling.generation import FinishReason, Generation
from runner.sampling.request import Message, ModelCall, Request
from runner.tools.protocol import ToolSpec

_FINISH = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "tool_calls": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
    "content_filter": FinishReason.REFUSED,
}
_REASONING = ("reasoning_content", "reasoning")  # DeepSeek, SGLang and earlier vLLM; vLLM and OpenRouter
_TAIL = 64  # characters of a rendered prompt that are kept, as of a local engine's


def chat_body(
    request: Request, model: ModelSettings, settings: OpenAISettings, *, drawn: bool, opening: str = ""
) -> dict[str, Any]:
    """Return the body of a call.

    Args:
        request: What is asked.
        model: Who is asked.
        settings: Where and how.
        drawn: Whether the request says how tokens are drawn; else the provider's own way acts.
        opening: What the server's chat template writes of the assistant's turn, which a continued text begins with.
    """
    body: dict[str, Any] = {"model": model.id, "messages": [chat_message(message) for message in request.messages]}
    if request.max_tokens is not None:
        body[cap_field(settings)] = request.max_tokens
    body["seed"] = request.seed
    if drawn:
        body |= _drawing(request, compatible=settings.base_url is not None)
    if request.tools:
        body["tools"] = [{"type": "function", "function": _function(tool)} for tool in request.tools]
    body |= _options(request, model)
    if settings.continues:
        body |= {"return_prompt_text": True}
    if request.prefix:
        text = opening + "".join(segment.text for segment in request.prefix)
        body["messages"].append({"role": "assistant", "content": text})
        body |= {"continue_final_message": True, "add_generation_prompt": False}
    return body


def cap_field(settings: OpenAISettings) -> str:
    """Return the field that caps the output; servers that speak like OpenAI's know the older one for certain."""
    if settings.token_cap_field != "auto":
        return settings.token_cap_field
    return "max_completion_tokens" if settings.base_url is None else "max_tokens"


def chat_message(message: Message) -> dict[str, Any]:
    """Return a message as Chat Completions has it."""
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.content}
    plain: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.calls:
        plain["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.calls
        ]
    return plain


def chat_generation(reply: Mapping[str, Any], key: str, model: ModelSettings, settings: OpenAISettings) -> Generation:
    """Return a reply as a text with its counts; of the prompt only what the server says of it.

    Raises:
        BadReply: it is no reply: no choices, an error in the body, no reason why it ended.
        UnfitServer: the server was said to continue texts, and does not do what that needs.
    """
    choice = _choice(reply)
    message, reason = choice["message"], choice.get("finish_reason")
    if reason not in _FINISH:
        raise BadReply(f"the reply ended with finish_reason={reason!r}")
    calls = tuple(_calls(message))
    finish = FinishReason.TOOL_CALLS if calls and reason == "stop" else _FINISH[reason]
    prompt = _rendered(reply, message, settings) if settings.continues else ""
    parts = list(_parts(message))
    # A reply without any text is one only where the provider counts tokens for it (of hidden reasoning).
    if not (parts or calls or finish is FinishReason.REFUSED) and not read_usage(reply.get("usage"), None).output:
        raise BadReply("the reply has neither a text nor a count of tokens")
    text = marked_text(parts, model.thinking, cut=finish is FinishReason.LENGTH)
    split = _split(reply, text, model, finish, prompt, apart=any(part.thought for part in parts))
    usage = reply.get("usage") or {}
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    return Generation(
        key=key,
        text=text,
        finish_reason=FinishReason.REFUSED if message.get("refusal") else finish,
        usage=usage_of(split, read_usage(usage, model.provider), prompt=usage.get("prompt_tokens"), cached=cached),
        prompt_sha256=hashlib.sha256(prompt.encode()).hexdigest() if prompt else "",
        prompt_tail=prompt[-_TAIL:],
        tool_calls=calls,
        request_id=str(reply.get("id") or ""),
    )


def opening_of(prompt_tail: str, model: ModelSettings) -> str:
    """Return the part of the assistant's turn that the chat template wrote, where it opened the thinking."""
    if model.thinking is None or not opens_thinking(prompt_tail, model.thinking):
        return ""
    return prompt_tail[prompt_tail.rfind(model.thinking.open) :]


def error_fields(body: object) -> tuple[str, str, int | None]:
    """Return message, words and status of the error in a body, empty where there is none."""
    error = body.get("error", body) if isinstance(body, Mapping) else body
    if not isinstance(error, Mapping):
        return (error if isinstance(error, str) else ""), "", None
    about_messages = str(error.get("param") or "").startswith(("messages", "input"))
    words = [error.get("code"), error.get("type")] if not about_messages else []
    message = str(error.get("message") or "")
    if "maximum context length" in message:  # vLLM and others say it in no other way
        words.append("context_length")
    status = error.get("code")
    known = status if isinstance(status, int) and 400 <= status < 600 else None
    return message, " ".join(str(word) for word in words if word), known


def _choice(reply: Mapping[str, Any]) -> Mapping[str, Any]:
    if reply.get("error"):
        message, words, status = error_fields(reply)
        raise BadReply(f"an error in a reply of success: {message or reply['error']}", status=status, code=words)
    choices = reply.get("choices")
    if not isinstance(choices, list) or not choices:
        raise BadReply("the reply has no choices")
    choice = choices[0]
    if not isinstance(choice, Mapping) or not isinstance(choice.get("message"), Mapping):
        raise BadReply("the reply's choice has no message")
    return choice


def _parts(message: Mapping[str, Any]) -> Iterator[Part]:
    """Yield reasoning, then content; Mistral's content is a list that holds both.

    Raises:
        BadReply: the content is neither.
    """
    reasoning = next((message[name] for name in _REASONING if isinstance(message.get(name), str)), "")
    if reasoning:
        yield Part(reasoning, thought=True)
    content = message.get("content")
    if content is not None and not isinstance(content, str | list):
        raise BadReply(f"the content is no text but a {type(content).__name__}")
    for element in content if isinstance(content, list) else [content]:
        if isinstance(element, str) and element:
            yield Part(element)
        elif isinstance(element, Mapping):
            inner = element.get("thinking")
            listed = inner if isinstance(inner, list) else [element]
            texts = [str(each.get("text") or "") for each in listed if isinstance(each, Mapping)]
            yield Part("".join(texts), thought=inner is not None)


def _calls(message: Mapping[str, Any]) -> Iterator[ModelCall]:
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        yield ModelCall(str(call.get("id") or ""), str(function.get("name")), str(function.get("arguments") or ""))


def _split(
    reply: Mapping[str, Any], text: str, model: ModelSettings, finish: FinishReason, prompt: str, *, apart: bool
) -> Thinking:
    """Return the reply taken apart; where thinking stands in the text, the rendered prompt may have opened it."""
    if apart or not prompt:
        return split_message(reply, provider=model.provider, family=model.family)
    split = split_thinking(text, finish_reason=finish.value, prompt_tail=prompt[-_TAIL:], family=model.family)
    return replace(split, thinking_tokens=0) if split.state is ThinkingState.ABSENT else split


def _rendered(reply: Mapping[str, Any], message: Mapping[str, Any], settings: OpenAISettings) -> str:
    """Return the prompt as the server rendered it."""
    asked = f"engine.continues=true: the server at {settings.base_url}"
    if any(message.get(name) for name in _REASONING):
        raise UnfitServer(f"{asked} takes the thinking out of the text; start it without a reasoning parser")
    prompt = reply.get("prompt_text")
    if not isinstance(prompt, str):
        raise UnfitServer(f"{asked} does not say the rendered prompt (return_prompt_text); vLLM does from 0.30 on")
    return prompt


def _drawing(request: Request, *, compatible: bool) -> dict[str, Any]:
    sampling = request.sampling
    body: dict[str, Any] = {"temperature": sampling.temperature, "top_p": sampling.top_p}
    if compatible and sampling.top_k:
        body["top_k"] = sampling.top_k
    if compatible and sampling.repetition_penalty != 1:
        body["repetition_penalty"] = sampling.repetition_penalty
    return body


def _options(request: Request, model: ModelSettings) -> dict[str, Any]:
    """Return what an effort sends: fields of the body to a provider, variables of its template to a model's server."""
    options = dict(request.template_options)
    return options if model.source == "api" or not options else {"chat_template_kwargs": options}


def _function(tool: ToolSpec) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.schema}
