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
_BLOCK = 65_536  # rows split at a time

Floats = npt.NDArray[np.float32]


def look_around(
    ids: npt.NDArray[np.int32], tables: Tables, draws: tuple[Sampler, Window], chunk: int, config: Config
) -> list[Surroundings]:
    """The surroundings of each table's words, over the text: of input words among output words and the other way."""
    vectors = [np.ascontiguousarray(rows[:, : config.vector_size]) for rows in _different(tables)]
    return [_survey(ids, others, draws, chunk, config) for others in reversed(vectors)]


def _survey(
    ids: npt.NDArray[np.int32], vectors: Floats, draws: tuple[Sampler, Window], chunk: int, config: Config
) -> Surroundings:
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


def split(tables: Tables, met: list[Surroundings] | None, noise: Floats, config: Config) -> Tables:
    """Tables of K senses out of those of one; without surroundings all senses of a word lie in one place.

    `noise` (V,) are the chances of each word to be a negative: they tell the mean surroundings of a random word.
    """
    single = _different(tables)
    centres = [noise @ rows[:, : config.vector_size] for rows in reversed(single)]
    many = [
        _split_rows(rows, met[number] if met else None, centres[number], config) for number, rows in enumerate(single)
    ]
    return Tables(many[0], many[-1], tables.shared)


def _different(tables: Tables) -> list[Rows]:
    return [tables.input] if tables.shared else [tables.input, tables.output]


def simplex(senses: int) -> npt.NDArray[np.float64]:
    """Corners (K, K - 1) of a regular simplex around 0, scaled so that each coordinate has variance 1.

    >>> np.abs(simplex(2)).round(6).tolist()
    [[1.0], [1.0]]
    """
    corners = np.eye(senses) - 1 / senses
    directions = np.linalg.svd(corners)[2][: senses - 1]
    return np.asarray(corners @ directions.T * math.sqrt(senses))


def _split_rows(single: Rows, met: Surroundings | None, centre: Floats, config: Config) -> Rows:
    one, many = layout_of(config.with_senses(1)), layout_of(config)
    K, D = many.senses, many.vector_size
    rows = blank_rows(len(single), many, config.initial_accumulator)
    reach = _reach(single[:, :D], met, centre) if met else None
    generator = np.random.default_rng(config.seed)
    for start in range(0, len(single), _BLOCK):
        block = slice(start, start + _BLOCK)
        old, new = single[block], rows[block]
        means = per_sense(new, 0, many)
        means[..., :D] = old[:, np.newaxis, :D] + _CHANCE * random_places((len(old), K, D), config, generator)
        if met is not None and reach is not None:
            means[..., :D] += config.split_distance * _offsets(met.components[block], reach[block])
        _copy_variances(old, one, new, many)
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


def _copy_variances(old: Rows, one: Layout, new: Rows, many: Layout) -> None:
    """Give each sense the variances of the one before. Modified in place: new."""
    for before, after in ((one.log_variances, many.log_variances), (one.variances, many.variances)):
        if many.diagonal:
            per_sense(new, after, many)[:] = per_sense(old, before, one)
        else:
            new[:, after : after + many.senses] = old[:, before : before + 1]
