"""Datasets of files: what MindSpore 2.10 gives for the same files, where nothing else is said."""

import copy
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msjax.dataset as ds
from msjax.dataset.public_sets import mnist_cifar
from msjax.dataset.sources import lines


def rows(data: Any) -> list[list[np.ndarray]]:
    return [list(row) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def texts(data: Any) -> list[Any]:
    return [[column.item() for column in row] for row in rows(data)]


@pytest.fixture
def digits(tmp_path: Path) -> Path:
    for prefix, count, first in (("train", 5, 0), ("t10k", 3, 100)):
        pixels = (np.arange(count * 28 * 28) % 251).astype(np.uint8).tobytes()
        labels = bytes(range(first, first + count))
        (tmp_path / f"{prefix}-images-idx3-ubyte").write_bytes(
            struct.pack(">4I", 2051, count, 28, 28) + pixels
        )
        (tmp_path / f"{prefix}-labels-idx1-ubyte").write_bytes(struct.pack(">2I", 2049, count) + labels)
    return tmp_path


@pytest.mark.parametrize("kind", ["MnistDataset", "FashionMnistDataset", "KMnistDataset"])
def test_digits(digits: Path, kind: str) -> None:
    def labels(*arguments: Any, **keywords: Any) -> list[int]:
        data = getattr(ds, kind)(str(digits), *arguments, **keywords)
        return [int(row[1]) for row in rows(data)]

    assert labels(shuffle=False) == [100, 101, 102, 0, 1, 2, 3, 4]
    assert labels("train", shuffle=False) == [0, 1, 2, 3, 4]
    assert labels("test", 2, shuffle=False) == [100, 101]
    assert labels("all", num_shards=3, shard_id=1, shuffle=False) == [101, 1, 4]
    assert sorted(labels("train")) == [0, 1, 2, 3, 4]
    data = getattr(ds, kind)(str(digits), "train", shuffle=False)
    assert data.get_col_names() == ["image", "label"]
    assert data.output_shapes() == [[28, 28, 1], []]
    image, label = rows(data)[1]
    assert image.dtype == np.uint8
    assert label.dtype == np.uint32
    assert np.array_equal(image.ravel(), np.arange(784, 1568) % 251)


def test_photographs(tmp_path: Path) -> None:
    # MindSpore wants files of 10,000 images; any number does here.
    pixels = (np.arange(3072) % 251).astype(np.uint8)
    for i in range(1, 6):
        (tmp_path / f"data_batch_{i}.bin").write_bytes(bytes([i]) + pixels.tobytes())
    (tmp_path / "test_batch.bin").write_bytes(bytes([9]) + pixels.tobytes())
    (tmp_path / "test.bin").write_bytes(bytes([3, 7]) + pixels.tobytes())
    given = rows(ds.Cifar10Dataset(str(tmp_path), "train", shuffle=False))
    assert [int(row[1]) for row in given] == [1, 2, 3, 4, 5]
    assert np.array_equal(given[0][0], pixels.reshape(3, 32, 32).transpose(1, 2, 0))
    assert [int(row[1]) for row in rows(ds.Cifar10Dataset(str(tmp_path), "test"))] == [9]
    hundred = ds.Cifar100Dataset(str(tmp_path), "test")
    assert hundred.get_col_names() == ["image", "coarse_label", "fine_label"]
    assert [list(map(int, row[1:])) for row in rows(hundred)] == [[3, 7]]
    (tmp_path / "train.bin").write_bytes(bytes([4, 8]) + bytes(3072))
    both = ds.Cifar100Dataset(str(tmp_path), shuffle=False)
    assert [list(map(int, row[1:])) for row in rows(both)] == [[3, 7], [4, 8]]  # as MindSpore sorts the files
    (tmp_path / "test_batch.bin").write_bytes(b"short")
    with pytest.raises(RuntimeError, match="records of 3073 bytes"):
        ds.Cifar10Dataset(str(tmp_path), "test")


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        (("{}", "x"), ValueError, "usage"),
        (("{}/none",), ValueError, "dataset_dir"),
        ((1,), TypeError, "dataset_dir"),
        (("{}", "train", None, None, True, ds.SequentialSampler()), RuntimeError, "sampler"),
        (("{}", None, None, None, None, None, 2), RuntimeError, "together"),
    ],
)
def test_wrong_arguments(digits: Path, arguments: Any, kind: type[Exception], words: str) -> None:
    given: Any = [one.format(digits) if isinstance(one, str) else one for one in arguments]
    with pytest.raises(kind, match=words):
        ds.MnistDataset(*given)
    with pytest.raises(RuntimeError, match="hold the files"):
        ds.Cifar10Dataset(str(digits))


