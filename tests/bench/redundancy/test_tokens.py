"""Tokens before a place, counted on ids by decoding few of them, are those that a tokenizer's offsets say."""

from __future__ import annotations

from collections.abc import Sequence

from bench.redundancy.tokens import by_characters, by_decoding, by_starts
from bench.seeding import Stream

PIECES = ("a", " bc", "def ", "\n", " ghijklm", ".", "0")


def decode(ids: Sequence[int]) -> str:
    return "".join(PIECES[one] for one in ids)


def test_ids_are_counted_as_offsets_count_them() -> None:
    stream = Stream("tokens")
    ids = [stream.below(len(PIECES)) for _ in range(3_000)]
    text = decode(ids)
    starts, at = [], 0
    for one in ids:
        starts.append(at)
        at += len(PIECES[one])
    exact, found = by_starts(starts), by_decoding(ids, decode, len(text))
    places = [0, 1, 2, 50, len(text) - 1, len(text), *(stream.below(len(text)) for _ in range(200))]
    assert [found(place) for place in places] == [exact(place) for place in places]


def test_few_ids_are_decoded_for_a_place() -> None:
    decoded = 0

    def counting(ids: Sequence[int]) -> str:
        nonlocal decoded
        decoded += len(ids)
        return "ab" * len(ids)

    assert by_decoding([7] * 10_000, counting, 20_000)(10_001) == 5_001
    assert decoded < 7_000


def test_without_ids_characters_share_the_tokens() -> None:
    counter = by_characters(50, 200)
    assert [counter(0), counter(100), counter(200), counter(900)] == [0, 25, 50, 50]
    assert by_characters(5, 0)(3) == 0
