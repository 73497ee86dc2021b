"""The plane of the map: principal components by another road, and covariances through the same linear map."""

import numpy as np

from w2gm.query.plane import Plane, principal_plane


def test_the_plane_is_that_of_the_singular_vectors() -> None:
    random = np.random.default_rng(1)
    points = random.normal(size=(500, 7)) * [5, 0.1, 3, 1, 1, 0.5, 0.2] + 10
    plane = principal_plane([points.astype(np.float32)])
    centred = points - points.mean(axis=0)
    _, singular, right = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(np.abs(plane.axes), np.abs(right[:2]), atol=1e-4)
    np.testing.assert_allclose(plane.shares, (singular**2 / (singular**2).sum())[:2], atol=1e-5)
    np.testing.assert_allclose(np.abs(plane.points(points)), np.abs(centred @ right[:2].T), atol=1e-2)
    np.testing.assert_allclose(plane.axes @ plane.axes.T, np.eye(2), atol=1e-12)


def test_the_plane_does_not_depend_on_the_pieces() -> None:
    points = np.random.default_rng(2).normal(size=(100, 4))
    pieces = [points[start : start + 7] for start in range(0, 100, 7)]
    np.testing.assert_allclose(principal_plane(pieces).axes, principal_plane([points]).axes, atol=1e-9)


def test_covariances_are_those_of_projected_samples() -> None:
    random = np.random.default_rng(3)
    plane = principal_plane([random.normal(size=(50, 5)) * [3, 2, 1, 1, 1]])
    variances = np.array([0.5, 2.0, 0.1, 1.0, 4.0])
    samples = plane.points(random.normal(size=(400_000, 5)) * np.sqrt(variances))
    np.testing.assert_allclose(plane.covariances([variances])[0], np.cov(samples.T), atol=0.03)


def test_a_sphere_stays_a_circle() -> None:
    plane = principal_plane([np.random.default_rng(4).normal(size=(50, 6))])
    np.testing.assert_allclose(plane.covariances([[0.25]])[0], 0.25 * np.eye(2), atol=1e-12)


def test_one_dimension_or_one_point_is_no_failure() -> None:
    line = principal_plane([np.array([[1.0], [3.0]])])
    assert line.points([[3.0]]).tolist() == [[1.0, 0.0]]
    point = principal_plane([np.ones((1, 3))])
    assert (point.points(np.ones((1, 3))).tolist(), point.shares) == ([[0.0, 0.0]], (0.0, 0.0))
    assert isinstance(point, Plane)
