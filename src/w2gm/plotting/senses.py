"""The paper's Figure 1 for any words: every component an ellipse, one linear map for means and covariances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError, UnknownWordError
from w2gm.interop.word2vec import has_variances
from w2gm.plotting.labels import Label, write_labels
from w2gm.plotting.outlines import outline
from w2gm.plotting.style import DARK, GREY, drawn, look
from w2gm.query.plane import Plane, principal_plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from w2gm.model import Model

PLANES = ("shown", "model")
_PANEL_INCHES = (5.0, 4.6)
_WORDS_AT_ONCE = 8192
# Opacity of an ellipse whose weight is 0, or 1; less where there are many, or those below could not be seen.
_FAINTEST, _STRONGEST, _MANY = 0.08, 0.45, 8

Component = tuple[str, int]  # a word and the number of its sense


@drawn
def senses(
    model: Model,
    words: Sequence[str],
    *,
    before: Model | None = None,
    neighbors: int = 0,
    plane: str = "shown",
    deviations: float = 1.0,
) -> Figure:
    """Words (or senses, "bank:1") as ellipses in the plane: mean and covariance of each component, projected.

    The plane is that of the first two principal components of the means `shown` in the figure, or of all means of the
    `model`. An ellipse is the line at `deviations` standard deviations of the projected Gaussian, the stronger
    filled the greater the component's weight. `neighbors` adds that many nearest senses of each component, in
    grey. With `before`, an earlier state of the model, the same components are drawn before and after, through the
    map of `model`.

    >>> from w2gm import Config, Mixtures, Model, Vocabulary
    >>> means = np.array([[[1, 0, 0], [0, 1, 0]], [[1, 0.1, 0], [0, 0, 1]]], np.float32)
    >>> flat = np.zeros((2, 2), np.float32)
    >>> config = Config(senses=2, vector_size=3)
    >>> mixtures = Mixtures(means, flat, flat + 0.5)
    >>> model = Model(Vocabulary(["bank", "river"], [9, 4]), mixtures, config=config, provenance={})
    >>> figure = senses(model, ["bank", "river:0"])
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_text()]
    ['bank:0', 'bank:1', 'river:0']
    """
    from matplotlib.figure import Figure

    _check(model, words, before, neighbors, plane, deviations)
    components = _components(model, words)
    around = _around(model, components, neighbors)
    view = principal_plane(_means_of_all(model) if plane == "model" else [_means(model, components + around)])
    panels = [("", model)] if before is None else [("before", before), ("after", model)]
    width, height = _PANEL_INCHES
    figure = Figure(figsize=(width * len(panels), height), layout="constrained")
    colours = {word: number for number, word in enumerate(dict.fromkeys(word for word, _ in components))}
    for place, (title, shown) in enumerate(panels, start=1):
        axes = figure.add_subplot(1, len(panels), place, title=title)
        axes.set_aspect("equal", adjustable="datalim")
        # The plane is that of the model: of the one before it has another share.
        first, second = (f" ({share:.0%} of the variance)" if title != "before" else "" for share in view.shares)
        axes.set_xlabel(f"first principal component{first}")
        axes.set_ylabel(f"second principal component{second}")
        present = [component for component in around if component[0] in shown.key_to_index]
        _draw(axes, shown, components, present, view, deviations, colours)
    for axes, (_, shown) in zip(figure.axes, panels, strict=True):
        present = [component for component in around if component[0] in shown.key_to_index]
        _label(axes, shown, components, present, view, colours)
    return figure


def _check(
    model: Model, words: Sequence[str], before: Model | None, neighbors: int, plane: str, deviations: float
) -> None:
    if not words:
        raise ConfigError("no words to draw: give at least one, such as bank or bank:1")
    if plane not in PLANES:
        raise ConfigError(f"plane must be {' or '.join(PLANES)}, got {plane!r}")
    if not 0 < deviations < float("inf"):
        raise ConfigError(f"deviations must be a number above 0, got {deviations:g}")
    if neighbors < 0:
        raise ConfigError(f"neighbors must be at least 0, got {neighbors}")
    for one in (model, before):
        if one is not None and not has_variances(one):
            raise ConfigError("word vectors have no variances to draw: give a w2gm model")
    if before is not None and (before.senses, before.vector_size) != (model.senses, model.vector_size):
        raise ConfigError(
            f"the model before has {before.senses} senses in {before.vector_size} dimensions, the model "
            f"{model.senses} in {model.vector_size}: give an earlier state of the same model"
        )
    missing = [] if before is None else [word for word, _ in _components(model, words) if word not in before]
    if missing:
        raise UnknownWordError(f"the model before has no word {missing[0]!r}: leave it out, or give another model")


def _components(model: Model, keys: Sequence[str]) -> list[Component]:
    """The components that are asked for, each once."""
    found: dict[Component, None] = {}
    for key in keys:
        word, sense = model.locate(key)
        for number in range(model.senses) if sense is None else [sense]:
            found[model.index_to_key[word], number] = None
    return list(found)


def _around(model: Model, components: list[Component], count: int) -> list[Component]:
    """The `count` nearest senses of each component, each once, without the components themselves."""
    if not count:
        return []
    found = dict.fromkeys(
        (near, number)
        for word, sense in components
        for near, number, _ in model.most_similar(word, sense=sense, topn=count)
    )
    return [component for component in found if component not in components]


def _means(model: Model, components: list[Component]) -> npt.NDArray[np.float64]:
    words = [model.key_to_index[word] for word, _ in components]
    numbers = [number for _, number in components]
    means: npt.NDArray[np.float64] = model.means[words, numbers].astype(np.float64)
    return means


def _means_of_all(model: Model) -> Iterator[npt.NDArray[np.float32]]:
    for start in range(0, len(model), _WORDS_AT_ONCE):
        yield model.means[start : start + _WORDS_AT_ONCE].reshape(-1, model.vector_size)


def _variances(model: Model, components: list[Component]) -> npt.NDArray[np.float64]:
    """(n, D): those of a spherical covariance are the same in every dimension."""
    words = [model.key_to_index[word] for word, _ in components]
    logs = model.log_variances[words, [number for _, number in components]].astype(np.float64)
    return np.broadcast_to(np.exp(logs.reshape(len(words), -1)), (len(words), model.vector_size))


def _draw(
    axes: Axes,
    model: Model,
    components: list[Component],
    around: list[Component],
    view: Plane,
    deviations: float,
    colours: dict[str, int],
) -> None:
    """The ellipses and the middles of all components, the neighbours in grey below them."""
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Ellipse

    every = around + components
    points = view.points(_means(model, every))
    covariances = view.covariances(_variances(model, every))
    fill = min(1.0, _MANY / len(components))
    for component, point, covariance in zip(every, points, covariances, strict=True):
        word, number = component
        width, height, angle = outline(covariance, deviations)
        colour, line = look(colours[word]) if component in components else (GREY, "-")
        weight = float(model.weights[model.key_to_index[word], number])
        filled = fill * (_FAINTEST + (_STRONGEST - _FAINTEST) * weight) if component in components else 0.0
        strength = 1.0 if component in components else 0.35
        ellipse = Ellipse(
            (point[0], point[1]), width, height, angle=angle, label=f"{word}:{number}", linestyle=line,
            facecolor=to_rgba(colour, filled), edgecolor=to_rgba(colour, strength), linewidth=1.2 * strength,
        )  # fmt: skip
        axes.add_patch(ellipse)
    nearby = len(around)
    axes.plot(*points[:nearby].T, ".", color=GREY, markersize=3)
    axes.plot(*points[nearby:].T, ".", color=DARK, markersize=4)
    axes.margins(0.08)
    axes.autoscale_view()


def _label(
    axes: Axes,
    model: Model,
    components: list[Component],
    around: list[Component],
    view: Plane,
    colours: dict[str, int],
) -> None:
    every = components + around
    labels = [
        Label(f"{word}:{number}", x, y, *((look(colours[word])[0], 9.0) if n < len(components) else (GREY, 7.0)))
        for n, ((word, number), (x, y)) in enumerate(zip(every, view.points(_means(model, every)), strict=True))
    ]
    write_labels(axes, labels)
