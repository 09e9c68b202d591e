"""MindRecord files: written and read again, read from MindSpore, what must fail, keys."""

import base64
import json
import os
import sqlite3
import zlib
from pathlib import Path

import numpy as np
import pytest

import msjax as ms
import msjax.dataset as ds
from msjax import mindrecord as mr
from msjax.mindrecord import config, integers
from tests.goldens.mindrecord_rows import plain, sample

RECORDED = Path(__file__).parents[1] / "goldens" / "mindrecord.json"
SCHEMA = {"label": {"type": "int32"}, "data": {"type": "bytes"}}


@pytest.fixture(autouse=True)
def unchanged(monkeypatch):
    monkeypatch.setattr(config, "settings", dict(config.settings))


def small(path, shards=1, schema=SCHEMA, **options):
    writer = mr.FileWriter(str(path), shards, **options)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema(schema)
    return writer


def written(path, labels, shards=1, **options):
    writer = small(path, shards, **options)
    writer.write_raw_data([{"label": label, "data": bytes([label]) * 3} for label in labels])
    writer.commit()
    return str(path)


def labels_of(data):
    return [int(row["label"]) for row in data.create_dict_iterator(1, output_numpy=True)]


def test_settings_are_kept():
    ms.set_enc_key("0" * 24)
    ms.set_enc_mode(abs)
    ms.set_dec_mode()
    assert config.settings == {"enc_key": "0" * 24, "enc_mode": abs, "dec_mode": "AES-GCM"}
    ms.set_enc_key(None)
    ms.mindrecord.set_dec_mode(None)
    assert config.settings == {"enc_key": None, "enc_mode": abs, "dec_mode": None}


@pytest.mark.parametrize("name", ["set_enc_key", "set_enc_mode", "set_dec_mode"])
@pytest.mark.parametrize("wrong", ["short", 3])
def test_settings_that_must_fail(name, wrong):
    with pytest.raises(ValueError, match=f"`{name}`.*must be"):
        getattr(ms, name)(wrong)


def test_a_file_of_mindspore_is_read_and_ours_are_the_same_bytes(tmp_path):
    recorded = json.loads(RECORDED.read_text())
    theirs = tmp_path / "some.mindrecord"
    content = zlib.decompress(base64.b64decode(recorded["file"]))
    theirs.write_bytes(content)
    (tmp_path / "some.mindrecord.db").write_bytes(zlib.decompress(base64.b64decode(recorded["index"])))
    rows = list(mr.FileReader(str(theirs)).get_next())
    assert json.dumps([plain(row) for row in rows[:3]]) == json.dumps(recorded["rows"])
    for number, row in enumerate(rows):
        for name, value in sample(number).items():
            assert np.array_equal(np.ravel(row[name]), np.ravel(value)), (number, name)
    data = ds.MindDataset(str(theirs), shuffle=False, num_samples=3)
    found = [
        {name: [str(value.dtype), list(value.shape)] for name, value in row.items()}
        for row in data.create_dict_iterator(1, output_numpy=True)
    ]
    assert json.dumps(found) == json.dumps(recorded["dataset"])
    pages = mr.MindPage(str(theirs))
    pages.category_field = "label"
    assert pages.read_category_info() == recorded["categories"]
    (tmp_path / "ours").mkdir()
    writer = small(tmp_path / "ours" / "some.mindrecord", schema=recorded["schema"])
    for call in (range(5), range(5, 40)):
        writer.write_raw_data([sample(number) for number in call])
    writer.commit()
    assert (tmp_path / "ours" / "some.mindrecord").read_bytes() == content
    assert index_of(tmp_path / "ours" / "some.mindrecord.db") == index_of(tmp_path / "some.mindrecord.db")


def index_of(path):
    with sqlite3.connect(path) as database:
        return list(database.execute("SELECT * FROM INDEXES")), list(
            database.execute("SELECT name, sql FROM sqlite_master ORDER BY name")
        )


def test_rows_are_spread_over_shards_and_added_to_them(tmp_path):
    path = written(tmp_path / "a", range(10), shards=3)
    assert sorted(os.listdir(tmp_path)) == ["a0", "a0.db", "a1", "a1.db", "a2", "a2.db"]
    writer = mr.FileWriter.open_for_append(path + "1")
    writer.write_raw_data([{"label": label, "data": b"more"} for label in (10, 11, 12)])
    writer.commit()
    reader = mr.FileReader(path + "2", columns=["label"])
    assert reader.len() == 13
    assert sorted(row["label"] for row in reader.get_next()) == list(range(13))
    one = [row["label"] for row in mr.FileReader([path + "0"]).get_next()]
    assert one == labels_of(ds.MindDataset([path + "0"], shuffle=False))
    assert 4 <= len(one) <= 5


