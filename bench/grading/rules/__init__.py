"""The extraction rules, one a file.

A file of this folder holds one way to find the answer as ``RULE``, a :class:`bench.grading.response.Rule`; its
``order`` says when it is asked. A new rule is a new file, nothing else changes but
:data:`bench.grade.GRADER_VERSION`.
"""
