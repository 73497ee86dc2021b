"""The three arrays every answer is a function of, and what must always be true of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from w2gm.errors import ModelError

Floats = npt.NDArray[np.float32]

# Softmax in float32 sums to 1 within 1e-6; weights that went through float16 are off by up to 5e-4.
SUM_TOLERANCE = 1e-3
# Values are checked in pieces, so that a check never doubles the memory of a large model.
_ROWS_AT_ONCE = 65_536


@dataclass(frozen=True, eq=False)
class Mixtures:
    """A Gaussian mixture for each of V words: K components in D dimensions, all arrays float32.

    means: (V, K, D). log_variances: (V, K) when spherical, (V, K, D) when diagonal. weights: (V, K), positive,
    each row sums to 1. Shapes and dtypes are checked when made, values by `check`. The arrays are kept as
    read-only views: nothing is copied, and nothing is changed through a `Mixtures`.

    >>> one = np.ones((3, 2, 5), dtype=np.float32)
    >>> mixtures = Mixtures(means=one, log_variances=one[:, :, 0], weights=one[:, :, 0] / 2)
    >>> mixtures.words, mixtures.senses, mixtures.vector_size, mixtures.covariance
    (3, 2, 5, 'spherical')
    """

    means: Floats
    log_variances: Floats
    weights: Floats

    def __post_init__(self) -> None:
        for name in ("means", "log_variances", "weights"):
            array = getattr(self, name)
            if not isinstance(array, np.ndarray) or array.dtype != np.float32:
                kind = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
                raise ModelError(f"{name} must be a float32 array, got {kind}: convert it with astype")
            view = array.view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)
        if self.means.ndim != 3 or 0 in self.means.shape:
            raise ModelError(
                f"means must have shape (words, senses, dimensions), each at least 1, got {self.means.shape}"
            )
        full, per_sense = self.means.shape, self.means.shape[:2]
        if self.weights.shape != per_sense:
            raise ModelError(f"weights must have shape {per_sense} to go with the means, got {self.weights.shape}")
        if self.log_variances.shape not in (per_sense, full):
            raise ModelError(
                f"log_variances must have shape {per_sense} (spherical) or {full} (diagonal) to go with the "
                f"means, got {self.log_variances.shape}"
            )

    @property
    def words(self) -> int:
        """Number of words, V."""
        return int(self.means.shape[0])

    @property
    def senses(self) -> int:
        """Components per word, K."""
        return int(self.means.shape[1])

    @property
    def vector_size(self) -> int:
        """Dimensions of the space, D."""
        return int(self.means.shape[2])

    @property
    def covariance(self) -> str:
        """'spherical' or 'diagonal', as the shape of `log_variances` says."""
        return "spherical" if self.log_variances.ndim == 2 else "diagonal"

    @property
    def variances(self) -> Floats:
        """exp(log_variances), of the same shape; computed at each call."""
        return np.exp(self.log_variances)

    def check(self) -> None:
        """Read every value: all finite, variances too, weights positive and summing to 1; or `ModelError`.

        >>> one = np.ones((1, 1, 1), dtype=np.float32)
        >>> Mixtures(means=one, log_variances=one[0] * np.float32("nan"), weights=one[0]).check()
        Traceback (most recent call last):
            ...
        w2gm.errors.ModelError: log_variances of word 0 hold nan: every value must be finite
        """
        for name in ("weights", "log_variances", "means"):
            for start, rows in _pieces(getattr(self, name)):
                bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
                if bad.size:
                    values = rows[bad[0]]
                    worst = values[~np.isfinite(values)][0]
                    raise ModelError(f"{name} of word {start + bad[0]} hold {worst}: every value must be finite")
                if name == "log_variances":
                    _check_variances(rows, start)
        for start, rows in _pieces(self.weights):
            _check_weights(rows, start)


def _pieces(array: Floats) -> Iterator[tuple[int, Floats]]:
    """(number of its first word, rows of some words as (n, everything else))."""
    for start in range(0, len(array), _ROWS_AT_ONCE):
        piece = array[start : start + _ROWS_AT_ONCE]
        yield start, piece.reshape(len(piece), -1)


def _check_variances(rows: Floats, start: int) -> None:
    with np.errstate(over="ignore", under="ignore"):
        variances = np.exp(rows)
    bad = np.flatnonzero(~(np.isfinite(variances) & (variances > 0)).all(axis=1))
    if bad.size:
        values = rows[bad[0]]
        raise ModelError(
            f"log_variances of word {start + bad[0]} hold {values[np.argmax(np.abs(values))]:g}: "
            "the variance must be a positive float32"
        )


def _check_weights(rows: Floats, start: int) -> None:
    bad = np.flatnonzero(~(rows > 0).all(axis=1))
    if bad.size:
        raise ModelError(f"weights of word {start + bad[0]} hold {rows[bad[0]].min():g}: all must be positive")
    sums = rows.sum(axis=1, dtype=np.float64)
    bad = np.flatnonzero(~(np.abs(sums - 1) <= SUM_TOLERANCE))
    if bad.size:
        raise ModelError(f"weights of word {start + bad[0]} sum to {sums[bad[0]]:g}: they must sum to 1")
