"""The model folder: whole or not at all, and never over somebody's files."""

import errno
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from test_model import make_model
from w2gm.errors import ModelError, StorageError
from w2gm.model import checksums, load, staging
from w2gm.model.folder import check_output, required_bytes

FILES = ["README.md", "checksums.txt", "config.json", "model.safetensors", "vocab.tsv"]


@pytest.fixture
def folder(tmp_path):
    make_model(["the", "bank", "river"], context=True).save(tmp_path / "model")
    return tmp_path / "model"


def contents(path):
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


# What is in it.


def test_the_files_of_a_model(tmp_path):
    make_model(3).save(tmp_path / "plain")
    assert sorted(path.name for path in (tmp_path / "plain").iterdir()) == FILES
    make_model(3, context=True).save(tmp_path / "both")
    assert sorted(path.name for path in (tmp_path / "both").iterdir()) == sorted([*FILES, "context.safetensors"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["both", "plain"]


def test_the_description_says_what_the_model_is(folder):
    values = json.loads((folder / "config.json").read_text())
    assert values["format"] == "w2gm-model"
    assert values["format_version"] == 1
    assert values["shape"] == {"words": 3, "senses": 2, "vector_size": 5, "covariance": "spherical"}
    assert values["hyperparameters"]["window"] == 10
    assert values["provenance"] == {"tokens": 12345}
    assert values["package_version"]


def test_the_model_card_tells_how_to_load_it_and_how_it_was_made(tmp_path):
    provenance = {"corpus": {"tokens": 65_000_000, "name": "a|b`c`\nd\u2028e"}, "empty": {}}
    make_model(["the", "bank"], provenance=provenance).save(tmp_path / "model")
    card = (tmp_path / "model" / "README.md").read_text(encoding="utf-8")
    assert "2 words; each is a mixture of 2 Gaussian(s) in 5 dimensions with spherical" in card
    assert 'model["the"]' in card
    assert "| `corpus.tokens` | `65000000` |" in card
    assert "| `corpus.name` | `\"a\\|b'c'\\nd e\"` |" in card
    assert "| `empty` | `{}` |" in card
    assert "| `window` | `10` |" in card


def test_a_card_without_provenance_says_so(tmp_path):
    make_model(["10:30"], provenance={}).save(tmp_path / "model")
    card = (tmp_path / "model" / "README.md").read_text(encoding="utf-8")
    assert "| not recorded | |" in card
    assert 'model["word"]' in card


@pytest.mark.skipif(shutil.which("b2sum") is None, reason="b2sum of GNU coreutils is not installed")
def test_the_checksums_are_those_of_b2sum(folder):
    done = subprocess.run(
        ["b2sum", "--check", "--strict", "checksums.txt"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": OK\n") == 5


def test_a_flipped_bit_is_found_in_whichever_file_it_is(folder):
    for name in sorted(path.name for path in folder.iterdir()):
        original = (folder / name).read_bytes()
        for position in (0, len(original) // 2, len(original) - 1):
            data = bytearray(original)
            data[position] ^= 1
            (folder / name).write_bytes(data)
            states = checksums.verify_checksums(folder)
            assert {file for file, state in states.items() if state != "ok"} == {name}
        (folder / name).write_bytes(original)
    assert set(checksums.verify_checksums(folder).values()) == {"ok"}


def test_missing_files_are_told_by_the_checksums(folder):
    (folder / "vocab.tsv").unlink()
    assert checksums.verify_checksums(folder)["vocab.tsv"] == "missing"
    (folder / "checksums.txt").write_bytes(bytes(2 << 20))
    with pytest.raises(ModelError, match=r"checksums.txt is larger than 1048576 bytes: it is not a list"):
        checksums.verify_checksums(folder)
    (folder / "checksums.txt").unlink()
    with pytest.raises(ModelError, match=r"has no checksums.txt: it was not written by w2gm, or is incomplete"):
        checksums.verify_checksums(folder)


@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
@pytest.mark.parametrize("context", [False, True])
@pytest.mark.parametrize("half", [False, True])
def test_the_required_bytes_are_enough_and_not_far_too_many(tmp_path, covariance, context, half):
    words = 5000
    make_model(words, vector_size=20, covariance=covariance, context=context).save(tmp_path / "model", half=half)
    taken = sum(path.stat().st_size for path in (tmp_path / "model").iterdir())
    required = required_bytes(words, 2, 20, covariance, context, half)
    assert taken <= required <= taken * 1.3 + 65536


def test_the_checksums_pass_over_folders(folder):
    (folder / "checkpoint").mkdir()
    checksums.write_checksums(folder)
    assert len(checksums.verify_checksums(folder)) == 6


# Where it may be written.


def test_an_existing_path_is_refused_with_the_way_out(folder, tmp_path):
    before = contents(folder)
    with pytest.raises(
        StorageError, match=r"model exists; pass --overwrite \(overwrite=True\) to replace it"
    ) as caught:
        make_model(4).save(folder)
    assert caught.value.exit_code == 2
    (tmp_path / "empty").mkdir()
    with pytest.raises(StorageError, match=r"empty exists; pass --overwrite"):
        check_output(tmp_path / "empty")
    assert contents(folder) == before


def test_overwriting_replaces_a_model_and_its_checkpoint(folder):
    (folder / "checkpoint").mkdir()
    (folder / "checkpoint" / "state").write_text("x")
    make_model(7).save(folder, overwrite=True)
    assert len(load(folder)) == 7
    assert sorted(path.name for path in folder.iterdir()) == FILES
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_overwriting_takes_an_empty_folder(tmp_path):
    (tmp_path / "model").mkdir()
    make_model(3).save(tmp_path / "model", overwrite=True)
    assert len(load(tmp_path / "model")) == 3


@pytest.mark.parametrize("config", [None, "{}", "not json", '{"format": "other"}', "[]"])
def test_a_folder_that_is_not_a_model_is_never_overwritten(tmp_path, config):
    home = tmp_path / "home"
    home.mkdir()
    (home / "letter.txt").write_text("dear")
    if config is not None:
        (home / "config.json").write_text(config)
    before = contents(home)
    with pytest.raises(StorageError, match=r"home is not a w2gm model folder and is never overwritten") as caught:
        make_model(3).save(home, overwrite=True)
    assert caught.value.exit_code == 2
    assert contents(home) == before


def test_a_model_folder_with_other_files_in_it_is_not_overwritten(folder):
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(StorageError, match=r"holds files that are not the model's \(notes.txt\): move them away"):
        make_model(3).save(folder, overwrite=True)
    assert (folder / "notes.txt").read_text() == "mine"


def test_a_file_is_never_overwritten(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(StorageError, match=r"file exists and is not a folder: choose another path"):
        make_model(3).save(tmp_path / "file", overwrite=True)
    with pytest.raises(StorageError, match=r"cannot be made: .*file is not a folder: choose another path"):
        check_output(tmp_path / "file" / "model")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_place_without_permission_is_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *arguments: False)
    with pytest.raises(StorageError, match=r"cannot be made: no permission to write in "):
        check_output(tmp_path / "model")


def test_a_name_that_is_too_long_is_refused_before_the_work(tmp_path):
    with pytest.raises(StorageError, match=r"cannot write .*: File name too long: choose another folder"):
        check_output(tmp_path / ("m" * 300))


def test_parents_are_made_and_a_link_keeps_pointing_at_the_model(tmp_path):
    make_model(3).save(tmp_path / "a" / "b" / "model")
    (tmp_path / "link").symlink_to(tmp_path / "a" / "b" / "model")
    make_model(4).save(tmp_path / "link", overwrite=True)
    assert (tmp_path / "link").is_symlink()
    assert len(load(tmp_path / "a" / "b" / "model")) == 4


def test_a_saved_model_has_the_permissions_of_any_new_folder(folder, tmp_path):
    (tmp_path / "plain").mkdir()
    assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


# Whole or not at all.


def test_a_model_with_nan_is_not_saved(tmp_path):
    model = make_model(3)
    means = model.means.copy()
    means[1] = np.nan
    model.mixtures = type(model.mixtures)(means, model.log_variances, model.weights)
    with pytest.raises(ModelError, match=r"means of word 1 hold nan"):
        model.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("provenance", [{"loss": float("nan")}, {"path": object()}, {"half": "\ud800"}])
def test_a_provenance_that_json_cannot_hold_is_refused(tmp_path, provenance):
    with pytest.raises(ModelError, match=r"the provenance cannot be written as JSON: .*: use plain values"):
        make_model(3, provenance=provenance).save(tmp_path / "new" / "model")
    assert list(tmp_path.iterdir()) == []


def test_too_little_room_is_told_before_anything_is_written(tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    message = r"no room for .*model \(No space left on device\): it needs 65,[0-9]{3} bytes, 1,000 bytes are free"
    with pytest.raises(StorageError, match=message):
        make_model(3).save(tmp_path / "new" / "model")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_disk_that_is_full_half_way_leaves_what_was_there(tmp_path, overwrite):
    """A real limit on file size stands for the full disk: the write of the arrays fails in the middle."""
    if overwrite:
        make_model(3).save(tmp_path / "model")
    before = contents(tmp_path)
    program = (
        "import resource, sys\n"
        "from test_model import make_model\n"
        "from w2gm.errors import StorageError\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try:\n"
        "    make_model(5000).save(sys.argv[1], overwrite=True)\n"
        "except StorageError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "model")],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parent,
    )  # fmt: skip
    assert "no room for " in done.stdout
    assert "(File too large): it needs 445,536 bytes, " in done.stdout
    assert contents(tmp_path) == before


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_no_room_at_the_last_moment_is_the_same_error(tmp_path, monkeypatch, number):
    def full(descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match=rf"no room for .*\({os.strerror(number)}\): it needs"):
        make_model(3).save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_room_that_cannot_be_measured_is_still_one_line(tmp_path, monkeypatch):
    def broken(path):
        raise OSError(errno.ENOSPC, "gone")

    monkeypatch.setattr(shutil, "disk_usage", broken)
    with pytest.raises(StorageError, match=r"\(gone\): it needs [0-9,]+ bytes, an unknown number of bytes are free"):
        make_model(3).save(tmp_path / "model")


def test_a_file_system_that_cannot_sync_folders_is_good_enough(tmp_path, monkeypatch):
    fsync = os.fsync

    def files_only(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", files_only)
    make_model(3).save(tmp_path / "model")
    assert len(load(tmp_path / "model")) == 3


def test_any_other_refusal_of_the_system_names_the_place(tmp_path, monkeypatch):
    def refuse(self, *arguments, **options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(type(tmp_path), "mkdir", refuse)
    with pytest.raises(StorageError, match=r"cannot write .*model: Permission denied: choose another folder"):
        make_model(3).save(tmp_path / "model")


@pytest.mark.parametrize("step", range(12))
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(errno.EIO, "Input/output error")])
def test_an_interruption_at_any_sync_or_rename_leaves_one_whole_model(tmp_path, monkeypatch, step, error):
    path = tmp_path / "model"
    make_model(3).save(path)
    done = []

    def failing(function):
        def wrapper(*arguments):
            done.append(function)
            if len(done) == step + 1:
                raise error
            return function(*arguments)

        return wrapper

    monkeypatch.setattr(staging, "sync", failing(staging.sync))
    monkeypatch.setattr(os, "rename", failing(os.rename))
    expected = KeyboardInterrupt if error is KeyboardInterrupt else StorageError
    try:
        make_model(4, context=True).save(path, overwrite=True)
    except expected:
        # The last step is the sync of the parent: the new model is in place by then.
        assert len(load(path)) == (4 if step == 9 else 3)
    else:
        assert step > 9
        assert len(load(path)) == 4
    assert set(checksums.verify_checksums(path).values()) == {"ok"}
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]


def test_ctrl_c_while_saving_leaves_the_old_model(tmp_path):
    path = tmp_path / "model"
    make_model(3).save(path)
    program = (
        "import sys\n"
        "from test_model import make_model\n"
        "model = make_model(400_000, vector_size=50)\n"
        "print('saving', flush=True)\n"
        "model.save(sys.argv[1], overwrite=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=Path(__file__).parent,
    )  # fmt: skip
    assert process.stdout.readline() == "saving\n"
    while not list(tmp_path.glob(".w2gm-*.partial")):
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in stderr
    assert len(load(path)) == 3
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]
