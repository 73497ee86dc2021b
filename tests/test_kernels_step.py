"""Every kernel against the oracle, step by step."""

from __future__ import annotations

import itertools
import math

import numba
import numpy as np
import pytest

import naive
from kernel_tables import (
    LIMITS,
    MAX_NORM,
    VARIANCE_ALPHA,
    accumulators,
    make_step,
    parameters,
    random_tables,
    renew,
    to_naive,
)
from w2gm.kernels.general import make_tallies, make_trainer, make_window
from w2gm.kernels.jit import kernel
from w2gm.kernels.layout import row_layout
from w2gm.kernels.sampling import Sampler, Window
from w2gm.kernels.vectors import make_vector_trainer
from w2gm.kernels.windows import PLACES, make_scratch, merge_repeated

pytestmark = pytest.mark.kernel

COMPILED = not numba.config.DISABLE_JIT

WORDS = 7
COVARIANCES = ("spherical", "diagonal")
SHAPES = [(1, 1), (1, 5), (2, 3), (2, 16), (3, 5), (4, 2), (5, 17)]  # K, D
# All ways in which centre, context and negative can coincide.
TRIPLES = [(0, 1, 2), (0, 1, 0), (0, 0, 1), (0, 1, 1), (0, 0, 0)]


def assert_same_tables(tables, layout, expected, expected_sums, rtol=2e-4, atol=2e-5):
    for rows, table, sums in (
        (tables.input, expected.input, expected_sums.input),
        (tables.output, expected.output, expected_sums.output),
    ):
        for actual, wanted in ((parameters(rows, layout), table), (accumulators(rows, layout), sums)):
            for part in ("means", "log_variances", "scores"):
                np.testing.assert_allclose(
                    getattr(actual, part), getattr(wanted, part), rtol=rtol, atol=atol, err_msg=part
                )


def assert_derived_fit(tables, layout):
    for rows in (tables.input, tables.output):
        wanted = rows.copy()
        renew(wanted, layout)
        np.testing.assert_allclose(rows, wanted, rtol=1e-5, atol=1e-7)


def window_of(triple):
    """The window that is one triple."""
    word, context, negative = triple
    return naive.Window(word, [context], [negative])


def triple_step(layout):
    """The general step on the window that is one triple: step(tables, triple, step) -> loss."""
    window = Window(1, False, 1, False)
    scratch, train_window = make_scratch(layout, 1, window), make_window(layout)

    def train(tables, triple, step):
        others = np.array(triple[1:], np.int64)
        loss, _ = train_window(tables, triple[0], (others, 1, 2), window, step, scratch)
        return loss

    return train


def random_triples(generator, n):
    triples = generator.integers(0, WORDS, (n, 3))
    return [*TRIPLES, *(tuple(int(word) for word in triple) for triple in triples)]


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize(("senses", "size"), SHAPES)
def test_steps_equal_the_oracle_one_by_one(senses, size, covariance, shared):
    layout = row_layout(senses, size, covariance)
    tables = random_tables(WORDS, layout, seed=senses * 100 + size, shared=shared)
    tables.output[5] = tables.input[6]  # so that 6 and 5 are near, and 6 and 4 far: an inactive triple
    tables.output[4, : layout.mean_squares] += np.where(tables.output[4, : layout.mean_squares] != 0, 20, 0)
    expected, sums = to_naive(tables, layout)
    step, train_triple = make_step(), triple_step(layout)
    losses = []
    for triple in [(6, 5, 4), *random_triples(np.random.default_rng(1), 20)]:
        wanted_loss = naive.train_window(
            expected, sums, window_of(triple), step.learning_rate, step.margin, LIMITS, VARIANCE_ALPHA, MAX_NORM
        )
        loss = train_triple(tables, triple, step)
        losses.append(loss)
        assert loss == pytest.approx(wanted_loss, rel=1e-4, abs=1e-4), triple
        assert_same_tables(tables, layout, expected, sums)
    assert_derived_fit(tables, layout)
    assert losses[0] == 0, "the inactive triple is active"
    assert sum(loss > 0 for loss in losses) > 5


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("log_variance", [(-13.8, -13.0), (13.0, 13.8), (-13.8, 13.8)])
def test_extreme_variances_equal_the_oracle(covariance, log_variance):
    layout = row_layout(2, 6, covariance)
    tables = random_tables(WORDS, layout, seed=5, log_variance=log_variance)
    expected, sums = to_naive(tables, layout)
    step, train_triple = make_step(), triple_step(layout)
    for triple in random_triples(np.random.default_rng(2), 10):
        wanted_loss = naive.train_window(
            expected, sums, window_of(triple), step.learning_rate, step.margin, LIMITS, VARIANCE_ALPHA, MAX_NORM
        )
        assert train_triple(tables, triple, step) == pytest.approx(wanted_loss, rel=1e-3, abs=1e-3)
        assert_same_tables(tables, layout, expected, sums, rtol=2e-3, atol=1e-3)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_variances_are_held_inside_their_limits(covariance):
    layout = row_layout(2, 4, covariance)
    tables = random_tables(WORDS, layout, seed=3, log_variance=(-2, 2))
    step = make_step(margin=1000.0)._replace(min_log_variance=-0.5, max_log_variance=0.5)
    triple_step(layout)(tables, (0, 1, 2), step)
    for rows, word in ((tables.input, 0), (tables.output, 1), (tables.output, 2)):
        reached = parameters(rows, layout).log_variances[word]
        assert np.abs(reached).max() == 0.5, "held, and the limit was met"


