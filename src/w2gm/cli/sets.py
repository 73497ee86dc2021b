"""What `evaluate`, `compare` and `datasets` share: which sets, measured how, and how the result is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from w2gm.cli.hyperparameters import whole_number
from w2gm.cli.output import Marked, json_option, say, write, write_json, write_table
from w2gm.errors import ConfigError

if TYPE_CHECKING:
    from w2gm.evaluation.datasets import Dataset
    from w2gm.evaluation.evaluate import Settings
    from w2gm.evaluation.reports import Table

Function = TypeVar("Function", bound=Callable[..., Any])

data_option: Callable[[Any], Any] = click.option(
    "--data",
    metavar="DIR",
    help="Folder of the test sets. [default: $W2GM_DATA, or the folder datasets in the user's cache]",
)


def set_options(function: Function) -> Function:
    """Give a command the options of what is measured and how it is written."""
    options = [
        data_option,
        click.option(
            "--sets", metavar="NAMES", help="Only these sets, with commas between. [default: all there are]"
        ),
        click.option(
            "--pairs",
            metavar="FILE",
            multiple=True,
            help="A file of your own, two words and a rating a line, instead.",
        ),
        click.option("--measures", metavar="NAMES", help="Measures of word pairs, with commas between."),
        click.option(
            "--case",
            metavar="fallback|lower|keep",
            default="fallback",
            help="Words of a set are looked up as written, then in lower case; in lower case; as written. "
            "[default: fallback]",
        ),
        click.option("--resamples", metavar="INT", default="1000", help="Of the bootstrap. [default: 1000]"),
        click.option("--seed", metavar="INT", default="0", help="Of the bootstrap. [default: 0]"),
        click.option(
            "--format",
            "form",
            metavar="table|csv|json|md|tex",
            default="table",
            help="How the result is written. [default: table]",
        ),
        json_option,
        click.option("-q", "--quiet", is_flag=True, help="Show no progress."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def settings_of(measures: tuple[str, ...], given: str | None, case: str, resamples: str, seed: str) -> Settings:
    """How sets are measured, as the options say; `measures` unless others are given."""
    from w2gm.evaluation.evaluate import Settings

    chosen = measures if given is None else tuple(names(given))
    return Settings(chosen, case, whole_number("resamples", resamples), whole_number("seed", seed))


def chosen_sets(data: str | None, sets: str | None, pairs: Sequence[str]) -> list[Dataset]:
    """The sets that the options ask for; what is not there is told."""
    from w2gm.evaluation.finding import data_folder, load_sets
    from w2gm.evaluation.readers import read_pairs

    own: list[Dataset] = []
    for file in pairs:
        one = read_pairs(file)
        if one.name in {other.name for other in own}:
            raise ConfigError(f"two --pairs files are called {one.name}: rename one, it is its name in the report")
        own.append(one)
    if own and sets is None:
        return own
    loaded, missing = load_sets(data_folder(data), None if sets is None else names(sets))
    if missing:
        say(f"not there: {', '.join(missing)}; see w2gm datasets")
    return [*loaded, *own]


def names(text: str) -> list[str]:
    """Names with commas between.

    >>> names("WS, SL,")
    ['WS', 'SL']
    """
    return [name for part in text.split(",") if (name := part.strip())]


def checked_format(form: str, as_json: bool) -> str:
    """The format asked for; `--json` is short for `--format json`."""
    from w2gm.evaluation.reports import FORMATS

    if form not in FORMATS:
        raise ConfigError(f"format must be one of {', '.join(FORMATS)}, got {form!r}")
    return "json" if as_json else form


def write_report(form: str, tables: list[Table], records: list[dict[str, Any]], result: Any) -> None:
    """Write a result in one of the formats."""
    from w2gm.evaluation.reports import comma_separated, latex, markdown

    if form == "json":
        write_json(result)
    elif form == "csv":
        write(comma_separated(records))
    elif form in ("md", "tex"):
        write(markdown(tables) if form == "md" else latex(tables))
    else:
        for number, table in enumerate(tables):
            write(f"{chr(10) if number else ''}{table.title}")
            write_table(table.columns, [[[Marked.of(*cell) for cell in row] for row in table.rows]])
            for note in table.notes:
                write(note)


def opened_models(paths: Sequence[str]) -> dict[str, Any]:
    """Models and files of word vectors by the name of their folder or file; the same name twice is numbered."""
    from w2gm.interop import open_vectors

    models: dict[str, Any] = {}
    for path in paths:
        plain = Path(path).resolve().name or str(path)
        name, number = plain, 2
        while name in models:
            name, number = f"{plain} {number}", number + 1
        models[name] = open_vectors(path)
    return models
