"""The JSON API: what the commands of the same names print, and what the pages need besides."""

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from explorer_models import random_model
from w2gm.config import Config
from w2gm.errors import ConfigError
from w2gm.explorer import create_app
from w2gm.explorer.shelf import Shelf
from w2gm.model import Mixtures, Model, load
from w2gm.query.disambiguation import explain
from w2gm.vocabulary import Vocabulary

HOST = "explorer.test"


@pytest.fixture(scope="module")
def client(tiny_folder: Path) -> Iterator[TestClient]:
    """The tiny model, and a model of one sense beside it, with a word of its own."""
    one = random_model(["bank", "river", "lonely"], senses=1, vector_size=4)
    with TestClient(create_app([("tiny", load(tiny_folder)), ("one", one)], [HOST]), f"http://{HOST}") as client:
        yield client


@pytest.fixture
def get(client: TestClient) -> Callable[..., Any]:
    def ask(name: str, **parameters: Any) -> Any:
        response = client.get(f"/api/{name}", params=parameters)
        assert response.status_code == 200, response.text
        assert response.headers["cache-control"] == "no-store"
        return response.json()

    return ask


@pytest.fixture
def refused(client: TestClient) -> Callable[..., tuple[int, str]]:
    def ask(name: str, **parameters: Any) -> tuple[int, str]:
        response = client.get(f"/api/{name}", params=parameters)
        assert "\n" not in response.json()["error"]
        return response.status_code, response.json()["error"]

    return ask


@pytest.mark.parametrize(
    ("name", "parameters", "call"),
    [
        ("neighbors", {"word": "bank"}, ["neighbors", "MODEL", "bank"]),
        ("neighbors", {"word": "bank", "sense": 1, "topn": 2}, ["neighbors", "MODEL", "bank:1", "--topn", "2"]),
        ("neighbors", {"word": "bank:0", "by": "kl"}, ["neighbors", "MODEL", "bank:0", "--by", "kl"]),
        ("neighbors", {"word": "bank", "restrict_vocab": 4}, ["neighbors", "MODEL", "bank", "--restrict-vocab", "4"]),
        ("neighbors", {"word": "bank", "min_count": 40}, ["neighbors", "MODEL", "bank", "--min-count", "40"]),
        ("neighbors", {"word": "bank", "include_own": 1}, ["neighbors", "MODEL", "bank", "--include-own"]),
        ("neighbors", {"word": "bank", "merge_senses": 0}, ["neighbors", "MODEL", "bank", "--no-merge-senses"]),
        ("senses", {"word": "bank"}, ["senses", "MODEL", "bank"]),
        ("similarity", {"a": "bank", "b": "river"}, ["similarity", "MODEL", "bank", "river"]),
        (
            "similarity",
            {"a": "bank:1", "b": "loan", "measure": "me"},
            ["similarity", "MODEL", "bank:1", "loan", "--measure", "me"],
        ),
        ("entails", {"a": "bank", "b": "money"}, ["entails", "MODEL", "bank", "money"]),
        (
            "entails",
            {"a": "bank", "b": "money", "level": 0.2},
            ["entails", "MODEL", "bank", "money", "--level", "0.2"],
        ),
        (
            "analogy",
            {"a": "bank", "b": "river", "c": "loan", "topn": 2},
            ["analogy", "MODEL", "bank", "river", "loan", "--topn", "2"],
        ),
    ],
)
def test_an_answer_is_what_the_command_prints(
    get: Any, answer: Any, tiny_folder: Path, name: str, parameters: dict[str, Any], call: list[str]
) -> None:
    command = [str(tiny_folder) if part == "MODEL" else part for part in call]
    assert get(name, model="tiny", **parameters) == answer(*command, "--json")


@pytest.mark.filterwarnings("ignore:the model has no output tables")
def test_a_sentence_is_answered_as_disambiguate_answers(get: Any, tiny_folder: Path) -> None:
    assert get("disambiguate", word="bank", context="river water") == explain(
        load(tiny_folder), "bank", "river water"
    )


def test_models_are_listed_with_what_info_prints(get: Any, answer: Any, tiny_folder: Path) -> None:
    tiny, one = get("models")
    assert tiny == {"name": "tiny", **answer("info", str(tiny_folder), "--json")}
    assert (one["name"], one["senses"]) == ("one", 1)


def test_without_a_model_the_first_one_answers(get: Any) -> None:
    assert get("senses", word="bank") == get("senses", word="bank", model="tiny")
    assert len(get("senses", word="bank", model="one")) == 1


def test_models_of_the_same_name_are_told_apart(tiny_model: Model) -> None:
    assert [shown.name for shown in Shelf([("m", tiny_model)] * 3)] == ["m", "m-2", "m-3"]


