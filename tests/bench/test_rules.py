"""A new extraction rule is one new file."""

import sys

import pytest

from bench.grading import rules
from bench.grading.extract import RULES, discover_rules

NEW = '''"""A rule for the test."""
from bench.grading.response import Rule
RULE = Rule("roman", lambda response: None, order={order}, when_cut=False)
'''


@pytest.fixture
def new_file(tmp_path, monkeypatch):
    """Return where a file joins the folder of rules for one test."""
    monkeypatch.setattr(rules, "__path__", [*rules.__path__, str(tmp_path)])
    yield tmp_path / "roman.py"
    sys.modules.pop("bench.grading.rules.roman", None)


def test_a_new_file_is_a_new_rule_in_its_place(new_file):
    new_file.write_text(NEW.format(order=25), "utf-8")
    names = [rule.name for rule in discover_rules()]
    assert names == ["boxed", "marker", "roman", "json", "code_block", "claim", "last_line"]


def test_two_rules_of_one_order_are_refused(new_file):
    new_file.write_text(NEW.format(order=RULES[0].order), "utf-8")
    with pytest.raises(ValueError, match="both have order 10"):
        discover_rules()
