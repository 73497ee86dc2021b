"""Small test sets in the forms of the real ones, traps included, and a model that knows most of their words."""

from pathlib import Path

import numpy as np

from naive_evaluation import NaiveModel
from w2gm.config import Config
from w2gm.model import Mixtures, Model
from w2gm.vocabulary import Vocabulary

WORDS = [
    "the", "cup", "mug", "cat", "dog", "bank", "river", "money", "tea", "drink", "animal", "vessel", "stone", "rock",
    "music", "paris", "france", "rome", "italy", "good", "well", "bad", "badly", "Athens", "greece", "water", "star",
]  # fmt: skip

# The pair twice, reversed, of the same word, with capitals, with one and with two unknown words, with equal ratings.
PAIRS = [
    ("cup", "mug", 9.0), ("mug", "cup", 8.5), ("cup", "mug", 7.0), ("cat", "cat", 10.0), ("Dog", "CAT", 6.0),
    ("bank", "river", 5.0), ("bank", "money", 5.0), ("tea", "drink", 7.0), ("stone", "rock", 8.0),
    ("nosuchword", "cup", 3.0), ("dog", "othersuch", 1.0), ("nosuchword", "othersuch", 2.0), ("music", "rock", 5.0),
    ("star", "water", 0.5), ("Athens", "greece", 4.0), ("the", "dog", 0.0),
]  # fmt: skip
ENTAILED = [
    ("cat", "animal"),
    ("dog", "animal"),
    ("cup", "vessel"),
    ("mug", "vessel"),
    ("tea", "drink"),
    ("zebu", "animal"),
]
NOT_ENTAILED = [
    ("cat", "vessel"),
    ("animal", "cat"),
    ("tea", "stone"),
    ("rock", "drink"),
    ("zebu", "gnu"),
    ("gnu", "cup"),
]
QUESTIONS = {
    "capital-common-countries": ["Paris France Rome Italy", "Athens Greece Paris France", "Rome Italy Oslo Norway"],
    "gram1-adjective-to-adverb": ["good well bad badly", "bad badly good well"],
}
CONTEXTS = [
    ("the river and the", "was full of water .", "money in the", "for The Money"),
    ("nothing known here : xyzzy", "", "", "the the the river"),
]


def pair_lines(separator: str, columns: int = 3) -> list[str]:
    """Lines of PAIRS; with four columns a part of speech stands before the rating."""
    return [separator.join([one, other, *["N"] * (columns - 3), str(rating)]) for one, other, rating in PAIRS]


def scws_line(number: int, one: str, other: str, rating: float) -> str:
    before, after, other_before, other_after = CONTEXTS[number % len(CONTEXTS)]
    contexts = [f"{before} <b> {one} </b> {after}", f"{other_before} <b> {other} </b> {other_after}"]
    return "\t".join([str(number), one, "n", other, "v", *contexts, str(rating), *["1.0"] * 10])


def write_small_sets(folder: Path) -> None:
    """Every set of the catalogue, each file with the separators, line ends and headers of the real one."""

    def write(place: str, lines: list[str], end: str = "\n", last: bool = True) -> None:
        file = folder / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes((end.join(lines) + (end if last else "")).encode())

    write(
        "SimLex-999/SimLex-999.txt",
        ["word1\tword2\tPOS\tSimLex999\tSD", *(f"{line}\t1.5" for line in pair_lines("\t", 4))],
        "\r\n",
    )
    write("WordSim-353/EN-WS-353-ALL.txt", pair_lines("\t"), "\r\n")
    write("WordSim-353/EN-WS-353-SIM.txt", pair_lines("\t")[:12])
    write("WordSim-353/EN-WS-353-REL.txt", pair_lines("\t")[4:])
    write("MEN/EN-MEN-TR-3k.txt", pair_lines(" "))
    write("MC-30/EN-MC-30.txt", pair_lines("\t")[:9])
    write("RG-65/EN-RG-65.txt", pair_lines("\t"), last=False)
    write("YP-130/EN-YP-130.txt", pair_lines(" ")[2:])
    write("MTurk-287/EN-MTurk-287.txt", pair_lines("\t")[3:], last=False)
    write("MTurk-771/EN-MTurk-771.txt", pair_lines(" "), "\r\n")
    write("RW/EN-RW-STANFORD.txt", pair_lines("\t"))
    write("SCWS/ratings.txt", [scws_line(number, *pair) for number, pair in enumerate(PAIRS)])
    for kind, pairs in (("positive", ENTAILED), ("negative", NOT_ENTAILED)):
        write(f"Baroni2012/{kind}-examples.txtinput", [f"{one}-n\t{other}-n" for one, other in pairs])
    write(
        "google-analogies/questions-words.txt",
        [line for section, questions in QUESTIONS.items() for line in (f": {section}", *questions)],
    )


def small_model(
    words: list[str] = WORDS, senses: int = 2, dimensions: int = 6, covariance: str = "spherical", seed: int = 0
) -> Model:
    """Random mixtures for some words, with tables for context words."""
    draw = np.random.default_rng(seed)
    shape = (len(words), senses) if covariance == "spherical" else (len(words), senses, dimensions)

    def mixtures() -> Mixtures:
        return Mixtures(
            draw.normal(size=(len(words), senses, dimensions)).astype(np.float32),
            draw.normal(-0.5, 0.5, size=shape).astype(np.float32),
            draw.dirichlet(np.ones(senses) * 3, len(words)).astype(np.float32),
        )

    counts = np.maximum(1, 5000 // (1 + np.arange(len(words))))
    config = Config(senses=senses, vector_size=dimensions, covariance=covariance, sample=1e-2, window=3)
    return Model(Vocabulary(words, counts), mixtures(), config=config, provenance={}, context=mixtures())


def naive_of(model: Model) -> NaiveModel:
    """The arrays of a model, for the twin."""
    assert model.context is not None

    def arrays(mixtures: Mixtures) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        variances = np.exp(mixtures.log_variances.astype(np.float64))
        if variances.ndim == 2:
            variances = np.repeat(variances[:, :, np.newaxis], mixtures.vector_size, axis=2)
        return mixtures.means.astype(np.float64), variances, mixtures.weights.astype(np.float64)

    return NaiveModel(
        model.index_to_key, model.counts.astype(np.float64), *arrays(model.mixtures), *arrays(model.context),
        spherical=model.covariance == "spherical", sample=model.config.sample, exponent=model.config.ns_exponent,
        window=model.config.window,
    )  # fmt: skip
