"""The hyperparameters as options: names, defaults, ranges and help texts all come from `w2gm.config.Config`.

Values go to `Config` as they were written, so that a wrong one is reported in the library's words.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from w2gm.config import Config, option_of
from w2gm.errors import ConfigError

Function = TypeVar("Function", bound=Callable[..., Any])
FIELDS = {field.name: field for field in dataclasses.fields(Config)}


class GroupedOption(click.Option):
    """An option that stands under a heading of its own in the help text."""

    def __init__(self, *arguments: Any, heading: str, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.heading = heading


def hyperparameter_options(function: Function) -> Function:
    """Give a command one option per field of `Config`, in their order."""
    for field in reversed(FIELDS.values()):
        function = _option(field)(function)
    return function


def metavar(field: dataclasses.Field[Any]) -> str:
    """What stands for the value in the help text.

    >>> metavar(FIELDS["covariance"]), metavar(FIELDS["window"]), metavar(FIELDS["max_final_vocab"])
    ('spherical|diagonal', 'INT', 'INT|none')
    """
    choices = option_of(field).choices
    if choices:
        return "|".join(choices)
    kind, *alternatives = str(field.type).split(" | ")
    return "|".join(["TEXT" if kind == "str" else kind.upper(), *(name.lower() for name in alternatives)])


def hyperparameters(file: Path | None, given: Mapping[str, str | bool | None]) -> dict[str, Any]:
    """The values of `file`, overruled by those given on the command line; wrong ones raise `ConfigError`.

    >>> hyperparameters(None, {"window": "5", "sample": "1e-4", "epochs": None})
    {'window': 5, 'sample': 0.0001}
    """
    values = {} if file is None else read_toml(file)
    values |= {name: _typed(name, value) for name, value in given.items() if value is not None}
    Config.from_dict(values)
    return values


def read_toml(file: Path) -> dict[str, Any]:
    """The hyperparameters in a TOML file: `name = value` lines; names with hyphens are accepted too."""
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}; --config takes a TOML file") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file} is not TOML: {error}; write lines such as window = 5") from None
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name in values:
            raise ConfigError(f"{file} gives {name} twice, with hyphens and with underscores: keep one")
        values[name] = _typed(name, value) if value == "none" else value
    return values


def whole_number(name: str, text: str) -> int:
    """`text` as an integer, or `ConfigError`; for the numbers that are not hyperparameters.

    >>> whole_number("topn", "3")
    3
    """
    try:
        return int(text)
    except ValueError:
        raise ConfigError(f"{name} must be a whole number, got {text!r}") from None


def real_number(name: str, text: str) -> float:
    """`text` as a float, or `ConfigError`; for the numbers that are not hyperparameters.

    >>> real_number("threshold", "0.5")
    0.5
    """
    try:
        return float(text)
    except ValueError:
        raise ConfigError(f"{name} must be a number, got {text!r}") from None


def _option(field: dataclasses.Field[Any]) -> Callable[[Function], Function]:
    """The option of one field; not given it is None, so that a file's value can take its place."""
    option, name = option_of(field), field.name.replace("_", "-")
    switch, default = str(field.type) == "bool", field.default
    if switch:
        default = name if default else f"no-{name}"
    elif isinstance(default, float):
        default = f"{default:g}"
    notes = [] if switch or option.choices or option.accepted == "any value" else [option.accepted]
    notes.append(f"default: {'none' if default is None else default}")
    return click.option(
        f"--{name}/--no-{name}" if switch else f"--{name}",
        field.name,
        cls=GroupedOption,
        heading=f"{option.group.capitalize()} options",
        default=None,
        type=bool if switch else str,
        metavar=None if switch else metavar(field),
        help=f"{option.help} [{'; '.join(notes)}]",
    )


def _typed(name: str, value: str | bool) -> Any:
    """`value` as the type of its field where it can be read so; otherwise as it is, for `Config` to refuse."""
    kinds = str(FIELDS[name].type).split(" | ") if name in FIELDS else []
    if "None" in kinds and value == "none":
        return None
    for kind, read in (("int", int), ("float", float)):
        if kind in kinds:
            try:
                return read(value)
            except ValueError:
                return value
    return value
