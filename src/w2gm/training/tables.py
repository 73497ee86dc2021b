"""The parameters while they are trained: rows in the kernels' layout, and the way to and from mixtures."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from w2gm.config import Config
from w2gm.kernels.general import Tables
from w2gm.kernels.layout import Layout, Rows, blank_rows, row_layout
from w2gm.model import Mixtures

_BLOCK = 65_536  # rows made or copied at a time, so that no second table is ever held


def layout_of(config: Config) -> Layout:
    """The row layout that a configuration asks for."""
    return row_layout(config.senses, config.vector_size, config.covariance)


def table_bytes(words: int, config: Config) -> int:
    """Memory that the tables of `words` words take: means, variances, weights and their accumulators."""
    return words * layout_of(config).width * 4 * (2 if config.separate_output else 1)


def initial_tables(words: int, config: Config) -> Tables:
    """Fresh tables: means uniform in +- init_scale * sqrt(3 / D), one variance, equal weights."""
    layout = layout_of(config)
    generator = np.random.default_rng(config.seed)
    inputs = _initial_rows(words, layout, config, generator)
    outputs = _initial_rows(words, layout, config, generator) if config.separate_output else inputs
    return Tables(inputs, outputs, not config.separate_output)


def mixtures_of(rows: Rows, layout: Layout) -> Mixtures:
    """Copy the mixtures out of the rows (V, width), without padding and accumulators."""
    words, K, D = len(rows), layout.senses, layout.vector_size
    means = np.empty((words, K, D), np.float32)
    shape = (words, K, D) if layout.diagonal else (words, K)
    log_variances = np.empty(shape, np.float32)
    for start in range(0, words, _BLOCK):
        block = slice(start, start + _BLOCK)
        means[block] = per_sense(rows[block], 0, layout)[..., :D]
        if layout.diagonal:
            log_variances[block] = per_sense(rows[block], layout.log_variances, layout)[..., :D]
        else:
            log_variances[block] = rows[block, layout.log_variances : layout.log_variances + K]
    return Mixtures(means, log_variances, rows[:, layout.weights : layout.weights + K].copy())


def move_origin(tables: Tables, layout: Layout) -> None:
    """Move the origin to the mean of all components of all input words. Modified in place: tables.

    Energies know distances only, so training leaves the origin to chance, but cosines are taken from it.
    """
    K, D = layout.senses, layout.vector_size
    total = np.zeros(D)
    for start in range(0, len(tables.input), _BLOCK):
        block = per_sense(tables.input[start : start + _BLOCK], 0, layout)[..., :D]
        total += block.sum(axis=(0, 1), dtype=np.float64)
    origin = (total / (len(tables.input) * K)).astype(np.float32)
    for rows in [tables.input] if tables.shared else [tables.input, tables.output]:
        for start in range(0, len(rows), _BLOCK):
            per_sense(rows[start : start + _BLOCK], 0, layout)[..., :D] -= origin


def random_places(shape: tuple[int, ...], config: Config, generator: np.random.Generator) -> npt.NDArray[np.float32]:
    """Means uniform in +- init_scale * sqrt(3 / D)."""
    reach = np.float32(config.init_scale * math.sqrt(3 / config.vector_size))
    return (2 * generator.random(shape, dtype=np.float32) - 1) * reach


def _initial_rows(words: int, layout: Layout, config: Config, generator: np.random.Generator) -> Rows:
    rows = blank_rows(words, layout, config.initial_accumulator)
    K, D = layout.senses, layout.vector_size
    log_variance = math.log(config.init_variance)
    for start in range(0, words, _BLOCK):
        block = rows[start : start + _BLOCK]
        per_sense(block, 0, layout)[..., :D] = random_places((len(block), K, D), config, generator)
        if layout.diagonal:
            per_sense(block, layout.log_variances, layout)[:] = log_variance
            per_sense(block, layout.variances, layout)[:] = config.init_variance
        else:
            block[:, layout.log_variances : layout.log_variances + K] = log_variance
            block[:, layout.variances : layout.variances + K] = config.init_variance
        block[:, layout.weights : layout.weights + K] = 1 / K
    return rows


def per_sense(rows: Rows, offset: int, layout: Layout) -> Rows:
    """View of one block of parameters, (words, K, padded)."""
    block = rows[:, offset : offset + layout.senses * layout.padded]
    return block.reshape(len(rows), layout.senses, layout.padded)
