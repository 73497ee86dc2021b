"""The best groups of rows for a batch of queries, in one pass over the table: exact, in bounded memory.

Rows come in groups: the senses of one word are a group when a word should answer once, with its best sense; or
every row is a group of its own. How rows are scored is a `Comparison`'s matter; this room selects. Bounds, in
float32 and by matrix products, leave few candidates, and float64 decides among them: the answer does not depend
on how the work was cut, nor on the machine's matrix library.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating]
Doubles = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]

# Bounds of so few rows stay in the cache while they are worked on.
ROWS_PER_PRODUCT = 8192
# Larger products OpenBLAS cuts among threads, which wait for each other at every one of them: on a busy machine that
# costs a time slice each. 600,000 rows of 50 with 64 vectors, 4,096 rows a product, load 4 on two cores: 1,170 ms;
# in pieces below this size 36 ms; on a quiet machine 27 ms and 36 ms.
_MULTIPLICATIONS_PER_PRODUCT = 1 << 18
# Fewer columns than these are laid out one by one: numpy's loops over so short a row cost more than the sums.
_FEW_COLUMNS = 16
_BOUNDS_AT_ONCE = 1 << 18
# Values (rows x vectors x dimensions) of candidates that are computed together in float64.
_DOUBLES_AT_ONCE = 1 << 20
# Candidates are looked through again when they have doubled and are more than this many, or this many times those
# needed: a look costs half a millisecond, and judging a few hundred in the end no more.
_FEW_CANDIDATES, _SPARE_CANDIDATES = 512, 4


class Nearest(NamedTuple):
    """The answer to one query, best first: groups (n,), the best member of each (n,), scores (n,)."""

    groups: Ids
    members: Ids
    scores: Doubles


class Comparison(ABC):
    """A batch of B queries, each of Q vectors, against G groups of M rows of D dimensions."""

    def __init__(self, groups: int, members: int, shape: tuple[int, ...]) -> None:
        self.groups, self.members = groups, members
        self.batch, self.vectors, self.dimensions = shape
        # The true score is at most bound + slack; (B,), because a query may have a scale of its own.
        self.slack: Doubles = np.zeros(self.batch)

    @property
    def rows_at_once(self) -> int:
        """Rows whose bounds are computed together."""
        return min(ROWS_PER_PRODUCT, max(512, _BOUNDS_AT_ONCE // (self.batch * self.vectors)))

    @abstractmethod
    def bounds(self, start: int, stop: int) -> Floats:
        """(stop - start, B): what the score of each of these groups does not exceed, up to `slack`; or NaN."""

    @abstractmethod
    def exact(self, queries: Ids, groups: Ids) -> Doubles:
        """(P, M) float64: for each pair of a query and a group, the scores of the group's members."""

    def combined(self, scores: Doubles) -> Doubles:
        """(P,): the scores of groups whose members score (P, M): that of the best."""
        best: Doubles = scores.max(axis=1)
        return best

    def shown(self, scores: Doubles) -> Doubles:
        """The scores as they are told."""
        return scores


