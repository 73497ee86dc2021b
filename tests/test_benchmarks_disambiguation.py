"""What benchmarks/disambiguation.py counts, on texts short enough to count by hand."""

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
END = -1


@pytest.fixture(scope="module")
def benchmark() -> Any:
    sys.path.insert(0, str(BENCHMARKS))
    yield importlib.import_module("disambiguation")
    sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def pairs(benchmark: Any) -> list[Any]:
    return [benchmark.pseudowords.PseudoWord(1, 2, "equal"), benchmark.pseudowords.PseudoWord(3, 4, "1:5")]


IDS = np.array([0, 1, 5, 2, END, 2, 6, 0, END, 3, 4, 4, END], np.int32)


def test_both_words_of_a_pair_become_one(benchmark: Any, pairs: list[Any]) -> None:
    merged = benchmark.merge(IDS, pairs, words=7)
    assert merged.tolist() == [0, 7, 5, 7, END, 7, 6, 0, END, 8, 8, 8, END]


def test_every_tenth_sentence_is_held_out(benchmark: Any) -> None:
    ids = np.concatenate([[number, END] for number in range(25)]).astype(np.int32)
    trained, held = benchmark.hold_out(ids)
    assert held.tolist() == [9, END, 19, END]
    assert len(trained) + len(held) == len(ids)


def test_occurrences_know_their_word_and_stay_in_their_sentence(benchmark: Any, pairs: list[Any]) -> None:
    seen = benchmark.occurrences(IDS, pairs, 7, window=2)
    assert seen.pairs.tolist() == [0, 0, 0, 1, 1, 1]
    assert seen.second.tolist() == [False, True, True, False, True, True]
    assert [context.tolist() for context in seen.contexts] == [[0, 5, 7], [7, 5], [6, 0], [8, 8], [8, 8], [8, 8]]
    few = benchmark.occurrences(IDS, pairs, 7, window=2, most=2)
    assert few.second.tolist() == [False, True, False, True]


def test_a_component_belongs_to_the_word_that_it_answers_for_most(benchmark: Any) -> None:
    second = np.array([False, False, True, True, True, False, True, True])
    seen = benchmark.Occurrences(np.array([0, 0, 0, 0, 0, 1, 1, 1]), second, [])
    chosen = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    # Component 0 of the second pair never wins: it belongs to the pair's usual word.
    assert benchmark.owners(chosen, seen, 2, 2).tolist() == [[False, True], [True, True]]


def test_accuracy_is_over_held_out_occurrences_and_beside_the_usual_word(
    benchmark: Any, pairs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {"seen": [0, 0, 1, 1, 0, 0, 1, 1], "held": [0, 1, 1, 0, 1]}
    seen = benchmark.Occurrences(
        np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.array([False, False, True, True, True, False, True, True]), ["seen"]
    )
    held = benchmark.Occurrences(np.array([0, 0, 0, 1, 1]), np.array([False, True, False, True, False]), ["held"])

    def posteriors(model: Any, words: Any, contexts: list[str]) -> Any:
        assert words.tolist() == (7 + (seen if contexts == ["seen"] else held).pairs).tolist()
        return np.eye(2)[answers[contexts[0]]]

    class Model:
        senses = 2

        def __len__(self) -> int:
            return 9

    monkeypatch.setattr(benchmark, "posteriors", posteriors)
    result = benchmark.judge(Model(), seen, held, pairs)
    assert result["equal"]["accuracy"] == pytest.approx(66.67)
    assert result["equal"]["most_frequent"] == pytest.approx(66.67)  # a tie goes to the first word
    assert result["equal"]["both_senses"] == 100
    assert (result["1:5"]["accuracy"], result["1:5"]["most_frequent"]) == (0, 50)
    assert (result["equal"]["occurrences"], result["1:5"]["occurrences"]) == (3, 2)
