"""Chunks and rates: each id once an epoch, whoever asks, and a rate that follows the ids handed out."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_sampling
from w2gm.corpus import SENTENCE_END
from w2gm.training.schedule import Chunk, Schedule, chunk_size, random_state


def ids_of(lengths):
    words = [np.append(np.arange(length, dtype=np.int32), np.int32(SENTENCE_END)) for length in lengths]
    return np.concatenate(words) if words else np.empty(0, np.int32)


def all_chunks(schedule) -> list[Chunk]:
    return list(iter(schedule.next, None))


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), st.integers(1, 50), st.integers(1, 3))
def test_every_id_is_dealt_once_an_epoch_and_in_order(lengths, chunk, epochs):
    ids = ids_of(lengths)
    chunks = all_chunks(Schedule(ids, epochs, 0.05, 0.0, chunk))
    for epoch in range(epochs):
        mine = [c for c in chunks if c.epoch == epoch]
        assert mine[0].start == 0
        assert mine[-1].stop == len(ids)
        assert all(before.stop == after.start for before, after in itertools.pairwise(mine))
        assert all(c.start < c.stop <= c.start + chunk for c in mine)
    assert [c.number for c in chunks] == list(range(len(chunks)))


def test_chunks_end_with_a_sentence_where_one_ends():
    ids = ids_of([9] * 100)
    for chunk in all_chunks(Schedule(ids, 1, 0.05, 0.0, 64))[:-1]:
        assert ids[chunk.stop - 1] == SENTENCE_END


def test_a_sentence_longer_than_a_chunk_is_cut():
    ids = ids_of([1000])
    assert [c.stop for c in all_chunks(Schedule(ids, 1, 0.05, 0.0, 300))] == [300, 600, 900, 1001]


def test_the_rate_falls_linearly_over_the_ids_handed_out():
    ids = ids_of([9] * 200)
    for chunk in all_chunks(Schedule(ids, 3, 0.05, 0.001, 64)):
        done = chunk.epoch * len(ids) + chunk.start
        expected = naive_sampling.learning_rate_at(done, 3 * len(ids), 0.05, 0.001)
        assert chunk.learning_rate == pytest.approx(expected)


def test_threads_share_the_chunks_without_loss():
    ids = ids_of([9] * 5000)
    schedule, taken = Schedule(ids, 2, 0.05, 0.0, 50), [[] for _ in range(8)]

    def take(mine):
        while (chunk := schedule.next()) is not None:
            mine.append(chunk)

    threads = [threading.Thread(target=take, args=(mine,)) for mine in taken]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    together = sorted((chunk for mine in taken for chunk in mine), key=lambda chunk: chunk.number)
    assert together == all_chunks(Schedule(ids, 2, 0.05, 0.0, 50))


def test_chunks_are_neither_tiny_nor_huge():
    assert chunk_size(10) == 500
    assert chunk_size(10**6) == 5000
    assert chunk_size(10**12) == 20_000


def test_random_states_differ_and_repeat():
    states = {int(random_state(seed, number)[0]) for seed in range(20) for number in range(500)}
    assert len(states) == 20 * 500
    assert 0 not in states
    assert random_state(7, 3) == random_state(7, 3)
