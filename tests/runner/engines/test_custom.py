"""A user's own engine is a class in one file, named by its dotted path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runner.app import main
from runner.config.custom import CustomSettings, source_hash
from runner.engines.custom import capabilities_of
from runner.errors import UserError

FILE = Path(__file__).parent / "my_engine.py.txt"
ASKED = (
    "model=scripted", "engine=custom", "suite.samples=2", "suite.folds=1", "suite.tasks=[comparison]", "tracking=off",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_run_on_an_engine_of_ones_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "my_engine.py").write_text(FILE.read_text())
    code = main((*ASKED, "engine.path=my_engine.MyEngine", "+engine.options.says='so: \\boxed{>}'"))
    assert code == 0, capsys.readouterr()
    (lines,) = folder.glob("outputs/single/*-custom-*/generations.jsonl")
    records = [json.loads(line) for line in lines.read_text().splitlines()]
    assert {record["turns"][0]["text"] for record in records} == {"so: \\boxed{>}"}
    assert len(records) == 2


@pytest.mark.parametrize(
    ("path", "text", "says"),
    [
        ("gone_engine.MyEngine", None, "can't be imported: ModuleNotFoundError"),
        ("bad_engine.MyEngine", "raise RuntimeError('no')", "can't be imported: RuntimeError: no"),
        ("silent_engine.MyEngine", "class MyEngine: pass", "no attribute capabilities"),
        ("plain_engine.MyEngine", "MyEngine = 3", "is a int, not a class"),
    ],
)
def test_a_mistake_is_one_line(path: str, text: str | None, says: str, folder: Path) -> None:
    if text is not None:
        (folder / f"{path.partition('.')[0]}.py").write_text(text)
    with pytest.raises(UserError) as raised:
        capabilities_of(CustomSettings(name="custom", path=path, max_restarts=0, options={}))
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_another_file_is_another_fingerprint(folder: Path) -> None:
    file = folder / "hashed_engine.py"
    file.write_text("class MyEngine: pass")
    before = source_hash("hashed_engine.MyEngine")
    file.write_text("class MyEngine: x = 1")
    assert before is not None
    assert source_hash("hashed_engine.MyEngine") not in (None, before)
