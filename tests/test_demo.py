"""The demo from seed to table: senses are found in a few seconds, and nobody's model is lost to it."""

import re
from pathlib import Path

import pytest
from rich.console import Console

import w2gm
from w2gm.config import Config
from w2gm.demo import DEMO_SETTINGS, Component, DemoResult, PlantedCorpus, run, score, senses_table, table
from w2gm.errors import StorageError, W2gmError
from w2gm.model import Model


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> DemoResult:
    return run(seed=2, output=tmp_path_factory.mktemp("demo") / "model")


@pytest.fixture(scope="module")
def model(result: DemoResult) -> Model:
    return w2gm.load(result.model_path)


# The run


def test_the_demo_recovers_the_planted_senses(result: DemoResult) -> None:
    assert result.planted == 58
    assert result.recovered >= 0.95
    assert result.recovered == 1 - len(result.missed) / 58


def test_the_saved_model_is_the_one_that_was_scored(result: DemoResult, model: Model) -> None:
    again = score(model, PlantedCorpus(seed=2))
    assert (again.recovered, again.missed) == (result.recovered, result.missed)
    assert [row.neighbors for row in again.rows] == [row.neighbors for row in result.rows]
    assert {name: getattr(model.config, name) for name in DEMO_SETTINGS} == dict(DEMO_SETTINGS)


def test_a_general_word_is_mostly_wider_than_its_narrower_ones(model: Model) -> None:
    def average_variance(word: str) -> float:
        number = model.key_to_index[word]
        return float(model.weights[number] @ model.variances[number])

    pairs = [(wide, narrow) for wide, row in PlantedCorpus().hypernyms.items() for narrow in row]
    wider = [average_variance(wide) > average_variance(narrow) for wide, narrow in pairs]
    assert sum(wider) > 0.9 * len(pairs)


def test_one_component_per_word_cannot_recover_half(tmp_path: Path) -> None:
    corpus = PlantedCorpus(seed=2)
    settings = {**DEMO_SETTINGS, "senses": 1, "epochs": 2}
    assert score(w2gm.train(corpus, seed=2, **settings), corpus).recovered < 0.5


def test_the_settings_are_hyperparameters() -> None:
    assert Config.from_dict(dict(DEMO_SETTINGS)).senses == DEMO_SETTINGS["senses"]


# Where the model goes


class TrainingStartedError(Exception):
    pass


@pytest.fixture
def no_training(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """`train` notes whether it may overwrite, and stops there."""
    asked: list[bool] = []

    def train(text: object, *, overwrite: bool, **rest: object) -> None:
        asked.append(overwrite)
        raise TrainingStartedError

    monkeypatch.setattr("w2gm.training.train", train)
    return asked


def test_the_model_of_an_earlier_demo_is_replaced(result: DemoResult, no_training: list[bool]) -> None:
    with pytest.raises(TrainingStartedError):
        run(seed=3, output=result.model_path)
    assert no_training == [True]


def test_a_model_that_is_no_demo_is_refused(tiny_folder: Path, no_training: list[bool]) -> None:
    with pytest.raises(StorageError, match=r"tiny exists and is not the model of a demo: choose another output"):
        run(output=tiny_folder)
    assert not no_training


def test_a_folder_with_other_files_is_refused_and_kept(tmp_path: Path, no_training: list[bool]) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(StorageError, match="exists and is not the model of a demo"):
        run(output=tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"
    assert not no_training


@pytest.mark.parametrize(("name", "overwrite"), [("empty", True), ("new", False)])
def test_an_empty_or_new_folder_is_taken(name: str, overwrite: bool, tmp_path: Path, no_training: list[bool]) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(TrainingStartedError):
        run(output=tmp_path / name)
    assert no_training == [overwrite]


def test_a_file_in_the_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("something")
    with pytest.raises(W2gmError, match="exists and is not a folder"):
        run(output=tmp_path / "file")


# The table

ROWS = (
    Component("bank", 0, 0.52, 0.05, ("river", "water", "shore", "mud", "reed", "trout", "otter"), "river", True),
    Component("bank", 1, 0.31, 0.05, ("money", "loan", "debt", "credit", "market", "bond", "fund"), "finance", True),
    Component("bank", 2, 0.17, 0.09, ("soup", "bread", "oven", "sauce", "flour", "garlic", "pan"), "kitchen", False),
    Component("rock", 0, 1.0, 0.07, ("the", "of", "a", "and", "in", "by", "was"), None, False),
)
SMALL = DemoResult(0.5, 4, 12.4, Path("some/model"), ROWS, (("rock", "geology"), ("rock", "music")))


def test_the_table_shows_components_of_a_topic_and_marks_the_planted_topics() -> None:
    lines = table(SMALL).splitlines()
    assert lines[0].split() == ["sense", "weight", "topic", "found", "nearest", "neighbours"]
    shown = [line.split() for line in lines if re.match(r"(bank|rock):", line)]
    assert shown == [
        ["bank:0", "0.52", "*", "river", "river", "water", "shore", "mud", "reed", "trout"],
        ["bank:1", "0.31", "*", "finance", "money", "loan", "debt", "credit", "market", "bond"],
        ["bank:2", "0.17", "kitchen", "soup", "bread", "oven", "sauce", "flour", "garlic"],
    ]


def test_the_score_the_misses_and_the_place_stand_below() -> None:
    assert table(SMALL).splitlines()[-4:] == [
        "2 of 4 planted senses recovered (50.0%)",
        "1 of 4 components belong to no topic and are not shown",
        "missed: rock (geology), rock (music)",
        "12 s; the model is in some/model",
    ]


def test_nothing_is_said_of_misses_when_there_are_none() -> None:
    assert "missed" not in table(DemoResult(1.0, 2, 9.0, Path("m"), ROWS[:2], ()))


def test_the_table_is_plain_text_of_at_most_a_hundred_columns(result: DemoResult) -> None:
    text = table(result)
    assert text.isascii()
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 100
    assert all((f"{row.word}:{row.sense} " in text) == (row.topic is not None) for row in result.rows)


@pytest.mark.parametrize("width", [60, 80])
def test_a_narrow_table_folds_neighbours_and_loses_none(width: int) -> None:
    text = table(SMALL, width=width)
    assert max(map(len, text.splitlines())) <= width
    for row in ROWS[:3]:
        assert all(neighbor in text for neighbor in row.neighbors[:6])


def test_the_rich_table_has_a_row_per_component() -> None:
    drawn = senses_table(ROWS)
    assert drawn.row_count == 4
    assert [column.header for column in drawn.columns] == ["sense", "weight", "topic found", "nearest neighbours"]
    Console(quiet=True).print(drawn)
