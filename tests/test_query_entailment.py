"""Entailment: score and direction by hand, thresholds without labels and with them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from test_model import make_model
from w2gm.config import Config
from w2gm.errors import ConfigError, UnknownWordError
from w2gm.model import Mixtures, Model
from w2gm.query import entailment as room
from w2gm.query.entailment import Calibration, calibrate, entailment, random_scores
from w2gm.query.measures import measure_pairs, sense_matrix, senses_of
from w2gm.vocabulary import Vocabulary

quick = settings(max_examples=25, deadline=None)


@pytest.fixture(scope="module")
def zoo():
    """Forty small words scattered widely, and `robin` inside the wide second sense of `bird`."""
    random = np.random.default_rng(0)
    means = random.normal(0, 3, (42, 2, 3)).astype(np.float32)
    log_variances = np.log(random.uniform(0.1, 0.3, (42, 2))).astype(np.float32)
    means[41, 1] = means[40, 0] + 0.3
    log_variances[41, 1] = np.log(2)
    words = [f"w{number}" for number in range(40)]
    return Model(
        Vocabulary([*words, "robin", "bird"], np.arange(42, 0, -1)),
        Mixtures(means, log_variances, np.full((42, 2), 0.5, np.float32)),
        config=Config(senses=2, vector_size=3),
        provenance={},
    )


def test_the_narrow_word_entails_the_wide_one(zoo):
    found = zoo.entailment("robin", "bird")
    assert found.score == zoo.similarity("robin", "bird", "kl") == sense_matrix(zoo, "robin", "bird", "kl").max()
    assert found.reverse == zoo.similarity("bird", "robin", "kl") < found.score
    assert found.senses == ("robin:0", "bird:1")
    assert found.direction == "robin entails bird"
    assert found.chance < 0.01
    assert found.entails
    back = zoo.entailment("bird", "robin")
    assert (back.score, back.reverse, back.direction) == (found.reverse, found.score, found.direction)
    assert back.senses == ("bird:1", "robin:0")
    assert not back.entails


def test_one_sense_is_asked_for_by_its_number(zoo):
    found = zoo.entailment("robin:0", "bird:1")
    assert found.senses == ("robin:0", "bird:1")
    assert found.direction == "robin:0 entails bird:1"
    assert found.entails
    assert zoo.entailment("robin", "bird:1").senses == ("robin:0", "bird:1")
    other = zoo.entailment("robin:1", "bird")
    assert other.senses[0] == "robin:1"
    assert other.score == sense_matrix(zoo, "robin", "bird", "kl")[1].max()


def test_a_word_and_itself_have_no_direction(zoo):
    found = zoo.entailment("robin", "robin")
    assert (found.score, found.reverse, found.direction) == (0.0, 0.0, "neither")
    assert not found.entails


@pytest.mark.parametrize("keys", [("w5", "w20"), ("w5:1", "w20"), ("w5:0", "w20:1")])
@pytest.mark.parametrize("level", [0.01, 0.05, 0.3])
def test_no_more_than_the_level_of_unrelated_pairs_pass(keys, level):
    model = make_model(2500, senses=2, vector_size=6)
    random = random_scores(model, *keys)
    found = entailment(model, *keys, level=level)
    assert (random > found.threshold).mean() <= level
    assert (random >= found.threshold).mean() > level - 1 / len(random)
    assert found.chance == (random >= found.score).mean()


def test_the_level_holds_for_pairs_that_were_not_drawn():
    model = make_model(2500, senses=2, vector_size=6)
    pairs = np.random.default_rng(1).integers(0, 1000, (5000, 2))
    scores = measure_pairs(model, pairs[pairs[:, 0] != pairs[:, 1]], ["kl"])["kl"]
    assert (scores > entailment(model, "w3", "w7", level=0.1).threshold).mean() == pytest.approx(0.1, abs=0.02)


def test_random_pairs_are_of_words_as_frequent_and_never_of_one_word(monkeypatch):
    drawn = []

    def noticed(model, ids):
        drawn.append(ids)
        return senses_of(model, ids)

    monkeypatch.setattr(room, "senses_of", noticed)
    model = make_model(5000, senses=2, vector_size=2)
    random_scores(model, "w10", "w3000")
    frequent, rare = drawn
    assert (frequent.min(), frequent.max()) == (0, 999)
    assert (rare.min(), rare.max()) == (2500, 3499)
    drawn.clear()
    random_scores(model, "w4999", "w4999")
    assert drawn[0].min() == 4000
    assert (drawn[0] != drawn[1]).all()


def test_a_sense_is_held_against_single_senses_not_the_best_of_all(zoo):
    whole, one, single = (random_scores(zoo, *keys) for keys in (("w5", "w9"), ("w5:1", "w9"), ("w5:1", "w9:0")))
    assert whole.mean() > one.mean() > single.mean()
    words = range(len(zoo))
    tables = [sense_matrix(zoo, f"w{a}", f"w{b}", "kl") for a in words[:40] for b in words[:40] if a != b]
    every = np.mean([table.mean() for table in tables])
    assert single.mean() == pytest.approx(every, rel=0.1)
    assert whole.mean() == pytest.approx(np.mean([table.max() for table in tables]), rel=0.1)


def test_the_same_question_has_the_same_answer(zoo):
    assert zoo.entailment("robin", "w3") == zoo.entailment("robin", "w3")


def test_a_threshold_of_ones_own_decides(zoo):
    score = zoo.similarity("robin", "bird", "kl")
    assert zoo.entailment("robin", "bird", threshold=score - 0.01).entails
    found = zoo.entailment("robin", "bird", threshold=score)
    assert not found.entails
    assert found.threshold == score


def test_a_nan_is_no_entailment(zoo):
    means = zoo.means.copy()
    means[40] = np.nan
    broken = Model(zoo.vocabulary, Mixtures(means, zoo.log_variances, zoo.weights), config=zoo.config, provenance={})
    found = broken.entailment("robin", "bird")
    assert np.isnan(found.score)
    assert not found.entails


# Calibration by labelled pairs ------------------------------------------------------------------------------


def right_verdicts(model, pairs, labels, threshold):
    verdicts = [entailment(model, *pair, threshold=threshold).entails for pair in pairs]
    return np.mean(np.array(verdicts) == labels)


@given(seed=st.integers(0, 1000), count=st.integers(2, 8))
@quick
def test_calibration_is_the_best_of_all_thresholds(seed, count):
    random = np.random.default_rng(seed)
    model = make_model(8, senses=2, vector_size=2, seed=seed % 7)
    pairs = [(f"w{a}", f"w{b}") for a, b in random.integers(0, 8, (count, 2))]
    labels = random.random(count) < 0.5
    labels[:2] = [True, False]
    found = calibrate(model, pairs, labels)
    scores = [model.similarity(*pair, "kl") for pair in pairs]
    tried = {bound: right_verdicts(model, pairs, labels, bound) for bound in [-np.inf, *scores]}
    assert found.accuracy == pytest.approx(max(tried.values()))
    assert right_verdicts(model, pairs, labels, found.threshold) == pytest.approx(found.accuracy)


def test_a_calibrated_threshold_lies_between_the_two_kinds(zoo):
    unrelated = ("w1", "w2") if zoo.entailment("w1", "w2").direction == "w1 entails w2" else ("w2", "w1")
    pairs = [("robin", "bird"), ("robin:0", "bird:1"), unrelated, ("bird", "robin")]
    found = calibrate(zoo, pairs, [1, 1, 0, 0])
    assert found.accuracy == 1.0
    low, high = (zoo.similarity(*pair, "kl") for pair in (unrelated, ("robin", "bird")))
    assert found.threshold == pytest.approx((low + high) / 2)
    without = calibrate(zoo, [pairs[0], pairs[3]], [1, 0])
    assert without == Calibration(np.nextafter(high, -np.inf), 1.0)


def test_where_nothing_is_right_nothing_passes(zoo):
    best = zoo.similarity("robin", "bird", "kl")
    assert calibrate(zoo, [("robin", "bird"), ("bird", "robin")], [False, True]) == Calibration(best, 0.5)


@pytest.mark.parametrize(
    ("pairs", "labels", "message"),
    [
        ([("robin", "bird")], [1, 0], r"^1 pairs need as many labels, got \(2,\)$"),
        ([("robin", "bird")], [1], "^calibration needs pairs that entail and pairs that do not, got 1 of one kind$"),
        ([], [], "^calibration needs pairs that entail and pairs that do not, got 0 of one kind$"),
    ],
)
def test_labels_that_teach_nothing_are_refused(zoo, pairs, labels, message):
    with pytest.raises(ConfigError, match=message):
        calibrate(zoo, pairs, labels)


# Errors -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0, 1, -0.5, float("nan")])
def test_a_level_that_is_no_share_is_refused(zoo, level):
    with pytest.raises(
        ConfigError, match=rf"^level must be above 0 and below 1, got {level}: the share of unrelated"
    ):
        zoo.entailment("robin", "bird", level=level)


def test_unknown_words_are_named(zoo):
    for pair in (("robbin", "bird"), ("bird", "robbin")):
        with pytest.raises(UnknownWordError, match=r"^unknown word 'robbin'; closest known words: robin$"):
            zoo.entailment(*pair)
        with pytest.raises(UnknownWordError, match=r"^unknown word 'robbin'"):
            calibrate(zoo, [("robin", "bird"), pair], [1, 0])


def test_a_model_of_one_word_has_no_random_pairs():
    model = make_model(1)
    with pytest.raises(ConfigError, match=r"^a threshold needs random pairs of words, and this model has 1 word"):
        model.entailment("w0:0", "w0:1")
