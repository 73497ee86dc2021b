"""The slow, obvious twin of every fast function: float64, NumPy only, the formulas as in docs/maths.md.

It imports nothing from w2gm, so that what it says and what w2gm does can be compared. There are V words, each
of K senses in D dimensions; a covariance is spherical (one variance per sense, log_variances (V, K)) or
diagonal (D of them, log_variances (V, K, D)). Both are computed as diagonal: spherical repeats its variance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

EPSILON = 1e-4  # added to S in training, so that two needles do not divide by zero
VARIANCE_LIMITS = (1e-6, 1e6)  # a trained variance is held between them


# The parameters ---------------------------------------------------------------------------------------------


@dataclass
class Mixture:
    """One word, or a gradient in it: means (K, D), log_variances (K,) or (K, D), scores (K,)."""

    means: Array
    log_variances: Array
    scores: Array

    @property
    def spherical(self) -> bool:
        return self.log_variances.ndim == 1

    @property
    def variances(self) -> Array:
        """Variance of each sense in each dimension, (K, D)."""
        variances = np.exp(self.log_variances)
        if self.spherical:
            variances = np.repeat(variances[:, np.newaxis], self.means.shape[1], axis=1)
        return variances

    @property
    def log_weights(self) -> Array:
        """Logarithm of softmax(scores), (K,)."""
        return self.scores - log_sum_exp(self.scores)

    @property
    def weights(self) -> Array:
        return np.exp(self.log_weights)

    def plus(self, other: Mixture) -> Mixture:
        return Mixture(self.means + other.means, self.log_variances + other.log_variances, self.scores + other.scores)

    def times(self, factor: float) -> Mixture:
        return Mixture(factor * self.means, factor * self.log_variances, factor * self.scores)


@dataclass
class Table:
    """One row per word: means (V, K, D), log_variances (V, K) or (V, K, D), scores (V, K); or accumulators.

    The arrays given are copied to float64: a kernel's float32 rows can be given and are not touched.
    """

    means: Array
    log_variances: Array
    scores: Array

    def __post_init__(self) -> None:
        self.means = np.array(self.means, dtype=np.float64)
        self.log_variances = np.array(self.log_variances, dtype=np.float64)
        self.scores = np.array(self.scores, dtype=np.float64)

    def row(self, word: int) -> Mixture:
        """The word's mixture; its arrays are views, changing them changes the table."""
        return Mixture(self.means[word], self.log_variances[word], self.scores[word])

    def filled(self, value: float) -> Table:
        """A table of the same shapes with `value` everywhere."""
        shapes = (self.means.shape, self.log_variances.shape, self.scores.shape)
        return Table(*(np.full(shape, value) for shape in shapes))

    def copy(self) -> Table:
        return Table(self.means, self.log_variances, self.scores)


@dataclass
class Tables:
    """What a centre word reads (input) and a context word reads (output); the same object when shared."""

    input: Table
    output: Table

    @property
    def shared(self) -> bool:
        return self.input is self.output

    def filled(self, value: float) -> Tables:
        """Tables of the same shapes, shared alike: accumulators, when filled with Adagrad's start."""
        table = self.input.filled(value)
        return Tables(table, table if self.shared else self.output.filled(value))

    def copy(self) -> Tables:
        table = self.input.copy()
        return Tables(table, table if self.shared else self.output.copy())


# The energy -------------------------------------------------------------------------------------------------


def log_sum_exp(terms: Array) -> float:
    """log sum exp of all terms, with the largest one subtracted so that nothing overflows."""
    largest = np.max(terms)
    return float(largest + np.log(np.sum(np.exp(terms - largest))))


def partial_log_energies(a: Mixture, b: Mixture, epsilon: float = EPSILON) -> Array:
    """log p_i + log q_j + xi_ij for every pair of senses, (K, K); without the constant - D/2 log 2 pi."""
    partial = np.empty((len(a.means), len(b.means)))
    for i in range(len(a.means)):
        for j in range(len(b.means)):
            S = a.variances[i] + b.variances[j] + epsilon
            d = a.means[i] - b.means[j]
            xi = -0.5 * np.sum(np.log(S)) - 0.5 * np.sum(d**2 / S)
            partial[i, j] = a.log_weights[i] + b.log_weights[j] + xi
    return partial


def log_energy(a: Mixture, b: Mixture, epsilon: float = EPSILON) -> float:
    """Log of the expected likelihood kernel as trained: S plus epsilon, and no constant."""
    return log_sum_exp(partial_log_energies(a, b, epsilon))


def log_energy_integral(a: Mixture, b: Mixture) -> float:
    """Log of the integral of f_a(x) f_b(x) over all x, exactly: no epsilon, and the constant."""
    dimensions = a.means.shape[1]
    return float(log_energy(a, b, epsilon=0.0) - 0.5 * dimensions * np.log(2 * np.pi))


def responsibilities(a: Mixture, b: Mixture) -> Array:
    """r_ij, the share of each pair of senses in the energy, (K, K); they sum to 1."""
    return np.exp(partial_log_energies(a, b) - log_energy(a, b))


