"""The team of threads: all work is done, the first error arrives, Ctrl-C stops it."""

from __future__ import annotations

import itertools
import threading
import time

import pytest

from w2gm.training.hogwild import Team


def test_members_work_until_there_is_no_more():
    counter, done = itertools.count(), [0] * 4

    def work(member):
        if next(counter) >= 1000:
            return False
        done[member] += 1
        return True

    Team(4, work).run(lambda: None, interval=0.01)
    assert sum(done) == 1000


def test_the_first_error_reaches_the_caller_and_stops_the_others():
    rounds = [0] * 3

    def work(member):
        rounds[member] += 1
        if member == 1 and rounds[1] == 5:
            raise ValueError("member 1 stumbled")
        time.sleep(0.001)
        return True

    with pytest.raises(ValueError, match="member 1 stumbled"):
        Team(3, work).run(lambda: None, interval=0.01)
    after = list(rounds)
    time.sleep(0.05)
    assert rounds == after, "a thread went on"


def test_an_interrupt_in_the_caller_stops_the_team():
    def tick():
        raise KeyboardInterrupt

    alive = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        Team(3, lambda member: time.sleep(0.001) is None).run(tick, interval=0.01)
    assert threading.active_count() == alive


def test_the_caller_is_told_regularly():
    ticks, until = [], time.monotonic() + 0.3
    Team(2, lambda member: time.sleep(0.002) is None and time.monotonic() < until).run(
        lambda: ticks.append(time.monotonic()), interval=0.02
    )
    assert len(ticks) >= 5
