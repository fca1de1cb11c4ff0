"""Written arithmetic, digit by digit, in steps that are small enough to be learnt."""

from __future__ import annotations

from itertools import zip_longest


def digits(number: int) -> list[int]:
    """Return the decimal digits of a number that is not negative, ones first."""
    return [int(digit) for digit in reversed(str(number))]


def added(first: int, second: int) -> str:
    """Return two numbers added column by column, ones first, and the result: ``7+8=15, 4+3+1=8: 85``.

    A number of one digit is written with a leading zero, so that two columns stand there at least.
    """
    columns, carry = [], 0
    least = max(2, len(digits(first)), len(digits(second)))
    tops = digits(first) + [0] * (2 - len(digits(first)))
    bottoms = digits(second) + [0] * (2 - len(digits(second)))
    for place, (top, bottom) in enumerate(zip_longest(tops, bottoms)):
        known = [part for part in (top, bottom) if part is not None]
        total = sum(known) + carry
        terms = "+".join(str(part) for part in [*known, *([1] if carry else [])])
        columns.append(f"{terms}={total}" if "+" in terms else terms)
        carry = total // 10
        if place == least - 1 and carry:
            columns.append("1")
    return f"{', '.join(columns)}: {first + second}"


def subtracted(larger: int, smaller: int) -> str:
    """Return a number of two digits taken from a larger one: ``2-7: 12-7=5, 8-1-4=3: 35``."""
    (top_ones, top_tens), (ones, tens) = ([*digits(number), 0][:2] for number in (larger, smaller))
    if top_ones >= ones:
        return f"{top_ones}-{ones}={top_ones - ones}, {top_tens}-{tens}={top_tens - tens}: {larger - smaller}"
    first = f"{top_ones}-{ones}: 1{top_ones}-{ones}={10 + top_ones - ones}"
    return f"{first}, {top_tens}-1-{tens}={top_tens - 1 - tens}: {larger - smaller}"


def multiplied(number: int, digit: int) -> str:
    """Return a number times one digit, ones first, and the result: ``9*5=45, 3*5=15+4=19: 195``."""
    steps, carry = [], 0
    for place in digits(number):
        product = place * digit
        carried = f"+{carry}={product + carry}" if carry else ""
        steps.append(f"{place}*{digit}={product}{carried}")
        carry = (product + carry) // 10
    return f"{', '.join(steps)}: {number * digit}"


def divided(dividend: int, divisor: int, decimals: int) -> tuple[list[tuple[int, int, int]], int]:
    """Return the steps of a long division of numbers that are not negative, and how many of them are decimals.

    Each step is what is divided, the quotient's digit and what is left. Division ends with nothing left or after
    ``decimals`` decimals.
    """
    steps: list[tuple[int, int, int]] = []
    left = 0
    for place, digit in reversed(list(enumerate(digits(dividend)))):
        part = 10 * left + digit
        left = part % divisor
        if steps or part >= divisor or place == 0:
            steps.append((part, part // divisor, left))
    count = 0
    while left and count < decimals:
        part = 10 * left
        left = part % divisor
        steps.append((part, part // divisor, left))
        count += 1
    return steps, count
