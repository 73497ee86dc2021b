"""The sets as their authors give them, in the folder that W2GM_DATA names: sizes, traps, and every figure once more.

These tests are skipped, and say so, where W2GM_DATA is not set.
"""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

import naive_evaluation as naive
from small_sets import naive_of, small_model
from test_evaluation_figures import assert_same_figures, naive_evaluation
from w2gm.evaluation import Entailment, Pairs, Settings, evaluate, load_sets, score_all
from w2gm.evaluation.catalogue import known_sets
from w2gm.evaluation.datasets import Dataset
from w2gm.evaluation.finding import inventory
from w2gm.model import Model

FOLDER = os.environ.get("W2GM_DATA")

pytestmark = pytest.mark.skipif(
    not FOLDER, reason="THE REAL EVALUATION SETS ARE NOT TESTED: set W2GM_DATA to the folder that holds them"
)


@pytest.fixture(scope="module")
def folder() -> Path:
    return Path(str(FOLDER))


@pytest.fixture(scope="module")
def datasets(folder: Path) -> dict[str, Dataset]:
    loaded, missing = load_sets(folder)
    assert missing == [], f"W2GM_DATA={FOLDER} lacks these sets"
    return {one.name: one for one in loaded}


@pytest.fixture(scope="module")
def model(datasets: dict[str, Dataset]) -> Model:
    """Random mixtures for most words of the sets, in lower case but for every fourth of the capitalised ones."""
    words = sorted({word for one in datasets.values() for item in one.words for word in item})
    contexts = datasets["SCWS"].contexts
    words += [token for pair in contexts for place in pair for token in place.before[-4:] + place.after[:4]]
    known = [word if number % 4 == 0 else word.lower() for number, word in enumerate(words) if number % 17]
    return small_model(list(dict.fromkeys(known)), dimensions=8)


def test_sizes_are_those_of_the_papers(datasets: dict[str, Dataset]) -> None:
    assert {name: len(one) for name, one in datasets.items()} == {one.name: one.items for one in known_sets()}
    assert datasets["entailment"].truth.sum() == 1385
    assert len(dict.fromkeys(datasets["analogies"].sections)) == 14


def test_files_are_the_published_ones(folder: Path) -> None:
    assert {row["file"]: row["state"] for row in inventory(folder)} == {
        file.place: "as published" for one in known_sets() for file in one.files
    }


def test_words_are_whole_and_ratings_within_the_scale(datasets: dict[str, Dataset]) -> None:
    for one in datasets.values():
        for item in one.words:
            assert all(word and word == word.strip() and not word.endswith("-n") for word in item), (one.name, item)
        if isinstance(one, Pairs):
            assert 0 <= one.ratings.min() < one.ratings.max() <= 50
    assert sum(pair != tuple(map(str.lower, pair)) for pair in datasets["WS"].words) == 18
    assert ("tiger", "tiger") in datasets["WS"].words


def test_every_figure_is_that_of_the_independent_twin(
    folder: Path, datasets: dict[str, Dataset], model: Model
) -> None:
    chosen = [one for name, one in datasets.items() if name != "analogies"]
    actual = evaluate(model, chosen, Settings(resamples=5, seed=5))["sets"]
    expected = naive_evaluation(folder, naive_of(model), times=5, seed=5, analogies=False)
    assert_same_figures(actual, expected)


def test_analogies_are_answered_as_by_the_twin(datasets: dict[str, Dataset], model: Model) -> None:
    twin, analogies = naive_of(model), datasets["analogies"]
    scores = score_all(model, analogies)
    for number in range(0, len(analogies), 400):
        four = [twin.find(word) for word in analogies.words[number]]
        assert scores.found[number] == (None not in four)
        for method, right in scores.values.items():
            assert right is not None
            expected = None not in four and naive.answer(twin, *four[:3], method) == four[3]
            assert right[number] == expected


def test_scipy_finds_the_same_correlations(datasets: dict[str, Dataset], model: Model) -> None:
    for one in datasets.values():
        if isinstance(one, Pairs):
            scores = score_all(model, one)
            figures = evaluate(model, [one], Settings(resamples=1))["sets"][one.name]["scores"]
            for name, values in scores.values.items():
                assert values is not None
                found = scores.found
                assert figures[name]["found"] == pytest.approx(100 * spearmanr(values[found], one.ratings[found])[0])
                assert figures[name]["all"] == pytest.approx(100 * spearmanr(values, one.ratings)[0])


def test_calling_every_pair_entailed_has_the_f1_that_the_paper_could_not_fall_below(
    datasets: dict[str, Dataset],
) -> None:
    entailment = datasets["entailment"]
    assert isinstance(entailment, Entailment)
    _, f1, ap = naive.detection(np.zeros(len(entailment)), entailment.truth)
    assert (100 * f1, ap) == pytest.approx((66.667, 0.5), abs=1e-3)
