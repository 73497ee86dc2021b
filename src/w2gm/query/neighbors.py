"""Nearest rows by cosine: exact, batched, in bounded memory. Arrays in, arrays out.

Rows come in groups: the senses of one word are a group when a word should answer once, with its best sense; or
every row is a group of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.errors import ModelError

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]

_ROWS_AT_ONCE = 32_768
_QUERIES_AT_ONCE = 32
# Scores of so few rows stay in the cache while their maxima are taken, and the matrix library gains little by
# cutting so small a product among threads. 600,000 rows of 50, two vectors, a busy machine with two cores:
# 6 ms; in one product 18 to 230 ms.
_ROWS_PER_PRODUCT = 8192


class Nearest(NamedTuple):
    """The answer to one query, best first: groups (n,), the best member of each (n,), cosines (n,)."""

    groups: Ids
    members: Ids
    scores: Doubles


def unit_rows(rows: Floats) -> Floats:
    """`rows` (..., D) scaled to length 1, float32; a zero row stays zero. A value not finite: `ModelError`.

    >>> unit_rows(np.array([[3, 4], [0, 0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    flat = rows.reshape(-1, rows.shape[-1])
    unit = np.empty(flat.shape, dtype=np.float32)
    for start in range(0, len(flat), _ROWS_AT_ONCE):
        # In float64 no finite float32 row overflows or vanishes when squared.
        piece = flat[start : start + _ROWS_AT_ONCE].astype(np.float64)
        lengths = np.sqrt(np.einsum("nd,nd->n", piece, piece))
        if not np.isfinite(lengths).all():
            row = start + int(np.flatnonzero(~np.isfinite(lengths))[0])
            raise ModelError(f"row {row} of the means holds a value that is not finite: the model is damaged")
        lengths[lengths == 0] = 1
        np.divide(piece, lengths[:, None], out=unit[start : start + _ROWS_AT_ONCE], casting="same_kind")
    return unit.reshape(rows.shape)


def nearest(
    unit: Floats,
    queries: npt.NDArray[np.floating],
    *,
    topn: int,
    excluded: Sequence[npt.ArrayLike] = (),
) -> list[Nearest]:
    """For each query the `topn` groups with the highest cosine, best first; equal scores in order of id.

    unit: (G, M, D) float32, groups of M rows of length 1 (or 0: their cosine is 0). queries: (B, Q, D), any
    lengths; the score of a group is the best over its M rows and the query's Q vectors. excluded: for each query
    the rows (group * M + member) that may not answer; a group without any other row does not appear.

    Float32 products find the candidates, and float64 decides among those within their rounding error: the answer
    does not depend on how the work was cut, nor on the machine's matrix library.

    >>> unit = np.array([[[1, 0]], [[0, 1]], [[0.6, 0.8]]], dtype=np.float32)
    >>> answer, = nearest(unit, np.array([[[0.0, 2.0]]]), topn=2, excluded=[[1]])
    >>> answer.groups.tolist(), answer.scores.round(6).tolist()
    ([2, 0], [0.8, 0.0])
    """
    answers: list[Nearest] = []
    hidden = [np.asarray(rows, dtype=np.int64) for rows in excluded] or [np.empty(0, np.int64)] * len(queries)
    exact = _unit_doubles(queries)
    for start in range(0, len(queries), _QUERIES_AT_ONCE):
        part = slice(start, start + _QUERIES_AT_ONCE)
        rough = _best_scores(unit, exact[part].astype(np.float32), hidden[part])
        answers += [
            _exact(unit, query, rows, _candidates(scores, topn, unit.shape[-1]), topn)
            for query, rows, scores in zip(exact[part], hidden[part], rough, strict=True)
        ]
    return answers


def _best_scores(unit: Floats, queries: Floats, hidden: Sequence[Ids]) -> Floats:
    """(B, G): the best cosine of each group for each query, by float32 products; -inf where all is hidden."""
    groups, members, dimensions = unit.shape
    batch, per_query = queries.shape[:2]
    columns = np.ascontiguousarray(queries.reshape(-1, dimensions).T)
    best = np.empty((batch, groups), dtype=np.float32)
    step = max(1, _ROWS_PER_PRODUCT // members)
    for start in range(0, groups, step):
        block = unit[start : start + step]
        scores = (block.reshape(-1, dimensions) @ columns).reshape(-1, batch, per_query)
        for query, rows in enumerate(hidden):
            local = rows - start * members
            scores[local[(local >= 0) & (local < len(scores))], query] = -np.inf
        grouped = scores.reshape(len(block), members, batch, per_query)
        # Pairwise maxima: a reduction along an axis this short is ten times slower.
        top = grouped[:, 0, :, 0].copy()
        for member in range(members):
            for vector in range(per_query):
                np.maximum(top, grouped[:, member, :, vector], out=top)
        best[:, start : start + step] = top.T
    return best


def _candidates(scores: Floats, topn: int, dimensions: int) -> Ids:
    """Groups that may be among the `topn` once scores are exact, in order of id."""
    if topn == 0 or len(scores) == 0:
        return np.empty(0, np.int64)
    place = max(0, len(scores) - topn)
    # A float32 sum of D products of unit vectors is off by at most D/2 epsilon, on both sides of the comparison.
    slack = (dimensions + 4) * np.finfo(np.float32).eps
    threshold = np.partition(scores, place)[place] - slack
    return np.flatnonzero((scores >= threshold) & (scores > -np.inf))


def _exact(unit: Floats, query: Doubles, hidden: Ids, candidates: Ids, topn: int) -> Nearest:
    """The best `topn` of `candidates` by float64 cosines."""
    members = unit.shape[1]
    best = np.empty((len(candidates), members))
    for start in range(0, len(candidates), _ROWS_AT_ONCE):
        rows = _unit_doubles(unit[candidates[start : start + _ROWS_AT_ONCE]])
        # Row by row, not by a matrix product: equal rows must give equal scores wherever they stand.
        products = [(rows * vector).sum(axis=-1) for vector in query]
        best[start : start + _ROWS_AT_ONCE] = np.maximum.reduce(products)
    np.clip(best, -1, 1, out=best)
    flat_rows = candidates[:, None] * members + np.arange(members)
    best[np.isin(flat_rows, hidden)] = -np.inf
    chosen = best.argmax(axis=1)
    scores = best[np.arange(len(candidates)), chosen]
    order = np.lexsort((candidates, -scores))[:topn]
    return Nearest(candidates[order], chosen[order], scores[order])


def _unit_doubles(rows: npt.NDArray[np.floating]) -> Doubles:
    """`rows` (..., D) at length 1 in float64; a zero row stays zero."""
    wide = rows.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=-1, keepdims=True))
    return wide / np.where(lengths == 0, 1, lengths)
