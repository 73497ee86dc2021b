"""The paper's Figure 1: ellipses are the projected Gaussians, one for each component, named, in one linear map."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse

import naive_plotting
from w2gm.config import Config
from w2gm.errors import ConfigError, UnknownWordError
from w2gm.model import Mixtures, Model
from w2gm.plotting import senses
from w2gm.plotting.outlines import outline
from w2gm.query.plane import principal_plane
from w2gm.vocabulary import Vocabulary


def made(
    covariance: str = "diagonal", words: int = 30, senses: int = 2, vector_size: int = 5, seed: int = 0
) -> Model:
    random = np.random.default_rng(seed)
    shape = (words, senses, vector_size) if covariance == "diagonal" else (words, senses)
    weights = random.uniform(0.2, 1.0, (words, senses))
    return Model(
        Vocabulary([f"word{k}" for k in range(words)], list(range(900, 900 - words, -1))),
        Mixtures(
            random.normal(size=(words, senses, vector_size)).astype(np.float32),
            random.normal(-2, 1, shape).astype(np.float32),
            (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32),
        ),
        config=Config(senses=senses, vector_size=vector_size, covariance=covariance),
        provenance={},
    )


def ellipses(figure: Figure, panel: int = 0) -> dict[str, Ellipse]:
    return {str(patch.get_label()): patch for patch in figure.axes[panel].patches if isinstance(patch, Ellipse)}


def names(figure: Figure, panel: int = 0) -> list[str]:
    return [text.get_text() for text in figure.axes[panel].texts if text.get_text()]


def every_variance(model: Model, word: int, sense: int) -> np.ndarray:
    return np.broadcast_to(np.exp(model.log_variances[word, sense].astype(float)), model.vector_size)


def assert_ellipse_is_projected_gaussian(ellipse, mean, variances, centre, axes, deviations) -> None:
    middle = naive_plotting.projected_mean(mean, centre, axes)
    covariance = naive_plotting.projected_covariance(variances, axes)
    np.testing.assert_allclose(ellipse.center, middle, atol=1e-6)
    turn = ellipse.get_patch_transform()
    for angle in np.linspace(0, 2 * np.pi, 17):
        point = turn.transform((np.cos(angle), np.sin(angle)))
        assert naive_plotting.mahalanobis(point, middle, covariance) == pytest.approx(deviations, rel=1e-5)


@pytest.mark.parametrize("covariance", ["diagonal", "spherical"])
@pytest.mark.parametrize("deviations", [1.0, 2.5])
def test_ellipses_are_the_projected_gaussians_of_what_is_shown(covariance: str, deviations: float) -> None:
    model = made(covariance)
    figure = senses(model, ["word3", "word7:1", "word9"], deviations=deviations)
    shown = [(3, 0), (3, 1), (7, 1), (9, 0), (9, 1)]
    centre, axes = naive_plotting.principal_axes([model.means[place] for place in shown])
    drawn = ellipses(figure)
    assert list(drawn) == names(figure) == [f"word{word}:{sense}" for word, sense in shown]
    for word, sense in shown:
        variances = every_variance(model, word, sense)
        ellipse = drawn[f"word{word}:{sense}"]
        assert_ellipse_is_projected_gaussian(ellipse, model.means[word, sense], variances, centre, axes, deviations)


def test_the_plane_of_the_model_is_that_of_all_means() -> None:
    model = made(words=40)
    figure = senses(model, ["word3"], plane="model")
    centre, axes = naive_plotting.principal_axes(model.means.reshape(-1, 5))
    ellipse = ellipses(figure)["word3:1"]
    assert_ellipse_is_projected_gaussian(ellipse, model.means[3, 1], every_variance(model, 3, 1), centre, axes, 1.0)


def test_neighbours_are_drawn_in_grey_each_once() -> None:
    model = made("spherical")
    figure = senses(model, ["word3"], neighbors=3)
    expected = {"word3:0", "word3:1"}
    for sense in (0, 1):
        expected |= {f"{word}:{number}" for word, number, _ in model.most_similar("word3", sense=sense, topn=3)}
    drawn = ellipses(figure)
    assert set(drawn) == set(names(figure)) == expected
    for name, ellipse in drawn.items():
        red, green, blue, _ = ellipse.get_edgecolor()
        assert (red == green == blue) is not name.startswith("word3:")


def test_before_and_after_go_through_the_same_map() -> None:
    model, before = made(seed=0), made(seed=1)
    figure = senses(model, ["word3", "word5"], before=before)
    assert [axes.get_title() for axes in figure.axes] == ["before", "after"]
    shown = [(3, 0), (3, 1), (5, 0), (5, 1)]
    centre, axes = naive_plotting.principal_axes([model.means[place] for place in shown])
    for panel, one in enumerate((before, model)):
        drawn = ellipses(figure, panel)
        assert list(drawn) == names(figure, panel) == [f"word{word}:{sense}" for word, sense in shown]
        for word, sense in shown:
            ellipse, variances = drawn[f"word{word}:{sense}"], every_variance(one, word, sense)
            assert_ellipse_is_projected_gaussian(ellipse, one.means[word, sense], variances, centre, axes, 1.0)
    share = "% of the variance)"
    assert share not in figure.axes[0].get_xlabel()
    assert share in figure.axes[1].get_xlabel()


def test_neighbours_that_the_model_before_lacks_are_left_out_of_it() -> None:
    model, before = made(words=30), made(words=4)
    figure = senses(model, ["word3"], before=before, neighbors=8)
    known = {name for name in names(figure, 1) if name.split(":")[0] in before}
    assert set(names(figure, 0)) == known < set(names(figure, 1))


def test_the_stronger_filled_the_greater_the_weight() -> None:
    model = made()
    drawn = ellipses(senses(model, ["word1", "word2"]))
    by_weight = sorted(drawn, key=lambda name: model.weights[int(name[4]), int(name[6])])
    fills = [drawn[name].get_facecolor()[3] for name in by_weight]
    assert fills == sorted(set(fills))


def test_each_word_has_its_own_colour_or_line() -> None:
    drawn = ellipses(senses(made(), [f"word{k}" for k in range(16)]))
    looks = [(drawn[f"word{k}:0"].get_edgecolor(), drawn[f"word{k}:0"].get_linestyle()) for k in range(16)]
    assert len(set(looks)) == 16
    assert looks[3] == (drawn["word3:1"].get_edgecolor(), drawn["word3:1"].get_linestyle())


def test_a_word_given_twice_is_drawn_once() -> None:
    assert names(senses(made(), ["word3:1", "word3", "word3:0"])) == ["word3:1", "word3:0"]


@pytest.mark.parametrize("vector_size", [1, 2, 50])
def test_one_sense_in_any_number_of_dimensions(vector_size: int) -> None:
    figure = senses(made(senses=1, vector_size=vector_size), ["word3"])
    (ellipse,) = ellipses(figure).values()
    assert ellipse.center == pytest.approx((0, 0))
    assert (ellipse.get_height() == 0) is (vector_size == 1)


def test_labels_stay_in_the_axes_and_off_each_other() -> None:
    figure = senses(made("spherical", vector_size=20), [f"word{k}" for k in range(8)])
    figure.draw_without_rendering()
    (axes,) = figure.axes
    boxes = [text.get_window_extent() for text in axes.texts if text.get_text()]
    assert len(boxes) == 16
    frame = axes.get_window_extent()
    for number, box in enumerate(boxes):
        assert frame.x0 <= box.x0 + 0.5
        assert box.x1 - 0.5 <= frame.x1
        assert frame.y0 <= box.y0 + 0.5
        assert box.y1 - 0.5 <= frame.y1
        assert not any(box.overlaps(other) for other in boxes[number + 1 :])


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(3, 40), dimensions=st.integers(2, 8), cut=st.integers(1, 40))
def test_the_plane_does_not_depend_on_how_points_are_cut(seed: int, count: int, dimensions: int, cut: int) -> None:
    points = np.random.default_rng(seed).normal(size=(count, dimensions)) * np.arange(1, dimensions + 1) ** 2
    plane = principal_plane(points[start : start + cut] for start in range(0, count, cut))
    centre, axes = naive_plotting.principal_axes(points)
    np.testing.assert_allclose(plane.centre, centre, atol=1e-9)
    np.testing.assert_allclose(plane.axes @ plane.axes.T, np.eye(2), atol=1e-9)
    variances = ((points - centre) @ axes.T).var(axis=0)
    np.testing.assert_allclose(plane.shares, variances / points.var(axis=0).sum(), atol=1e-9)
    np.testing.assert_allclose(plane.points(points).var(axis=0), variances, rtol=1e-6, atol=1e-9)


def test_axes_never_flip() -> None:
    points = np.random.default_rng(3).normal(size=(20, 4))
    one, other = principal_plane([points]), principal_plane([points[::-1].copy()])
    np.testing.assert_allclose(one.axes, other.axes, atol=1e-9)
    assert (one.axes[[0, 1], np.abs(one.axes).argmax(axis=1)] > 0).all()


def test_an_outline_has_the_axes_of_its_covariance() -> None:
    turned = np.array([[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
    found = outline(turned @ np.diag([9.0, 1.0]) @ turned.T, 2.0)
    assert found == pytest.approx((12.0, 4.0, np.degrees(0.5)))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ([], {}, "no words to draw: give at least one, such as bank or bank:1"),
        (["word3"], {"plane": "paper"}, "plane must be shown or model, got 'paper'"),
        (["word3"], {"deviations": 0.0}, "deviations must be a number above 0, got 0"),
        (["word3"], {"deviations": float("nan")}, "deviations must be a number above 0, got nan"),
        (["word3"], {"neighbors": -1}, "neighbors must be at least 0, got -1"),
        (["word3"], {"before": made(senses=3)}, "the model before has 3 senses in 5 dimensions, the model 2 in 5"),
    ],
)
def test_wrong_calls_are_refused(arguments: list[str], options: dict, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        senses(made(), arguments, **options)
    assert str(caught.value).startswith(message)


def test_unknown_words_are_named() -> None:
    with pytest.raises(UnknownWordError, match="unknown word 'wrod3'"):
        senses(made(), ["wrod3"])
    with pytest.raises(UnknownWordError, match="the model before has no word 'word9': leave it out"):
        senses(made(), ["word1", "word9"], before=made(words=5))


def test_word_vectors_are_refused() -> None:
    model = made()
    vectors = Model(model.vocabulary, model.mixtures, config=model.config, provenance={"variances": "absent"})
    with pytest.raises(ConfigError, match="word vectors have no variances to draw"):
        senses(vectors, ["word1"])
