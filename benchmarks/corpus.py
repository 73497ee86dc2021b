"""How fast text becomes ids on disk: `python benchmarks/corpus.py FILE [--workers N] [--min-count N] [--rounds N]`.

Every round builds the store anew in an empty cache. The file is read once before, so that the disk does not count,
and for a compressed one the speed of decompression alone is measured in the same run.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from w2gm.config import Config
from w2gm.corpus import encode
from w2gm.text.compression import LONGEST_MAGIC, compression_of, plain_pieces


def processor() -> str:
    """The name of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]} x {len(names)}" if names else platform.processor()


def commit() -> str:
    """The commit the code is at, marked if it was changed since."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def read_alone(path: Path) -> tuple[str, float]:
    """How the file is compressed and the seconds it takes to read and decompress it, nothing else."""
    started = time.perf_counter()
    with path.open("rb", buffering=0) as file:
        head = file.read(LONGEST_MAGIC)
        for _ in plain_pieces(file, str(path), head):
            pass
    return compression_of(str(path), head) or "plain", time.perf_counter() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--workers", type=int, default=Config().threads)
    parser.add_argument("--min-count", type=int, default=Config().min_count)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    config = Config(min_count=arguments.min_count)

    # Compile first; a cold compiler is another measurement.
    encode(["compile the kernels", "compile"], Config(min_count=1)).close()
    read_alone(arguments.file)
    seconds, reading = [], []
    for _ in range(arguments.rounds):
        kind, alone = read_alone(arguments.file)
        reading.append(alone)
        with tempfile.TemporaryDirectory() as cache:
            started = time.perf_counter()
            with encode(arguments.file, config, cache=Path(cache), workers=arguments.workers) as corpus:
                seconds.append(time.perf_counter() - started)
                tokens, words = corpus.raw_tokens, len(corpus.vocabulary)
    result = {
        "file": arguments.file.name,
        "compression": kind,
        "raw_tokens": tokens,
        "words": words,
        "workers": arguments.workers,
        "rounds": arguments.rounds,
        "million_tokens_per_second_best": round(tokens / min(seconds) / 1e6, 2),
        "million_tokens_per_second_median": round(tokens / statistics.median(seconds) / 1e6, 2),
        "seconds_best": round(min(seconds), 2),
        "reading_alone_seconds_best": round(min(reading), 2),
        "peak_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3),
        "machine": processor(),
        "python": platform.python_version(),
        "commit": commit(),
    }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
