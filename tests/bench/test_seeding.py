"""Promises of bench.seeding and bench.ranking: the same bytes everywhere, no bias, nothing twice."""

from itertools import combinations, permutations
from math import comb

import pytest

from bench.ranking import arrangement, arrangements, combination, digits
from bench.seeding import Stream, encode_key, permuted, stratified


def chi_square_is_plausible(counts, expected):
    """Tell whether counts look uniform: chi-square within six standard deviations of its mean."""
    statistic = sum((count - expected) ** 2 / expected for count in counts)
    freedom = len(counts) - 1
    return abs(statistic - freedom) < 6 * (2 * freedom) ** 0.5


def test_draws_are_pinned():
    # A change of any of these changes the data of every run ever made.
    assert Stream(42, "pin").integers(6, -1000, 1000) == [216, -588, -865, 765, -639, -405]
    assert Stream(42, "pin").integers(2, 0, 10**12) == [246020389751, 912483773837]
    assert Stream(42, "pin").shuffled("abcdef") == list("ecfbad")
    assert [permuted(i, 10, 42, "pin") for i in range(10)] == [9, 7, 5, 1, 6, 4, 3, 8, 2, 0]
    assert [permuted(i, 10**12, 42, "pin") for i in range(3)] == [402324456072, 575499590072, 394081911726]


@pytest.mark.parametrize(
    ("one", "other"),
    [((1,), ("1",)), (("a", "b"), ("ab",)), (("a,b",), ("a", "b")), ((1, 2), (12,)), (("'",), ('"',)), ((), ("",))],
)
def test_different_keys_never_collide(one, other):
    assert encode_key(*one) != encode_key(*other)


@pytest.mark.parametrize("part", [True, 1.0, None, b"a"])
def test_a_key_refuses_what_has_no_fixed_spelling(part):
    with pytest.raises(TypeError, match="plain strings and integers"):
        Stream(part)
    permuted(0, 4, 1)
    with pytest.raises(TypeError, match="plain strings and integers"):
        permuted(0, 4, part)


@pytest.mark.parametrize("high", [1, 2000, 40_000, 3 * 10**9, 10**30])
def test_bulk_draws_equal_single_draws(high):
    bulk, single = Stream("bulk"), Stream("bulk")
    assert bulk.integers(50, -3, high) == [single.between(-3, high) for _ in range(50)]
    assert bulk.below(high) == single.below(high)


@pytest.mark.parametrize("n", [3, 10, 200, 40_000])
def test_below_is_unbiased(n):
    stream, cells, draws = Stream("bias", n), min(n, 10), 20_000
    counts = [0] * cells
    for value in stream.integers(draws, 0, n - 1):
        counts[value * cells // n] += 1
    assert chi_square_is_plausible(counts, draws / cells)


def test_every_order_of_a_shuffle_is_equally_likely():
    counts = dict.fromkeys(permutations(range(4)), 0)
    for key in range(6000):
        counts[tuple(Stream(key).shuffled(range(4)))] += 1
    assert chi_square_is_plausible(counts.values(), 250)


def test_distinct_draws_can_take_the_whole_range():
    assert sorted(Stream(1).distinct(20, -9, 10)) == list(range(-9, 11))
    with pytest.raises(ValueError, match="no 3 different integers"):
        Stream(1).distinct(3, 0, 1)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 256, 257, 2001, 4_099])
def test_permuted_is_a_bijection_and_starts_a_new_one_when_exhausted(size):
    first, second = ([permuted(start + i, size, "bijection") for i in range(size)] for start in (0, size))
    assert sorted(first) == sorted(second) == list(range(size))
    assert size < 5 or first != second


@pytest.mark.parametrize("size", [2**64, 2**64 + 13])
def test_permuted_reaches_beyond_64_bits_without_repeating(size):
    values = [permuted(position, size, "large") for position in range(500)]
    assert len(set(values)) == 500
    assert all(0 <= value < size for value in values)
    assert max(values) > size * 0.9


def test_a_large_permutation_shows_no_pattern_between_neighbours():
    counts = [0] * 100
    for key in range(8000):
        counts[permuted(0, 300, key) // 30 * 10 + permuted(1, 300, key) // 30] += 1
    # Neighbours never get the same value, which takes 1 of 30 from each cell on the diagonal.
    pairs = 300 * 299
    expected = [8000 * (30 * 29 if cell % 11 == 0 else 30 * 30) / pairs for cell in range(100)]
    assert sum((count - mean) ** 2 / mean for count, mean in zip(counts, expected, strict=True)) < 99 + 6 * 14


@pytest.mark.parametrize(("position", "size"), [(0, 0), (-1, 5)])
def test_permuted_refuses_positions_that_do_not_exist(position, size):
    with pytest.raises(ValueError, match="no position"):
        permuted(position, size)


def test_a_run_holds_every_kind_by_its_share_and_counts_its_items_in_order():
    drawn = [stratified(position, (33, 0, 67), "shares") for position in range(300)]
    for kind, items in ((0, 99), (2, 201)):
        assert [earlier for other, earlier in drawn if other == kind] == list(range(items))
    assert sum(kind == 0 for kind, _ in drawn[100:200]) == 33
    assert [kind for kind, _ in drawn[:100]] != [kind for kind, _ in drawn[100:200]]


def test_rankings_list_every_object_once():
    assert {tuple(digits(rank, 3, 4)) for rank in range(81)} == {
        (a, b, c, d) for a in range(3) for b in range(3) for c in range(3) for d in range(3)
    }
    chosen = {frozenset(combination(rank, 7, 3)) for rank in range(comb(7, 3))}
    assert chosen == {frozenset(subset) for subset in combinations(range(7), 3)}
    words = [tuple(arrangement(rank, [2, 1, 2])) for rank in range(arrangements([2, 1, 2]))]
    assert words == sorted(set(permutations([0, 0, 1, 2, 2])))
