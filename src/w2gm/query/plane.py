"""From D dimensions to the plane: one linear map takes the means and the covariances.

A component N(mu, Sigma) becomes N(A (mu - c), A Sigma A'), so that an ellipse on a map is the shadow of the Gaussian.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]


class Plane(NamedTuple):
    """The map x -> axes (x - centre). axes: (2, D), orthonormal rows. shares: of the variance along each of them."""

    centre: Doubles
    axes: Doubles
    shares: tuple[float, float]

    def points(self, means: npt.ArrayLike) -> Doubles:
        """Where means (n, D) come to lie, (n, 2)."""
        return (np.asarray(means, np.float64) - self.centre) @ self.axes.T

    def covariances(self, variances: npt.ArrayLike) -> Doubles:
        """A Sigma A' of covariances with variances (n, D), or (n, 1) when spherical; (n, 2, 2).

        >>> Plane(np.zeros(3), np.eye(3)[:2], (0.5, 0.3)).covariances([[4.0, 1.0, 9.0]]).tolist()
        [[[4.0, 0.0], [0.0, 1.0]]]
        """
        spread = np.asarray(variances, np.float64)
        wide = np.broadcast_to(spread, (len(spread), self.axes.shape[1]))
        flat: Doubles = np.einsum("id,nd,jd->nij", self.axes, wide, self.axes)
        return flat


def principal_plane(pieces: Iterable[npt.ArrayLike]) -> Plane:
    """The plane in which the points of all `pieces` (n, D) vary most: their first two principal components.

    Each axis points to where its largest coordinate is positive, so that the picture never flips. In one dimension
    the second axis is zero.

    >>> plane = principal_plane([[[0.0, 0.0, 5.0], [0.0, 4.0, 5.0]], [[2.0, 0.0, 5.0], [2.0, 4.0, 5.0]]])
    >>> plane.axes.tolist(), plane.centre.tolist(), plane.shares
    ([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], [1.0, 2.0, 5.0], (0.8, 0.2))
    """
    centre, scatter = _moments(pieces)
    values, vectors = np.linalg.eigh(scatter)
    axes = np.zeros((2, len(centre)))
    chosen = vectors.T[::-1][:2]
    signs = np.sign(chosen[np.arange(len(chosen)), np.abs(chosen).argmax(axis=1)])
    axes[: len(chosen)] = chosen * signs[:, np.newaxis] + 0.0  # no minus zero
    largest = np.zeros(2)
    largest[: len(chosen)] = np.maximum(values[::-1][:2], 0)
    total = float(np.trace(scatter))
    first, second = (float(value) / total if total > 0 else 0.0 for value in largest)
    return Plane(centre, axes, (first, second))


def _moments(pieces: Iterable[npt.ArrayLike]) -> tuple[Doubles, Doubles]:
    """Mean (D,) and covariance (D, D) of the points of all pieces, each seen once (Chan's update)."""
    count, mean, scatter = 0, np.zeros(0), np.zeros(0)
    for piece in pieces:
        points = np.asarray(piece, np.float64)
        own = points.mean(axis=0)
        spread = (points - own).T @ (points - own)
        if count == 0:
            count, mean, scatter = len(points), own, spread
            continue
        both = count + len(points)
        step = own - mean
        scatter = scatter + spread + np.outer(step, step) * (count * len(points) / both)
        mean = mean + step * (len(points) / both)
        count = both
    return mean, scatter / count
