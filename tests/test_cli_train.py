"""`w2gm train`: every hyperparameter is an option, a file's values give way, and what it says is the library's."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import click
import pytest

from w2gm.cli.entry import run
from w2gm.cli.hyperparameters import FIELDS, hyperparameters, read_toml
from w2gm.cli.train import train as verb
from w2gm.config import Config, option_of
from w2gm.errors import ConfigError

# A value of each field that is accepted and is not the default.
OTHERS: dict[str, Any] = {
    "tokenizer": "regex:[a-z]+",
    "sentences": "none",
    "encoding_errors": "strict",
    "covariance": "diagonal",
    "recipe": "paper",
    "epochs": 7,
    "max_final_vocab": 1000,
    "min_alpha": 0.002,
    "min_variance": 0.001,
    "max_variance": 50.0,
}
SINGLE_CHOICES = {"energy", "optimizer"}


def other_value(name: str) -> Any:
    default = FIELDS[name].default
    if name in OTHERS:
        return OTHERS[name]
    if name in SINGLE_CHOICES:
        return default
    return not default if isinstance(default, bool) else default * 2 if isinstance(default, float) else default + 1


def spelt(name: str, value: Any, hyphens: bool = True) -> list[str]:
    option = name.replace("_", "-") if hyphens else name
    if isinstance(value, bool):
        return [f"--{option}" if value else f"--no-{option}"]
    return [f"--{option}", str(value)]


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the verb hands to `w2gm.training.train`, filled when it is called; the run ends there."""
    seen: dict[str, Any] = {}

    def spy(text: Any, **settings: Any) -> None:
        seen.update(settings, text=text)
        raise KeyboardInterrupt

    monkeypatch.setattr("w2gm.training.train", spy)
    return seen


def test_every_other_value_is_accepted_and_differs_from_the_default() -> None:
    for name in FIELDS:
        assert name in SINGLE_CHOICES or other_value(name) != FIELDS[name].default
        Config(**{name: other_value(name)})


@pytest.mark.parametrize("hyphens", [True, False], ids=["hyphens", "underscores"])
def test_every_hyperparameter_reaches_the_library_with_its_type(passed: dict[str, Any], hyphens: bool) -> None:
    values = {name: other_value(name) for name in FIELDS}
    options = [word for name, value in values.items() for word in spelt(name, value, hyphens)]
    assert run(["train", "corpus.txt", "-o", "model", *options]) == 130
    received = {name: passed[name] for name in FIELDS}
    assert received == values
    assert {name: type(value) for name, value in received.items()} == {n: type(v) for n, v in values.items()}


def test_what_is_not_given_is_left_to_the_library(passed: dict[str, Any]) -> None:
    assert run(["train", "corpus.txt", "-o", "model"]) == 130
    progress = passed.pop("progress")
    assert type(progress).__name__ == "LineProgress"
    assert passed == {
        "text": "corpus.txt",
        "output": "model",
        "overwrite": False,
        "save_context": True,
        "cache": None,
    }


def test_the_options_of_the_run_reach_the_library(passed: dict[str, Any]) -> None:
    options = ["--overwrite", "--no-context", "--cache", "there", "--quiet"]
    assert run(["train", "-", "-o", "model", *options]) == 130
    assert type(passed.pop("progress")).__name__ == "Progress"
    assert passed == {
        "text": "-",
        "output": "model",
        "overwrite": True,
        "save_context": False,
        "cache": "there",
    }


@pytest.mark.parametrize("name", FIELDS)
def test_the_help_of_every_hyperparameter_is_that_of_config(name: str) -> None:
    (option,) = [parameter for parameter in verb.params if parameter.name == name]
    assert isinstance(option, click.Option)
    assert option.help is not None
    known = option_of(FIELDS[name])
    assert option.help.startswith(known.help)
    if known.choices:
        assert option.metavar == "|".join(known.choices)
    elif known.accepted != "any value":
        assert known.accepted in option.help


