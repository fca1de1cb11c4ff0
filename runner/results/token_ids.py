"""The side file of token ids: little-endian unsigned 32-bit integers, found by the places in a record's line."""

from __future__ import annotations

import dataclasses
import os
import sys
from array import array
from typing import BinaryIO
from zlib import crc32

from runner.results.record import IdPlace, IdPlaces, Record

ID_BYTES = 4


def laid_out(record: Record, start: int) -> tuple[bytes, IdPlaces]:
    """Return the ids of all turns as bytes, and where each turn's lie if they are written at ``start``.

    Raises:
        ValueError: an id is no unsigned 32-bit integer.
    """
    data = bytearray()
    places: list[IdPlace | None] = []
    for turn in record.turns:
        if turn.token_ids is None:
            places.append(None)
            continue
        try:
            ids = _little_endian(array("I", turn.token_ids)).tobytes()
        except (OverflowError, TypeError) as error:
            raise ValueError(f"{record.key}: token ids are unsigned 32-bit integers: {error}") from error
        places.append((start + len(data) // ID_BYTES, len(turn.token_ids), crc32(ids)))
        data += ids
    return bytes(data), tuple(places)


def add_ids(record: Record, places: IdPlaces, file: BinaryIO) -> Record:
    """Return the record with the ids of its turns; those that are lost stay None."""
    turns = tuple(
        turn if place is None else dataclasses.replace(turn, token_ids=_ids_at(file, place))
        for turn, place in zip(record.turns, places, strict=False)
    )
    return dataclasses.replace(record, turns=turns + record.turns[len(turns) :])


def _ids_at(file: BinaryIO, place: IdPlace) -> tuple[int, ...] | None:
    """Return the ids at a place, or None if they are lost: the file ends before, or holds others there."""
    start, count, crc = place
    if os.fstat(file.fileno()).st_size < (start + count) * ID_BYTES:
        return None
    data = os.pread(file.fileno(), count * ID_BYTES, start * ID_BYTES)
    if crc is not None and crc32(data) != crc:
        return None
    ids = array("I")
    ids.frombytes(data)
    return tuple(_little_endian(ids))


def _little_endian(ids: array[int]) -> array[int]:
    if sys.byteorder == "big":
        ids.byteswap()
    return ids
