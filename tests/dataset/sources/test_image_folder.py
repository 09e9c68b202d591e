"""Images in folders, and the transform that decodes them."""

import io
import os
import time
import tracemalloc

import numpy as np
import pytest
from PIL import Image

import msjax.dataset as ds
from msjax.dataset import vision
from msjax.dataset.sources import image_folder


@pytest.fixture
def root(tmp_path):
    """Two classes of three images; beside them what is no class and no file of one."""
    for name, shade in (("cat", 10), ("dog", 200)):
        (tmp_path / name).mkdir()
        for i in range(3):
            Image.new("RGB", (6, 4 + i), (shade + i, 0, 0)).save(tmp_path / name / f"{i}.png")
    (tmp_path / "root.png").write_bytes(b"no class")
    (tmp_path / "cat" / "deeper").mkdir()
    (tmp_path / "cat" / "notes.txt").write_bytes(b"no image")
    return str(tmp_path)


def _rows(data):
    return [(row["image"], int(row["label"])) for row in data.create_dict_iterator(1, output_numpy=True)]


def test_pixels_and_labels_in_the_order_of_the_names(root):
    data = ds.ImageFolderDataset(root, shuffle=False, extensions=[".png"], decode=True)
    rows = _rows(data)
    assert [label for _, label in rows] == [0, 0, 0, 1, 1, 1]
    assert [image.shape for image, _ in rows] == [(4 + i, 6, 3) for i in (0, 1, 2)] * 2
    assert [image[0, 0, 0] for image, _ in rows] == [10, 11, 12, 200, 201, 202]
    assert (data.get_dataset_size(), data.get_col_names(), data.num_classes()) == (6, ["image", "label"], 2)
    assert [np.dtype(t) for t in data.output_types()] == [np.uint8, np.int32]
    assert data.get_class_indexing() == {"cat": 0, "dog": 1}


def test_bytes_are_those_of_the_files(root):
    image, label = _rows(ds.ImageFolderDataset(root, shuffle=False, class_indexing={"dog": 7}))[0]
    assert label == 7
    assert vision.Decode()(image).shape == (4, 6, 3)
    assert len(_rows(ds.ImageFolderDataset(root, shuffle=False))) == 7  # with the text
    keyed = ds.ImageFolderDataset(root, extensions=[".txt"], decrypt=lambda path: path[-9:].encode())
    assert _rows(keyed)[0][0].tobytes() == b"notes.txt"


def test_of_many_files_the_names_alone_are_kept_and_none_is_looked_at(tmp_path, monkeypatch):
    for name in "abcd":
        (tmp_path / name).mkdir()
        for i in range(250):
            (tmp_path / name / f"{i:04}.jpg").write_bytes(name.encode() + bytes([i]))
    looked, stat = [], os.stat
    monkeypatch.setattr(os, "stat", lambda *args, **kwargs: looked.append(args) or stat(*args, **kwargs))
    tracemalloc.start()
    data = ds.ImageFolderDataset(str(tmp_path), shuffle=False)
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(looked) < 100
    assert kept < 150 * 1000  # bytes for a file; a Path takes 400
    source = data.node.source
    assert [str(source.file_of(i))[-10:] for i in (0, 249, 250, 999, -1)] == [
        "a/0000.jpg", "a/0249.jpg", "b/0000.jpg", "d/0249.jpg", "d/0249.jpg"
    ]  # fmt: skip
    rows = _rows(data)
    assert [row[0].tobytes() for row in rows] == [
        name + bytes([i]) for name in (b"a", b"b", b"c", b"d") for i in range(250)
    ]
    assert source.labels() == [label for _, label in rows] == [i // 250 for i in range(1000)]
    with pytest.raises(IndexError):
        source[1000]


def test_shards_and_samplers(root):
    def labels(**how):
        return [label for _, label in _rows(ds.ImageFolderDataset(root, extensions=[".png"], **how))]

    assert labels(shuffle=False, num_shards=2, shard_id=1) == [0, 1, 1]
    assert labels(sampler=ds.SubsetSampler([5, 0])) == [1, 0]
    assert labels(shuffle=False, num_samples=2) == [0, 0]
    assert sorted(labels()) == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"dataset_dir": "/nowhere"}, ValueError, "must be a folder that exists"),
        ({"dataset_dir": 3}, TypeError, "must be a str"),
        ({"decode": 1}, TypeError, "`decode` must be a bool"),
        ({"extensions": ".png"}, TypeError, "`extensions` must be a list of str"),
        ({"extensions": [".gif"]}, RuntimeError, "must hold a folder for each class"),
        ({"class_indexing": [1]}, TypeError, "`class_indexing` must be a dict"),
        ({"shuffle": True, "sampler": ds.SequentialSampler()}, RuntimeError, "`sampler` excludes"),
        ({"num_shards": 2}, RuntimeError, "must come together"),
        ({"cache": object()}, TypeError, "`cache` must be a DatasetCache"),
    ],
)
def test_what_is_refused(root, arguments, error, message):
    with pytest.raises(error, match=message):
        ds.ImageFolderDataset(**{"dataset_dir": root, **arguments})


def test_a_pipeline_of_training_images(root):
    data = ds.ImageFolderDataset(root, extensions=[".png"])
    data = data.map([vision.RandomCropDecodeResize((8, 8), (0.5, 1.0)), vision.HWC2CHW()], "image").batch(3)
    shapes = [row["image"].shape for row in data.create_dict_iterator(1)]
    assert shapes == [(3, 3, 8, 8)] * 2


