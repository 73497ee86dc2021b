"""The slow, obvious twin of a whole evaluation: own readers, own measures, own statistics. Imports nothing from w2gm.

A model is what its arrays are, in float64. All is done item by item; only what would take hours, with whole arrays.
"""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import norm

RESAMPLED = 1000


@dataclass
class NaiveModel:
    words: list
    counts: np.ndarray
    means: np.ndarray
    variances: np.ndarray  # (V, K, D), repeated where spherical
    weights: np.ndarray
    out_means: np.ndarray
    out_variances: np.ndarray
    out_weights: np.ndarray
    spherical: bool
    sample: float
    exponent: float
    window: int

    @cached_property
    def index(self):
        return {word: number for number, word in enumerate(self.words)}

    def find(self, word):
        """As written, else in lower case, else None."""
        return self.index.get(word, self.index.get(word.lower()))


# Readers: the columns of each file are known here, nothing is sniffed ---------------------------------------------


def lines_of(path):
    text = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    return [line for line in text.split("\n") if line.strip()]


def read_pairs(path, separator, rating_column, header):
    rows = [line.split(separator) for line in lines_of(path)][1 if header else 0 :]
    return [(row[0].strip(), row[1].strip(), float(row[rating_column])) for row in rows]


def read_scws(path):
    """(word, word, rating, (before, after), (before, after)): tokens around the word in question."""
    found = []
    for line in lines_of(path):
        cells = line.split("\t")
        contexts = [[part.split() for part in re.split(r"<b>.*?</b>", cells[column])] for column in (5, 6)]
        found.append((cells[1], cells[3], float(cells[7]), *contexts))
    return found


def read_entailment(path):
    return [tuple(word[:-2] if word.endswith("-n") else word for word in line.split()) for line in lines_of(path)]


def read_analogies(path):
    questions, section = [], None
    for line in lines_of(path):
        if line.startswith(":"):
            section = line[1:].strip()
        else:
            questions.append((section, *line.split()))
    return questions


# Measures of two words by their numbers ---------------------------------------------------------------


def cosine(a, b):
    return float(a @ b / (np.sqrt(a @ a) * np.sqrt(b @ b)))


def kl_of_gaussians(m, u, n, v):
    return 0.5 * float(np.sum(u / v + (m - n) ** 2 / v - 1 + np.log(v) - np.log(u)))


def log_sum(values):
    top = max(values)
    return top + float(np.log(sum(np.exp(value - top) for value in values)))


def measures(model, w, x):
    """Every measure of two words; all rise with similarity."""
    K, D = model.means.shape[1:]
    cosines, distances, divergences, transports, energies, paper, average = [], [], [], [], [], [], 0.0
    for i in range(K):
        for j in range(K):
            m, u, p = model.means[w, i], model.variances[w, i], model.weights[w, i]
            n, v, q = model.means[x, j], model.variances[x, j], model.weights[x, j]
            cosines.append(cosine(m, n))
            average += p * q * cosines[-1]
            distances.append(float(np.linalg.norm(m - n)))
            divergences.append(kl_of_gaussians(m, u, n, v))
            transports.append(float(np.sqrt(np.sum((m - n) ** 2) + np.sum((np.sqrt(u) - np.sqrt(v)) ** 2))))
            square = float(np.sum((m - n) ** 2 / (u + v)))
            logs = np.log(u + v)
            energies.append(np.log(p * q) - 0.5 * (D * np.log(2 * np.pi) + float(np.sum(logs)) + square))
            once = float(logs[0]) if model.spherical else float(np.sum(logs))
            paper.append(np.log(p * q) - 0.5 * (once + square))
    return {
        "mc": max(cosines),
        "el": log_sum(energies),
        "el-paper": log_sum(paper),
        "me": -min(distances),
        "kl": -min(divergences),
        "avesim": average,
        "w2": -min(transports),
        "js": -jensen_shannon(model, w, x),
    }


CLOUDS = {}


