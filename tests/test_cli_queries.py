"""`w2gm info`, `neighbors` and `senses` on a small model whose answers are known."""

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from test_model import make_model
from w2gm.cli.neighbors import COLUMNS
from w2gm.config import Config
from w2gm.model import Model, load
from w2gm.query.similar import MEASURES

QUESTIONS = [
    ["info"],
    ["neighbors", "bank"],
    ["senses", "bank"],
    ["similarity", "bank", "river"],
    ["entails", "bank", "river"],
    ["analogy", "bank", "river", "money"],
]


def test_info_as_json_tells_what_the_model_is(answer: Any, tiny_folder: Path, tiny_model: Model) -> None:
    facts = answer("info", tiny_folder, "--json")
    assert {name: facts[name] for name in ("words", "senses", "vector_size", "covariance", "context")} == {
        "words": 8,
        "senses": 2,
        "vector_size": 4,
        "covariance": "spherical",
        "context": False,
    }
    assert Config.from_dict(facts["config"]) == tiny_model.config
    assert facts["provenance"] == tiny_model.provenance


def test_info_as_text_holds_every_fact_on_a_line_of_its_own(answer: Any, tiny_folder: Path) -> None:
    lines = {line.split()[0]: line.split(maxsplit=1)[1] for line in answer("info", tiny_folder).splitlines()}
    assert lines["words"] == "8"
    assert lines["config.seed"] == "7"
    assert lines["provenance.tokens"] == "1,145"
    assert lines["provenance.corpus.sentences"] == "100"
    assert lines["config.max_final_vocab"] == "none"


def test_neighbors_as_json_are_those_of_the_library(answer: Any, tiny_folder: Path, tiny_model: Model) -> None:
    entries = answer("neighbors", tiny_folder, "bank", "--json", "--topn", "3")
    assert [entry["sense"] for entry in entries] == [0, 1]
    assert [entry["weight"] for entry in entries] == pytest.approx([0.25, 0.75])
    assert [entry["variance"] for entry in entries] == pytest.approx([0.1, 0.2])
    for entry in entries:
        expected = tiny_model.most_similar("bank", sense=entry["sense"], topn=3)
        assert [tuple(neighbor) for neighbor in entry["neighbors"]] == expected
    assert entries[0]["neighbors"][0][0] == "river"
    assert entries[1]["neighbors"][0][0] == "money"


def test_neighbors_of_one_sense_are_that_entry_alone(answer: Any, tiny_folder: Path) -> None:
    both = answer("neighbors", tiny_folder, "bank", "--json")
    assert answer("neighbors", tiny_folder, "bank:1", "--json") == both[1:]


def test_neighbors_as_text_are_the_same_as_in_json(answer: Any, tiny_folder: Path) -> None:
    entries = answer("neighbors", tiny_folder, "bank", "--json")
    header, *lines = answer("neighbors", tiny_folder, "bank").splitlines()
    assert header.split() == ["sense", "weight", "neighbor", "cosine"]
    assert [line.split() for line in lines] == [
        [f"bank:{entry['sense']}", f"{entry['weight']:.2f}", f"{word}:{sense}", f"{cosine:.3f}"]
        for entry in entries
        for word, sense, cosine in entry["neighbors"]
    ]


def test_neighbors_can_be_limited_to_frequent_words(answer: Any, tiny_folder: Path) -> None:
    (entry,) = answer("neighbors", tiny_folder, "bank:0", "--json", "--restrict-vocab", "3")
    assert {word for word, _, _ in entry["neighbors"]} == {"the", "river"}


def test_neighbors_can_include_the_word_itself_and_every_sense(answer: Any, tiny_folder: Path) -> None:
    options = ["--json", "--include-own", "--no-merge-senses", "--topn", "100"]
    (entry,) = answer("neighbors", tiny_folder, "bank:0", *options)
    found = {(word, sense) for word, sense, _ in entry["neighbors"]}
    assert ("bank", 1) in found
    assert len(found) == 15


