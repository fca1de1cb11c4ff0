"""docs/grading.md says what the case files say, and names every kind and every rule."""

from bench.grading.extract import RULES
from tests.bench.cases.write_docs import PAGE, SETTLED, TABLES, cases, page


def test_the_page_is_up_to_date():
    text = PAGE.read_text("utf-8")
    assert page(text) == text, "python -m tests.bench.cases.write_docs"


def test_every_settled_question_has_a_case_and_every_kind_a_row():
    names = {case["kind"].removeprefix("settled: ") for case in cases("grading") if case["kind"].startswith("settled")}
    assert names == set(SETTLED)
    for name, table in (("grading", "kinds"), ("thinking", "thinking"), ("messages", "messages")):
        rows = TABLES[table]()
        assert all(f"| {case['kind']} |" in rows for case in cases(name) if not case["kind"].startswith("settled"))


def test_the_page_lists_the_rules_in_their_order():
    text = PAGE.read_text("utf-8")
    places = [text.index(f"| `{rule.name}` |") for rule in RULES]
    assert places == sorted(places)
    assert f"have {', '.join(str(rule.order) for rule in RULES)})" in text
