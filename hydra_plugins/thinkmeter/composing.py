"""Composes the points of a sweep quickly: once for each choice of groups, then only values differ.

Composing costs a tenth of a second and resolving a configuration half of that, so a thousand points would take
minutes. What no value that a point changes can reach is resolved once for all points that change the same groups.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence
from typing import Any

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, ListConfig, OmegaConf, open_dict, read_write

_WORD = re.compile(r"\w+")
_UNRESOLVED = "prompt"  # texts, in which ${...} may be text


class Composer:
    """Composes points as Hydra does.

    Args:
        loader: Hydra's.
        config: The configuration that the sweep was started with.
    """

    def __init__(self, loader: Any, config: DictConfig) -> None:
        self._loader = loader
        self._config = config
        self._parser = OverridesParser.create(config_loader=loader)
        self._bases: dict[tuple[str, ...], DictConfig] = {}
        self._resolved: dict[tuple[tuple[str, ...], frozenset[str]], DictConfig] = {}
        self._groups: dict[str, bool] = {}

    def compose(self, overrides: Sequence[str]) -> DictConfig:
        """Return the configuration of a point without Hydra's own part.

        Raises:
            HydraException: there is no such option or key, or a value can't be read.
        """
        values: list[Override] = []
        choices: list[str] = []
        for override in self._parser.parse_overrides(list(overrides)):
            if self._is_value(override):
                values.append(override)
            else:
                choices.append(str(override.input_line))
        changed = frozenset(override.key_or_group.split(".")[0] for override in values)
        config = copy.deepcopy(self._resolved_base(tuple(choices), changed))
        ConfigLoaderImpl._apply_overrides_to_config(values, config)
        return config

    def _resolved_base(self, choices: tuple[str, ...], changed: frozenset[str]) -> DictConfig:
        """Return a composed configuration in which everything is resolved that does not depend on what changes."""
        if (choices, changed) not in self._resolved:
            config = copy.deepcopy(self._base(choices))
            for key in config.keys() - _dependent(config, {*changed, _UNRESOLVED}):
                node = config._get_node(key)
                if isinstance(node, DictConfig):
                    OmegaConf.resolve(node)
            self._resolved[choices, changed] = config
        return self._resolved[choices, changed]

    def _base(self, choices: tuple[str, ...]) -> DictConfig:
        if choices not in self._bases:
            config = self._loader.load_sweep_config(self._config, list(choices))
            HydraConfig.instance().set_config(config)  # ${hydra:...} in a user's file is resolved by it
            with read_write(config), open_dict(config):
                del config["hydra"]
            self._bases[choices] = config
        return self._bases[choices]

    def _is_value(self, override: Override) -> bool:
        """Tell whether an override sets a value in a composed configuration, as opposed to choosing what it is of."""
        if override.is_hydra_override():
            return False
        name = override.key_or_group
        if name not in self._groups:
            self._groups[name] = bool(self._loader.get_group_options(name))
        return not self._groups[name] or isinstance(override.value(), dict)


def _dependent(config: DictConfig, changed: set[str]) -> set[str]:
    """Return the top-level keys whose values may depend on those that change, which are among them.

    A name that occurs anywhere in an interpolation counts as a use; an interpolation within one may be of any name.
    """
    used = {str(key): set(_names(config._get_node(key))) for key in config}
    found = {*changed, *(key for key, names in used.items() if "${" in names)}
    while more := {key for key, names in used.items() if key not in found and names & found}:
        found |= more
    return found


def _names(node: Any) -> Iterator[str]:
    """Yield the words of all interpolations in a node, and ``${`` for one within another."""
    if isinstance(node, DictConfig | ListConfig) and not node._is_none() and not node._is_interpolation():
        inner: Any = node
        for key in inner.keys() if isinstance(node, DictConfig) else range(len(inner)):
            yield from _names(inner._get_node(key))
    elif node is not None and "${" in str(node._value()):
        text = str(node._value())
        yield from _WORD.findall(text)
        if any("${" in part for part in re.findall(r"\$\{([^}]*)", text)):
            yield "${"
