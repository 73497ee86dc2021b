"""What a model says of pairs of words against what people say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError, DataError
from w2gm.evaluation.datasets import Dataset, Pairs
from w2gm.evaluation.scores import score_all
from w2gm.evaluation.statistics import spearman
from w2gm.plotting.fonts import worded
from w2gm.plotting.labels import Label, write_labels
from w2gm.plotting.style import DARK, drawn, look

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from w2gm.model import Model

Doubles = npt.NDArray[np.float64]


@drawn
def similarity(
    model: Model, pairs: Dataset, measure: str = "mc", *, case: str = "fallback", label: int = 8
) -> Figure:
    """A measure of each pair against its rating, of the pairs whose words the model knows.

    `label` names that many pairs: those whose ranks, by the model and by people, lie farthest apart. Measures
    are those of `w2gm evaluate`; `case` says how words are looked up.

    >>> from w2gm import Config, Mixtures, Model, Vocabulary
    >>> from w2gm.evaluation import Pairs
    >>> means = np.array([[[1, 0]], [[3, 4]], [[0, 1]]], np.float32)
    >>> flat = np.ones((3, 1), np.float32)
    >>> words, config = Vocabulary(["cup", "mug", "cat"], [9, 4, 2]), Config(senses=1, vector_size=2)
    >>> model = Model(words, Mixtures(means, flat, flat), config=config, provenance={})
    >>> figure = similarity(model, Pairs("mine", [("cup", "mug"), ("cup", "cat")], np.array([9.0, 1.0])))
    >>> figure.axes[0].get_title()
    'mine: 2 of 2 pairs, Spearman 100.0'
    """
    from matplotlib.figure import Figure

    if not isinstance(pairs, Pairs):
        raise ConfigError(f"{pairs.name} holds no rated pairs: choose a set of pairs, such as WS or MEN")
    if label < 0:
        raise ConfigError(f"label must be at least 0, got {label}")
    scores = score_all(model, pairs, [measure], case)
    values = scores.values[measure]
    if values is None:
        raise ConfigError(f"{measure} needs variances, which word vectors lack: use mc, me or avesim")
    found = np.flatnonzero(scores.found & np.isfinite(values))
    if len(found) < 2:
        raise DataError(
            f"the model knows {len(found)} of the {len(pairs)} pairs of {pairs.name}: at least 2 are needed"
        )
    x, y = pairs.ratings[found], values[found]
    figure = Figure(figsize=(5.4, 4.6), layout="constrained")
    axes = figure.add_subplot(xlabel="similarity as people rate it", ylabel=f"similarity by the model ({measure})")
    title = worded(f"{pairs.name}: {len(found)} of {len(pairs)} pairs, Spearman {100 * spearman(y, x)[0]:.1f}")
    axes.set_title(title.pop("text"), **title)
    opacity = float(np.clip(30 / np.sqrt(len(found)), 0.25, 0.8))
    axes.plot(x, y, "o", color=look(0)[0], markersize=3.5, alpha=opacity, markeredgewidth=0)
    axes.margins(0.06)
    far = farthest(x, y, label)
    axes.plot(x[far], y[far], "o", color=look(1)[0], markersize=4.5, markeredgewidth=0)
    labels = [Label("–".join(pairs.words[found[k]]), float(x[k]), float(y[k]), DARK) for k in far]
    write_labels(axes, labels, np.column_stack([x, y]))
    return figure


def farthest(x: Doubles, y: Doubles, count: int) -> npt.NDArray[np.int64]:
    """The items whose ranks in x and in y (ties at their mean rank) differ most, the farthest first.

    >>> farthest(np.array([1.0, 2.0, 3.0]), np.array([0.2, 0.1, 0.9]), 2).tolist()
    [0, 1]
    """
    return np.argsort(-np.abs(_ranks(x) - _ranks(y)), kind="stable")[:count]


def _ranks(values: Doubles) -> Doubles:
    ordered = np.sort(values)
    ranks: Doubles = (np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")) / 2
    return ranks
