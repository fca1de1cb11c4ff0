"""What went wrong with a call to a provider, and what is done about it: the one place that decides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

from runner.sampling.generation import Boundary

# The names of faults that say that too much is asked at once.
OVERLOADS = frozenset({"rate_limited", "overloaded"})
# A refusal by a filter: the sample is then refused, not an error.
REFUSED = "refused"
# A call that the provider does not allow: of this sample, or of all; several in a row tell.
FORBIDDEN = "forbidden"
# After these nobody knows whether the provider took what was sent.
UNCERTAIN = frozenset({"no_connection", "timeout", "bad_reply", "server_error", "unexpected"})

# Words in an error's code or type by which a provider says that money is gone, which no waiting brings back.
_NO_CREDIT = re.compile(r"insufficient_quota|billing|credit|payment|quota_exceeded|spend", re.IGNORECASE)
_UNKNOWN_MODEL = re.compile(r"model_not_found|unknown_model|deployment_?not_?found", re.IGNORECASE)
_FILTERED = re.compile(r"content_filter|content_policy|moderation|responsible_?ai", re.IGNORECASE)
# A parameter that one request can't have, none of the run's can.
_PARAMETER = re.compile(r"(unsupported|unknown|invalid|missing_required)_(parameter|value|type)", re.IGNORECASE)
_TOO_LONG = re.compile(r"context_length|too_long|string_above_max", re.IGNORECASE)
_FOREVER_S = 1e9  # longer than anybody waits
_MESSAGE_CHARACTERS = 600  # a provider may send a page of HTML


class BadReply(Exception):
    """A provider answered with success, but with nothing that is a reply; passes in most cases.

    Attributes:
        status: The HTTP status that its body speaks of, None where it doesn't.
        code: The code or type of the error that its body speaks of.
    """

    def __init__(self, message: str, *, status: int | None = None, code: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class UnfitServer(Exception):
    """A server answers in a way that the run can't use, whatever is asked: the run ends with this line."""


class BatchGone(Exception):
    """The provider no longer has a batch, or shows it to another key alone."""


@contextmanager
def reading_a_reply() -> Iterator[None]:
    """Turn whatever goes wrong while a reply is taken apart into a :class:`BadReply`: a server may send anything.

    Raises:
        BadReply: see above.
    """
    try:
        yield
    except (AttributeError, TypeError, LookupError, ValueError, RecursionError) as error:
        raise BadReply(f"the reply has an odd form ({type(error).__name__}: {error})") from error


@dataclass(frozen=True, slots=True)
class Fault:
    """What is done about a failed call.

    Attributes:
        kind: ``pass``: the sample is an error record, or refused where the name is ``refused``; ``retry``: again
            after a while, a bounded number of times; ``stop``: the run ends, since every other call would fail too.
        name: Short stable name, kept in :class:`runner.sampling.generation.Failure`.
        message: For a person, one line, without secrets.
        retry_after_s: Seconds that the provider asks to wait, None where it doesn't.
        boundary: Where the error arose.
    """

    kind: Literal["pass", "retry", "stop"]
    name: str
    message: str
    retry_after_s: float | None = None
    boundary: Boundary = Boundary.TRANSPORT

    @property
    def overload(self) -> bool:
        """Whether fewer calls at once would help."""
        return self.kind == "retry" and self.name in OVERLOADS


def classify(
    status: int | None,
    *,
    message: str,
    code: str = "",
    headers: Mapping[str, str] | None = None,
    retry_after_s: float | None = None,
) -> Fault:
    """Decide what is done about an error that a provider answered with.

    Args:
        status: The HTTP status; None where nothing came back (no connection, reset, no answer in time).
        message: What the provider or the client says.
        code: The provider's own word for it (``error.code``, ``error.type``, ``error.status``), if any.
        headers: Of the reply, names in lower case or found in any; None where there are none.
        retry_after_s: Seconds that the provider asks to wait, where it says so elsewhere than in the headers.
    """
    found = headers or {}
    if status is not None and 300 <= status < 400:
        place = found.get("location", "nowhere")
        message = f"redirected to {place}; not followed, since the key would go there: see engine.base_url"
    line = one_line(f"HTTP {status}: {message}" if status is not None else message)
    kind, name = _decide(status, code)
    boundary = Boundary.PROMPT if name == "prompt_too_long" else Boundary.TRANSPORT
    if kind != "retry":
        return Fault(kind, name, line, None, boundary)
    waits = retry_after_of(found) if retry_after_s is None else retry_after_s
    return Fault(kind, name, line, waits, boundary)


def _decide(status: int | None, code: str) -> tuple[Literal["pass", "retry", "stop"], str]:
    """Return kind and name; the provider's own word counts more than the status, which gateways change."""
    if _NO_CREDIT.search(code) or status == 402:
        return "stop", "no_credit"
    if _FILTERED.search(code):
        return "pass", REFUSED
    if status is None:
        return "retry", "no_connection"
    if status == 401:
        return "stop", "bad_key"
    if status == 403:
        return "pass", FORBIDDEN
    if 300 <= status < 400:
        return "stop", "redirected"
    if status == 404 or _UNKNOWN_MODEL.search(code):
        return "stop", "unknown_model"
    if status == 429:
        return "retry", "rate_limited"
    if status in (503, 529):
        return "retry", "overloaded"
    if status in (408, 409, 425) or (status >= 500 and status != 501):
        return "retry", "server_error"
    if _TOO_LONG.search(code):
        return "pass", "prompt_too_long"
    if _PARAMETER.search(code):
        return "stop", "bad_parameter"
    return "pass", "request_refused"


def general_fault(error: Exception) -> Fault | None:
    """Return what is done about an error that is of no client library, None for other errors."""
    if isinstance(error, BadReply):
        if error.status is not None or error.code:
            return classify(error.status or 500, message=str(error), code=error.code)
        return Fault("retry", "bad_reply", one_line(str(error)))
    if isinstance(error, UnfitServer):
        return Fault("stop", "unfit_server", one_line(str(error)))
    if isinstance(error, TimeoutError):
        return Fault("retry", "timeout", "no whole answer within engine.timeout_s")
    if isinstance(error, OSError):
        return Fault("retry", "no_connection", one_line(f"{type(error).__name__}: {error}"))
    return None


def unexpected(error: Exception) -> Fault:
    """Return the fault of an error that nobody foresaw: it costs its sample and nothing else."""
    return Fault("pass", "unexpected", one_line(f"{type(error).__name__}: {error}"), boundary=Boundary.ENGINE)


def retry_after_of(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that ``retry-after-ms`` or ``retry-after`` (seconds or an HTTP date) asks for, else None."""
    lower = {name.lower(): value for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        value = lower.get(name, "").strip()
        if re.fullmatch(r"[0-9]{1,300}(\.[0-9]{0,300})?", value):
            return min(float(value), _FOREVER_S) * unit
    try:
        when = parsedate_to_datetime(lower.get("retry-after", ""))
    except (ValueError, TypeError):
        return None
    except OverflowError:  # a year beyond all calendars
        return _FOREVER_S
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


def one_line(message: str) -> str:
    """Return a message as one line of bounded length."""
    line = " ".join(message.split())
    return line if len(line) <= _MESSAGE_CHARACTERS else f"{line[:_MESSAGE_CHARACTERS]}…"
