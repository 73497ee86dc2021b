"""Which sense of a word its context speaks for: the posterior of the senses, given the words around.

Training learned how well each sense i of a word w goes with a context word c, the partial energy

    E_i(w, c) = sum_j q_j exp(xi_ij)        xi_ij as in docs/maths.md, q and j the mixture of c as a context word

Against the words that would stand there by chance (the noise n of training), E_i is a distribution of context words,
p(c | w, i) = E_i(w, c) / Z_i with Z_i = mean_n E_i(w, n), and p_i Z_i is how much of the word's contexts the sense
accounts for. Taken as independent, context words would multiply; they are far from independent, so the evidence
grows with the square root of its amount. Each word counts by its chance k_c to survive the subsampling of training:

    log p(i | w, c_1 .. c_n) = log p_i Z_i + sum_c k_c log(E_i(w, c) / Z_i) / sqrt(max(1, sum_c k_c)) + constant

The rule was chosen on pseudo-words (benchmarks/disambiguation.py, 20 million tokens, held-out accuracy on pairs of
equal frequency and of 1:5): as above 81.1 and 84.8; without Z 80.0 and 85.1; all words alike 79.6 and 83.9; a plain
sum of the same accuracy, but far too sure of itself (log-loss 0.75, here 0.43).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError
from w2gm.frequencies import keep_probabilities, noise_distribution
from w2gm.model.mixtures import Mixtures

if TYPE_CHECKING:
    from w2gm.model import Model

Doubles = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]

EPSILON = 1e-4  # added to every sum of variances, as in training
NOISE_WORDS = 1024
_NUMBERS_AT_ONCE = 1 << 22  # held in one array at a time


class Evidence:
    """What the words around say about the senses of a word, for one model: energies, and what they are held against.

    kept: (V,) how much each context word counts. noise: (NOISE_WORDS,) ids that stand for words drawn at random.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.contexts = context_mixtures(model)
        counts = np.maximum(model.counts, 1)  # words from elsewhere may come without counts
        self.kept = keep_probabilities(counts, model.config.sample)
        # Words at even steps of the noise distribution stand for all of it, without chance.
        steps = np.cumsum(noise_distribution(counts, model.config.ns_exponent))
        places = (np.arange(NOISE_WORDS) + 0.5) / NOISE_WORDS
        self.noise: Ids = np.minimum(np.searchsorted(steps, places), len(model) - 1)

    def backgrounds(self, words: Ids) -> Doubles:
        """Log Z_i: the log of the mean energy of each sense with a noise word, (n, K)."""
        result = np.empty((len(words), self.model.senses))
        step = max(1, _NUMBERS_AT_ONCE // (len(self.noise) * self.model.senses**2))
        for start in range(0, len(words), step):
            part = words[start : start + step]
            energies = self.between(part, self.noise)
            result[start : start + step] = np.logaddexp.reduce(energies, axis=2) - np.log(len(self.noise))
        return result

    def between(self, words: Ids, contexts: Ids) -> Doubles:
        """Log E_i of each word (A,) with each context word (B,), (A, K, B)."""
        terms = component_energies(self.model.mixtures, words[None], self.contexts, contexts[None])
        K = self.model.senses
        return np.asarray(np.logaddexp.reduce(terms.reshape(len(words), K, len(contexts), K), axis=3))

    def beside(self, words: Ids, contexts: Ids) -> Doubles:
        """Log E_i of each word (P,) with the context word of the same place (P,), (P, K)."""
        K = self.model.senses
        result = np.empty((len(words), K))
        step = max(1, _NUMBERS_AT_ONCE // (K * max(K, self.model.vector_size)))
        for start in range(0, len(words), step):
            part = slice(start, start + step)
            terms = component_energies(self.model.mixtures, words[part, None], self.contexts, contexts[part, None])
            result[part] = np.logaddexp.reduce(terms, axis=2)
        return result


def posteriors(model: Model, words: npt.ArrayLike, contexts: Sequence[npt.ArrayLike]) -> Doubles:
    """The probability of each sense of N words, each given the words around it; (N, K) float64, rows sum to 1.

    words: (N,) ids. contexts: for each the ids of its context words, any number of them; an id below 0 is an unknown
    word and says nothing, nor does the word itself. A word without any known context word gets its weights.
    Contexts are bags: order and distance do not count, a word seen twice counts twice. What is kept in memory is one
    number for each sense and context word; the rest is made in pieces.

    >>> from w2gm import Config, Mixtures, Model, Vocabulary
    >>> means = np.array([[[2, 0], [0, 2]], [[2, 0], [2, 0]], [[0, 2], [0, 2]]], np.float32)
    >>> flat = np.ones((3, 2), np.float32)
    >>> words = Vocabulary(["bank", "river", "money"], [9, 4, 4])
    >>> config = Config(senses=2, vector_size=2, sample=0.0, separate_output=False)
    >>> model = Model(words, Mixtures(means, 0 * flat, flat / 2), config=config, provenance={})
    >>> posteriors(model, [0, 0], [[1, 1], [2, -1]]).round(2)
    array([[0.94, 0.06],
           [0.12, 0.88]])
    """
    centres, owners, beside = _pairs(model, words, contexts)
    evidence = Evidence(model)
    background, factors = _log_factors(evidence, centres, owners, beside)
    priors = np.log(model.weights[centres].astype(np.float64))
    # Rows that were told something; the others keep their weights.
    told = np.bincount(owners, minlength=len(centres)) > 0
    priors[told] += background[told]
    for sense in range(model.senses):
        priors[:, sense] += np.bincount(owners, factors[:, sense], minlength=len(centres))
    return _normalised(priors)


def contributions(model: Model, word: int, context: npt.ArrayLike) -> Doubles:
    """How much each context word adds to the log-odds of each sense against the others, (n, K) float64.

    The difference between the log-odds with the word and without it. With two senses it is additive: the log-odds
    of the answer are those of the prior and the sum of the column. A word that says nothing has zeros.

    >>> from w2gm import Config, Mixtures, Model, Vocabulary
    >>> means = np.array([[[2, 0], [0, 2]], [[2, 0], [2, 0]], [[0, 2], [0, 2]]], np.float32)
    >>> flat = np.ones((3, 2), np.float32)
    >>> words = Vocabulary(["bank", "river", "money"], [9, 4, 4])
    >>> config = Config(senses=2, vector_size=2, sample=0.0, separate_output=False)
    >>> model = Model(words, Mixtures(means, 0 * flat, flat / 2), config=config, provenance={})
    >>> contributions(model, 0, [1, -1]).round(1)
    array([[ 2., -2.],
           [ 0.,  0.]])
    """
    ids = np.asarray(context, dtype=np.int64)
    centres, _, _ = _pairs(model, [word], [ids])
    spoke = np.flatnonzero((ids >= 0) & (ids != word))
    result = np.zeros((len(ids), model.senses))
    if model.senses == 1 or not len(spoke):
        return result
    background, factors = _log_factors(Evidence(model), centres, np.zeros(len(spoke), np.int64), ids[spoke])
    total = np.log(model.weights[word].astype(np.float64)) + background[0] + factors.sum(axis=0)
    result[spoke] = _log_odds(total[None]) - _log_odds(total - factors)
    return result


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


def component_energies(inputs: Mixtures, words: Ids, outputs: Mixtures, contexts: Ids) -> Doubles:
    """Log q_j + xi_ij of every sense of some words with every sense of some context words.

    words: (B, n) and contexts: (B, m) ids, in B batches of their own; the answer is (B, n * K, m * K) float64, words
    before senses.
    """
    batch, D = len(words), inputs.vector_size
    a = inputs.means[words].reshape(batch, -1, D).astype(np.float64)
    b = outputs.means[contexts].reshape(batch, -1, D).astype(np.float64)
    u, v = (
        np.exp(mixtures.log_variances[ids].astype(np.float64)).reshape(batch, count, -1)
        for mixtures, ids, count in ((inputs, words, a.shape[1]), (outputs, contexts, b.shape[1]))
    )
    log_q = np.log(outputs.weights[contexts].astype(np.float64)).reshape(batch, 1, -1)
    if u.shape[2] == 1:
        squares = (a * a).sum(axis=2)[:, :, None] + (b * b).sum(axis=2)[:, None] - 2 * a @ b.transpose(0, 2, 1)
        S = u + v.transpose(0, 2, 1) + EPSILON
        return np.asarray(log_q - 0.5 * (D * np.log(S) + np.maximum(squares, 0) / S))
    xi = np.zeros((batch, a.shape[1], b.shape[1]))
    for r in range(D):  # one dimension at a time: all of them at once would take D times the memory
        S = u[:, :, None, r] + v[:, None, :, r] + EPSILON
        xi += np.log(S) + (a[:, :, None, r] - b[:, None, :, r]) ** 2 / S
    return np.asarray(log_q - 0.5 * xi)


def avg_sim_c(a: npt.ArrayLike, b: npt.ArrayLike, P: npt.ArrayLike, Q: npt.ArrayLike) -> Doubles:
    """AvgSimC of N pairs of words in context: sum_ij P_i Q_j cosine(a_i, b_j), (N,) float64.

    a, b: (N, K, D) means of the words' senses. P, Q: (N, K) their posteriors, given each word's own context.

    >>> avg_sim_c([[[1, 0], [0, 1]]], [[[2, 0], [0, 3]]], [[0.9, 0.1]], [[0.5, 0.5]]).round(3)
    array([0.5])
    """
    return np.asarray(np.einsum("ni,nj,nij->n", np.asarray(P), np.asarray(Q), _cosines(a, b)))


def max_sim_c(a: npt.ArrayLike, b: npt.ArrayLike, P: npt.ArrayLike, Q: npt.ArrayLike) -> Doubles:
    """MaxSimC of N pairs of words in context: the cosine of the most probable senses, (N,) float64.

    Shapes as in `avg_sim_c`; of equally probable senses the first one counts.

    >>> max_sim_c([[[1, 0], [0, 1]]], [[[2, 0], [0, 3]]], [[0.9, 0.1]], [[0.6, 0.4]]).round(3)
    array([1.])
    """
    one, other = np.asarray(P).argmax(axis=1), np.asarray(Q).argmax(axis=1)
    return np.asarray(_cosines(a, b)[np.arange(len(one)), one, other])


def _cosines(a: npt.ArrayLike, b: npt.ArrayLike) -> Doubles:
    """Cosines of all senses of one word with all of another, (N, K, K); with a zero mean it is 0."""
    units = []
    for means in (a, b):
        wide = np.asarray(means, dtype=np.float64)
        lengths = np.linalg.norm(wide, axis=-1, keepdims=True)
        units.append(wide / np.where(lengths == 0, 1, lengths))
    return np.asarray(np.einsum("nid,njd->nij", *units))


def _pairs(model: Model, words: npt.ArrayLike, contexts: Sequence[npt.ArrayLike]) -> tuple[Ids, Ids, Ids]:
    """(words (N,), for each word of a context that says something: whose it is (P,), its id (P,))."""
    centres = np.asarray(words, dtype=np.int64)
    if centres.ndim != 1 or len(centres) != len(contexts):
        raise ConfigError(f"words of shape {centres.shape} need as many contexts, got {len(contexts)}")
    parts = [np.asarray(context, dtype=np.int64) for context in contexts]
    beside = np.concatenate([np.empty(0, np.int64), *parts])
    owners = np.repeat(np.arange(len(centres)), [len(part) for part in parts])
    for name, ids, lowest in (("words", centres, 0), ("contexts", beside, None)):
        if len(ids) and (ids.max() >= len(model) or (lowest is not None and ids.min() < lowest)):
            worst = ids.max() if ids.max() >= len(model) else ids.min()
            raise ConfigError(f"{name} hold the id {worst}: this model has words 0 to {len(model) - 1}")
    said = (beside >= 0) & (beside != centres[owners])
    return centres, owners[said], beside[said]


def _log_factors(evidence: Evidence, centres: Ids, owners: Ids, beside: Ids) -> tuple[Doubles, Doubles]:
    """(log Z of the centres (N, K), what each context word adds to the log-probability of each sense (P, K))."""
    distinct, places = np.unique(centres, return_inverse=True)
    background = evidence.backgrounds(distinct)[places]
    factors = evidence.beside(centres[owners], beside)
    factors -= background[owners]
    shares = evidence.kept[beside]
    amounts = np.bincount(owners, shares, minlength=len(centres))
    factors *= (shares / np.sqrt(np.maximum(1.0, amounts))[owners])[:, None]
    return background, factors


def _normalised(logs: Doubles) -> Doubles:
    """exp(logs), each row divided by its sum."""
    powers = np.exp(logs - logs.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _log_odds(logs: Doubles) -> Doubles:
    """The log-odds of each sense against all others, of log-probabilities (n, K) up to a constant."""
    others = [np.logaddexp.reduce(np.delete(logs, sense, axis=1), axis=1) for sense in range(logs.shape[1])]
    return np.asarray(logs - np.stack(others, axis=1))
