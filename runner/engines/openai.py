"""OpenAI and compatible servers through OpenAI's own client library."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from runner.config.api import OpenAISettings
from runner.config.model import ModelSettings
from runner.engines.base import EngineCapabilities
from runner.engines.faults import (
    BadReply,
    BatchGone,
    Fault,
    UnfitServer,
    classify,
    general_fault,
    one_line,
    reading_a_reply,
)
from runner.engines.openai_chat import chat_body, chat_generation, error_fields, opening_of
from runner.engines.openai_responses import responses_body, responses_generation
from runner.engines.transport import asked_by, given_up
from runner.sampling.generation import Boundary, Generation, failed
from runner.sampling.request import Request

# Said in so many words, so that no variable of the environment sends a run somewhere else in silence.
_OWN_URL = "https://api.openai.com/v1"
_TOKEN = "thinkmeter"  # name of the metadata by which a batch is found again
_UNFINISHED = frozenset({"validating", "in_progress", "finalizing", "cancelling"})

_log = logging.getLogger(__name__)


def capabilities_of(settings: OpenAISettings) -> EngineCapabilities:
    """Return what a study may ask of it; whether a server continues texts is the user's to say."""
    return EngineCapabilities(
        continues=settings.continues,
        token_ids=False,
        seeds=False,  # a seed is sent, and promises nothing
        stop_strings=False,
        local=False,
        native_tools=True,
    )


class OpenAIProvider:
    """See :class:`runner.engines.transport.Provider`; also takes batches.

    Args:
        model: Who is asked.
        settings: Where and how.
        key: The API key.
        drawn: Whether requests say how tokens are drawn; else the provider's own way acts.
    """

    name = "openai"

    def __init__(self, model: ModelSettings, settings: OpenAISettings, key: str, *, drawn: bool) -> None:
        import openai

        self.capabilities = capabilities_of(settings)
        self._model = model
        self._settings = settings
        self._drawn = drawn
        self._library = openai
        self._opening = ""  # what the server's template writes of the assistant's turn; the same for all prompts
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=settings.base_url or _OWN_URL,
            timeout=settings.timeout_s,
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False),
        )

    async def generate(self, request: Request) -> Generation:
        reply = await self._call(self._body(request))
        with reading_a_reply():
            generation = asked_by(request, self._generation(_plain(reply), request.key))
        if self._settings.continues and not request.prefix:
            self._opening = opening_of(generation.prompt_tail, self._model)
        return replace(generation, request_id=reply._request_id or generation.request_id)

    def fault(self, error: Exception) -> Fault | None:
        library = self._library
        if isinstance(error, library.APIStatusError):
            message, words, _ = error_fields(error.body)
            headers = error.response.headers
            return classify(error.status_code, message=message or error.message, code=words, headers=headers)
        if isinstance(error, library.APITimeoutError):
            return general_fault(TimeoutError())
        if isinstance(error, library.APIConnectionError):
            return classify(None, message=f"{error.message} {error.__cause__ or ''}")
        if isinstance(error, json.JSONDecodeError | library.APIResponseValidationError):
            return Fault("retry", "bad_reply", "the answer is no JSON")
        return None

    async def close(self) -> None:
        await self._client.close()

    async def submit(self, requests: Sequence[Request], token: str) -> str:
        lines = [
            json.dumps({"custom_id": request.key, "method": "POST", "url": self._endpoint, "body": self._body(request)})
            for request in requests
        ]
        content = ("requests.jsonl", "\n".join(lines).encode("ascii"))
        file = await self._client.files.create(file=content, purpose="batch")
        batch = await self._client.batches.create(
            input_file_id=file.id, endpoint=self._endpoint, completion_window="24h", metadata={_TOKEN: token}
        )
        return str(batch.id)

    async def batches(self, mark: str) -> dict[str, str]:
        known = self._client.batches.list(limit=100)
        found = {(each.metadata or {}).get(_TOKEN, ""): str(each.id) async for each in known}
        return {token: batch_id for token, batch_id in found.items() if token.startswith(mark)}

    async def collect(self, batch_id: str) -> dict[str, Generation] | None:
        try:
            return await self._collected(batch_id)
        except self._library.NotFoundError as error:
            raise BatchGone(
                f"batch {batch_id} or its answers are not there for this key ({one_line(error.message)})"
            ) from error

    async def _collected(self, batch_id: str) -> dict[str, Generation] | None:
        batch = await self._client.batches.retrieve(batch_id)
        if batch.status in _UNFINISHED:
            return None
        if batch.status == "failed":
            said = batch.errors.data if batch.errors is not None else None
            errors = (
                "; ".join(str(getattr(error, "message", error)) for error in said) if isinstance(said, list) else ""
            )
            raise UnfitServer(f"batch {batch_id} was refused: {errors or 'no reason given'}")
        found: dict[str, Generation] = {}
        for file in (batch.output_file_id, batch.error_file_id):
            if file is not None:
                content = (await self._client.files.content(file)).text
                found |= {one.key: one for one in map(self._answer, content.split("\n")) if one is not None}
        return found

    @property
    def _endpoint(self) -> Literal["/v1/responses", "/v1/chat/completions"]:
        return "/v1/responses" if self._settings.api == "responses" else "/v1/chat/completions"

    async def _call(self, body: dict[str, Any]) -> Any:
        # What the library does not know goes as it is, so it is given what it asks for and the rest beside it.
        if self._settings.api == "responses":
            return await self._client.responses.create(
                model=body.pop("model"), input=body.pop("input"), extra_body=body
            )
        return await self._client.chat.completions.create(
            model=body.pop("model"), messages=body.pop("messages"), extra_body=body
        )

    def _body(self, request: Request) -> dict[str, Any]:
        if self._settings.api == "responses":
            return responses_body(request, self._model, drawn=self._drawn)
        return chat_body(request, self._model, self._settings, drawn=self._drawn, opening=self._opening)

    def _generation(self, reply: Mapping[str, Any], key: str) -> Generation:
        if self._settings.api == "responses":
            return responses_generation(reply, key, self._model)
        return chat_generation(reply, key, self._model, self._settings)

    def _answer(self, line: str) -> Generation | None:
        """Return what a line of a batch's file says of its request, None for a line that names none."""
        if not line.strip():
            return None
        try:
            answer = json.loads(line)
            key = str(answer["custom_id"])
        except (ValueError, TypeError, LookupError, RecursionError):
            _log.warning("a line of a batch's answers names no request and is passed over: %s", one_line(line[:200]))
            return None
        try:
            with reading_a_reply():
                return self._said(key, answer)
        except BadReply as error:
            return failed(key, Boundary.TRANSPORT, "bad_reply", str(error))

    def _said(self, key: str, answer: Mapping[str, Any]) -> Generation:
        response = answer.get("response") or {}
        body, status = response.get("body"), response.get("status_code")
        if answer.get("error") or status != 200 or not isinstance(body, Mapping):
            message, words, _ = error_fields(answer.get("error") or body)
            return given_up(key, classify(status or 500, message=message or "no reply", code=words))
        return replace(self._generation(body, key), request_id=str(response.get("request_id") or ""))


def _plain(reply: object) -> Mapping[str, Any]:
    """Return a reply as plain values.

    Raises:
        BadReply: it is a text, as the library hands out what is no JSON.
    """
    if not hasattr(reply, "model_dump"):
        raise BadReply("the answer is no JSON of a reply")
    plain: dict[str, Any] = reply.model_dump(mode="json", warnings=False)
    return plain
