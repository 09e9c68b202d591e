"""Wrong arguments of named data sets, and files that are not theirs: MindSpore's types, whatever is in the folder."""

import inspect
import io
import struct
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msjax.dataset as ds
from msjax.mindrecord import FileWriter

WHOLE = {
    "GeneratorDataset",
    "NumpySlicesDataset",
    "PaddedDataset",
    "OBSMindDataset",
    "MindDataset",
    "RandomDataset",
}
FOLDERS = sorted(
    name
    for name, cls in vars(ds).items()
    if name.endswith("Dataset")
    and isinstance(cls, type)
    and issubclass(cls, ds.GeneratorDataset)
    and "dataset_dir" in inspect.signature(cls).parameters
    and name not in WHOLE
)
NEEDED = {"name": "notredame", "release": "release1", "usage": "train", "task": "Detection"}
WRONG: list[tuple[dict[str, Any], type[Exception]]] = [
    ({"num_samples": -1}, ValueError),
    ({"num_samples": "a"}, TypeError),
    ({"num_samples": 1.5}, TypeError),
    ({"num_samples": True}, TypeError),
    ({"shuffle": 3}, TypeError),
    ({"num_shards": "a", "shard_id": 0}, TypeError),
    ({"num_shards": 0, "shard_id": 0}, ValueError),
    ({"num_shards": 2}, RuntimeError),
    ({"shard_id": 0}, RuntimeError),
    ({"num_shards": 2, "shard_id": 2}, ValueError),
    ({"num_shards": 2, "shard_id": -1}, ValueError),
    ({"num_parallel_workers": 0}, ValueError),
    ({"num_parallel_workers": "a"}, TypeError),
    ({"sampler": "a"}, TypeError),
    ({"sampler": ds.SequentialSampler(), "num_samples": 3}, RuntimeError),
    ({"sampler": ds.SequentialSampler(), "shuffle": True}, RuntimeError),
    ({"decode": 3}, TypeError),
    ({"cache": 3}, TypeError),
]


def made(name: str, folder: Path, given: dict[str, Any]) -> Any:
    """Make a data set, with what it needs beside; None if it has no such arguments."""
    cls, file = getattr(ds, name), folder / "notes"
    parameters = inspect.signature(cls).parameters
    if not given.keys() <= parameters.keys():
        return None
    rest: dict[str, Any] = {}
    for key, one in parameters.items():
        if one.default is one.empty and key not in ("dataset_dir", "self"):
            file.touch()
            rest[key] = str(file) if key.endswith("file") else NEEDED.get(key, "train")
    if name == "EMnistDataset":
        rest["name"] = "mnist"
    return cls(**{"dataset_dir": str(folder), **rest, **given})


@pytest.mark.parametrize("name", FOLDERS)
def test_arguments_are_checked_before_files_are_looked_for(name: str, tmp_path: Path) -> None:
    for given, error in WRONG:
        if not given.keys() <= inspect.signature(getattr(ds, name)).parameters.keys():
            continue
        with pytest.raises(error, match=f"`{name}`: argument") as caught:
            made(name, tmp_path, given)
        assert type(caught.value) is error, given


@pytest.mark.parametrize("name", FOLDERS)
def test_folders(name: str, tmp_path: Path) -> None:
    with pytest.raises((RuntimeError, ValueError, FileNotFoundError), match=f"`{name}`: ") as caught:
        made(name, tmp_path, {})
    assert str(tmp_path) in str(caught.value) or "notes" in str(caught.value)
    for folder, error in (
        ("", ValueError),
        (str(tmp_path / "no"), ValueError),
        (3, TypeError),
        (None, TypeError),
    ):
        with pytest.raises(error, match=f"`{name}`: argument `dataset_dir` must be"):
            made(name, tmp_path, {"dataset_dir": folder})


@pytest.mark.parametrize("name", ["CSVDataset", "TextFileDataset", "TFRecordDataset", "CLUEDataset"])
def test_lists_of_files(name: str, tmp_path: Path) -> None:
    cls: Any = getattr(ds, name)
    for wrong in (str(tmp_path), [str(tmp_path / "no")], []):  # a folder is no file
        with pytest.raises(
            ValueError, match=f"`{name}`: argument `dataset_files` must name files that exist"
        ):
            cls(wrong)
    for given, error in WRONG:
        if given.keys() <= inspect.signature(cls).parameters.keys() and name != "CLUEDataset":
            with pytest.raises(error, match=f"`{name}`: argument"):
                cls([str(tmp_path / "no")], **given)


