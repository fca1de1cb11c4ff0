"""``python -m runner make-set``: makes a set of questions by a recipe, and goes on where it was broken off."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import ValidationError
from rich.console import Console

from runner.config.compose import HYDRA_ERRORS, compose, explain, quoted
from runner.config.folder import config_folder
from runner.config.recipe import RecipeSettings
from runner.embedding import make_embedder
from runner.engines.base import EngineDied, EngineStopped
from runner.errors import EXIT_FAILED, EXIT_INTERRUPTED, UserError
from runner.recipe.output import Written, write_set
from runner.recipe.panel import Panel, check_panel
from runner.recipe.process import Recipe
from runner.recipe.replies import ReplyFile
from runner.report.console import print_line, visible_line
from runner.results.layout import slug
from runner.results.lock import FolderLock
from runner.stop import stop_on_signal

_SETS = Path("outputs") / "sets"
_EVERY = 100  # replies between two lines of progress


def make_set(words: Sequence[str], config_dir: Path | None, out: Console) -> int:
    """Make a set and say what came of it.

    Args:
        words: Overrides of ``recipe`` and ``out``.
        config_dir: A further folder of config groups.
        out: Where to say it.

    Returns:
        0 if all rounds were finished, 1 if replies failed or an engine died, 130 if it was interrupted.

    Raises:
        UserError: the recipe is wrong, or a model can't be had here.
        StorageError: a file can't be written.
    """
    recipe, given = read_recipe(words, config_dir)
    if given == "":
        raise UserError("out is empty; name a folder, or give out=null for outputs/sets/NAME")
    folder = _SETS / slug(recipe.name) if given is None else Path(given)
    embed = make_embedder(recipe.embed)
    base = compose(["tracking=off"])
    check_panel(recipe, base)
    folder.mkdir(parents=True, exist_ok=True)
    code = 0
    with (
        FolderLock(folder / "lock"),
        ReplyFile(folder / "replies.jsonl") as replies,
        stop_on_signal(lambda line: None) as stop,
        closing(Panel(recipe, base, replies, stop)) as panel,
    ):
        process = Recipe(recipe, panel, embed, _Counter(out))
        finished = False
        try:
            finished = process.run()
        except (EngineDied, EngineStopped) as death:
            print_line(out, f"an engine ended; what was replied is kept: {visible_line(death)}")
        if not finished:
            code = EXIT_INTERRUPTED if stop.is_set() else EXIT_FAILED
        respondents = {str(role): name for role, name in panel.fingerprints.items()}
        written = write_set(folder, recipe, process.state, respondents, finished)
        asked = f"{panel.asked} replies asked for, {panel.known} known from before, {panel.failed} failed"
    _show(written, asked, out)
    if code:
        print_line(out, "not finished; the same command goes on")
    return code


def read_recipe(words: Sequence[str], config_dir: Path | None) -> tuple[RecipeSettings, str | None]:
    """Return the recipe that overrides describe, and the folder that they name.

    Raises:
        UserError: one line for each mistake.
    """
    from hydra import compose as hydra_compose
    from hydra import initialize_config_dir

    further = [] if config_dir is None else [f"hydra.searchpath=[{quoted(f'file://{config_dir.absolute()}')}]"]
    try:
        with initialize_config_dir(version_base="1.3", config_dir=str(config_folder())):
            config = hydra_compose("make_set", overrides=[*words, *further])
        plain: Any = OmegaConf.to_container(config, resolve=False, throw_on_missing=True)
    except (*HYDRA_ERRORS, OmegaConfBaseException) as error:
        raise UserError(explain(error)) from error
    try:
        return RecipeSettings.model_validate(plain["recipe"]), plain["out"]
    except ValidationError as error:
        lines = [f"recipe.{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise UserError("\n".join(lines)) from error


class _Counter:
    """Says now and then what is being done."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._counts: dict[str, int] = {}

    def __call__(self, doing: str) -> None:
        self._counts[doing] = self._counts.get(doing, 0) + 1
        if self._counts[doing] % _EVERY == 0:
            print_line(self._out, f"{doing}: {self._counts[doing]} replies")


def _show(written: Written, asked: str, out: Console) -> None:
    said = written.manifest_fields
    balance = said["balance"]
    print_line(out, asked)
    print_line(out, f"{said['questions']} questions kept of {said['written']} written; quality: {said['quality']}")
    for reason, count in said["dropped"].items():
        print_line(out, f"  dropped {count}: {reason}")
    judge = said["judge"]
    print_line(
        out,
        f"judge: {judge['answers']} answers; on {judge['like_search']} of them it said what a search for the "
        "reference says",
    )
    print_line(out, f"by type: {_counts(balance['by_type'])}; right letters: {_counts(balance['by_letter'])}")
    fields = balance["by_field"].values()
    print_line(
        out,
        f"{len(fields)} fields with {min(fields)} to {max(fields)} questions; "
        f"{balance['full_cells']} of {balance['cells']} cells full, {len(balance['empty_cells'])} empty",
    )
    print_line(out, f"set {written.version}: {visible_line(written.path)}")


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
