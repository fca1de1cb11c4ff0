"""A text without its cap, as token ids, and where such texts are kept."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Piece:
    """Ids that one run added to a trajectory.

    Attributes:
        ids: The ids, the end token among them.
        ended: The model ended the text with the last of them.
        run: The run's name.
    """

    ids: tuple[int, ...]
    ended: bool
    run: str


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A text without its cap, as far as it is known: its pieces in order."""

    pieces: tuple[Piece, ...] = ()

    @property
    def ids(self) -> tuple[int, ...]:
        """All ids."""
        return tuple(token for piece in self.pieces for token in piece.ids)

    @property
    def ended(self) -> bool:
        """Whether the text is complete."""
        return bool(self.pieces) and self.pieces[-1].ended

    def extended(self, start: int, piece: Piece) -> Trajectory:
        """Return the trajectory with ``piece`` behind its first ``start`` ids, in place of what stood there."""
        kept: list[Piece] = []
        for before in self.pieces:
            if start > 0:
                kept.append(before if len(before.ids) <= start else Piece(before.ids[:start], False, before.run))
            start -= len(before.ids)
        return Trajectory((*kept, piece))

    def runs(self, start: int, end: int) -> frozenset[str]:
        """Return the runs that generated the ids from ``start`` to ``end``."""
        ends = accumulate(len(piece.ids) for piece in self.pieces)
        spans = ((stop - len(piece.ids), stop, piece.run) for piece, stop in zip(self.pieces, ends, strict=True))
        return frozenset(run for begin, stop, run in spans if begin < end and start < stop)


class Trajectories(Protocol):
    """Where trajectories are kept; :class:`runner.results.trajectories.TrajectoryFile` keeps them on disk."""

    def get(self, key: bytes) -> Trajectory:
        """Return what is known of a trajectory, an empty one if nothing is."""
        ...

    def extend(self, key: bytes, start: int, piece: Piece) -> None:
        """Put ``piece`` behind the first ``start`` ids of a trajectory, in place of what stood there."""
        ...


class KeptInMemory:
    """Trajectories that end with the process."""

    def __init__(self) -> None:
        self._known: dict[bytes, Trajectory] = {}

    def get(self, key: bytes) -> Trajectory:
        return self._known.get(key, Trajectory())

    def extend(self, key: bytes, start: int, piece: Piece) -> None:
        self._known[key] = self.get(key).extended(start, piece)
