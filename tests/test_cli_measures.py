"""`w2gm similarity`, `entails` and `analogy` on a small model whose answers are known."""

import io
import re
from pathlib import Path
from typing import Any

import click
import pytest

from w2gm.cli.entry import run
from w2gm.cli.verbs import group
from w2gm.model import Model
from w2gm.query.analogy import ANSWERS, METHODS
from w2gm.query.entailment import calibrate
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


def test_entails_as_json_is_what_the_library_says(answer: Any, tiny_folder: Path, tiny_model: Model) -> None:
    found = answer("entails", tiny_folder, "money", "bank:1", "--json")
    expected = tiny_model.entailment("money", "bank:1")
    assert found == {
        "score": expected.score,
        "reverse": expected.reverse,
        "direction": expected.direction,
        "entails": expected.entails,
        "senses": list(expected.senses),
        "threshold": expected.threshold,
        "chance": expected.chance,
    }
    assert found["direction"] == "money entails bank:1"
    assert answer("entails", tiny_folder, "bank:1", "money", "--json")["direction"] == "money entails bank:1"


def test_entails_as_text_answers_both_questions(answer: Any, tiny_folder: Path, tiny_model: Model) -> None:
    header, there, back = answer("entails", tiny_folder, "river:0", "土手:1", "--threshold", "-3").splitlines()
    assert header.split() == ["question", "score", "threshold", "chance", "senses", "verdict"]
    for line, pair in ((there, ("river:0", "土手:1")), (back, ("土手:1", "river:0"))):
        expected = tiny_model.entailment(*pair, threshold=-3)
        question = f"{pair[0]} entails {pair[1]}"
        cells = [f"{expected.score:.3f}", "-3.000", f"{expected.chance:.4f}", " in ".join(expected.senses)]
        assert line.split() == " ".join([question, *cells, "yes" if expected.entails else "no"]).split()
    assert (there.endswith("yes"), back.endswith("yes")) == (True, False)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--level", "1", "level must be above 0 and below 1, got 1.0: the share of unrelated pairs let through"),
        ("--level", "few", "level must be a number, got 'few'"),
        ("--threshold", "low", "threshold must be a number, got 'low'"),
    ],
)
def test_a_number_that_cannot_be_is_a_wrong_call(
    refusal: Any, tiny_folder: Path, option: str, value: str, message: str
) -> None:
    assert refusal("entails", tiny_folder, "river", "bank", option, value) == (2, message)


def test_labelled_pairs_choose_the_threshold(
    answer: Any, tiny_folder: Path, tiny_model: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_bytes("\ufeffmoney\tbank:1\t1\r\n\r\nriver loan 0\nriver nosuchword 1\n土手:0 bank:1 0".encode())
    found = answer("entails", tiny_folder, "money", "bank:1", "--labelled", file, "--json")
    expected = calibrate(tiny_model, [("money", "bank:1"), ("river", "loan"), ("土手:0", "bank:1")], [1, 0, 0])
    assert found["calibration"] == {"pairs": 4, "found": 3, **expected._asdict()}
    assert found["threshold"] == expected.threshold
    assert found["entails"]
    assert run(["entails", str(tiny_folder), "money", "bank:1", "--labelled", str(file)]) == 0
    printed = capsys.readouterr()
    assert printed.err == "w2gm: 3 of 4 labelled pairs are known; the threshold is right for 100.0%\n"
    assert f"{expected.threshold:.3f}" in printed.out


def test_labelled_pairs_can_be_piped_in(answer: Any, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"money bank:1 1\nriver loan 0\n"), "utf-8"))
    found = answer("entails", tiny_folder, "money", "bank:1", "--labelled", "-", "--json")
    assert found["calibration"]["found"] == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a b 1\n\nbank loan", "{file}, line 3: two words and 1 or 0 are needed, got 'bank loan'"),
        (b"a b yes\n", "{file}, line 1: two words and 1 or 0 are needed, got 'a b yes'"),
        (b"a b c 1\n", "{file}, line 1: two words and 1 or 0 are needed, got 'a b c 1'"),
        (b"a b 1\n\xff\n", "{file} is not UTF-8 (byte 6): save it as UTF-8"),
    ],
)
def test_a_line_that_is_no_labelled_pair_is_named(
    refusal: Any, tiny_folder: Path, tmp_path: Path, content: bytes, message: str
) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_bytes(content)
    assert refusal("entails", tiny_folder, "a", "b", "--labelled", file) == (1, message.format(file=file))


