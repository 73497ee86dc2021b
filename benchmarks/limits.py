"""What would limit many threads, by arithmetic from what one thread does here: docs/speed.md explains the figures.

    python benchmarks/limits.py
    python benchmarks/limits.py --cache-megabytes 32 --bandwidth 200 400 --threads 16 64 --json

Measured: triples a second of one thread, triples per id, and Python's time per chunk, during which it holds the
interpreter's lock; in processor time, which a busy machine spoils least. Counted: bytes of a row. Modelled, on words
after Zipf's law: which rows the cache holds, and how often another thread has written a row since this one used it.
What follows for many threads is extrapolation, not measurement.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import machine
from kernel import CHUNK, best_separate_trainer, our_run, zipf_stream
from w2gm.config import Config
from w2gm.frequencies import keep_probabilities, noise_distribution
from w2gm.kernels.sampling import SENTENCE_END
from w2gm.training.tables import layout_of
from w2gm.training.trainer import Trainer
from w2gm.vocabulary import Vocabulary

STREAM = 300_000  # ids of the stream that one thread is timed on
SENTENCE = 25


def python_seconds_per_chunk(rounds: int) -> float:
    """All that a worker does for a chunk except training it: dealing, the call, the tallies. The best of `rounds`."""
    chunks, words = 210, 1000
    ids, counts = zipf_stream(words, chunks * CHUNK)
    ids[SENTENCE::SENTENCE] = SENTENCE_END
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "ids")
        ids.tofile(place)
        mapped = np.memmap(place, np.int32, "r")  # as a corpus has them: their slices cost more than an array's
        corpus: Any = SimpleNamespace(ids=mapped, vocabulary=Vocabulary([str(word) for word in range(words)], counts))
        found = []
        for _ in range(rounds):
            trainer = Trainer(corpus, Config(workers=1, epochs=1))
            assert trainer.chunk == CHUNK
            train = trainer._train
            trainer._train = lambda ids, bounds, *rest, train=train: train(ids, (0, 0), *rest)
            trainer.compile()
            done = 0
            started = time.process_time()
            while trainer._work(0):
                done += 1
            found.append((time.process_time() - started) / done)
        del mapped, corpus, trainer
    return min(found)


def one_thread(words: int, config: Config, rounds: int) -> tuple[float, float]:
    """Triples a second, the best of `rounds`, and triples per id."""
    ids, counts = zipf_stream(words, STREAM)
    run = our_run(best_separate_trainer, ids, counts, config)
    run()
    best, triples = 0.0, 0
    for _ in range(rounds):
        started = time.process_time()
        triples = run()
        best = max(best, triples / (time.process_time() - started))
    return best, triples / STREAM


def traffic(words: int, config: Config, cache: float) -> dict[str, float]:
    """Bytes between cache and memory per triple, each row read once and written back once.

    A centre's row is used in all its triples, a context's row again by the centres beside it: both are fetched once
    for a word of the text, that is once for the triples of a window. A negative's row is fetched for one triple.
    "all" is without any cache beyond the window's; "cached" where the cache holds the most frequent words' rows of
    the output table, as many as fit, and everything else misses.
    """
    row = layout_of(config).width * 4
    window = (1 + config.window) * config.negative if config.shrink_windows else 2 * config.window * config.negative
    _, counts = zipf_stream(words, 1)
    noise = noise_distribution(counts, config.ns_exponent)
    kept = kept_shares(counts, config)
    held = int(cache // row)
    misses = noise[held:].sum() + kept[held:].sum() / window + 1 / window
    return {
        "row_bytes": row, "table_megabytes": 2 * words * row / 1e6, "rows_in_cache": min(held, words),
        "negative_misses": float(noise[held:].sum()), "bytes_all": 2 * row * (1 + 2 / window),
        "bytes_cached": 2 * row * float(misses),
    }  # fmt: skip


def kept_shares(counts: np.ndarray, config: Config) -> np.ndarray:
    """Each word's share of the words left by subsampling."""
    kept = keep_probabilities(counts, config.sample) * counts
    return kept / kept.sum()


