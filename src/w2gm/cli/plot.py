"""`w2gm plot`: figures of a model as PNG, SVG or PDF."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from w2gm.cli.hyperparameters import real_number, whole_number
from w2gm.cli.output import json_option, write, write_json
from w2gm.cli.sets import chosen_sets, data_option
from w2gm.cli.verbs import Verb
from w2gm.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What each figure takes beside the model; the word "words" stands for the arguments.
TAKES = {
    "senses": ("words", "before", "neighbors", "plane", "deviations"),
    "variance": ("words",),
    "similarity": ("set", "pairs", "data", "measure", "case", "label"),
    "training": (),
}


@click.command(
    cls=Verb,
    examples=[
        "w2gm plot model bank rock river -o senses.png",
        "w2gm plot model bank --neighbors 5 --plane model -o bank.pdf",
        "w2gm plot model bank rock --before untrained -o before-after.svg",
        "w2gm plot model the music jazz --figure variance -o variance.png",
        "w2gm plot model --figure similarity --set WS --measure mc -o ws.png",
        "w2gm plot model --figure training -o training.png",
    ],
)
@click.argument("model", metavar="MODEL")
@click.argument("words", metavar="[WORD[:S]]...", nargs=-1)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    help="Where to: its ending says the format, .png, .svg or .pdf. A file that exists is replaced.",
)
@click.option("--figure", metavar="|".join(TAKES), help="Which figure. [default: senses]")
@click.option("--before", metavar="MODEL", help="senses: an earlier state of the model, drawn beside it.")
@click.option("--neighbors", metavar="INT", help="senses: nearest senses of each, in grey. [at least 0; default: 0]")
@click.option(
    "--plane",
    metavar="shown|model",
    help="senses: principal components of what is shown, or of the whole model. [default: shown]",
)
@click.option(
    "--deviations",
    metavar="FLOAT",
    help="senses: an ellipse lies so many standard deviations from its mean. [above 0; default: 1]",
)
@click.option("--set", metavar="NAME", help="similarity: a test set of w2gm evaluate, such as WS or MEN.")
@click.option("--pairs", metavar="FILE", help="similarity: a file of your own, two words and a rating a line.")
@data_option
@click.option("--measure", metavar="NAME", help="similarity: a measure of w2gm evaluate. [default: mc]")
@click.option(
    "--case", metavar="fallback|lower|keep", help="similarity: how words are looked up. [default: fallback]"
)
@click.option("--label", metavar="INT", help="similarity: pairs to name, the farthest off. [at least 0; default: 8]")
@json_option
def plot(
    model: str, words: tuple[str, ...], output: str, figure: str | None, as_json: bool, **options: str | None
) -> None:
    """Draw words as the paper's Figure 1 does, or one of three other figures; print the name of the file.

    senses: each component an ellipse, mean and covariance through one linear map. variance: of every sense, against
    the frequency of its word; WORDs are named. similarity: a measure against what people say. training: loss and
    learning rate. Needs the plot extra: pip install "w2gm[plot]".
    """
    kind = "senses" if figure is None else figure
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if words:
        given["words"] = words
    _check(kind, given)
    from w2gm.plotting.saving import checked_place, save
    from w2gm.plotting.style import style

    place = checked_place(output)
    with style():  # a missing matplotlib is told before the work
        drawn = _FIGURES[kind](model, given)
    save(drawn, place)
    if as_json:
        facts = {"file": str(place), "figure": kind, "format": place.suffix[1:].lower()}
        write_json(facts | {"bytes": place.stat().st_size, "model": model} | given)
    else:
        write(str(place))


def _check(kind: str, given: dict[str, Any]) -> None:
    """Read the numbers among the options; one that belongs to another figure is refused, not ignored."""
    if kind not in TAKES:
        raise ConfigError(f"figure must be one of {', '.join(TAKES)}, got {kind!r}")
    for name in given:
        if name not in TAKES[kind]:
            what = "words" if name == "words" else f"--{name}"
            owners = [figure for figure, names in TAKES.items() if name in names]
            raise ConfigError(f"the figure {kind} takes no {what}: leave it out, or choose --figure {owners[0]}")
    for name in ("neighbors", "label"):
        if name in given:
            given[name] = whole_number(name, given[name])
    if "deviations" in given:
        given["deviations"] = real_number("deviations", given["deviations"])


def _senses(model: str, given: dict[str, Any]) -> Figure:
    from w2gm.model import load
    from w2gm.plotting import senses

    before = load(given["before"]) if "before" in given else None
    return senses(load(model), **{"words": ()} | given | {"before": before})


def _variance(model: str, given: dict[str, Any]) -> Figure:
    from w2gm.model import load
    from w2gm.plotting import variance

    return variance(load(model), **given)


def _similarity(model: str, given: dict[str, Any]) -> Figure:
    from w2gm.interop import open_vectors
    from w2gm.plotting import similarity

    if ("set" in given) == ("pairs" in given):
        raise ConfigError("the figure similarity takes either --set NAME or --pairs FILE: give one of them")
    asked = dict(given)
    own = [asked.pop("pairs")] if "pairs" in asked else []
    sets = chosen_sets(asked.pop("data", None), asked.pop("set", None), own)
    if len(sets) != 1:
        raise ConfigError(f"the figure similarity takes one set, got {given['set']!r}: give one name, such as WS")
    return similarity(open_vectors(model), sets[0], **asked)


def _training(model: str, given: dict[str, Any]) -> Figure:
    from w2gm.model import load
    from w2gm.plotting import training

    return training(load(model))


_FIGURES: dict[str, Callable[[str, dict[str, Any]], Figure]] = {
    "senses": _senses,
    "variance": _variance,
    "similarity": _similarity,
    "training": _training,
}
