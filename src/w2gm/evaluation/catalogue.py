"""The test sets of the paper, and where their authors give them: names, files, checksums, addresses.

No set is part of the package. A file is known by its SHA-256: what an address serves is kept only if it is that file.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import NamedTuple

from w2gm.errors import ConfigError

# The word similarity sets in one form, by the authors of wordvectors.org.
_COLLECTION = "https://raw.githubusercontent.com/mfaruqui/eval-word-vectors/master/data/word-sim/"
_AGIRRE = "http://alfonseca.org/pubs/ws353simrel.tar.gz"
# The files the paper's authors measured with, at one commit of their repository.
_PAPER = "https://raw.githubusercontent.com/benathi/word2gm/4655edfd0124d7bb6fbd9ac55b318ad053b1e7b9/evaluation_data/"


class Source(NamedTuple):
    """An address that serves a file, or an archive (zip, tar) with the file in it."""

    address: str
    member: str | None = None


class File(NamedTuple):
    """One file: its place below the data folder, its size in bytes, its SHA-256, and the sources to try in turn."""

    place: str
    size: int
    sha256: str
    sources: tuple[Source, ...]


class KnownSet(NamedTuple):
    """A set: its name in the paper's tables, what it is, how many items, what kind ("pairs", ...), its files."""

    name: str
    title: str
    items: int
    kind: str
    files: tuple[File, ...]


