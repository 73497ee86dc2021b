"""Which lane holds what when vectors hold the scalars of component pairs.

The centre word w and another word o have K^2 pairs: (i, j) is component i of w with component j of o. They take
a cell of `cell` lanes, K^2 filled up to a power of two; the cells of a window's words lie one after another, and
a block of lanes covers one cell or several. The lists made here are the constants of `simd.shuffle`.
"""

from __future__ import annotations

from collections.abc import Callable

from w2gm.kernels.layout import LANES, Layout


class PairLanes:
    """The lane lists for K senses; W is the width of a group of a row's `small` part, see `layout`."""

    def __init__(self, layout: Layout) -> None:
        K, W = layout.senses, layout.group
        self.senses = K
        self.cell = 1
        while self.cell < K * K:
            self.cell *= 2
        self.block = max(LANES, self.cell)
        self.together = 8 if K == 1 else 1  # words measured at a time: as many distances as make good sums
        # From a group of a row (values of the components, then their weights) to the lanes of a cell.
        self.centre_values = self._spread(lambda i, j: i)
        self.centre_weights = self._spread(lambda i, j: K + i)
        self.other_values = self._spread(lambda i, j: j)
        self.other_weights = self._spread(lambda i, j: K + j)
        self.exchanged = self._spread(lambda i, j: j * K + i)  # of a cell: (j, i) in the place of (i, j)
        # Keep the pairs' lanes of the first block, take all others from the second.
        rest = [lane % self.cell >= K * K for lane in range(self.block)]
        self.pairs_or_rest = _listed([lane + self.block * outside for lane, outside in enumerate(rest)])
        # Sums over pairs, back into a group: of the first cell for each component, then of the second.
        self.sum_for_centre = self._sum([[(i, j) for i in range(K)] for j in range(K)], W)
        self.sum_for_other = self._sum([[(i, j) for j in range(K)] for i in range(K)], W)

    def _spread(self, source: Callable[[int, int], int]) -> str:
        K = self.senses
        lanes = [source(i, j) for i in range(K) for j in range(K)]
        return _listed(lanes + [0] * (self.cell - K * K))

    def _sum(self, terms: list[list[tuple[int, int]]], width: int) -> str:
        lists = []
        for term in terms:
            lanes = [i * self.senses + j for i, j in term]
            both = lanes + [self.cell + lane for lane in lanes]
            lists.append(_listed(both + [0] * (width - len(both))))
        return " + ".join(lists)


def _listed(lanes: list[int]) -> str:
    return " ".join(map(str, lanes))
