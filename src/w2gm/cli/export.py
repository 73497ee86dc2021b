"""`w2gm export`: a model in a form that other tools read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from w2gm.cli.hyperparameters import whole_number
from w2gm.cli.output import bar, json_option, say, write, write_json
from w2gm.cli.verbs import Verb
from w2gm.errors import ConfigError

if TYPE_CHECKING:
    from w2gm.model import Model


@click.command(
    cls=Verb,
    examples=[
        "w2gm export model projector --format tensorboard",
        "w2gm export model projector --format tensorboard --restrict-vocab 50000 --overwrite",
    ],
)
@click.argument("model", metavar="MODEL")
@click.argument("output", metavar="OUT")
@click.option("--format", "form", metavar="tensorboard", required=True, help="In which form.")
@click.option(
    "--restrict-vocab",
    metavar="INT",
    help="Only this many words, the most frequent ones. [at least 1; default: all of them]",
)
@click.option("--overwrite", is_flag=True, help="Replace an earlier export at OUT.")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
@json_option
def export(
    model: str, output: str, form: str, restrict_vocab: str | None, overwrite: bool, quiet: bool, as_json: bool
) -> None:
    """Write a model (or a file of word vectors) for another tool, whole or not at all.

    tensorboard: a folder of vectors and metadata, a point for each sense, that `tensorboard --logdir OUT` shows in
    its Projector tab.
    """
    if form not in FORMATS:
        raise ConfigError(f"format must be one of {', '.join(FORMATS)}, got {form!r}")
    options: dict[str, Any] = {"overwrite": overwrite}
    if restrict_vocab is not None:
        options["restrict_vocab"] = whole_number("restrict_vocab", restrict_vocab)
    from w2gm.interop import open_vectors

    facts = FORMATS[form](open_vectors(model), output, quiet, options)
    if as_json:
        write_json({"model": model, "format": form} | facts)
    else:
        write(facts["output"])


def _tensorboard(model: Model, output: str, quiet: bool, options: dict[str, Any]) -> dict[str, Any]:
    from w2gm.interop.tensorboard import MOST_SHOWN, export_tensorboard

    with bar("exporting", quiet) as progress:
        done = export_tensorboard(model, output, progress=progress, **options)
    if done.points > MOST_SHOWN:
        say(
            f"TensorBoard shows the first {MOST_SHOWN:,} of {done.points:,} points: --restrict-vocab "
            f"{MOST_SHOWN // model.senses} writes no more than that"
        )
    return {"output": str(done.folder), "words": done.words, "points": done.points}


# format -> what writes it, and gives {"output", "words", ...} for JSON
FORMATS: dict[str, Callable[[Model, str, bool, dict[str, Any]], dict[str, Any]]] = {"tensorboard": _tensorboard}
