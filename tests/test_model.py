"""What a user holds: look-ups by word and sense, the arrays, saving and loading as one."""

import subprocess
import sys

import numpy as np
import pytest

from w2gm.config import Config
from w2gm.errors import ModelError, UnknownWordError
from w2gm.model import Mixtures, Model, load
from w2gm.vocabulary import Vocabulary


def make_mixtures(words, senses=2, vector_size=5, covariance="spherical", seed=0):
    random = np.random.default_rng(seed)
    weights = random.uniform(0.1, 1, (words, senses)).astype(np.float32)
    full = (words, senses, vector_size)
    return Mixtures(
        means=random.standard_normal(full, dtype=np.float32),
        log_variances=random.uniform(-4, 1, full if covariance == "diagonal" else full[:2]).astype(np.float32),
        weights=weights / weights.sum(axis=1, keepdims=True),
    )


def make_model(words, senses=2, vector_size=5, covariance="spherical", seed=0, context=False, provenance=None):
    """A model of random arrays; `words` is a list of strings or their number."""
    words = [f"w{number}" for number in range(words)] if isinstance(words, int) else words
    shape = (len(words), senses, vector_size, covariance)
    return Model(
        Vocabulary(words, np.arange(len(words), 0, -1)),
        make_mixtures(*shape, seed=seed),
        config=Config(senses=senses, vector_size=vector_size, covariance=covariance, seed=seed),
        provenance=provenance if provenance is not None else {"tokens": 12345},
        context=make_mixtures(*shape, seed=seed + 1) if context else None,
    )


def test_arrays_and_names_are_those_given():
    model = make_model(["the", "bank", "river"], senses=3, vector_size=4)
    assert len(model) == 3
    assert (model.senses, model.vector_size, model.covariance) == (3, 4, "spherical")
    assert model.means.shape == (3, 3, 4)
    assert model.weights.shape == model.log_variances.shape == model.variances.shape == (3, 3)
    np.testing.assert_array_equal(model.variances, np.exp(model.log_variances))
    assert model.index_to_key == ["the", "bank", "river"]
    assert model.key_to_index == {"the": 0, "bank": 1, "river": 2}
    assert model.counts.tolist() == [3, 2, 1]
    assert model.context is None
    assert repr(model) == "Model(words=3, senses=3, vector_size=4, covariance='spherical')"


def test_arrays_cannot_be_changed_through_the_model():
    model = make_model(2)
    for array in (model.means, model.log_variances, model.weights, model.variances):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
def test_a_word_is_the_distribution_of_its_rows(covariance):
    model = make_model(["the", "bank"], covariance=covariance)
    bank = model["bank"]
    assert bank.word == "bank"
    assert bank.means.dtype == bank.weights.dtype == bank.variances.dtype == np.float64
    np.testing.assert_array_equal(bank.means, model.means[1])
    np.testing.assert_array_equal(bank.weights, model.weights[1])
    np.testing.assert_allclose(bank.variances, model.variances[1], rtol=1e-6)
    assert [sense.key for sense in bank.senses] == ["bank:0", "bank:1"]


def test_a_sense_is_a_word_of_one_component():
    model = make_model(["the", "bank"])
    sense = model["bank:1"]
    assert len(sense) == 1
    assert sense.weights.tolist() == [1.0]
    np.testing.assert_array_equal(sense.means, model.means[1, 1:])
    assert sense.senses[0].key == "bank:1"
    assert sense.senses[0].number == 1


def test_a_word_spelt_like_a_sense_is_the_word():
    model = make_model(["bank", "bank:1", "10:30"])
    assert model.locate("bank:1") == (1, None)
    assert model.locate("bank:0") == (0, 0)
    assert model.locate("bank:1:1") == (1, 1)
    assert model.locate("10:30") == (2, None)
    assert len(model["bank:1"]) == 2


def test_what_is_in_a_model():
    model = make_model(["bank"])
    assert "bank" in model
    assert "bank:1" in model
    for absent in (
        "bank:2",
        "bank:-1",
        "bank:",
        ":1",
        "river",
        "river:0",
        "bank:٣",
        "bank:" + "9" * 5000,
        "",
        7,
        None,
    ):
        assert absent not in model


def test_unknown_words_and_senses_name_what_is_known():
    model = make_model(["bank", "river"])
    with pytest.raises(UnknownWordError, match=r"unknown word 'bnak'; closest known words: bank"):
        model["bnak"]
    with pytest.raises(UnknownWordError, match=r"unknown word 'bnak'; closest known words: bank"):
        model["bnak:1"]
    with pytest.raises(UnknownWordError, match=r"'bank' has no sense 2; this model has senses 0 to 1"):
        model["bank:2"]


def test_asking_whether_a_word_is_known_searches_for_no_close_words(monkeypatch):
    model = make_model(["bank"])
    monkeypatch.setattr(Vocabulary, "closest", lambda self, word: pytest.fail("searched"))
    assert "bnak" not in model
    assert "bnak:1" not in model


