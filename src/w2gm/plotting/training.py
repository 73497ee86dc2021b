"""The course of a training: loss and learning rate against the tokens that were read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from w2gm.errors import ModelError
from w2gm.plotting.style import drawn, look

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from w2gm.model import Model

CURVES = ("tokens", "loss", "learning_rate")


@drawn
def training(model: Model) -> Figure:
    """Loss per triple and learning rate, each of a stretch of the run, against the tokens up to its end.

    >>> from w2gm import train
    >>> lines = ["the cat chased the mouse", "the dog chased the cat"] * 50
    >>> figure = training(train(lines, senses=1, vector_size=8, epochs=2, min_count=1, workers=1))
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['loss', 'learning rate']
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    history = history_of(model)
    figure = Figure(figsize=(6.0, 4.4), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    # A run of a few chunks has a few points: a line alone would show one point as nothing.
    marker = "." if len(history["tokens"]) < 30 else ""
    for number, (axes, name) in enumerate(zip((upper, lower), CURVES[1:], strict=True)):
        axes.plot(history["tokens"], history[name], marker=marker, color=look(number)[0], linewidth=1.4)
        axes.set_ylabel(name.replace("_", " "))
    lower.set_xlabel("tokens")
    lower.set_xlim(left=0)
    lower.set_ylim(bottom=0)
    lower.xaxis.set_major_formatter(EngFormatter(sep=" "))
    figure.align_ylabels()
    return figure


def history_of(model: Model) -> dict[str, list[float]]:
    """The curves that the model's provenance holds, of equal lengths, or `ModelError`."""
    history = model.provenance.get("history")
    if history is None:
        raise ModelError("the model has no history of its training: it was made by an earlier w2gm, or imported")
    curves: dict[str, Any] = {name: history.get(name) for name in CURVES} if isinstance(history, dict) else {}
    if not curves or not all(map(_is_curve, curves.values())) or len({*map(len, curves.values())}) != 1:
        raise ModelError(
            f"the history of the model's training is damaged: expected equally many {', '.join(CURVES)} as numbers"
        )
    if not curves[CURVES[0]]:
        raise ModelError("the history of the model's training is empty: nothing was trained")
    return curves


def _is_curve(values: Any) -> bool:
    """Whether it is a list of finite numbers."""
    return isinstance(values, list) and all(
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) for value in values
    )
