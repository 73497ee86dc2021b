"""The safetensors format: arrays streamed to a file, and a file opened as a memory map.

The file is an 8-byte little-endian length, that many bytes of JSON, then the arrays' bytes. The library of that
name copies every array when it reads, and reports a full disk as text; this room maps, and lets `OSError` through.
"""

from __future__ import annotations

import json
import math
import mmap
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from w2gm.errors import ModelError

DTYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}
# A header of three arrays takes a few hundred bytes; a hostile length must not become an allocation.
LARGEST_HEADER = 1 << 20
_VALUES_AT_ONCE = 1 << 20
_ALIGNMENT = 64


def tensors_bytes(shapes: dict[str, tuple[int, ...]], dtypes: dict[str, str]) -> int:
    """Size of the file `write_tensors` makes, up to the few hundred bytes of its header."""
    return sum(math.prod(shape) * DTYPES[dtypes[name]].itemsize for name, shape in shapes.items())


def write_tensors(path: Path, arrays: dict[str, npt.NDArray[Any]], dtypes: dict[str, str]) -> None:
    """Write `arrays` under their names as "F32" or "F16"; a value beyond float16 raises `ModelError`.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "arrays.safetensors"
    >>> write_tensors(path, {"means": np.ones((2, 3))}, {"means": "F16"})
    >>> map_tensors(path)["means"].tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    # Wider numbers first, so that every array starts at a multiple of its item size.
    order = sorted(arrays, key=lambda name: -DTYPES[dtypes[name]].itemsize)
    header, offset = {}, 0
    for name in order:
        size = arrays[name].size * DTYPES[dtypes[name]].itemsize
        header[name] = {
            "dtype": dtypes[name],
            "shape": list(arrays[name].shape),
            "data_offsets": [offset, offset + size],
        }
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % _ALIGNMENT)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name in order:
            values = arrays[name].reshape(-1)
            for start in range(0, values.size, _VALUES_AT_ONCE):
                piece = values[start : start + _VALUES_AT_ONCE]
                if dtypes[name] == "F16" and (largest := np.abs(piece).max()) > np.finfo(np.float16).max:
                    raise ModelError(
                        f"{name} hold a value of size {largest:g}, beyond float16 (65504): save without half"
                    )
                file.write(piece.astype(DTYPES[dtypes[name]]).data)


def map_tensors(path: Path) -> dict[str, npt.NDArray[Any]]:
    """All arrays of a safetensors file as read-only views of one memory map; nothing is read ahead.

    Accepts float32 and float16 arrays of one to three dimensions. Everything the header says is checked against
    the file before any of it is used; what does not agree raises `ModelError`.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(0)
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > size - 8:
            raise ModelError(f"{path} is cut off: {size} bytes do not hold its header")
        if length > LARGEST_HEADER:
            raise ModelError(f"{path} has a header of {length} bytes; at most {LARGEST_HEADER} are accepted")
        layout = _layout(path, file.read(length), size - 8 - length)
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return {
        name: np.frombuffer(mapped, dtype, math.prod(shape), 8 + length + start).reshape(shape)
        for name, (dtype, shape, start) in layout.items()
    }


def _layout(path: Path, header: bytes, available: int) -> dict[str, tuple[np.dtype[Any], tuple[int, ...], int]]:
    """(dtype, shape, first byte) of each array, after checking that they fill `available` bytes exactly."""
    try:
        entries = json.loads(header)
    except (ValueError, RecursionError):
        raise ModelError(f"{path} has a header that is not JSON: the file is damaged") from None
    if not isinstance(entries, dict):
        raise ModelError(f"{path} has a header that is not a JSON object: the file is damaged")
    entries.pop("__metadata__", None)
    layout, spans = {}, []
    for name, entry in entries.items():
        dtype, shape, start, end = _entry(path, name, entry)
        needed = math.prod(shape) * dtype.itemsize
        if not 0 <= start <= end <= available:
            raise ModelError(
                f"{path}: {name[:40]!r} takes bytes {start} to {end} of {available}: the file is cut off or damaged"
            )
        if end - start != needed:
            raise ModelError(
                f"{path}: {name[:40]!r} of shape {shape} needs {needed} bytes, its entry gives {end - start}"
            )
        layout[name] = (dtype, shape, start)
        spans.append((start, end))
    spans.sort()
    ends = [0, *(end for _, end in spans)]
    if [*(start for start, _ in spans), available] != ends:
        raise ModelError(f"{path}: its arrays overlap or do not fill the file: the file is damaged")
    return layout


def _entry(path: Path, name: str, entry: Any) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
    """The fields of one header entry, of the right types."""
    where = f"{path}: {name[:40]!r}"
    if not isinstance(entry, dict):
        raise ModelError(f"{where} is not described by a JSON object: the file is damaged")
    kind: Any = entry.get("dtype")
    shape: Any = entry.get("shape")
    offsets: Any = entry.get("data_offsets")
    if not isinstance(kind, str) or kind not in DTYPES:
        raise ModelError(f"{where} has dtype {str(kind)[:40]!r}; accepted: F32, F16")
    if not _whole_numbers(shape) or not 1 <= len(shape) <= 3 or 0 in shape:
        raise ModelError(f"{where} has shape {str(shape)[:40]}; accepted: one to three numbers of at least 1")
    if not _whole_numbers(offsets) or len(offsets) != 2:
        raise ModelError(f"{where} has data_offsets {str(offsets)[:40]}; accepted: first and last byte")
    return DTYPES[kind], tuple(shape), offsets[0], offsets[1]


def _whole_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(type(item) is int and 0 <= item < 1 << 63 for item in value)
