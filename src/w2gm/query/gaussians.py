"""Gaussians compared with Gaussians: expected likelihood, distance of means, Kullback-Leibler divergence.

The same selection as for cosines (search.py) works on other bounds. d^2 = a^2 + b^2 - 2ab and the divergence of
diagonal Gaussians are sums of products of one side's features with the other's, hence matrix products; only the
kernel of diagonal Gaussians has to visit every dimension. Each bound is the float32 score moved up by its largest
possible rounding error, so that no answer is lost: the exact score, in float64, is below it. All scores are the
higher the nearer: minus a distance, minus a divergence, the logarithm of the kernel.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import cached_property
from typing import Any

import numpy as np

from w2gm.query.components import LARGEST_LOG_VARIANCE, LARGEST_SQUARE, Gaussians, Queries
from w2gm.query.neighbors import best_of_pairs
from w2gm.query.search import Comparison, Doubles, Floats, Ids, products

# The kernel of diagonal Gaussians fills several arrays of rows x dimensions: they should stay in the cache.
_DIAGONAL_ROWS = 2048


class GaussianComparison(Comparison):
    """Queries against the first `groups` groups of `members` rows of a table; which measure, the subclass says."""

    def __init__(self, table: Gaussians, groups: int, members: int, queries: Queries) -> None:
        super().__init__(groups, members, queries.means.shape)
        self.table, self.queries = table, queries
        # Vectors outside, queries inside, as for cosines.
        self.a = queries.means.transpose(1, 0, 2).reshape(-1, self.dimensions)
        self.log_u = queries.log_variances.transpose(1, 0, 2).reshape(len(self.a), -1)
        self.u = np.exp(self.log_u)
        a_squares = (self.a * self.a).sum(axis=1)
        logs = np.where(np.isneginf(self.log_u), 0, self.log_u)
        moderate = a_squares.max() < LARGEST_SQUARE and np.abs(logs).max() < LARGEST_LOG_VARIANCE
        self.dtype: type[np.floating[Any]] = np.float32 if moderate and table.moderate else np.float64
        # A sum of n terms is off by at most n/2 epsilon of the sum of their sizes; features of a diagonal
        # covariance make n = 2 D, and 2ab is at most a^2 + b^2. Twice that, and room for single operations.
        self.error = (4 * self.dimensions + 32) * float(np.finfo(self.dtype).eps)
        # Log-determinants are exact up to single roundings, but for the kernel of diagonal Gaussians: a sum of logs.
        largest = max(float(np.abs(logs).max()), table.largest_log_variance) + 2
        single = (self.dimensions + 16) * float(np.finfo(self.dtype).eps)
        self.slack = np.full(self.batch, single * self.dimensions * largest)
        self.a_squares = a_squares

    def bounds(self, start: int, stop: int) -> Floats:
        """(stop - start, B): the best bound over the pairs of rows and vectors."""
        with np.errstate(over="ignore", invalid="ignore"):
            pairs = self.pairs(slice(start * self.members, stop * self.members))
        return best_of_pairs(pairs, self.members, self.vectors)

    def exact(self, queries: Ids, groups: Ids) -> Doubles:
        """(P, M): the scores in float64, the best over the query's vectors."""
        best: Doubles = self.exact_pairs(queries, groups).max(axis=-1)
        return best

    def exact_pairs(self, queries: Ids, groups: Ids) -> Doubles:
        """(P, M, Q): the scores of all pairs of rows and vectors, in float64."""
        rows = groups[:, None] * self.members + np.arange(self.members)
        b = self.table.means[rows].astype(np.float64)[:, :, None]
        log_v = self.table.log_variances[rows].astype(np.float64)[:, :, None]
        difference = self.queries.means[queries][:, None] - b
        return self.score(difference, self.queries.log_variances[queries][:, None], log_v)

    @abstractmethod
    def pairs(self, rows: slice) -> Floats:
        """(n, Q * B): an upper bound, up to `slack`, of the score of each row with each vector."""

    @abstractmethod
    def score(self, difference: Doubles, log_u: Doubles, log_v: Doubles) -> Doubles:
        """The measure from a - b (..., D) and the log-variances of query and row, both (..., 1 or D)."""

    def squared_distances(self, rows: slice) -> Floats:
        """(n, Q * B): at most |a - b|^2, at least 0."""
        means = self.table.means[rows].astype(self.dtype, copy=False)
        squares = self._row_squares(rows, means) * self.dtype(1 - self.error)
        low = products(means, self._minus_twice)
        low += squares[:, None]
        low += self._own_squares
        np.maximum(low, 0, out=low)
        return low

    @cached_property
    def _minus_twice(self) -> Floats:
        return np.ascontiguousarray(-2 * self.a.T, dtype=self.dtype)

    @cached_property
    def _own_squares(self) -> Floats:
        squares: Floats = (self.a_squares * (1 - self.error)).astype(self.dtype)
        return squares

    def _row_squares(self, rows: slice, means: Floats) -> Floats:
        return self.table.squares[rows] if self.dtype is np.float32 else (means * means).sum(axis=1)

    def log_v(self, rows: slice) -> Floats:
        """(n, 1 or D): the rows' log-variances."""
        return self.table.log_variances[rows].astype(self.dtype, copy=False)

    def v(self, rows: slice) -> Floats:
        """(n, 1 or D): the rows' variances."""
        return self.table.variances[rows] if self.dtype is np.float32 else np.exp(self.log_v(rows))

    def log_determinants(self, rows: slice) -> Floats:
        """(n, 1): log|Sigma| of the rows."""
        if self.dtype is np.float32:
            return self.table.log_determinants[rows, None]
        log_v = self.log_v(rows)
        log_determinants: Floats = log_v.sum(axis=1, keepdims=True) * (self.dimensions / log_v.shape[1])
        return log_determinants


