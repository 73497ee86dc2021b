"""How fast text becomes ids on disk, and how that compares with reading and decompressing it alone.

    python benchmarks/corpus.py corpus.txt
    python benchmarks/corpus.py corpus.txt.gz --workers 2 --rounds 5 --json

Every round builds the store anew in an empty cache. The file is read once before, so that the disk does not count,
and read (and decompressed) alone in every round, a .gz by the gzip program too. CPU seconds are those of all threads:
on a machine that others use too they tell more than the wall clock, whose best round is taken.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import machine
from w2gm.config import Config
from w2gm.corpus import encode
from w2gm.text.compression import LONGEST_MAGIC, compression_of, plain_pieces


def read_alone(path: Path) -> tuple[str, float]:
    """How the file is compressed and the seconds it takes to read and decompress it, nothing else."""
    started = time.perf_counter()
    with path.open("rb", buffering=0) as file:
        head = file.read(LONGEST_MAGIC)
        for _ in plain_pieces(file, str(path), head):
            pass
    return compression_of(str(path), head) or "plain", time.perf_counter() - started


def gunzip_alone(path: Path) -> float:
    """The seconds that the gzip program takes to decompress the file."""
    started = time.perf_counter()
    subprocess.run(["gzip", "-dc", path], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def measure(path: Path, config: Config, workers: int, rounds: int) -> dict[str, Any]:
    """Build the store of a text several times; the figures."""
    # Compile first; a cold compiler is another measurement.
    encode(["compile the kernels", "compile"], Config(min_count=1)).close()
    kind, _ = read_alone(path)
    wall, processor, reading, gunzip = [], [], [], []
    by_program = kind == "gzip" and shutil.which("gzip") is not None
    for _ in range(rounds):
        reading.append(read_alone(path)[1])
        if by_program:
            gunzip.append(gunzip_alone(path))
        with tempfile.TemporaryDirectory() as cache:
            started, cpu = time.perf_counter(), time.process_time()
            with encode(path, config, cache=Path(cache), workers=workers) as corpus:
                wall.append(time.perf_counter() - started)
                processor.append(time.process_time() - cpu)
                tokens, words = corpus.raw_tokens, len(corpus.vocabulary)
    return {
        "file": path.name,
        "compression": kind,
        "raw_tokens": tokens,
        "words": words,
        "workers": workers,
        "rounds": rounds,
        "million_tokens_per_second_best": round(tokens / min(wall) / 1e6, 2),
        "million_tokens_per_second_median": round(tokens / statistics.median(wall) / 1e6, 2),
        "seconds_best": round(min(wall), 2),
        "seconds_median": round(statistics.median(wall), 2),
        "cpu_seconds_best": round(min(processor), 2),
        "reading_alone_seconds_best": round(min(reading), 2),
        "gzip_program_seconds_best": round(min(gunzip), 2) if gunzip else None,
        "peak_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3),
        "load": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--workers", type=int, default=Config().threads)
    parser.add_argument("--min-count", type=int, default=Config().min_count)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure(options.file, Config(min_count=options.min_count), options.workers, options.rounds)
    if options.json:
        print(json.dumps({"machine": machine.describe(), **figures}, indent=1))
        return
    for name, fact in {**machine.describe(), **figures}.items():
        print(f"{name.replace('_', ' ')}: {fact}")


if __name__ == "__main__":
    main()
