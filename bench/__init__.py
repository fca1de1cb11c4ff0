"""The science of the project, pure: tasks, grading, the split of thinking from answer, metrics."""

# The functions take the place of the submodules of their names: `bench.grade(...)` grades, and what else is in
# bench/grade.py is reached by `from bench.grade import ...`.
from bench.grade import GRADER_VERSION, grade
from bench.message import split_message
from bench.registry import make_task, problem_from_data, task_names
from bench.thinking import split_thinking

__all__ = [
    "GRADER_VERSION",
    "grade",
    "make_task",
    "problem_from_data",
    "split_message",
    "split_thinking",
    "task_names",
]
