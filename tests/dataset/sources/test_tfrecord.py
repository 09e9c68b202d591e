"""TFRecord files, schemas and random rows; what is expected was printed by MindSpore 2.10 for the same files."""

import gzip
import json
import pickle
import struct
import zlib

import numpy as np
import pytest

import msjax as ms
import msjax.dataset as ds
from msjax.dataset.sources import tfrecord


def _number(n):
    n, out = n % 2**64, b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def _field(number, content):
    return _number(number << 3 | 2) + _number(len(content)) + content


def _feature(values):
    if isinstance(values[0], int):
        return _field(3, _field(1, b"".join(map(_number, values))))
    if isinstance(values[0], float):
        return _field(2, _field(1, struct.pack(f"<{len(values)}f", *values)))
    return _field(1, b"".join(_field(1, value) for value in values))


def content(rows):
    out = b""
    for row in rows:
        entries = (_field(1, _field(1, k.encode()) + _field(2, _feature(v))) for k, v in row.items())
        example = _field(1, b"".join(entries))
        out += struct.pack("<Q", len(example)) + b"\0" * 4 + example + b"\0" * 4
    return out


ROWS = [
    {"a": [i], "b": [i + 0.5, i - 0.5], "c": [b"text%d" % i], "d": [b"x", b"yz"], "e": [i, -1, 2]}
    for i in range(4)
]


@pytest.fixture
def root(tmp_path):
    (tmp_path / "a.tfrecord").write_bytes(content(ROWS))
    (tmp_path / "b.tfrecord").write_bytes(content(ROWS[:3]))
    (tmp_path / "z.gz").write_bytes(gzip.compress(content(ROWS)))
    (tmp_path / "z.zlib").write_bytes(zlib.compress(content(ROWS)))
    columns = {
        "a": {"type": "int32", "rank": 0},
        "b": {"type": "float32", "rank": 1},
        "c": {"type": "string", "rank": 1},
    }
    (tmp_path / "s.json").write_text(json.dumps({"datasetType": "TF", "numRows": 3, "columns": columns}))
    return tmp_path


def schema(*columns):
    made = ds.Schema()
    for column in columns:
        made.add_column(*column)
    return made


def rows(root, name="a.tfrecord", *args, **kwargs):
    data = ds.TFRecordDataset(f"{root}/{name}", *args, **{"shuffle": False, **kwargs})
    found = [
        {k: (str(v.dtype), v.tolist()) for k, v in r.items()} for r in data.create_dict_iterator(1, True)
    ]
    assert len(found) == data.get_dataset_size()
    return found


def test_without_a_schema(root):
    first = rows(root)[0]
    assert list(first) == ["a", "b", "c", "d", "e"]
    assert first["a"] == ("int64", [0])
    assert first["b"] == ("float32", [0.5, -0.5])
    assert first["c"] == ("uint8", [116, 101, 120, 116, 48])
    assert first["d"] == ("uint8", [120, 32, 121, 122])
    assert first["e"] == ("int64", [0, -1, 2])
    assert list(rows(root, columns_list=["e", "a"])[1]) == ["e", "a"]
    assert [r["a"][1] for r in rows(root, "*.tfrecord")] == [[0], [0], [1], [1], [2], [2], [3]]


def test_with_a_schema(root):
    first = rows(root, "a.tfrecord", f"{root}/s.json")
    assert len(first) == 3
    assert first[1] == {"a": ("int32", 1), "b": ("float32", [1.5, 0.5]), "c": ("<U5", ["text1"])}
    one = lambda *column: rows(root, "a.tfrecord", schema(column))[1]  # noqa: E731
    assert one("a", ms.int32) == {"a": ("int32", [1])}
    assert one("c", ms.uint8) == {"c": ("uint8", [116, 101, 120, 116, 49])}
    assert one("d", ms.string) == {"d": ("<U2", ["x", "yz"])}
    assert one("e", "int8", [3]) == {"e": ("int8", [1, -1, 2])}
    assert one("e", "int64", [-1]) == {"e": ("int64", [1, -1, 2])}
    assert one("b", ms.int64) == {"b": ("int64", [1, 0])}
    for bad in (("e", ms.int64, [5]), ("nope", ms.int64)):
        with pytest.raises(RuntimeError):
            one(*bad)


