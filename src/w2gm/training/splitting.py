"""From one sense a word to several: each word is parted along the directions in which its surroundings vary most.

A word with two senses has surroundings of two kinds, and the difference between the kinds is where they vary most; a
word with one sense has surroundings that hardly vary, and its senses start close together. The mean mu of a word's
one component is proportional to its mean surroundings m less those of a random word, m_0; so

    mu_i = mu + split_distance  |mu| / |m - m_0|  sum_c  corner_ic  sigma_c u_c

with sigma_c^2 and u_c the largest eigenvalues and directions of the covariance of the surroundings, and the corners
of a regular simplex: for two senses -1 and +1 along the first direction. A little chance is added, so that senses of
a word never met, or of one that never varied, can still part. Accumulators start afresh.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.config import Config
from w2gm.kernels.general import Tables
from w2gm.kernels.layout import Layout, Rows, blank_rows
from w2gm.kernels.sampling import Sampler, Window
from w2gm.kernels.surroundings import Surroundings, blank_surroundings, survey
from w2gm.training.hogwild import Team
from w2gm.training.schedule import Schedule, random_state
from w2gm.training.tables import layout_of, per_sense, random_places

ENOUGH = 1000  # occurrences of a word that tell its directions
_FARTHEST = 3.0  # |mu| / |m - m_0| at most, in medians: a word amid random surroundings does not fly off
_CHANCE = 0.05  # of the random places that senses without a warm-up would start from
_BLOCK = 8192  # rows split at a time

Floats = npt.NDArray[np.float32]


class Single(NamedTuple):
    """The words of a table with one sense each, without accumulators: means (V, D), log variances (V, 1 or D)."""

    means: Floats
    log_variances: Floats


def singles_of(tables: Tables, config: Config) -> list[Single]:
    """Copy what is kept of tables of one sense: of input and output words, or of the one table they share."""
    layout, D = layout_of(config.with_senses(1)), config.vector_size
    variances = slice(layout.log_variances, layout.log_variances + layout.variance_size)
    different = [tables.input] if tables.shared else [tables.input, tables.output]
    return [Single(rows[:, :D].copy(), rows[:, variances].copy()) for rows in different]


def look_around(
    ids: npt.NDArray[np.int32], vectors: Floats, draws: tuple[Sampler, Window], chunk: int, config: Config
) -> Surroundings:
    """The surroundings of each word of a text, made of `vectors` (V, D) of the words around."""
    met = blank_surroundings(len(vectors), config.senses - 1, config.vector_size)
    schedule = Schedule(ids, 1, config.alpha, config.min_alpha, chunk)
    rooms = [(np.zeros(chunk, np.int32), np.zeros(config.vector_size, np.float32)) for _ in range(config.threads)]

    def work(member: int) -> bool:
        part = schedule.next()
        if part is None:
            return False
        # Numbers below zero: streams that no chunk of the training has.
        own = (random_state(config.seed, -1 - part.number), *rooms[member], ENOUGH)
        survey(ids, (part.start, part.stop), vectors, met, *draws, own)
        return True

    Team(config.threads, work).run(lambda: None)
    return met


def split(
    singles: list[Single], look: Callable[[Floats], Surroundings] | None, noise: Floats, config: Config
) -> Tables:
    """Tables of K senses; with no `look` all senses of a word start in about one place.

    `look` gives the surroundings made of the vectors of the other table: one table's are held at a time. `noise` (V,)
    are the chances of each word to be a negative: they tell the mean surroundings of a random word.
    """
    many = []
    for number, single in enumerate(singles):
        around = singles[-1 - number].means
        many.append(_split_rows(single, look(around) if look else None, noise @ around, config))
    return Tables(many[0], many[-1], len(singles) == 1)


def simplex(senses: int) -> npt.NDArray[np.float64]:
    """Corners (K, K - 1) of a regular simplex around 0, scaled so that each coordinate has variance 1.

    >>> np.abs(simplex(2)).round(6).tolist()
    [[1.0], [1.0]]
    """
    corners = np.eye(senses) - 1 / senses
    directions = np.linalg.svd(corners)[2][: senses - 1]
    return np.asarray(corners @ directions.T * math.sqrt(senses))


def _split_rows(single: Single, met: Surroundings | None, centre: Floats, config: Config) -> Rows:
    many = layout_of(config)
    K, D = many.senses, many.vector_size
    rows = blank_rows(len(single.means), many, config.initial_accumulator)
    reach = _reach(single.means, met, centre) if met else None
    generator = np.random.default_rng(config.seed)
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        old, new = Single(*(part[block] for part in single)), rows[block]
        means = per_sense(new, 0, many)
        means[..., :D] = old.means[:, np.newaxis] + _CHANCE * random_places((len(new), K, D), config, generator)
        if met is not None and reach is not None:
            means[..., :D] += config.split_distance * _offsets(met.components[block], reach[block])
        _copy_variances(old.log_variances, new, many)
        new[:, many.weights : many.weights + K] = 1 / K
    return rows


def _reach(means: Floats, met: Surroundings, centre: Floats) -> Floats:
    """How far a word moves for a step of its surroundings, |mu| / |m - m_0|: (V,)."""
    away = np.linalg.norm(met.means - centre, axis=1)
    reach = np.linalg.norm(means, axis=1) / np.maximum(away, np.finfo(np.float32).tiny)
    return np.asarray(np.minimum(reach, _FARTHEST * np.median(reach)), np.float32)


def _offsets(components: Floats, reach: Floats) -> Floats:
    """Where the senses of words start, from the words' means: (V, K, D) for components (V, K - 1, D)."""
    lengths = np.linalg.norm(components, axis=2, keepdims=True)  # the eigenvalues: squares of standard deviations
    deviations = components / np.sqrt(np.maximum(lengths, np.finfo(np.float32).tiny))
    corners = simplex(components.shape[1] + 1).astype(np.float32)
    return np.asarray(reach[:, np.newaxis, np.newaxis] * np.einsum("kc,vcd->vkd", corners, deviations))


def _copy_variances(log_variances: Floats, rows: Rows, layout: Layout) -> None:
    """Give each sense the variances (words, 1 or D) of its word. Modified in place: rows."""
    for offset, values in ((layout.log_variances, log_variances), (layout.variances, np.exp(log_variances))):
        if layout.diagonal:
            per_sense(rows, offset, layout)[..., : layout.vector_size] = values[:, np.newaxis]
        else:
            rows[:, offset : offset + layout.senses] = values
