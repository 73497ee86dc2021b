import errno
import gc
import re
import shutil
import subprocess
import sys
import threading
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from w2gm import corpus as store
from w2gm.config import Config
from w2gm.corpus import SENTENCE_END, encode
from w2gm.errors import StorageError, TextError
from w2gm.text import blocks, folders
from w2gm.text.folders import default_cache, temporary_folder

CONFIG = Config(min_count=1)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("W2GM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("the bank of the river bank\nthe rock\n")
    return path


def inside(folder):
    return sorted(path.name for path in folder.glob("*"))


def test_a_store_is_reused_by_the_next_run(cache, text):
    first, second = encode(text, CONFIG), encode(str(text), CONFIG, workers=3)
    assert (first.reused, second.reused) == (False, True)
    assert first.path == second.path == cache / first.fingerprint
    assert first.ids.tolist() == second.ids.tolist()
    assert isinstance(second.ids, np.memmap)
    assert second.ids.dtype == np.int32
    assert SENTENCE_END == -1
    for name in ("tokens", "sentences", "raw_tokens", "raw_words", "bad_bytes", "split_tokens"):
        assert getattr(first, name) == getattr(second, name)
    first.close()
    assert inside(cache) == [second.fingerprint]


@pytest.mark.parametrize(
    "change",
    [
        {"min_count": 2},
        {"max_final_vocab": 3},
        {"tokenizer": "whitespace"},
        {"tokenizer": "regex:[a-z]+"},
        {"sentences": "none"},
        {"encoding_errors": "strict"},
    ],
)
@pytest.mark.usefixtures("cache")
def test_another_way_to_encode_is_another_store(text, change):
    first = encode(text, CONFIG).fingerprint
    other = encode(text, Config(**{"min_count": 1, **change}))
    assert not other.reused
    assert other.fingerprint != first


@pytest.mark.usefixtures("cache")
def test_hyperparameters_that_do_not_touch_the_text_share_a_store(text):
    encode(text, CONFIG)
    assert encode(text, Config(min_count=1, senses=5, workers=1, seed=9)).reused


@pytest.mark.usefixtures("cache")
def test_a_changed_text_is_encoded_again(text):
    encode(text, CONFIG)
    text.write_text("the bank of the river\nthe roll\n")
    again = encode(text, CONFIG)
    assert not again.reused
    assert "roll" in again.vocabulary


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("name", ["ids.i32", "vocab.tsv", "corpus.json"])
@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_store_is_built_anew(text, name, damage):
    with encode(text, CONFIG) as first:
        expected = first.ids.tolist()
        file = first.path / name
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:-1])
    else:
        file.unlink()
    with encode(text, CONFIG) as again:
        assert not again.reused
        assert again.ids.tolist() == expected
    assert encode(text, CONFIG).reused


def test_a_store_of_an_unrecognisable_text_is_deleted_when_it_is_closed(cache, text):
    for source, tokenizer in ((["a b", "b"], None), (text, str.split)):
        with encode(source, CONFIG, tokenizer=tokenizer) as found:
            assert found.path.exists()
            assert found.ids[-1] == SENTENCE_END
        assert found.path is None
        assert len(found.ids) == 0
        assert not inside(cache)
        found.close()


def test_a_temporary_store_that_is_forgotten_is_deleted_too(cache):
    encode(["a b"], CONFIG)
    gc.collect()
    assert not inside(cache)


def test_a_temporary_store_is_deleted_at_the_end_of_the_process(cache):
    code = "import w2gm.corpus as c, w2gm.config as f; x = c.encode(['a b'], f.Config(min_count=1)); print(x.path)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()).parent == cache
    assert not inside(cache)


def test_the_loser_of_a_race_takes_the_winners_store(cache, text, monkeypatch):
    build = store._build

    def overtaken(*arguments):
        monkeypatch.setattr(store, "_build", build)
        encode(text, CONFIG).close()
        return build(*arguments)

    monkeypatch.setattr(store, "_build", overtaken)
    found = encode(text, CONFIG)
    assert found.reused
    assert inside(cache) == [found.fingerprint]


