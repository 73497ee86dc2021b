"""Which words are kept, and in which order: by count, then by their letters."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
import numpy.typing as npt

from w2gm.errors import TextError, VocabularyError
from w2gm.kernels.wordtable import DROPPED, WordTable, words_of

_AT_ONCE = 1 << 16


def select(
    table: WordTable, counts: npt.NDArray[np.int64], min_count: int, max_final_vocab: int | None, name: str
) -> tuple[list[str], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """The words kept and their counts, and the final id of every word of `table` or `DROPPED`, (words,) int32.

    `counts` (words,) int64. The order depends on words and counts only. `name` is what the text is called in errors.
    """
    if not len(counts):
        raise TextError(f"{name} is empty: it has no words for this tokenizer")
    kept = np.flatnonzero(counts >= min_count)
    if len(kept) < 2:
        raise _too_few(table, counts, len(kept), min_count, name)
    if max_final_vocab is not None and len(kept) > max_final_vocab:
        kept = _most_frequent(table, counts, kept, max_final_vocab)
    words = words_of(table, kept)
    # Bytes of UTF-8 sort as their characters do.
    by_word = np.array(sorted(range(len(words)), key=words.__getitem__), np.int64)
    order = by_word[np.argsort(-counts[kept][by_word], kind="stable")]
    numbers = np.full(len(counts), DROPPED, np.int32)
    numbers[kept[order]] = np.arange(len(order), dtype=np.int32)
    return [words[i].decode("utf-8") for i in order], counts[kept][order].copy(), numbers


def _most_frequent(
    table: WordTable, counts: npt.NDArray[np.int64], kept: npt.NDArray[np.int64], size: int
) -> npt.NDArray[np.int64]:
    """The `size` most frequent of the words `kept`; among equals, those that come first by their letters."""
    threshold = np.partition(counts[kept], len(kept) - size)[len(kept) - size]
    above = kept[counts[kept] > threshold]
    equal = kept[counts[kept] == threshold]

    def spelled() -> Any:
        for start in range(0, len(equal), _AT_ONCE):
            numbers = equal[start : start + _AT_ONCE]
            yield from zip(words_of(table, numbers), numbers.tolist(), strict=True)

    first = [number for _, number in heapq.nsmallest(size - len(above), spelled())]
    return np.sort(np.concatenate([above, np.array(first, np.int64)]))


def _too_few(
    table: WordTable, counts: npt.NDArray[np.int64], kept: int, min_count: int, name: str
) -> VocabularyError:
    """The error that says why fewer than two words are left, and what would help."""
    best = np.flatnonzero(counts == counts.max())[:_AT_ONCE]
    word = min(words_of(table, best)).decode("utf-8")
    top = f"{word[:40]!r}, {counts.max()} times"
    if len(counts) == 1:
        return VocabularyError(f"{name} has only one word ({top}): a model needs two different words at least")
    enough = int(np.partition(counts, -2)[-2])
    what = "only one word reaches" if kept else "no word reaches"
    return VocabularyError(
        f"{what} min_count {min_count} in {name}; the most frequent one is {top}: "
        f"lower min_count to {enough} or give more text"
    )