def test_a_parallel_writer_fills_one_file_after_the_other(tmp_path):
    writer = small(tmp_path / "a", 2)
    for label in range(4):
        writer.write_raw_data([{"label": label, "data": b"x"}], parallel_writer=True)
    with pytest.raises(RuntimeError, match="consistent"):
        writer.write_raw_data([{"label": 4, "data": b"x"}])
    writer.commit()
    assert labels_of(ds.MindDataset([f"{tmp_path}/a0", f"{tmp_path}/a1"], shuffle=False)) == [0, 2, 1, 3]


def test_kinds_of_rows(tmp_path):
    shapes = {"a": {"type": "int64", "shape": [2, -1]}, "b": {"type": "bytes"}, "s": {"type": "string"}}
    writer = small(tmp_path / "a", schema=shapes)
    row = {"a": np.arange(6), "b": b"", "s": "\u00e4" * 200}
    writer.write_raw_data([row])
    writer.commit()
    (found,) = mr.FileReader(str(tmp_path / "a")).get_next()
    assert found["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (found["b"], found["s"]) == (b"", row["s"])
    with (
        pytest.warns(UserWarning, match="row 0 is left out.*row 1|row"),
        pytest.raises(RuntimeError, match="no valid"),
    ):
        small(tmp_path / "b", schema=shapes).write_raw_data(
            [{"a": np.arange(5), "b": b"", "s": ""}, {"a": 3}]
        )
    empty = small(tmp_path / "c")
    empty.commit()
    assert list(mr.FileReader(str(tmp_path / "c")).get_next()) == []
    assert ds.MindDataset(str(tmp_path / "c")).get_dataset_size() == 0


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"shuffle": False}, [0, 1, 2, 0, 1, 2, 0]),
        ({"shuffle": False, "num_samples": 2}, [0, 1]),
        ({"shuffle": False, "num_shards": 2, "shard_id": 1}, [1, 0, 2, 0]),
        ({"sampler": ds.SubsetSampler([9, 0])}, [2, 0]),
        ({"sampler": ds.SequentialSampler(5, 9)}, [2, 0]),
        ({"sampler": ds.SequentialSampler(9)}, []),
        ({"sampler": ds.PKSampler(2)}, [0, 1, 2, 0, 1, 2]),
        ({"padded_sample": {"label": -1}, "num_padded": 2, "shuffle": False}, [0, 1, 2, 0, 1, 2, 0, -1, -1]),
    ],
)
def test_which_rows_a_dataset_reads(tmp_path, options, expected):
    path = written(tmp_path / "a", [0, 1, 2, 0, 1, 2, 0])
    data = ds.MindDataset(path, ["label"], **options)
    assert labels_of(data) == expected
    assert data.get_dataset_size() == len(expected)


@pytest.mark.parametrize(
    ("dtype", "values", "expected"),
    [
        ("int32", [1, 300, -1], "0000000310012c01ff"),
        ("int32", [-(2**31), 2**31 - 1], "00000002a000000080ffffff7f"),
        ("int32", [127, -128], "00000002007f80"),
        ("int32", [32768], "000000018000800000"),
        ("int64", [70000, 1], "00000002807011010001"),
        ("int64", [2**31], "00000001c00000008000000000"),
        ("int64", [-(2**63), 2**63 - 1], "00000002f00000000000000080ffffffffffffff7f"),
        ("int64", [0] * 5, "0000000500000000000000"),
    ],
)
def test_integers_are_as_short_as_mindspores(dtype, values, expected):
    data = np.array(values, dtype).tobytes()
    assert integers.shorten(data, dtype).hex() == expected
    assert integers.lengthen(bytes.fromhex(expected), dtype) == data


def test_bytes_keep_zeros_at_their_ends(tmp_path):
    writer = small(tmp_path / "a")
    writer.write_raw_data([{"label": 1, "data": b"a\0\0"}])
    writer.commit()
    data = ds.MindDataset(str(tmp_path / "a"), ["data"])
    for step in (data, data.repeat(1).batch(1)):
        (row,) = step.create_dict_iterator(1, output_numpy=True)
        assert (row["data"].dtype, row["data"].tobytes()) == (np.dtype("S3"), b"a\0\0")
    assert next(data.create_dict_iterator(1))["data"].tobytes() == b"a\0\0"


