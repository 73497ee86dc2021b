"""Development sets made from WordNet's files (Debian: wordnet-base): settings are not chosen on the paper's sets.

"Relations" grades pairs by how WordNet relates them: 4 share a synset, 3 one is the other's hypernym, 2 share a
hypernym, 2 one stands in the other's gloss, 0 the same words paired anew. "Entailment" are nouns with a hypernym up
to three steps above; of the negatives a third are such pairs turned round and two thirds paired anew. Pairs of the
paper's sets are left out.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from pathlib import Path

import numpy as np

from measures import lowered, paper_sets
from w2gm.evaluation import Entailment, Pairs

PER_GRADE = 1500
HYPERNYMS = ("@", "@i")


class WordNet:
    """Synsets of nouns, verbs and adjectives: words, hypernyms and glosses; and the first senses of each word."""

    def __init__(self, folder: Path, senses: int = 2) -> None:
        self.words: dict[str, list[str]] = {}
        self.above: dict[str, list[str]] = {}
        self.gloss: dict[str, str] = {}
        self.senses: dict[str, list[str]] = defaultdict(list)
        for kind in ("noun", "verb", "adj"):
            for line in (folder / f"data.{kind}").read_text("latin-1").splitlines():
                if not line.startswith("  "):
                    self._read_synset(line, kind)
            for line in (folder / f"index.{kind}").read_text("latin-1").splitlines():
                if not line.startswith("  "):
                    parts = line.split()
                    count = int(parts[2])
                    self.senses[parts[0]] += [f"{kind} {place}" for place in parts[-count:][:senses]]

    def _read_synset(self, line: str, kind: str) -> None:
        facts, _, gloss = line.partition(" | ")
        parts = facts.split()
        key, count = f"{kind} {parts[0]}", int(parts[3], 16)
        self.words[key] = [parts[4 + 2 * k].lower().split("(")[0] for k in range(count)]
        pointers = parts[4 + 2 * count + 1 :]
        self.above[key] = [
            f"{kind} {pointers[at + 1]}" for at in range(0, len(pointers) - 3, 4) if pointers[at] in HYPERNYMS
        ]
        self.gloss[key] = gloss.split('"')[0]


def development_sets(folder: Path, evaluation: Path, known: list[str]) -> tuple[Pairs, Entailment]:
    """(relations, entailment) over `known` words, frequent first; the same for the same words."""
    net, draw = WordNet(folder), random.Random(1)
    left_out = {frozenset(pair) for one in paper_sets(evaluation) for pair in lowered(one)}
    words = [word for word in known if word in net.senses and len(word) > 2 and word.isalpha()]
    inside = set(words)
    below: dict[str, list[str]] = defaultdict(list)
    for synset, above in net.above.items():
        for one in above:
            below[one].append(synset)
    graded: dict[str, set[tuple[str, str]]] = {
        grade: set() for grade in ("same", "above", "beside", "gloss", "entailed")
    }
    for word in words:
        for synset in net.senses[word]:
            graded["same"] |= {(word, other) for other in net.words[synset]}
            for above in net.above[synset]:
                graded["above"] |= {(word, other) for other in net.words[above]}
                if len(below[above]) <= 30:
                    graded["beside"] |= {(word, other) for beside in below[above] for other in net.words[beside]}
            graded["gloss"] |= {
                (word, other) for other in re.findall("[a-z]+", net.gloss[synset].lower()) if len(other) > 3
            }
            if synset.startswith("noun"):
                level = [synset]
                for _ in range(3):
                    level = [above for one in level for above in net.above[one]]
                    graded["entailed"] |= {(word, other) for one in level for other in net.words[one]}
    chosen: dict[str, list[tuple[str, str]]] = {}
    for grade, pairs in graded.items():
        good = sorted(p for p in pairs if p[0] != p[1] and p[1] in inside and frozenset(p) not in left_out)
        draw.shuffle(good)
        chosen[grade] = good[:PER_GRADE]
    related = [pair for grade in ("same", "above", "beside", "gloss") for pair in chosen[grade]]
    ratings = [
        rating for grade, rating in (("same", 4), ("above", 3), ("beside", 2), ("gloss", 2)) for _ in chosen[grade]
    ]
    chance = _paired_anew(related, draw)
    relations = Pairs("relations", related + chance, np.array(ratings + [0] * len(chance), np.float64))
    entailed = chosen["entailed"]
    third = len(entailed) // 3
    negatives = [(b, a) for a, b in entailed[:third]] + _paired_anew(entailed[third:], draw)
    truth = np.repeat([True, False], [len(entailed), len(negatives)])
    return relations, Entailment("entailment", entailed + negatives, truth)


def _paired_anew(pairs: list[tuple[str, str]], draw: random.Random) -> list[tuple[str, str]]:
    seconds = [other for _, other in pairs]
    draw.shuffle(seconds)
    return [(one, other) for (one, _), other in zip(pairs, seconds, strict=True)]
