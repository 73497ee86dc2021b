"""Neighbours by kernel, distance and divergence against the slow twin: every pair in float64, everything sorted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_neighbours
from test_model import make_model
from w2gm.config import Config
from w2gm.errors import ConfigError, ModelError
from w2gm.model import Mixtures, Model
from w2gm.query import gaussians, search, similar
from w2gm.query.similar import MEASURES
from w2gm.vocabulary import Vocabulary

GAUSSIAN_MEASURES = [by for by in MEASURES if by != "cosine"]


def model_of(means, log_variances, weights=None):
    """A model of these arrays, of whatever float type, and the twin's words."""
    means, log_variances = np.float32(means), np.float32(log_variances)
    words, senses, dimensions = means.shape
    weights = np.full((words, senses), 1 / senses, np.float32) if weights is None else np.float32(weights)
    covariance = "spherical" if log_variances.ndim == 2 else "diagonal"
    model = Model(
        Vocabulary([f"w{number}" for number in range(words)], np.arange(words, 0, -1)),
        Mixtures(means, log_variances, weights),
        config=Config(senses=senses, vector_size=dimensions, covariance=covariance),
        provenance={},
    )
    return model, naive_neighbours.words_of(means, log_variances, weights)


def random_model(words, senses, dimensions, covariance, seed, *, scale=1.0, width=1.0, distinct=False):
    """Random arrays; with `distinct` few different values exist, so that ties abound."""
    random = np.random.default_rng(seed)
    shape = (words, senses, dimensions)
    draw = (lambda size: random.integers(-1, 2, size)) if distinct else random.standard_normal
    variances = draw(shape if covariance == "diagonal" else shape[:2])
    return model_of(draw(shape) * scale, variances * width, random.dirichlet(np.ones(senses), words))


def assert_same_scores(actual, expected, everything):
    """The scores are those expected, and each answer has its own: equal scores may stand in either order."""
    names = [(f"w{number}", sense) for number, sense, _ in everything]
    own = dict(zip(names, (score for _, _, score in everything), strict=True))
    assert len(actual) == len(expected)
    np.testing.assert_allclose([a[2] for a in actual], [e[2] for e in expected], rtol=1e-9, atol=1e-9)
    for word, sense, score in actual:
        if (word, sense) in own:
            assert score == pytest.approx(own[word, sense], rel=1e-9, abs=1e-9)
        else:  # another sense of the word is as near
            assert any(name == word and own[name, s] == pytest.approx(score, rel=1e-9) for name, s in names)


@settings(max_examples=150, deadline=None)
@given(
    by=st.sampled_from(GAUSSIAN_MEASURES),
    covariance=st.sampled_from(["spherical", "diagonal"]),
    words=st.integers(1, 40),
    senses=st.integers(1, 3),
    dimensions=st.integers(1, 6),
    topn=st.integers(0, 45),
    seed=st.integers(0, 10_000),
    merge=st.booleans(),
    whole_word=st.booleans(),
    distinct=st.booleans(),
)
def test_the_nearest_are_those_of_the_slow_twin(
    by, covariance, words, senses, dimensions, topn, seed, merge, whole_word, distinct
):
    model, twins = random_model(words, senses, dimensions, covariance, seed, distinct=distinct)
    asked, sense = seed % words, None if whole_word else seed % senses
    mixture = twins[asked] if whole_word else [twins[asked][sense]]
    hidden = [(asked, number) for number in range(senses)]
    twin = naive_neighbours.nearest if merge else naive_neighbours.nearest_senses
    everything = twin(twins, mixture, by, words * senses, hidden)
    actual = model.most_similar(f"w{asked}", sense=sense, by=by, topn=topn, merge_senses=merge)
    assert_same_scores(actual, everything[:topn], everything)


@pytest.mark.parametrize("by", GAUSSIAN_MEASURES)
@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
@pytest.mark.parametrize(("scale", "width"), [(0, 0), (1e-3, 5), (1e4, 0.1), (1e7, 10), (1e-12, 30), (1.0, 40)])
def test_small_differences_of_large_numbers_do_not_lose_an_answer(by, covariance, scale, width):
    random = np.random.default_rng(1)
    shape = (400, 2, 20)
    # All means far from the origin and close together: a^2 + b^2 - 2ab is all rounding error in float32.
    means = scale * (1 + 1e-4 * random.standard_normal(shape))
    logs = width * random.uniform(-1, 1, shape if covariance == "diagonal" else shape[:2])
    model, twins = model_of(means, logs)
    for whole_word in (True, False):
        key, asked = ("w7", twins[7]) if whole_word else ("w7:1", twins[7][1:])
        everything = naive_neighbours.nearest(twins, asked, by, 400, [(7, 0), (7, 1)])
        assert_same_scores(model.most_similar(key, by=by, topn=12), everything[:12], everything)


