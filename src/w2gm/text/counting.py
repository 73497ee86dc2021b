"""The pass over the text: workers tokenise blocks, count words in tables of their own, and write provisional ids.

The ids of a block go to a file of its own, numbered as the worker's table numbers words. When the text is at its
end the tables are merged, the vocabulary is chosen, and `final_ids` renumbers the blocks one after the other.
"""

from __future__ import annotations

import contextlib
import queue
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from w2gm.errors import StorageError
from w2gm.kernels.tokens import (
    CHUNKS,
    DONE,
    INVALID,
    MARGIN,
    PADDING,
    POSITION,
    tokenise_marked,
    tokenise_whitespace,
    tokenise_words,
)
from w2gm.kernels.wordtable import (
    FILLED,
    SENTENCE_END,
    TAKEN,
    WRITTEN,
    WordTable,
    grown,
    new_table,
    number_words,
    renumber,
)
from w2gm.text.blocks import Block, Slice
from w2gm.text.characters import space_alphabet, word_alphabet
from w2gm.text.encoding import mend
from w2gm.text.sources import Settings

Ids = npt.NDArray[np.int32]
Report = Callable[[int, int | None, int], None]
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

# Chunks between two look-ups in the table: small enough to stay in the processor's cache.
_STREAM = 1 << 14


@dataclass(frozen=True)
class Part:
    """What became of one block: its ids (`size` of them) are in the file `path`, in the numbers of a worker."""

    path: Path
    worker: int
    size: int
    tokens: int
    bad: int
    split: bool
    done: int


class Worker:
    r"""One thread's table and buffers.

    >>> from w2gm.text.tokenizers import tokenizer_of
    >>> worker = Worker(0, Settings(tokenizer_of("words"), "lines", "strict"))
    >>> ids, bad = worker.encode(Block("a text", 0, b"A rock. A band!\nRock", closes=True))
    >>> ids.tolist()
    [0, 1, 0, 2, -1, 1, -1]
    """

    def __init__(self, number: int, settings: Settings) -> None:
        self.number = number
        self.table: WordTable = new_table()
        self._settings = settings
        self._text = np.zeros(PADDING, np.uint8)
        self._ids: Ids = np.empty(0, np.int32)
        self._run = np.empty(0, np.int64)

    def encode(self, block: Block) -> tuple[Ids, int]:
        """The provisional ids of a block (valid until the next call), and its invalid byte sequences."""
        state = np.zeros(3, np.int64)
        numbering = np.zeros(3, np.int64)
        data, bad = block.data, block.bad
        self._load(data, state, numbering)
        status = -1
        while status != DONE:
            status = self._tokenise(block.marked, state)
            self._number(state, numbering)
            if status == INVALID:
                # Only in text as it was read: what has been mended is valid.
                data, bad = mend(block, int(state[POSITION]), self._settings.errors)
                self._load(data, state, numbering)
        written = int(numbering[WRITTEN])
        if block.closes and self._settings.sentences == "lines" and (not written or self._ids[written - 1] >= 0):
            self._ids[written] = SENTENCE_END
            written += 1
        return self._ids[:written], bad

    def _load(self, data: bytes, state: npt.NDArray[np.int64], numbering: npt.NDArray[np.int64]) -> None:
        """Make `data` the text in hand; the ids written so far stay."""
        size, written = len(data), int(numbering[WRITTEN])
        if len(self._text) < size + PADDING:
            self._text = np.zeros(size + PADDING, np.uint8)
            self._run = np.empty(_STREAM + size // 4 + MARGIN, np.int64)
        if len(self._ids) < written + size + 2:
            self._ids = np.concatenate([self._ids[:written], np.empty(size + 2, np.int32)])
        self._text[:size] = np.frombuffer(data, np.uint8)
        self._text[size : size + PADDING] = 0
        state[:] = size, 0, 0

    def _tokenise(self, marked: bool, state: npt.NDArray[np.int64]) -> int:
        """Fill the stream of chunks once."""
        state[CHUNKS] = 0
        line_ends = self._settings.sentences == "lines"
        if marked:
            return int(tokenise_marked(self._text, state, self._run, _STREAM))
        if self._settings.tokenizer.name == "words":
            return int(tokenise_words(self._text, state, word_alphabet(line_ends), self._run, _STREAM))
        return int(tokenise_whitespace(self._text, state, space_alphabet(line_ends), self._run, _STREAM))

    def _number(self, state: npt.NDArray[np.int64], numbering: npt.NDArray[np.int64]) -> None:
        """Turn the stream of chunks into ids."""
        numbering[FILLED], numbering[TAKEN] = state[CHUNKS], 0
        while not number_words(self._run, self._ids, numbering, self.table):
            self.table = grown(self.table, int(numbering[FILLED] - numbering[TAKEN]))


def count(
    blocks: Iterable[Block | Slice],
    settings: Settings,
    folder: Path,
    workers: int,
    progress: Callable[[Part], None],
) -> tuple[list[Part], list[WordTable]]:
    """Tokenise and count all blocks; the parts in the order of the text, and the workers' tables."""
    crew = [Worker(number, settings) for number in range(workers)]
    idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
    for worker in crew:
        idle.put(worker)
    # Made here, so that threads do not make them twice.
    word_alphabet(settings.sentences == "lines")

    def encode(numbered: tuple[int, Block | Slice]) -> Part:
        number, source = numbered
        block = source.read() if isinstance(source, Slice) else source
        worker = idle.get()
        try:
            ids, bad = worker.encode(block)
            path = folder / f"{number}.part"
            with storing(path), path.open("wb") as file:
                file.write(ids.data)
            tokens = int(np.count_nonzero(ids >= 0))
            return Part(path, worker.number, len(ids), tokens, bad, block.split, block.done)
        finally:
            idle.put(worker)

    parts = []
    # Closed, so that no thread writes any more when an error leaves here.
    with contextlib.closing(_in_order(encode, enumerate(blocks), workers)) as results:
        for part in results:
            parts.append(part)
            progress(part)
    return parts, [worker.table for worker in crew]


def final_ids(parts: list[Part], numbers: list[Ids], workers: int) -> Generator[tuple[Ids, int], None, None]:
    """The final ids piece by piece, each with how many `SENTENCE_END` it has; the parts' files are deleted.

    `numbers`: for each worker, the final id of each of its words, or `DROPPED`.
    """

    def convert(part: Part) -> tuple[Ids, int]:
        ids = np.fromfile(part.path, np.int32)
        part.path.unlink()
        written, ends = renumber(ids, numbers[part.worker], ids)
        return ids[:written], ends

    last = SENTENCE_END
    with contextlib.closing(_in_order(convert, parts, workers)) as results:
        for ids, ends in results:
            # A sentence that ends here began in a part before, or is empty.
            if len(ids) and ids[0] == SENTENCE_END and last == SENTENCE_END:
                ids, ends = ids[1:], ends - 1
            if len(ids):
                last = int(ids[-1])
                yield ids, ends
    if last != SENTENCE_END:
        yield np.array([SENTENCE_END], np.int32), 1


@contextlib.contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn the errors of writing to `path` into `StorageError`."""
    try:
        yield
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        raise StorageError(
            f"{path} cannot be written: {error.strerror or error}; "
            "free some room, or let W2GM_CACHE name another folder"
        ) from None


def _in_order(
    function: Callable[[_Item], _Result], items: Iterable[_Item], workers: int
) -> Generator[_Result, None, None]:
    """`function` of each item, in their order, by as many threads as workers; few items wait at any time."""
    waiting: deque[Future[_Result]] = deque()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="w2gm-text")
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
