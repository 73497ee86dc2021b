"""Two words, sense by sense: what the measures between words are made of, for many pairs of words at once."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError

Doubles = npt.NDArray[np.float64]


class Senses(NamedTuple):
    """N words: means (N, K, D); variances (N, K) when spherical, (N, K, D) when diagonal; weights (N, K).

    Arrays of another precision than float64 are converted when they are measured.
    """

    means: Doubles
    variances: Doubles
    weights: Doubles


class SensePairs:
    """Every pair of senses of N pairs of words; what is asked for is computed once, float64, (N, Ka, Kb).

    a and b may have different numbers of senses; one word is compared with each of the other side's. A NaN stays
    in every answer that it is part of.

    >>> a = Senses(np.array([[[3.0, 4.0]]]), np.array([[1.0]]), np.array([[1.0]]))
    >>> b = Senses(np.array([[[3.0, 0.0], [0.0, 0.0]]]), np.array([[1.0, 4.0]]), np.array([[0.5, 0.5]]))
    >>> pairs = SensePairs(a, b)
    >>> pairs.cosines.tolist(), pairs.distances.tolist()
    ([[[0.6, 0.0]]], [[[4.0, 5.0]]])
    """

    def __init__(self, a: Senses, b: Senses) -> None:
        check_alike(a, b)
        self.a, self.b = (Senses(*(np.asarray(part, dtype=np.float64) for part in word)) for word in (a, b))
        self.dimensions = a.means.shape[-1]

    @cached_property
    def weights(self) -> Doubles:
        """p_i q_j."""
        weights: Doubles = self.a.weights[:, :, np.newaxis] * self.b.weights[:, np.newaxis]
        return weights

    @cached_property
    def cosines(self) -> Doubles:
        """cos(mu_i, mu_j); 0 where a mean is zero."""
        cosines: Doubles = np.einsum("nid,njd->nij", _unit(self.a.means), _unit(self.b.means)).clip(-1, 1)
        return cosines

    @cached_property
    def distances(self) -> Doubles:
        """|mu_i - mu_j|."""
        return np.sqrt(self._squared_distances)

    @cached_property
    def divergences(self) -> Doubles:
        """KL(a_i || b_j) = 1/2 (tr(V^-1 U) + d' V^-1 d - D + log|V| - log|U|)."""
        u, v = self._spreads
        ratio = u / v
        return 0.5 * (self._over_dimensions(ratio - 1 - np.log(ratio)) + self._quadratic(v))

    @cached_property
    def transports(self) -> Doubles:
        """Wasserstein-2 distance of a_i and b_j."""
        u, v = self._spreads
        return np.sqrt(self._squared_distances + self._over_dimensions((np.sqrt(u) - np.sqrt(v)) ** 2))

    @cached_property
    def log_energies(self) -> Doubles:
        """Log of p_i q_j times the integral of a_i b_j."""
        determinants = self._over_dimensions(np.log(self._summed))
        constant = self.dimensions * np.log(2 * np.pi)
        logs: Doubles = self._log_weights - 0.5 * (constant + determinants + self._quadratic(self._summed))
        return logs

    @cached_property
    def log_energies_of_the_paper(self) -> Doubles:
        """The same as the paper's tables have it: a spherical log-determinant once, not D times; no constant."""
        determinants = np.log(self._summed).sum(axis=-1)
        logs: Doubles = self._log_weights - 0.5 * (determinants + self._quadratic(self._summed))
        return logs

    @cached_property
    def _spreads(self) -> tuple[Doubles, Doubles]:
        """Variances of a_i (N, Ka, 1, R) and of b_j (N, 1, Kb, R): R is 1 when spherical, D when diagonal."""
        u, v = (per_dimension(word) for word in (self.a, self.b))
        return u[:, :, np.newaxis], v[:, np.newaxis]

    @cached_property
    def _summed(self) -> Doubles:
        return self._spreads[0] + self._spreads[1]

    @cached_property
    def _log_weights(self) -> Doubles:
        with np.errstate(divide="ignore"):  # a sense of weight 0 adds nothing
            logs: Doubles = np.log(self.weights)
        return logs

    @cached_property
    def _squares(self) -> Doubles:
        """(mu_i - mu_j)^2 per dimension, (N, Ka, Kb, D)."""
        squares: Doubles = (self.a.means[:, :, np.newaxis] - self.b.means[:, np.newaxis]) ** 2
        return squares

    @cached_property
    def _squared_distances(self) -> Doubles:
        squared: Doubles = self._squares.sum(axis=-1)
        return squared

    def _quadratic(self, variances: Doubles) -> Doubles:
        """Quadratic form d' Sigma^-1 d for variances (N, Ka or 1, Kb or 1, R)."""
        if variances.shape[-1] == 1:
            return self._squared_distances / variances[..., 0]
        quadratic: Doubles = (self._squares / variances).sum(axis=-1)
        return quadratic

    def _over_dimensions(self, values: Doubles) -> Doubles:
        """The sum over all D dimensions of values (..., R)."""
        total: Doubles = values.sum(axis=-1) * (self.dimensions / values.shape[-1])
        return total


def check_alike(a: Senses, b: Senses) -> None:
    """Raise `ConfigError` unless a and b are as many words (or one of them is one) in the same space."""
    words, others = len(a.means), len(b.means)
    if words != others and 1 not in (words, others):
        raise ConfigError(f"{words} words cannot be paired with {others}: give as many of both, or one")
    if a.means.shape[-1] != b.means.shape[-1]:
        raise ConfigError(
            f"means of {a.means.shape[-1]} and of {b.means.shape[-1]} dimensions cannot be compared: "
            "both must be of one space"
        )


def per_dimension(word: Senses) -> Doubles:
    """Variances as (N, K, R): R is 1 when spherical, D when diagonal."""
    return word.variances[..., np.newaxis] if word.variances.ndim == 2 else word.variances


def _unit(means: Doubles) -> Doubles:
    lengths = np.sqrt((means * means).sum(axis=-1, keepdims=True))
    return means / np.where(lengths == 0, 1, lengths)
