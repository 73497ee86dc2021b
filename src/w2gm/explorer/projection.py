"""The space on a page: a plane through it on which the components of the model spread the most.

Means and covariances go through the same linear map: with axes A (D, 2) and origin o a component N(mu, Sigma) becomes
N((mu - o) A, A' Sigma A), so that an ellipse on the map is the shadow of the Gaussian.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.model.mixtures import Floats

Doubles = npt.NDArray[np.float64]
# Rows in one piece of the sums: float64 copies of a large model never stand in memory whole.
_ROWS = 65_536


class Plane(NamedTuple):
    """A linear map to two dimensions.

    origin: (D,). axes: (D, 2), orthonormal columns. shares: (2,), the part of the variance along each axis.
    """

    origin: Doubles
    axes: Doubles
    shares: Doubles

    def points(self, means: npt.ArrayLike) -> Doubles:
        """Where means (n, D) lie on the plane, (n, 2)."""
        return np.asarray((np.asarray(means, np.float64) - self.origin) @ self.axes)

    def covariances(self, variances: npt.ArrayLike) -> Doubles:
        """The covariances A' Sigma A of components with variances (n, D), or (n, 1) when spherical; (n, 2, 2).

        >>> plane = Plane(np.zeros(3), np.eye(3)[:, :2], np.array([0.5, 0.3]))
        >>> plane.covariances([[4.0, 1.0, 9.0]]).tolist()
        [[[4.0, 0.0], [0.0, 1.0]]]
        """
        spread = np.asarray(variances, np.float64)
        wide = np.broadcast_to(spread, (len(spread), len(self.axes)))
        return np.asarray(np.einsum("dx,nd,dy->nxy", self.axes, wide, self.axes))


def principal_plane(means: Floats | Doubles) -> Plane:
    """The plane of the first two principal components of points (n, D), by the covariance's eigenvectors.

    The direction of an axis is such that its largest coordinate is positive: the same points, the same map. With one
    dimension only, the second axis is zero.

    >>> plane = principal_plane(np.array([[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 2.0, 1.0], [4.0, 2.0, 1.0]]))
    >>> plane.points([[4.0, 0.0, 1.0]]).tolist(), plane.shares.round(1).tolist()
    ([[2.0, -1.0]], [0.8, 0.2])
    """
    count, dimensions = means.shape
    origin = means.mean(axis=0, dtype=np.float64)
    scatter = np.zeros((dimensions, dimensions))
    for start in range(0, count, _ROWS):
        rows = means[start : start + _ROWS].astype(np.float64) - origin
        scatter += rows.T @ rows
    values, vectors = np.linalg.eigh(scatter)
    axes = np.zeros((dimensions, 2))
    shares = np.zeros(2)
    total = float(values.clip(0).sum())
    for place in range(min(2, dimensions)):
        axis = vectors[:, -1 - place]
        axes[:, place] = axis * (np.sign(axis[np.abs(axis).argmax()]) or 1.0)
        shares[place] = max(0.0, float(values[-1 - place])) / total if total else 0.0
    return Plane(origin, axes, shares)
