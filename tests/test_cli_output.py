"""What leaves the command line: any text, in a pipe, on a terminal, and with an encoding that cannot write it."""

import json
import os
import pty
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terminal import pieces, without_styles
from w2gm.cli.output import Marked, visible, write_json, write_table

COMMAND = [sys.executable, "-c", "from w2gm.cli import main; main()"]
ROWS = [["土手", "0.7"], ["river", "0.83"]]


def on_terminal(arguments: list[str], columns: int, encoding: str = "utf-8") -> str:
    """What the command shows on a terminal of that width, without its styles; its exit code must be 0."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": str(columns), "TERM": "xterm", "PYTHONIOENCODING": encoding}
    process = subprocess.Popen([*COMMAND, *arguments], stdout=theirs, stderr=subprocess.PIPE, env=environment)
    os.close(theirs)
    shown = b"".join(pieces(ours))
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")
    return without_styles(shown.decode(encoding))


def in_pipe(arguments: list[str], encoding: str) -> bytes:
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, env=environment, timeout=60, check=True)
    assert done.stderr == b""
    return done.stdout


def test_a_piped_table_is_aligned_by_the_width_of_its_characters(capsys: pytest.CaptureFixture[str]) -> None:
    write_table(["word", "cosine"], [ROWS])
    assert capsys.readouterr().out.splitlines() == ["word   cosine", "土手      0.7", "river    0.83"]


def test_a_piped_table_shortens_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    long = "long" * 500
    write_table(["word"], [[[long]]])
    assert long in capsys.readouterr().out


def test_a_table_without_rows_is_its_header(capsys: pytest.CaptureFixture[str]) -> None:
    write_table(["word", "cosine"], [[]])
    assert capsys.readouterr().out == "word  cosine\n"


def test_a_star_stands_before_what_is_bold_in_a_pipe_and_figures_stay_aligned(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [["WS", Marked.of("73.47", bold=True, underlined=True)], ["SL", "9.31"], ["MC", "n/a"], ["RG", "-"]]
    write_table(["set", "mc"], [rows])
    expected = ["set      mc", "WS   *73.47", "SL     9.31", "MC      n/a", "RG        -"]
    assert capsys.readouterr().out.splitlines() == expected


def test_what_is_marked_is_bold_and_underlined_on_a_terminal() -> None:
    code = (
        "from w2gm.cli.output import Marked, write_table\n"
        "write_table(['mc'], [[[Marked.of('73.47', bold=True)], [Marked.of('9.31', underlined=True)], ['5']]])"
    )
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", code], stdout=theirs, env=os.environ | {"TERM": "xterm"})
    os.close(theirs)
    shown = b"".join(pieces(ours)).decode()
    assert process.wait(timeout=60) == 0
    assert "\x1b[1m73.47\x1b[0m" in shown
    assert "\x1b[4m 9.31\x1b[0m" in shown or "\x1b[4m9.31\x1b[0m" in shown
    assert "*" not in shown


def test_a_table_on_a_terminal_is_drawn_and_folds_what_is_too_wide(tiny_folder: Path) -> None:
    shown = on_terminal(["neighbors", str(tiny_folder), "bank"], columns=80)
    assert "─" in shown
    assert "土手:0" in shown
    narrow = on_terminal(["senses", str(tiny_folder), "bank"], columns=60)
    assert max(map(len, narrow.splitlines())) <= 60
    assert "…" not in narrow
    for word in ("river", "water", "money", "loan"):
        assert word in narrow


def test_a_terminal_without_unicode_shows_escapes(tiny_folder: Path) -> None:
    shown = on_terminal(["neighbors", str(tiny_folder), "bank"], columns=80, encoding="ascii")
    assert "\\u571f\\u624b:0" in shown


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_pipe_without_unicode_gets_escapes(tiny_folder: Path, encoding: str) -> None:
    assert b"\\u571f\\u624b:0" in in_pipe(["neighbors", str(tiny_folder), "bank"], encoding)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8", "utf-16"])
def test_json_is_json_in_every_encoding(tiny_folder: Path, encoding: str) -> None:
    printed = in_pipe(["neighbors", str(tiny_folder), "bank", "--json"], encoding)
    first = json.loads(printed.decode(encoding))[0]
    assert "土手" in [word for word, _, _ in first["neighbors"]]


def test_json_writes_null_for_what_json_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    write_json({"a": [float("nan"), float("inf"), -float("inf"), 0.5], "b": (1, None, True)})
    assert json.loads(capsys.readouterr().out) == {"a": [None, None, None, 0.5], "b": [1, None, True]}


@given(st.text(st.characters(codec=None, categories=None), max_size=30))
def test_visible_text_never_moves_the_cursor_nor_ends_the_line(text: str) -> None:
    shown = visible(text)
    assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")]
    assert len((shown + "|").splitlines()) == 1


@given(st.text(st.characters(categories=["L", "N", "P", "M"]), max_size=30))
def test_visible_text_is_untouched_where_nothing_is_hidden(text: str) -> None:
    assert visible(text) == text
