"""One window: its words, what the loss asks of each of its energies, and the room a thread works in.

A window is a centre word w, its contexts c_1 .. c_C and its negatives n_1 .. n_N, `negative` for each context. The
contexts and negatives together are its others o. Its loss is that of its triples,

    L = sum_kl  weight  max(0, margin - log E(w, c_k) + log E(w, n_l))

over each context with its own negatives (weight 1), or, pooled, with all of the window's (weight 1 / C): the same
energies, many more comparisons. The verdict on an other is d L / d log E(w, o): below 0 for a context whose energy
should rise, above 0 for a negative whose energy should fall, 0 where every hinge is satisfied.

All energies and gradients of a window are taken before any of its rows moves, and each row moves once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.kernels.jit import inlined
from w2gm.kernels.lanes import PairLanes
from w2gm.kernels.layout import LANES, Layout, aligned
from w2gm.kernels.sampling import Window

f32 = np.float32
Floats = npt.NDArray[np.float32]
PLACES = 4096  # a power of two, far above the words of a usual window


class Scratch(NamedTuple):
    """A thread's own room. "Cells" are lanes of pairs of senses, see `lanes`; the rest has one place an other."""

    sentence: npt.NDArray[np.int32]  # the words kept
    others: npt.NDArray[np.int64]  # (2, room): of this window and of the next
    energies: Floats
    verdicts: Floats
    hits: Floats
    shares: Floats  # cells: responsibilities
    pulls: Floats  # cells: S, then responsibilities / S
    spreads: Floats  # cells: distances, then gradients toward S
    gradients: Floats  # (2, width): of the centre, of an other
    places: npt.NDArray[np.int32]  # (PLACES,) all -1 between windows


def make_scratch(layout: Layout, chunk: int, window: Window) -> Scratch:
    """Room for one thread working on chunks of up to `chunk` ids."""
    lanes = PairLanes(layout)
    room = 2 * window.size * (1 + window.negative) + 2 * LANES  # vectors may reach beyond the last other
    cells = room * lanes.cell + lanes.block
    return Scratch(
        np.zeros(chunk, np.int32),
        np.zeros((2, room), np.int64),
        aligned(room), aligned(room), aligned(room), aligned(cells), aligned(cells), aligned(cells),
        aligned(2 * layout.width).reshape(2, layout.width),
        np.full(PLACES, -1, np.int32),
    )  # fmt: skip


@inlined
def judge(energies, contexts, window, margin, verdicts):
    """Fill in the verdicts from the energies, (others,) both, contexts first; returns (loss, active triples).

    Modified in place: verdicts.
    """
    negatives = contexts * window.negative
    weight = f32(1) / f32(contexts) if window.pooled else f32(1)
    for at in range(contexts + negatives):
        verdicts[at] = f32(0)
    loss_sum, active = f32(0), f32(0)
    for k in range(contexts):
        first, last = k * window.negative, (k + 1) * window.negative
        if window.pooled:
            first, last = 0, negatives
        for at in range(contexts + first, contexts + last):
            loss = margin - energies[k] + energies[at]
            if loss <= f32(0):  # false for a NaN, which therefore spreads instead of hiding
                continue
            loss_sum += weight * loss
            active += weight
            verdicts[k] -= weight
            verdicts[at] += weight
    return loss_sum, active


@inlined
def merge_repeated(others, number, verdicts, places):
    """Give the verdicts of a word that stands several times among the others to one place: its row moves once.

    A context that is its own negative cancels: its energies are equal, the loss is the margin and nothing moves.
    Modified in place: verdicts; `places` remembers words by their low bits and is left as it was.
    """
    for k in range(number):
        if verdicts[k] == f32(0):
            continue
        spot = others[k] & (PLACES - 1)
        if places[spot] < 0:
            places[spot] = k
            continue
        for at in range(places[spot], k):
            if others[at] == others[k] and verdicts[at] != f32(0):
                verdicts[at] += verdicts[k]
                verdicts[k] = f32(0)
                break
    for k in range(number):
        places[others[k] & (PLACES - 1)] = -1