def test_an_explorer_needs_a_model() -> None:
    with pytest.raises(ConfigError, match="nothing to explore: give at least one model"):
        create_app([], [HOST])


def test_completion_gives_words_counts_and_edits(get: Any) -> None:
    assert get("complete", text="rivr") == [{"word": "river", "count": 50, "edits": 1}]
    assert get("complete", text="", topn=1) == [{"word": "the", "count": 900, "edits": 0}]
    assert get("complete", text="土") == [{"word": "土手", "count": 5, "edits": 0}]


def test_the_matrix_of_senses(get: Any, tiny_folder: Path) -> None:
    found = get("sense-matrix", a="bank", b="river:1", measure="mc")
    assert (found["measure"], found["a"], found["b"]) == ("mc", ["bank:0", "bank:1"], ["river:1"])
    model = load(tiny_folder)
    expected = [model.similarity(f"bank:{sense}", "river:1") for sense in range(2)]
    np.testing.assert_allclose(np.ravel(found["values"]), expected, rtol=1e-12)


def test_tokens_are_those_of_the_model(get: Any) -> None:
    assert get("tokens", text="The BANK, zyx!") == [
        {"before": "", "token": "The", "word": "the"},
        {"before": " ", "token": "BANK", "word": "bank"},
        {"before": ", ", "token": "zyx", "word": None},
    ]
    assert get("tokens", text="  ") == []


def test_words_by_id(get: Any) -> None:
    assert get("words", ids="1,0") == [{"word": "bank", "count": 90}, {"word": "the", "count": 900}]


def test_the_points_of_the_map_are_the_projected_means(get: Any, client: TestClient, tiny_folder: Path) -> None:
    facts = get("map")
    assert (facts["rows"], facts["senses"], facts["columns"]) == (16, 2, ["x", "y", "log_variance", "log_count"])
    response = client.get("/api/points")
    assert response.headers["content-type"] == "application/octet-stream"
    table = np.frombuffer(response.content, "<f4").reshape(16, 4)
    model = load(tiny_folder)
    np.testing.assert_allclose(table[:, 2], model.log_variances.ravel())
    np.testing.assert_allclose(np.exp(table[:, 3]), np.repeat(model.counts, 2), rtol=1e-5)
    # Distances on the plane are never longer than in the space, and the plane shows its share of the variance.
    means = model.means.reshape(16, -1).astype(np.float64)
    np.testing.assert_allclose(
        table[:, :2].astype(np.float64).var(axis=0) / means.var(axis=0).sum(), facts["shares"], rtol=1e-4
    )


def test_the_ellipses_of_a_word_lie_at_its_points(get: Any, client: TestClient) -> None:
    bank = get("ellipses", word="bank")
    table = np.frombuffer(client.get("/api/points").content, "<f4").reshape(16, 4)
    assert [(each["word"], each["id"], each["sense"]) for each in bank] == [("bank", 1, 0), ("bank", 1, 1)]
    for each, variance in zip(bank, (0.1, 0.2), strict=True):
        np.testing.assert_allclose(each["mean"], table[2 + each["sense"], :2], rtol=1e-4)
        np.testing.assert_allclose(each["covariance"], variance * np.eye(2), atol=1e-6)


