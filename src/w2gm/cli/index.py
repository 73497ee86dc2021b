"""`w2gm index`: an approximate index beside the model, and how good it is."""

from __future__ import annotations

from dataclasses import asdict

import click

from w2gm.cli.hyperparameters import whole_number
from w2gm.cli.output import bar, json_option, say, shown, write_json, write_table
from w2gm.cli.verbs import Verb
from w2gm.errors import ConfigError

REPORTED = ("recall", "milliseconds", "seconds", "expansion_search", "connectivity", "expansion_add")


@click.command(
    cls=Verb,
    examples=[
        "w2gm index model",
        "w2gm index model --recall 0.99 --connectivity 32 --json",
    ],
)
@click.argument("model", metavar="MODEL")
@click.option(
    "--recall",
    metavar="FLOAT",
    default="0.98",
    help="Share of the true 10 nearest words that a search shall find. [above 0, at most 1; default: 0.98]",
)
@click.option(
    "--connectivity",
    metavar="INT",
    default="16",
    help="Links of a node of the graph; more find more and take more room. [at least 2; default: 16]",
)
@click.option(
    "--expansion-add",
    metavar="INT",
    default="64",
    help="Nodes kept in view while one is added; more make a better graph, slower. [at least 1; default: 64]",
)
@click.option("--quiet", is_flag=True, help="Show no progress.")
@json_option
def index(model: str, recall: str, connectivity: str, expansion_add: str, quiet: bool, as_json: bool) -> None:
    """Make an approximate index of all senses in the folder MODEL, for `w2gm neighbors --index`.

    An older index is replaced. The recall is measured on 1,000 senses drawn at random against the exact search,
    which is widened until it is good enough. Needs the ann extra: pip install "w2gm[ann]".
    """
    try:
        wanted = float(recall)
    except ValueError:
        raise ConfigError(f"recall must be a number, got {recall!r}") from None
    links = whole_number("connectivity", connectivity)
    view = whole_number("expansion_add", expansion_add)

    from w2gm.model import load

    loaded = load(model)
    with bar("indexing", quiet) as progress:
        facts = loaded.build_index(recall=wanted, connectivity=links, expansion_add=view, progress=progress)
    if facts.recall < wanted:
        say(f"recall {facts.recall:.3f} is below {wanted:g}: make a better graph with a larger --connectivity")
    values = asdict(facts)
    if as_json:
        write_json({"model": model} | values)
    else:
        write_table(["index", ""], [[[name.replace("_", " "), shown(values[name])] for name in REPORTED]])
