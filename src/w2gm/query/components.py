"""The Gaussians that answer and those that ask, with what a comparison needs of them."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.errors import ModelError
from w2gm.query.search import Doubles

_ROWS_AT_ONCE = 32_768
# Between these no term of a bound leaves the range of float32; beyond them bounds are computed in float64.
LARGEST_SQUARE, LARGEST_LOG_VARIANCE = 1e16, 30.0


class Queries(NamedTuple):
    """B mixtures of Q Gaussians in D dimensions, float64; a point has a log-variance of minus infinity.

    means: (B, Q, D). log_variances: (B, Q, 1) when spherical, (B, Q, D) when diagonal. log_weights: (B, Q).
    """

    means: Doubles
    log_variances: Doubles
    log_weights: Doubles


class Gaussians:
    """R Gaussians that answer, row by row, with what every comparison needs of them.

    means: (R, D) float32. log_variances: (R,) when spherical, (R, D) when diagonal. weights: (R,). A value not
    finite raises `ModelError` when first used.
    """

    def __init__(
        self, means: npt.NDArray[np.float32], log_variances: npt.NDArray[np.float32], weights: npt.NDArray[np.float32]
    ) -> None:
        self.means, self.weights = means, weights
        self.log_variances = log_variances.reshape(len(means), -1)

    @property
    def spherical(self) -> bool:
        """Whether one variance serves all dimensions (also true when there is only one dimension)."""
        return self.log_variances.shape[1] == 1

    @cached_property
    def squares(self) -> npt.NDArray[np.float32]:
        """(R,) squared lengths of the means, float32; infinite where they leave its range."""
        squares = np.empty(len(self.means), np.float32)
        for start in range(0, len(self.means), _ROWS_AT_ONCE):
            piece = self.means[start : start + _ROWS_AT_ONCE].astype(np.float64)
            exact = np.einsum("rd,rd->r", piece, piece)
            _check(exact, start, "means")
            with np.errstate(over="ignore"):
                squares[start : start + _ROWS_AT_ONCE] = exact
        return squares

    @cached_property
    def log_determinants(self) -> npt.NDArray[np.float32]:
        """(R,) log|Sigma|, float32."""
        factor = self.means.shape[1] / self.log_variances.shape[1]
        exact = self.log_variances.sum(axis=1, dtype=np.float64) * factor
        _check(exact, 0, "log-variances")
        log_determinants: npt.NDArray[np.float32] = exact.astype(np.float32)
        return log_determinants

    @cached_property
    def variances(self) -> npt.NDArray[np.float32]:
        """(R, 1) or (R, D) variances, float32."""
        with np.errstate(over="ignore"):
            variances: npt.NDArray[np.float32] = np.exp(self.log_variances)
        return variances

    @cached_property
    def log_weights(self) -> npt.NDArray[np.float32]:
        """(R,) logarithms of the weights, float32."""
        log_weights: npt.NDArray[np.float32] = np.log(self.weights)
        return log_weights

    @cached_property
    def largest_log_weight(self) -> float:
        """The largest size of the logarithm of a weight."""
        return float(np.abs(self.log_weights).max())

    @cached_property
    def largest_log_variance(self) -> float:
        """The largest size of a log-variance."""
        _check(self.log_determinants, 0, "log-variances")
        return float(np.abs(self.log_variances).max())

    @cached_property
    def moderate(self) -> bool:
        """Whether float32 holds every term of a bound."""
        return float(self.squares.max()) < LARGEST_SQUARE and self.largest_log_variance < LARGEST_LOG_VARIANCE


def _check(values: npt.NDArray[np.floating], start: int, name: str) -> None:
    if not np.isfinite(values).all():
        row = start + int(np.flatnonzero(~np.isfinite(values))[0])
        raise ModelError(f"row {row} of the {name} holds a value that is not finite: the model is damaged")
