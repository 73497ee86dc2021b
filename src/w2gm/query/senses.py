"""What there is to say about each sense of a word: how frequent, how wide, how real, what about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from w2gm.query.labels import labels
from w2gm.query.real import real_senses

if TYPE_CHECKING:
    from w2gm.model import Model

PEERS = 1000


def describe_senses(model: Model, word: str) -> list[dict[str, Any]]:
    """What `w2gm senses` prints as JSON: a description of each sense of `word`; "bank:1" gives that sense's only.

    [{"sense": 0, "weight": 0.52, "variance": 0.05, "log_variance": -3.0, "wider_than": 0.7, "real": True,
    "label": ["river", ...]}, ...]. The variance of a diagonal covariance is the geometric mean over dimensions, and
    log_variance its logarithm. wider_than: see `wider_than`. real: whether the word has more than one real sense.
    """
    number, asked = model.locate(word)
    wider = wider_than(model, number)
    spread = _log_variances(model, slice(number, number + 1))[0]
    (real,) = real_senses(model, [number]).tolist()
    return [
        {
            "sense": sense,
            "weight": float(model.weights[number, sense]),
            "variance": float(np.exp(spread[sense])),
            "log_variance": float(spread[sense]),
            "wider_than": float(wider[sense]),
            "real": real,
            "label": label,
        }
        for sense, label in zip(range(model.senses) if asked is None else [asked], labels(model, word), strict=True)
    ]


def wider_than(model: Model, number: int) -> npt.NDArray[np.float64]:
    """The share of senses, of words about as frequent, that are narrower than each sense of a word, (K,).

    A hint at generality: frequent words are wide and general words are, so that a variance tells little until it is
    compared at one frequency, here with the senses of the thousand words nearest in frequency.
    """
    first = max(0, min(number - PEERS // 2, len(model) - 1 - PEERS))
    peers = _log_variances(model, slice(first, first + PEERS + 1))
    others = np.sort(np.delete(peers, number - first, axis=0), axis=None)
    own = peers[number - first]
    return np.asarray(np.searchsorted(others, own) / max(1, len(others)))


def _log_variances(model: Model, words: slice) -> npt.NDArray[np.float64]:
    """One log-variance for each sense (n, K): the mean over dimensions of a diagonal covariance."""
    rows = model.log_variances[words].astype(np.float64)
    return np.asarray(rows if rows.ndim == 2 else rows.mean(axis=2))
