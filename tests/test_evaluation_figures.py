"""A whole evaluation of a small model on small files, every figure against the independent twin; the rules; NaN."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import naive_evaluation as naive
from small_sets import PAIRS, WORDS, naive_of, small_model, write_small_sets
from w2gm.errors import ConfigError
from w2gm.evaluation import Pairs, Settings, evaluate, load_sets, score, score_all
from w2gm.evaluation.datasets import Analogies, Entailment
from w2gm.model import Mixtures, Model

# set: (file, separator, column of the rating, header), as the real files are
LAYOUTS = {
    "SL": ("SimLex-999/SimLex-999.txt", "\t", 3, True),
    "WS": ("WordSim-353/EN-WS-353-ALL.txt", "\t", 2, False),
    "WS-S": ("WordSim-353/EN-WS-353-SIM.txt", "\t", 2, False),
    "WS-R": ("WordSim-353/EN-WS-353-REL.txt", "\t", 2, False),
    "MEN": ("MEN/EN-MEN-TR-3k.txt", " ", 2, False),
    "MC": ("MC-30/EN-MC-30.txt", "\t", 2, False),
    "RG": ("RG-65/EN-RG-65.txt", "\t", 2, False),
    "YP": ("YP-130/EN-YP-130.txt", " ", 2, False),
    "MT-287": ("MTurk-287/EN-MTurk-287.txt", "\t", 2, False),
    "MT-771": ("MTurk-771/EN-MTurk-771.txt", " ", 2, False),
    "RW": ("RW/EN-RW-STANFORD.txt", "\t", 2, False),
}


def naive_evaluation(
    folder: Path, model: naive.NaiveModel, times: int, seed: int, analogies: bool = True
) -> dict[str, Any]:
    """All sets by the twin, the analogies if wanted."""
    sets = {
        name: naive.evaluate_pairs(model, naive.read_pairs(folder / file, *layout), times, seed)
        for name, (file, *layout) in LAYOUTS.items()
    }
    rows = naive.read_scws(folder / "SCWS/ratings.txt")
    sets["SCWS"] = naive.evaluate_pairs(model, [row[:3] for row in rows], times, seed, [row[3:] for row in rows])
    parts = [
        naive.read_entailment(folder / f"Baroni2012/{kind}-examples.txtinput") for kind in ("positive", "negative")
    ]
    sets["entailment"] = naive.evaluate_entailment(model, *parts, times, seed)
    if analogies:
        questions = naive.read_analogies(folder / "google-analogies/questions-words.txt")
        sets["analogies"] = naive.evaluate_analogies(model, questions, times, seed)
    return sets


def assert_same_figures(actual: Any, expected: Any, where: str = "") -> None:
    """Equal in form, and every figure within 1e-6."""
    if isinstance(expected, dict):
        assert set(actual) == set(expected), where
        for key, value in expected.items():
            assert_same_figures(actual[key], value, f"{where}/{key}")
    elif isinstance(expected, float) and math.isnan(expected):
        assert math.isnan(actual), where
    else:
        assert actual == pytest.approx(expected, abs=1e-6), where


@pytest.fixture(scope="module")
def small_sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets")
    write_small_sets(folder)
    return folder


@pytest.mark.parametrize(
    ("senses", "covariance", "words"),
    [(2, "spherical", WORDS), (1, "spherical", WORDS), (3, "diagonal", WORDS), (2, "spherical", [*WORDS, "UNK"])],
)
def test_every_figure_of_a_whole_evaluation_is_that_of_the_independent_twin(
    small_sets: Path, senses: int, covariance: str, words: list[str]
) -> None:
    model = small_model(words, senses=senses, covariance=covariance, seed=senses)
    datasets, missing = load_sets(small_sets)
    assert missing == []
    actual = evaluate(model, datasets, Settings(resamples=25, seed=3))["sets"]
    expected = naive_evaluation(small_sets, naive_of(model), times=25, seed=3)
    assert list(actual) == [*LAYOUTS, "SCWS", "entailment", "analogies"]
    assert_same_figures(actual, expected)
    assert actual["WS"]["pairs"] == len(PAIRS)
    assert actual["WS"]["found"] == len(PAIRS) - 3
    assert actual["WS"]["scores"]["mc"]["found"] != actual["WS"]["scores"]["mc"]["all"]


def test_the_same_evaluation_twice_is_the_same(small_sets: Path) -> None:
    datasets, _ = load_sets(small_sets)
    first, second = (evaluate(small_model(), datasets, Settings(resamples=20)) for _ in range(2))
    assert repr(first) == repr(second)


def pairs(*words: tuple[str, str]) -> Pairs:
    return Pairs("mine", list(words), np.arange(float(len(words))))


def test_a_pair_with_an_unknown_word_has_the_median_score_and_two_unknown_words_are_one() -> None:
    model = small_model()
    values = score(model, pairs(("cup", "mug"), ("cup", "dog"), ("cat", "tea"), ("cup", "zzz"), ("zzz", "yyy")), "mc")
    assert values[3] == np.median(values[:3])
    assert values[4] == 1.0
    distances = score(model, pairs(("cup", "mug"), ("zzz", "yyy")), "me")
    assert distances[1] == 0.0
    kernels = score(model, pairs(("cup", "cup"), ("cup", "mug"), ("zzz", "zzz")), "el")
    assert kernels[2] == kernels[:2].max()


def test_an_unknown_word_scores_as_the_models_own_unknown_word() -> None:
    model = small_model([*WORDS, "UNK"])
    asked = pairs(("cup", "zzz"), ("yyy", "zzz"), ("cup", "UNK"))
    scores = score_all(model, asked, ["mc", "kl"])
    assert scores.found.tolist() == [False, False, True]
    for values in scores.values.values():
        assert values is not None
        assert values[0] == values[2]
    assert score(model, asked, "mc")[1] == 1.0


def test_a_set_without_any_known_word_has_no_figures() -> None:
    result = evaluate(small_model(), [pairs(("zzz", "yyy"), ("xxx", "www"))], Settings(resamples=5))
    row = result["sets"]["mine"]["scores"]["mc"]
    assert result["sets"]["mine"]["found"] == 0
    assert all(math.isnan(value) for value in row.values())


def test_case_policies() -> None:
    model = small_model(["cup", "mug", "Cup"], senses=1)
    asked = pairs(("Cup", "mug"), ("CUP", "mug"), ("cup", "mug"))
    as_written = score(model, pairs(("Cup", "mug")), "mc", "keep")[0]
    in_lower_case = score(model, pairs(("cup", "mug")), "mc", "keep")[0]
    np.testing.assert_array_equal(score(model, asked, "mc", "fallback"), [as_written, in_lower_case, in_lower_case])
    np.testing.assert_array_equal(score(model, asked, "mc", "lower"), [in_lower_case] * 3)
    assert score_all(model, asked, ["mc"], "keep").found.tolist() == [True, False, True]


def test_a_nan_in_the_model_stays_visible_in_the_figures() -> None:
    whole = small_model()
    means = whole.means.copy()
    means[WORDS.index("cup"), 1, 2] = np.nan
    broken = Model(
        whole.vocabulary,
        Mixtures(means, whole.log_variances, whole.weights),
        config=whole.config, provenance={}, context=whole.context,
    )  # fmt: skip
    result = evaluate(broken, [pairs(("cup", "mug"), ("cat", "dog"), ("tea", "drink"))], Settings(resamples=5))
    assert all(math.isnan(row["found"]) for row in result["sets"]["mine"]["scores"].values())
    one = evaluate(broken, [pairs(("bank", "mug"), ("cat", "dog"), ("tea", "drink"))], Settings(resamples=5))
    assert not any(math.isnan(row["found"]) for row in one["sets"]["mine"]["scores"].values())


def test_a_pair_its_reverse_and_itself_are_ties_whatever_the_rounding() -> None:
    model = small_model(dimensions=300)
    words = [(one, other) for one in WORDS for other in WORDS]
    for measure in ("mc", "el", "me", "avesim", "w2"):
        table = score(model, pairs(*words), measure).reshape(len(WORDS), len(WORDS))
        np.testing.assert_array_equal(table, table.T)
    assert (np.diag(score(model, pairs(*words), "mc").reshape(len(WORDS), -1)) == 1.0).all()


def test_what_is_not_there_is_refused_by_name() -> None:
    model, asked = small_model(), pairs(("cup", "mug"))
    with pytest.raises(ConfigError, match=r"mine has no score 'cosine': accepted: mc, el, .*js$"):
        score(model, asked, "cosine")
    with pytest.raises(ConfigError, match=r"entailment has no score 'mc': accepted: cos, kl, kl-reverse$"):
        score(model, Entailment("entailment", [("cup", "mug")], np.array([True])), "mc")
    with pytest.raises(ConfigError, match=r"analogies has no score 'mc': accepted: 3CosAdd, 3CosMul$"):
        score(model, Analogies("analogies", [("a", "b", "c", "d")], ["s"]), "mc")
    with pytest.raises(ConfigError, match=r"case must be one of fallback, lower, keep, got 'upper'"):
        score(model, asked, "mc", "upper")
    with pytest.raises(ConfigError, match=r"case must be one of fallback, lower, keep, got 'upper'"):
        Settings(case="upper")
    with pytest.raises(ConfigError, match=r"unknown measure 'cosine'"):
        Settings(measures=("cosine",))
    with pytest.raises(ConfigError, match=r"resamples must be at least 1, got 0"):
        Settings(resamples=0)
    with pytest.raises(ConfigError, match=r"seed must be at least 0, got -1"):
        Settings(seed=-1)
