"""From verdicts to findings: scores with their sources, and intervals that are named, on arrays and data frames."""