def test_cropping_what_was_decoded():
    file = io.BytesIO()
    Image.new("RGB", (6, 4), (9, 8, 7)).save(file, "PNG")
    crop = vision.RandomCropDecodeResize(2)
    for given in (file.getvalue(), np.frombuffer(file.getvalue(), np.uint8)):
        assert (crop(given) == np.uint8([9, 8, 7])).all()
    with pytest.raises(RuntimeError):
        crop(np.zeros(4, np.uint8))
    with pytest.raises(RuntimeError, match="takes one image"):
        crop(file.getvalue(), file.getvalue())


@pytest.mark.parametrize(("epochs", "more"), [(2, 2), (1, 0)])
def test_the_next_epoch_is_begun_before_it_is_asked_for(root, monkeypatch, epochs, more):
    read = []
    take = image_folder._Files.__getitem__
    monkeypatch.setattr(
        image_folder._Files, "__getitem__", lambda self, index: (read.append(index), take(self, index))[1]
    )
    data = ds.ImageFolderDataset(root, extensions=[".png"])
    iterator = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    first = [row[1].tolist() for row in iterator]
    for _ in range(300):
        if len(read) >= 6 + more:
            break
        time.sleep(0.01)
    assert len(read) == 6 + more
    if more:
        assert sorted(row[1].tolist() for row in iterator) == sorted(first) == [0, 0, 0, 1, 1, 1]
        assert len(read) == 12
    with pytest.raises(RuntimeError, match="epochs it was made for"):
        next(iterator)


def test_what_a_program_may_change_is_not_begun_before(root):
    class Own(ds.Sampler):
        def __iter__(self):
            yield 0

    data = ds.ImageFolderDataset(root)
    assert data.map(vision.Decode(), "image").shuffle(4).repeat(2).take(3).skip(1).batch(2).node.foreseen
    assert not data.map(lambda x: x, "image").batch(2).node.foreseen
    assert not data.map(vision.Decode(), "image", callbacks=[ds.DSCallback()]).node.foreseen
    assert not data.batch(lambda info: 2).node.foreseen
    assert not data.filter(lambda x, y: True).node.foreseen
    assert not ds.ImageFolderDataset(root, sampler=Own()).node.foreseen
    assert not ds.GeneratorDataset([1], "x").node.foreseen


def test_epochs_without_rows_come_one_by_one(root):
    iterator = ds.ImageFolderDataset(root).batch(100, drop_remainder=True).create_tuple_iterator()
    assert [list(iterator) for _ in range(3)] == [[], [], []]


def test_classes_and_rows_of_each(tmp_path):
    for name, count in (("a", 3), ("b", 5), ("c", 2)):
        (tmp_path / name).mkdir()
        for number in range(count):
            (tmp_path / name / f"{number}.txt").write_bytes(f"{name}{number}".encode())
    data = ds.ImageFolderDataset(str(tmp_path), sampler=ds.PKSampler(2), class_indexing={"c": 0, "a": 7})
    assert data.get_dataset_size() == 4
    for _ in range(2):
        rows = list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
        assert [int(label) for _, label in rows] == [0, 0, 7, 7]
        assert [chr(content[0]) for content, _ in rows] == ["c", "c", "a", "a"]
    data.add_sampler(ds.PKSampler(1))
    with pytest.raises(RuntimeError, match="cannot choose from the rows of another sampler"):
        list(data.create_tuple_iterator(num_epochs=1))
    data = ds.ImageFolderDataset(str(tmp_path), sampler=ds.PKSampler(2), class_indexing={"c": 0, "a": 7})
    data.use_sampler(ds.PKSampler(1))
    assert data.get_dataset_size() == len(list(data.create_tuple_iterator(num_epochs=1))) == 2


def test_steps_know_the_classes_of_their_source(root):
    def images():
        return ds.ImageFolderDataset(root)

    numbers = ds.NumpySlicesDataset([1, 2], ["x"])
    steps = [images().map(lambda x: x, "image"), images().batch(2).repeat(2), images().filter(lambda x: True, "label"),
             images().split([4, 3])[0], images().concat(images()), images().project("label").take(1)]  # fmt: skip
    for data in steps:
        assert (data.num_classes(), data.get_class_indexing()) == (2, {"cat": 0, "dog": 1})
    # Of several, MindSpore has the number of the last and the names of the first.
    joined = [ds.zip((numbers, images())), ds.zip((images(), numbers))]
    assert [data.num_classes() for data in joined] == [2, None]
    assert [data.get_class_indexing() for data in joined] == [{}, {"cat": 0, "dog": 1}]


def test_classes_need_labels():
    data = ds.NumpySlicesDataset([1, 2])
    for change in (data.add_sampler, data.use_sampler):
        with pytest.raises(RuntimeError, match="labelled files"):
            change(ds.PKSampler(1))


def test_a_file_that_is_gone_names_the_users_line(root):
    data = ds.ImageFolderDataset(root, shuffle=False, extensions=[".png"])
    os.remove(os.path.join(root, "cat", "1.png"))
    with pytest.raises(RuntimeError, match=r"row 1 \(.*1\.png\), raised FileNotFoundError") as caught:
        _rows(data)
    assert f"(made in {__file__}" in str(caught.value)
    assert "pathlib" not in str(caught.value)
