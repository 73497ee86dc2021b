"""`w2gm train`: from text to a model folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from w2gm.cli.hyperparameters import hyperparameter_options, hyperparameters
from w2gm.cli.output import json_option, shown, write_json, write_table
from w2gm.cli.verbs import Verb

REPORTED = ("tokens", "pairs", "seconds", "tokens_per_second", "loss", "epochs")


@click.command(
    cls=Verb,
    examples=[
        "w2gm train corpus.txt -o model",
        "w2gm train 'texts/*.gz' more/ -o model --senses 3 --vector-size 100 --workers 4",
        "zcat dump.gz | w2gm train - -o model --min-count 5 --config recipe.toml",
    ],
)
@click.argument("text", metavar="TEXT...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="MODEL", required=True, help="Folder to write the model to.")
@click.option("--overwrite", is_flag=True, help="Replace the output folder if it exists.")
@click.option("--no-context", is_flag=True, help="Leave out the context words' tables: half the size.")
@click.option(
    "--config", type=click.Path(path_type=Path), metavar="FILE.toml", help="Take hyperparameters from this file; "
    "those on the command line win.",
)  # fmt: skip
@click.option("--cache", metavar="DIR", help="Folder to keep encoded text in, for later runs on the same text.")
@click.option("--quiet", is_flag=True, help="Show no progress and no summary.")
@json_option
@hyperparameter_options
def train(
    text: tuple[str, ...],
    output: str,
    overwrite: bool,
    no_context: bool,
    config: Path | None,
    cache: str | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn a model from text and write it to a folder.

    TEXT is a file, a folder, a quoted glob, or - for standard input; .gz, .bz2, .xz and .zst are unpacked on
    the way. One line is one sentence. Ctrl-C stops early and keeps what has been learned.
    """
    values = hyperparameters(config, options)

    import w2gm.training
    from w2gm.training.progress import make_progress

    model = w2gm.training.train(
        _source(text),
        output=output,
        overwrite=overwrite,
        save_context=not no_context,
        cache=cache,
        progress=make_progress(quiet),
        **values,
    )
    report = {"model": output} | {name: model.provenance[name] for name in REPORTED}
    if as_json:
        write_json(report)
    elif not quiet:
        write_table(["result", ""], [[[name.replace("_", " "), shown(report[name])] for name in report]])


def _source(text: tuple[str, ...]) -> Any:
    """One text as it is, several as one stream of files."""
    if len(text) == 1:
        return text[0]
    from w2gm.text.sources import files

    return files(list(text))
