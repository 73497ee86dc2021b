"""`w2gm similarity`, `entails` and `analogy` on a small model whose answers are known."""

from pathlib import Path
from typing import Any

import pytest

from w2gm.model import Model
from w2gm.query.measures import MEASURES, similarities


def rows_of(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_similarity_as_json_is_every_measure_of_the_library(
    answer: Any, tiny_folder: Path, tiny_model: Model
) -> None:
    values = answer("similarity", tiny_folder, "bank", "river:0", "--json")
    assert list(values) == [*MEASURES, "kl-reverse"]
    assert values == similarities(tiny_model, "bank", "river:0")


def test_similarity_by_one_measure(answer: Any, tiny_folder: Path, tiny_model: Model) -> None:
    expected = tiny_model.similarity("bank", "river", measure="me")
    assert answer("similarity", tiny_folder, "bank", "river", "--measure", "me", "--json") == {"me": expected}
    values = answer("similarity", tiny_folder, "bank", "river", "--measure", "kl", "--json")
    assert values == {
        "kl": tiny_model.similarity("bank", "river", "kl"),
        "kl-reverse": tiny_model.similarity("river", "bank", "kl"),
    }


def test_similarity_as_text_is_the_same(answer: Any, tiny_folder: Path) -> None:
    values = answer("similarity", tiny_folder, "bank", "river", "--json")
    header, *rows = rows_of(answer("similarity", tiny_folder, "bank", "river"))
    assert header == ["measure", "similarity"]
    assert rows == [[name, f"{value:.4f}"] for name, value in values.items()]


def test_an_unknown_measure_is_a_wrong_call(refusal: Any, tiny_folder: Path) -> None:
    message = "unknown measure 'elk'; did you mean el? accepted: mc, el, el-paper, me, kl, avesim, w2, js"
    assert refusal("similarity", tiny_folder, "bank", "river", "--measure", "elk") == (2, message)


@pytest.mark.parametrize("verb", ["similarity"])
def test_an_unknown_word_or_sense_on_either_side_is_one_line(refusal: Any, tiny_folder: Path, verb: str) -> None:
    unknown = (1, "unknown word 'rivver'; closest known words: river")
    assert refusal(verb, tiny_folder, "rivver", "bank") == refusal(verb, tiny_folder, "bank", "rivver") == unknown
    message = "'bank' has no sense 2; this model has senses 0 to 1 of every word"
    assert refusal(verb, tiny_folder, "river", "bank:2") == (1, message)
