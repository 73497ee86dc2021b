"""How fast neighbours are found: exactly, by every measure, alone and 64 at once; and by the index, with its recall.

    python benchmarks/queries.py
    python benchmarks/queries.py --model path/to/model --json
    python benchmarks/queries.py --means random --covariance diagonal

The table is made up so that its neighbourhoods are like those of trained means: areas, topics in them, words in
these, fewer directions that matter than there are dimensions. `--means random` has none of it: the worst that an
index can meet, and nothing that training makes. Every figure is a whole `most_similar` call after loading and a first
query; the median of words of all frequencies is held against the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import machine
from w2gm.config import Config
from w2gm.model import Mixtures, Model, load
from w2gm.query.similar import MEASURES
from w2gm.vocabulary import Vocabulary

BATCH = 64
EXACT_LIMIT, INDEX_LIMIT, RECALL_LIMIT = 15.0, 1.0, 0.95
SAMPLE = 500


def made_up(words: int, senses: int, dimensions: int, means: str, covariance: str) -> Model:
    """A model of that size; see above."""
    random = np.random.default_rng(1)
    shape = (words, senses, dimensions)
    table = random.standard_normal(shape, dtype=np.float32)
    if means == "clustered":
        areas = random.standard_normal((40, dimensions), dtype=np.float32)
        topics = areas[random.integers(0, 40, 2000)] + random.standard_normal((2000, dimensions), dtype=np.float32)
        table *= np.float32(0.7)
        table += topics[random.integers(0, 2000, shape[:2])]
        # The strength of a direction falls with its number, as the singular values of trained means do.
        table *= (1 + np.arange(dimensions, dtype=np.float32)) ** np.float32(-0.3)
    spread = 0.5 * random.standard_normal(shape if covariance == "diagonal" else shape[:2], dtype=np.float32) - 2
    weights = random.dirichlet(np.ones(senses), words).astype(np.float32)
    weights = np.maximum(weights, np.float32(1e-4))
    weights /= weights.sum(axis=1, keepdims=True)
    names = [f"word{number}" for number in range(words)]
    config = Config(senses=senses, vector_size=dimensions, covariance=covariance)
    vocabulary = Vocabulary(names, np.arange(words, 0, -1))
    return Model(vocabulary, Mixtures(table, spread, weights), config=config, provenance={})


def milliseconds(work: Callable[[int], Any], rounds: int) -> dict[str, float]:
    """Best and median time of `work(0)` ... `work(rounds - 1)`, after one round that does not count."""
    work(0)
    times = []
    for number in range(rounds):
        start = time.perf_counter()
        work(number)
        times.append(1e3 * (time.perf_counter() - start))
    return {"best": min(times), "median": statistics.median(times)}


def exact(model: Model, rounds: int) -> Iterator[dict[str, Any]]:
    """Every measure: one sense, one word, and 64 senses at once (per sense)."""
    step = max(1, len(model) // max(rounds, BATCH))
    words = model.index_to_key[::step]
    keys = [f"{word}:0" for word in words[:BATCH]]
    for by in MEASURES:
        one = milliseconds(lambda number, by=by: model.most_similar(words[number], sense=0, by=by), rounds)
        yield {"query": f"{by}, one sense", **one, "limit": EXACT_LIMIT}
        one = milliseconds(lambda number, by=by: model.most_similar(words[number], by=by), rounds)
        yield {"query": f"{by}, one word", **one, "limit": EXACT_LIMIT}
        batch = milliseconds(lambda _, by=by: model.most_similar_batch(keys, by=by), 3)
        yield {"query": f"{by}, each of {BATCH} senses", **{name: t / BATCH for name, t in batch.items()}}


def by_index(model: Model, rounds: int) -> Iterator[dict[str, Any]]:
    """The index: its making, its queries, and its recall on other senses than those it was measured with."""
    facts = model.build_index()
    seconds = 1e3 * facts.seconds
    yield {"query": f"index, making (width {facts.expansion_search})", "best": seconds, "median": seconds}
    random = np.random.default_rng(2)
    numbers = random.choice(len(model), min(SAMPLE, len(model)), replace=False).tolist()
    keys = [f"{model.index_to_key[number]}:{number % model.senses}" for number in numbers]
    assert model.folder is not None
    fresh = load(model.folder)
    start = time.perf_counter()
    fresh.most_similar(keys[0], index=True)
    opening = 1e3 * (time.perf_counter() - start)
    yield {"query": "index, opening and the first query", "best": opening, "median": opening}
    model.most_similar(keys[0], index=True)
    found, truth = (model.most_similar_batch(keys, index=index) for index in (True, False))
    pairs = [({a[0] for a in one}, {a[0] for a in two}) for one, two in zip(found, truth, strict=True)]
    recall = sum(len(one & two) for one, two in pairs) / sum(len(two) for _, two in pairs)
    rounds = min(len(keys), 10 * rounds)
    one = milliseconds(lambda number: model.most_similar(keys[number], index=True), rounds)
    yield {"query": "index, one sense", **one, "limit": INDEX_LIMIT, "recall": recall}
    words = [model.index_to_key[number] for number in numbers]
    one = milliseconds(lambda number: model.most_similar(words[number], index=True), rounds)
    yield {"query": "index, one word", **one, "limit": INDEX_LIMIT}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=300_000)
    parser.add_argument("--senses", type=int, default=2)
    parser.add_argument("--vector-size", type=int, default=50)
    parser.add_argument("--covariance", choices=["spherical", "diagonal"], default="spherical")
    parser.add_argument("--means", choices=["clustered", "random"], default="clustered")
    parser.add_argument("--model", type=Path, help="a model folder instead; its index is made elsewhere")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--no-index", action="store_true", help="exact queries only: making an index takes minutes")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.model:
        model, about = load(options.model), str(options.model)
    else:
        size = (options.words, options.senses, options.vector_size)
        model, about = made_up(*size, options.means, options.covariance), f"{options.means} means"
    rows = list(exact(model, options.rounds))
    if not options.no_index:
        with tempfile.TemporaryDirectory() as folder:
            model.save(Path(folder) / "model")
            rows += by_index(model, options.rounds)
    for row in rows:
        limit = row.get("limit")
        row["within"] = None if limit is None else row["median"] <= limit and row.get("recall", 1) >= RECALL_LIMIT
    facts = machine.describe() | {"table": f"{model}, {about}", "load": round(os.getloadavg()[0], 1)}
    if options.json:
        print(json.dumps({"machine": facts, "rows": rows}, indent=1))
        return
    print(*(f"{name}: {fact}" for name, fact in facts.items()), sep="\n")
    print(f"{'milliseconds':<36}{'best':>9}{'median':>9}{'limit':>7}")
    for row in rows:
        limit = "" if row.get("limit") is None else f"{row['limit']:.0f}"
        notes = f"  recall@10 {row['recall']:.3f}" if "recall" in row else ""
        notes += "  over" if row["within"] is False else ""
        print(f"{row['query']:<36}{row['best']:>9.2f}{row['median']:>9.2f}{limit:>7}{notes}")


if __name__ == "__main__":
    main()
