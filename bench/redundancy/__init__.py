"""How much of a trace was needed: the first correct answer, what comes after it, and turns of thought; pure text work.

How alike the sentences before it are needs numbers and lies in ``bench.metrics.redundancy``.
"""

from bench.redundancy.answer_form import answer_form, is_ambiguous
from bench.redundancy.sentences import sentence_spans, sentences
from bench.redundancy.trace import FirstCorrect, Trace, first_correct, look_at, visible_trace

# Stored with every figure; raised whenever the same trace may get another one.
REDUNDANCY_VERSION = "1"

__all__ = [
    "REDUNDANCY_VERSION",
    "FirstCorrect",
    "Trace",
    "answer_form",
    "first_correct",
    "is_ambiguous",
    "look_at",
    "sentence_spans",
    "sentences",
    "visible_trace",
]
