"""Measures this program beside what one would use instead: ``python -m benchmarks.bench_NAME``."""