@pytest.mark.parametrize("part", ["means", "variances", "weights"])
@pytest.mark.parametrize("covariance", COVARIANCES)
def test_a_nan_stays_visible(covariance, part):
    layout = row_layout(2, 4, covariance)
    tables = random_tables(WORDS, layout, seed=4)
    offset = {"means": 1, "variances": layout.variances + 1, "weights": layout.weights}[part]
    tables.output[1, offset] = np.nan
    loss = triple_step(layout)(tables, (0, 1, 2), make_step())
    assert math.isnan(loss)
    assert np.isnan(parameters(tables.input, layout).means[0]).any()


def test_padding_stays_zero():
    layout = row_layout(3, 5, "diagonal")
    tables = random_tables(WORDS, layout, seed=6)
    train_triple = triple_step(layout)
    for triple in random_triples(np.random.default_rng(4), 10):
        train_triple(tables, triple, make_step())
    for i in range(layout.senses):
        padding = slice(i * layout.padded + layout.vector_size, (i + 1) * layout.padded)
        assert not tables.input[:, padding].any()
        assert not tables.output[:, padding].any()


@pytest.mark.skipif(not COMPILED, reason="vectors need the compiler: compiled runs test them")
@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize(
    ("senses", "size", "lanes", "shared"),
    [
        *((senses, 5, 16, False) for senses in (1, 2, 3, 4, 5, 6)),
        *((senses, size, lanes, False) for senses, size in ((2, 33), (3, 5)) for lanes in (4, 8)),
        *((1, 5, 16, True), (2, 33, 16, True), (3, 5, 8, True)),
    ],
)
def test_vector_steps_equal_the_oracle(senses, size, covariance, shared, lanes):
    layout = row_layout(senses, size, covariance)
    tables = random_tables(WORDS, layout, seed=senses * 100 + size, shared=shared)
    tables.output[5] = tables.input[6]  # so that 6 and 5 are near, and 6 and 4 far: inactive triples
    tables.output[4, : layout.mean_squares] += np.where(tables.output[4, : layout.mean_squares] != 0, 20, 0)
    train = make_vector_trainer(layout, shared, False, lanes)
    assert_two_words_train_as_the_oracle(
        train, layout, tables, [(6, 5, 4), *random_triples(np.random.default_rng(1), 15)]
    )
    assert_derived_fit(tables, layout)


@pytest.mark.skipif(not COMPILED, reason="vectors need the compiler: compiled runs test them")
@pytest.mark.parametrize("log_variance", [(-13.8, -13.0), (13.0, 13.8), (-13.8, 13.8)])
@pytest.mark.parametrize(
    ("senses", "covariance"), [(1, "spherical"), (2, "spherical"), (3, "spherical"), (2, "diagonal")]
)
def test_vector_steps_with_extreme_variances_equal_the_oracle(senses, covariance, log_variance):
    layout = row_layout(senses, 5, covariance)
    tables = random_tables(WORDS, layout, seed=5, log_variance=log_variance)
    triples = random_triples(np.random.default_rng(2), 10)
    assert_two_words_train_as_the_oracle(
        make_vector_trainer(layout, False, False, 16), layout, tables, triples, rtol=3e-3, atol=2e-3
    )


@pytest.mark.skipif(not COMPILED, reason="vectors need the compiler: compiled runs test them")
@pytest.mark.parametrize("part", ["means", "variances", "weights"])
@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("senses", [1, 2, 3])
def test_a_nan_stays_visible_in_vectors(senses, covariance, part):
    layout = row_layout(senses, 5, covariance)
    tables = random_tables(WORDS, layout, seed=4)
    last = (senses - 1) * (layout.padded if layout.diagonal else 1)
    offset = {"means": 1, "variances": layout.variances + last, "weights": layout.weights}[part]
    if part == "weights" and senses == 1:
        offset = layout.variances  # one sense has no use for its weight, which is 1
    tables.output[1, offset] = np.nan
    loss, _ = train_two_words(make_vector_trainer(layout, False, False, 16), layout, tables, (0, 1, 2))
    assert math.isnan(loss)
    assert np.isnan(parameters(tables.input, layout).means[0]).any()


def train_two_words(train, layout, tables, triple):
    """Train a chunk that is the sentence (word, context), with the negative always the same: two triples."""
    word, context, negative = triple
    ids = np.array([word, context, -1], np.int32)
    sampler = Sampler(np.full(WORDS, 2, np.float32), np.zeros(WORDS, np.float32), np.full(WORDS, negative, np.int32))
    window = Window(1, False, 1, False)
    scratch, tallies, state = make_scratch(layout, 3, window), make_tallies(), np.array([5], np.uint64)
    train(ids, (0, 3), tables, sampler, window, make_step(), (state, scratch, tallies))
    return tallies.sums[0], [*tallies.counts, tallies.sums[1]]


