"""The science of the project, pure: tasks, grading, the split of thinking from answer, metrics."""

# The functions take the place of the submodules of their names: `bench.grade(...)` grades, and what else is in
# bench/grade.py is reached by `from bench.grade import ...`.
from bench.grade import GRADER_VERSION, grade
from bench.judge import judge_messages, read_judgement
from bench.message import split_message
from bench.registry import make_task, problem_from_data, task_names
from bench.thinking import split_thinking

__all__ = [
    "GRADER_VERSION",
    "grade",
    "judge_messages",
    "make_task",
    "problem_from_data",
    "read_judgement",
    "split_message",
    "split_thinking",
    "task_names",
]
