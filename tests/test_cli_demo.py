"""`w2gm demo` on a tenth of its text: the same way through planting, training and scoring, in a few seconds."""

import functools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from w2gm.cli.entry import run
from w2gm.demo.planted import PlantedCorpus
from w2gm.model import load


@pytest.fixture(autouse=True)
def small_demo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A shorter text, in an empty folder."""
    monkeypatch.setattr("w2gm.demo.experiment.PlantedCorpus", functools.partial(PlantedCorpus, sentences=6000))
    monkeypatch.chdir(tmp_path)


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    assert run(["demo", *arguments]) == 0
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_the_demo_prints_the_senses_and_the_score(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, err = answer(capsys)
    assert re.search(r"^bank:\d ", out, re.MULTILINE)
    assert "planted senses recovered" in out
    assert "100%" in err
    assert [path.name for path in tmp_path.iterdir()] == ["w2gm-demo-model"]


def test_the_demo_as_json_keeps_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = answer(capsys, "--json", "--quiet", "-o", "mine", "--workers", "1", "--seed", "2")
    report: dict[str, Any] = json.loads(out)
    assert err == ""
    assert set(report) == {"recovered", "planted", "seconds", "model"}
    assert 0 <= report["recovered"] <= 1
    assert report["planted"] >= 2 * 24
    assert report["seconds"] > 0
    model = load(report["model"])
    assert report["model"] == "mine"
    assert (model.config.seed, model.config.workers) == (2, 1)


def test_a_second_demo_replaces_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    for seed in ("1", "2"):
        answer(capsys, "--quiet", "--seed", seed)
    assert load("w2gm-demo-model").config.seed == 2


def test_a_folder_that_is_not_a_demo_is_left_alone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "w2gm-demo-model").mkdir()
    (tmp_path / "w2gm-demo-model" / "precious.txt").write_text("mine")
    assert run(["demo", "--quiet"]) in (1, 2)
    error = capsys.readouterr().err
    assert error.startswith("w2gm: error: w2gm-demo-model ")
    assert error.count("\n") == 1
    assert (tmp_path / "w2gm-demo-model" / "precious.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--seed", "-1", "seed must be at least 0 and at most 9.22337e+18, got -1"),
        ("--seed", "x", "seed must be of type int, got 'x'"),
        ("--workers", "-2", "workers must be at least 0, got -2"),
    ],
)
def test_a_wrong_value_is_refused_before_anything_is_made(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, option: str, value: str, message: str
) -> None:
    assert run(["demo", option, value]) == 2
    assert capsys.readouterr().err == f"w2gm: error: {message}\n"
    assert not list(tmp_path.iterdir())