def energy_gradient(a: Mixture, b: Mixture) -> Mixture:
    """Gradient of log_energy(a, b) with respect to a. The energy is symmetric: swap the two for b's."""
    r = responsibilities(a, b)
    means = np.zeros_like(a.means)
    log_variances = np.zeros_like(a.log_variances)
    for i in range(len(a.means)):
        for j in range(len(b.means)):
            S = a.variances[i] + b.variances[j] + EPSILON
            d = a.means[i] - b.means[j]
            means[i] += -r[i, j] * d / S
            towards_S = r[i, j] * (-0.5 / S + 0.5 * d**2 / S**2)
            towards_log_variance = a.variances[i] * towards_S
            log_variances[i] += np.sum(towards_log_variance) if a.spherical else towards_log_variance
    scores = np.sum(r, axis=1) - a.weights
    return Mixture(means, log_variances, scores)


# The training step ------------------------------------------------------------------------------------------


@dataclass
class Window:
    """A centre word, its contexts c_1 .. c_C and its negatives: the first ones belong to c_1, and so on.

    Each context is held against its own negatives or, pooled, against all of them at weight 1 / C.
    """

    word: int
    contexts: Sequence[int]
    negatives: Sequence[int]
    pooled: bool = False

    def triples(self) -> list[tuple[float, tuple[int, int, int]]]:
        """(weight, (word, context, negative)) of every comparison."""
        own = len(self.negatives) // max(1, len(self.contexts))
        found = []
        for k, context in enumerate(self.contexts):
            mine = self.negatives if self.pooled else self.negatives[k * own : (k + 1) * own]
            weight = 1.0 / len(self.contexts) if self.pooled else 1.0
            found += [(weight, (int(self.word), int(context), int(negative))) for negative in mine]
        return found


Row = tuple[str, int]  # ("input", 3): the table's name and the word's row; always "input" when shared


def triple_loss(tables: Tables, word: int, context: int, negative: int, margin: float) -> float:
    """max(0, margin - log E(word, context) + log E(word, negative)). A NaN stays a NaN."""
    centre = tables.input.row(word)
    positive_energy = log_energy(centre, tables.output.row(context))
    negative_energy = log_energy(centre, tables.output.row(negative))
    loss = margin - positive_energy + negative_energy
    return 0.0 if loss <= 0 else loss  # not max(): max(0.0, nan) is 0.0


def pair_gradients(tables: Tables, word: int, other: int) -> dict[Row, Mixture]:
    """Gradient of log E(word, other) for each row involved; a row that is both gets the sum of both roles."""
    centre, outer = tables.input.row(word), tables.output.row(other)
    centre_row: Row = ("input", word)
    outer_row: Row = ("input" if tables.shared else "output", other)
    if centre_row == outer_row:
        return {centre_row: energy_gradient(centre, outer).plus(energy_gradient(outer, centre))}
    return {centre_row: energy_gradient(centre, outer), outer_row: energy_gradient(outer, centre)}


def window_loss(tables: Tables, window: Window, margin: float) -> float:
    """The loss of all triples of a window, pooled ones at weight 1 / C. A NaN stays a NaN."""
    return sum(weight * triple_loss(tables, *triple, margin) for weight, triple in window.triples())


def gradients(tables: Tables, window: Window, margin: float) -> tuple[float, dict[Row, Mixture]]:
    """The loss of a window, and its gradient for each row involved, each row once; none where no triple is active.

    A triple whose negative is its context has equal energies: its loss is the margin and its gradients cancel.
    """
    loss, total = window_loss(tables, window, margin), {}
    for weight, triple in window.triples():
        word, context, negative = triple
        if triple_loss(tables, *triple, margin) == 0 or context == negative:
            continue
        for sign, other in ((-weight, context), (+weight, negative)):
            for row, gradient in pair_gradients(tables, word, other).items():
                signed = gradient.times(sign)
                total[row] = total[row].plus(signed) if row in total else signed
    return loss, total


def adagrad_step(
    tables: Tables,
    accumulators: Tables,
    gradients_of_rows: dict[Row, Mixture],
    learning_rate: float,
    variance_limits: tuple[float, float] = VARIANCE_LIMITS,
    variance_alpha: float = 1.0,
) -> None:
    """One Adagrad step per row and parameter, in place. Accumulators start above 0, else 0 / 0 is a NaN.

    Log-variances learn at `variance_alpha` times the rate, and are then held inside their limits; minimum and
    maximum of NumPy let a NaN through.
    """
    for (name, word), gradient in gradients_of_rows.items():
        row = getattr(tables, name).row(word)
        sums = getattr(accumulators, name).row(word)
        for parameter in ("means", "log_variances", "scores"):
            g, accumulator, value = (getattr(one, parameter) for one in (gradient, sums, row))
            accumulator += g * g
            rate = learning_rate * (variance_alpha if parameter == "log_variances" else 1.0)
            value -= rate * g / np.sqrt(accumulator)
        lowest, highest = np.log(variance_limits)
        row.log_variances[:] = np.minimum(np.maximum(row.log_variances, lowest), highest)