def cloud_of(D):
    """The fixed points of docs/maths.md: (count, D)."""
    if D not in CLOUDS:
        count = min(max(256, 2 * D), 1024)
        quantiles = norm.ppf((np.arange(count) + 0.5) / count)
        quantiles = quantiles / np.sqrt(np.mean(quantiles**2))
        draw = np.random.default_rng(0)
        columns = np.array([quantiles[draw.permutation(count)] for _ in range(D)]).T
        if count >= 2 * D:
            values, vectors = np.linalg.eigh(columns.T @ columns / count)
            columns = columns @ (vectors @ np.diag(values**-0.5) @ vectors.T)
        CLOUDS[D] = columns
    return CLOUDS[D]


def log_density(model, w, points):
    """log f_w at points (n, D)."""
    terms = [
        np.log(p) - 0.5 * np.sum(np.log(2 * np.pi * v) + (points - m) ** 2 / v, axis=1)
        for p, m, v in zip(model.weights[w], model.means[w], model.variances[w], strict=True)
    ]
    return np.logaddexp.reduce(terms)


def jensen_shannon(model, w, x):
    total = 0.0
    for one, other in ((w, x), (x, w)):
        for p, m, v in zip(model.weights[one], model.means[one], model.variances[one], strict=True):
            points = m + np.sqrt(v) * cloud_of(len(m))
            own = log_density(model, one, points)
            total += 0.5 * p * np.mean(own - np.logaddexp(own, log_density(model, other, points)) + np.log(2))
    return float(total)


# Senses in context ---------------------------------------------------------------


def sense_energies(model, w, contexts):
    """log E_i(w, c) of a word with context words, (n, K): the formula of docs/maths.md."""
    a, u = model.means[w][None, :, None], model.variances[w][None, :, None]
    b, v = model.out_means[contexts][:, None], model.out_variances[contexts][:, None]
    S = u + v + 1e-4
    xi = -0.5 * np.sum(np.log(S) + (a - b) ** 2 / S, axis=3)
    return np.logaddexp.reduce(np.log(model.out_weights[contexts])[:, None] + xi, axis=2)


class Posteriors:
    """The probabilities of a word's senses, given the words around it."""

    def __init__(self, model, noise=1024):
        self.model = model
        share = model.counts / model.counts.sum()
        ratio = np.where(model.sample > 0, model.sample / share, np.inf)
        self.kept = np.minimum(1, np.sqrt(ratio) + ratio)
        steps = np.cumsum(model.counts**model.exponent / np.sum(model.counts**model.exponent))
        self.noise = np.array([int(np.sum(steps < (r + 0.5) / noise)) for r in range(noise)])
        self.noise = np.minimum(self.noise, len(model.words) - 1)
        self.backgrounds = {}

    def background(self, w):
        if w not in self.backgrounds:
            energies = sense_energies(self.model, w, self.noise)
            self.backgrounds[w] = np.logaddexp.reduce(energies) - np.log(len(self.noise))
        return self.backgrounds[w]

    def of(self, w, sides):
        context = sides[0][-self.model.window :] + sides[1][: self.model.window]
        if self.model.means.shape[1] == 1:
            return np.ones(1)
        known = [c for c in (self.model.find(token) for token in context) if c is not None and c != w]
        if not known:
            return self.model.weights[w]
        amount = sum(self.kept[c] for c in known)
        logs = np.log(self.model.weights[w]) + self.background(w)
        for c, energies in zip(known, sense_energies(self.model, w, np.array(known)), strict=True):
            logs = logs + self.kept[c] * (energies - self.background(w)) / np.sqrt(max(1.0, amount))
        powers = np.exp(logs - logs.max())
        return powers / powers.sum()


def in_context(model, posteriors, w, x, first, second):
    """The four scores of SCWS."""
    if w == x:
        return dict.fromkeys(("MaxSim", "AveSim", "AvgSimC", "MaxSimC"), 1.0)
    p, q = posteriors.of(w, first), posteriors.of(x, second)
    K = len(p)
    cosines = np.array([[cosine(model.means[w, i], model.means[x, j]) for j in range(K)] for i in range(K)])
    return {
        "MaxSim": cosines.max(),
        "AveSim": float(model.weights[w] @ cosines @ model.weights[x]),
        "AvgSimC": float(p @ cosines @ q),
        "MaxSimC": cosines[p.argmax(), q.argmax()],
    }


