"""The slow obvious twin of the completion: every word, every beginning, the table of edits letter by letter."""


def edits(a: str, b: str) -> int:
    """Letters more, less, other, or two neighbours exchanged, between two strings (optimal string alignment)."""
    table = [[i + j if i * j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


def beginning_edits(typed: str, word: str) -> int:
    return min(edits(typed, word[:end]) for end in range(len(word) + 1))


def complete(words: list[str], text: str, topn: int) -> list[tuple[int, int]]:
    """(id, edits): what was typed itself, words that begin so, words that nearly do; by id within each."""
    typed = text.casefold()
    allowed = (len(typed) >= 3) + (len(typed) >= 6)
    ranked = []
    for number, word in enumerate(words):
        folded = word.casefold()
        distance = beginning_edits(typed, folded)
        if distance <= allowed:
            ranked.append((folded != typed, distance, number))
    return [(number, distance) for _, distance, number in sorted(ranked)[:topn]]
