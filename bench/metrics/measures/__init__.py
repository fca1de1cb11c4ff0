"""The measures, one a file.

A file of this folder holds ``MEASURE``, a :class:`bench.metrics.measure.Measure`: one number a sample. A new measure
is a new file, nothing else changes: grids, folds and paired comparisons take any measure.
"""
