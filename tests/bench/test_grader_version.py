"""A grader that gives another verdict has another version: the digest of all verdicts stands beside the version.

After a change of verdicts raise ``bench.grade.GRADER_VERSION`` and write the file anew with
``python -m tests.bench.test_grader_version``.
"""

import hashlib
import json
from pathlib import Path

import bench

CASES = Path(__file__).with_name("cases") / "grading.jsonl"
STORED = Path(__file__).with_name("golden") / "verdicts.json"


def digests() -> dict[str, str]:
    """Return the grader's version with a digest of the cases and one of the verdicts on them."""
    lines = CASES.read_text("utf-8").splitlines()
    verdicts = [verdict(json.loads(line)) for line in lines]
    asked = hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest()
    given = hashlib.sha256(json.dumps(verdicts).encode("ascii")).hexdigest()
    return {"version": bench.GRADER_VERSION, "cases": asked, "verdicts": given}


def verdict(case: dict) -> list[object]:
    problem = bench.problem_from_data(case["task"], case["data"])
    given = bench.grade(problem, case["response"], finish_reason=case.get("finish_reason", "stop"))
    return [given.outcome.value, given.answer, given.rule, given.instruction_followed, given.reason]


def test_verdicts_change_only_with_the_version():
    stored, now = json.loads(STORED.read_text("ascii")), digests()
    same_cases = stored["cases"] == now["cases"]
    assert not same_cases or stored["version"] != now["version"] or stored["verdicts"] == now["verdicts"], (
        "verdicts changed: raise GRADER_VERSION, then run python -m tests.bench.test_grader_version"
    )
    assert stored == now, "run python -m tests.bench.test_grader_version"


if __name__ == "__main__":
    STORED.write_text(json.dumps(digests(), indent=1) + "\n", "ascii")
