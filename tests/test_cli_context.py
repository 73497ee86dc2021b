"""`w2gm disambiguate` and `w2gm tag` on a small model whose answers are known."""

import dataclasses
import gzip
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from w2gm.cli.entry import run
from w2gm.config import Config
from w2gm.model import Mixtures, Model, load

Call = Callable[..., tuple[int, str, str]]
COMMAND = [sys.executable, "-c", "from w2gm.cli import main; main()"]


@pytest.fixture(scope="module")
def bank(tiny_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model with one table for both roles, no subsampling, and a single real sense for all but `bank`."""
    folder = tmp_path_factory.mktemp("context") / "bank"
    config = Config(senses=2, vector_size=4, sample=0.0, separate_output=False)
    Model(tiny_model.vocabulary, one_word_with_two_senses(tiny_model), config=config, provenance={}).save(folder)
    return folder


def one_word_with_two_senses(model: Model) -> Mixtures:
    means = model.means.copy()
    others = np.arange(len(model)) != model.key_to_index["bank"]
    means[others, 1] = means[others, 0]
    return dataclasses.replace(model.mixtures, means=means)


@pytest.fixture
def called(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call a verb with some bytes on standard input: its exit code, its output and its messages."""

    def call(*arguments: object, given: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_disambiguate_as_json_is_what_the_library_says(called: Call, bank: Path) -> None:
    code, output, messages = called("disambiguate", bank, "bank", "--context", "the River, the zyx", "--json")
    answer = json.loads(output)
    assert (code, messages) == (0, "")
    assert answer["word"] == "bank"
    assert answer["senses"] == load(bank).disambiguate("bank", "the river the").tolist()
    assert answer["senses"][0] > 0.5
    assert [entry["word"] for entry in answer["context"]] == ["river", "the"]
    assert answer["unknown"] == ["zyx"]
    assert len(answer["labels"]) == 2


def test_disambiguate_as_text_shows_what_decided(called: Call, bank: Path) -> None:
    code, output, messages = called("disambiguate", bank, "bank", "--context", "loan and money by the water")
    header, water, finance = output.splitlines()
    assert code == 0
    assert header.split() == ["sense", "probability", "label", "evidence"]
    assert water.startswith("bank:0")
    assert "water +" in water
    assert "loan +" in finance
    assert "money +" in finance
    assert "water" not in finance.rpartition("  ")[2]
    assert messages == "w2gm: passed over, not in the model: and, by\n"


@pytest.mark.parametrize(
    ("word", "context", "code", "message"),
    [
        ("bank", "", 2, "empty context: give some of the words around 'bank', such as a sentence it is in"),
        ("bank", "...", 2, "empty context: give some of the words around 'bank', such as a sentence it is in"),
        ("bank", "zyx", 1, "the context says nothing about 'bank': the model knows none of 'zyx'; give words of the"),
        ("rivver", "water", 1, "unknown word 'rivver'; closest known words: river"),
        ("bank:0", "water", 2, "'bank:0' names a sense already: give the word alone, 'bank'"),
    ],
)
def test_what_cannot_be_decided_is_one_line(
    called: Call, bank: Path, word: str, context: str, code: int, message: str
) -> None:
    exit_code, output, messages = called("disambiguate", bank, word, "--context", context)
    assert (exit_code, output) == (code, "")
    assert messages.startswith(f"w2gm: error: {message}")
    assert messages.count("\n") == 1


def test_a_model_without_output_tables_says_so_once(tiny_folder: Path) -> None:
    command = [*COMMAND, "disambiguate", str(tiny_folder), "bank", "--context", "river", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout)["senses"][0] > 0.25
    assert done.stderr.startswith("w2gm: warning: the model has no output tables")
    assert done.stderr.count("\n") == 1


TEXT = "The River Bank,\r\n\r\n  a BANK's bank: money\tloan bank"
TAGGED = "The River Bank:0,\r\n\r\n  a BANK's bank:1: money\tloan bank:1"


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n"])
def test_tag_writes_the_text_with_the_senses_of_words_that_have_several(called: Call, bank: Path, end: str) -> None:
    assert called("tag", bank, given=(TEXT + end).encode()) == (0, TAGGED + end, "")


def test_tag_as_json_is_a_line_for_each_tagged_word(called: Call, bank: Path) -> None:
    code, output, _ = called("tag", bank, "--json", given=TEXT.encode())
    entries = [json.loads(line) for line in output.splitlines()]
    assert code == 0
    assert [(entry["line"], entry["token"], entry["word"], entry["sense"]) for entry in entries] == [
        (1, "Bank", "bank", 0),
        (3, "bank", "bank", 1),
        (3, "bank", "bank", 1),
    ]
    assert entries[2]["probability"] == pytest.approx(load(bank).disambiguate("bank", "money loan")[1], abs=1e-4)


def test_tag_can_tag_every_word_or_sure_ones_only(called: Call, bank: Path) -> None:
    _, everything, _ = called("tag", bank, "--all", given=b"river zyx bank")
    assert [token.partition(":")[0] for token in everything.split()] == ["river", "zyx", "bank"]
    assert everything.count(":") == 2
    _, sure, _ = called("tag", bank, "--all", "--threshold", "1", given=b"river zyx bank")
    assert sure == "river zyx bank"


def test_tag_looks_as_far_as_it_is_told(called: Call, bank: Path) -> None:
    text = b"river water river water bank loan"
    assert called("tag", bank, given=text)[1].endswith("bank:0 loan")
    assert called("tag", bank, "--window", "1", given=b"loan the bank loan")[1] == "loan the bank:1 loan"
    near = json.loads(called("tag", bank, "--window", "1", "--json", given=text)[1])
    assert near["probability"] == pytest.approx(load(bank).disambiguate("bank", "water loan").max(), abs=1e-4)


def test_tag_reads_files_one_after_the_other(called: Call, bank: Path, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("river bank")
    (tmp_path / "two.txt.gz").write_bytes(gzip.compress(b"money bank\n"))
    _, output, _ = called("tag", bank, tmp_path / "one.txt", tmp_path / "two.txt.gz")
    assert output == "river bank:0money bank:1\n"
    _, output, _ = called("tag", bank, "--json", tmp_path / "one.txt", tmp_path / "two.txt.gz")
    assert [json.loads(line)["line"] for line in output.splitlines()] == [1, 1]


def test_tag_of_nothing_is_nothing(called: Call, bank: Path) -> None:
    assert called("tag", bank) == (0, "", "")
    assert called("tag", bank, "--json", given=b"zyx\n") == (0, "", "")


def test_bytes_that_are_not_utf8_follow_the_models_rule(
    called: Call, bank: Path, tiny_model: Model, tmp_path: Path
) -> None:
    assert called("tag", bank, given=b"river\xe9 bank\n") == (0, "river\ufffd bank:0\n", "")
    config = Config(senses=2, vector_size=4, sample=0.0, separate_output=False, encoding_errors="strict")
    mixtures = one_word_with_two_senses(tiny_model)
    Model(tiny_model.vocabulary, mixtures, config=config, provenance={}).save(tmp_path / "strict")
    code, output, messages = called("tag", tmp_path / "strict", given=b"river bank\nriver\xe9 bank\n")
    assert (code, output) == (1, "")
    assert messages.startswith("w2gm: error: standard input, line 2, byte 16: 0xe9 is not UTF-8")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--window", "0"], 2, "window must be at least 1, got 0"),
        (["--window", "wide"], 2, "window must be a whole number, got 'wide'"),
        (["--threshold", "2"], 2, "threshold must be at least 0 and at most 1, got 2"),
        (["--threshold", "high"], 2, "threshold must be a number, got 'high'"),
        (["no-such-file"], 1, "no-such-file cannot be read: No such file or directory; check the path"),
    ],
)
def test_a_wrong_call_of_tag_is_one_line(
    called: Call, bank: Path, arguments: list[str], code: int, message: str
) -> None:
    exit_code, output, messages = called("tag", bank, *arguments)
    assert (exit_code, output) == (code, "")
    assert messages.startswith(f"w2gm: error: {message}")
    assert messages.count("\n") == 1


def test_a_huge_line_is_tagged_in_parts_and_whole(bank: Path) -> None:
    text = b"the river bank " * 300_000
    done = subprocess.run([*COMMAND, "tag", str(bank)], input=text, capture_output=True, timeout=120, check=True)
    assert done.stdout == text.replace(b"bank", b"bank:0")
    assert done.stderr == b""


def test_a_reader_that_goes_away_ends_it_quietly(bank: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("the river bank\n" * 300_000)
    command = [*COMMAND, "tag", str(bank), str(tmp_path / "text")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"the river bank:0\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 141


@pytest.mark.parametrize(
    "arguments", [["disambiguate", "bank", "--context", "river"], ["tag"]], ids=lambda given: given[0]
)
def test_a_sense_in_context_does_not_wait_for_the_compiler(bank: Path, arguments: list[str]) -> None:
    verb, *rest = arguments
    code = (
        f"import sys\nfrom w2gm.cli.entry import run\nrun({[verb, str(bank), *rest]!r})\nprint()\nprint(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], input="bank", capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.splitlines()[-1].split()}
    assert "numpy" in loaded
    assert not loaded & {"numba", "llvmlite", "scipy"}