@pytest.mark.parametrize("by", ["cosine", "kernel", "distance", "kl", "kl-reverse"])
def test_neighbors_by_every_measure_are_those_of_the_library(
    answer: Any, tiny_folder: Path, tiny_model: Model, by: str
) -> None:
    entries = answer("neighbors", tiny_folder, "bank", "--by", by, "--json")
    for entry in entries:
        expected = tiny_model.most_similar("bank", sense=entry["sense"], by=by)
        assert [tuple(neighbor) for neighbor in entry["neighbors"]] == expected
    header, *lines = answer("neighbors", tiny_folder, "bank", "--by", by).splitlines()
    assert header.split()[:3] == ["sense", "weight", "neighbor"]
    assert [float(line.split()[3]) for line in lines] == pytest.approx(
        [score for entry in entries for _, _, score in entry["neighbors"]], abs=6e-4
    )


def test_the_measures_are_those_of_the_library() -> None:
    assert tuple(COLUMNS) == MEASURES


def test_several_words_are_answered_in_their_order(answer: Any, tiny_folder: Path) -> None:
    words = ["bank", "guitar:1"]
    several = answer("neighbors", tiny_folder, *words, "--json")
    assert several == [{"word": w, "senses": answer("neighbors", tiny_folder, w, "--json")} for w in words]
    firsts = [line.split()[0] for line in answer("neighbors", tiny_folder, *words, "--topn", "1").splitlines()]
    assert firsts == ["sense", "bank:0", "bank:1", "guitar:1"]


def test_sums_of_words_are_those_of_the_library(answer: Any, tiny_folder: Path, tiny_model: Model) -> None:
    options = ["--positive", "bank", "--positive", "0.5*water", "--negative", "money:0"]
    found = answer("neighbors", tiny_folder, *options, "--json")["neighbors"]
    expected = tiny_model.most_similar(positive=["bank", ("water", 0.5)], negative=["money:0"])
    assert [tuple(neighbor) for neighbor in found] == expected
    header, first, *_ = answer("neighbors", tiny_folder, *options).splitlines()
    assert header.split() == ["neighbor", "cosine"]
    assert first.split() == [f"{expected[0][0]}:{expected[0][1]}", f"{expected[0][2]:.3f}"]
    (whole,) = answer("neighbors", tiny_folder, "--positive", "bank", "--by", "kernel", "--json").values()
    assert [tuple(neighbor) for neighbor in whole] == tiny_model.most_similar("bank", by="kernel")


