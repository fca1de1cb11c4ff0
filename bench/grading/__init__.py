"""From the visible text of a response to its verdict: find a candidate, write it plainly, read it, compare it."""
