"""From text to a model and back through the command itself, with a real Ctrl-C."""

import io
import json
import os
import pty
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from terminal import pieces, without_styles
from w2gm.cli.entry import run
from w2gm.model import load

COMMAND = [sys.executable, "-c", "from w2gm.cli import main; main()"]
SMALL = ["--vector-size", "8", "--epochs", "2", "--min-count", "2", "--workers", "1"]


class Answer(NamedTuple):
    """What one call gave: its exit code, and what it wrote to the two streams."""

    code: int
    out: str
    err: str


Call = Callable[..., Answer]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run the command in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def run_here(*arguments: str, given: str = "") -> Answer:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        code = run(arguments)
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return run_here


def sentences(count: int, seed: int = 0) -> str:
    draw = random.Random(seed)
    topics = [["river", "water", "boat", "bank", "shore"], ["money", "loan", "bank", "credit", "price"]]
    return "".join(" ".join(draw.choices(draw.choice(topics), k=8)) + "\n" for _ in range(count))


@pytest.fixture
def text(tmp_path: Path) -> Path:
    file = tmp_path / "corpus.txt"
    file.write_text(sentences(300))
    return file


def files_under(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def test_train_prints_its_json_and_writes_a_model(call: Call, text: Path, tmp_path: Path) -> None:
    done = call("train", "corpus.txt", "-o", "model", "--json", *SMALL)
    assert done.code == 0
    report = json.loads(done.out)
    assert set(report) >= {"model", "tokens", "pairs", "seconds", "tokens_per_second", "loss", "epochs"}
    assert (report["model"], report["epochs"], report["tokens"]) == ("model", 2, 4800)
    assert report["pairs"] > 0
    assert report["tokens_per_second"] > 0
    model = load(tmp_path / "model")
    assert (len(model), model.senses, model.vector_size) == (9, 2, 8)
    assert model.provenance["pairs"] == report["pairs"]
    assert model.context is not None


def test_what_is_trained_can_be_asked(call: Call, text: Path) -> None:
    assert call("train", "corpus.txt", "-o", "model", "--quiet", *SMALL).code == 0
    facts = json.loads(call("info", "model", "--json").out)
    assert (facts["words"], facts["config"]["vector_size"], facts["provenance"]["epochs"]) == (9, 8, 2)
    entries = json.loads(call("neighbors", "model", "bank", "--json", "--topn", "2").out)
    assert [len(entry["neighbors"]) for entry in entries] == [2, 2]
    assert len(json.loads(call("senses", "model", "bank", "--json").out)) == 2


def test_progress_goes_to_standard_error_and_the_summary_to_standard_output(call: Call, text: Path) -> None:
    done = call("train", "corpus.txt", "-o", "model", *SMALL)
    assert done.code == 0
    assert "100%" in done.err
    assert "\x1b" not in done.err + done.out
    rows = dict(line.rsplit(maxsplit=1) for line in done.out.splitlines()[1:])
    assert (rows["model"], rows["tokens"], rows["epochs"]) == ("model", "4,800", "2")


def test_quiet_training_says_nothing(call: Call, text: Path) -> None:
    done = call("train", "corpus.txt", "-o", "model", "--quiet", *SMALL)
    assert (done.code, done.out, done.err) == (0, "", "")


def test_standard_input_is_a_text(call: Call, tmp_path: Path) -> None:
    done = call("train", "-", "-o", "model", "--quiet", "--json", *SMALL, given=sentences(300))
    assert (done.code, json.loads(done.out)["tokens"]) == (0, 4800)


def test_several_texts_are_one_corpus(call: Call, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    for number, name in enumerate(["a.txt", "b.txt", "more/c.txt"]):
        (tmp_path / name).write_text(sentences(100, seed=number))
    done = call("train", "?.txt", "more", "-o", "model", "--quiet", "--json", *SMALL)
    assert (done.code, json.loads(done.out)["tokens"]) == (0, 4800)


def test_one_worker_and_a_seed_repeat_bit_for_bit(call: Call, text: Path, tmp_path: Path) -> None:
    for name in ("first", "second"):
        assert call("train", "corpus.txt", "-o", name, "--quiet", "--seed", "3", *SMALL).code == 0
    first, second = (tmp_path / name / "model.safetensors" for name in ("first", "second"))
    assert first.read_bytes() == second.read_bytes()


def test_the_context_tables_can_be_left_out(call: Call, text: Path, tmp_path: Path) -> None:
    assert call("train", "corpus.txt", "-o", "model", "--quiet", "--no-context", *SMALL).code == 0
    assert load(tmp_path / "model").context is None


@pytest.mark.filterwarnings("default")
def test_binary_files_in_a_folder_are_skipped_with_one_line(call: Call, tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.bin").write_bytes(b"\0\1\2" * 10)
    (tmp_path / "texts" / "b.txt").write_text(sentences(100))
    done = call("train", "texts", "-o", "model", "--quiet", *SMALL)
    assert (done.code, done.out) == (0, "")
    assert done.err == "w2gm: warning: texts: 1 binary files skipped (the first is texts/a.bin)\n"


def test_the_cache_can_be_placed(call: Call, text: Path, tmp_path: Path) -> None:
    for name in ("first", "second"):
        done = call("train", "corpus.txt", "-o", name, "--cache", "here", *SMALL)
        assert ("found" if name == "second" else "encoded") in done.err
    assert len(list((tmp_path / "here").iterdir())) == 1


def test_an_existing_output_is_refused_and_left_alone(call: Call, text: Path, tmp_path: Path) -> None:
    assert call("train", "corpus.txt", "-o", "model", "--quiet", *SMALL).code == 0
    before = (tmp_path / "model" / "config.json").read_bytes()
    done = call("train", "corpus.txt", "-o", "model", "--seed", "9", *SMALL)
    assert (done.code, done.out) == (2, "")
    assert done.err == "w2gm: error: model exists; pass --overwrite (overwrite=True) to replace it\n"
    assert (tmp_path / "model" / "config.json").read_bytes() == before
    assert call("train", "corpus.txt", "-o", "model", "--overwrite", "--quiet", "--seed", "9", *SMALL).code == 0
    assert load(tmp_path / "model").config.seed == 9


def bad_texts(folder: Path) -> dict[str, str]:
    """Texts nothing can be learned from: the name to give, and a part of what must be said."""
    (folder / "empty.txt").write_text("")
    (folder / "rare.txt").write_text("each word once only here\n")
    (folder / "one.txt").write_text("word word word word\n")
    (folder / "binary.txt").write_bytes(b"\0\1\2\3" * 100)
    (folder / "cut.gz").write_bytes(bytes.fromhex("1f8b08000000000000034bcc4bcc49"))
    (folder / "folder").mkdir()
    (folder / "latin.txt").write_bytes(b"a b a b\ncaf\xe9 a b\n")
    return {
        "missing.txt": "missing.txt does not exist",
        "empty.txt": "empty.txt",
        "rare.txt": "min_count",
        "one.txt": "word",
        "binary.txt": "binary.txt is a binary file",
        "cut.gz": "cut.gz",
        "folder": "no files with text",
        "*.none": "no file matches '*.none'",
        "latin.txt": "latin.txt",
    }


@pytest.mark.parametrize(
    "name",
    ["missing.txt", "empty.txt", "rare.txt", "one.txt", "binary.txt", "cut.gz", "folder", "*.none", "latin.txt"],
)
def test_a_text_that_cannot_be_learned_from_is_one_line(call: Call, tmp_path: Path, name: str) -> None:
    said = bad_texts(tmp_path)[name]
    before = files_under(tmp_path)
    done = call("train", name, "-o", "model", "--quiet", "--encoding-errors", "strict", *SMALL)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("w2gm: error: ")
    assert said in done.err
    assert done.err.count("\n") == 1
    assert files_under(tmp_path) == before


@pytest.mark.parametrize("damage", ["config.json", "model.safetensors", "vocab.tsv"])
def test_a_damaged_model_is_one_line(call: Call, tiny_folder: Path, tmp_path: Path, damage: str) -> None:
    shutil.copytree(tiny_folder, tmp_path / "model")
    (tmp_path / "model" / damage).unlink()
    done = call("neighbors", "model", "bank")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"w2gm: error: model/{damage} is missing")
    assert done.err.count("\n") == 1


def interrupted(arguments: list[str], folder: Path) -> tuple[int, str, float]:
    """Press Ctrl-C once a terminal shows a loss; the exit code, what was shown since, and the seconds it took."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "200"},
        # Where the tests run in the background of a shell, interrupts are ignored, and the child would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    os.close(theirs)
    shown, before, start = b"", 0, 0.0
    for piece in pieces(ours):
        shown += piece
        if not start and b"loss 0." in shown:
            before, start = len(shown), time.monotonic()
            process.send_signal(signal.SIGINT)
    assert start, f"ended before it trained: {shown.decode()}"
    return process.wait(timeout=60), without_styles(shown[before:].decode()), time.monotonic() - start


def test_control_c_stops_soon_and_keeps_what_was_learned(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text(sentences(20_000))
    arguments = ["train", "corpus.txt", "-o", "model", "--epochs", "100000", "--min-count", "2", "--workers", "2"]
    code, shown, seconds = interrupted(arguments, tmp_path)
    assert code == 130
    assert seconds < 3
    last = shown.splitlines()[-1]
    assert last.startswith("w2gm: interrupted in epoch ")
    assert last.endswith("the model so far is in model")
    assert "Traceback" not in shown
    assert load(tmp_path / "model").provenance["pairs"] > 0
