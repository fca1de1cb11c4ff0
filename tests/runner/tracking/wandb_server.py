"""A W&B server on the loopback device: keeps what the real client sends, takes any key, forgets on exit.

It proves what the client sends, not what W&B does with it.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ENTITY = "team"
HISTORY, EVENTS, SUMMARY = "wandb-history.jsonl", "wandb-events.jsonl", "wandb-summary.json"


@dataclass
class Run:
    """One run as the server knows it after any number of attempts."""

    starts: int = 0  # times a client opened it
    fields: dict[str, Any] = field(default_factory=dict)  # the last displayName, groupName, tags
    config: dict[str, Any] = field(default_factory=dict)
    files: dict[str, list[str]] = field(default_factory=dict)  # streamed lines by file name
    exit_code: int | None = None  # of the last attempt that was finished

    @property
    def summary(self) -> dict[str, Any]:
        return json.loads(self.files[SUMMARY][0])

    @property
    def finished(self) -> bool:
        return self.exit_code is not None

    def lines(self, name: str) -> list[str]:
        return self.files.get(name, [])

    def stream(self, body: dict[str, Any]) -> None:
        for name, chunk in (body.get("files") or {}).items():
            lines = self.files.setdefault(name, [])
            lines[chunk["offset"] :] = chunk["content"]
        self.exit_code = body.get("exitcode", self.exit_code)


class WandbServer:
    """``with WandbServer() as server``: the client's base url is ``server.url``."""

    def __init__(self) -> None:
        self.runs: dict[str, Run] = {}
        self.artifacts: dict[str, str] = {}  # name -> type
        self.uploads: dict[str, bytes] = {}  # path of the upload url -> content
        self.views: list[dict[str, Any]] = []  # saved reports as they were sent
        self.errors: list[str] = []  # requests that this server doesn't know
        self.broken = False  # answer every operation with nothing
        self.status = 200  # of every answer
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> WandbServer:
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def uploaded(self, ending: str) -> bytes:
        """Return the one uploaded file whose path ends so."""
        (content,) = [content for path, content in self.uploads.items() if path.endswith(ending)]
        return content

    def graphql(self, operation: str, given: dict[str, Any]) -> dict[str, Any]:
        """Answer one operation by its name; an unknown one gets no data."""
        answer = None if self.broken else getattr(self, f"_{operation}", None)
        return answer(given) if answer else {}

    def _Viewer(self, _: dict[str, Any]) -> dict[str, Any]:
        viewer = {
            "id": "viewer",
            "username": ENTITY,
            "entity": ENTITY,
            "email": "",
            "flags": "{}",
            "teams": {"edges": []},
        }
        return {"viewer": viewer}

    def _RunResumeStatus(self, given: dict[str, Any]) -> dict[str, Any]:
        run = self.runs.get(given["name"])
        return {
            "model": {
                **_named(given["project"]),
                "entity": _named(ENTITY),
                "bucket": run and _stored(given["name"], run),
            }
        }

    def _UpsertBucket(self, given: dict[str, Any]) -> dict[str, Any]:
        run = self.runs.setdefault(given["name"], Run())
        run.starts += given["displayName"] is not None
        run.fields |= {key: given[key] for key in ("displayName", "groupName", "tags") if given[key] is not None}
        run.config |= json.loads(given["config"] or "{}")
        project = {**_named(given["project"]), "entity": _named(ENTITY)}
        bucket = {**_named(given["name"]), "displayName": run.fields.get("displayName"), "project": project}
        return {"upsertBucket": {"bucket": {**bucket, "config": json.dumps(run.config)}, "inserted": run.starts == 1}}

    def _CreateRunFiles(self, given: dict[str, Any]) -> dict[str, Any]:
        files = [self._upload("runs", given["run"], name) for name in given["files"]]
        return {"createRunFiles": {"runID": given["run"], "uploadHeaders": [], "files": files}}

    def _ArtifactType(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"project": {"artifact": None}}

    def _CreateArtifact(self, given: dict[str, Any]) -> dict[str, Any]:
        name = given["artifactCollectionName"]
        self.artifacts[name] = given["artifactTypeName"]
        sequence = {"id": name, "latestArtifact": None}
        return {"createArtifact": {"artifact": {"id": name, "state": "PENDING", "artifactSequence": sequence}}}

    def _CreateArtifactManifest(self, given: dict[str, Any]) -> dict[str, Any]:
        file = self._upload("manifests", given["artifactID"], given["name"])
        return {"createArtifactManifest": {"artifactManifest": {"id": "manifest", "file": file}}}

    def _CreateArtifactFiles(self, given: dict[str, Any]) -> dict[str, Any]:
        files = [
            {**self._upload("artifacts", file["artifactID"], file["name"]), "artifact": {"id": file["artifactID"]}}
            for file in given["artifactFiles"]
        ]
        return {"createArtifactFiles": {"files": {"edges": [{"node": file} for file in files]}}}

    def _CommitArtifact(self, given: dict[str, Any]) -> dict[str, Any]:
        return {"commitArtifact": {"artifact": {"id": given["artifactID"], "digest": "digest"}}}

    def _GetDefaultEntity(self, given: dict[str, Any]) -> dict[str, Any]:
        return self._Viewer(given)

    def _ProjectInternalId(self, given: dict[str, Any]) -> dict[str, Any]:
        return {"project": {"id": given["projectName"], "internalId": "internal"}}

    def _GetProjects(self, given: dict[str, Any]) -> dict[str, Any]:
        page = {"__typename": "PageInfo", "endCursor": None, "hasNextPage": False}
        return {"models": {"pageInfo": page, "edges": []}}

    def _CreateProject(self, given: dict[str, Any]) -> dict[str, Any]:
        return {"upsertModel": {"model": _named(given["name"]), "project": _named(given["name"]), "inserted": True}}

    def _upsertView(self, given: dict[str, Any]) -> dict[str, Any]:
        self.views.append(given)
        project = {**_named(given["projectName"]), "entityName": given["entityName"]}
        kept = {key: given[key] for key in ("name", "displayName", "description", "spec")}
        return {"upsertView": {"view": {"id": "view", **kept, "project": project}, "inserted": True}}

    def _upload(self, kind: str, owner: str, name: str) -> dict[str, Any]:
        url = f"{self.url}/upload/{kind}/{owner}/{name}"
        return {"id": url, "name": name, "displayName": name, "uploadUrl": url, "uploadHeaders": []}


