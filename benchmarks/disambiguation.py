"""How often the sense that a context speaks for is the right one: pseudo-words, on text held out.

    python benchmarks/disambiguation.py wiki.txt
    python benchmarks/disambiguation.py wiki.txt --tokens 20_000_000 --epochs 3 --workers 1 --json

Pairs of unrelated words are merged in the text, all their occurrences, before training: 60 pairs of equal frequency
and 60 of 1:5. Every tenth sentence is held out. Each component of a pseudo-word is given to the word that most of the
training occurrences belong to for which the component is the most probable one; nothing about the held-out text is
used. The accuracy is the share of held-out occurrences whose most probable component belongs to the word that stood
there; the guess to beat always answers with the pair's word that is more frequent in the training text. Both are over
occurrences; "pairs" is the mean over pairs, "better" the share of pairs where the senses beat the guess.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import judges
import machine
import pseudowords
from quality import Text, first_lines
from w2gm.config import Config
from w2gm.corpus import SENTENCE_END, encode
from w2gm.model import Model
from w2gm.query.context import posteriors
from w2gm.training.progress import Progress
from w2gm.training.trainer import Trainer
from w2gm.vocabulary import Vocabulary

PAIRS_EACH = 60
HELD_OUT_EVERY = 10
MOST_ASSIGNED = 1000  # training occurrences of a pair that decide whose its components are
Ids = npt.NDArray[np.int32]


class Occurrences(NamedTuple):
    """Where pseudo-words stand: the pair (N,), whether its second word stood there (N,), the words around each."""

    pairs: npt.NDArray[np.int64]
    second: npt.NDArray[np.bool_]
    contexts: list[Ids]


def merge(ids: Ids, pairs: list[pseudowords.PseudoWord], words: int) -> Ids:
    """The ids with pseudo-word `words` + k in place of both words of pair k."""
    target = np.arange(-1, words, dtype=np.int32)
    for number, pair in enumerate(pairs):
        target[[pair.first + 1, pair.second + 1]] = words + number
    return target[np.asarray(ids) + 1]


def hold_out(ids: Ids) -> tuple[Ids, Ids]:
    """(the text trained on, the text held out): every tenth sentence is held out."""
    ends = ids == SENTENCE_END
    held = (np.cumsum(ends) - ends) % HELD_OUT_EVERY == HELD_OUT_EVERY - 1
    return ids[~held], ids[held]


def occurrences(
    ids: Ids, pairs: list[pseudowords.PseudoWord], words: int, window: int, most: int | None = None
) -> Occurrences:
    """Every occurrence of the pairs' words, or `most` of each pair, spread evenly; windows stay in the sentence."""
    merged = merge(ids, pairs, words)
    number, second, contexts = [], [], []
    for k, pair in enumerate(pairs):
        places = np.flatnonzero(merged == words + k)
        if most is not None and len(places) > most:
            places = places[np.linspace(0, len(places) - 1, most).astype(np.int64)]
        for place in places.tolist():
            before, after = merged[max(0, place - window) : place], merged[place + 1 : place + 1 + window]
            before = before[np.append(np.flatnonzero(before == SENTENCE_END) + 1, 0).max() :]
            ends = np.flatnonzero(after == SENTENCE_END)
            contexts.append(np.concatenate([before, after[: ends[0]] if len(ends) else after]))
            number.append(k)
            second.append(ids[place] == pair.second)
    return Occurrences(np.array(number), np.array(second), contexts)


def train(ids: Ids, names: list[str], config: Config) -> Model:
    """A model of the merged text."""
    counts = np.maximum(1, np.bincount(ids[ids >= 0], minlength=len(names)))  # merged words are not seen any more
    trainer = Trainer(Text(ids, Vocabulary(names, counts)), config)
    trainer.compile()
    trainer.run(Progress())
    inputs, outputs = trainer.mixtures()
    return Model(Vocabulary(names, counts), inputs, config=config, provenance={}, context=outputs)


