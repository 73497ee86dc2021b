"""`w2gm demo`: a text with a known answer, a model trained on it, and how much of the answer it found."""

from __future__ import annotations

import shutil

import click

from w2gm.cli.hyperparameters import hyperparameters
from w2gm.cli.output import json_option, write, write_json
from w2gm.cli.verbs import Verb


@click.command(
    cls=Verb,
    examples=["w2gm demo", "w2gm demo --seed 2 --workers 1 -o my-demo --json"],
)
@click.option("--seed", metavar="INT", default="1", help="Seed of the text and of the training. [default: 1]")
@click.option("--workers", metavar="INT", default="0", help="Threads; 0 takes one per processor. [default: 0]")
@click.option(
    "-o", "--output", metavar="MODEL", default="w2gm-demo-model",
    help="Folder for the model; an earlier demo's is replaced. [default: w2gm-demo-model]",
)  # fmt: skip
@click.option("--quiet", is_flag=True, help="Show no progress.")
@json_option
def demo(seed: str, workers: str, output: str, quiet: bool, as_json: bool) -> None:
    """See words split into their senses: no text and no network needed, about a minute.

    A small text is made up in which each ambiguous word is planted in two or three topics. A model learns
    from it, and the table shows, sense by sense, the nearest neighbours and the planted topic found.
    """
    values = hyperparameters(None, {"seed": seed, "workers": workers})

    import w2gm.demo
    from w2gm.training.progress import make_progress

    result = w2gm.demo.run(**values, output=output, progress=make_progress(quiet))
    if as_json:
        write_json(
            {
                "recovered": result.recovered,
                "planted": result.planted,
                "seconds": result.seconds,
                "model": str(result.model_path),
            }
        )
    else:
        write(w2gm.demo.table(result, width=shutil.get_terminal_size(fallback=(100, 24)).columns))