@pytest.mark.parametrize("content", ["{", "[]", "\xff", '{"images": [{}], "annotations": [3]}'])
def test_notes_that_are_broken_name_the_file(content: str, tmp_path: Path) -> None:
    file = tmp_path / "notes.json"
    file.write_text(content, encoding="latin-1")
    with pytest.raises(RuntimeError, match="`CocoDataset`: ") as caught:
        ds.CocoDataset(str(tmp_path), str(file))
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "ManifestDataset",
            "`ManifestDataset`: line 3 of .*lines.json is not what .*Expecting ':'.*\"label\"",
        ),
        ("CLUEDataset", "`CLUEDataset`: .*row 1 .*lines.json.*Expecting ':'.*\"label\""),
    ],
)
def test_lines_that_are_broken_are_named(name: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "lines.json"
    file.write_text('{"label": "1", "sentence1": "", "sentence2": ""}\n \n{"label"\n')
    with pytest.raises(RuntimeError, match=text):
        read(getattr(ds, name)(str(file), shuffle=False))


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("IWSLT2016Dataset", {"language_pair": ["a", "b"]}),
        ("IWSLT2016Dataset", {"valid_set": "nope"}),
        ("IWSLT2016Dataset", {"test_set": "nope"}),
        ("IWSLT2017Dataset", {"language_pair": ("de", "zz")}),
        ("Multi30kDataset", {"language_pair": ["de", "fr"]}),
    ],
)
def test_what_there_is_no_translation_of(name: str, given: dict[str, Any], tmp_path: Path) -> None:
    (argument,) = given
    with pytest.raises(ValueError, match=f"`{name}`: argument `{argument}` must be"):
        getattr(ds, name)(str(tmp_path), **given)


def read(data: Any) -> None:
    for _ in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        pass


def sound(frames: int) -> bytes:
    whole = io.BytesIO()
    with wave.open(whole, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(2 * frames))
    return whole.getvalue()


@pytest.mark.parametrize("content", [b"", b"RIFF\x24\x00\x00\x00WAVEfmt ", b"garbage" * 9, sound(50)[:-20]])
def test_sounds_that_are_broken_or_short(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "0_1_0_1_0_1_0_1.wav"
    file.write_bytes(content)
    with pytest.raises(
        RuntimeError, match=r"`YesNoDataset`: .*0_1_0_1_0_1_0_1\.wav (is not a whole|ends after 80 bytes)"
    ):
        read(ds.YesNoDataset(str(tmp_path)))


@pytest.mark.parametrize(
    ("images", "labels", "text"),
    [
        (5, 3, "There are 5 images and 3 labels"),
        (None, 5, "train-images-idx3-ubyte is not"),
        (5, None, "train-labels-idx1-ubyte is not"),
    ],
)
def test_digits_that_are_short(images: int | None, labels: int | None, text: str, tmp_path: Path) -> None:
    pixels = bytes(784 * (images or 3))
    (tmp_path / "train-images-idx3-ubyte").write_bytes(struct.pack(">4I", 2051, images or 5, 28, 28) + pixels)
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(
        struct.pack(">2I", 2049, labels or 5) + bytes(labels or 3)
    )
    with pytest.raises(RuntimeError, match=f"`MnistDataset`: .*{text}"):
        ds.MnistDataset(str(tmp_path), "train")


def records(*examples: bytes) -> bytes:
    return b"".join(struct.pack("<Q4x", len(one)) + one + bytes(4) for one in examples)


GOOD = b"\n\x0c\n\n\n\x01x\x12\x05\x1a\x03\n\x01\x05"  # x: [5]


def test_a_good_record(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(records(GOOD, GOOD))
    data = ds.TFRecordDataset(str(tmp_path / "a"), shuffle=False)
    assert [row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1)] == [[5], [5]]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "argument `dataset_files` must hold at least one record"),
        (b"garbage" * 9, "a is not a TFRecord file"),
        (records(GOOD, GOOD)[:-9], "a is not a TFRecord file"),
        (
            records(GOOD, GOOD[:-1]),
            "the record at byte 30 of .*a is no example.*: a field of 12 bytes goes beyond the end",
        ),
        (records(GOOD, b"\n\x7f"), "the record at byte 30 of .*a is no example"),
        (records(GOOD, b"\xff\xff"), "the record at byte 30 of .*a is no example"),
    ],
)
def test_records_that_are_broken(content: bytes, text: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(RuntimeError, match=f"`TFRecordDataset`: .*{text}"):
        read(ds.TFRecordDataset(str(tmp_path / "a"), shuffle=False))


def test_mindrecord_files_that_are_short(tmp_path: Path) -> None:
    """Never a part of a row."""
    path = tmp_path / "a.mindrecord"
    writer = FileWriter(str(path))
    writer.set_page_size(2**15)
    writer.set_header_size(2**14)
    writer.add_schema({"x": {"type": "float32", "shape": [-1]}, "b": {"type": "bytes"}})
    writer.write_raw_data([{"x": np.full(3, i, np.float32), "b": bytes([i]) * 9000} for i in (1, 2)])
    writer.commit()
    content = path.read_bytes()
    end = content.index(bytes([2]) * 9000) + 9000 + 8 + 12  # the other field follows
    path.write_bytes(content[:end])
    read(ds.MindDataset(str(path)))
    for cut in (3, 9000):
        path.write_bytes(content[: end - cut])
        with pytest.raises(
            RuntimeError, match=rf"`MindDataset`: row 1 .*a\.mindrecord is not whole: .* ends at {end}"
        ):
            read(ds.MindDataset(str(path), shuffle=False))