def train_window(
    tables: Tables,
    accumulators: Tables,
    window: Window,
    learning_rate: float,
    margin: float = 1.0,
    variance_limits: tuple[float, float] = VARIANCE_LIMITS,
    variance_alpha: float = 1.0,
    max_norm: float = np.inf,
) -> float:
    """The loss of a window; then tables and accumulators learn from it, in place, each row once."""
    loss, gradients_of_rows = gradients(tables, window, margin)
    adagrad_step(tables, accumulators, gradients_of_rows, learning_rate, variance_limits, variance_alpha)
    if loss != 0:
        hold_norms(tables.input.row(window.word), max_norm)
    return loss


def hold_norms(row: Mixture, max_norm: float) -> None:
    """Scale means that are longer than `max_norm` to that length, in place. A NaN stays a NaN."""
    for mean in row.means:
        length = np.sqrt(np.sum(mean**2))
        if length > max_norm:
            mean *= max_norm / length


# Densities and measures -------------------------------------------------------------------------------------


def gaussian_log_density(x: Array, mean: Array, variances: Array) -> float:
    """Log of N(x; mean, diagonal variances), normaliser (2 pi)^(-D/2) |Sigma|^(-1/2); all three (D,)."""
    log_normaliser = -0.5 * len(mean) * np.log(2 * np.pi) - 0.5 * np.sum(np.log(variances))
    return float(log_normaliser - 0.5 * np.sum((x - mean) ** 2 / variances))


def mixture_log_density(x: Array, a: Mixture) -> float:
    """Log of f_a(x), x (D,)."""
    K = len(a.means)
    terms = [a.log_weights[i] + gaussian_log_density(x, a.means[i], a.variances[i]) for i in range(K)]
    return log_sum_exp(np.array(terms))


def over_pairs(component_measure: Callable[[Array, Array, Array, Array], float], a: Mixture, b: Mixture) -> Array:
    """A measure of (mean, variances, mean, variances) for every pair of senses. (K, K)"""
    table = np.empty((len(a.means), len(b.means)))
    for i in range(len(a.means)):
        for j in range(len(b.means)):
            table[i, j] = component_measure(a.means[i], a.variances[i], b.means[j], b.variances[j])
    return table


def cosine(mean_i: Array, variances_i: Array, mean_j: Array, variances_j: Array) -> float:
    """Cosine of two components' means, 0 if one is zero; the variances do not matter."""
    lengths = np.linalg.norm(mean_i) * np.linalg.norm(mean_j)
    return float(np.dot(mean_i, mean_j) / lengths) if lengths != 0 else 0.0


def euclidean(mean_i: Array, variances_i: Array, mean_j: Array, variances_j: Array) -> float:
    """Distance of two components' means; the variances do not matter."""
    return float(np.linalg.norm(mean_i - mean_j))


def kl_divergence(mean_i: Array, variances_i: Array, mean_j: Array, variances_j: Array) -> float:
    """KL(i || j) between two diagonal Gaussians: what j misses of i. Not symmetric."""
    trace, distance = np.sum(variances_i / variances_j), np.sum((mean_i - mean_j) ** 2 / variances_j)
    log_determinants = np.sum(np.log(variances_j)) - np.sum(np.log(variances_i))
    return float(0.5 * (trace + distance - len(mean_i) + log_determinants))


def wasserstein2(mean_i: Array, variances_i: Array, mean_j: Array, variances_j: Array) -> float:
    """2-Wasserstein distance between two diagonal Gaussians."""
    spread = np.sum((np.sqrt(variances_i) - np.sqrt(variances_j)) ** 2)
    return float(np.sqrt(np.sum((mean_i - mean_j) ** 2) + spread))


def mc(a: Mixture, b: Mixture) -> float:
    """Maximum cosine over the pairs of senses (MaxSim)."""
    return float(np.max(over_pairs(cosine, a, b)))


def avesim(a: Mixture, b: Mixture) -> float:
    """Cosine averaged over the pairs of senses, each with its weight p_i q_j (AveSim)."""
    return float(np.sum(np.outer(a.weights, b.weights) * over_pairs(cosine, a, b)))


def me(a: Mixture, b: Mixture) -> float:
    """Minus the smallest Euclidean distance over the pairs of senses."""
    return float(-np.min(over_pairs(euclidean, a, b)))


def kl(a: Mixture, b: Mixture) -> float:
    """Minus the smallest KL(a_i || b_j) over the pairs of senses: high when a (narrow) entails b (wide)."""
    return float(-np.min(over_pairs(kl_divergence, a, b)))


def el(a: Mixture, b: Mixture) -> float:
    """Log of the expected likelihood with its true log-determinant: the integral."""
    return log_energy_integral(a, b)


def el_paper(a: Mixture, b: Mixture) -> float:
    """The paper's `el` column: a spherical log-determinant counted once instead of D times, no constant."""
    partial = partial_log_energies(a, b, epsilon=0.0)
    surplus = a.means.shape[1] - 1 if a.spherical else 0
    for i in range(len(a.means)):
        for j in range(len(b.means)):
            partial[i, j] += 0.5 * surplus * np.log(a.variances[i, 0] + b.variances[j, 0])
    return log_sum_exp(partial)
