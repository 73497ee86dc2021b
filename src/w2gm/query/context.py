"""Which sense of a word its context speaks for: the posterior of the senses, given the words around.

Training learned how well each sense i of a word w goes with a context word c, the partial energy

    E_i(w, c) = sum_j q_j exp(xi_ij)        xi_ij as in docs/maths.md, q and j the mixture of c as a context word

Against the words that would stand there by chance (the noise n of training), E_i is a distribution of context words,
p(c | w, i) = E_i(w, c) / Z_i with Z_i = mean_n E_i(w, n), and p_i Z_i is how much of the word's contexts the sense
accounts for. Taken as independent, context words would multiply; they are far from independent, so the evidence
grows with the square root of its amount. Each word counts by its share k_c, its chance to survive the subsampling of
training:

    log p(i | w, c_1 .. c_n) = log p_i Z_i + sum_c k_c log(E_i(w, c) / Z_i) / sqrt(max(1, sum_c k_c)) + constant

The rule was chosen on pseudo-words (benchmarks/disambiguation.py, 20 million tokens, held-out accuracy on pairs of
equal frequency and of 1:5, where the more frequent word is a guess of 49.2 and 83.5): as above 81.2 and 84.8; without
any Z 80.0 and 85.1; with Z, but the weights alone as the prior, 81.5 and 83.7, and then with all words alike 79.6 and
83.9. A plain sum is as accurate and far too sure of itself (log-loss on equal pairs 0.75, here 0.43). The input
tables in place of the output tables: 80.6 and 84.8.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError
from w2gm.query.energies import Evidence

if TYPE_CHECKING:
    from w2gm.model import Model

Doubles = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]


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
    shares = evidence.shares[beside]
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
