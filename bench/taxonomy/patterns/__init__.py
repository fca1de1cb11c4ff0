"""The rules that find the patterns of a trace, one a file.

A file of this folder holds one :class:`bench.taxonomy.rules.PatternRule` as ``RULE``. A new rule is a new file;
several rules may find the same pattern.
"""
