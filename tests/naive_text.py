"""The slow, obvious twin of tokenising, counting and encoding. Imports nothing from w2gm."""

import unicodedata
from collections import Counter

APOSTROPHES = "'\u2019"
HYPHENS = "-\u2010\u2011"
ZERO_WIDTH_JOINERS = "\u200c\u200d"
SOFT_HYPHEN = "\u00ad"


def is_letter(character):
    return character.isalnum() and not is_mark(character)


def is_mark(character):
    return unicodedata.category(character) in ("Mn", "Mc") or character in ZERO_WIDTH_JOINERS


def words(line):
    """Words by the rules of 'words': found first, then lower-cased, then cleaned."""
    found, i = [], 0
    while i < len(line):
        if not is_letter(line[i]):
            i += 1
            continue
        end = i + 1
        while end < len(line):
            joins = line[end] in APOSTROPHES + HYPHENS and end + 1 < len(line) and is_letter(line[end + 1])
            if not (joins or is_letter(line[end]) or is_mark(line[end]) or line[end] == SOFT_HYPHEN):
                break
            end += 1
        found.append(normal(line[i:end]))
        i = end
    return found


def normal(word):
    """The word in lower case, with plain apostrophes and hyphens, without soft hyphens."""
    for hyphen in HYPHENS:
        word = word.replace(hyphen, "-")
    return "-".join(lower_part(part) for part in word.replace("\u2019", "'").split("-")).replace(SOFT_HYPHEN, "")


def lower_part(part):
    """Lower case of what stands between hyphens; a capital sigma that ends it, and is not all of it, is final."""
    result = ""
    for i, character in enumerate(part):
        if character == "Σ":
            result += "σ" if i == 0 or any(map(is_letter, part[i + 1 :])) else "ς"
        else:
            result += character.lower()
    return result


def sentences_of(text, tokenize, sentences="lines"):
    """Lists of tokens: one for each line of the text, or one for all of it."""
    lines = [tokenize(line) for line in text.split("\n")]
    return lines if sentences == "lines" else [[token for line in lines for token in line]]


def encoded(sentences, min_count=1, max_final_vocab=None):
    """The vocabulary (words, counts) and the ids, with -1 after each sentence that is not empty."""
    counts = Counter(token for sentence in sentences for token in sentence)
    order = sorted((word for word in counts if counts[word] >= min_count), key=lambda word: (-counts[word], word))
    order = order[:max_final_vocab]
    number = {word: i for i, word in enumerate(order)}
    ids = []
    for sentence in sentences:
        kept = [number[token] for token in sentence if token in number]
        ids += [*kept, -1] if kept else []
    return order, [counts[word] for word in order], ids
