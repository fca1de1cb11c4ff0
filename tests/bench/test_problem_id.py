"""The digest of a problem's data is that of its JSON, however it is written."""

from __future__ import annotations

import hashlib
import json

import pytest

from bench.problem import data_digest


@pytest.mark.parametrize(
    "data", [(3, -4, 10), (), (1, True), [1, 2], {"a": [1]}, ("1",), ((1, 2), 3), 10**40, (10**40,)]
)
def test_the_digest_is_that_of_compact_json(data):
    written = json.dumps(["sum", 2, data], separators=(",", ":"))
    assert data_digest("sum", 2, data) == hashlib.sha256(written.encode("ascii")).hexdigest()[:8]