class Distances(GaussianComparison):
    """Minus the Euclidean distance of the means; while searching, minus its square."""

    def pairs(self, rows: slice) -> Floats:
        low = self.squared_distances(rows)
        low *= -1
        return low

    def score(self, difference: Doubles, log_u: Doubles, log_v: Doubles) -> Doubles:
        total: Doubles = -(difference * difference).sum(axis=-1)
        return total

    def shown(self, scores: Doubles) -> Doubles:
        return -np.sqrt(-scores)


class Divergences(GaussianComparison):
    """-KL(query || row) = -1/2 (tr(V^-1 U) + d' V^-1 d - D + log|V| - log|U|): high where the row contains it."""

    def pairs(self, rows: slice) -> Floats:
        shrunk = self.dtype(1 - self.error)
        if self.table.spherical:
            low = self.squared_distances(rows)
            low += (self.dimensions * self.u[:, 0]).astype(self.dtype)
            low *= shrunk / self.v(rows)
        else:
            inverse = 1 / self.v(rows)
            b = self.table.means[rows].astype(self.dtype, copy=False)
            scaled = b * inverse
            low = products(inverse, self._traces)
            low += products(scaled, self._minus_twice)
            low += (np.einsum("rd,rd->r", scaled, b) * shrunk)[:, None]
        low += self.log_determinants(rows)
        low += self._constants
        low *= -0.5
        return low

    @cached_property
    def _traces(self) -> Floats:
        return np.ascontiguousarray(((self.u + self.a**2) * (1 - self.error)).T, dtype=self.dtype)

    @cached_property
    def _constants(self) -> Floats:
        constants: Floats = (-self.dimensions * (1 + self.log_u.mean(axis=1))).astype(self.dtype)
        return constants

    def score(self, difference: Doubles, log_u: Doubles, log_v: Doubles) -> Doubles:
        inverse = np.exp(-log_v)
        terms = np.exp(log_u - log_v) - 1 + (log_v - log_u) + difference * difference * inverse
        total: Doubles = -0.5 * terms.sum(axis=-1)
        return total


class ReverseDivergences(GaussianComparison):
    """-KL(row || query): high where the query contains the row."""

    def pairs(self, rows: slice) -> Floats:
        shrunk = 1 - self.error
        if self.table.spherical:
            low = self.squared_distances(rows)
            low += self.dimensions * self.v(rows)
            low *= (shrunk / self.u[:, 0]).astype(self.dtype)
        else:
            b = self.table.means[rows].astype(self.dtype, copy=False)
            low = products(self.v(rows) + b * b, self._inverses)
            low += products(b, self._minus_twice_scaled)
            low += ((self.a**2 / self.u).sum(axis=1) * shrunk).astype(self.dtype)
        low -= self.log_determinants(rows)
        low += (self.dimensions * (self.log_u.mean(axis=1) - 1)).astype(self.dtype)
        low *= -0.5
        return low

    @cached_property
    def _inverses(self) -> Floats:
        return np.ascontiguousarray(((1 - self.error) / self.u).T, dtype=self.dtype)

    @cached_property
    def _minus_twice_scaled(self) -> Floats:
        return np.ascontiguousarray((-2 * self.a / self.u).T, dtype=self.dtype)

    def score(self, difference: Doubles, log_u: Doubles, log_v: Doubles) -> Doubles:
        inverse = np.exp(-log_u)
        terms = np.exp(log_v - log_u) - 1 + (log_u - log_v) + difference * difference * inverse
        total: Doubles = -0.5 * terms.sum(axis=-1)
        return total