def test_a_vector_is_read_from_a_file_or_standard_input(
    answer: Any, tiny_folder: Path, tiny_model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vector").write_text("[1, 0.5,\n-0.25, 1e-1]\n")
    vector = np.array([1, 0.5, -0.25, 0.1])
    by_file = answer("neighbors", tiny_folder, "--positive", f"@{tmp_path / 'vector'}", "--by", "distance", "--json")
    expected = tiny_model.most_similar(positive=vector, by="distance")
    assert [tuple(neighbor) for neighbor in by_file["neighbors"]] == expected
    monkeypatch.setattr("sys.stdin", io.StringIO("1 0.5 -0.25 0.1"))
    by_input = answer("neighbors", tiny_folder, "--positive", "bank", "--negative", "-2*@-", "--json")
    expected = tiny_model.most_similar(positive="bank", negative=[(vector, -2.0)])
    assert [tuple(neighbor) for neighbor in by_input["neighbors"]] == expected


def test_a_word_that_looks_like_a_term_is_a_word(answer: Any, tmp_path: Path) -> None:
    model = make_model(["@home", "2*x", "a", "b"])
    model.save(tmp_path / "model")
    for word in ("@home", "2*x"):
        found = answer("neighbors", tmp_path / "model", "--positive", word, "--json")["neighbors"]
        assert [tuple(neighbor) for neighbor in found] == model.most_similar(word)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to compare with: give a word, --positive or --negative"),
        (["bank", "--positive", "river"], "give either words, or --positive and --negative, not both"),
        (["bank", "--by", "dot"], "by must be one of cosine, kernel, distance, kl, kl-reverse, got 'dot'"),
        (["bank", "--min-count", "x"], "min_count must be a whole number, got 'x'"),
        (
            ["--positive", "@no-such-file"],
            "cannot read the vector no-such-file: No such file or directory: give a file of numbers",
        ),
        (["--positive", "@{words}"], "{words} is not a vector: could not convert string to float: 'one': "
         "give numbers separated by blanks or commas"),
        (["--positive", "@{short}"], "a vector must have shape (4,), got (2,)"),
    ],
)  # fmt: skip
def test_a_question_that_cannot_be_is_refused(
    refusal: Any, tiny_folder: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    files = {"words": tmp_path / "words", "short": tmp_path / "short"}
    files["words"].write_text("one two")
    files["short"].write_text("1 2")
    arguments = [argument.format(**files) for argument in arguments]
    assert refusal("neighbors", tiny_folder, *arguments) == (2, message.format(**files))


def test_senses_as_json_carry_weight_variance_and_label(answer: Any, tiny_folder: Path) -> None:
    water, finance = answer("senses", tiny_folder, "bank", "--json")
    assert (water["sense"], finance["sense"]) == (0, 1)
    assert (water["weight"], finance["weight"]) == (pytest.approx(0.25), pytest.approx(0.75))
    assert (water["variance"], finance["variance"]) == (pytest.approx(0.1), pytest.approx(0.2))
    assert (water["log_variance"], finance["log_variance"]) == pytest.approx(np.log((0.1, 0.2)))
    assert set(water["label"][:3]) == {"river", "water", "土手"}
    assert set(finance["label"][:2]) == {"money", "loan"}
    assert len(water["label"]) == len(finance["label"]) == 4


def test_senses_as_text_are_one_line_each(answer: Any, tiny_folder: Path) -> None:
    header, first, second = answer("senses", tiny_folder, "bank").splitlines()
    assert header.split() == ["sense", "weight", "variance", "log-variance", "wider", "than", "label"]
    assert first.startswith("bank:0    0.25       0.1         -2.30  0%          river, ")
    assert second.startswith("bank:1    0.75       0.2         -1.61  43%         money, ")


def test_senses_of_one_sense_are_one_line(answer: Any, tiny_folder: Path) -> None:
    assert [sense["sense"] for sense in answer("senses", tiny_folder, "bank:1", "--json")] == [1]


@pytest.mark.parametrize("verb", ["neighbors", "senses"])
def test_an_unknown_word_names_the_closest_known_ones(refusal: Any, tiny_folder: Path, verb: str) -> None:
    assert refusal(verb, tiny_folder, "rivver") == (1, "unknown word 'rivver'; closest known words: river")


@pytest.mark.parametrize("verb", ["neighbors", "senses"])
def test_a_sense_the_word_has_not_is_an_error(refusal: Any, tiny_folder: Path, verb: str) -> None:
    message = "'bank' has no sense 2; this model has senses 0 to 1 of every word"
    assert refusal(verb, tiny_folder, "bank:2") == (1, message)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--topn", "many", "topn must be a whole number, got 'many'"),
        ("--min-count", "0", "min_count must be at least 1, got 0"),
        ("--topn", "-1", "topn must be at least 0, got -1"),
        ("--restrict-vocab", "0", "restrict_vocab must be at least 1, got 0"),
        ("--restrict-vocab", "1e4", "restrict_vocab must be a whole number, got '1e4'"),
    ],
)
def test_a_number_that_cannot_be_is_refused(
    refusal: Any, tiny_folder: Path, option: str, value: str, message: str
) -> None:
    assert refusal("neighbors", tiny_folder, "bank", option, value) == (2, message)


@pytest.mark.parametrize("verb", ["info", "neighbors", "senses"])
def test_a_missing_model_is_one_line(refusal: Any, tmp_path: Path, verb: str) -> None:
    word = [] if verb == "info" else ["bank"]
    code, message = refusal(verb, tmp_path / "nothing", *word)
    assert code == 1
    assert message.startswith(f"no model at {tmp_path / 'nothing'}")


@pytest.mark.parametrize(
    "arguments", [["info"], ["neighbors", "bank"], ["senses", "bank"], ["similarity", "bank", "river"]], ids=" ".join
)
def test_a_question_does_not_wait_for_the_compiler(tiny_folder: Path, arguments: list[str]) -> None:
    verb, *word = arguments
    code = (
        f"import sys\nfrom w2gm.cli.entry import run\nrun({[verb, str(tiny_folder), *word]!r})\nprint(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.splitlines()[-1].split()}
    assert "numpy" in loaded
    assert not loaded & {"numba", "llvmlite", "scipy", "usearch"}


def test_the_tiny_model_survives_the_folder(tiny_folder: Path, tiny_model: Model) -> None:
    assert load(tiny_folder).means.tolist() == tiny_model.means.tolist()
