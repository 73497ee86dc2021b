"""How similar two words are where they stand: SCWS's four scores, from cosines and the senses the contexts speak for.

    MaxSim    max_ij cos(mu_i, mu_j)               AveSim    sum_ij p_i q_j cos(mu_i, mu_j)
    MaxSimC   cos of the two most probable senses  AvgSimC   sum_ij p(i | c) q(j | c') cos(mu_i, mu_j)

A context is as many words on both sides as the window that the model was trained with. The first two scores do not
look at it. A pair of the same word scores 1 in all four, as in the code of the paper's authors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from w2gm.evaluation.datasets import Context
from w2gm.evaluation.lookup import Ids, Lookup
from w2gm.query.context import avg_sim_c, max_sim_c, posteriors
from w2gm.query.measures import measure_pairs, senses_of

if TYPE_CHECKING:
    from w2gm.model import Model

Doubles = npt.NDArray[np.float64]

IN_CONTEXT = ("MaxSim", "AveSim", "AvgSimC", "MaxSimC")


def similarities_in_context(
    model: Model, lookup: Lookup, ids: Ids, places: list[tuple[Context, Context]], names: list[str]
) -> dict[str, Doubles]:
    """Scores `names` of pairs of words by id (n, 2), each at its place: {name: (n,) float64}."""
    measured = measure_pairs(model, ids, ["mc", "avesim"])
    values = {"MaxSim": measured["mc"], "AveSim": measured["avesim"]}
    if {"AvgSimC", "MaxSimC"} & set(names):
        (a, p), (b, q) = (_told(model, lookup, ids[:, side], [pair[side] for pair in places]) for side in (0, 1))
        values |= {"AvgSimC": avg_sim_c(a, b, p, q), "MaxSimC": max_sim_c(a, b, p, q)}
    same = ids[:, 0] == ids[:, 1]
    return {name: np.where(same, 1.0, values[name]) for name in names}


def _told(model: Model, lookup: Lookup, words: Ids, places: list[Context]) -> tuple[Doubles, Doubles]:
    """(means (n, K, D), posteriors (n, K)) of words at their places; one sense needs no context."""
    senses = senses_of(model, words)
    if model.senses == 1:
        return senses.means, senses.weights
    window = model.config.window
    return senses.means, posteriors(model, words, [lookup.around(place, window) for place in places])
