"""What variances say: a model made so that the answers are known."""

import math

import numpy as np
import pytest

from small_sets import small_model
from w2gm.config import Config
from w2gm.errors import ConfigError
from w2gm.evaluation import Entailment, variance_report
from w2gm.evaluation.reports import markdown
from w2gm.evaluation.variance import log_variances, variance_records, variance_tables
from w2gm.model import Mixtures, Model
from w2gm.vocabulary import Vocabulary

WORDS = ["animal", "rock", "bank", "dog", "vehicle", "cat", "car", "tree"]
ENTAILED = Entailment(
    "entailment",
    [
        ("dog", "animal"),
        ("cat", "animal"),
        ("car", "vehicle"),
        ("vehicle", "cat"),
        ("zebu", "animal"),
        ("dog", "car"),
    ],
    np.array([True, True, True, True, True, False]),
)


def model_of(log_variances: list[list[float]], words: list[str] = WORDS, weight: float = 0.75) -> Model:
    logs = np.array(log_variances, dtype=np.float32)
    senses = logs.shape[1]
    weights = np.full(logs.shape, 1.0) if senses == 1 else np.tile([weight, 1 - weight], (len(words), 1))
    means = np.ones((*logs.shape, 3), dtype=np.float32)
    return Model(
        Vocabulary(words, np.arange(len(words), 0, -1) * 10),
        Mixtures(means, logs, weights.astype(np.float32)),
        config=Config(senses=senses, vector_size=3), provenance={},
    )  # fmt: skip


ONE = model_of([[-1.0], [-0.5], [-1.0], [-2.0], [-1.5], [-2.5], [-3.0], [-3.5]])
TWO = model_of([[-1.0, -1], [-2.5, -1], [-0.5, -2], [-2.0, -2], [-1.5, -1.5], [-2.5, -2.5], [-3.0, -3], [-3.5, -3.5]])


def test_polysemous_words_are_held_against_one_sense_and_against_their_peers() -> None:
    report = variance_report(TWO, ONE, words=["rock", "bank", "nosuchword"])
    assert list(report["words"]) == ["rock", "bank"]
    rock = report["words"]["rock"]
    assert rock["log_variances"] == [-2.5, -1.0]
    assert rock["weights"] == [0.75, 0.25]
    assert rock["unimodal"] == pytest.approx(-0.5)
    assert rock["change"] == pytest.approx(0.75 * -2.5 + 0.25 * -1 + 0.5)
    assert rock["peers"] == pytest.approx(0)
    polysemy = report["polysemy"]
    assert polysemy["words"] == 2
    assert polysemy["below"] == 50  # one component of bank is wider than its one sense
    changes = [rock["change"], report["words"]["bank"]["change"]]
    assert polysemy["change"] == pytest.approx(np.mean(changes))
    assert polysemy["low"] == pytest.approx(min(changes))


def test_frequency_and_generality() -> None:
    report = variance_report(TWO, entailment=ENTAILED)
    assert "polysemy" not in report
    generality = report["generality"]
    assert (generality["pairs"], generality["found"]) == (5, 4)
    # animal and vehicle are wider than dog, cat, car; cat is not wider than vehicle.
    assert generality["wider"] == 75
    assert generality["frequent"] == 75
    assert generality["wider_of_rarer"] == 0
    mean = np.array([-1, -2.125, -0.875, -2, -1.5, -2.5, -3, -3.5])
    ranks = np.argsort(np.argsort(mean))
    assert report["frequency"] == pytest.approx(100 * np.corrcoef(ranks, np.arange(8, 0, -1))[0, 1])


def test_a_diagonal_covariance_counts_by_its_mean_log_variance() -> None:
    model = small_model(covariance="diagonal")
    np.testing.assert_allclose(log_variances(model), model.log_variances.astype(np.float64).mean(axis=2))


def test_tables_and_records_tell_the_same() -> None:
    report = variance_report(TWO, ONE, ENTAILED, words=["rock"])
    text = markdown(variance_tables(report))
    assert "| rock | -0.50 | -2.50 (0.75), -1.00 (0.25) | -1.62 | 0.00 |" in text
    assert "| the wider word has the larger variance, % | 75.00 |" in text
    records = {(record["about"], record["figure"]): record["value"] for record in variance_records(report)}
    assert records["rock", "log-variance 1"] == -1
    assert records["generality", "wider"] == 75
    assert records["frequency", "spearman"] == report["frequency"]
    short = markdown(variance_tables(variance_report(TWO, words=["rock"])))
    assert "| rock | n/a |" in short
    assert "polysemous" not in short.split("Variance**")[1]


def test_words_that_no_model_has_leave_no_figures() -> None:
    report = variance_report(TWO, ONE, Entailment("e", [("zebu", "gnu")], np.array([True])), words=["zebu"])
    assert report["words"] == {}
    assert report["polysemy"]["words"] == 0
    assert math.isnan(report["polysemy"]["change"])
    assert math.isnan(report["generality"]["wider"])


def test_models_that_cannot_be_asked_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"the model to compare with must have one sense a word, got one with 2"):
        variance_report(TWO, TWO)
    vectors = Model(ONE.vocabulary, ONE.mixtures, config=ONE.config, provenance={"variances": "absent"})
    for model, unimodal in ((vectors, None), (TWO, vectors)):
        with pytest.raises(
            ConfigError, match=r"word vectors have no variances: the variance report needs a w2gm model"
        ):
            variance_report(model, unimodal)