def collisions(words: int, config: Config, threads: int) -> float:
    """Chance that a context's row, when it is used again, was written by another thread since.

    A context is used again after about two centres' triples. Meanwhile each other thread has touched as many
    contexts and as many negatives, drawn independently: more even than text is, so this is rather too high.
    """
    _, counts = zipf_stream(words, 1)
    kept, noise = kept_shares(counts, config), noise_distribution(counts, config.ns_exponent)
    between = 2 * (1 + config.window) * config.negative
    return float((kept * -np.expm1(-(threads - 1) * between * (kept + noise))).sum())


def main() -> None:
    """Measure, count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--senses", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--words", type=int, nargs="+", default=[70_000, 314_000])
    parser.add_argument("--cache-megabytes", type=float, default=32, help="last-level cache a thread reaches")
    parser.add_argument("--bandwidth", type=float, nargs="+", default=[200, 400], help="memory's, in GB/s")
    parser.add_argument("--threads", type=int, nargs="+", default=[2, 16, 64])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    python = python_seconds_per_chunk(options.rounds)
    rows = []
    for words in options.words:
        for senses in options.senses:
            config = Config(senses=senses)
            rate, per_id = one_thread(words, config, options.rounds)
            moved = traffic(words, config, options.cache_megabytes * 1e6)
            chunk = CHUNK * per_id / rate
            rows.append(
                {
                    "senses": senses, "words": words, "triples_per_second": rate, **moved,
                    "gigabytes_per_second_all": rate * moved["bytes_all"] / 1e9,
                    "gigabytes_per_second_cached": rate * moved["bytes_cached"] / 1e9,
                    "chunk_milliseconds": chunk * 1e3, "threads_of_the_lock": (chunk + python) / python,
                    "collisions": {threads: collisions(words, config, threads) for threads in options.threads},
                }
            )  # fmt: skip
    facts = machine.describe() | {"load average": round(os.getloadavg()[0], 1)}
    if options.json:
        print(json.dumps({"machine": facts, "python_seconds_per_chunk": python, "rows": rows}, indent=1))
        return
    print(*(f"{name}: {fact}" for name, fact in facts.items()), sep="\n")
    print(f"Python per chunk of {CHUNK:,} ids: {python * 1e6:.0f} microseconds")
    show(rows, options.bandwidth, options.threads)


def show(rows: list[dict[str, Any]], bandwidths: list[float], threads: list[int]) -> None:
    """Two tables: memory, then lock and collisions."""
    heads = ["row B", "tables MB", "neg. misses", "B/triple", "M triples/s", "GB/s"]
    heads += [f"threads at {bandwidth:.0f}" for bandwidth in bandwidths]
    print("\nmemory, one thread: with the cache - without" + "\n" + f"{'K':>2}{'words':>8}", end="")
    print("".join(f"{head:>16}" for head in heads))
    for row in rows:
        low, high = row["gigabytes_per_second_cached"], row["gigabytes_per_second_all"]
        cells = [
            f"{row['row_bytes']}", f"{row['table_megabytes']:.0f}", f"{row['negative_misses']:.0%}",
            f"{row['bytes_cached']:.0f} - {row['bytes_all']:.0f}", f"{row['triples_per_second'] / 1e6:.2f}",
            f"{low:.1f} - {high:.1f}",
        ]  # fmt: skip
        cells += [f"{bandwidth / low:.0f} - {bandwidth / high:.0f}" for bandwidth in bandwidths]
        print(f"{row['senses']:>2}{row['words']:>8}" + "".join(f"{cell:>16}" for cell in cells))
    heads = ["chunk ms", "lock allows"] + [f"shared at {count}" for count in threads]
    print("\nlock and collisions\n" + f"{'K':>2}{'words':>8}" + "".join(f"{head:>16}" for head in heads))
    for row in rows:
        cells = [f"{row['chunk_milliseconds']:.1f}", f"{row['threads_of_the_lock']:.0f}"]
        cells += [f"{row['collisions'][count]:.1%}" for count in threads]
        print(f"{row['senses']:>2}{row['words']:>8}" + "".join(f"{cell:>16}" for cell in cells))


if __name__ == "__main__":
    main()
