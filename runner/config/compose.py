"""The door: a resolved Hydra configuration becomes typed settings, or one clear line for each mistake."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import BaseModel, ValidationError
from yaml import YAMLError

from runner.config.folder import config_folder
from runner.config.settings import Settings
from runner.errors import UserError

Stored = TypeVar("Stored", bound=BaseModel)

# What Hydra raises for a configuration that can't be composed.
HYDRA_ERRORS = (HydraException, OmegaConfBaseException, YAMLError, ValueError, OSError)


_LISTED = 12  # options of a group that a message lists whole
_NO_OPTION = re.compile(r"Could not find '([^']+)/([^'/]+)'.*?Available options in '[^']+':\n(.*?)\nConfig", re.S)
_NO_FILE = re.compile(r"Could not load '([^']+)/([^'/]+)'")
_NO_KEY = re.compile(r"Could not (?:override|append to config|find) '([^']+)'")


def settings_from(config: DictConfig) -> Settings:
    """Return the settings of a composed configuration.

    Prompt texts are taken as they are written; ``${...}`` in them is text unless ``prompt.interpolate`` is true.

    Raises:
        UserError: one line for each mistake.
    """
    try:
        plain = {str(key): _plain(config, str(key)) for key in config}
    except OmegaConfBaseException as error:
        raise UserError(_first_line(error)) from error
    try:
        return Settings.model_validate(plain)
    except ValidationError as error:
        raise UserError("\n".join(_explain(detail) for detail in error.errors())) from error


def read_stored(group: type[Stored], plain: Any, where: Path) -> Stored:
    """Return a group of settings that a run was stored with.

    Raises:
        UserError: they are of another version of this program.
    """
    try:
        return group.model_validate(plain)
    except ValidationError as error:
        first = _explain(error.errors()[0])
        raise UserError(
            f"{where} was stored by another version of this program ({first}); read it with that"
        ) from error


def compose(overrides: Sequence[str], config_dir: Path | None = None) -> Settings:
    """Return the settings that command-line overrides describe, for commands that run nothing.

    Args:
        overrides: As for a run, one value each.
        config_dir: A further folder of config groups.

    Raises:
        UserError: one line for each mistake.
    """
    from hydra import compose as hydra_compose
    from hydra import initialize_config_dir

    if config_dir is not None and not config_dir.is_dir():
        raise UserError(f"--config-dir {config_dir}: no such folder; give one that holds config groups, e.g. prompt/")
    further = [] if config_dir is None else [f"hydra.searchpath=[{quoted(f'file://{config_dir.absolute()}')}]"]
    try:
        with initialize_config_dir(version_base="1.3", config_dir=str(config_folder())):
            config = hydra_compose("config", overrides=[*overrides, *further])
    except HYDRA_ERRORS as error:
        raise UserError(explain(error)) from error
    return settings_from(config)


def explain(error: Exception) -> str:
    """Return Hydra's complaint as one line with near names."""
    text = str(error)
    if match := _NO_OPTION.search(text):
        return _no_option(*match.groups())
    if match := _NO_FILE.search(text):
        group, given = match.groups()
        return f"{group}={given}: no such option; give one of those that python -m runner --help lists"
    if match := _NO_KEY.search(text):
        key = match.group(1)
        if key.endswith("/"):
            return f"{key[:-1]}=: nothing given; give one of the options that python -m runner --help lists"
        return f"{key}: no such key.{near(key, list(known_keys()))} See python -m runner --help"
    if "input" in text and "hydra.cc" in text:
        first = text.splitlines()[0]
        return f"can't read an argument ({first}); quote special characters: 'prompt.user=\"a=b {{question}}\"'"
    return " ".join(line.strip() for line in text.splitlines() if line.strip())


def quoted(text: str) -> str:
    """Return a text as Hydra reads it back."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'") if "'" in text else text
    return f"'{escaped}'"


def known_keys(model: type[BaseModel] = Settings, prefix: str = "") -> Iterator[str]:
    """Yield every key of the settings in dotted form, for near names."""
    for name, field in model.model_fields.items():
        key = f"{prefix}{name}"
        yield key
        # A judge's own model and engine have the keys of the run's, which they are not to be mistaken for.
        for group in _groups(field.annotation) if not prefix.startswith("judge.") else ():
            yield from known_keys(group, f"{key}.")


def near(given: str, allowed: list[str]) -> str:
    """Return `` Did you mean x?`` for the nearest allowed names, or nothing."""
    names = difflib.get_close_matches(given, dict.fromkeys(name for name in allowed if name != given), n=3, cutoff=0.6)
    return f" Did you mean {' or '.join(names)}?" if names else ""


def _no_option(place: str, given: str, listed: str) -> str:
    """Say what a group has instead: all of it, or of a large group the nearest and what lists all.

    Args:
        place: The group; of a hub id, which has a slash, its first half stands here too.
        given: What was typed, or its second half.
        listed: Hydra's list of options, one a line.
    """
    group, _, half = place.partition("/") if place.startswith("model/") else (place, "", "")
    typed = f"{half}/{given}" if half else given
    # A file that begins with an underscore is a part of others.
    options = [name for line in listed.splitlines() if not (name := line.strip()).startswith("_")]
    if len(options) <= _LISTED:
        return f"{group}={typed}: no such option.{near(given, options)} Options: {', '.join(options)}"
    likely = difflib.get_close_matches(given, options, n=5, cutoff=0.5)
    names = likely if len(likely) > 2 else difflib.get_close_matches(given, options, n=3, cutoff=0.0)
    lists = "python -m runner models" if group == "model" else "python -m runner --help"
    own = f" A hub id is given as model=custom model.id={typed}." if half else ""
    advice = f"Did you mean {', '.join(names[:-1])} or {names[-1]}?"
    return f"{group}={typed}: no such option. {advice}{own} {lists} lists all {len(options)}"


def _plain(config: DictConfig, key: str) -> Any:
    node = config._get_node(key)
    if not isinstance(node, DictConfig):
        return config[key]
    resolve = key != "prompt" or bool(node.get("interpolate"))
    return OmegaConf.to_container(node, resolve=resolve, throw_on_missing=True)


def _groups(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _groups(argument)


def _explain(detail: Any) -> str:
    place = ".".join(str(part) for part in _place(detail["loc"]))
    given = detail["input"]
    if detail["type"] == "extra_forbidden":
        return f"{place}: no such key.{near(place, list(known_keys()))}"
    if detail["type"] == "missing":
        return f"{place}: missing; give a value"
    message = detail["msg"].removeprefix("Value error, ")
    if isinstance(given, dict):
        return f"{place}: {message}"
    return f"{place}={given!r}: {message[0].lower()}{message[1:]}"


def _place(location: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Drop the member's name that pydantic puts behind a group with alternatives; users never type it."""
    return (location[0], *location[2:]) if location[0] in ("engine", "tracking", "budget", "judge") else location


def _first_line(error: Exception) -> str:
    return " ".join(line.strip() for line in str(error).splitlines() if line.strip())
