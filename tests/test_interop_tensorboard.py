"""`w2gm export --format tensorboard`: what the projector reads is the model, whatever its words are made of."""

import contextlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from naive_projector import read_config, read_metadata, read_tensor
from test_plotting_senses import made
from w2gm.errors import ConfigError, StorageError
from w2gm.interop import export_tensorboard
from w2gm.interop.tensorboard import COLUMNS, FILES, escaped
from w2gm.model import Model
from w2gm.vocabulary import Vocabulary


def opened(folder: Path) -> tuple[np.ndarray, list[dict[str, str]]]:
    """(vectors, rows of metadata) as the config names them."""
    (embedding,) = read_config((folder / "projector_config.pbtxt").read_text())
    vectors = read_tensor(folder / embedding["tensor_path"])
    assert embedding["tensor_shape"] == list(vectors.shape)
    return vectors, read_metadata(folder / embedding["metadata_path"])


def assert_export_is(model: Model, folder: Path, words: int) -> None:
    vectors, rows = opened(folder)
    assert np.array_equal(vectors, model.means[:words].reshape(-1, model.vector_size))
    assert len(rows) == words * model.senses
    for place, row in enumerate(rows):
        word, sense = divmod(place, model.senses)
        assert tuple(row) == COLUMNS
        assert row["key"] == f"{row['word']}:{sense}" == f"{model.index_to_key[word]}:{row['sense']}"
        assert float(row["weight"]) == pytest.approx(float(model.weights[word, sense]), rel=1e-5)
        variance = np.exp(np.mean(model.log_variances[word, sense].astype(float)))
        assert float(row["variance"]) == pytest.approx(variance, rel=1e-5)
        assert int(row["count"]) == model.counts[word]


