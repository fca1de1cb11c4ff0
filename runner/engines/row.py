"""One request while it is being decoded."""

from __future__ import annotations

from dataclasses import dataclass, field

from runner.engines.writing import Rendered
from runner.sampling.request import Request


@dataclass(slots=True, eq=False)
class Row:
    """A request being decoded.

    Attributes:
        request: What was asked.
        rendered: The same as ids.
        submitted_s: Monotonic time of submission.
        alone: It was in a batch that failed, so it is tried once more without neighbours.
        ids: Prompt, prefix and all new ids so far.
    """

    request: Request
    rendered: Rendered
    submitted_s: float
    alone: bool = False
    ids: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ids = list(self.rendered.input_ids)

    @property
    def new(self) -> int:
        """How many ids were generated so far."""
        return len(self.ids) - len(self.rendered.prompt_ids) - len(self.rendered.prefix_ids)

    @property
    def new_ids(self) -> list[int]:
        """The ids generated so far."""
        return self.ids[len(self.ids) - self.new :]