def test_the_help_states_the_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["train", "--help"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    for said in ("[at least 1; default: 20]", "default: none]", "[default: spherical]", "default: 1e+06]"):
        assert said in printed
    assert (
        "Passes over the text; none leaves them to the recipe: more for a short text. [at least 1; default: none]"
        in printed
    )
    assert "[default: shrink-windows]" in printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--senses", "0"], "senses must be at least 1 and at most 64, got 0"),
        (["--vector-size", "0"], "vector_size must be at least 1 and at most 8192, got 0"),
        (["--window", "0"], "window must be at least 1 and at most 1000, got 0"),
        (["--alpha", "-0.5"], "alpha must be above 0, got -0.5"),
        (["--alpha", "nan"], "alpha must be above 0, got nan"),
        (["--window", "ten"], "window must be of type int, got 'ten'"),
        (["--window", "2.5"], "window must be of type int, got '2.5'"),
        (["--sample", "some"], "sample must be of type float, got 'some'"),
        (["--covariance", "full"], "covariance must be one of spherical, diagonal, got 'full'"),
        (["--min-count", "none"], "min_count must be of type int, got 'none'"),
        (["--alpha", "0.1", "--min-alpha", "0.2"], "min_alpha must be at most alpha (0.1), got 0.2: "
         "lower it or raise alpha"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused_in_the_words_of_the_library(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["train", str(tmp_path / "missing.txt"), "-o", str(tmp_path / "model"), *options]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", f"w2gm: error: {message}\n")
    assert not list(tmp_path.iterdir())


def test_none_is_spelt_out_where_it_is_accepted() -> None:
    assert hyperparameters(None, {"max_final_vocab": "none"}) == {"max_final_vocab": None}


def test_values_come_from_a_file_and_the_command_line_wins(tmp_path: Path, passed: dict[str, Any]) -> None:
    file = tmp_path / "recipe.toml"
    file.write_text('window = 4\nvector-size = 20\nsample = 0\ncovariance = "diagonal"\nshrink_windows = false\n')
    assert run(["train", "text", "-o", "model", "--config", str(file), "--window", "7", "--shrink-windows"]) == 130
    assert {name: passed[name] for name in FIELDS if name in passed} == {
        "window": 7,
        "vector_size": 20,
        "sample": 0,
        "covariance": "diagonal",
        "shrink_windows": True,
    }


def test_every_hyperparameter_can_come_from_a_file(tmp_path: Path) -> None:
    values = {name: other_value(name) for name in FIELDS}
    file = tmp_path / "recipe.toml"
    file.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items()))
    assert hyperparameters(file, {}) == values


def test_a_file_spells_none_as_text(tmp_path: Path) -> None:
    file = tmp_path / "recipe.toml"
    file.write_text('max_final_vocab = "none"\nsentences = "none"\n')
    assert read_toml(file) == {"max_final_vocab": None, "sentences": "none"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("widnow = 3", "unknown hyperparameter 'widnow': did you mean window?"),
        ("window = 0", "window must be at least 1 and at most 1000, got 0"),
        ('window = "3"', "window must be of type int, got '3'"),
        ("window = true", "window must be of type int, got True"),
        ("vector-size = 3\nvector_size = 3", "gives vector_size twice, with hyphens and with underscores"),
        ("window : 3", "is not TOML"),
        ("window = 3\nwindow = 4", "is not TOML"),
        ("caf\udce9 = 3", "is not TOML"),
    ],
)
def test_a_wrong_file_is_refused(
    tmp_path: Path, content: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "recipe.toml"
    file.write_bytes(content.encode("utf-8", "surrogateescape"))
    assert run(["train", "text", "-o", str(tmp_path / "model"), "--config", str(file)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("name", ["missing.toml", "."])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=r"cannot read .*; --config takes a TOML file"):
        hyperparameters(tmp_path / name, {})


def test_every_field_of_config_is_an_option() -> None:
    names = {parameter.name for parameter in verb.params}
    assert {field.name for field in dataclasses.fields(Config)} <= names
