"""Nearest rows by cosine: exact, batched, in bounded memory. Arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from w2gm.errors import ModelError
from w2gm.query.search import Comparison, Doubles, Ids, Nearest, products, search

Floats = npt.NDArray[np.float32]

_ROWS_AT_ONCE = 32_768
_QUERIES_AT_ONCE = 64


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

    >>> unit = np.array([[[1, 0]], [[0, 1]], [[0.6, 0.8]]], dtype=np.float32)
    >>> answer, = nearest(unit, np.array([[[0.0, 2.0]]]), topn=2, excluded=[[1]])
    >>> answer.groups.tolist(), answer.scores.round(6).tolist()
    ([2, 0], [0.8, 0.0])
    """
    hidden = [np.asarray(rows, dtype=np.int64) for rows in excluded] or [np.empty(0, np.int64)] * len(queries)
    answers: list[Nearest] = []
    for start in range(0, len(queries), _QUERIES_AT_ONCE):
        part = slice(start, start + _QUERIES_AT_ONCE)
        answers += search(Cosines(unit, queries[part]), topn=topn, hidden=hidden[part])
    return answers


class Cosines(Comparison):
    """Cosines of queries (B, Q, D) of any lengths with rows (G, M, D) of length 1 or 0, float32.

    With `scaled=False` the rows are of any lengths and scaled when they are scored: for who scores only a few.
    """

    def __init__(self, rows: Floats, queries: npt.NDArray[np.floating], *, scaled: bool = True) -> None:
        super().__init__(rows.shape[0], rows.shape[1], queries.shape)
        self.rows, self.scaled = rows, scaled
        self.queries = _unit_doubles(queries)
        # Vectors outside, queries inside: the maximum over vectors then runs along whole rows.
        columns = self.queries.astype(np.float32).transpose(1, 0, 2).reshape(-1, self.dimensions)
        self.columns = np.ascontiguousarray(columns.T)
        # A float32 sum of D products of unit vectors is off by at most D/2 epsilon.
        self.slack = np.full(self.batch, (self.dimensions + 4) * float(np.finfo(np.float32).eps))

    def bounds(self, start: int, stop: int) -> Floats:
        """(stop - start, B): the cosines by float32 products."""
        rows = self.rows[start:stop] if self.scaled else unit_rows(self.rows[start:stop])
        cosines = products(rows.reshape(-1, self.dimensions), self.columns)
        return best_of_pairs(cosines, self.members, self.vectors)

    def exact(self, queries: Ids, groups: Ids) -> Doubles:
        """(P, M): the cosines in float64."""
        # Row by row, not by a matrix product: equal rows must give equal scores wherever they stand.
        rows = self.rows[groups] if self.scaled else unit_rows(self.rows[groups])
        units = _unit_doubles(rows)[:, :, None]
        cosines: Doubles = (units * self.queries[queries][:, None]).sum(axis=-1).max(axis=-1)
        return np.clip(cosines, -1, 1, out=cosines)


def best_of_pairs(scores: npt.NDArray[np.floating], members: int, vectors: int) -> npt.NDArray[np.floating]:
    """(G, B): the maximum over the M rows of a group and the Q vectors of a query of scores (G * M, Q * B).

    >>> best_of_pairs(np.array([[1, 2, 3, 0], [5, 0, 0, 0]], dtype=np.float32), 2, 2).tolist()
    [[5.0, 2.0]]
    """
    grouped = scores.reshape(len(scores) // members, members, vectors, -1)
    # Pairwise maxima: a reduction along an axis this short is ten times slower.
    best = grouped[:, 0, 0].copy()
    for member in range(members):
        for vector in range(vectors):
            np.maximum(best, grouped[:, member, vector], out=best)
    return best


def _unit_doubles(rows: npt.NDArray[np.floating]) -> Doubles:
    """`rows` (..., D) at length 1 in float64; a zero row stays zero."""
    wide = rows.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=-1, keepdims=True))
    return wide / np.where(lengths == 0, 1, lengths)
