"""A real HTTP server on loopback that answers as it is told: what a provider does, and what goes wrong with one."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Call:
    """A request that came in."""

    method: str
    path: str
    headers: Mapping[str, str]  # names in lower case
    body: Any  # what the JSON held; None for none, bytes for what is no JSON


@dataclass(frozen=True)
class Answer:
    """What the server does with one call.

    Attributes:
        body: Sent as JSON; bytes as they are.
        status: HTTP status.
        headers: Further headers; may replace the content type.
        cut_after: Bytes of the body after which the connection is reset; None sends all of it.
        hangs: Nothing is sent until the server closes.
    """

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut_after: int | None = None
    hangs: bool = False


Script = Callable[[Call], Answer]


class Loopback:
    """The server; see :func:`serving`."""

    def __init__(self, script: Script) -> None:
        self.calls: list[Call] = []
        self.script = script
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, call: Call) -> Answer:
        with self._lock:
            self.calls.append(call)
            return self.script(call)

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def in_turn(*answers: Answer) -> Script:
    """Answer one after the other; the last one again and again."""
    left = list(answers)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


@contextmanager
def serving(script: Script | Sequence[Answer] | Answer) -> Iterator[Loopback]:
    """Serve on a free port of loopback."""
    if isinstance(script, Answer):
        script = in_turn(script)
    server = Loopback(script if callable(script) else in_turn(*script))
    try:
        yield server
    finally:
        server.close()


def _handler(server: Loopback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            raw = self.rfile.read(length)
            headers = {name.lower(): value for name, value in self.headers.items()}
            plain = "json" not in headers.get("content-type", "")
            body_in = (raw if plain else json.loads(raw)) if raw else None
            answer = server.answer(Call(self.command, self.path, headers, body_in))
            if answer.hangs:
                server.closing.wait(60)
                self.close_connection = True
                return
            body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            self.send_response(answer.status)
            for name, value in {"content-type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body if answer.cut_after is None else body[: answer.cut_after])
            if answer.cut_after is not None:
                self.close_connection = True

        do_GET = do_POST

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler
