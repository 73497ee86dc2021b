"""How similar two words are where they stand: SCWS's four scores, from cosines and the senses the contexts speak for.

    MaxSim    max_ij cos(mu_i, mu_j)               AveSim    sum_ij p_i q_j cos(mu_i, mu_j)
    MaxSimC   cos of the two most probable senses  AvgSimC   sum_ij p(i | c) q(j | c') cos(mu_i, mu_j)

The first two do not look at the contexts. A pair of the same word scores 1 in all four, as in the code of the
paper's authors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from w2gm.evaluation.datasets import Context
from w2gm.evaluation.lookup import Ids, Lookup
from w2gm.query.context import posteriors
from w2gm.query.measures import senses_of
from w2gm.query.sensepairs import SensePairs

if TYPE_CHECKING:
    from w2gm.model import Model

Doubles = npt.NDArray[np.float64]

IN_CONTEXT = ("MaxSim", "AveSim", "AvgSimC", "MaxSimC")


def similarities_in_context(
    model: Model, lookup: Lookup, ids: Ids, places: list[tuple[Context, Context]], names: list[str]
) -> dict[str, Doubles]:
    """Scores `names` of pairs of words by id (n, 2), each at its place: {name: (n,) float64}."""
    one, other = (senses_of(model, ids[:, side]) for side in (0, 1))
    if model.senses > 1 and {"AvgSimC", "MaxSimC"} & set(names):
        told = [posteriors(model, ids[:, side], [lookup.around(pair[side]) for pair in places]) for side in (0, 1)]
    else:
        told = [one.weights, other.weights]
    cosines = SensePairs(one, other).cosines
    n = np.arange(len(ids))
    values = {
        "MaxSim": cosines.max(axis=(1, 2)),
        "AveSim": _mean(cosines, one.weights, other.weights),
        "AvgSimC": _mean(cosines, told[0], told[1]),
        "MaxSimC": cosines[n, told[0].argmax(axis=1), told[1].argmax(axis=1)],
    }
    same = ids[:, 0] == ids[:, 1]
    return {name: np.where(same, 1.0, values[name]) for name in names}


def _mean(cosines: Doubles, p: Doubles, q: Doubles) -> Doubles:
    """sum_ij p_i q_j cos_ij of each pair."""
    mean: Doubles = np.einsum("ni,nij,nj->n", p, cosines, q)
    return mean
