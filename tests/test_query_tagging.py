"""Tagging a running text gives each word the sense that its posteriors give it, however the text comes."""

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from test_query_context import WORDS, random_model
from w2gm.errors import ConfigError
from w2gm.model import Model
from w2gm.query import tagging
from w2gm.query.context import posteriors
from w2gm.query.real import real_senses
from w2gm.query.tagging import Tagger

WORD_NUMBERS = [k * 37 % WORDS for k in range(400)]
TEXT = "".join((f"Word{k}, " if k % 7 else "strange? \r\n") if k % 11 else "\n\n" for k in WORD_NUMBERS)


def expected(model: Model, text: str, window: int, lines: bool = True) -> list[tuple[str, np.ndarray]]:
    """(word, posteriors) of each known word of a text, the window counted in known words of its line."""
    answers = []
    for line in text.split("\n") if lines else [text]:
        known = [word.lower() for word in line.replace(",", " ").split() if word.lower() in model]
        ids = [model.key_to_index[word] for word in known]
        for k, word in enumerate(known):
            around = ids[max(0, k - window) : k] + ids[k + 1 : k + 1 + window]
            answers.append((word, posteriors(model, [ids[k]], [around])[0]))
    return answers


def flat(tagger: Tagger, parts: list[str]) -> list[tuple[str, int, float]]:
    """(token, sense, probability) of every token that got a sense."""
    return [
        (part.pieces[2 * place + 1], int(part.senses[place]), float(part.probabilities[place]))
        for part in tagger.tag(parts)
        for place in np.flatnonzero(part.senses >= 0)
    ]


@pytest.mark.parametrize(
    ("senses", "covariance"), [(1, "spherical"), (2, "spherical"), (3, "spherical"), (2, "diagonal")]
)
@pytest.mark.parametrize("window", [1, 3, 40])
@pytest.mark.parametrize("sentences", ["lines", "none"])
def test_senses_are_those_of_the_posteriors(senses: int, covariance: str, window: int, sentences: str) -> None:
    model = random_model(senses, covariance, sentences=sentences)
    found = flat(Tagger(model, window=window, every_word=True), [TEXT])
    wanted = expected(model, TEXT, window, sentences == "lines")
    assert [token.lower() for token, _, _ in found] == [word for word, _ in wanted]
    for (_, sense, probability), (_, answer) in zip(found, wanted, strict=True):
        assert probability == pytest.approx(answer.max(), abs=1e-4)
        assert answer[sense] == pytest.approx(answer.max(), abs=1e-4)


@settings(max_examples=25)
@given(st.lists(st.integers(0, len(TEXT)), max_size=12), st.sampled_from(["lines", "none"]))
def test_it_does_not_matter_in_which_parts_the_text_comes(places: list[int], sentences: str) -> None:
    tagger = Tagger(random_model(sentences=sentences), window=4, every_word=True)
    cuts = [0, *sorted(place for place in places if not TEXT[place - 1 : place + 1].isalnum()), len(TEXT)]
    parts = [TEXT[start:end] for start, end in itertools.pairwise(cuts)]
    whole, pieced = flat(tagger, [TEXT]), flat(tagger, parts)
    assert [entry[:2] for entry in pieced] == [entry[:2] for entry in whole]
    assert [entry[2] for entry in pieced] == pytest.approx([entry[2] for entry in whole], abs=1e-5)
    assert "".join(part.text() for part in tagger.tag(parts)) == "".join(part.text() for part in tagger.tag([TEXT]))


def test_everything_but_the_senses_is_as_it_was() -> None:
    tagger = Tagger(random_model(), every_word=True)
    tagged = "".join(part.text() for part in tagger.tag([TEXT]))
    plain = tagged.replace(":0", "").replace(":1", "")
    assert plain == TEXT
    assert tagged.count(":") == len(expected(random_model(), TEXT, 1))


def test_words_with_several_real_senses_are_tagged_and_no_others() -> None:
    model = random_model(sample=0.0)
    means = model.means.copy()
    means[::2, 1] = means[::2, 0]
    mixtures = dataclasses.replace(model.mixtures, means=means)
    halves = Model(model.vocabulary, mixtures, config=model.config, provenance={}, context=model.context)
    assert real_senses(halves).tolist() == [False, True] * 6
    assert {token for token, _, _ in flat(Tagger(halves), [TEXT])} == {"Word1", "Word3", "Word5", "Word9"}


def test_less_probable_senses_can_be_left_out() -> None:
    model = random_model()
    everything = flat(Tagger(model, every_word=True), [TEXT])
    sure = flat(Tagger(model, every_word=True, threshold=0.8), [TEXT])
    assert 0 < len(sure) < len(everything)
    assert sure == [entry for entry in everything if entry[2] >= 0.8]


def test_a_text_that_never_ends_its_line_does_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagging, "_LONGEST_WAIT", 1000)
    tagger = Tagger(random_model(), window=5, every_word=True)
    parts = list(tagger.tag(["word1 ", *["strange " * 10] * 200, "word2"]))
    assert max(len("".join(part.pieces)) for part in parts) <= 1000 + 80
    assert sum(int((part.senses >= 0).sum()) for part in parts) == 2


def test_spellings_are_not_remembered_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagging, "_MOST_REMEMBERED", 10)
    tagger = Tagger(random_model(), every_word=True)
    text = " ".join(f"strange{k} word{k % WORDS}" for k in range(200))
    assert len(flat(tagger, [text])) == 200
    assert len(tagger._ids) <= 10


def test_an_empty_text_is_an_empty_text() -> None:
    assert "".join(part.text() for part in Tagger(random_model()).tag([])) == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"window": 0}, "window must be at least 1, got 0"),
        ({"threshold": 1.5}, "threshold must be at least 0 and at most 1, got 1.5"),
        ({"threshold": float("nan")}, "threshold must be at least 0 and at most 1, got nan"),
    ],
)
def test_settings_that_cannot_be_are_refused(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Tagger(random_model(), **arguments)
