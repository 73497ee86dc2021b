"""What is drawn: exact distributions by algebra, real draws by chi-square."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import naive_sampling
from w2gm.config import Config
from w2gm.frequencies import keep_probabilities, noise_distribution
from w2gm.kernels.jit import kernel
from w2gm.kernels.sampling import (
    Sampler,
    Window,
    build_alias,
    draw_negatives,
    draw_window,
    next_random,
    subsample_sentence,
    unit_interval,
)
from w2gm.training.sampling import make_sampler

pytestmark = pytest.mark.kernel

SIGNIFICANCE = 1e-4  # seeds are fixed: the test always passes or always fails


@kernel
def _subsample(ids, start, stop, sampler, state, sentence):
    return subsample_sentence(ids, start, stop, sampler, state, sentence)


@kernel
def _window(sentence, n, centre, window, sampler, state, others):
    return draw_window(sentence, n, centre, window, sampler, state, others)


@kernel
def _unit(state, drawn):
    for i in range(drawn.shape[0]):
        drawn[i] = unit_interval(next_random(state))


def subsample(ids, start, sampler, state):
    """The kept words of the sentence at `start`, and where the next one starts."""
    sentence = np.zeros(len(ids), np.int32)
    n, position = _subsample(ids, start, len(ids), sampler, state, sentence)
    return sentence[:n].copy(), position


def draw_window_of(sentence, centre, window, sampler, state):
    others = np.zeros(2 * window.size * (1 + window.negative), np.int64)
    contexts, number = _window(sentence, len(sentence), centre, window, sampler, state, others)
    return others[:contexts], others[contexts:number]


def keep_all(words):
    return Sampler(np.ones(words, np.float32), np.ones(words, np.float32), np.arange(words, dtype=np.int32))


def zipf(words):
    return np.maximum(1, (10_000 / np.arange(1, words + 1)).astype(np.int64))


@pytest.mark.parametrize("words", [1, 2, 3, 10, 1000])
@pytest.mark.parametrize("exponent", [0.75, 0.0, 1.0, -0.5])
def test_an_alias_table_encodes_its_distribution(words, exponent):
    expected = naive_sampling.noise_distribution(zipf(words), exponent)
    threshold, alias = np.empty(words, np.float32), np.empty(words, np.int32)
    build_alias(noise_distribution(zipf(words), exponent), threshold, alias)
    np.testing.assert_allclose(naive_sampling.alias_distribution(threshold, alias), expected, atol=1e-7)


def test_negatives_are_drawn_from_counts_to_the_power():
    counts = zipf(40)
    sampler = make_sampler(counts, Config())
    drawn = np.empty(20_000, np.int64)
    draw_negatives(sampler, np.array([12345], np.uint64), drawn)
    expected = naive_sampling.noise_distribution(counts, 0.75) * len(drawn)
    p = stats.chisquare(np.bincount(drawn, minlength=40), expected).pvalue
    assert p > SIGNIFICANCE
    flat = naive_sampling.noise_distribution(counts, 1.0) * len(drawn)
    assert stats.chisquare(np.bincount(drawn, minlength=40), flat).pvalue < 1e-12, "the test sees no difference"


@pytest.mark.parametrize("sample", [0.0, 1e-4, 1e-2, 1.0])
def test_keep_probabilities_equal_the_oracle(sample):
    np.testing.assert_allclose(
        keep_probabilities(zipf(50), sample), naive_sampling.keep_probabilities(zipf(50), sample)
    )


def test_words_are_kept_with_their_probability():
    keep = np.array([0.05, 0.3, 0.8, 1.0], np.float32)
    sampler = keep_all(4)._replace(keep=keep)
    ids = np.tile(np.arange(4, dtype=np.int32), 4000)
    kept, _ = subsample(ids, 0, sampler, np.array([7], np.uint64))
    for word in range(4):
        count = int((kept == word).sum())
        assert stats.binomtest(count, 4000, float(keep[word])).pvalue > SIGNIFICANCE
    assert (kept == 3).sum() == 4000


def test_subsampling_stops_at_the_sentence_end():
    ids = np.array([3, 1, -1, 2, -1, -1, 0], np.int32)
    sentences, position = [], 0
    while position < len(ids):
        sentence, position = subsample(ids, position, keep_all(4), np.array([7], np.uint64))
        sentences.append(sentence.tolist())
    assert sentences == [[3, 1], [2], [], [0]]


def test_windows_are_uniform_up_to_their_size():
    window, state = Window(5, True, 1, False), np.array([3], np.uint64)
    sentence = np.arange(30, dtype=np.int32)
    reaches = np.array([len(draw_window_of(sentence, 15, window, keep_all(30), state)[0]) // 2 for _ in range(3000)])
    assert stats.chisquare(np.bincount(reaches, minlength=6)[1:]).pvalue > SIGNIFICANCE


@pytest.mark.parametrize("negative", [1, 2])
def test_a_full_window_holds_the_pairs_of_the_oracle(negative):
    sentence = np.array([5, 3, 3, 8, 1], np.int32)
    window, state = Window(2, False, negative, False), np.array([3], np.uint64)
    pairs = []
    for centre in range(len(sentence)):
        contexts, negatives = draw_window_of(sentence, centre, window, keep_all(9), state)
        assert len(negatives) == negative * len(contexts)
        pairs += [(int(sentence[centre]), int(context)) for context in contexts]
    assert pairs == naive_sampling.pairs_of_sentence(sentence.tolist(), [2] * 5)


def test_random_numbers_are_uniform():
    drawn = np.empty(20_000, np.float64)
    _unit(np.array([1], np.uint64), drawn[:100])  # xorshift needs some steps to leave a state of few bits
    _unit(np.array([0x9E3779B97F4A7C15], np.uint64), drawn)
    assert stats.kstest(drawn, "uniform").pvalue > SIGNIFICANCE
    assert drawn.min() >= 0
    assert drawn.max() < 1