def test_shares_and_compression(root):
    def share(number, **more):
        found = rows(root, "*.tfrecord", num_shards=2, shard_id=number, **more)
        return [row["a"][1][0] for row in found]

    assert (share(0), share(1)) == ([0, 1, 2, 3], [0, 1, 2])
    with pytest.raises(RuntimeError, match="`num_shards` must be at most the number of files, 1"):
        rows(root, "a.tfrecord", num_shards=2, shard_id=0)
    with pytest.raises(
        AttributeError, match="`TFRecordDataset` has no `use_sampler`: rows come file by file"
    ):
        ds.TFRecordDataset(f"{root}/a.tfrecord").use_sampler(ds.SequentialSampler())
    assert share(1, shard_equal_rows=True)[:3] == [0, 0, 1]
    assert (
        rows(root, "z.gz", compression_type="GZIP")
        == rows(root)
        == rows(root, "z.zlib", compression_type="ZLIB")
    )
    assert len(rows(root, num_samples=2)) == 2
    assert sorted(r["a"][1][0] for r in rows(root, shuffle=True)) == [0, 1, 2, 3]
    with pytest.raises(
        ValueError, match="`TFRecordDataset`: argument `compression_type` must be '', 'GZIP' or 'ZLIB'"
    ):
        rows(root, compression_type="X")
    with pytest.raises(ValueError, match="name files that exist"):
        rows(root, "nope")
    with pytest.raises(RuntimeError, match="is not a TFRecord file"):
        rows(root, "s.json")


def test_schema(root):
    made = schema(("a", ms.int64, [1]), ("b", ms.float32), ("c", "uint8", []))
    told = [
        {"name": "a", "rank": 1, "shape": [1], "type": "int64"},
        {"name": "b", "rank": 1, "type": "float32"},
        {"name": "c", "rank": 0, "shape": [], "type": "uint8"},
    ]
    assert json.loads(made.to_json()) == {"columns": told}
    assert str(made) == made.to_json()
    assert '  "columns": [\n    {\n      "name": "a",' in made.to_json()
    parsed = ds.Schema()
    parsed.parse_columns({"image": {"shape": [3, 3], "type": "int8"}, "label": {"type": "int8"}})
    assert [(c.name, c.shape) for c in parsed.columns] == [("image", (3, 3)), ("label", ())]
    with pytest.raises(RuntimeError):
        parsed.parse_columns(3)
    for bad in ((1, ms.int64), ("a", 3), ("a", "foo"), ("a", "int8", 3)):
        with pytest.raises(TypeError):
            schema(bad)
    with pytest.raises(ValueError, match="be a file that exists"):
        ds.Schema("nope.json")
    data = ds.GeneratorDataset([(np.array([1]),)], schema=schema(("x", ms.int64, [1])))
    assert data.get_col_names() == ["x"]


def test_random_rows(root):
    made = schema(("a", ms.int64, [1]), ("b", ms.float32))
    data = ds.RandomDataset(5, made)
    row = next(data.create_dict_iterator(1, True))
    assert (data.get_dataset_size(), row["a"].shape, row["b"].dtype) == (5, (1,), np.float32)
    assert ds.RandomDataset(4, made, columns_list=["a"]).get_col_names() == ["a"]
    assert ds.RandomDataset(total_rows=7).get_dataset_size() == 7
    for bad in ((-1, made), (5, f"{root}/s.json")):
        with pytest.raises(RuntimeError):
            ds.RandomDataset(*bad)


def test_examples_are_parsed_when_they_are_asked_for(root, monkeypatch):
    parsed = []
    parse = tfrecord.parse_example
    monkeypatch.setattr(tfrecord, "parse_example", lambda record: (parsed.append(record), parse(record))[1])
    data = ds.TFRecordDataset(f"{root}/a.tfrecord", f"{root}/s.json", shuffle=False)
    assert parsed == []
    assert len(list(data.create_dict_iterator(1))) == len(parsed) == 3


def test_errors_name_the_file(root):
    data = ds.TFRecordDataset(f"{root}/a.tfrecord", schema(("e", ms.int64, [5])), shuffle=False)
    with pytest.raises(RuntimeError, match=r"row 0 \(.*a\.tfrecord\).*'e' has 3 elements"):
        next(data.create_dict_iterator(1))


def test_another_process_reads_the_same(root):
    data = ds.TFRecordDataset(f"{root}/z.gz", shuffle=False, compression_type="GZIP")
    again = pickle.loads(pickle.dumps(data.source))
    for i in range(4):
        for one, other in zip(data.source[i], again[i], strict=True):
            np.testing.assert_array_equal(one, other, strict=True)
