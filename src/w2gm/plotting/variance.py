"""Variance against frequency: every component of the vocabulary, on logarithmic axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError
from w2gm.interop.word2vec import has_variances
from w2gm.plotting.labels import Label, write_labels
from w2gm.plotting.style import DARK, drawn, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from w2gm.model import Model

Doubles = npt.NDArray[np.float64]

# With more components than this, points would cover each other: their density is drawn instead.
MOST_POINTS = 3000
_CELLS = 80
_MEDIANS = 20
_FEWEST_OF_A_MEDIAN = 10


@drawn
def variance(model: Model, words: Sequence[str] = ()) -> Figure:
    """The variance of each component against the count of its word, with the median; `words` are labelled.

    The variance of a diagonal covariance is the geometric mean over dimensions. Words that were never counted are
    left out.

    >>> from w2gm import Config, Mixtures, Model, Vocabulary
    >>> means = np.zeros((2, 1, 3), np.float32)
    >>> flat = np.ones((2, 1), np.float32)
    >>> config = Config(senses=1, vector_size=3)
    >>> model = Model(Vocabulary(["the", "cat"], [90, 4]), Mixtures(means, flat, flat), config=config, provenance={})
    >>> figure = variance(model, ["cat"])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['cat:0']
    """
    from matplotlib.figure import Figure

    if not has_variances(model):
        raise ConfigError("word vectors have no variances to draw: give a w2gm model")
    located = [model.locate(key) for key in words]
    counts, variances = _components(model)
    counted = counts > 0
    if not counted.any():
        raise ConfigError("the model has no counts of its words: variance cannot be drawn against frequency")
    for key, (word, _) in zip(words, located, strict=True):
        if not counted[word]:
            raise ConfigError(f"{key!r} was never counted, and has no place in the figure: leave it out")
    figure = Figure(figsize=(6.2, 4.4), layout="constrained")
    axes = figure.add_subplot(
        xscale="log", yscale="log", xlabel="occurrences of the word", ylabel="variance of the sense"
    )
    x = np.repeat(counts[counted], model.senses).astype(np.float64)
    y = variances[counted].ravel()
    if len(x) > MOST_POINTS:
        _shade(figure, axes, x, y)
    else:
        axes.plot(x, y, ".", color=look(0)[0], markersize=4, alpha=0.6, markeredgewidth=0, label="a sense")
    middle, medians = running_median(x, y)
    axes.plot(middle, medians, "-", color=look(1)[0], linewidth=1.6, label="median")
    axes.legend(loc="best")
    axes.use_sticky_edges = False
    axes.margins(0.03)
    _plain_ticks(axes, y)
    _label(axes, model, located, counts, variances)
    return figure


def _components(model: Model) -> tuple[npt.NDArray[np.int64], Doubles]:
    """Counts (V,) and variances (V, K)."""
    logs = model.log_variances.astype(np.float64)
    return np.asarray(model.counts), np.exp(logs if logs.ndim == 2 else logs.mean(axis=2))


def _shade(figure: Figure, axes: Axes, x: Doubles, y: Doubles) -> None:
    """How many components lie in each cell of a grid; an empty cell is not drawn."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap, LogNorm

    # The palest blues cannot be told from the paper.
    blues = ListedColormap(colormaps["Blues"](np.linspace(0.15, 1, 256)))
    grid, across, up = density(x, y)
    shades = axes.pcolormesh(
        across, up, np.ma.masked_equal(grid.T, 0), cmap=blues, norm=LogNorm(vmin=1, vmax=max(grid.max(), 2)),
        linewidth=0,
        rasterized=True,
    )  # fmt: skip
    figure.colorbar(shades, ax=axes, label="senses in a cell", pad=0.02)


def density(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """(how many points lie in each cell (n, m), the cells' edges across (n + 1,) and up (m + 1,)).

    Cells are equally wide on a logarithmic axis. Their edges across lie between whole numbers: counts are whole, and
    a narrower cell would be empty.
    """
    across = np.unique(np.round(np.geomspace(x.min(), x.max() + 1, _CELLS + 1))) - 0.5
    low, high = y.min(), y.max()
    if low == high:
        low, high = low / 2, high * 2
    # Rounding must not leave the extremes outside.
    up: Doubles = np.geomspace(low * (1 - 1e-9), high * (1 + 1e-9), _CELLS + 1)
    across[-1] = max(across[-1], x.max() + 0.5)
    grid: Doubles = np.histogram2d(x, y, bins=(across, up))[0]
    return grid, across.astype(np.float64), up


def running_median(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """Medians of x and of y, in up to 20 parts of the logarithmic axis of x that have ten points or more."""
    edges = np.geomspace(x.min(), x.max() + 1, _MEDIANS + 1)
    part = np.searchsorted(edges, x, side="right")
    full = [own for own in range(1, _MEDIANS + 2) if np.count_nonzero(part == own) >= _FEWEST_OF_A_MEDIAN]
    middles = np.array([np.median(x[part == own]) for own in full])
    return middles, np.array([np.median(y[part == own]) for own in full])


def _plain_ticks(axes: Axes, y: Doubles) -> None:
    """Within about one power of ten the ticks between the powers are all there are: 0.05, not 5 x 10^-2."""
    if y.max() < 20 * y.min():
        for axis_formatter in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
            axis_formatter("{x:g}")


def _label(
    axes: Axes,
    model: Model,
    located: Sequence[tuple[int, int | None]],
    counts: npt.NDArray[np.int64],
    variances: Doubles,
) -> None:
    """Mark and name the senses of the chosen words."""
    chosen = dict.fromkeys(
        (word, number) for word, sense in located for number in (range(model.senses) if sense is None else [sense])
    )
    places = [(float(counts[word]), float(variances[word, number])) for word, number in chosen]
    if places:
        axes.plot(*zip(*places, strict=True), "o", color=DARK, markersize=4, markerfacecolor="white")
    labels = [
        Label(f"{model.index_to_key[word]}:{number}", x, y, DARK)
        for (word, number), (x, y) in zip(chosen, places, strict=True)
    ]
    write_labels(axes, labels)
