"""Studies in files: unions of products, in Hydra's own grammar, and mistakes that name file and point."""

from __future__ import annotations

from pathlib import Path

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser

from runner.config.sweep import read_sweep, union
from runner.errors import UserError

PARSER = OverridesParser.create()


def written(folder: Path, text: str) -> str:
    path = folder / "mine.yaml"
    path.write_text(text)
    return str(path)


def points(file: str, *typed: str) -> list[str]:
    return [" ".join(point.overrides) for point in union(read_sweep(file), typed, PARSER)]


def test_a_study_is_the_union_of_products_each_point_once(tmp_path: Path) -> None:
    file = written(
        tmp_path, 'study: s\ncommon: [c=0]\npoints:\n  - [a=1, "b=range(1,3)"]\n  - ["a=2,1", b=1]\n  - [b=3]\n'
    )
    assert points(file) == ["c=0 a=1 b=1", "c=0 a=1 b=2", "c=0 a=2 b=1", "c=0 b=3"]


def test_what_is_typed_beats_the_file_in_all_points_and_may_sweep_too(tmp_path: Path) -> None:
    file = written(tmp_path, 'study: s\ncommon: [a=1]\npoints: [["b=1,2"], ["b=3"]]\n')
    assert points(file, "b=7", "a=8,9") == ["a=8 b=7", "a=9 b=7"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("points: [[a=1]]", "study"),
        ("study: s\npoints: []", "points"),
        ("study: s\npoints: [[a=1,2]]", "quote an override that has commas"),
        ("study: s\npoint: [[a=1]]", "point"),
        ("study: s\npoints: [[a=1], ['a=]']]", "point 2"),
        ("study: s\npoints: [[a=1], ['a=interval(0,1)']]", "point 2"),
        ("study: s\ncommon: [study=t]\npoints: [[a=1]]", "common: study can't be an override"),
        ("study: [", "can't be read"),
        ("- 1", "the file"),
        ("words", "study"),
        ("", "study"),
        ("study: s\npoints: [[a=1]]\npoints: [[a=2]]", "duplicate key points"),
    ],
)
def test_a_mistake_names_the_file_and_the_place(text: str, says: str, tmp_path: Path) -> None:
    file = written(tmp_path, text)
    with pytest.raises(UserError) as raised:
        points(file)
    assert says in str(raised.value)
    assert file in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_unknown_name_is_answered_with_near_ones() -> None:
    with pytest.raises(UserError, match=r"sweep=tokn_budget: no such sweep\. Did you mean token_budget"):
        read_sweep("tokn_budget")
