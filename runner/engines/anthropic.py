"""Anthropic's Messages and Message Batches through its own client library."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from runner.config.api import AnthropicSettings
from runner.config.model import ModelSettings
from runner.engines.anthropic_messages import body_of, error_of, generation_of
from runner.engines.base import EngineCapabilities
from runner.engines.faults import reading_a_reply
from runner.engines.transport import BadReply, Fault, asked_by, classify, given_up
from runner.errors import UserError
from runner.sampling.generation import Boundary, Generation, failed
from runner.sampling.request import Request

CAPABILITIES = EngineCapabilities(
    continues=False,  # no model that thinks takes the beginning of its own turn
    token_ids=False,
    seeds=False,
    stop_strings=True,
    local=False,
    thinking_cap=True,
    native_tools=True,
)
# Said in so many words, so that no variable of the environment sends a run somewhere else in silence.
_OWN_URL = "https://api.anthropic.com"
_ARGUMENTS = ("model", "max_tokens", "messages")  # named by every version of the library; the rest goes as it is
# A batch names its requests by up to 64 letters, digits, - and _.
_ESCAPES = {"_": "__", "-": "_m", ":": "-", "/": "_s", "#": "_h", ".": "_d"}
_MOST_ID = 64


class AnthropicProvider:
    """See :class:`runner.engines.transport.Provider`; also takes batches.

    Args:
        model: Who is asked.
        settings: Where and how.
        key: The API key.
        drawn: Whether requests say how tokens are drawn; else the server's own way acts.
    """

    name = "anthropic"
    capabilities = CAPABILITIES

    def __init__(self, model: ModelSettings, settings: AnthropicSettings, key: str, *, drawn: bool) -> None:
        import anthropic

        self._model = model
        self._settings = settings
        self._drawn = drawn
        self._library = anthropic
        self._client = anthropic.AsyncAnthropic(
            api_key=key,
            base_url=settings.base_url or _OWN_URL,
            timeout=settings.timeout_s,
            max_retries=0,
            default_headers={"anthropic-version": settings.api_version},
            http_client=anthropic.DefaultAsyncHttpxClient(follow_redirects=False),
        )

    async def generate(self, request: Request) -> Generation:
        body = body_of(request, self._model, self._settings, drawn=self._drawn)
        rest = {name: value for name, value in body.items() if name not in _ARGUMENTS}
        reply = await self._client.messages.create(**{name: body[name] for name in _ARGUMENTS}, extra_body=rest)
        with reading_a_reply():
            generation = generation_of(_plain(reply), request.key, self._model)
        return asked_by(request, replace(generation, max_tokens=body["max_tokens"], request_id=reply._request_id or ""))

    def fault(self, error: Exception) -> Fault | None:
        library = self._library
        if isinstance(error, library.APIStatusError):
            message, code = error_of(error.body)
            message = message if code else error.message
            return classify(error.status_code, message=message, code=code, headers=error.response.headers)
        if isinstance(error, library.APITimeoutError):
            return Fault("retry", "timeout", "no whole answer within engine.timeout_s")
        if isinstance(error, library.APIConnectionError):
            return classify(None, message=f"{error.message} {error.__cause__ or ''}".strip())
        if isinstance(error, library.APIResponseValidationError | json.JSONDecodeError):
            return Fault("retry", "bad_reply", "the answer is no JSON of a message")
        return None

    async def close(self) -> None:
        await self._client.close()

    async def submit(self, requests: Sequence[Request], token: str) -> str:
        entries: list[Any] = [
            {
                "custom_id": batch_name(request.key),
                "params": body_of(request, self._model, self._settings, drawn=self._drawn),
            }
            for request in requests
        ]
        return (await self._client.messages.batches.create(requests=entries)).id

    async def batches(self, mark: str) -> dict[str, str]:
        raise LookupError("Anthropic keeps nothing with a batch by which it can be found")

    async def collect(self, batch_id: str) -> dict[str, Generation] | None:
        batch = await self._client.messages.batches.retrieve(batch_id)
        if batch.processing_status != "ended":
            return None
        found = {}
        async for line in await self._client.messages.batches.results(batch_id):
            key = batch_key(line.custom_id)
            found[key] = self._result(key, _plain(line).get("result"))
        return found

    def _result(self, key: str, result: object) -> Generation:
        """Return what became of one request of a batch."""
        fields = result if isinstance(result, dict) else {}
        kind = fields.get("type")
        if kind == "succeeded":
            try:
                return generation_of(fields.get("message") or {}, key, self._model)
            except BadReply as error:
                return failed(key, Boundary.TRANSPORT, "bad_reply", str(error))
        if kind != "errored":
            return failed(key, Boundary.TRANSPORT, f"batch_{kind}", f"the batch ended before it was asked: {kind}")
        message, code = error_of(fields.get("error"))
        return given_up(key, classify(400, message=message, code=code))


def _plain(reply: object) -> dict[str, Any]:
    """Return a reply of the client library as JSON would hold it.

    Raises:
        BadReply: it is a text, as the library hands out what is no JSON.
    """
    dump = getattr(reply, "model_dump", None)
    if dump is None:
        raise BadReply("the answer is no JSON of a message")
    fields: dict[str, Any] = dump(mode="json", warnings=False)
    return fields


def batch_name(key: str) -> str:
    """Return the name of a request within a batch, from which :func:`batch_key` makes the key again.

    Raises:
        UserError: it would be too long.
    """
    name = "".join(_ESCAPES.get(letter) or _escaped(letter) for letter in key)
    if len(name) > _MOST_ID:
        raise UserError(
            f"engine.batch=true: {key} has a name of more than {_MOST_ID} characters; use engine.batch=false"
        )
    return name


def _escaped(letter: str) -> str:
    plain = letter.isascii() and letter.isalnum()
    return letter if plain else f"_x{ord(letter):x}_"


def batch_key(name: str) -> str:
    """Return the key that a name within a batch was made from."""
    marks = {escape: letter for letter, escape in _ESCAPES.items()}
    return re.sub(r"_x([0-9a-f]+)_|_.|-", lambda found: chr(int(found[1], 16)) if found[1] else marks[found[0]], name)
