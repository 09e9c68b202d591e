"""MindRecord files made of other files, and what goes on from them."""

import gzip
import pickle

import numpy as np
import pytest

import msjax.dataset as ds
from msjax import mindrecord as mr
from msjax.dataset import vision


def decoded(path, column, labels):
    data = ds.MindDataset(str(path), [column, *labels], shuffle=False).map(vision.Decode(), column)
    return list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))


def pixels(count, shape=(3, 32, 32)):
    ramp = np.linspace(0, 200, int(np.prod(shape)))  # smooth, so that JPEG keeps it
    return np.stack([(ramp + 5 * number).astype(np.uint8) for number in range(count)])


def keep(path, content):
    path.write_bytes(pickle.dumps(content, 2, fix_imports=True).replace(b"numpy._core", b"numpy.core"))


@pytest.mark.parametrize("fine", [False, True])
def test_cifar(tmp_path, fine, monkeypatch):
    keys = (b"fine_labels", b"coarse_labels") if fine else (b"labels",)
    labels = ["fine_label", "coarse_label"] if fine else ["label"]
    read = {b"data": pixels(3), **{key: [number, number + 1, number + 2] for number, key in enumerate(keys)}}
    for name in ("train", "test") if fine else ("data_batch_1", "test_batch"):
        (tmp_path / name).write_bytes(b"")
    monkeypatch.setattr("msjax.mindrecord.images._batch", lambda path, op: read)
    kind = mr.Cifar100ToMR if fine else mr.Cifar10ToMR
    kind(str(tmp_path), str(tmp_path / "a.mindrecord")).transform(["id", *labels])
    rows = decoded(tmp_path / "a.mindrecord_test", "data", labels)
    assert [[int(label) for label in row[1:]] for row in rows] == [[n, n + 1][: len(keys)] for n in range(3)]
    expected = read[b"data"].reshape(3, 3, 32, 32).transpose(0, 2, 3, 1)
    assert rows[1][0].shape == (32, 32, 3)
    assert abs(rows[1][0].astype(int) - expected[1]).mean() < 6
    assert mr.MindPage(str(tmp_path / "a.mindrecord")).candidate_fields == ["id", *labels]


def test_files_that_run_code_are_not_loaded(tmp_path):
    for name in ("data_batch_1", "test_batch"):
        (tmp_path / name).write_bytes(pickle.dumps(print))
    with pytest.raises(RuntimeError, match="not a file of the dataset"):
        mr.Cifar10ToMR(str(tmp_path), str(tmp_path / "a")).transform()
    with pytest.raises(mr.PathNotExistsError):
        mr.Cifar100ToMR(str(tmp_path), str(tmp_path / "b"))


def test_mnist(tmp_path):
    images, labels = pixels(4, (28, 28)), np.arange(4, dtype=np.uint8)
    for start in ("train", "t10k"):
        with gzip.open(tmp_path / f"{start}-images-idx3-ubyte.gz", "wb") as file:
            file.write(bytes(16) + images.tobytes())
        with gzip.open(tmp_path / f"{start}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(bytes(8) + labels.tobytes())
    mr.MnistToMR(str(tmp_path), str(tmp_path / "a")).transform()
    rows = decoded(tmp_path / "a_test.mindrecord", "data", ["label"])
    assert [int(label) for _, label in rows] == [0, 1, 2, 3]
    assert abs(rows[2][0][..., 0].ravel().astype(int) - images[2]).max() < 6


def test_imagenet(tmp_path):
    from msjax.mindrecord.images import jpeg

    (tmp_path / "n01").mkdir()
    content = jpeg(pixels(1)[0].reshape(32, 32, 3))
    for name in ("a.JPEG", "b.txt"):
        (tmp_path / "n01" / name).write_bytes(content)
    (tmp_path / "map").write_text("n01 0\nn02 1\n")
    with pytest.warns(UserWarning, match=r"n02|b\.txt"):
        mr.ImageNetToMR(str(tmp_path / "map"), str(tmp_path), str(tmp_path / "a")).transform()
    (row,) = mr.FileReader(str(tmp_path / "a")).get_next()
    assert row == {"label": 0, "file_name": str(tmp_path / "n01" / "a.JPEG"), "image": content}


def test_csv(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text('n,x,flag,name\n1,0.5,True,Ann\n2,,False,"B, b"\n')
    mr.CsvToMR(str(source), str(tmp_path / "a")).transform()
    reader = mr.FileReader(str(tmp_path / "a"))
    assert {name: entry["type"] for name, entry in reader.schema().items()} == {
        "flag": "int32",
        "n": "int64",
        "name": "string",
        "x": "float64",
    }
    first, second = reader.get_next()
    assert first == {"flag": 1, "n": 1, "name": "Ann", "x": 0.5}
    assert (second["name"], np.isnan(second["x"])) == ("B, b", True)
    mr.CsvToMR(str(source), str(tmp_path / "b"), ["name"]).transform()
    assert ds.MindDataset(str(tmp_path / "b")).get_col_names() == ["name"]
    with pytest.raises(RuntimeError, match="does not exist"):
        mr.CsvToMR(str(source), str(tmp_path / "c"), ["nope"]).transform()
    with pytest.raises(OSError, match="do not exist"):
        mr.CsvToMR(str(tmp_path / "nope"), str(tmp_path / "d")).transform()


@pytest.mark.parametrize(
    ("column", "entry"),
    [
        (np.array([1, 2], np.uint8), {"type": "int32"}),
        (np.array([1, 2], np.uint32), {"type": "int64"}),
        (np.array([True, False]), {"type": "int32"}),
        (np.array([0.5, 2], np.float16), {"type": "float32"}),
        (np.arange(12.0).reshape(2, 2, 3), {"type": "float64", "shape": [-1, 3]}),
        (np.array(["ab", "c"]), {"type": "string"}),
        (np.array([b"ab", b"c"]), {"type": "bytes"}),
    ],
)
def test_what_datasets_save(tmp_path, column, entry):
    path = str(tmp_path / "a")
    ds.NumpySlicesDataset({"x": column}, shuffle=False).save(path)
    reader = mr.FileReader(path)
    assert reader.schema() == {"x": entry}
    assert [np.asarray(row["x"]).tolist() for row in reader.get_next()] == column.tolist()


def test_what_datasets_cannot_save(tmp_path):
    path = str(tmp_path / "a")
    data = ds.NumpySlicesDataset({"x": np.arange(5)}, shuffle=False)
    data.repeat(2).save(path, num_files=2)
    assert ds.MindDataset(path + "0").get_dataset_size() == 10
    with pytest.raises(ValueError, match="file_type"):
        data.save(path, file_type="tfrecord")
    with pytest.raises(ValueError, match="num_files"):
        data.save(path, 1001)
    with pytest.raises(RuntimeError, match="column 'x'"):
        ds.NumpySlicesDataset({"x": np.array([["a", "b"]])}).save(path)