def test_what_is_shuffled(tmp_path):
    path = written(tmp_path / "a", range(40), shards=4)
    order = labels_of(ds.MindDataset(path + "0", shuffle=False))
    blocks = [order[at : at + 10] for at in range(0, 40, 10)]
    drawn = labels_of(ds.MindDataset(path + "0"))
    assert drawn != order
    assert sorted(drawn) == sorted(order)
    files = labels_of(ds.MindDataset(path + "0", shuffle=ds.Shuffle.FILES))
    assert sorted(files[at : at + 10] for at in range(0, 40, 10)) == sorted(blocks)
    inside = labels_of(ds.MindDataset(path + "0", shuffle=ds.Shuffle.INFILE))
    assert inside != order
    assert [sorted(inside[at : at + 10]) for at in range(0, 40, 10)] == [sorted(block) for block in blocks]


def flip(source, size, target, key):
    target.write(bytes(255 - byte for byte in source.read(size)))


@pytest.mark.parametrize("mode", ["AES-GCM", flip])
def test_encrypted_files(tmp_path, mode):
    if mode == "AES-GCM":
        pytest.importorskip("cryptography")
    mr.set_enc_key("0123456789012345")
    mr.set_enc_mode(mode)
    mr.set_dec_mode(mode)
    path = written(tmp_path / "a", [1, 2])
    writer = mr.FileWriter.open_for_append(path)
    writer.write_raw_data([{"label": 3, "data": b"3"}])
    writer.commit()
    assert Path(path).read_bytes().endswith(b"ENCRYPT")
    assert labels_of(ds.MindDataset(path, shuffle=False)) == [1, 2, 3]
    with pytest.raises(RuntimeError, match="sharding"):
        mr.FileWriter(path, 2)
    mr.set_enc_key(None)
    with pytest.raises(RuntimeError, match="is encrypted"):
        mr.FileReader(path)
    plain_one = written(tmp_path / "b", [1])
    mr.set_enc_key("1123456789012345")
    with pytest.raises(RuntimeError, match="is not encrypted"):
        mr.FileReader(plain_one)
    if mode == "AES-GCM":
        with pytest.raises(RuntimeError, match="Failed to decrypt"):
            mr.FileReader(path)


@pytest.mark.parametrize(
    ("error", "action"),
    [
        ("ParamValueError", lambda path: mr.FileWriter("a?b")),
        ("ParamValueError", lambda path: mr.FileWriter("a", 1001)),
        ("MRMInvalidSchemaError", lambda path: small(path, schema={"a": {"type": "int8"}})),
        ("MRMBuildSchemaError", lambda path: small(path, schema={"a": {"type": "int32", "shape": [-1, -1]}})),
        ("MRMAddSchemaError", lambda path: small(path).add_schema(SCHEMA)),
        ("MRMDefineIndexError", lambda path: small(path).add_index(["data"])),
        ("MRMGetMetaError", lambda path: mr.FileWriter(path).add_index(["data"])),
        ("RuntimeError", lambda path: small(path).add_index(["nope"])),
        ("ParamTypeError", lambda path: small(path).write_raw_data({})),
        ("RuntimeError", lambda path: small(path).write_raw_data([])),
        ("RuntimeError", lambda path: written(written(path, [1]), [1])),
        ("RuntimeError", lambda path: small(path).write_raw_data([{"label": 1, "data": bytes(1 << 15)}])),
        ("RuntimeError", lambda path: small(path).set_page_size(1)),
        ("RuntimeError", lambda path: mr.FileReader("nope")),
        ("RuntimeError", lambda path: mr.FileReader(written(path, [1]), columns=["nope"])),
        ("ParamValueError", lambda path: mr.FileReader(written(path, [1]), 0)),
        (
            "MRMDefineCategoryError",
            lambda path: setattr(mr.MindPage(written(path, [1])), "category_field", "x"),
        ),
        ("RuntimeError", lambda path: mr.MindPage(written(path, [1])).read_category_info()),
        ("ValueError", lambda path: ds.MindDataset("nope")),
        ("ValueError", lambda path: ds.MindDataset(written(path, [1]), num_shards=2, shard_id=2)),
        ("ValueError", lambda path: ds.MindDataset(written(path, [1]), sampler=[0])),
        ("RuntimeError", lambda path: ds.MindDataset(written(path, [1]), num_padded=1)),
    ],
)
def test_what_must_fail(tmp_path, error, action):
    with pytest.raises(Exception, match=r"\w") as raised:
        action(str(tmp_path / "a"))
    assert type(raised.value).__name__ == error