def _named(name: str) -> dict[str, Any]:
    return {"id": name, "name": name}


def _stored(name: str, run: Run) -> dict[str, Any]:
    return {
        **_named(name),
        "displayName": run.fields.get("displayName"),
        "summaryMetrics": json.dumps(run.summary),
        "config": json.dumps(run.config),
        "tags": run.fields.get("tags"),
        "historyLineCount": len(run.lines(HISTORY)),
        "eventsLineCount": len(run.lines(EVENTS)),
        "logLineCount": 0,
        "historyTail": json.dumps(run.lines(HISTORY)[-1:]),
        "eventsTail": json.dumps(run.lines(EVENTS)[-1:]),
        "wandbConfig": json.dumps({"t": 1}),
    }


class _Http(ThreadingHTTPServer):
    owner: WandbServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # the client drops its connections at exit
            self.owner.errors.append(repr(sys.exception()))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def do_POST(self) -> None:
        owner, body = self.server.owner, json.loads(self._body())
        answer = {}
        if self.path == "/graphql":
            operation = re.search(r"(?:query|mutation)\s+(\w+)", body["query"])[1]
            given = body.get("variables") or {}
            answer = {"data": owner.graphql(operation, given.get("input") or given)}
        else:  # /files/<entity>/<project>/<run>/file_stream
            owner.runs[self.path.split("/")[-2]].stream(body)
        self._reply(answer)

    def do_PUT(self) -> None:
        self.server.owner.uploads[self.path] = self._body()
        self._reply({})

    def _body(self) -> bytes:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

    def _reply(self, answer: dict[str, Any]) -> None:
        body = json.dumps(answer).encode()
        self.send_response(self.server.owner.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...
