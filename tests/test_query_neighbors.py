"""Nearest rows against the slow twin: every pair compared in float64, everything sorted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from w2gm.errors import ModelError
from w2gm.query import search
from w2gm.query.neighbors import Cosines, nearest, unit_rows


def naive_cosine(a, b):
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return float(a @ b / lengths) if lengths else 0.0


def naive_nearest(rows, query, topn, hidden):
    """[(group, member, score), ...] by comparing everything with everything."""
    answers = []
    for group, members in enumerate(rows):
        scores = [
            (max(naive_cosine(row, vector) for vector in query), -member)
            for member, row in enumerate(members)
            if group * len(members) + member not in hidden
        ]
        if scores:
            score, member = max(scores)
            answers.append((group, -member, score))
    return sorted(answers, key=lambda answer: (-answer[2], answer[0]))[:topn]


def random_case(groups, members, dimensions, batch, vectors, seed, distinct):
    """Rows and queries; with `distinct` small few different rows exist, so that ties and zeros abound."""
    random = np.random.default_rng(seed)
    if distinct:
        rows = random.integers(-1, 2, (groups, members, dimensions)).astype(np.float32)
    else:
        rows = random.standard_normal((groups, members, dimensions), dtype=np.float32)
    queries = random.integers(-1, 2, (batch, vectors, dimensions)).astype(np.float64)
    hidden = [random.choice(groups * members, size=min(3, groups * members), replace=False) for _ in range(batch)]
    return rows, queries, hidden


@settings(max_examples=150, deadline=None)
@given(
    groups=st.integers(1, 30),
    members=st.integers(1, 3),
    dimensions=st.integers(1, 6),
    batch=st.integers(1, 3),
    vectors=st.integers(1, 3),
    topn=st.integers(0, 40),
    seed=st.integers(0, 10_000),
    distinct=st.booleans(),
)
def test_the_nearest_are_those_of_the_slow_twin(groups, members, dimensions, batch, vectors, topn, seed, distinct):
    rows, queries, hidden = random_case(groups, members, dimensions, batch, vectors, seed, distinct)
    actual = nearest(unit_rows(rows), queries, topn=topn, excluded=hidden)
    assert len(actual) == batch
    for answer, query, hide in zip(actual, queries, hidden, strict=True):
        expected = naive_nearest(rows, query, topn, set(hide.tolist()))
        assert len(answer.groups) == len(expected)
        np.testing.assert_allclose(answer.scores, [score for _, _, score in expected], atol=1e-6)
        # Scores that differ only by rounding may stand in either order; each must be its own group's.
        everything = {group: score for group, _, score in naive_nearest(rows, query, groups, set(hide.tolist()))}
        for group, member, score in zip(*answer, strict=True):
            assert group * members + member not in hide
            own = max(naive_cosine(rows[group, member], vector) for vector in query)
            assert own == pytest.approx(score, abs=1e-6)
            assert everything[group] == pytest.approx(score, abs=1e-6)


def test_equal_rows_answer_in_order_of_id_wherever_they_stand():
    random = np.random.default_rng(0)
    rows = random.standard_normal((5000, 1, 50), dtype=np.float32)
    query = rows[0] + 0.1
    same = [4999, 17, 2500, 3, 1024]
    rows[same] = query + 0.01
    (answer,) = nearest(unit_rows(rows), query[None], topn=4)
    assert answer.groups.tolist() == [3, 17, 1024, 2500]
    assert len(set(answer.scores.tolist())) == 1


def test_equal_members_answer_with_the_lowest():
    unit = unit_rows(np.ones((3, 4, 5), dtype=np.float32))
    (answer,) = nearest(unit, np.ones((1, 1, 5)), topn=3, excluded=[[0, 5]])
    assert answer.groups.tolist() == [0, 1, 2]
    assert answer.members.tolist() == [1, 0, 0]


def test_a_group_answers_with_its_best_row_that_is_not_hidden():
    unit = np.array([[[1, 0], [0.8, 0.6]], [[0, 1], [0.6, 0.8]]], dtype=np.float32)
    (answer,) = nearest(unit, np.array([[[1.0, 0.0]]]), topn=5, excluded=[[0, 2, 3]])
    assert answer.groups.tolist() == [0]
    assert answer.members.tolist() == [1]
    assert answer.scores == pytest.approx([0.8])


def test_a_batch_answers_exactly_as_its_queries_alone(monkeypatch):
    rows, queries, hidden = random_case(700, 2, 20, 70, 2, seed=1, distinct=False)
    unit = unit_rows(rows)
    together = nearest(unit, queries, topn=5, excluded=hidden)
    for size in (1 << 20, 64):
        monkeypatch.setattr(search, "ROWS_PER_PRODUCT", size)
        for answer, query, hide in zip(together, queries, hidden, strict=True):
            (alone,) = nearest(unit, query[None], topn=5, excluded=[hide])
            for one, other in zip(answer, alone, strict=True):
                np.testing.assert_array_equal(one, other)


def test_zero_vectors_score_zero_and_never_nan():
    rows = np.array([[[0, 0]], [[1, 0]], [[-1, 0]]], dtype=np.float32)
    to_one, to_zero = nearest(unit_rows(rows), np.array([[[1.0, 0.0]], [[0.0, 0.0]]]), topn=3)
    assert to_one.groups.tolist() == [1, 0, 2]
    assert to_one.scores.tolist() == [1, 0, -1]
    assert to_zero.groups.tolist() == [0, 1, 2]
    assert to_zero.scores.tolist() == [0, 0, 0]


def test_more_equal_candidates_than_one_piece_are_ranked():
    unit = unit_rows(np.ones((40_000, 1, 2), dtype=np.float32))
    (answer,) = nearest(unit, np.ones((1, 1, 2)), topn=35_000)
    np.testing.assert_array_equal(answer.groups, np.arange(35_000))


@pytest.mark.parametrize("scale", [1e-44, 1e-20, 1.0, 1e19, 3e38])
def test_unit_rows_have_length_one_whatever_their_scale(scale):
    rows = np.random.default_rng(0).uniform(0.5, 1, (7, 3, 5)) * scale
    unit = unit_rows(rows.astype(np.float32))
    assert unit.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(unit, axis=-1), 1, rtol=1e-6)
    exact = rows.astype(np.float32).astype(np.float64)
    np.testing.assert_allclose(unit, exact / np.linalg.norm(exact, axis=-1, keepdims=True), rtol=1e-6)


def test_unit_rows_of_more_than_one_piece():
    rows = np.random.default_rng(0).standard_normal((40_000, 3), dtype=np.float32)
    rows[35_000] = 0
    lengths = np.linalg.norm(unit_rows(rows), axis=1)
    assert lengths[35_000] == 0
    np.testing.assert_allclose(np.delete(lengths, 35_000), 1, rtol=1e-6)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_row_that_is_not_finite_is_an_error(value):
    rows = np.zeros((40_000, 3), dtype=np.float32)
    rows[39_000, 1] = value
    with pytest.raises(ModelError, match=r"row 39000 of the means holds a value that is not finite"):
        unit_rows(rows)


def test_no_queries_no_answers():
    assert nearest(np.ones((3, 1, 1), dtype=np.float32), np.empty((0, 1, 1)), topn=2) == []


@pytest.mark.parametrize("columns", [1, 2, 15, 16, 64])
@pytest.mark.parametrize("rows", [0, 1, 81, 82, 5000, 9001])
def test_a_product_in_pieces_is_the_product(rows, columns):
    random = np.random.default_rng(0)
    left = random.standard_normal((rows, 50), dtype=np.float32)
    right = random.standard_normal((50, columns), dtype=np.float32)
    actual = search.products(left, right)
    assert actual.dtype == np.float32
    np.testing.assert_allclose(actual, left.astype(float) @ right, atol=1e-4)


def test_rows_scaled_when_they_are_scored_give_the_same_scores_to_the_last_bit():
    rows, queries, hidden = random_case(300, 2, 20, 5, 2, seed=3, distinct=False)
    before = search.search(Cosines(unit_rows(rows), queries), topn=5, hidden=hidden)
    after = search.search(Cosines(rows, queries, scaled=False), topn=5, hidden=hidden)
    for one, other in zip(before, after, strict=True):
        for expected, actual in zip(one, other, strict=True):
            np.testing.assert_array_equal(actual, expected)
