"""The slow, obvious twin of senses in context: float64, one word at a time. Imports nothing from w2gm."""

import math

import numpy as np

from naive import Mixture, Table, log_sum_exp, partial_log_energies
from naive_sampling import keep_probabilities, noise_distribution


def sense_energies(word: Mixture, context: Mixture) -> list[float]:
    """log E_i of each sense of a word with a context word: without the sense's own weight."""
    terms = partial_log_energies(word, context) - word.log_weights[:, np.newaxis]
    return [log_sum_exp(row) for row in terms]


def noise_words(counts, exponent: float, number: int) -> list[int]:
    """Words at even steps of the noise distribution: the first at which it has passed (r + 1/2) / number."""
    probability = noise_distribution(counts, exponent)
    chosen = []
    for r in range(number):
        passed, word = probability[0], 0
        while passed < (r + 0.5) / number and word < len(probability) - 1:
            word += 1
            passed += probability[word]
        chosen.append(word)
    return chosen


def background(word: Mixture, outputs: Table, noise: list[int]) -> list[float]:
    """log Z_i, the log of the mean energy of each sense with a noise word."""
    energies = [sense_energies(word, outputs.row(n)) for n in noise]
    return [log_sum_exp(np.array(one)) - math.log(len(noise)) for one in zip(*energies, strict=True)]


def log_odds_against_rest(logs: list[float]) -> list[float]:
    """The log-odds of each sense against the others together."""
    return [one - log_sum_exp(np.array(logs[:i] + logs[i + 1 :])) for i, one in enumerate(logs)]


def sense_logs(word: int, context: list[int], inputs: Table, outputs: Table, counts, settings, without=None):
    """Log-probability of each sense up to a constant; `without` one place of the context, its share still counted.

    settings: the threshold of subsampling, the exponent and the number of the noise words.
    """
    sample, exponent, number = settings
    row = inputs.row(word)
    said = [place for place, c in enumerate(context) if c >= 0 and c != word]
    if not said:
        return list(row.log_weights)
    kept = keep_probabilities(counts, sample)
    kept = kept / kept.max()
    Z = background(row, outputs, noise_words(counts, exponent, number))
    logs = [row.log_weights[i] + Z[i] for i in range(len(Z))]
    amount = sum(kept[context[place]] for place in said)
    for place in said:
        if place != without:
            c = context[place]
            energies = sense_energies(row, outputs.row(c))
            for i in range(len(Z)):
                logs[i] += kept[c] * (energies[i] - Z[i]) / math.sqrt(max(1.0, amount))
    return logs


def posterior(word: int, context: list[int], inputs: Table, outputs: Table, counts, settings) -> list[float]:
    """The probability of each sense of a word, given the words around it."""
    logs = sense_logs(word, context, inputs, outputs, counts, settings)
    return [math.exp(one - log_sum_exp(np.array(logs))) for one in logs]


def contribution(word: int, context: list[int], place: int, inputs: Table, outputs: Table, counts, settings):
    """What the word at one place of the context adds to the log-odds of each sense."""
    full, less = (
        log_odds_against_rest(sense_logs(word, context, inputs, outputs, counts, settings, without))
        for without in (None, place)
    )
    return [one - other for one, other in zip(full, less, strict=True)]


def avg_sim_c(a, b, P, Q) -> float:
    """AvgSimC of two words: means (K, D) of each, posteriors (K,) of each."""
    total = 0.0
    for i in range(len(a)):
        for j in range(len(b)):
            total += P[i] * Q[j] * np.dot(a[i], b[j]) / (np.linalg.norm(a[i]) * np.linalg.norm(b[j]))
    return total


def max_sim_c(a, b, P, Q) -> float:
    """MaxSimC of two words: the cosine of the most probable senses."""
    i, j = int(np.argmax(P)), int(np.argmax(Q))
    return np.dot(a[i], b[j]) / (np.linalg.norm(a[i]) * np.linalg.norm(b[j]))
