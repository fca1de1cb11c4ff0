"""The rules that tell what kind of error an answer is, one a file.

A file of this folder holds one :class:`bench.taxonomy.rules.ErrorRule` as ``RULE``; its ``order`` says when it is
asked. A new rule is a new file.
"""
