"""How well the senses of a word go with context words: the energies that training learned, and their background.

log E_i(w, c) = log sum_j q_j exp(xi_ij)        xi_ij as in docs/maths.md, q and j the mixture of c as a context word
log Z_i(w)    = log mean_n E_i(w, n)            over noise words n, drawn as training draws its negatives
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from w2gm.frequencies import keep_probabilities, noise_distribution
from w2gm.model.mixtures import Mixtures

if TYPE_CHECKING:
    from w2gm.model import Model

Doubles = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]

EPSILON = 1e-4  # added to every sum of variances, as in training
NOISE_WORDS = 1024
NUMBERS_AT_ONCE = 1 << 18  # in one array, so that it stays in the cache
# Words and noise words in one matrix product: larger ones are cut among threads, and on a machine that others use too
# waiting for these took 20 ms a product, fifty times as long as the product.
_BATCH = 32


class Evidence:
    """What the words around say about the senses of a word, for one model: energies, and what they are held against.

    shares: (V,) how much each context word counts. noise: (NOISE_WORDS,) ids that stand for words drawn at random.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.contexts = context_mixtures(model)
        self.shares = context_shares(model)
        # Words at even steps of the noise distribution stand for all of it, without chance.
        steps = np.cumsum(noise_distribution(known_counts(model), model.config.ns_exponent))
        places = (np.arange(NOISE_WORDS) + 0.5) / NOISE_WORDS
        self.noise: Ids = np.minimum(np.searchsorted(steps, places), len(model) - 1)

    def backgrounds(self, words: Ids, dtype: Any = np.float64) -> npt.NDArray[Any]:
        """Log Z_i: the log of the mean energy of each sense with a noise word, (n, K), computed in `dtype`."""
        K = self.model.senses
        result = np.empty((len(words), K), dtype)
        noise = self.noise.reshape(-1, _BATCH)
        step = max(1, 2 * _BATCH // K)
        for start in range(0, len(words), step):
            part = words[None, start : start + step]
            energies = self.batched(part, noise, dtype)  # (batches of noise, words * K, words of a batch)
            highest = energies.max(axis=(0, 2), keepdims=True)
            means = np.log(np.exp(energies - highest).mean(axis=(0, 2))) + highest[0, :, 0]
            result[start : start + step] = means.reshape(-1, K)
        return result

    def beside(self, words: Ids, contexts: Ids) -> Doubles:
        """Log E_i of each word (P,) with the context word of the same place (P,), (P, K)."""
        K = self.model.senses
        result = np.empty((len(words), K))
        step = max(1, NUMBERS_AT_ONCE // (K * max(K, self.model.vector_size)))
        for start in range(0, len(words), step):
            part = slice(start, start + step)
            result[part] = self.batched(words[part, None], contexts[part, None], np.float64)[..., 0]
        return result

    def batched(self, words: Ids, contexts: Ids, dtype: Any) -> npt.NDArray[Any]:
        """Log E_i of words with context words of the same batch, (B, n * K, m), computed in `dtype`.

        words: (B, n) and contexts: (B, m) ids; where one of them has a single batch, it goes with all of the other's.
        """
        terms = component_energies(self.model.mixtures, words, self.contexts, contexts, dtype)
        return log_sums(terms.reshape(*terms.shape[:2], -1, self.model.senses))


def context_shares(model: Model) -> Doubles:
    """How much each word counts as a context word, (V,), at most 1: its chance to survive training's subsampling.

    Relative to that of the rarest word: in a small vocabulary all words are frequent, and still they count.
    """
    kept = keep_probabilities(known_counts(model), model.config.sample)
    return np.asarray(kept / kept.max())


def known_counts(model: Model) -> Ids:
    """The counts of the words (V,), at least 1: words from elsewhere may come without."""
    return np.maximum(model.counts, 1)


def context_mixtures(model: Model) -> Mixtures:
    """The mixtures of context words: the output tables, or the input tables where there are none.

    Where training kept both roles in one table they are the same. Where the output tables were left out when the
    model was saved, the input tables stand in for them, with a warning: words that occur in the same places are near
    each other there, which is close to, but not the same as, occurring together.
    """
    if model.context is not None:
        return model.context
    if model.config.separate_output:
        warnings.warn(
            "the model has no output tables (it was saved without context): its word tables stand in for them, "
            "and senses in context are less certain",
            stacklevel=2,
        )
    return model.mixtures


def component_energies(
    inputs: Mixtures, words: Ids, outputs: Mixtures, contexts: Ids, dtype: Any
) -> npt.NDArray[Any]:
    """Log q_j + xi_ij of every sense of some words with every sense of some context words.

    words and contexts: ids as in `Evidence.batched`; the answer is (B, n * K, m * K) in `dtype`, the senses of a word
    beside each other.
    """
    D = inputs.vector_size
    a = inputs.means[words].reshape(len(words), -1, D).astype(dtype, copy=False)
    b = outputs.means[contexts].reshape(len(contexts), -1, D).astype(dtype, copy=False)
    u = np.exp(inputs.log_variances[words].astype(dtype)).reshape(*a.shape[:2], -1)
    v = np.exp(outputs.log_variances[contexts].astype(dtype)).reshape(*b.shape[:2], -1)
    log_q = np.log(outputs.weights[contexts].astype(dtype)).reshape(len(contexts), 1, -1)
    epsilon = np.dtype(dtype).type(EPSILON)
    # In place throughout: these arrays are large, and passes over memory are what takes the time.
    if inputs.covariance == "spherical":
        xi = a @ b.transpose(0, 2, 1)
        xi *= -2
        xi += np.einsum("bid,bid->bi", a, a)[:, :, None]
        xi += np.einsum("bjd,bjd->bj", b, b)[:, None]
        np.maximum(xi, 0, out=xi)  # |a - b|^2, but for rounding
        S = u + v.transpose(0, 2, 1)
        S += epsilon
        xi /= S
        np.log(S, out=S)
        S *= D
        xi += S
    else:
        xi = np.zeros((max(len(a), len(b)), a.shape[1], b.shape[1]), dtype)
        for r in range(D):  # one dimension at a time: all of them at once would take D times the memory
            S = u[:, :, None, r] + v[:, None, :, r]
            S += epsilon
            d = a[:, :, None, r] - b[:, None, :, r]
            d *= d
            d /= S
            xi += d
            xi += np.log(S, out=S)
    xi *= -0.5
    xi += log_q
    return np.asarray(xi)


def log_sums(terms: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Log sum exp over the last axis, which is short: term by term, four times as fast as NumPy's reduction.

    >>> np.exp(log_sums(np.log([[1.0, 2.0, 5.0], [1.0, 1.0, 1.0]]))).round(6)
    array([8., 3.])
    """
    total = terms[..., 0].copy()
    for k in range(1, terms.shape[-1]):
        higher = np.maximum(total, terms[..., k])
        np.minimum(total, terms[..., k], out=total)
        total -= higher
        np.exp(total, out=total)
        np.log1p(total, out=total)
        total += higher
    return total
