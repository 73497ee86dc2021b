"""The training step alone, one thread, on a synthetic Zipf stream: triples per second.

    python benchmarks/kernel.py                                   vectors beside plain loops
    python benchmarks/kernel.py --peer naive_kernel.py            beside a peer in a file, in the same run
    python benchmarks/kernel.py --senses 2 --words 70000 --json
    python benchmarks/kernel.py --instructions                    and count the instructions of a triple by callgrind

A peer is a module with `make_kernel(K, D)` that returns the training function of the straightforward Numba kernel
this project started from; it is called with the same words, windows and negatives. All kernels take turns, round
after round, because machines are shared: compare medians of one run, never figures of two.

Instructions are counted in processes of their own under valgrind, which knows no AVX-512: the kernel is compiled for
AVX2 there, first without valgrind into the compiler's cache. Two streams, one twice as long, tell which are its own.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import machine
from w2gm.config import Config
from w2gm.kernels.choice import best_trainer
from w2gm.kernels.general import make_tallies, make_trainer
from w2gm.kernels.windows import make_scratch
from w2gm.training.sampling import make_sampler
from w2gm.training.stage import step_of, window_of
from w2gm.training.tables import initial_tables, layout_of

CHUNK = 20_000
COUNTED_TOKENS = 10_000
Run = Callable[[], int]


def zipf_stream(words: int, tokens: int) -> tuple[np.ndarray, np.ndarray]:
    """Ids (tokens,) drawn from Zipf's law without sentence ends, and the counts (words,) that rule the draws."""
    shares = 1 / np.arange(1, words + 1)
    shares /= shares.sum()
    ids = np.random.default_rng(1).choice(words, size=tokens, p=shares).astype(np.int32)
    return ids, np.maximum(1, (shares * 1e9).astype(np.int64))


def our_run(kernel: str, ids, counts, config: Config) -> Run:
    """One pass over the stream by one of our kernels, "vectors" or "loops"; returns the triples trained."""
    layout = layout_of(config)
    tables, sampler = initial_tables(len(counts), config), make_sampler(counts, config)
    window = window_of(config)
    train = best_trainer(layout, False, window.pooled) if kernel == "vectors" else make_trainer(layout)
    scratch, tallies = make_scratch(layout, CHUNK, window), make_tallies()
    step = step_of(config, config.alpha)

    def run() -> int:
        tallies.counts[:] = 0
        state = np.array([88172645463325252], np.uint64)
        for start in range(0, len(ids), CHUNK):
            bounds = (start, min(start + CHUNK, len(ids)))
            train(ids, bounds, tables, sampler, window, step, (state, scratch, tallies))
        return int(tallies.counts[0])

    return run


def peer_run(path: Path, ids, counts, config: Config) -> Run:
    """The same pass by the peer's kernel."""
    specification = importlib.util.spec_from_file_location("peer", path)
    assert specification is not None
    assert specification.loader is not None
    peer = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(peer)
    words, K, D = len(counts), config.senses, layout_of(config).padded
    sampler = make_sampler(counts, config)
    train = peer.make_kernel(K, D)
    tables = []
    for source in initial_tables(words, config)[:2]:
        means = np.ascontiguousarray(source[:, : K * D])
        log_variances = np.full((words, K), math.log(config.init_variance), np.float32)
        sums = [
            np.full(shape, config.initial_accumulator, np.float32) for shape in ((words, K * D), *[(words, K)] * 2)
        ]
        tables += [means, log_variances, np.zeros((words, K), np.float32), *sums]
    low, high = np.float32(math.log(config.min_variance)), np.float32(math.log(config.max_variance))
    rates = (config.vector_size, config.alpha, config.alpha)

    def run() -> int:
        progress, stats = np.zeros(1), np.zeros(4)
        for start in range(0, len(ids), CHUNK):
            stop = min(start + CHUNK, len(ids))
            train(
                ids, start, stop, sampler.keep, sampler.threshold, sampler.alias, *tables, config.window,
                np.float32(config.margin), *rates, progress, 1e18, 88172645463325252, low, high, stats, False,
            )  # fmt: skip
        return int(stats[1])

    return run


