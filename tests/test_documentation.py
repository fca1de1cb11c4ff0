"""What the documentation says one can type, one can type."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from runner.__main__ import COMMANDS
from runner.config.compose import compose
from runner.config.sweep import sweep_names
from tests.end_to_end.command import SCRIPTED, environment

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# Words of a command that are no choices of a run.
OWN_WORDS = {
    "redundancy": ("embed", "baseline", "ablation"),
    "onset": ("step", "samples"),
    "judge": ("what",),
    "make-set": (
        "recipe",
        "recipe.solver.max_tokens",
        "out",
        "model@recipe.solver.model",
        "engine@recipe.solver.engine",
        "judge",
    ),
    "select": ("lambda",),
    "route": ("thinking", "direct", "embed", "score"),
}
TYPED = re.compile(r"python -m runner ([^\n`|]+)")


def commands() -> list[tuple[str, str]]:
    return [(page.name, match.strip()) for page in PAGES for match in TYPED.findall(page.read_text("utf-8"))]


@pytest.mark.parametrize(("page", "typed"), commands())
def test_a_command_in_the_documentation_can_be_typed(page: str, typed: str) -> None:
    words = shlex.split(typed.split("#")[0])
    if "--config-dir" in words:
        return  # needs the file above it; the test below types both
    words = [word for word in words if word not in ("-m", "--help", "--cfg", "job", "--show", "sum", "…")]
    if words and words[0] in COMMANDS:
        own = OWN_WORDS.get(words[0], ())
        words = [word for word in words[1:] if "=" in word and word.partition("=")[0] not in own]
    studies = [word for word in words if word.startswith("sweep=")]
    assert {study.removeprefix("sweep=") for study in studies} <= set(sweep_names())
    words = [word for word in words if word not in studies]
    for word in words:
        key, _, value = word.partition("=")
        options = value.split(",") if not value.startswith(("[", "'", '"')) else [value]
        for option in options:
            others = [other for other in words if other != word and "," not in other]
            compose([*others, f"{key}={option}"])


@pytest.mark.parametrize("file", ["estimate.yaml", "double.py"])
def test_an_example_with_a_file_of_ones_own_works_as_it_stands(file: str, tmp_path: Path) -> None:
    """The scripted engine takes the model's place; all else is typed as the README has it."""
    blocks = re.findall(r"```\n(mkdir.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    (block,) = (block for block in blocks if file in block)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", block.replace("model=thinker", " ".join(SCRIPTED))],
        cwd=tmp_path,
        env=environment(PATH=path, PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    name = file.partition(".")[0]
    assert {"estimate": "Estimate first", "double": "What is twice 0?"}[name] in done.stdout
    assert any(name in path.read_text() for path in tmp_path.glob("outputs/*/*/settings.yaml"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_is_unfinished(page: Path) -> None:
    assert not re.search(r"@@|TODO|TBD", page.read_text("utf-8"))


def test_the_tree_in_the_readme_is_the_tree() -> None:
    named = re.findall(r"^(\w+)/  ", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert named
    assert all((ROOT / name).is_dir() for name in named if name != "outputs")