# Statistics ---------------------------------------------------------------


def ranks(values):
    """Ranks from 1, ties at their mean."""
    values = np.asarray(values)
    different, places, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return (last - (sizes - 1) / 2)[places] if len(different) else np.empty(0)


def spearman(x, y):
    if len(x) < 2 or np.isnan(x).any() or np.isnan(y).any():
        return float("nan")
    a, b = ranks(x), ranks(y)
    a, b = a - a.mean(), b - b.mean()
    scale = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / scale) if scale > 0 else float("nan")


def detection(scores, truth):
    """(best accuracy, best F1, average precision) by trying every threshold."""
    scores, truth = np.asarray(scores), np.asarray(truth)
    accuracy, f1, precision_sum, recall_before = [], [], 0.0, 0.0
    for threshold in [np.inf, *np.unique(scores)[::-1]]:
        called = scores >= threshold
        hits = np.sum(called & truth)
        accuracy.append(np.mean(called == truth))
        f1.append(2 * hits / max(1, called.sum() + truth.sum()))
        if called.any() and truth.any():
            recall = hits / truth.sum()
            precision_sum += (recall - recall_before) * hits / called.sum()
            recall_before = recall
    return max(accuracy), max(f1), precision_sum if truth.any() else float("nan")


def interval(statistic, items, times, seed):
    """The middle 95 per cent of a statistic of resampled items."""
    draw = np.random.default_rng(seed)
    values = [statistic(draw.integers(0, items, items)) for _ in range(times)] if items else []
    values = [value for value in values if not np.isnan(value)]
    return tuple(np.percentile(values, [2.5, 97.5])) if values else (float("nan"), float("nan"))


def steady(value):
    """36 bits of a score, and nothing finer than 2^-44."""
    if value == 0 or not np.isfinite(value):
        return value
    unit = max(2.0**-44, 2.0 ** (np.floor(np.log2(abs(value))) + 1 - 36))
    return np.round(value / unit) * unit


# A whole evaluation ---------------------------------------------------------------

HIGHEST = {"mc": 1.0, "avesim": 1.0, "me": 0.0, "kl": 0.0, "w2": 0.0, "js": 0.0, "cos": 1.0, "kl-reverse": 0.0}


def fill(name, numbers, score):
    """(scores of all pairs by the rule for unknown words); `numbers` are pairs of ids or None."""
    known = [steady(score(w, x)) for w, x in numbers if w is not None and x is not None]
    if not known:
        return np.full(len(numbers), np.nan)
    middle, top = float(np.median(known)), max([*known, HIGHEST.get(name, -np.inf)])
    if name in ("MaxSim", "AveSim", "AvgSimC", "MaxSimC"):
        top = 1.0
    rest, values = iter(known), []
    for w, x in numbers:
        unknown = (w is None) + (x is None)
        values.append(next(rest) if unknown == 0 else middle if unknown == 1 else top)
    return np.array(values)


def stand_in(model, w):
    """The id of a word, or of the model's own unknown word where it has one."""
    return model.index.get("UNK") if w is None else w


def evaluate_pairs(model, pairs, times, seed, contexts=None):
    """{"pairs", "found", "scores"}: pairs are (word, word, rating)."""
    written = [(model.find(one), model.find(other)) for one, other, _ in pairs]
    found = np.array([w is not None and x is not None for w, x in written])
    numbers = [(stand_in(model, w), stand_in(model, x)) for w, x in written]
    ratings = np.array([rating for *_, rating in pairs])
    known = {(w, x): measures(model, w, x) for w, x in numbers if w is not None and x is not None}
    columns = {
        name: fill(name, numbers, lambda w, x, name=name: known[w, x][name])
        for name in ("mc", "el", "el-paper", "me", "kl", "avesim", "w2", "js")
    }
    if contexts is not None:
        posteriors = Posteriors(model)
        told = [
            in_context(model, posteriors, w, x, *context)
            for (w, x), context in zip(numbers, contexts, strict=True)
            if w is not None and x is not None
        ]
        for name in ("MaxSim", "AveSim", "AvgSimC", "MaxSimC"):
            row = iter([one[name] for one in told])
            columns[name] = fill(name, numbers, lambda w, x, row=row: next(row))
    scores = {}
    for name, values in columns.items():
        row = {}
        for items, head, low, high in ((found, "found", "low", "high"), (found | True, "all", "all_low", "all_high")):
            x, y = values[items], ratings[items]
            row[head] = 100 * spearman(x, y)
            row[low], row[high] = interval(lambda k, x=x, y=y: 100 * spearman(x[k], y[k]), len(x), times, seed)
        scores[name] = row
    return {"pairs": len(pairs), "found": int(found.sum()), "scores": scores}


