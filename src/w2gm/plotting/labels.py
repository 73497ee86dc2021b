"""Labels beside their points, where they cover each other, the points and the lines least."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.plotting.fonts import worded
from w2gm.plotting.style import ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

Doubles = npt.NDArray[np.float64]
Pixels = tuple[float, float]

# Tried in this order: distances from the point, in points of 1/72 inch, and directions, in sixteenths of a circle.
_DISTANCES = (5.0, 11.0, 19.0, 29.0, 41.0, 55.0, 71.0)
_DIRECTIONS = (2, 14, 6, 10, 0, 8, 4, 12, 1, 15, 7, 9, 3, 13, 5, 11)
_LINE_FROM = 11.0  # a label at this distance or farther is tied to its point by a line
_LINE_HALF = 1.5  # half the width that a line is kept clear of, in points
_POINT_HALF = 3.0  # half the side of the square a point takes, in points
# What it costs to cover a point, a label or its line, or to leave the axes: area times this.
_OF_POINT, _OF_INK, _OF_EDGE = 1.0, 4.0, 20.0


class Label(NamedTuple):
    """A text that belongs to a place in the axes' data."""

    text: str
    x: float
    y: float
    colour: str
    size: float = 8.0


class _Place(NamedTuple):
    """Where a label may stand: the shift of its middle from its point, its box, and its line's end and squares."""

    shift: Pixels
    box: Doubles
    end: Pixels | None
    line: Doubles


def write_labels(axes: Axes, labels: Sequence[Label], obstacles: npt.ArrayLike = ()) -> list[Annotation]:
    """Write labels into finished axes, the important ones first; `obstacles` (n, 2) are points to keep clear of.

    The layout of the figure is made and then kept: what is added afterwards moves nothing.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patheffects import withStroke

    figure = axes.figure
    assert isinstance(figure, Figure)  # noqa: S101 - no figure of ours has figures inside
    canvas: Any = FigureCanvasAgg(figure)
    renderer = canvas.get_renderer()
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    pixels = figure.dpi / 72
    own = [(label.x, label.y) for label in labels]
    points = np.concatenate([np.reshape(own, (-1, 2)), np.reshape(obstacles, (-1, 2))])
    middles = axes.transData.transform(points)
    dots = _squares(middles, _POINT_HALF * pixels)
    inked = np.empty((0, 4))  # labels and lines so far
    limits = np.array(axes.get_window_extent(renderer).extents)
    halo = withStroke(linewidth=1.8, foreground="white", alpha=0.8)
    written = []
    for label, (x, y) in zip(labels, middles.tolist(), strict=False):
        text = axes.annotate(
            **worded(label.text), xy=(label.x, label.y), xytext=(0, 0), textcoords="offset points",
            color=ink(label.colour), fontsize=label.size, ha="center", va="center", zorder=5, path_effects=[halo],
        )  # fmt: skip
        extent = text.get_window_extent(renderer)
        place = _best((x, y), (extent.width, extent.height), dots, inked, limits, pixels)
        text.set_position((place.shift[0] / pixels, place.shift[1] / pixels))
        if place.end is not None:
            _tie(axes, label, (place.end[0] / pixels, place.end[1] / pixels))
        inked = np.concatenate([inked, place.box[np.newaxis], place.line])
        written.append(text)
    return written


def _best(point: Pixels, size: Pixels, dots: Doubles, inked: Doubles, limits: Doubles, pixels: float) -> _Place:
    """The first place that costs nothing, or the cheapest; a line may cross points, but no label and no line."""
    places, costs = [], []
    for distance in _DISTANCES:
        for direction in _DIRECTIONS:
            place = _place(point, size, distance, direction, pixels)
            outside = size[0] * size[1] - _covered(place.box, limits[np.newaxis])
            crossed = sum(_covered(one, inked) for one in [place.box, *place.line])
            cost = _OF_POINT * _covered(place.box, dots) + _OF_INK * crossed + _OF_EDGE * outside
            if cost < 1e-6:
                return place
            places.append(place)
            costs.append(cost)
    return places[int(np.argmin(costs))]


def _place(point: Pixels, size: Pixels, distance: float, direction: int, pixels: float) -> _Place:
    """The place whose nearest side or corner is `distance` away from the point."""
    angle = direction * math.pi / 8
    across, up = round(math.cos(angle), 6), round(math.sin(angle), 6)
    end = across * distance * pixels, up * distance * pixels
    shift = end[0] + np.sign(across) * size[0] / 2, end[1] + np.sign(up) * size[1] / 2
    middle = point[0] + shift[0], point[1] + shift[1]
    half = size[0] / 2, size[1] / 2
    box = np.array([middle[0] - half[0], middle[1] - half[1], middle[0] + half[0], middle[1] + half[1]])
    if distance < _LINE_FROM:
        return _Place(shift, box, None, np.empty((0, 4)))
    steps = max(2, round(distance / (2 * _LINE_HALF)))
    along = np.arange(1, steps)[:, np.newaxis] / steps
    return _Place(shift, box, end, _squares(np.array(point) + along * np.array(end), _LINE_HALF * pixels))


def _covered(box: Doubles, taken: Doubles) -> float:
    """The area of a box (left, bottom, right, top) that boxes (n, 4) cover, those that do so twice counted twice."""
    width = np.minimum(box[2], taken[:, 2]) - np.maximum(box[0], taken[:, 0])
    height = np.minimum(box[3], taken[:, 3]) - np.maximum(box[1], taken[:, 1])
    return float((np.maximum(width, 0) * np.maximum(height, 0)).sum())


def _squares(middles: Doubles, half: float) -> Doubles:
    """Boxes (n, 4) around points (n, 2)."""
    return np.concatenate([middles - half, middles + half], axis=1)


def _tie(axes: Axes, label: Label, end: tuple[float, float]) -> None:
    """A thin line from the point to its label, which begins `end` (in 1/72 inch) away."""
    axes.annotate(
        "", xy=(label.x, label.y), xytext=end, textcoords="offset points", zorder=4,
        arrowprops={
            "arrowstyle": "-", "color": ink(label.colour), "linewidth": 0.5, "alpha": 0.7, "shrinkA": 0, "shrinkB": 1,
        },
    )  # fmt: skip
