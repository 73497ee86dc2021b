"""Which lane holds what when one vector holds the scalars of all component pairs of a triple.

A triple (w, c, n) has 2 K^2 pairs: (q, i, j) is component i of w with component j of c (q = 0) or of n (q = 1).
They share one vector: a half for c, a half for n, each filled up to a power of two. The lists made here are the
constants of `simd.shuffle`.
"""

from __future__ import annotations

from collections.abc import Callable

from w2gm.kernels.layout import Layout


class PairLanes:
    """The lane lists for K senses; W is the width of a group of a row's `small` part, see `layout`."""

    def __init__(self, layout: Layout) -> None:
        K, W = layout.senses, layout.group
        self.senses = K
        self.half = 2  # at least 2, so that no vector has fewer than 4 lanes
        while self.half < K * K:
            self.half *= 2
        self.count = 2 * self.half
        # From a group of w (values of the components, then their weights) to the lanes of the pairs.
        self.centre_variance = self._spread(lambda q, i, j: i)
        self.centre_weight = self._spread(lambda q, i, j: K + i)
        # The same from the groups of c and n, given together.
        self.other_variance = self._spread(lambda q, i, j: q * W + j)
        self.other_weight = self._spread(lambda q, i, j: q * W + K + j)
        # Keep the pairs' lanes of the first vector, take all others from the second.
        self.pairs_or_rest = self._spread(self.at, rest=self.count)
        # Sums over pairs, back into a group: of the first vector for each component, then of the second.
        self.sum_for_centre = self._sum([[(q, i, j) for i in range(K)] for q in (0, 1) for j in range(K)], W)
        self.sum_for_context = self._sum([[(0, i, j) for j in range(K)] for i in range(K)], W)
        self.sum_for_negative = self._sum([[(1, i, j) for j in range(K)] for i in range(K)], W)

    def at(self, q: int, i: int, j: int) -> int:
        """The lane of a pair."""
        return q * self.half + i * self.senses + j

    def _spread(self, source: Callable[[int, int, int], int], rest: int | None = None) -> str:
        lanes = [0 if rest is None else rest + lane for lane in range(self.count)]
        for q in (0, 1):
            for i in range(self.senses):
                for j in range(self.senses):
                    lanes[self.at(q, i, j)] = source(q, i, j)
        return _listed(lanes)

    def _sum(self, terms: list[list[tuple[int, int, int]]], width: int) -> str:
        lists = []
        for term in terms:
            lanes = [self.at(*pair) for pair in term]
            both = lanes + [self.count + lane for lane in lanes]
            lists.append(_listed(both + [0] * (width - len(both))))
        return " + ".join(lists)


def _listed(lanes: list[int]) -> str:
    return " ".join(map(str, lanes))