def test_many_threads_may_encode_the_same_text_at_once(cache, text):
    found = []
    threads = [threading.Thread(target=lambda: found.append(encode(text, CONFIG))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({tuple(corpus.ids.tolist()) for corpus in found}) == 1
    assert len(found) == 6
    assert inside(cache) == [found[0].fingerprint]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_nothing_is_left_behind_by_an_interrupted_run(cache, text, error):
    def interrupted(*_):
        raise error

    with pytest.raises(error):
        encode(text, CONFIG, report=interrupted)
    assert not inside(cache)


def test_no_worker_goes_on_after_an_error(cache, tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK", 1 << 12)
    path = tmp_path / "long.txt"
    path.write_text("some words of text\n" * 40_000)

    def interrupted(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        encode(path, CONFIG, workers=4, report=interrupted)
    # The traceback, which holds all frames, is still alive here.
    assert caught.traceback
    assert not inside(cache)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("w2gm-text")]


def test_a_file_size_limit_is_a_storage_error_that_leaves_nothing(cache, tmp_path):
    (tmp_path / "long.txt").write_text("some words of text\n" * 20_000)
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from w2gm.corpus import encode; from w2gm.config import Config; from w2gm.errors import StorageError\n"
        "encode(['a b'], Config(min_count=1)).close()\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try: encode(sys.argv[1], Config(min_count=1))\n"
        "except StorageError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "long.txt")], capture_output=True, text=True, check=True
    )
    assert re.search(r"0\.part cannot be written: File too large; free some room, or let W2GM_CACHE", done.stdout)
    assert not inside(cache)


def test_a_text_for_which_the_disk_has_no_room_is_refused_before_it_is_read(cache, text, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(100, 99, 1))
    with pytest.raises(
        StorageError, match=r"no room for the ids of .*a\.txt in .*: about 0\.0 GB are needed, 0\.0 GB"
    ):
        encode(text, CONFIG)
    assert not cache.exists()


def test_a_cache_that_cannot_be_made_is_refused(text, tmp_path):
    with pytest.raises(
        StorageError, match=r"the cache .*a\.txt/x cannot be written: Not a directory; let W2GM_CACHE"
    ):
        encode(["a b"], CONFIG, cache=text / "x")


def test_a_place_that_stays_taken_is_refused(cache, text, monkeypatch):
    def taken(*_):
        raise OSError(errno.ENOTEMPTY, "Directory not empty")

    monkeypatch.setattr(Path, "rename", taken)
    with pytest.raises(StorageError, match="cannot be written: something else keeps writing there; try again"):
        encode(text, CONFIG)
    assert not inside(cache)


def test_a_text_that_changes_while_it_is_read_is_refused(cache, text):
    def change(*_):
        text.write_text("something else, of another length")

    with pytest.raises(TextError, match=r"a\.txt changed while it was being read"):
        encode(text, CONFIG, report=change)
    assert not inside(cache)


def test_what_a_killed_process_left_is_swept_away_and_what_is_in_use_is_not(cache):
    code = (
        "import os, signal; from pathlib import Path; from w2gm.text.folders import temporary_folder\n"
        f"with temporary_folder(Path({str(cache)!r})) as folder:\n"
        "    (folder.path / 'x').write_text('x'); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    assert [Path(name).suffix for name in inside(cache)] == [".lock", ".tmp"]
    with temporary_folder(cache) as first:
        assert len(inside(cache)) == 2
        with temporary_folder(cache):
            assert first.path.exists()
            assert len(inside(cache)) == 4
    assert not inside(cache)


def test_a_lock_swept_away_before_it_was_held_is_made_anew(cache, monkeypatch):
    cache.mkdir()
    flock, taken = folders.fcntl.flock, []

    def slow(file, how):
        if not taken:
            taken.append(file.name)
            Path(file.name).unlink()
        flock(file, how)

    monkeypatch.setattr(folders.fcntl, "flock", slow)
    with temporary_folder(cache) as folder:
        assert Path(taken[0]).stem != folder.path.stem
        assert len(inside(cache)) == 2


def test_the_default_cache_follows_the_environment(monkeypatch):
    monkeypatch.setenv("W2GM_CACHE", "~/mine")
    assert default_cache() == Path.home() / "mine"
    monkeypatch.delenv("W2GM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert default_cache() == Path("/x/w2gm")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_cache() == Path.home() / ".cache" / "w2gm"


def test_a_block_of_invalid_bytes_grows_and_is_still_encoded(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"a b\n" + b"\xff" * 1000 + b" c\n" + b"\x80 " * 1000)
    with encode(path, Config(min_count=1, tokenizer="whitespace"), cache=tmp_path / "c") as found:
        assert found.bad_bytes == 2000
        assert found.vocabulary.words[0] == "\ufffd"
        assert found.raw_tokens == 1004
