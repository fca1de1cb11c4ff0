"""A tiny model's files, and a server on loopback that speaks enough of the hub's protocol for its real client."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {
    "config.json": b'{"model_type": "llama", "hidden_size": 8}',
    "tokenizer.json": b"{}",
    "chat_template.jinja": b"{{ messages }}",
    "model.safetensors": b"\x08\x00\x00\x00\x00\x00\x00\x00{}      ",
    "pytorch_model.bin": b"the same in the old layout",
    "original/consolidated.safetensors": b"the same once more",
    "modeling_tiny.py": b"print('code')",
    "README.md": b"# tiny",
}


def write_model(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        (folder / name).write_bytes(FILES[name])
    return folder


@dataclass
class Hub:
    """``gated`` refuses files as the hub does; ``authorisations`` are the headers it was sent."""

    url: str
    stop: Callable[[], None]
    repos: dict[str, dict[str, bytes]] = field(default_factory=lambda: {"org/tiny": FILES, "org/gated": FILES})
    authorisations: set[str | None] = field(default_factory=set)

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        parts = unquote(urlsplit(path).path).strip("/").split("/")
        if parts[0] == "datasets":
            parts = parts[1:]
        api = parts[:2] in (["api", "models"], ["api", "datasets"])
        repo, rest = "/".join(parts[2:4] if api else parts[:2]), parts[4:] if api else parts[2:]
        files = self.repos.get(repo)
        if files is None:
            return 404, {"X-Error-Code": "RepoNotFound"}, b""
        if len(rest) > 1 and rest[1] not in ("main", COMMIT):
            return 404, {"X-Error-Code": "RevisionNotFound"}, b""
        if api:
            return 200, {"Content-Type": "application/json"}, json.dumps(self._listing(rest, repo, files)).encode()
        if repo == "org/gated":
            return 403, {"X-Error-Code": "GatedRepo"}, b""
        content = files["/".join(rest[2:])]
        return 200, {"ETag": f'"{hashlib.sha1(content).hexdigest()}"', "X-Repo-Commit": COMMIT}, content

    @staticmethod
    def _listing(rest: list[str], repo: str, files: dict[str, bytes]) -> object:
        if rest and rest[0] == "tree":
            return [{"type": "file", "path": name, "size": len(data), "oid": "0" * 40} for name, data in files.items()]
        return {"id": repo, "sha": COMMIT, "siblings": [{"rfilename": name} for name in files]}


@contextmanager
def running_hub() -> Iterator[Hub]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if "org/" in self.path:  # not the client's own housekeeping
                hub.authorisations.add(self.headers.get("Authorization"))
            status, headers, content = hub.answer(self.path)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        do_HEAD = do_GET

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def stop() -> None:
        server.shutdown()
        server.server_close()

    hub = Hub(f"http://127.0.0.1:{server.server_address[1]}", stop)
    yield hub
    stop()


_LOCATE = """
import json, logging, sys
logging.basicConfig(level="INFO")
from runner.config.settings import GptqSettings, ModelSettings, PrecisionSettings
from runner.errors import StorageError, UserError
from runner.weights.quantize import tokenizer_for, weights_for
asked = json.loads(sys.argv[1])
precision, tokenizer_of = asked.pop("precision", "auto"), asked.pop("tokenizer_of", None)
model = ModelSettings(name="m", family="m", kind="instruct", **asked)
precision = (
    GptqSettings(name=precision, compute="auto", calibration_samples=1)
    if precision.startswith("int") else PrecisionSettings(name=precision)
)
try:
    weights = tokenizer_for(model, precision, tokenizer_of) if tokenizer_of else weights_for(model, precision)
    print(json.dumps({"folder": str(weights.folder), "revision": weights.revision}))
except (UserError, StorageError) as error:
    print(json.dumps({"error": str(error), "type": type(error).__name__}))
"""


def start_locate(environment: dict[str, str], **model: object) -> subprocess.Popen[str]:
    """Start a fresh process that locates a model; the hub's client reads its environment at import."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "TRANSFORMERS_"))}
    command = [sys.executable, "-c", _LOCATE, json.dumps(model)]
    return subprocess.Popen(
        command, env={**variables, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def located(process: subprocess.Popen[str]) -> tuple[dict[str, str], str]:
    """Return the folder and revision, or the error, of a started process; and its log."""
    out, log = process.communicate(timeout=300)
    assert process.returncode == 0, log
    return json.loads(out.splitlines()[-1]), log
