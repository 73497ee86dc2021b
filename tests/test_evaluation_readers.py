"""Files of test sets with every trap of the real ones, a user's own files, and files that make no sense."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from w2gm.errors import DataError
from w2gm.evaluation import read_analogies, read_entailment, read_pairs, read_scws

Write = Callable[[bytes | str], Path]


@pytest.fixture
def file(tmp_path: Path) -> Write:
    """Write a file and return its path."""

    def write(content: bytes | str) -> Path:
        path = tmp_path / "mine.txt"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.mark.parametrize(
    "text",
    [
        "Tiger\tcat\t7.35\nbook\tpaper\t7.46\n",
        "Tiger\tcat\t7.35\r\nbook\tpaper\t7.46\r\n",
        "Tiger\tcat\t7.35\nbook\tpaper\t7.46",
        "Tiger cat 7.35\nbook  paper 7.46\n",
        "Tiger,cat,7.35\nbook, paper ,7.46",
        '"Tiger","cat","7.35"\n"book","paper","7.46"',
        "Tiger;cat;7.35\nbook;paper;7.46",
        "Tiger\tcat\t7.35\t9\t3\nbook\tpaper\t7.46\t1\t2\n",
        "\n\nTiger\tcat\t7.35\n\nbook\tpaper\t7.46\n\n",
        "word1\tword2\tPOS\tscore\tSD\r\nTiger\tcat\tN\t7.35\t1\r\nbook\tpaper\tN\t7.46\t2\r\n",
        "Word 1,Word 2,Human (mean)\nTiger,cat,7.35\nbook,paper,7.46\n",
        "\ufeffTiger\tcat\t7.35\nbook\tpaper\t7.46\n",
    ],
)
def test_pairs_of_any_separator_with_and_without_header_and_last_line_end(file: Write, text: str) -> None:
    pairs = read_pairs(file(text))
    assert pairs.name == "mine"
    assert pairs.words == [("Tiger", "cat"), ("book", "paper")]
    assert pairs.ratings.tolist() == [7.35, 7.46]
    assert len(pairs) == 2


def test_tabs_allow_spaces_within_a_word_and_a_name_is_kept(file: Write) -> None:
    pairs = read_pairs(file("ice cream\tsundae\t8"), "ICE")
    assert (pairs.name, pairs.words) == ("ICE", [("ice cream", "sundae")])


SEPARATED = "two words and a rating, separated by"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cat\tdog\t7\ncat\tdog\n", f"mine.txt, line 2: expected {SEPARATED} tabs, got 'cat\\tdog'"),
        ("cat dog 7\n\ncat dog far\n", f"mine.txt, line 3: expected {SEPARATED} spaces, got 'cat dog far'"),
        ("cat,dog,7\ncat,dog,nan\n", f"mine.txt, line 2: expected {SEPARATED} commas, got 'cat,dog,nan'"),
        ("cat;dog;7\ncat;;7\n", f"mine.txt, line 2: expected {SEPARATED} semicolons, got 'cat;;7'"),
        ("cat dog\n", f"mine.txt, line 1: expected {SEPARATED} spaces, got 'cat dog'"),
        ("cat dog\ncat cow 3\n", f"mine.txt, line 1: expected {SEPARATED} spaces, got 'cat dog'"),
        ("cat,dog,7\n" + '"' + 140_000 * "x" + '",dog,7', f"mine.txt, line 2: expected {SEPARATED} commas, got "),
        ("", "mine.txt holds no pairs: write two words and a rating on each line"),
        ("one two rating\n", "mine.txt holds no pairs: write two words and a rating on each line"),
        (b"cat dog 7\ncaf\xe9 tea 8", "mine.txt, line 2: not UTF-8 (byte 4 of the line): convert it"),
    ],
)
def test_faulty_pairs_are_named_with_file_and_line(file: Write, text: Any, message: str) -> None:
    with pytest.raises(DataError) as error:
        read_pairs(file(text))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_or_far_too_large_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot read .*nowhere.txt: No such file or directory"):
        read_pairs(tmp_path / "nowhere.txt")
    with (tmp_path / "huge.txt").open("wb") as huge:
        huge.truncate(257 << 20)
    with pytest.raises(DataError, match=r"huge.txt is larger than 256 MB: it is not a test set"):
        read_pairs(tmp_path / "huge.txt")


def scws(
    one: str = "the <b> Bank </b> of the", other: str = "<b>bank</b>", rating: str = "3.5", columns: int = 18
) -> str:
    cells = ["1", "Bank", "n", "bank", "n", one, other, rating, *["1"] * 10]
    return "\t".join(cells[:columns])


def test_scws_takes_the_word_out_of_its_context(file: Write) -> None:
    pairs = read_scws(file(scws() + "\r\n" + scws(other="left <b>  banked</b>right .")))
    assert pairs.words == [("Bank", "bank")] * 2
    assert pairs.ratings.tolist() == [3.5, 3.5]
    assert pairs.contexts is not None
    assert pairs.contexts[0] == ((("the",), ("of", "the")), ((), ()))
    assert pairs.contexts[1][1] == (("left",), ("right", "."))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (scws(columns=17), "line 1: expected 18 columns between tabs, the 8th a rating, got '1\\tBank"),
        (scws(rating="high"), "line 1: expected 18 columns between tabs, the 8th a rating"),
        (scws(one="no mark"), "line 1: expected both contexts with their word inside <b>...</b>"),
        ("", "mine.txt holds no pairs: it is empty, fetch it again"),
    ],
)
def test_faulty_lines_of_scws_are_named(file: Write, text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        read_scws(file(text))
    assert message in str(error.value)


def test_entailment_loses_the_part_of_speech_and_keeps_hyphens(tmp_path: Path) -> None:
    (tmp_path / "positive").write_bytes(b"aircraft-n\tvehicle-n\r\nx-ray-n\tray-n")
    (tmp_path / "negative").write_bytes(b"aircraft-n insect-n\n")
    entailment = read_entailment(tmp_path / "positive", tmp_path / "negative")
    assert entailment.words == [("aircraft", "vehicle"), ("x-ray", "ray"), ("aircraft", "insect")]
    assert entailment.truth.tolist() == [True, True, False]
    assert len(entailment) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cat-n\tanimal-n\ncat-n\n", "negative, line 2: expected two words, got 'cat-n'"),
        ("-n\tanimal-n\n", "negative, line 1: expected two words, got '-n"),
        ("\n", "negative holds no pairs: it is empty, fetch it again"),
    ],
)
def test_faulty_lines_of_entailment_are_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "positive").write_text("cat-n\tanimal-n\n")
    (tmp_path / "negative").write_text(text)
    with pytest.raises(DataError) as error:
        read_entailment(tmp_path / "positive", tmp_path / "negative")
    assert message in str(error.value)


def test_analogies_belong_to_sections(file: Write) -> None:
    analogies = read_analogies(file(": capitals\r\nAthens Greece Rome Italy\r\n: gram1-x\r\ngood well bad badly"))
    assert analogies.words == [("Athens", "Greece", "Rome", "Italy"), ("good", "well", "bad", "badly")]
    assert analogies.sections == ["capitals", "gram1-x"]
    assert len(analogies) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (": s\na b c\n", "mine.txt, line 2: expected four words, or a line ': section', got 'a b c'"),
        ("a b c d\n", "mine.txt, line 1: expected a line ': section' before the first question, got 'a b c d'"),
        (":  \na b c d\n", "mine.txt, line 1: expected the name of a section after ':', got ':  '"),
        (": s\n", "mine.txt holds no questions: write ': section', then four words on each line"),
    ],
)
def test_faulty_lines_of_analogies_are_named(file: Write, text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        read_analogies(file(text))
    assert message in str(error.value)
