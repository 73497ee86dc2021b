"""The other figures, and files: variance, similarity, training; the same bytes each time, fonts inside, no screen."""

import io
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import matplotlib
import numpy as np
import pytest
import scipy.stats
from matplotlib import font_manager
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

import naive_plotting
from test_plotting_senses import made
from w2gm.config import Config
from w2gm.errors import ConfigError, DataError, MissingExtraError, ModelError, StorageError
from w2gm.evaluation import Entailment, Pairs
from w2gm.model import Mixtures, Model
from w2gm.plotting import save, senses, similarity, training, variance
from w2gm.plotting.fonts import family_of, worded
from w2gm.plotting.similarity import farthest
from w2gm.plotting.variance import MOST_POINTS, density, running_median
from w2gm.vocabulary import Vocabulary

HISTORY = {"tokens": [100, 250, 400], "loss": [0.9, 0.7, 0.6], "learning_rate": [0.05, 0.03, 0.01]}


def counted(words: int, covariance: str = "spherical", zeros: int = 0) -> Model:
    """A model of K = 2 whose words are counted by a power law, the last `zeros` not at all."""
    model = made(covariance, words=words)
    counts = np.maximum(1, 100_000 // np.arange(1, words + 1))
    counts[words - zeros :] = 0
    return Model(Vocabulary(model.index_to_key, counts), model.mixtures, config=model.config, provenance={})


def spoken(words: list[str], provenance: dict | None = None) -> Model:
    """A model of those words."""
    model = made("spherical", words=len(words))
    vocabulary = Vocabulary(words, model.counts)
    return Model(vocabulary, model.mixtures, config=model.config, provenance=provenance or {})


def vectors() -> Model:
    return spoken([f"word{k}" for k in range(5)], {"variances": "absent"})


def points_of(figure: Figure, line: int) -> tuple[list[float], list[float]]:
    x, y = figure.axes[0].lines[line].get_data()
    return list(x), list(y)


def saved(figure: Figure, path: Path) -> bytes:
    return save(figure, path).read_bytes()


@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
def test_variance_shows_every_sense_of_every_counted_word(covariance: str) -> None:
    model = counted(40, covariance, zeros=3)
    figure = variance(model)
    (axes,) = figure.axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    expected = [
        (model.counts[word], np.exp(np.mean(model.log_variances[word, sense].astype(float))))
        for word in range(37)
        for sense in range(2)
    ]
    np.testing.assert_allclose(np.transpose(points_of(figure, 0)), expected, rtol=1e-6)


def test_variance_names_the_chosen_senses_where_they_are() -> None:
    model = counted(40)
    figure = variance(model, ["word3", "word7:1", "word3:0"])
    texts = [text for text in figure.axes[0].texts if text.get_text()]
    assert [text.get_text() for text in texts] == ["word3:0", "word3:1", "word7:1"]
    places = [(3, 0), (3, 1), (7, 1)]
    np.testing.assert_allclose(
        [text.xy for text in texts],
        [(model.counts[word], np.exp(float(model.log_variances[word, sense]))) for word, sense in places],
    )


def test_many_senses_are_shaded_by_how_many_there_are() -> None:
    model = counted(MOST_POINTS)
    figure = variance(model, ["word3"])
    (mesh,) = [one for one in figure.axes[0].collections if isinstance(one, QuadMesh)]
    assert np.ma.filled(mesh.get_array(), 0).sum() == 2 * MOST_POINTS
    assert figure.axes[1].get_ylabel() == "senses in a cell"
    assert len(variance(counted(100)).axes) == 1


def test_the_density_is_that_of_a_count_by_hand() -> None:
    random = np.random.default_rng(0)
    x, y = random.integers(1, 500, 300).astype(float), np.exp(random.normal(size=300))
    grid, across, up = density(x, y)
    assert grid.tolist() == naive_plotting.cells(x, y, across, up)
    assert grid.sum() == 300
    # Counts are whole: no cell lies between two of them.
    assert (np.diff(across) >= 1).all()


@pytest.mark.parametrize("x", [[5.0, 5.0, 5.0], [1.0, 1.0, 2.0]])
def test_the_density_of_points_on_one_line_keeps_them_all(x: list[float]) -> None:
    assert density(np.array(x), np.full(3, 0.25))[0].sum() == 3


def test_the_median_is_that_of_each_part() -> None:
    x = np.repeat([1.0, 10.0, 1000.0], [30, 20, 5])
    y = np.random.default_rng(0).random(55)
    middles, medians = running_median(x, y)
    assert middles.tolist() == [1.0, 10.0]  # five points are too few for a median
    np.testing.assert_allclose(medians, [np.median(y[:30]), np.median(y[30:50])])


@pytest.mark.parametrize(
    ("model", "words", "message"),
    [
        (vectors(), [], "word vectors have no variances to draw: give a w2gm model"),
        (counted(5, zeros=5), [], "the model has no counts of its words"),
        (counted(5, zeros=1), ["word4"], "'word4' was never counted, and has no place in the figure: leave it out"),
    ],
)
def test_variance_refuses_what_it_cannot_draw(model: Model, words: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        variance(model, words)


def pairs_of(model: Model, count: int = 20) -> Pairs:
    random = np.random.default_rng(1)
    words = [tuple(model.index_to_key[k] for k in random.choice(len(model), 2, replace=False)) for _ in range(count)]
    return Pairs("mine", words, random.random(count).round(1))


def test_similarity_sets_the_measure_against_the_ratings() -> None:
    model = made("spherical")
    pairs = pairs_of(model)
    figure = similarity(model, pairs, label=3)
    expected = [
        naive_plotting.best_cosine(*(model.means[model.key_to_index[word]] for word in words))
        for words in pairs.words
    ]
    x, y = points_of(figure, 0)
    assert x == pairs.ratings.tolist()
    np.testing.assert_allclose(y, expected, atol=1e-6)
    correlation = 100 * scipy.stats.spearmanr(pairs.ratings, expected).statistic
    assert figure.axes[0].get_title() == f"mine: 20 of 20 pairs, Spearman {correlation:.1f}"
    apart = np.abs(scipy.stats.rankdata(pairs.ratings) - scipy.stats.rankdata(expected))
    far = np.argsort(-apart, kind="stable")[:3]
    texts = [text for text in figure.axes[0].texts if text.get_text()]
    assert [text.get_text() for text in texts] == ["–".join(pairs.words[k]) for k in far]
    np.testing.assert_allclose([text.xy for text in texts], [(pairs.ratings[k], expected[k]) for k in far], atol=1e-6)


def test_similarity_leaves_out_pairs_that_the_model_does_not_know() -> None:
    words = [("word1", "word2"), ("word1", "nowhere"), ("word3", "word4")]
    figure = similarity(made(), Pairs("mine", words, np.array([1.0, 2.0, 3.0])), "kl")
    assert points_of(figure, 0)[0] == [1.0, 3.0]
    assert figure.axes[0].get_title().startswith("mine: 2 of 3 pairs")
    assert figure.axes[0].get_ylabel() == "similarity by the model (kl)"


def test_farthest_gives_ties_their_mean_rank() -> None:
    random = np.random.default_rng(0)
    x, y = random.integers(0, 5, 50).astype(float), random.integers(0, 5, 50).astype(float)
    apart = np.abs(scipy.stats.rankdata(x) - scipy.stats.rankdata(y))
    assert farthest(x, y, 9).tolist() == np.argsort(-apart, kind="stable")[:9].tolist()


def test_similarity_refuses_what_it_cannot_draw() -> None:
    model = made()
    with pytest.raises(ConfigError, match="label must be at least 0, got -1"):
        similarity(model, pairs_of(model), label=-1)
    with pytest.raises(ConfigError, match="el needs variances, which word vectors lack: use mc, me or avesim"):
        similarity(vectors(), Pairs("mine", [("word1", "word2")] * 2, np.ones(2)), "el")
    with pytest.raises(DataError, match="the model knows 1 of the 2 pairs of mine: at least 2 are needed"):
        similarity(model, Pairs("mine", [("word1", "word2"), ("a", "b")], np.ones(2)))
    with pytest.raises(ConfigError, match="entailment holds no rated pairs: choose a set of pairs"):
        similarity(model, Entailment("entailment", [("a", "b")], np.array([True])))
    with pytest.raises(ConfigError, match="mine has no score 'mcc'"):
        similarity(model, pairs_of(model), "mcc")


def test_training_shows_loss_and_rate_against_tokens() -> None:
    figure = training(spoken(["a", "b"], {"history": HISTORY}))
    assert [axes.get_ylabel() for axes in figure.axes] == ["loss", "learning rate"]
    for axes, name in zip(figure.axes, ("loss", "learning_rate"), strict=True):
        x, y = axes.lines[0].get_data()
        assert (list(x), list(y)) == (HISTORY["tokens"], HISTORY[name])


@pytest.mark.parametrize(
    ("history", "message"),
    [
        (None, "the model has no history of its training: it was made by an earlier w2gm, or imported"),
        ([1], "history of the model's training is damaged"),
        (HISTORY | {"loss": [1.0]}, "history of the model's training is damaged"),
        (HISTORY | {"loss": [1.0, "2", 3.0]}, "history of the model's training is damaged"),
        (HISTORY | {"loss": [1.0, float("nan"), 3.0]}, "history of the model's training is damaged"),
        (HISTORY | {"loss": None}, "history of the model's training is damaged"),
        ({name: [] for name in HISTORY}, "history of the model's training is empty: nothing was trained"),
    ],
)
def test_training_refuses_what_is_no_history(history: object, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        training(spoken(["a", "b"], {"history": history}))


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_same_figure_is_the_same_file_from_any_thread(kind: str, tmp_path: Path) -> None:
    model, before = made("spherical"), matplotlib.rcParams.copy()

    def drawn(number: int) -> bytes:
        return saved(senses(model, ["word1", "word2"], neighbors=2), tmp_path / f"{number}.{kind}")

    with ThreadPoolExecutor(3) as pool:
        files = list(pool.map(drawn, range(3)))
    assert len(set(files)) == 1
    assert matplotlib.rcParams.copy() == before


def test_neither_a_screen_nor_pyplot_is_used(tiny_folder: Path, tmp_path: Path) -> None:
    code = (
        "import sys, w2gm; from w2gm import plotting\n"
        "figure = plotting.senses(w2gm.load(sys.argv[1]), ['bank'])\n"
        "for kind in ('png', 'svg', 'pdf'): plotting.save(figure, f'{sys.argv[2]}.{kind}')\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    hidden = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    call = [sys.executable, "-W", "error", "-c", code, str(tiny_folder), str(tmp_path / "bank")]
    subprocess.run(call, check=True, env=hidden | {"MPLBACKEND": "TkAgg"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bank.pdf", "bank.png", "bank.svg"]


def test_files_are_of_their_kinds(tmp_path: Path) -> None:
    figure = variance(counted(30), ["word3"])
    png, svg, pdf = (saved(figure, tmp_path / f"a.{kind}") for kind in ("PNG", "svg", "pdf"))
    assert png.startswith(b"\x89PNG\r\n")
    width, height = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
    assert (width, height) == tuple(300 * figure.get_size_inches())
    assert ElementTree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
    assert b"date" not in svg
    assert pdf.startswith(b"%PDF-")
    assert b"/CIDFontType2" in pdf
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    assert b"CreationDate" not in pdf


def test_the_users_settings_do_not_change_the_figure(tmp_path: Path) -> None:
    plain = saved(senses(made(), ["word1"]), tmp_path / "plain.png")
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red", "pdf.fonttype": 3, "lines.linewidth": 9}):
        assert saved(senses(made(), ["word1"]), tmp_path / "own.png") == plain


def test_a_word_is_shown_as_text_whatever_it_is_made_of(tmp_path: Path) -> None:
    words = ["$x^{$", "a\nb\tc", '"><script>alert(1)</script>', "%s{}\\", "x" * 200, "\u202eabc", "жизнь"]
    figure = senses(spoken(words), words)
    shown = [text.get_text() for text in figure.axes[0].texts if text.get_text()]
    assert shown[::2] == [
        "$x^{$:0", "a\\nb\\tc:0", '"><script>alert(1)</script>:0', "%s{}\\:0", "x" * 39 + "…",
        "\\u202eabc:0", "жизнь:0",
    ]  # fmt: skip
    for kind in ("png", "svg", "pdf"):
        save(figure, tmp_path / f"a.{kind}")
    tags = {element.tag.rpartition("}")[2] for element in ElementTree.parse(tmp_path / "a.svg").iter()}
    assert "script" not in tags


def test_a_character_that_no_font_has_is_an_escape(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    own = [entry for entry in font_manager.fontManager.ttflist if "mpl-data" in entry.fname]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", own)
    family_of.cache_clear()
    assert worded("土 bank")["text"] == "\\u571f bank"
    assert family_of("a") == "DejaVu Sans"
    # U+210A, a script g, is in the fonts that come with matplotlib, but not in all of them.
    others = [entry for entry in own if entry.name != "DejaVu Sans"]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", others)
    family_of.cache_clear()
    assert family_of("ℊ") not in (None, "DejaVu Sans")
    assert worded("ℊ")["fontfamily"][0] == "DejaVu Sans"
    family_of.cache_clear()
    save(senses(spoken(["土", "ℊ"]), ["土", "ℊ"]), tmp_path / "a.png")


def test_a_figure_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.png"
    target.write_bytes(b"earlier")
    figure = training(spoken(["a"], {"history": HISTORY}))

    def full(self: Path, data: bytes) -> int:
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(StorageError, match=r"no room for .*a\.png"):
        save(figure, target)
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]
    assert target.read_bytes() == b"earlier"
    save(figure, target)
    assert target.read_bytes().startswith(b"\x89PNG")


def test_places_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").touch()
    for name, why in (
        ("folder.png", "Is a directory"),
        ("none/a.png", "No such file or directory"),
        ("file/a.png", "Not a directory"),
    ):
        with pytest.raises(StorageError, match=f"cannot write .*: {why}"):
            save(Figure(), tmp_path / name)
    for name in ("a.jpg", "a", "png"):
        with pytest.raises(ConfigError, match=r"a figure's name must end in \.png, \.svg or \.pdf"):
            save(Figure(), tmp_path / name)


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r'figures need matplotlib: pip install "w2gm\[plot\]"'):
        senses(made(), ["word1"])


def test_a_model_whose_variances_are_all_equal_is_drawn() -> None:
    flat = np.zeros((3, 1), np.float32)
    model = Model(
        Vocabulary(["a", "b", "c"], [5, 5, 5]),
        Mixtures(np.zeros((3, 1, 2), np.float32), flat, flat + 1),
        config=Config(senses=1, vector_size=2),
        provenance={},
    )
    for figure in (variance(model, ["a"]), senses(model, ["a", "b"])):
        figure.savefig(io.BytesIO(), format="png")
