from __future__ import annotations

from collections.abc import Iterator

import pytest
from fake_hub import Hub, running_hub


@pytest.fixture
def hub() -> Iterator[Hub]:
    with running_hub() as hub:
        yield hub