def owners(chosen: npt.NDArray[np.int64], seen: Occurrences, pairs: int, senses: int) -> npt.NDArray[np.bool_]:
    """(pairs, K): whether a component belongs to the pair's second word; one that never wins, to the usual word."""
    tally = np.zeros((pairs, senses, 2), np.int64)
    np.add.at(tally, (seen.pairs, chosen, seen.second.astype(np.int64)), 1)
    usual = tally.sum(axis=1)
    tally = np.where(tally.sum(axis=2, keepdims=True) > 0, tally, usual[:, np.newaxis])
    return tally[..., 1] > tally[..., 0]


def judge(model: Model, seen: Occurrences, held: Occurrences, pairs: list[pseudowords.PseudoWord]) -> dict[str, Any]:
    """The figures of both ratios."""
    words = len(model) - len(pairs)
    chosen, answers = (posteriors(model, words + part.pairs, part.contexts).argmax(axis=1) for part in (seen, held))
    belongs = owners(chosen, seen, len(pairs), model.senses)
    right = belongs[held.pairs, answers] == held.second
    usual = np.bincount(seen.pairs, np.where(seen.second, 1.0, -1.0), minlength=len(pairs)) > 0
    guessed = usual[held.pairs] == held.second
    result = {}
    for ratio in (pseudowords.EQUAL, pseudowords.ONE_TO_FIVE):
        numbers = [k for k, pair in enumerate(pairs) if pair.ratio == ratio]
        mine = [held.pairs == k for k in numbers]
        each = [(right[where].mean(), guessed[where].mean()) for where in mine if where.any()]
        every = np.logical_or.reduce(mine)
        result[ratio] = {
            "pairs": len(numbers),
            "occurrences": int(every.sum()),
            "accuracy": round(100 * float(right[every].mean()), 2),
            "most_frequent": round(100 * float(guessed[every].mean()), 2),
            "accuracy_pairs": round(100 * float(np.mean([one for one, _ in each])), 2),
            "better": round(100 * float(np.mean([one > other for one, other in each])), 1),
            "both_senses": round(100 * float(np.mean(belongs[numbers].any(1) & ~belongs[numbers].all(1))), 1),
        }
    return result


def main() -> None:
    """Merge, train, judge, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path, help="a text file, one sentence or paragraph a line")
    parser.add_argument("--tokens", type=int, default=0, help="take the first lines only, until they hold so many")
    parser.add_argument("--epochs", type=int, default=Config().epochs)
    parser.add_argument("--senses", type=int, default=Config().senses)
    parser.add_argument("--workers", type=int, default=Config().threads)
    parser.add_argument("--seed", type=int, default=Config().seed)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir(), "w2gm-quality"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    config = Config(epochs=options.epochs, senses=options.senses, workers=options.workers, seed=options.seed)
    file = first_lines(options.text, options.tokens, options.folder) if options.tokens else options.text
    with encode(file, config, cache=options.folder / "cache", workers=config.threads) as corpus:
        ids, names = np.array(corpus.ids), list(corpus.vocabulary.words)
        obvious = {name for word, lists in judges.OBVIOUS.items() for name in (word, *" ".join(lists).split())}
        pairs = pseudowords.choose(names, corpus.vocabulary.counts, obvious, PAIRS_EACH, seed=1)
    trained, kept = hold_out(ids)
    merged_names = names + [f"{names[pair.first]}+{names[pair.second]}" for pair in pairs]
    model = train(merge(trained, pairs, len(names)), merged_names, config)
    seen = occurrences(trained, pairs, len(names), config.window, MOST_ASSIGNED)
    held = occurrences(kept, pairs, len(names), config.window)
    figures = {"tokens": len(ids), "config": config.to_dict(), "ratios": judge(model, seen, held, pairs)}
    if options.json:
        print(json.dumps({"machine": machine.describe(), **figures}, indent=1))
        return
    for name, fact in {**machine.describe(), "tokens": len(ids), **figures["ratios"]}.items():
        print(f"{name}: {fact}")


if __name__ == "__main__":
    main()
