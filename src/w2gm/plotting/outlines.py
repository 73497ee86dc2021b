"""A Gaussian of the plane as the ellipse that matplotlib draws."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]


class Outline(NamedTuple):
    """An ellipse as matplotlib takes it: whole axes, and the angle of the first in degrees."""

    width: float
    height: float
    angle: float


def outline(covariance: Doubles, deviations: float) -> Outline:
    """The points at `deviations` standard deviations from the mean of a Gaussian with this covariance (2, 2).

    >>> outline(np.array([[9.0, 0.0], [0.0, 4.0]]), 1.0)
    Outline(width=6.0, height=4.0, angle=0.0)
    """
    values, vectors = np.linalg.eigh(covariance)
    short, long = 2 * deviations * np.sqrt(np.maximum(values, 0))
    x, y = vectors[:, 1]
    # An axis has no front and no back: the angle is between -90 and 90 degrees. A circle's is 0.
    angle = 0.0 if math.isclose(short, long, rel_tol=1e-9) else math.degrees(math.atan2(y, x))
    angle = (angle + 90) % 180 - 90
    return Outline(float(long), float(short), angle)