def test_the_ellipses_of_diagonal_covariances_are_projected() -> None:
    random = np.random.default_rng(5)
    means = random.normal(size=(4, 1, 3)).astype(np.float32)
    logs = random.normal(size=(4, 1, 3)).astype(np.float32)
    config = Config(senses=1, vector_size=3, covariance="diagonal")
    model = Model(
        Vocabulary(list("abcd"), [4, 3, 2, 1]),
        Mixtures(means, logs, np.ones((4, 1), np.float32)),
        config=config,
        provenance={},
    )
    shown = next(iter(Shelf([("diagonal", model)])))
    with TestClient(create_app([("diagonal", model)], [HOST]), f"http://{HOST}") as client:
        (found,) = client.get("/api/ellipses", params={"word": "b"}).json()
        table = np.frombuffer(client.get("/api/points").content, "<f4").reshape(4, 4)
    axes = shown.plane.axes
    np.testing.assert_allclose(found["covariance"], axes @ np.diag(np.exp(logs[1, 0])) @ axes.T, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(table[:, 2], logs.mean(axis=(1, 2)), rtol=1e-5)


def test_the_neighbourhood_begins_with_the_word_and_holds_its_neighbours(get: Any) -> None:
    found = get("neighborhood", word="bank", topn=2)
    keys = [f"{each['word']}:{each['sense']}" for each in found["components"]]
    near = {
        f"{word}:{sense}" for entry in get("neighbors", word="bank", topn=2) for word, sense, _ in entry["neighbors"]
    }
    assert keys[:2] == ["bank:0", "bank:1"]
    assert set(keys[2:]) == near
    assert 0 < sum(found["shares"]) <= 1 + 1e-9


def test_infinity_and_nan_become_null(client: TestClient, tiny_folder: Path) -> None:
    means = np.array([[[1, 0]], [[1e30, 0]]], np.float32)
    flat = np.zeros((2, 1), np.float32)
    model = Model(
        Vocabulary(["a", "b"], [2, 1]),
        Mixtures(means, flat - 80, flat + 1),
        config=Config(senses=1, vector_size=2),
        provenance={"loss": math.nan},
    )
    with TestClient(create_app([("far", model)], [HOST]), f"http://{HOST}") as client:
        assert client.get("/api/models").json()[0]["provenance"] == {"loss": None}
        json.loads(client.get("/api/similarity", params={"a": "a", "b": "b"}).text, parse_constant=pytest.fail)


def test_an_unknown_word_or_model_is_404_and_names_what_may_be_meant(refused: Any) -> None:
    assert refused("senses", word="bnak") == (404, "unknown word 'bnak'; closest known words: bank")
    assert refused("senses", word="xyzzy") == (404, "unknown word 'xyzzy'; no known word is close to it")
    assert refused("senses", word="bank:7") == (
        404,
        "'bank' has no sense 7; this model has senses 0 to 1 of every word",
    )
    assert refused("neighbors", word="bank:0", sense=1)[0] == 404
    assert refused("senses", word="bank", model="nope") == (404, "no model 'nope' here; known ones: tiny, one")
    assert refused("disambiguate", word="bank", context="xyzzy")[0] == 404


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("senses", {}, "word is missing: write ...?word=..."),
        ("senses", {"word": ""}, "word is empty: give a word, or a sense such as bank:1"),
        ("senses", {"word": "x" * 201}, "word must have at most 200 characters, got 201"),
        ("neighbors", {"word": "bank", "topn": 201}, "topn must be a whole number from 0 to 200, got '201'"),
        ("neighbors", {"word": "bank", "topn": "1e3"}, "topn must be a whole number from 0 to 200, got '1e3'"),
        ("neighbors", {"word": "bank", "topn": -1}, "topn must be a whole number from 0 to 200, got '-1'"),
        ("neighbors", {"word": "bank", "topn": "9" * 30}, "topn must have at most 20 characters, got 30"),
        (
            "neighbors",
            {"word": "bank", "by": "luck"},
            "by must be one of cosine, kernel, distance, kl, kl-reverse, got 'luck'",
        ),
        ("neighbors", {"word": "bank", "include_own": 2}, "include_own must be a whole number from 0 to 1, got '2'"),
        (
            "neighbors",
            {"word": "bank", "restrict_vocab": 0},
            "restrict_vocab must be a whole number from 1 to 2,147,483,647, got '0'",
        ),
        (
            "neighborhood",
            {"word": "bank", "colour": "red"},
            "unknown parameter 'colour'; accepted: model, word, topn, min_count",
        ),
        ("neighbors", {"word": ["bank", "river"]}, "word is given twice: give it once"),
        ("complete", {"text": "a", "topn": 51}, "topn must be a whole number from 0 to 50, got '51'"),
        ("entails", {"a": "bank", "b": "river", "level": "x"}, "level must be a number, got 'x'"),
        (
            "entails",
            {"a": "bank", "b": "river", "level": 2},
            "level must be above 0 and below 1, got 2.0: the share of unrelated pairs let through",
        ),
        ("words", {"ids": "0,8"}, "ids must be a whole number from 0 to 7, got '8'"),
        ("words", {"ids": ",".join(["0"] * 201)}, "ids must hold at most 200 numbers, got 201"),
        (
            "disambiguate",
            {"word": "bank", "context": "x" * 2001},
            "context must have at most 2,000 characters, got 2,001",
        ),
        (
            "disambiguate",
            {"word": "bank:1", "context": "river"},
            "'bank:1' names a sense already: give the word alone, 'bank'",
        ),
        ("tokens", {"text": "x" * 2001}, "text must have at most 2,000 characters, got 2,001"),
        ("neighborhood", {"word": "bank", "topn": 51}, "topn must be a whole number from 1 to 50, got '51'"),
    ],
)
def test_a_wrong_question_is_400_and_one_line(
    refused: Any, name: str, parameters: dict[str, Any], message: str
) -> None:
    assert refused(name, **parameters) == (400, message)