def assert_two_words_train_as_the_oracle(train, layout, tables, triples, rtol=3e-4, atol=3e-5):
    expected, sums = to_naive(tables, layout)
    step = make_step()
    for word, context, negative in triples:
        losses = [
            naive.train_window(
                expected, sums, window_of(triple), step.learning_rate, step.margin, LIMITS, VARIANCE_ALPHA, MAX_NORM
            )
            for triple in ((word, context, negative), (context, word, negative))
        ]
        loss, counts = train_two_words(train, layout, tables, (word, context, negative))
        assert loss == pytest.approx(sum(losses), rel=rtol, abs=10 * atol), (word, context, negative)
        assert counts == [2, 2, np.count_nonzero(losses)]
        assert_same_tables(tables, layout, expected, sums, rtol, atol)


def chunk_of_sentences(generator, sentences=4):
    words = [[*generator.integers(0, WORDS, generator.integers(1, 9)), -1] for _ in range(sentences)]
    return np.array([word for sentence in words for word in sentence], dtype=np.int32)


@pytest.mark.parametrize("trainer", ["general", 16])  # or the lanes of vectors
@pytest.mark.parametrize(
    ("senses", "negative", "pooled", "shared", "covariance"),
    [
        *((2, *drawn, "spherical") for drawn in itertools.product((1, 3), (False, True), (False, True))),
        *((senses, 2, True, False, covariance) for senses in (1, 3) for covariance in COVARIANCES),
        *((senses, 1, True, True, covariance) for senses in (1, 3) for covariance in COVARIANCES),
    ],
)  # fmt: skip
def test_a_chunk_is_its_windows_in_order(senses, negative, pooled, shared, covariance, trainer):
    """The windows that a chunk trains, recorded by drawing them again, equal the oracle's training on them."""
    if trainer != "general" and not COMPILED:
        pytest.skip("vectors need the compiler: compiled runs test them")
    layout = row_layout(senses, 5, covariance)
    ids = chunk_of_sentences(np.random.default_rng(7))
    tables = random_tables(WORDS, layout, seed=8, shared=shared)
    expected, sums = to_naive(tables, layout)
    sampler = Sampler(
        np.full(WORDS, 0.7, np.float32),
        np.full(WORDS, 0.5, np.float32),
        np.roll(np.arange(WORDS, dtype=np.int32), 1),
    )
    window, step = Window(3, True, negative, pooled), make_step()
    scratch, tallies = make_scratch(layout, len(ids), window), make_tallies()
    windows = drawn_windows(ids, sampler, window, np.array([99], np.uint64))
    triples = sum(len(one.negatives) for one in windows)
    assert triples > 20

    state = np.array([99], np.uint64)
    train = make_trainer(layout) if trainer == "general" else make_vector_trainer(layout, shared, pooled, trainer)
    train(ids, (0, len(ids)), tables, sampler, window, step, (state, scratch, tallies))
    rates = (step.learning_rate, step.margin, LIMITS, VARIANCE_ALPHA, MAX_NORM)
    actives = 0.0
    losses = []
    for one in windows:
        actives += sum(
            weight for weight, triple in one.triples() if naive.triple_loss(expected, *triple, step.margin) > 0
        )
        losses.append(naive.train_window(expected, sums, one, *rates))

    assert_same_tables(tables, layout, expected, sums, rtol=2e-3, atol=5e-4)
    assert_derived_fit(tables, layout)
    assert tallies.sums[0] == pytest.approx(sum(losses), rel=1e-3)
    assert tallies.sums[1] == pytest.approx(actives, rel=1e-5)
    assert tallies.counts[0] == triples


def drawn_windows(ids, sampler, window, state):
    """Draw as the kernel does, sentence by sentence, centre by centre, and list the windows that have contexts."""
    from test_kernels_sampling import draw_window_of, subsample

    windows, position = [], 0
    while position < len(ids):
        sentence, position = subsample(ids, position, sampler, state)
        for centre in range(len(sentence)):
            contexts, negatives = draw_window_of(sentence, centre, window, sampler, state)
            if len(contexts):
                windows.append(naive.Window(sentence[centre], contexts, negatives, window.pooled))
    return windows


@kernel
def _merge(others, number, verdicts, places):
    merge_repeated(others, number, verdicts, places)


@pytest.mark.parametrize("stride", [1, PLACES])
def test_verdicts_of_repeated_words_are_merged(stride):
    """Also where all words fall into one place of the memory."""
    generator = np.random.default_rng(3)
    places = np.full(PLACES, -1, np.int32)
    for _ in range(50):
        others = stride * generator.integers(0, 6, 20)
        verdicts = generator.integers(-2, 3, 20).astype(np.float32)
        wanted = {word: verdicts[others == word].sum() for word in set(others.tolist())}
        _merge(others, 20, verdicts, places)
        moved = others[verdicts != 0].tolist()
        assert len(moved) == len(set(moved)), "a row would move twice"
        assert {word: verdicts[others == word].sum() for word in wanted} == wanted
        assert (places == -1).all()
