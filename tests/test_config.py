"""The hyperparameters: each has a range and a help text, and what does not fit is refused in one line."""

from __future__ import annotations

import dataclasses
import json
import re

import pytest

from w2gm.config import Config, option_of
from w2gm.errors import ConfigError

FIELDS = dataclasses.fields(Config)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_every_hyperparameter_has_help_and_an_accepted_default(field):
    option = option_of(field)
    assert option.help.endswith(".")
    assert field.default is None or option.accepts(field.default)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"senses": 0}, "senses must be at least 1 and at most 64, got 0"),
        ({"alpha": -1}, "alpha must be above 0, got -1.0"),
        ({"alpha": 10**400}, "alpha must be above 0, got a number too large for a float"),
        ({"alpha": float("nan")}, "alpha must be above 0, got nan"),
        ({"window": True}, "window must be of type int, got True"),
        ({"covariance": "full"}, "covariance must be one of spherical, diagonal, got 'full'"),
        ({"alpha": 0.1, "min_alpha": 0.2}, "min_alpha must be at most alpha (0.1), got 0.2: lower it or raise alpha"),
        (
            {"init_variance": 1e-9},
            "init_variance must lie between min_variance (1e-06) and max_variance (1e+06), got 1e-09",
        ),
        ({"widnow": 3}, "unknown hyperparameter 'widnow': did you mean window?"),
        ({"zzz": 3}, "unknown hyperparameter 'zzz': known ones: tokenizer, sentences"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_is_accepted(values, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        Config.from_dict(values)


def test_a_configuration_survives_json():
    config = Config(senses=3, alpha=1, max_final_vocab=500)
    assert Config.from_dict(json.loads(json.dumps(config.to_dict()))) == config


def test_no_workers_given_means_one_per_processor():
    assert Config(workers=3).threads == 3
    assert Config().threads >= 1


def test_a_short_text_gets_more_epochs_unless_they_are_given():
    epochs = [Config().epochs_for(tokens) for tokens in (1000, 14_999_999, 15_000_000, 30_000_000, 10**12)]
    assert epochs == sorted(epochs, reverse=True)
    assert epochs[1] > epochs[2] > epochs[3] == epochs[4]
    assert Config(epochs=7).epochs_for(1000) == 7


def test_the_paper_s_recipe_fills_what_is_not_given():
    paper = Config.from_dict({"recipe": "paper", "alpha": 0.1})
    assert (paper.alpha, paper.sample, paper.warm_up, paper.max_norm, paper.init_scale) == (0.1, 1e-5, 0, 0, 1)
    assert not paper.pool_negatives
    assert paper.epochs_for(1000) == paper.epochs_for(10**9)
    assert Config.from_dict({"recipe": "auto"}) == Config()
    with pytest.raises(ConfigError, match=r"recipe must be one of auto, paper, got 'best'"):
        Config.from_dict({"recipe": "best"})