def test_labelled_pairs_that_teach_nothing_are_refused(refusal: Any, tiny_folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_text("money bank 1\nmoney nosuchword 0\n")
    message = "calibration needs pairs that entail and pairs that do not, got 1 of one kind"
    assert refusal("entails", tiny_folder, "money", "bank", "--labelled", file) == (2, message)
    message = "give either --threshold or --labelled, not both: labelled pairs choose a threshold"
    options = ["--labelled", file, "--threshold", "-3"]
    assert refusal("entails", tiny_folder, "money", "bank", *options) == (2, message)
    missing = tmp_path / "missing.tsv"
    message = f"the system says: No such file or directory: {missing}"
    assert refusal("entails", tiny_folder, "money", "bank", "--labelled", missing) == (1, message)


@pytest.mark.parametrize("answers", ["senses", "words"])
def test_analogy_as_json_is_what_the_library_says(
    answer: Any, tiny_folder: Path, tiny_model: Model, answers: str
) -> None:
    question = ("money", "bank:1", "water")
    options = ["--method", "mul", "--answers", answers, "--topn", "3", "--restrict-vocab", "7"]
    found = answer("analogy", tiny_folder, *question, *options, "--json")
    expected = tiny_model.analogy(*question, method="mul", answers=answers, topn=3, restrict_vocab=7)
    assert found == [list(one) for one in expected]
    assert len(found) == 3
    assert "土手" not in [word for word, _, _ in found], "the eighth word"


def test_analogy_as_text_is_the_same(answer: Any, tiny_folder: Path) -> None:
    question = ["money", "bank:1", "water"]
    for options, name in (([], "{0}:{1}"), (["--answers", "words"], "{0}")):
        found = answer("analogy", tiny_folder, *question, *options, "--json")
        header, *rows = rows_of(answer("analogy", tiny_folder, *question, *options))
        assert header == ["answer", "score"]
        assert rows == [[name.format(word, sense), f"{score:.3f}"] for word, sense, score in found]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--method", "cosadd", "method must be add or mul, got 'cosadd'"),
        ("--answers", "both", "answers must be senses or words, got 'both'"),
        ("--topn", "-1", "topn must be at least 0, got -1"),
        ("--topn", "few", "topn must be a whole number, got 'few'"),
        ("--restrict-vocab", "0", "restrict_vocab must be at least 1, got 0"),
    ],
)
def test_an_option_of_analogy_that_cannot_be_is_a_wrong_call(
    refusal: Any, tiny_folder: Path, option: str, value: str, message: str
) -> None:
    assert refusal("analogy", tiny_folder, "river", "bank", "money", option, value) == (2, message)


def test_an_unknown_word_of_an_analogy_is_one_line(refusal: Any, tiny_folder: Path) -> None:
    unknown = (1, "unknown word 'rivver'; closest known words: river")
    assert refusal("analogy", tiny_folder, "bank", "money", "rivver") == unknown


@pytest.mark.parametrize(
    ("verb", "option", "accepted"),
    [("similarity", "measure", MEASURES), ("analogy", "method", METHODS), ("analogy", "answers", ANSWERS)],
)
def test_the_help_names_all_that_is_accepted(verb: str, option: str, accepted: tuple[str, ...]) -> None:
    command = group.get_command(click.Context(group), verb)
    assert command
    (chosen,) = (one for one in command.params if isinstance(one, click.Option) and one.name == option)
    words = re.split(r"[ ,|.:]+", f"{chosen.metavar} {chosen.help}")
    assert set(accepted) <= set(words)


@pytest.mark.parametrize("verb", ["similarity", "entails"])
def test_an_unknown_word_or_sense_on_either_side_is_one_line(refusal: Any, tiny_folder: Path, verb: str) -> None:
    unknown = (1, "unknown word 'rivver'; closest known words: river")
    assert refusal(verb, tiny_folder, "rivver", "bank") == refusal(verb, tiny_folder, "bank", "rivver") == unknown
    message = "'bank' has no sense 2; this model has senses 0 to 1 of every word"
    assert refusal(verb, tiny_folder, "river", "bank:2") == (1, message)
