"""How fast the explorer starts, paints and answers, and whether many clients at once bring errors or eat memory.

    python benchmarks/explorer.py path/to/model
    python benchmarks/explorer.py path/to/model --clients 50 --seconds 30 --json

Starts `w2gm explore` itself, asks it over the loopback interface only, and ends it. "one client" is the time from a
request to its whole answer, nobody else asking; a keystroke is a completion of a word half typed, with and without a
typo. With many clients each asks again as soon as it has its answer. Memory is what the server has for itself,
without the files that it maps. The first paint is measured with Debian's chromium, where there is one.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import random
import statistics
import sys
import threading
import time
import urllib.parse
from pathlib import Path
from typing import Any

import machine
from w2gm.model import load

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from browser import CHROMIUM, browser, explorer

LONGEST = 300  # seconds of load, at most
SAMPLE = 200
TOO_MANY = 256  # the server takes no more connections than that


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="How fast the explorer is, alone and with many clients.")
    parser.add_argument("model", type=Path)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if not 1 <= given.clients <= TOO_MANY or not 0 < given.seconds <= LONGEST:
        parser.error(f"clients must be from 1 to {TOO_MANY}, seconds at most {LONGEST}")
    words = load(given.model).index_to_key
    start = time.perf_counter()
    with explorer(given.model) as (address, process):
        figures: dict[str, Any] = {"words": len(words), "start s": time.perf_counter() - start}
        host = urllib.parse.urlsplit(address).netloc
        figures["first paint ms"] = first_paint(address) if CHROMIUM else None
        figures["one client"] = {kind: alone(host, kind, words) for kind in QUESTIONS}
        figures["many clients"] = together(host, words, given.clients, given.seconds, process.pid)
    if given.json:
        print(json.dumps({**machine.describe(), **figures}))
        return
    print(json.dumps(machine.describe()))
    for name, value in figures.items():
        rows = value.items() if isinstance(value, dict) else [("", value)]
        for row, figure in rows:
            print(f"{name:15} {row:20} {figure}")


def first_paint(address: str) -> float:
    """Milliseconds from the request of a word's page to its first contentful paint; the median of five."""
    with browser(address) as page:
        times = []
        for _ in range(5):
            page.open("word?word=the")
            times.append(page.run("return performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    return round(statistics.median(times), 1)


QUESTIONS = {
    "keystroke": lambda word: f"/api/complete?text={quoted(word[: max(1, len(word) - 2)])}",
    "keystroke with typo": lambda word: f"/api/complete?text={quoted(word[1:2] + word[:1] + word[2:])}",
    "neighbors": lambda word: f"/api/neighbors?word={quoted(word)}",
    "neighbors by kl": lambda word: f"/api/neighbors?by=kl&word={quoted(word)}",
    "senses": lambda word: f"/api/senses?word={quoted(word)}",
    "page": lambda word: f"/word?word={quoted(word)}",
}


def quoted(word: str) -> str:
    """A word as it stands in an address."""
    return urllib.parse.quote(word, safe="")


def alone(host: str, kind: str, words: list[str]) -> dict[str, float]:
    """Median and 95th percentile in milliseconds, after a first question."""
    draw = random.Random(1)
    connection = http.client.HTTPConnection(host, timeout=60)
    times = []
    for _ in range(SAMPLE + 1):
        began = time.perf_counter()
        asked(connection, QUESTIONS[kind](draw.choice(words)))
        times.append(1e3 * (time.perf_counter() - began))
    connection.close()
    return in_short(times[1:])


def asked(connection: http.client.HTTPConnection, path: str) -> int:
    """The status of an answer that was read whole."""
    connection.request("GET", path)
    response = connection.getresponse()
    response.read()
    return response.status


def together(host: str, words: list[str], clients: int, seconds: float, pid: int) -> dict[str, Any]:
    """Answers, errors, times and memory while many clients ask without a pause."""
    end = time.monotonic() + seconds
    times: list[list[float]] = [[] for _ in range(clients)]
    errors: list[str] = []

    def client(number: int) -> None:
        draw = random.Random(number)
        connection = http.client.HTTPConnection(host, timeout=60)
        for kind in itertools.cycle(QUESTIONS):
            if time.monotonic() > end:
                break
            began = time.perf_counter()
            try:
                status = asked(connection, QUESTIONS[kind](draw.choice(words)))
            except OSError as error:
                errors.append(repr(error))
                connection.close()
                continue
            times[number].append(1e3 * (time.perf_counter() - began))
            if status != http.client.OK:
                errors.append(f"{kind}: {status}")
        connection.close()

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    memory = []
    while time.monotonic() < end:
        time.sleep(min(1.0, seconds / 10))
        memory.append(resident(pid))
    for thread in threads:
        thread.join()
    flat = list(itertools.chain(*times))
    third = max(1, len(memory) // 3)
    return {
        "clients": clients,
        "seconds": seconds,
        "answers": len(flat),
        "errors": len(errors),
        "first errors": errors[:3],
        "ms": in_short(flat),
        # Between the first third and the last: what the first questions make once is no growth.
        "memory MB": [round(statistics.median(part), 1) for part in (memory[:third], memory[-third:])],
    }


def in_short(times: list[float]) -> dict[str, float]:
    """Median and 95th percentile."""
    return {"median": round(statistics.median(times), 1), "p95": round(statistics.quantiles(times, n=20)[-1], 1)}


def resident(pid: int) -> float:
    """Megabytes of the process in memory, without mapped files."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    raise OSError(f"no memory figure of process {pid}")


if __name__ == "__main__":
    main()
