"""Google's Gemini API, single calls and batches, through its own client library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runner.config.api import GoogleSettings
from runner.config.model import ModelSettings
from runner.engines.base import EngineCapabilities
from runner.engines.faults import reading_a_reply
from runner.engines.google_content import config_of, contents_of, error_of, generation_of, retry_delay
from runner.engines.transport import BadReply, Fault, UnfitServer, asked_by, classify, given_up
from runner.sampling.generation import Boundary, Generation, failed
from runner.sampling.request import Request

CAPABILITIES = EngineCapabilities(
    continues=False,
    token_ids=False,
    seeds=False,  # it takes one, and promises no more than its best
    stop_strings=True,
    local=False,
    thinking_cap=True,
    native_tools=True,
)
# Said in so many words, so that no variable of the environment sends a run somewhere else in silence.
_OWN_URL = "https://generativelanguage.googleapis.com"
_RUNNING = frozenset({"JOB_STATE_QUEUED", "JOB_STATE_PENDING", "JOB_STATE_RUNNING", "JOB_STATE_UPDATING"})
_SUCCEEDED = frozenset({"JOB_STATE_SUCCEEDED", "JOB_STATE_PARTIALLY_SUCCEEDED"})


class GoogleProvider:
    """See :class:`runner.engines.transport.Provider`; also takes batches.

    Args:
        model: Who is asked.
        settings: Where and how.
        key: The API key.
    """

    name = "google"
    capabilities = CAPABILITIES

    def __init__(self, model: ModelSettings, settings: GoogleSettings, key: str) -> None:
        import httpx
        from google import genai

        self._model = model
        self._settings = settings
        self._library = genai
        self._transport = httpx
        # Its own client in place of aiohttp's, which the library takes where that happens to be installed.
        limits = httpx.Limits(max_connections=settings.max_concurrency, max_keepalive_connections=100)
        self._http = httpx.AsyncClient(timeout=settings.timeout_s, limits=limits, follow_redirects=False)
        options = genai.types.HttpOptions(
            base_url=settings.base_url or _OWN_URL,
            timeout=round(1000 * settings.timeout_s),
            httpx_async_client=self._http,
        )
        self._client = genai.Client(vertexai=False, api_key=key, http_options=options)

    async def generate(self, request: Request) -> Generation:
        config = config_of(request, self._model, self._settings)
        contents: Any = contents_of(request.messages)
        own: dict[str, Any] = {"automaticFunctionCalling": {"disable": True}, "automaticContinuation": False}
        reply = await self._client.aio.models.generate_content(
            model=self._model.id,
            contents=contents,
            config=self._library.types.GenerateContentConfig.model_validate(config | own),
        )
        with reading_a_reply():
            return asked_by(request, generation_of(_plain(reply), request.key, self._model))

    def fault(self, error: Exception) -> Fault | None:
        if isinstance(error, self._library.errors.APIError):
            message, code, status = error_of(error.details)
            headers, waits = getattr(error.response, "headers", None), retry_delay(error.details)
            return classify(status or error.code, message=message, code=code, headers=headers, retry_after_s=waits)
        if isinstance(error, self._transport.TimeoutException):
            return Fault("retry", "timeout", "no whole answer within engine.timeout_s")
        if isinstance(error, self._transport.TransportError):
            return classify(None, message=f"{type(error).__name__}: {error}")
        if isinstance(error, ValueError):  # no JSON, or not of the shape that the library knows
            return Fault("retry", "bad_reply", "the answer is no JSON of a reply")
        return None

    async def close(self) -> None:
        await self._http.aclose()

    async def submit(self, requests: Sequence[Request], token: str) -> str:
        types = self._library.types
        entries = [
            types.InlinedRequest.model_validate(
                {
                    "contents": contents_of(request.messages),
                    "metadata": {"key": request.key},
                    "config": config_of(request, self._model, self._settings),
                }
            )
            for request in requests
        ]
        named = types.CreateBatchJobConfig(display_name=token)
        job = await self._client.aio.batches.create(model=self._model.id, src=entries, config=named)
        if not job.name:
            raise BadReply("a batch without a name")
        return job.name

    async def batches(self, mark: str) -> dict[str, str]:
        found = {job.display_name or "": job.name or "" async for job in await self._client.aio.batches.list()}
        return {token: name for token, name in found.items() if token.startswith(mark)}

    async def collect(self, batch_id: str) -> dict[str, Generation] | None:
        job = _plain(await self._client.aio.batches.get(name=batch_id))
        state = job.get("state")
        if state in _RUNNING:
            return None
        lines = (job.get("dest") or {}).get("inlinedResponses") or []
        if state not in _SUCCEEDED and not lines:
            message, _, _ = error_of(job)
            raise UnfitServer(f"batch {batch_id} ended as {state}: {message}")
        return dict(self._result(line) for line in lines)

    def _result(self, line: dict[str, Any]) -> tuple[str, Generation]:
        """Return key and generation of one request of a batch."""
        key = str((line.get("metadata") or {}).get("key"))
        if "response" in line:
            try:
                return key, generation_of(line["response"], key, self._model)
            except BadReply as error:
                return key, failed(key, Boundary.TRANSPORT, "bad_reply", str(error))
        message, code, _ = error_of(line)
        return key, given_up(key, classify(400, message=message, code=code))


def _plain(reply: Any) -> dict[str, Any]:
    """Return a reply of the client library as JSON holds it, by the API's names."""
    fields: dict[str, Any] = reply.model_dump(mode="json", by_alias=True, exclude_none=True, warnings=False)
    return fields
