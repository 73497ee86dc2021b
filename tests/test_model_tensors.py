"""The safetensors files: read by the library of that name, and safe against a hostile header."""

import json
import tracemalloc

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st

from w2gm.errors import ModelError
from w2gm.model.tensors import LARGEST_HEADER, map_tensors, write_tensors


def write_raw(path, header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


def entry(dtype="F32", shape=(2, 3), offsets=(0, 24)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


@settings(max_examples=30, deadline=None)
@given(shape=st.lists(st.integers(1, 5), min_size=1, max_size=3), half=st.booleans(), seed=st.integers(0, 99))
def test_the_safetensors_library_reads_what_is_written(tmp_path_factory, shape, half, seed):
    path = tmp_path_factory.mktemp("tensors") / "a.safetensors"
    random = np.random.default_rng(seed)
    arrays = {"odd": random.standard_normal((1, 3)), "any": random.standard_normal(shape)}
    write_tensors(path, arrays, {"odd": "F16", "any": "F16" if half else "F32"})
    expected = {"odd": arrays["odd"].astype("f2"), "any": arrays["any"].astype("f2" if half else "f4")}
    for actual in (safetensors.numpy.load_file(path), map_tensors(path)):
        assert sorted(actual) == ["any", "odd"]
        for name, array in expected.items():
            assert actual[name].dtype == array.dtype
            np.testing.assert_array_equal(actual[name], array)


def test_what_the_safetensors_library_writes_is_read(tmp_path):
    arrays = {
        "weights": np.arange(3, dtype="f4").reshape(3, 1),
        "means": np.arange(15, dtype="f2").reshape(3, 1, 5),
    }
    safetensors.numpy.save_file(arrays, tmp_path / "a.safetensors", metadata={"made": "elsewhere"})
    actual = map_tensors(tmp_path / "a.safetensors")
    assert sorted(actual) == ["means", "weights"]
    for name, array in arrays.items():
        np.testing.assert_array_equal(actual[name], array)


def test_arrays_longer_than_one_piece_and_of_any_layout_are_written(tmp_path):
    path = tmp_path / "a.safetensors"
    wide = np.random.default_rng(0).standard_normal((3, 700_001), dtype=np.float32).T
    write_tensors(path, {"wide": wide}, {"wide": "F32"})
    np.testing.assert_array_equal(map_tensors(path)["wide"], wide)


def test_mapping_reads_nothing_ahead(tmp_path):
    path = tmp_path / "a.safetensors"
    write_tensors(path, {"means": np.zeros(5_000_000, dtype=np.float32)}, {"means": "F32"})
    tracemalloc.start()
    means = map_tensors(path)["means"]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert means.nbytes == 20_000_000
    assert peak < 100_000
    with pytest.raises(ValueError, match="read-only"):
        means[0] = 1


def test_a_value_beyond_float16_is_refused(tmp_path):
    arrays = {"means": np.array([1.0, -70_000.0])}
    with pytest.raises(ModelError, match=r"means hold a value of size 70000, beyond float16 \(65504\): save without"):
        write_tensors(tmp_path / "a.safetensors", arrays, {"means": "F16"})


@pytest.mark.parametrize(
    ("header", "data", "message"),
    [
        (b"not json", b"", "header that is not JSON"),
        (b"[" * 100_000, b"", "header that is not JSON"),
        (b"\xff\xfe{}", b"", "header that is not JSON"),
        (b"[1]", b"", "header that is not a JSON object"),
        ({"a": 3}, b"", "'a' is not described by a JSON object"),
        ({"a": entry(dtype="F64")}, bytes(24), "'a' has dtype 'F64'; accepted: F32, F16"),
        ({"a": entry(dtype=None)}, bytes(24), "'a' has dtype 'None'; accepted: F32, F16"),
        ({"a": entry(dtype=["F32"])}, bytes(24), "accepted: F32, F16"),
        ({"a": entry(shape=(2, -3))}, bytes(24), r"'a' has shape \[2, -3\]; accepted: one to three numbers"),
        ({"a": entry(shape=(2, 3.0))}, bytes(24), "'a' has shape"),
        ({"a": entry(shape=(True, 6))}, bytes(24), "'a' has shape"),
        ({"a": entry(shape=())}, bytes(4), "'a' has shape"),
        ({"a": entry(shape=(1, 1, 2, 3))}, bytes(24), "'a' has shape"),
        ({"a": entry(shape=(0, 2**62), offsets=(0, 0))}, b"", "'a' has shape"),
        ({"a": {"dtype": "F32", "shape": 6, "data_offsets": [0, 24]}}, bytes(24), "'a' has shape 6"),
        ({"a": {"dtype": "F32", "shape": [2, 3]}}, bytes(24), "'a' has data_offsets None; accepted: first and last"),
        ({"a": entry(offsets=(0, 12, 24))}, bytes(24), "'a' has data_offsets"),
        ({"a": entry(offsets=(-24, 0))}, bytes(24), "'a' has data_offsets"),
        ({"a": entry(offsets=(0, 10**30))}, bytes(24), "'a' has data_offsets"),
        ({"a": entry(offsets=(24, 0))}, bytes(24), "'a' takes bytes 24 to 0 of 24"),
        ({"a": entry()}, bytes(20), "'a' takes bytes 0 to 24 of 20: the file is cut off or damaged"),
        ({"a": entry(shape=(2**40, 2**40))}, bytes(24), "needs 4835703278458516698824704 bytes, its entry gives 24"),
        ({"a": entry(shape=(2, 2))}, bytes(24), "needs 16 bytes, its entry gives 24"),
        ({"a": entry()}, bytes(25), "overlap or do not fill the file"),
        ({"a": entry(offsets=(4, 28))}, bytes(28), "overlap or do not fill the file"),
        ({"a": entry(), "b": entry()}, bytes(24), "overlap or do not fill the file"),
        ({"a": entry(), "b": entry(offsets=(20, 44))}, bytes(44), "overlap or do not fill the file"),
        ({}, bytes(4), "overlap or do not fill the file"),
    ],
)
def test_a_header_that_does_not_agree_with_the_file_is_refused(tmp_path, header, data, message):
    with pytest.raises(ModelError, match=message) as caught:
        map_tensors(write_raw(tmp_path / "a.safetensors", header, data))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300 + len(str(tmp_path))


@pytest.mark.parametrize("content", [b"", b"\x08", b"\xff" * 8, (10**6).to_bytes(8, "little") + b"{}"])
def test_a_file_shorter_than_its_header_is_refused(tmp_path, content):
    path = tmp_path / "a.safetensors"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=rf"is cut off: {len(content)} bytes do not hold its header"):
        map_tensors(path)


def test_an_enormous_header_is_not_read(tmp_path):
    path = tmp_path / "a.safetensors"
    with path.open("wb") as file:
        file.write((1 << 33).to_bytes(8, "little"))
        file.truncate(1 << 34)
    tracemalloc.start()
    with pytest.raises(ModelError, match=rf"has a header of {1 << 33} bytes; at most {LARGEST_HEADER} are accepted"):
        map_tensors(path)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


@settings(max_examples=300, deadline=None)
@given(position=st.integers(0, 200), value=st.integers(0, 255), cut=st.integers(0, 60))
def test_a_damaged_file_is_an_error_or_an_array_but_never_a_crash(tmp_path_factory, position, value, cut):
    path = tmp_path_factory.mktemp("damaged") / "a.safetensors"
    write_tensors(path, {"a": np.zeros((2, 3)), "b": np.ones((4,))}, {"a": "F32", "b": "F16"})
    data = bytearray(path.read_bytes())
    data[position % len(data)] = value
    path.write_bytes(data[: len(data) - cut])
    try:
        arrays = map_tensors(path)
    except ModelError:
        return
    assert sum(array.nbytes for array in arrays.values()) == 32
    for array in arrays.values():
        array.copy()