def search(comparison: Comparison, *, topn: int, hidden: Sequence[Ids]) -> list[Nearest]:
    """For each query the `topn` groups with the highest score, best first; equal scores in order of id.

    hidden: for each query the rows (group * M + member) that may not answer; a group without any other row does
    not appear.
    """
    if topn == 0 or comparison.batch == 0:
        empty = np.empty(0, np.int64)
        return [Nearest(empty, empty, np.empty(0))] * comparison.batch
    judge = _Judge(comparison, topn, hidden)
    step = max(1, comparison.rows_at_once // comparison.members)
    found, count, kept = [_Candidates.none()], 0, 0
    for start in range(0, comparison.groups, step):
        bounds = comparison.bounds(start, min(start + step, comparison.groups))
        if start == 0:
            judge.begin(bounds)
        # Not "at least": a bound that is NaN, because float32 overflowed, tells nothing and stays.
        places = np.flatnonzero(~(bounds < judge.limits(bounds.dtype)))
        rows, queries = np.divmod(places, comparison.batch)
        found.append(_Candidates(queries, start + rows, bounds[rows, queries].astype(np.float64)))
        count += len(rows)
        if count > 2 * kept + max(_FEW_CANDIDATES, _SPARE_CANDIDATES * topn * comparison.batch):
            found = [judge.thinned(_Candidates.joined(found))]
            count = kept = len(found[0].queries)
    left = judge.thinned(_Candidates.joined(found))
    return ranked(comparison, left.queries, left.groups, topn=topn, hidden=hidden)


def ranked(comparison: Comparison, queries: Ids, groups: Ids, *, topn: int, hidden: Sequence[Ids]) -> list[Nearest]:
    """The best `topn` of the candidates of each query, which are pairs (query (P,), group (P,)), each once."""
    members, scores = _judged(comparison, queries, groups, hidden)
    order = np.lexsort((groups, -scores, queries))
    order = order[scores[order] > -np.inf]
    ends = np.searchsorted(queries[order], np.arange(comparison.batch + 1))
    answers = []
    for first, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        best = order[first : min(end, first + topn)]
        answers.append(Nearest(groups[best], members[best], comparison.shown(scores[best])))
    return answers


def products(rows: Floats, columns: Floats) -> Floats:
    """Rows (n, D) @ columns (D, C), in pieces that stay on one thread.

    >>> products(np.ones((3, 2)), np.array([[1.0], [2.0]])).tolist()
    [[3.0], [3.0], [3.0]]
    """
    dimensions, width = columns.shape
    piece = max(16, _MULTIPLICATIONS_PER_PRODUCT // (dimensions * width))
    whole = len(rows) - len(rows) % piece
    result = np.empty((len(rows), width), np.result_type(rows, columns))
    np.matmul(rows[:whole].reshape(-1, piece, dimensions), columns, out=result[:whole].reshape(-1, piece, width))
    np.matmul(rows[whole:], columns, out=result[whole:])
    return np.asfortranarray(result) if width < _FEW_COLUMNS else result


class _Candidates(NamedTuple):
    """Pairs of a query and a group that may be among the answers, with their bounds; all (P,)."""

    queries: Ids
    groups: Ids
    bounds: Doubles

    @classmethod
    def none(cls) -> _Candidates:
        return cls(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))

    @classmethod
    def joined(cls, parts: Sequence[_Candidates]) -> _Candidates:
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


class _Judge:
    """What is known so far of the score that an answer to each query must reach."""

    def __init__(self, comparison: Comparison, topn: int, hidden: Sequence[Ids]) -> None:
        self.comparison, self.topn, self.hidden = comparison, topn, hidden
        self.floor = np.full(comparison.batch, -np.inf)
        # Each hidden row can take the place of an answer among the highest bounds.
        self.places = topn + np.array([len(rows) for rows in hidden])

    def limits(self, dtype: npt.DTypeLike) -> Floats:
        """(B,): a group whose bound is below cannot be an answer."""
        with np.errstate(over="ignore"):
            limits: Floats = (self.floor - self.comparison.slack).astype(dtype)
        np.nextafter(limits, -np.inf, out=limits)
        return limits

    def begin(self, bounds: Floats) -> None:
        """Raise the floor by the first groups' bounds (n, B)."""
        first = max(0, len(bounds) - int(self.places.max()))
        groups = np.argpartition(bounds, first, axis=0)[first:] if first else np.indices(bounds.shape)[0]
        queries = np.broadcast_to(np.arange(bounds.shape[1]), groups.shape)
        self._raise(queries.ravel(), groups.ravel())

    def thinned(self, candidates: _Candidates) -> _Candidates:
        """Raise the floor by the most promising candidates; those that can still be answers."""
        queries, groups, bounds = candidates
        order = np.lexsort((-np.nan_to_num(bounds, nan=np.inf), queries))
        promising = order[_ranks(queries[order]) < self.places[queries[order]]]
        self._raise(queries[promising], groups[promising])
        left = ~(bounds < self.limits(np.float64)[queries])
        return _Candidates(queries[left], groups[left], bounds[left])

    def _raise(self, queries: Ids, groups: Ids) -> None:
        _, scores = _judged(self.comparison, queries, groups, self.hidden)
        order = np.lexsort((-scores, queries))
        last = order[_ranks(queries[order]) == self.topn - 1]
        self.floor[queries[last]] = np.maximum(self.floor[queries[last]], scores[last])


def _judged(comparison: Comparison, queries: Ids, groups: Ids, hidden: Sequence[Ids]) -> tuple[Ids, Doubles]:
    """(the best member (P,), the score (P,)) of each pair; -inf where all is hidden."""
    rows = comparison.groups * comparison.members
    # Rows of words that do not answer at all may be among the hidden ones.
    secrets = np.concatenate([query * rows + hide[hide < rows] for query, hide in enumerate(hidden)])
    best, total = np.empty(len(queries), np.int64), np.empty(len(queries))
    step = max(1, _DOUBLES_AT_ONCE // (comparison.members * comparison.vectors * comparison.dimensions))
    for start in range(0, len(queries), step):
        part = slice(start, start + step)
        scores = comparison.exact(queries[part], groups[part])
        own = (queries[part] * rows + groups[part] * comparison.members)[:, None] + np.arange(comparison.members)
        scores[np.isin(own, secrets)] = -np.inf
        best[part] = scores.argmax(axis=1)
        total[part] = comparison.combined(scores)
    return best, total


def _ranks(queries: Ids) -> Ids:
    """0, 1, 2, ... within each run of equal numbers."""
    starts = np.flatnonzero(np.diff(queries, prepend=-1))
    lengths = np.diff(starts, append=len(queries))
    ranks: Ids = np.arange(len(queries)) - np.repeat(starts, lengths)
    return ranks
