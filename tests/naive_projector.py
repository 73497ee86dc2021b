"""What TensorBoard's projector does with an export, written anew from its source: nothing from w2gm."""

import re
from pathlib import Path

import numpy as np

# Fields of the messages in tensorboard/plugins/projector/projector_config.proto: name -> (type, repeated).
PROJECTOR_CONFIG = {"embeddings": ("EmbeddingInfo", True), "model_checkpoint_path": ("string", False)}
EMBEDDING_INFO = {
    "tensor_name": ("string", False),
    "metadata_path": ("string", False),
    "bookmarks_path": ("string", False),
    "tensor_shape": ("uint32", True),
    "tensor_path": ("string", False),
}
_TOKEN = re.compile(r'\s*(?:([a-z_]+)\s*(?::|(?=\{))|(\{)|(\})|(\d+)|"([^"\\\n]*)")')


def read_config(text):
    """Protobuf's text form of a ProjectorConfig, every field checked against the schema; a list of embeddings."""
    message, at = _message(text, 0, PROJECTOR_CONFIG, end=False)
    assert not text[at:].strip()
    return message["embeddings"]


def _message(text, at, fields, end):
    message = {}
    while text[at:].strip():
        token = _TOKEN.match(text, at)
        assert token, text[at : at + 40]
        at = token.end()
        if token[3]:
            assert end
            return message, at
        kind, repeated = fields[token[1]]
        value = _TOKEN.match(text, at)
        at = value.end()
        if kind == "EmbeddingInfo":
            assert value[2]
            found, at = _message(text, at, EMBEDDING_INFO, end=True)
        else:
            found = value[5] if kind == "string" else int(value[4])
        if repeated:
            message.setdefault(token[1], []).append(found)
        else:
            assert token[1] not in message
            message[token[1]] = found
    assert not end
    return message, at


def read_tensor(path):
    """As `_read_tensor_tsv_file` does: lines end with a line feed, numbers with a tab, empty lines are none."""
    rows = [line for line in Path(path).read_bytes().decode("utf-8").split("\n") if line]
    return np.array([[float(cell) for cell in row.split("\t")] for row in rows], dtype="float32")


def read_metadata(path):
    """As the browser does: a header where there are several columns; a row {column: cell} for each point."""
    lines = [line for line in Path(path).read_bytes().decode("utf-8").split("\n") if line]
    rows = [line.split("\t") for line in lines]
    assert len(rows[0]) > 1
    assert {len(row) for row in rows} == {len(rows[0])}
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
