"""Random draws inside kernels: subsampling, dynamic windows and negatives from an alias table.

The generator is xorshift64 with its state in an explicit array `state` (1,) uint64, never zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.kernels.jit import inlined, kernel
from w2gm.kernels.wordtable import SENTENCE_END

u64, f32 = np.uint64, np.float32


class Sampler(NamedTuple):
    """Tables of draws: keep (V,) float32; threshold (V,) float32 and alias (V,) int32 for the negatives."""

    keep: npt.NDArray[np.float32]
    threshold: npt.NDArray[np.float32]
    alias: npt.NDArray[np.int32]


class Window(NamedTuple):
    """What is drawn for a centre word: contexts up to `size` away, `negative` negatives each, pooled or their own."""

    size: int
    shrink: bool
    negative: int
    pooled: bool


@inlined
def next_random(state):
    """Step the generator and return 64 random bits. Modified in place: state."""
    s = state[0]
    s ^= s << u64(13)
    s ^= s >> u64(7)
    s ^= s << u64(17)
    state[0] = s
    return s


@inlined
def unit_interval(bits):
    """A float32 in [0, 1) from the low 24 bits."""
    return f32(bits & u64(0xFFFFFF)) * f32(1 / 16777216)


@inlined
def draw_below(bits, n):
    """An integer in 0..n-1 from the high 32 bits, by multiplication instead of division."""
    return np.int64(((bits >> u64(32)) * u64(n)) >> u64(32))


@inlined
def draw_negative(state, sampler):
    """Draw a word id from the noise distribution; slot and coin come from one draw. Modified in place: state."""
    bits = next_random(state)
    slot = draw_below(bits, sampler.threshold.shape[0])
    if unit_interval(bits) < sampler.threshold[slot]:
        return slot
    return np.int64(sampler.alias[slot])


@inlined
def subsample_sentence(ids, start, stop, sampler, state, sentence):
    """Copy the words kept of the sentence that starts at `start`.

    Returns (number of words kept, where the next sentence starts). Modified in place: state, sentence (N,) int32.
    """
    n = 0
    position = start
    while position < stop:
        word = ids[position]
        position += 1
        if word == SENTENCE_END:
            break
        sentence[n] = word  # written always, kept by moving on: no branch to mispredict
        n += unit_interval(next_random(state)) < sampler.keep[word]
    return n, position


@inlined
def draw_window(sentence, n, centre, window, sampler, state, others):
    """Draw the others of the word at `centre`: its contexts, then the negatives of each; returns (contexts, others).

    Modified in place: state, others (M,) int64.
    """
    reach = window.size
    if window.shrink:
        reach = 1 + draw_below(next_random(state), window.size)
    number = 0
    for position in range(max(0, centre - reach), min(n, centre + reach + 1)):
        if position != centre:
            others[number] = sentence[position]
            number += 1
    contexts = number
    for _ in range(contexts * window.negative):
        others[number] = draw_negative(state, sampler)
        number += 1
    return contexts, number


@kernel
def build_alias(probabilities, threshold, alias):
    """Vose's alias table of a distribution (V,) float64. Modified in place: threshold (V,), alias (V,)."""
    n = probabilities.shape[0]
    scaled = probabilities * n
    # One array holds both stacks: slots with too little grow from the left, those with too much from the right.
    order = np.empty(n, np.int64)
    poor, rich = 0, n
    for slot in range(n):
        if scaled[slot] < 1.0:
            order[poor] = slot
            poor += 1
        else:
            rich -= 1
            order[rich] = slot
    while poor > 0 and rich < n:
        poor -= 1
        taker, giver = order[poor], order[rich]
        threshold[taker] = scaled[taker]
        alias[taker] = giver
        scaled[giver] -= 1.0 - scaled[taker]
        if scaled[giver] < 1.0:
            rich += 1
            order[poor] = giver
            poor += 1
    # What is left is full up to rounding.
    for i in range(poor):
        threshold[order[i]] = 1.0
        alias[order[i]] = order[i]
    for i in range(rich, n):
        threshold[order[i]] = 1.0
        alias[order[i]] = order[i]


@kernel
def draw_negatives(sampler, state, drawn):
    """Fill `drawn` (N,) int64 with word ids from the noise distribution. Modified in place: state, drawn."""
    for i in range(drawn.shape[0]):
        drawn[i] = draw_negative(state, sampler)