def test_broken_headings(digits: Path) -> None:
    path = digits / "t10k-labels-idx1-ubyte"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(RuntimeError, match="format"):
        mnist_cifar.MnistDataset(str(digits), "test")


def test_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t1.txt").write_text("Hello  a \n\n北京\n  \nlast", "utf8")
    Path("t2.txt").write_bytes(b"x\ny\r\n")
    one = [["Hello  a "], ["北京"], ["  "], ["last"]]
    assert texts(ds.TextFileDataset("t1.txt", shuffle=False)) == one
    both = [["Hello  a "], ["x"], ["北京"], ["y\r"], ["  "], ["last"]]
    assert texts(ds.TextFileDataset(["t2.txt", "t1.txt"], shuffle=False)) == both
    assert texts(ds.TextFileDataset("t?.txt", 2, shuffle=False)) == both[:2]
    assert texts(ds.TextFileDataset(["t1.txt"], num_shards=2, shard_id=0, shuffle=False)) == one[:2]
    assert sorted(texts(ds.TextFileDataset("t1.txt"))) == sorted(one)
    for wrong, kind in (("no.txt", ValueError), ([], ValueError), (1, TypeError)):
        with pytest.raises(kind, match="dataset_files"):
            ds.TextFileDataset(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="shuffle"):
        ds.TextFileDataset("t1.txt", shuffle=3)  # type: ignore[arg-type]


def test_values_between_commas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text('1,2.5,a\n4,,"q,r"\n,7,c\n')
    Path("b.csv").write_text("p,q\n1,2\n3,4\n")
    names = ["a", "b", "c"]
    want = [["1", "2.5", "a"], ["4", "", "q,r"], ["", "7", "c"]]
    assert texts(ds.CSVDataset("a.csv", column_names=names, shuffle=False)) == want
    assert texts(ds.CSVDataset("a.csv", ",", None, names, 2, shuffle=False)) == want[:2]
    data = ds.CSVDataset("b.csv", ",", [1, 2.0], shuffle=False)
    assert data.get_col_names() == ["p", "q"]
    assert data.output_types() == [np.int32, np.float32]
    assert texts(data) == [[1, 2.0], [3, 4.0]]
    assert texts(ds.CSVDataset("b.csv", ";", shuffle=False)) == [["1,2"], ["3,4"]]
    for arguments in ((",", [0, 1.5, ""], names), (",", None, ["a"]), (",", [1, 2], ["a", "b"])):
        with pytest.raises(RuntimeError, match="CSVDataset"):
            texts(ds.CSVDataset("a.csv", *arguments))
    with pytest.raises(ValueError, match="field_delim"):
        ds.CSVDataset("b.csv", ",,")


def test_lines_end_at_line_feeds_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text('a,b\n"x\ny",2\n"p\x0bq ""r""",3\u2028\n\n4,5', "utf8")
    want = [["x\ny", "2"], ['p\x0bq "r"', "3\u2028"], ["4", "5"]]
    assert texts(ds.CSVDataset("a.csv", shuffle=False)) == want
    assert texts(copy.deepcopy(ds.CSVDataset("a.csv", shuffle=False))) == want
    monkeypatch.setattr(lines, "_PART", 3)  # quotation marks that are open from one part to the next
    assert texts(ds.CSVDataset("a.csv", shuffle=False)) == want
    Path("b.csv").write_text("a,c\n1,2\n")
    with pytest.raises(RuntimeError, match=r"same columns.*'c'\] in b\.csv"):
        ds.CSVDataset(["a.csv", "b.csv"])
    assert len(texts(ds.CSVDataset(["a.csv", "b.csv"], column_names=["p", "q"]))) == 6


def test_lines_are_read_when_they_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"good\n\xff\xfe\nlast\n")
    data = ds.TextFileDataset(str(path), shuffle=False)
    assert data.get_dataset_size() == 3
    assert texts(data.take(1)) == [["good"]]
    with pytest.raises(RuntimeError, match=r"a\.txt is not in UTF-8"):
        texts(data)
    path.write_bytes(b"")
    with pytest.raises(RuntimeError, match="at least one row"):
        texts(ds.TextFileDataset(str(path)))
