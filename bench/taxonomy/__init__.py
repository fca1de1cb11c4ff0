"""What kind of error a wrong answer is, and what a trace does, by transparent rules; each finding has its spans."""

from bench.taxonomy.classify import TAXONOMY_VERSION, error_of, patterns_of, wrong_steps
from bench.taxonomy.findings import ErrorFinding, ErrorKind, Pattern, PatternFinding, Span, WrongStep

__all__ = [
    "TAXONOMY_VERSION",
    "ErrorFinding",
    "ErrorKind",
    "Pattern",
    "PatternFinding",
    "Span",
    "WrongStep",
    "error_of",
    "patterns_of",
    "wrong_steps",
]
