"""What follows from how often words occur: how often one is kept in training, and how often it is a negative."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def keep_probabilities(counts: npt.NDArray[np.int64], sample: float) -> npt.NDArray[np.float64]:
    """The chance of each word (V,) to be kept: min(1, sqrt(t / f) + t / f) for the share f of its count.

    This is word2vec's formula, and that of the paper's code; the paper prints sqrt(t / f) alone.

    >>> keep_probabilities(np.array([999_999, 1]), 1e-4).round(4)
    array([0.0101, 1.    ])
    """
    if sample == 0:
        return np.ones(len(counts))
    ratio = sample * counts.sum() / counts
    keep: npt.NDArray[np.float64] = np.minimum(1.0, np.sqrt(ratio) + ratio)
    return keep


def noise_distribution(counts: npt.NDArray[np.int64], exponent: float) -> npt.NDArray[np.float64]:
    """The chance of each word (V,) to be drawn as a negative: its count to the power, normalised.

    >>> noise_distribution(np.array([16, 1]), 0.75).round(3)
    array([0.889, 0.111])
    """
    powers: npt.NDArray[np.float64] = counts.astype(np.float64) ** exponent
    return np.asarray(powers / powers.sum())
