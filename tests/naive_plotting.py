"""The slow, obvious twins of what figures compute: loops and definitions, nothing from w2gm."""

import math
from itertools import pairwise

import numpy as np


def principal_axes(points):
    """(mean, first two principal components as rows) of points (n, D), by a singular value decomposition."""
    points = np.asarray(points, float)
    centre = sum(points) / len(points)
    _, _, rows = np.linalg.svd(points - centre, full_matrices=True)
    axes = rows[:2].copy()
    for axis in axes:
        if axis[np.argmax(np.abs(axis))] < 0:
            axis *= -1
    return centre, axes


def projected_mean(mean, centre, axes):
    return [sum(axis[d] * (mean[d] - centre[d]) for d in range(len(mean))) for axis in axes]


def projected_covariance(variances, axes):
    """The covariance (2, 2) of A x where x has the diagonal covariance `variances` (D,)."""
    return [[sum(a[d] * b[d] * variances[d] for d in range(len(variances))) for b in axes] for a in axes]


def mahalanobis(point, mean, covariance):
    """Standard deviations between a point of the plane and a Gaussian's mean."""
    (a, b), (c, d) = covariance
    x, y = point[0] - mean[0], point[1] - mean[1]
    return math.sqrt((d * x * x - (b + c) * x * y + a * y * y) / (a * d - b * c))


def cells(x, y, across, up):
    """How many points lie in each cell of a grid, by asking each cell of each point."""
    return [
        [
            sum(1 for a, b in zip(x, y, strict=True) if left <= a < right and low <= b < high)
            for low, high in pairwise(up)
        ]
        for left, right in pairwise(across)
    ]


def best_cosine(one, other):
    """The greatest cosine between two words' means (K, D)."""
    return max(
        sum(a * b for a, b in zip(u, v, strict=True)) / math.sqrt(sum(a * a for a in u) * sum(b * b for b in v))
        for u in np.asarray(one, float)
        for v in np.asarray(other, float)
    )