def evaluate_entailment(model, positive, negative, times, seed):
    pairs = [*positive, *negative]
    truth = np.arange(len(pairs)) < len(positive)
    written = [(model.find(one), model.find(other)) for one, other in pairs]
    found = np.array([w is not None and x is not None for w, x in written])
    numbers = [(stand_in(model, w), stand_in(model, x)) for w, x in written]
    ways = {
        "cos": lambda w, x: measures(model, w, x)["mc"],
        "kl": lambda w, x: measures(model, w, x)["kl"],
        "kl-reverse": lambda w, x: measures(model, x, w)["kl"],
    }
    columns = {name: fill(name, numbers, way) for name, way in ways.items()}
    forth, back = (columns[name][found & truth] for name in ("kl", "kl-reverse"))
    result = {"pairs": len(pairs), "found": int(found.sum()), "direction": 100 * np.mean(forth > back)}
    for name, values in columns.items():
        parts = []
        for items in (found, found | True):
            x, y = values[items], truth[items]
            row = dict(zip(("accuracy", "f1", "ap"), (100 * value for value in detection(x, y)), strict=True))
            for place, head in enumerate(("accuracy", "f1", "ap")):
                low, high = interval(lambda k, x=x, y=y, n=place: 100 * detection(x[k], y[k])[n], len(x), times, seed)
                row |= {f"{head}_low": low, f"{head}_high": high}
            parts.append(row)
        result[name] = parts[0] | {"all": parts[1]}
    return result


def answer(model, a, b, c, method):
    """The word of the best sense by 3CosAdd or 3CosMul, over all words but the three asked about."""
    units = model.means / np.linalg.norm(model.means, axis=2, keepdims=True)
    asked = []
    for w in (a, b, c):
        mean = model.weights[w] @ model.means[w]
        asked.append(units @ (mean / np.linalg.norm(mean)))
    if method == "3CosAdd":
        scores = asked[1] - asked[0] + asked[2]
    else:
        up = [(1 + one) / 2 for one in asked]
        scores = up[1] * up[2] / (up[0] + 0.001)
    best = scores.max(axis=1)
    best[[a, b, c]] = -np.inf
    return int(best.argmax())


def evaluate_analogies(model, questions, times, seed):
    numbers = [tuple(model.find(word) for word in words) for _, *words in questions]
    found = np.array([None not in four for four in numbers])
    sections = [section for section, *_ in questions]
    result = {"questions": len(questions), "found": int(found.sum())}
    for method in ("3CosAdd", "3CosMul"):
        right = np.array([None not in four and answer(model, *four[:3], method) == four[3] for four in numbers])
        row = {}
        for items, head, low, high in ((found, "found", "low", "high"), (found | True, "all", "all_low", "all_high")):
            x = right[items]
            row[head] = 100 * np.mean(x) if len(x) else float("nan")
            row[low], row[high] = interval(lambda k, x=x: 100 * np.mean(x[k]), len(x), times, seed)
        for kind, syntactic in (("semantic", False), ("syntactic", True)):
            items = [
                r for r, f, s in zip(right, found, sections, strict=True) if f and s.startswith("gram") == syntactic
            ]
            row[kind] = 100 * np.mean(items) if items else float("nan")
        row["sections"] = {
            name: {
                "questions": sections.count(name),
                "found": sum(f for f, s in zip(found, sections, strict=True) if s == name),
                "right": sum(r and f for r, f, s in zip(right, found, sections, strict=True) if s == name),
            }
            for name in dict.fromkeys(sections)
        }
        result[method] = row
    return result