KNOWN_SETS = (
    KnownSet(
        "SL",
        "SimLex-999",
        999,
        "pairs",
        (
            File(
                "SimLex-999/SimLex-999.txt",
                44050,
                "ca00ff8515a36cde32d13c2b83def23f5a167b67db93ebfcfb7dae039ba22c0b",
                (
                    Source("https://fh295.github.io/SimLex-999.zip", "SimLex-999/SimLex-999.txt"),
                    Source(_PAPER + "SimLex-999/SimLex-999.txt"),
                ),
            ),
        ),
    ),
    KnownSet(
        "WS",
        "WordSim-353",
        353,
        "pairs",
        (
            File(
                "WordSim-353/EN-WS-353-ALL.txt",
                7405,
                "ce12919b240af45bdf46d243601eaca2b6212b159b5e7e9b435ee7ee40c5619c",
                (
                    Source(_COLLECTION + "EN-WS-353-ALL.txt"),
                    Source(_PAPER + "multiple_datasets/EN-WS-353-ALL.txt"),
                ),
            ),
        ),
    ),
    KnownSet(
        "WS-S",
        "WordSim-353, similarity",
        203,
        "pairs",
        (
            File(
                "WordSim-353/EN-WS-353-SIM.txt",
                4002,
                "f1da938998863c94e53f72f984a5c6e215f0b46c323aae8f0f4930703a339107",
                (
                    Source(_AGIRRE, "wordsim_similarity_goldstandard.txt"),
                    Source(_COLLECTION + "EN-WS-353-SIM.txt"),
                    Source(_PAPER + "multiple_datasets/EN-WS-353-SIM.txt"),
                ),
            ),
        ),
    ),
    KnownSet(
        "WS-R",
        "WordSim-353, relatedness",
        252,
        "pairs",
        (
            File(
                "WordSim-353/EN-WS-353-REL.txt",
                5134,
                "66a7c88100624d0a391605ff61ce84e11d11ee620d51ec0298da49592838f8fa",
                (
                    Source(_AGIRRE, "wordsim_relatedness_goldstandard.txt"),
                    Source(_COLLECTION + "EN-WS-353-REL.txt"),
                    Source(_PAPER + "multiple_datasets/EN-WS-353-REL.txt"),
                ),
            ),
        ),
    ),
    KnownSet(
        "MEN",
        "MEN",
        3000,
        "pairs",
        (
            File(
                "MEN/EN-MEN-TR-3k.txt",
                53593,
                "3df21751d8f69d51619ec62251c045da70815f3fad27736db7c1fc99ff3bfacf",
                (
                    Source(_COLLECTION + "EN-MEN-TR-3k.txt"),
                    Source(_PAPER + "multiple_datasets/EN-MEN-TR-3k.txt"),
                ),
            ),
        ),
    ),
    KnownSet(
        "MC",
        "Miller and Charles 1991",
        30,
        "pairs",
        (
            File(
                "MC-30/EN-MC-30.txt",
                544,
                "ac193564204b0c4b762055507378a1e65775d8e2050967fc52af9a9a6bcc874c",
                (
                    Source(_COLLECTION + "EN-MC-30.txt"),
                    Source(_PAPER + "multiple_datasets/EN-MC-30.txt"),
                ),
            ),
        ),
    ),
    KnownSet(
        "RG",
        "Rubenstein and Goodenough 1965",
        65,
        "pairs",
        (
            File(
                "RG-65/EN-RG-65.txt",
                1208,
                "24b6856dbd54357ac7a14ab00c86073dcdf88be2a0914bcf30500845f9e4c147",
                (
                    Source(_COLLECTION + "EN-RG-65.txt"),
                    Source(_PAPER + "multiple_datasets/EN-RG-65.txt"),
                ),
            ),
        ),
    ),
    KnownSet(
        "YP",
        "Yang and Powers 2006, verbs",
        130,
        "pairs",
        (
            File(
                "YP-130/EN-YP-130.txt",
                2614,
                "4b963f0771ba8cf1d378de8cd43387c31eae34a5e57e2de3685c53fc2cdd9a73",
                (
                    Source(_COLLECTION + "EN-YP-130.txt"),
                    Source(_PAPER + "multiple_datasets/EN-YP-130.txt"),
                ),
            ),
        ),
    ),
    KnownSet(
        "MT-287",
        "Radinsky 2011",
        287,
        "pairs",
        (
            File(
                "MTurk-287/EN-MTurk-287.txt",
                7218,
                "a9ae3a9decb75a9700fe0cf18b048c1344774d9f40e0196baf8e34d4cd9d1ce5",
                (
                    Source(_COLLECTION + "EN-MTurk-287.txt"),
                    Source(_PAPER + "multiple_datasets/EN-MTurk-287.txt"),
                ),
            ),
        ),
    ),
    KnownSet(
        "MT-771",
        "Halawi 2012",
        771,
        "pairs",
        (
            File(
                "MTurk-771/EN-MTurk-771.txt",
                19629,
                "a8cc04ed7b45a95a4b8915814c75c30ef99ab6001b534205529b07273022f569",
                (
                    Source(_COLLECTION + "EN-MTurk-771.txt"),
                    Source(_PAPER + "multiple_datasets/EN-MTurk-771.txt"),
                ),
            ),
        ),
    ),
    KnownSet(
        "RW",
        "Rare words",
        2034,
        "pairs",
        (
            File(
                "RW/EN-RW-STANFORD.txt",
                49851,
                "5108d54dfc746f44f9c3d7e31d2857c37cf71430bc1594175a61a3b89bb0ae1f",
                (
                    Source(_COLLECTION + "EN-RW-STANFORD.txt"),
                    Source(_PAPER + "multiple_datasets/EN-RW-STANFORD.txt"),
                ),
            ),
        ),
    ),
    KnownSet(
        "SCWS",
        "Huang 2012, in context",
        2003,
        "scws",
        (
            File(
                "SCWS/ratings.txt",
                2365438,
                "b371cee6142e6be9fad9129a2b6cc7e3b945b7bc931b355051043fb438c16000",
                (
                    Source("http://ai.stanford.edu/~ehhuang/SCWS.zip", "SCWS/ratings.txt"),
                    Source("http://www-nlp.stanford.edu/~ehhuang/SCWS.zip", "SCWS/ratings.txt"),
                    Source(_PAPER + "ehuang_sim_wcontext/SCWS/ratings.txt"),
                ),
            ),
        ),
    ),
    KnownSet(
        "entailment",
        "Baroni 2012",
        2770,
        "entailment",
        (
            File(
                "Baroni2012/positive-examples.txtinput",
                28017,
                "5ee168e8dfd13c005bfdcfe2b53f66d43fd21ea5b7069fc55b4c13c55f3d4806",
                (Source(_PAPER + "entailment_baroni2012/positive-examples.txtinput"),),
            ),
            File(
                "Baroni2012/negative-examples.txtinput",
                27827,
                "9991287b515ce6852cc6789c2f5901b8aa82e9afa6f4b86e00f43233385772b6",
                (Source(_PAPER + "entailment_baroni2012/negative-examples.txtinput"),),
            ),
        ),
    ),
    KnownSet(
        "analogies",
        "Google's questions",
        19544,
        "analogies",
        (
            File(
                "google-analogies/questions-words.txt",
                603955,
                "8c29b3332afc46f3fb8be04cb5297bf96f39aa7131272dff57869b4485b22a36",
                (
                    Source("https://raw.githubusercontent.com/tmikolov/word2vec/master/questions-words.txt"),
                    Source("http://download.tensorflow.org/data/questions-words.txt"),
                ),
            ),
        ),
    ),
)
SET_NAMES = tuple(one.name for one in KNOWN_SETS)


def known_sets(names: Iterable[str] | None = None) -> list[KnownSet]:
    """The sets of these names in the order of the paper's tables; all of them for None.

    >>> [one.title for one in known_sets(["ws-s", "SL"])]
    ['SimLex-999', 'WordSim-353, similarity']
    """
    if names is None:
        return list(KNOWN_SETS)
    known = {name.lower(): name for name in SET_NAMES}
    wanted = set()
    for name in names:
        if name.lower() not in known:
            close = difflib.get_close_matches(name.lower(), known, n=1)
            hint = f", did you mean {known[close[0]]}?" if close else ";"
            raise ConfigError(f"unknown set {name!r}{hint} accepted: {', '.join(SET_NAMES)}")
        wanted.add(known[name.lower()])
    return [one for one in KNOWN_SETS if one.name in wanted]
