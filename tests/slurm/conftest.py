"""The cluster that the tests run on: make test-slurm starts it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    if "SLURM_TEST_FOLDER" not in os.environ:
        pytest.skip("there is no test cluster; type make test-slurm")
    used = Cluster(tmp_path)
    yield used
    used.cancel()
