"""How each of the 14 tasks is worked out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from thinker.columns import added, divided, multiplied, subtracted
from thinker.trace import Trace, lettered

Data = Sequence[int]

_DECIMALS = 2


def work_out(task: str, data: Data) -> Trace:
    """Return a problem of one of the 14 tasks worked out.

    Raises:
        KeyError: there is no such task.
    """
    return _WORKINGS[task](data)


def _running(values: Data) -> Iterator[tuple[int, int]]:
    """Yield the sum of the values before each value but the first, and the value."""
    total = values[0]
    for value in values[1:]:
        yield total, value
        total += value


def _sum(values: Data) -> Trace:
    items = lettered(values)
    steps = list(_running(values))
    totals = [str(total + value) for total, value in steps]
    full = [f"{item}+{total}: {added(value, total)}" for item, (total, value) in zip(items[1:], steps, strict=True)]
    short = [f"{item}: {total}" for item, total in zip(items[1:], totals, strict=True)]
    total = sum(values)
    slip = str(steps[-1][0]) if values[-1] else None  # the last item is left out
    head, check = " ".join(items), f"{items[-1]}+{steps[-1][0]}={total}"
    return Trace((head, *full), (head, *short), " ".join(totals), str(total), check, slip)


def _division_steps(dividend: int, divisor: int) -> tuple[str, str, str]:
    """Return a long division in full and in short, and its result, rounded where it does not end."""
    decimals = _DECIMALS
    while dividend and 10 ** (decimals - 1) * dividend < divisor:  # two significant digits as well
        decimals += 1
    steps, count = divided(dividend, divisor, decimals)
    written = str(Fraction(10**count * dividend, divisor).__floor__()).rjust(count + 1, "0")
    ends = steps[-1][2] == 0
    # Digits are gathered by letters, as items of a list are, but by others.
    named = [f"{letter}{digit}" for letter, (_, digit, _) in zip("pqrstuvw", steps, strict=False)]
    each = zip(named, steps, strict=True)
    full = ", ".join(f"{part}/{divisor}={name} {digit * divisor}r{left}" for name, (part, digit, left) in each)
    full += f": {' '.join(named)}"
    result = _point(written, count)
    if not ends:
        left = steps[-1][2]
        up = 2 * left >= divisor
        rounded = str(int(written) + 1).rjust(count + 1, "0") if up else written
        full += f", {left}+{left}={2 * left} {'up' if up else 'down'}"
        result = _point(rounded, count)
    return full, "".join(f" {digit}r{left}" for _, digit, left in steps).strip(), result


def _point(digits: str, count: int) -> str:
    return f"{digits[:-count]}.{digits[-count:]}" if count else digits


def _mean(values: Data) -> Trace:
    sums = _sum(values)
    full, short, result = _division_steps(sum(values), len(values))
    head = f"{sums.answer}/{len(values)}"
    return Trace(
        (*sums.full, f"{head}: {full}: {result}"),
        (*sums.short, f"{head}: {short}: {result}"),
        f"{sums.brief} /{len(values)}",
        result,
        f"{head}={result}",
    )


def _division(pair: Data) -> Trace:
    first, second = pair
    sign = "-" if first and (first < 0) != (second < 0) else ""
    full, short, result = _division_steps(abs(first), abs(second))
    head = f"{abs(first)}/{abs(second)}"
    named = "minus" if sign else "plus"
    answer = sign + result
    check = f"{named} {head}: {answer}"
    return Trace(
        (f"{named} {head}", f"{full}: {answer}"), (f"{named} {head}: {short}: {answer}",), named, answer, check
    )


def _scan(choose: Callable[..., tuple[int, str]], pairs: Sequence[tuple[int, str]]) -> str:
    """Return items gone through, with the best so far behind each: ``a47 a47, b-3 b-3, c12 b-3``."""
    best = [choose(pairs[: at + 1], key=_value)[1] for at in range(len(pairs))]
    return ", ".join(f"{item} {so_far}" for (_, item), so_far in zip(pairs, best, strict=True))


def _value(pair: tuple[int, str]) -> int:
    return pair[0]


_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")


def _selections(values: Data, count: int) -> tuple[list[str], list[str]]:
    """Return a line for each of the ``count`` smallest items, found by a scan of those that are left, and the items."""
    left = list(zip(values, lettered(values), strict=True))
    lines, chosen = [], []
    for place in _PLACES[:count]:
        smallest = min(left, key=_value)
        lines.append(f"{_scan(min, left)}: {place} {smallest[1]}")
        chosen.append(smallest[1])
        left.remove(smallest)
    return lines, chosen


def _sorting(values: Data) -> Trace:
    lines, ordered = _selections(values, len(values))
    head, order = " ".join(lettered(values)), " ".join(ordered)
    placed = ", ".join(f"{place} {item}" for place, item in zip(_PLACES, ordered, strict=False))
    brief = " ".join(item[0] for item in ordered)
    return Trace((head, *lines, placed), (head, order), brief, str(sorted(values)), placed)


def _median(values: Data) -> Trace:
    """The smaller half and one more are selected; the middle stands at their end."""
    lines, ordered = _selections(values, len(values) // 2 + 1)
    head, size = " ".join(lettered(values)), len(values)
    low, high = sorted(values)[(size - 1) // 2], sorted(values)[size // 2]
    middle = [f"middle {' '.join(ordered[(size - 1) // 2 :])}"]
    answer, short = str(low), middle
    if size % 2 == 0:
        full, _, answer = _division_steps(low + high, 2)
        short = [*middle, f"{low}+{high}={low + high}, {low + high}/2={answer}"]
        middle = [*middle, f"{high}+{low}: {added(high, low)}", f"{low + high}/2: {full}: {answer}"]
    brief = " ".join(item[0] for item in ordered)
    return Trace((head, *lines, *middle), (head, " ".join(ordered), *short), brief, answer, f"middle {answer}")


def _mode(values: Data) -> Trace:
    """Each item is compared with those behind it, beside which its value is written, and its like are counted.

    A line ends with the highest count so far and the items that have it.
    """
    items, size = lettered(values), len(values)
    lines, most, modes = [], 0, list[str]()
    for at, value in enumerate(values):
        behind = [
            f"{items[other]} {value} {'yes' if values[other] == value else 'no'} {values[at : other + 1].count(value)}"
            for other in range(at + 1, size)
        ]
        count = values[at:].count(value)
        modes = [items[at]] if count > most else [*modes, items[at]] if count == most else modes
        most = max(count, most)
        line = [f"{items[at]} 1", ", ".join(behind), f"{most} {' '.join(modes)}"]
        lines.append(": ".join(part for part in line if part))
    head, last = " ".join(items), f"most {most}: {' '.join(modes)}"
    return Trace((head, *lines, last), (head, last), str(most), ", ".join(item[1:] for item in modes), last)


def _extreme(choose: Callable[..., Any], word: str) -> Callable[[Data], Trace]:
    def working(values: Data) -> Trace:
        items, best = lettered(values), choose(values)
        where, head = items[values.index(best)], " ".join(items)
        scanned = _scan(choose, list(zip(values, items, strict=True)))
        return Trace((f"{word} {head}", scanned), (head, f"{word} {where}"), where, str(best), f"{word} {where}")

    return working


def _count(parity: int, word: str) -> Callable[[Data], Trace]:
    def working(values: Data) -> Trace:
        items = lettered(values)
        counts = [sum(value % 2 == parity for value in values[: at + 1]) for at in range(len(values))]
        named = [("even", "odd")[value % 2] for value in values]
        full = ", ".join(f"{item} {name} {count}" for item, name, count in zip(items, named, counts, strict=True))
        hits = " ".join(item for item, value in zip(items, values, strict=True) if value % 2 == parity)
        head, total = " ".join(items), counts[-1]
        short = f"{word} {hits}: {total}" if hits else f"{word}: 0"
        brief = " ".join(str(count) for count in counts)
        return Trace((f"{word} {head}", full), (head, short), brief, str(total), f"{word} {total}", str(total + 1))

    return working


def _comparison(pair: Data) -> Trace:
    first, second = pair
    signs = ["minus" if value < 0 else "plus" for value in pair]
    answer = "=" if first == second else "<" if first < second else ">"
    lines = [f"{first} {signs[0]}, {second} {signs[1]}"]
    if signs[0] == signs[1]:
        lines.append(_compared(abs(first), abs(second)))
        if signs[0] == "minus":
            lines.append(f"minus turns: {answer}")
    return Trace(tuple(lines), (lines[0],), " ".join(signs), answer, f"{first} {answer} {second}")


def _compared(first: int, second: int) -> str:
    """Return two numbers of at most two digits compared, tens first."""
    parts = [f"{top}{_sign(top, bottom)}{bottom}" for top, bottom in _columns(first, second)]
    return f"{', '.join(parts)}: {_sign(first, second)}"


def _columns(first: int, second: int) -> Iterator[tuple[int, int]]:
    """Yield the digits down to the first place in which they differ."""
    yield first // 10, second // 10
    if first // 10 == second // 10:
        yield first % 10, second % 10


def _sign(first: int, second: int) -> str:
    return "=" if first == second else "<" if first < second else ">"


def _signed_sum(first: int, second: int) -> tuple[list[str], str]:
    """Return the lines that add two numbers of any sign, and what they come to before the digits."""
    larger, smaller = sorted((abs(first), abs(second)), reverse=True)
    total = first + second
    minus = "minus " if total < 0 else ""
    if (first < 0) == (second < 0) or not smaller:
        return [f"{minus}{larger}+{smaller}", added(larger, smaller)], f"{minus}{larger}+{smaller}"
    compared = f"{abs(first)} {abs(second)}: {_compared(abs(first), abs(second))}"
    rest = f"{minus}{larger}-{smaller}"
    return [compared, rest, subtracted(larger, smaller)], rest


def _subtraction(pair: Data) -> Trace:
    first, second = pair
    lines, short = _signed_sum(second, -first)
    head, total = f"{second} and {-first}", second - first
    answer = str(total)
    slip = str(-total) if total else None  # the sign is wrong
    return Trace((head, *lines, answer), (head, f"{short}: {answer}"), short, answer, f"{head}: {answer}", slip)


def _absolute_difference(pair: Data) -> Trace:
    first, second = pair
    lines, short = _signed_sum(first, -second)
    lines = [line.removeprefix("minus ") for line in lines]
    short = short.removeprefix("minus ")
    head, total = f"{first} and {-second}", abs(first - second)
    slip = str(-total) if total else None  # the sign is wrong
    return Trace((head, *lines), (head, f"{short}: {total}"), short, str(total), f"{head}: {total}", slip)


def _multiplication(pair: Data) -> Trace:
    first, second = pair
    tens, ones = divmod(second, 10)
    product = first * second
    answer = str(product)
    head = f"{first}*{second}"
    check = f"{head}={answer}"
    if not tens:
        return Trace((head, multiplied(first, ones)), (f"{head}: {answer}",), head, answer, check)
    parts = f"{first}*{ones}={first * ones}, {first}*{tens}={first * tens}"
    rows = [f"{first}*{digit}: {multiplied(first, digit)}" for digit in (ones, tens)]
    full = (f"{head}: {second}={tens * 10}+{ones}", *rows, added(first * ones, first * tens * 10))
    return Trace(full, (f"{parts}: {answer}",), f"{first * ones} {first * tens * 10}", answer, check)


_WORKINGS: dict[str, Callable[[Data], Trace]] = {
    "sorting": _sorting,
    "comparison": _comparison,
    "sum": _sum,
    "subtraction": _subtraction,
    "multiplication": _multiplication,
    "division": _division,
    "absolute_difference": _absolute_difference,
    "find_max": _extreme(max, "max"),
    "find_min": _extreme(min, "min"),
    "mean": _mean,
    "median": _median,
    "mode": _mode,
    "odd_count": _count(1, "odd"),
    "even_count": _count(0, "even"),
}