def test_parts_that_do_not_belong_together_are_refused():
    config = Config(senses=2, vector_size=5)
    mixtures = make_mixtures(3)
    three = Vocabulary(["a", "b", "c"], [1, 1, 1])
    with pytest.raises(ModelError, match=r"2 words need as many mixtures, got 3"):
        Model(Vocabulary(["a", "b"], [1, 1]), mixtures, config=config, provenance={})
    with pytest.raises(ModelError, match=r"mixtures have senses 2, their config says 4"):
        Model(three, mixtures, config=Config(senses=4, vector_size=5), provenance={})
    with pytest.raises(ModelError, match=r"mixtures have vector_size 5, their config says 6"):
        Model(three, mixtures, config=Config(senses=2, vector_size=6), provenance={})
    with pytest.raises(ModelError, match=r"mixtures have covariance spherical, their config says diagonal"):
        Model(three, mixtures, config=Config(vector_size=5, covariance="diagonal"), provenance={})
    with pytest.raises(ModelError, match=r"context means must have shape \(3, 2, 5\), got \(4, 2, 5\)"):
        Model(three, mixtures, config=config, provenance={}, context=make_mixtures(4))
    with pytest.raises(ModelError, match=r"context must be spherical too, got diagonal"):
        Model(three, mixtures, config=config, provenance={}, context=make_mixtures(3, covariance="diagonal"))


def test_check_reads_the_context_too():
    good, bad = make_mixtures(2), np.full((2, 2, 5), np.nan, dtype=np.float32)
    model = Model(
        Vocabulary(["a", "b"], [1, 1]),
        good,
        config=Config(vector_size=5),
        provenance={},
        context=Mixtures(bad, good.log_variances, good.weights),
    )
    with pytest.raises(ModelError, match=r"means of word 0 hold nan"):
        model.check()


@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
@pytest.mark.parametrize("context", [False, True])
def test_a_loaded_model_is_the_saved_one(tmp_path, covariance, context):
    provenance = {"corpus": {"fingerprint": "abc", "tokens": 10}, "seconds": 1.5, "text": "naïve | `x`\n"}
    saved = make_model(
        ["the", "naïve", "tab\tbed", "back\\slash", "line\nend"],
        senses=3,
        covariance=covariance,
        context=context,
        provenance=provenance,
    )
    saved.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.index_to_key == saved.index_to_key
    assert loaded.counts.tolist() == saved.counts.tolist()
    assert loaded.config == saved.config
    assert loaded.provenance == provenance
    pairs = [(saved.mixtures, loaded.mixtures), *([(saved.context, loaded.context)] if context else [])]
    assert (loaded.context is None) == (not context)
    for before, after in pairs:
        for name in ("means", "log_variances", "weights"):
            assert getattr(after, name).dtype == np.float32
            np.testing.assert_array_equal(getattr(after, name), getattr(before, name))
    loaded.check()
    assert loaded.most_similar("the") == saved.most_similar("the")


def test_half_precision_keeps_values_to_three_digits_and_rare_senses_alive(tmp_path):
    weights = np.array([[1 - 1e-9, 1e-9], [0.5, 0.5]], dtype=np.float32)
    random = make_mixtures(2)
    mixtures = Mixtures(random.means, random.log_variances, weights)
    model = Model(Vocabulary(["a", "b"], [2, 1]), mixtures, config=Config(vector_size=5), provenance={})
    model.save(tmp_path / "half", half=True)
    loaded = load(tmp_path / "half")
    loaded.check()
    assert loaded.means.dtype == np.float32
    np.testing.assert_allclose(loaded.means, model.means, rtol=1e-3)
    np.testing.assert_allclose(loaded.log_variances, model.log_variances, rtol=1e-3)
    np.testing.assert_array_equal(loaded.weights, weights)


def test_loading_is_lazy_and_light():
    program = "import sys, w2gm.model; print([m for m in ('numba', 'safetensors', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_loaded_arrays_are_views_of_the_file(tmp_path):
    make_model(100).save(tmp_path / "model")
    means = load(tmp_path / "model").means
    assert not means.flags.owndata
    assert not means.flags.writeable
    base = means
    while isinstance(base, np.ndarray):
        base = base.base
    assert type(base).__name__ in {"mmap", "memoryview"}


def test_saving_over_the_folder_a_model_was_loaded_from_keeps_its_arrays_alive(tmp_path):
    path = tmp_path / "model"
    make_model(50, seed=1).save(path)
    first = load(path)
    expected = first.means.copy()
    make_model(50, seed=2).save(path, overwrite=True)
    np.testing.assert_array_equal(first.means, expected)
    first.save(path, overwrite=True)
    np.testing.assert_array_equal(load(path).means, expected)
