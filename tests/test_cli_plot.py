"""`w2gm plot`: each figure from the command line, what it prints, and how it refuses."""

from pathlib import Path
from typing import Any

import pytest

from w2gm import plotting
from w2gm.cli.plot import TAKES
from w2gm.model import Model, load

HISTORY = {"tokens": [100, 250], "loss": [0.9, 0.7], "learning_rate": [0.05, 0.03]}


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    file = tmp_path / "mine.csv"
    file.write_text("bank,river,3\nbank,money,8\nriver,water,9\nguitar,loan,1\n")
    return file


@pytest.fixture
def trained(tiny_model: Model, tmp_path: Path) -> Path:
    model = Model(
        tiny_model.vocabulary, tiny_model.mixtures, config=tiny_model.config, provenance={"history": HISTORY}
    )
    model.save(tmp_path / "trained")
    return tmp_path / "trained"


def test_words_are_drawn_by_default(answer: Any, tiny_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "bank.svg"
    assert answer("plot", tiny_folder, "bank", "river:0", "-o", out) == f"{out}\n"
    plotting.save(plotting.senses(load(tiny_folder), ["bank", "river:0"]), tmp_path / "library.svg")
    assert out.read_bytes() == (tmp_path / "library.svg").read_bytes()


def test_json_tells_what_was_written(answer: Any, tiny_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "bank.PNG"
    told = answer("plot", tiny_folder, "bank", "-o", out, "--neighbors", "2", "--deviations", "1.5", "--json")
    assert told == {
        "file": str(out), "figure": "senses", "format": "png", "bytes": out.stat().st_size,
        "model": str(tiny_folder), "words": ["bank"], "neighbors": 2, "deviations": 1.5,
    }  # fmt: skip


def test_every_option_of_the_senses_reaches_the_figure(answer: Any, tiny_folder: Path, tmp_path: Path) -> None:
    answer(
        "plot", tiny_folder, "bank", "-o", tmp_path / "a.svg", "--before", tiny_folder, "--neighbors", "2",
        "--plane", "model", "--deviations", "2",
    )  # fmt: skip
    model = load(tiny_folder)
    figure = plotting.senses(model, ["bank"], before=model, neighbors=2, plane="model", deviations=2.0)
    plotting.save(figure, tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_the_other_figures(answer: Any, trained: Path, pairs: Path, tmp_path: Path) -> None:
    from w2gm.evaluation import read_pairs

    model = load(trained)
    rated = read_pairs(pairs)
    for call, figure in (
        (["bank", "--figure", "variance"], plotting.variance(model, ["bank"])),
        (["--figure", "training"], plotting.training(model)),
        (["--figure", "similarity", "--pairs", pairs], plotting.similarity(model, rated)),
        (
            ["--figure", "similarity", "--pairs", pairs, "--measure", "kl", "--case", "keep", "--label", "1"],
            plotting.similarity(model, rated, "kl", case="keep", label=1),
        ),
    ):
        answer("plot", trained, *call, "-o", tmp_path / "a.svg")
        plotting.save(figure, tmp_path / "b.svg")
        assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_set_of_the_paper_is_read_from_the_data_folder(answer: Any, tiny_folder: Path, tmp_path: Path) -> None:
    from small_sets import write_small_sets

    write_small_sets(tmp_path / "sets")
    (tmp_path / "vectors.txt").write_text("cup 1 2 3\nmug 1 2 2\ncat -1 0 3\ndog -1 1 2\ntea 0 3 1\ndrink 0 4 1\n")
    call = ("--figure", "similarity", "--set", "WS", "--data", tmp_path / "sets", "-o", tmp_path / "ws.pdf")
    assert answer("plot", tmp_path / "vectors.txt", *call, "--json")["set"] == "WS"
    assert (tmp_path / "ws.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("call", "code", "message"),
    [
        (["bank", "-o", "a.gif"], 2, "a figure's name must end in .png, .svg or .pdf, got 'a.gif'"),
        (["-o", "a.png"], 2, "no words to draw: give at least one, such as bank or bank:1"),
        (["bank", "-o", "none/a.png"], 1, "cannot write none/a.png: No such file or directory"),
        (["bnak", "-o", "a.png"], 1, "unknown word 'bnak'"),
        (["bank", "-o", "a.png", "--figure", "map"], 2, "figure must be one of senses, variance, similarity,"),
        (["bank", "-o", "a.png", "--neighbors", "few"], 2, "neighbors must be a whole number, got 'few'"),
        (["bank", "-o", "a.png", "--deviations", "far"], 2, "deviations must be a number, got 'far'"),
        (["--figure", "training", "-o", "a.png"], 1, "the model has no history of its training"),
        (["bank", "--figure", "training", "-o", "a.png"], 2, "the figure training takes no words: leave it out"),
        (["--figure", "variance", "--plane", "model", "-o", "a.png"], 2,
         "the figure variance takes no --plane: leave it out, or choose --figure senses"),
        (["--figure", "similarity", "-o", "a.png"], 2, "the figure similarity takes either --set NAME or --pairs"),
        (["--figure", "similarity", "--set", "WS", "--pairs", "x", "-o", "a.png"], 2,
         "the figure similarity takes either --set NAME or --pairs FILE"),
        (["--figure", "similarity", "--set", "WS", "--data", "none", "-o", "a.png"], 1, "no WS in none"),
        (["--figure", "similarity", "--pairs", "none.csv", "-o", "a.png"], 1, "cannot read none.csv"),
    ],
)  # fmt: skip
def test_refusals(
    refusal: Any, tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: list[str], code: int,
    message: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    exit_code, said = refusal("plot", tiny_folder, *call)
    assert (exit_code, said[: len(message)]) == (code, message)
    assert not list(tmp_path.iterdir())


def test_two_sets_are_refused(refusal: Any, tiny_folder: Path, tmp_path: Path) -> None:
    from small_sets import write_small_sets

    write_small_sets(tmp_path / "sets")
    call = ("--figure", "similarity", "--set", "WS,RG", "--data", tmp_path / "sets", "-o", tmp_path / "a.png")
    assert refusal("plot", tiny_folder, *call) == (
        2, "the figure similarity takes one set, got 'WS,RG': give one name, such as WS",
    )  # fmt: skip


def test_every_option_belongs_to_a_figure() -> None:
    from w2gm.cli.plot import plot

    options = {parameter.name for parameter in plot.params} - {"model", "output", "figure", "as_json"}
    assert options == {name for names in TAKES.values() for name in names}