@pytest.mark.parametrize("by", GAUSSIAN_MEASURES)
@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
def test_bounds_are_never_below_the_exact_scores(by, covariance):
    model, _ = random_model(300, 2, 30, covariance, seed=4, scale=3)
    questions = [similar.about_word(model, f"w{number}", None, False) for number in range(9)]
    for merge in (True, False):
        how = similar._How(5, by, 300, merge, False)
        comparison = similar._comparison(model, questions, how)
        bounds = comparison.bounds(0, comparison.groups)
        assert bounds.dtype == np.float32
        queries, groups = (indices.ravel() for indices in np.indices((9, comparison.groups)))
        exact = comparison.combined(comparison.exact(queries, groups)).reshape(9, -1)
        assert (bounds.T + comparison.slack[:, None] >= exact).all()
        # And near enough to be of use.
        assert np.median(bounds.T - exact) < 0.05


@pytest.mark.parametrize("by", MEASURES)
def test_a_batch_answers_exactly_as_its_words_alone(by, monkeypatch):
    model = make_model(900, senses=2, vector_size=7)
    words = [f"w{number}" for number in range(40)] + ["w3:1", "w5:0", "w3:1"]
    together = model.most_similar_batch(words, by=by, topn=6)
    for size in (1 << 20, 64):
        monkeypatch.setattr(search, "ROWS_PER_PRODUCT", size)
        monkeypatch.setattr(gaussians, "_DIAGONAL_ROWS", size)
        assert [model.most_similar(word, by=by, topn=6) for word in words] == together


@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
def test_scores_of_words_are_the_measures_of_the_paper(covariance):
    model, twins = random_model(12, 3, 5, covariance, seed=2)
    mixtures = [
        naive.Mixture(
            model.means[i].astype(float), model.log_variances[i].astype(float), np.log(model.weights[i].astype(float))
        )
        for i in range(12)
    ]
    for by, measure in [("cosine", naive.mc), ("kernel", naive.el), ("distance", naive.me), ("kl", naive.kl)]:
        for word, _, score in model.most_similar("w4", by=by, topn=20):
            assert score == pytest.approx(measure(mixtures[4], mixtures[int(word[1:])]), rel=1e-6, abs=1e-6)
    for word, _, score in model.most_similar("w4", by="kl-reverse", topn=20):
        assert score == pytest.approx(naive.kl(mixtures[int(word[1:])], mixtures[4]), rel=1e-6)
    assert twins


def test_divergence_finds_what_contains_and_its_reverse_what_is_contained():
    # Three balls around the same place, one far away.
    model, _ = model_of(np.array([[[0, 0]], [[0.1, 0]], [[0.1, 0]], [[9, 9]]]), np.log([[1], [4], [0.2], [1]]))
    assert model.most_similar("w0", by="kl", topn=1)[0][0] == "w1"
    assert model.most_similar("w0", by="kl-reverse", topn=1)[0][0] == "w2"


@pytest.mark.parametrize("by", ["distance", "kernel"])
@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
def test_a_vector_asks_as_a_point(by, covariance):
    model, twins = random_model(50, 2, 4, covariance, seed=5)
    vector = np.array([0.5, -1, 0.25, 0])
    everything = naive_neighbours.nearest(twins, [naive_neighbours.point(vector)], by, 50)
    assert_same_scores(model.most_similar(positive=vector, by=by, topn=8), everything[:8], everything)
    assert model.most_similar_batch([vector], by=by, topn=8) == [model.most_similar(positive=vector, by=by, topn=8)]


def test_a_sense_meets_itself_at_no_distance_and_no_divergence():
    model, _ = random_model(5, 1, 3, "diagonal", seed=1)
    model = Model(
        Vocabulary(["a", "b"], [2, 1]),
        Mixtures(*(np.repeat(array[:1], 2, axis=0) for array in (model.means, model.log_variances, model.weights))),
        config=model.config,
        provenance={},
    )
    for by in ("distance", "kl", "kl-reverse"):
        ((_, _, score),) = model.most_similar("a", by=by)
        assert score == 0


@pytest.mark.parametrize("by", GAUSSIAN_MEASURES)
@pytest.mark.parametrize("array", ["means", "log_variances"])
def test_a_model_with_a_value_that_is_not_finite_is_an_error(by, array):
    arrays = {"means": np.zeros((3, 1, 2), np.float32), "log_variances": np.zeros((3, 1), np.float32)}
    arrays[array][2] = np.nan
    model, _ = model_of(**arrays)
    with pytest.raises(ModelError, match=rf"row 2 of the {array.replace('_', '-')} holds a value that is not finite"):
        model.most_similar("w0", by=by)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"word": "w1", "by": "dot"}, "by must be one of cosine, kernel, distance, kl, kl-reverse, got 'dot'"),
        (
            {"positive": ["w1", "w2"], "by": "kernel"},
            "a sum of words has no variance and cannot be compared by kernel: use cosine",
        ),
        (
            {"positive": np.ones(5), "by": "kl"},
            "a vector has no variance and cannot be compared by kl: use a word or a sense",
        ),
    ],
)
def test_what_has_no_variance_cannot_be_compared_by_it(options, message):
    with pytest.raises(ConfigError, match=f"^{message}$"):
        make_model(4).most_similar(**options)
