"""What can be read, and how a line becomes tokens.

Nothing is imported here: `sources` and `tokenizers` bring the kernels and with them the compiler, while queries
read their text by `places` and `blocks`, which do not.
"""