def instructions_per_triple(senses: int, words: int) -> float | None:
    """Instructions of the pooled vector kernel, by callgrind; None where there is no valgrind."""
    if shutil.which("valgrind") is None:
        return None
    command = [sys.executable, __file__, "--senses", str(senses), "--words", str(words), "--once", "--tokens"]
    environment = os.environ | {
        "NUMBA_CPU_NAME": "haswell",
        "NUMBA_CPU_FEATURES": "+avx,+avx2,+bmi,+bmi2,+fma,+popcnt,+sse,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3",
        "OPENBLAS_CORETYPE": "Haswell",
    }
    subprocess.run([*command, "1"], env=environment, check=True, capture_output=True)
    counts = []
    for tokens in (COUNTED_TOKENS, 2 * COUNTED_TOKENS):
        grind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command, str(tokens)]
        done = subprocess.run(grind, env=environment, check=True, capture_output=True, text=True)
        counted = re.search(r"Collected : (\d+)", done.stderr)
        assert counted is not None, done.stderr
        counts.append((int(counted[1]), int(done.stdout)))
    (less, fewer), (more, triples) = counts
    return (more - less) / (triples - fewer)


def measure(runs: dict[str, Run], rounds: int) -> dict[str, list[float]]:
    """Triples per second of each, round by round, the first round thrown away."""
    speeds: dict[str, list[float]] = {name: [] for name in runs}
    for round_number in range(rounds + 1):
        for name, run in runs.items():
            started = time.perf_counter()
            triples = run()
            if round_number:
                speeds[name].append(triples / (time.perf_counter() - started))
    return speeds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--senses", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--words", type=int, nargs="+", default=[70_000, 314_000])
    parser.add_argument("--tokens", type=int, default=300_000, help="length of the stream")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peer", type=Path, help="a module with make_kernel(K, D)")
    parser.add_argument("--instructions", action="store_true", help="count the instructions of a triple too")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.once:
        print(our_run("vectors", *zipf_stream(options.words[0], options.tokens), Config(senses=options.senses[0]))())
        return
    rows = []
    for words in options.words:
        ids, counts = zipf_stream(words, options.tokens)
        for senses in options.senses:
            counted = instructions_per_triple(senses, words) if options.instructions else None
            own, pooled = (Config(senses=senses, pool_negatives=pool) for pool in (False, True))
            config = own
            runs = {
                "vectors": our_run("vectors", ids, counts, own),
                "pooled": our_run("vectors", ids, counts, pooled),
                "loops": our_run("loops", ids, counts, own),
            }
            if options.peer:
                runs["peer"] = peer_run(options.peer, ids, counts, config)
            speeds = measure(runs, options.rounds)
            base = statistics.median(speeds["peer" if options.peer else "loops"])
            for name, found in speeds.items():
                middle = statistics.median(found)
                rows.append(
                    {
                        "senses": senses, "words": words, "kernel": name, "triples_per_second": middle,
                        "lowest": min(found), "highest": max(found), "ratio": middle / base,
                        "instructions_per_triple": counted if name == "pooled" else None,
                    }
                )  # fmt: skip
    if options.json:
        print(json.dumps({"machine": machine.describe(), "rows": rows}, indent=1))
        return
    print(*(f"{name}: {fact}" for name, fact in machine.describe().items()), sep="\n")
    print(
        f"{'K':>2} {'words':>8} {'kernel':<8} {'M triples/s':>12} {'lowest':>8} {'highest':>8} {'ratio':>6} "
        f"{'instructions':>13}"
    )
    for row in rows:
        counted = row["instructions_per_triple"]
        print(
            f"{row['senses']:>2} {row['words']:>8} {row['kernel']:<8} {row['triples_per_second'] / 1e6:12.2f} "
            f"{row['lowest'] / 1e6:8.2f} {row['highest'] / 1e6:8.2f} {row['ratio']:6.2f} "
            f"{'' if counted is None else format(counted, '.0f'):>13}"
        )


if __name__ == "__main__":
    main()
