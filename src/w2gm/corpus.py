"""The token store: a text as ids in one memory-mapped file, made once, in parallel, and reused.

A store is a folder `<cache>/<fingerprint>/`:

    corpus.json   what it is and was made from, and the sizes of the other files
    vocab.tsv     words and counts (`Vocabulary.write`)
    ids.i32       little-endian int32: word ids, `SENTENCE_END` after each sentence

It is written beside its place and renamed, so it is whole or not there. `<cache>` is $W2GM_CACHE, or `w2gm` in the
user's cache folder. The text of iterables, standard input and callables cannot be recognised: their stores are
deleted when they are closed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import warnings
import weakref
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from w2gm.config import Config
from w2gm.errors import ModelError, StorageError
from w2gm.kernels.wordtable import SENTENCE_END, merged
from w2gm.text.counting import Part, Report, count, final_ids, storing
from w2gm.text.folders import default_cache, temporary_folder
from w2gm.text.selection import select
from w2gm.text.sources import Settings, Source, source_of
from w2gm.text.tokenizers import Split, tokenizer_of
from w2gm.vocabulary import Vocabulary

__all__ = ["SENTENCE_END", "Corpus", "encode"]

_FORMAT = 1
_ID = np.dtype("<i4")
_FACTS = ("tokens", "sentences", "raw_tokens", "raw_words", "bad_bytes", "split_tokens")


class Corpus:
    """A text as ids. Close it, or use it as a context manager: a temporary store is deleted then.

    `ids` (N,) int32, memory-mapped; `vocabulary`: ids run by falling count, then by word; `tokens`: ids that are
    words; `sentences`; `raw_tokens`, `raw_words`: tokens and different words before pruning; `bad_bytes`: invalid
    UTF-8 sequences replaced or ignored; `split_tokens`: tokens too long to be kept in one piece; `fingerprint`;
    `path` of the store; `reused`: whether it was there already.
    """

    tokens: int
    sentences: int
    raw_tokens: int
    raw_words: int
    bad_bytes: int
    split_tokens: int

    def __init__(self, path: Path, *, reused: bool, delete: Callable[[], None] | None = None) -> None:
        facts = json.loads((path / "corpus.json").read_text("utf-8"))
        self.path: Path | None = path
        self.reused = reused
        self.fingerprint = str(facts["fingerprint"])
        for name in _FACTS:
            setattr(self, name, int(facts[name]))
        if facts["format"] != _FORMAT or any(
            (path / name).stat().st_size != size for name, size in facts["files"].items()
        ):
            raise ModelError(f"the store {path} is damaged or of another version: delete it")
        self.vocabulary = Vocabulary.read(path / "vocab.tsv")
        self.ids: npt.NDArray[np.int32] = np.memmap(path / "ids.i32", _ID, "r")
        self._delete = weakref.finalize(self, delete) if delete else None

    def close(self) -> None:
        """Let go of the file; a temporary store is deleted."""
        self.ids = np.empty(0, np.int32)
        if self._delete:
            self._delete()
            self.path = None

    def __enter__(self) -> Corpus:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def encode(
    text: Any,
    config: Config,
    *,
    tokenizer: re.Pattern[str] | Split | None = None,
    cache: Path | None = None,
    workers: int | None = None,
    report: Report | None = None,
) -> Corpus:
    """Tokenise, count and number a text, or take the store that was made of it before.

    `text`: a path, folder, glob or "-" (standard input) as a str; a Path or a list of them; `w2gm.text.files` of
    several; any other iterable of strings (each a line) or of token lists; or a callable that returns one.
    `tokenizer` overrides `config.tokenizer`: a pattern whose matches are the tokens, or a callable from a line to
    its tokens. `report(done_bytes, total_bytes, tokens)` is called as the work goes on; `total_bytes` may be None.

    >>> with encode([["rock", "music"], ["rock"]], Config(min_count=1)) as corpus:
    ...     print(corpus.vocabulary.words, corpus.ids.tolist())
    ['rock', 'music'] [0, 1, -1, 0, -1]
    """
    settings = Settings(tokenizer_of(config.tokenizer, tokenizer), config.sentences, config.encoding_errors)
    source = source_of(text)
    cache = default_cache() if cache is None else Path(cache)
    fingerprint = _fingerprint(source, settings, config)
    place = cache / fingerprint if fingerprint else None
    if place and (found := _opened(place)):
        return found
    if source.plain:
        _check_room(cache, source)
    with temporary_folder(cache) as folder:
        facts = _build(folder.path, source, settings, config, workers or config.threads, report)
        facts["fingerprint"] = fingerprint or os.urandom(16).hex()
        _write(folder.path / "corpus.json", json.dumps(facts, indent=1).encode())
        if place is None:
            return Corpus(folder.path, reused=False, delete=folder.keep())
        return _moved(folder.path, place)


def _build(
    folder: Path, source: Source, settings: Settings, config: Config, workers: int, report: Report | None
) -> dict[str, Any]:
    """Make the files of a store in `folder`; returns the facts about it."""
    done = tokens = 0

    def progress(part: Part) -> None:
        nonlocal done, tokens
        done, tokens = done + part.done, tokens + part.tokens
        if report:
            report(done, source.total, tokens)

    parts, tables = count(source.blocks(settings), settings, folder, workers, progress)
    source.check()
    table, counts, numbers = merged(tables)
    words, counts, final = select(table, counts, config.min_count, config.max_final_vocab, source.name)
    raw_words = int(table.used[0])
    del table, tables
    split_tokens = sum(part.split for part in parts)
    if split_tokens:
        warnings.warn(
            f"{source.name}: tokens were split in {split_tokens} places, because the text has no white space there "
            f"for {settings.tokenizer.cutter.reach >> 20} MB",
            stacklevel=3,
        )
    sentences = size = 0
    pieces = final_ids(parts, [final[own] for own in numbers], workers)
    with storing(folder / "ids.i32"), contextlib.closing(pieces), (folder / "ids.i32").open("wb") as file:
        for ids, ends in pieces:
            file.write(ids.astype(_ID, copy=False).data)
            sentences, size = sentences + ends, size + len(ids)
        file.flush()
        os.fsync(file.fileno())
    with storing(folder / "vocab.tsv"):
        Vocabulary(words, counts).write(folder / "vocab.tsv")
    return {
        "format": _FORMAT,
        "text": source.name,
        "tokens": size - sentences,
        "sentences": sentences,
        "raw_tokens": tokens,
        "raw_words": raw_words,
        "bad_bytes": sum(part.bad for part in parts),
        "split_tokens": split_tokens,
        "files": {name: (folder / name).stat().st_size for name in ("ids.i32", "vocab.tsv")},
    }


def _fingerprint(source: Source, settings: Settings, config: Config) -> str | None:
    """A hash of the text and of all that decides what its store holds; None if that cannot be told."""
    if source.identity is None or settings.tokenizer.name is None:
        return None
    made_of = [
        _FORMAT,
        source.identity,
        settings.tokenizer.name,
        settings.sentences,
        settings.errors,
        config.min_count,
        config.max_final_vocab,
    ]
    return hashlib.sha256(json.dumps(made_of).encode()).hexdigest()[:32]


def _opened(place: Path) -> Corpus | None:
    """The store at `place`, or None if there is none or it is damaged."""
    try:
        return Corpus(place, reused=True)
    except (OSError, ValueError, KeyError, TypeError, ModelError):
        return None


def _moved(folder: Path, place: Path) -> Corpus:
    """Move a finished store to its place, unless somebody else has put a good one there meanwhile."""
    for _ in range(2):
        with storing(place):
            try:
                folder.rename(place)
            except OSError:
                if found := _opened(place):
                    return found
                # What lies there is damaged.
                shutil.rmtree(place, ignore_errors=True)
                if place.exists():
                    raise
                continue
        _sync_folder(place.parent)
        return Corpus(place, reused=False)
    raise StorageError(f"{place} cannot be written: something else keeps writing there; try again")


def _check_room(cache: Path, source: Source) -> None:
    """Raise `StorageError` if the ids of a text of known size have no room on the disk."""
    # A word takes about six bytes of text and four on disk; measured, 0.65 bytes for each byte of English.
    needed = (source.plain or 0) * 2 // 3
    existing = next(folder for folder in (cache, *cache.absolute().parents) if folder.exists())
    free = shutil.disk_usage(existing).free
    if needed > free:
        raise StorageError(
            f"no room for the ids of {source.name} in {cache}: about {needed / 1e9:.1f} GB are needed, "
            f"{free / 1e9:.1f} GB are free; free some room, or let W2GM_CACHE name another folder"
        )


def _write(path: Path, data: bytes) -> None:
    """Write a file and see it on the disk."""
    with storing(path), path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """See the names in a folder on the disk, where the system can do that."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