class Kernels(GaussianComparison):
    """log N(a - b; 0, U + V), the expected likelihood of query and row.

    With `mixture` the queries are whole words and score log sum_i p_i N(...); if groups are words too, it is
    log sum_ij p_i q_j N(...), and the sense that answers is the one with the largest share.
    """

    def __init__(self, table: Gaussians, groups: int, members: int, queries: Queries, *, mixture: bool) -> None:
        super().__init__(table, groups, members, queries)
        self.mixture = mixture
        self.log_p = queries.log_weights.T.reshape(-1)
        self.slack += self.error * (self.dimensions * math.log(2 * math.pi) + 8)
        if mixture:
            # A sum of n terms is at most n times the largest: the candidates that come in by that cost less than
            # the exponentials of all pairs.
            self.slack += math.log(self.members * self.vectors)
            self.slack += self.error * (table.largest_log_weight + float(np.abs(self.log_p).max()))

    @property
    def rows_at_once(self) -> int:
        return super().rows_at_once if self.table.spherical else _DIAGONAL_ROWS

    def bounds(self, start: int, stop: int) -> Floats:
        """(stop - start, B): the bound of the best pair, or of the sum over pairs."""
        if not self.mixture:
            return super().bounds(start, stop)
        rows = slice(start * self.members, stop * self.members)
        with np.errstate(over="ignore", invalid="ignore"):
            pairs = self.pairs(rows) + self.log_p.astype(self.dtype)
            if self.members > 1:
                pairs += self.table.log_weights[rows, None]
        return best_of_pairs(pairs, self.members, self.vectors)

    def exact(self, queries: Ids, groups: Ids) -> Doubles:
        """(P, M): the kernel in float64; with `mixture` each member's share of it."""
        scores = self.exact_pairs(queries, groups)
        if not self.mixture:
            best: Doubles = scores.max(axis=-1)
            return best
        scores += self.queries.log_weights[queries][:, None]
        shares: Doubles = np.logaddexp.reduce(scores, axis=-1)
        if self.members > 1:
            rows = groups[:, None] * self.members + np.arange(self.members)
            shares += np.log(self.table.weights[rows].astype(np.float64))
        return shares

    def combined(self, scores: Doubles) -> Doubles:
        """(P,): the best member, or with `mixture` the sum of all."""
        total: Doubles = np.logaddexp.reduce(scores, axis=1) if self.mixture else scores.max(axis=1)
        return total

    def pairs(self, rows: slice) -> Floats:
        spread = self._spherical(rows) if self.table.spherical else self._diagonal(rows)
        spread += self.dtype(self.dimensions * math.log(2 * math.pi))
        spread *= -0.5
        return spread

    def _spherical(self, rows: slice) -> Floats:
        """(n, Q * B): at most log|S| + d' S^-1 d."""
        low = self.squared_distances(rows)
        S = np.add(self.v(rows), self.u[:, 0].astype(self.dtype), out=np.empty_like(low))
        low *= self.dtype(1 - self.error)
        low /= S
        low += self.dimensions * np.log(S, out=S)
        return low

    def _diagonal(self, rows: slice) -> Floats:
        """The same, dimension by dimension: no product of features gives it."""
        b, v = self.table.means[rows].astype(self.dtype, copy=False), self.v(rows)
        low = np.empty((len(b), len(self.a)), self.dtype)
        ones = np.ones(self.dimensions, self.dtype)
        shrunk = self.dtype(1 - self.error)
        for column, (a, u) in enumerate(zip(self.a.astype(self.dtype), self.u.astype(self.dtype), strict=True)):
            S = v + u
            d = b - a
            d *= d
            d /= S
            low[:, column] = (d @ ones) * shrunk + np.log(S, out=S) @ ones
        return low

    def score(self, difference: Doubles, log_u: Doubles, log_v: Doubles) -> Doubles:
        S = np.exp(log_u) + np.exp(log_v)
        total: Doubles = -0.5 * (np.log(2 * np.pi * S) + difference * difference / S).sum(axis=-1)
        return total