@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
@pytest.mark.parametrize("senses", [1, 3])
def test_the_projector_reads_every_number_of_the_model(covariance: str, senses: int, tmp_path: Path) -> None:
    model = made(covariance, senses=senses)
    done = export_tensorboard(model, tmp_path / "out")
    assert done == (30, 30 * senses, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(FILES)
    assert_export_is(model, tmp_path / "out", 30)


@pytest.mark.parametrize(("restrict", "words"), [(1, 1), (7, 7), (99, 30)])
def test_the_most_frequent_words_alone(restrict: int, words: int, tmp_path: Path) -> None:
    model = made()
    assert export_tensorboard(model, tmp_path / "out", restrict_vocab=restrict).words == words
    assert_export_is(model, tmp_path / "out", words)


def test_more_words_than_are_written_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("w2gm.interop.tensorboard._WORDS_AT_ONCE", 8)
    told: list[tuple[int, int]] = []
    export_tensorboard(made(), tmp_path / "out", progress=lambda done, total: told.append((done, total)))
    assert told == [(8, 30), (16, 30), (24, 30), (30, 30)]
    assert_export_is(made(), tmp_path / "out", 30)


def test_hostile_words_stay_in_their_cells(tmp_path: Path) -> None:
    words = [
        "a\tb",
        "a\nb",
        "a\rb",
        "\\",
        "\\t",
        "a\u2028b",
        "土手",
        "<script>",
        '"',
        "a b",
        "\x00",
        "\ud800",
        "10:30",
    ]
    base = made(words=len(words))
    model = Model(Vocabulary(words, base.counts), base.mixtures, config=base.config, provenance={})
    export_tensorboard(model, tmp_path / "out")
    _, rows = opened(tmp_path / "out")
    shown = [row["word"] for row in rows[::2]]
    assert [shown[k] for k in range(6)] == ["a\\tb", "a\\nb", "a\\rb", "\\\\", "\\\\t", "a\\u2028b"]
    assert shown[6:10] == ["土手", "<script>", '"', "a b"]
    assert [row["key"] for row in rows[1::2]] == [f"{word}:1" for word in shown]
    assert len(set(shown)) == len(words)


def test_an_escape_can_be_undone() -> None:
    for word in ("a\tb\\n\n", "naïve\u2029", "\\\\x"):
        parts = re.sub(
            r"\\(?:\\|x..|u....|[tnr])", lambda found: found[0].encode().decode("unicode_escape"), escaped(word)
        )
        assert parts == word


def test_the_variance_of_word_vectors_is_left_empty(tmp_path: Path) -> None:
    base = made(senses=1)
    vectors = Model(base.vocabulary, base.mixtures, config=base.config, provenance={"variances": "absent"})
    export_tensorboard(vectors, tmp_path / "out")
    assert {row["variance"] for row in opened(tmp_path / "out")[1]} == {""}


def test_only_an_earlier_export_is_replaced_and_only_when_asked(tmp_path: Path) -> None:
    out = tmp_path / "out"
    export_tensorboard(made(seed=0), out)
    with pytest.raises(
        StorageError, match=r"out exists; pass --overwrite \(overwrite=True\) to replace it"
    ) as caught:
        export_tensorboard(made(seed=1), out)
    assert caught.value.exit_code == 2
    assert_export_is(made(seed=0), out, 30)
    export_tensorboard(made(seed=1), out, overwrite=True)
    assert_export_is(made(seed=1), out, 30)
    (out / "events.out").touch()
    with pytest.raises(StorageError, match=r"holds files that are not of an export \(events\.out\)"):
        export_tensorboard(made(), out, overwrite=True)
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="file exists and is not a folder: choose another path"):
        export_tensorboard(made(), tmp_path / "file", overwrite=True)
    with pytest.raises(StorageError, match="is not a folder: choose another path"):
        export_tensorboard(made(), tmp_path / "file" / "out")


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_export_is_whole_or_not_at_all(error: type[BaseException], tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise error

    export_tensorboard(made(seed=0), tmp_path / "out")
    for name in ("out", "new"):
        with contextlib.suppress(error):
            export_tensorboard(made(seed=1), tmp_path / name, overwrite=True, progress=stop)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert_export_is(made(seed=0), tmp_path / "out", 30)


def test_too_little_room_is_told_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr("w2gm.model.staging.shutil.disk_usage", lambda path: usage._replace(free=2000))
    with pytest.raises(StorageError, match=r"no room for .*out .* 2,000 bytes are free"):
        export_tensorboard(made(), tmp_path / "out")


@pytest.mark.parametrize(
    ("value", "message"),
    [(0, "restrict_vocab must be at least 1, got 0"), (1.5, "restrict_vocab must be a whole number, got 1.5")],
)
def test_a_wrong_number_of_words_is_refused(value: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        export_tensorboard(made(), tmp_path / "out", restrict_vocab=value)


def test_the_verb_writes_what_the_library_does(
    answer: Any, tiny_folder: Path, tiny_model: Model, tmp_path: Path
) -> None:
    call = ("export", tiny_folder, tmp_path / "out", "--format", "tensorboard")
    assert answer(*call) == f"{tmp_path / 'out'}\n"
    assert_export_is(tiny_model, tmp_path / "out", 8)
    assert answer(*call, "--overwrite", "--restrict-vocab", "3", "--json") == {
        "model": str(tiny_folder), "format": "tensorboard", "output": str(tmp_path / "out"), "words": 3, "points": 6,
    }  # fmt: skip
    assert_export_is(tiny_model, tmp_path / "out", 3)


def test_the_verb_takes_a_file_of_word_vectors(answer: Any, tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("cup 1 2\nmug 3 4\n")
    assert (
        answer("export", tmp_path / "vectors.txt", tmp_path / "out", "--format", "tensorboard", "--json")["points"]
        == 2
    )
    assert opened(tmp_path / "out")[0].tolist() == [[1, 2], [3, 4]]


def test_the_verb_says_when_the_projector_would_cut(
    capsys: pytest.CaptureFixture[str], tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from w2gm.cli.entry import run

    monkeypatch.setattr("w2gm.interop.tensorboard.MOST_SHOWN", 10)
    assert run(["export", str(tiny_folder), str(tmp_path / "out"), "--format", "tensorboard"]) == 0
    said = capsys.readouterr().err
    assert said == "w2gm: TensorBoard shows the first 10 of 16 points: --restrict-vocab 5 writes no more than that\n"


def test_the_verb_refuses_in_one_line(refusal: Any, tiny_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert refusal("export", tiny_folder, out, "--format", "word3vec") == (
        2, "format must be one of tensorboard, got 'word3vec'",
    )  # fmt: skip
    code, said = refusal("export", tiny_folder, out, "--format", "tensorboard", "--restrict-vocab", "many")
    assert (code, said) == (2, "restrict_vocab must be a whole number, got 'many'")
    out.mkdir()
    assert refusal("export", tiny_folder, out, "--format", "tensorboard")[0] == 2
