"""Pipelines as JSON: what is written, and what is made of it again."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import msjax.dataset as ds
import msjax.dataset.text as text
import msjax.dataset.transforms as transforms
import msjax.dataset.vision as vision

GOLDENS = Path(__file__).parents[1] / "goldens"
sys.path.insert(0, str(GOLDENS))

import serialization_cases as cases  # noqa: E402

RECORDED = json.loads((GOLDENS / "serialization.json").read_text())
# MindSpore writes these as the numbers it computes with; msjax as they were given.
GIVEN_OTHERWISE = {"fill_value", "size", "padding", "degrees", "degree", "brightness", "contrast", "hue"}
GIVEN_OTHERWISE |= {
    "saturation",
    "kernel_size",
    "sigma",
    "value",
    "threshold",
    "center",
    "data_type",
    "output_type",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    cases.write_files(folder)
    return folder


@pytest.fixture(autouse=True)
def in_folder(files, monkeypatch):
    monkeypatch.chdir(files)
    monkeypatch.setattr(ds.config, "get_num_parallel_workers", lambda: 2)


def pipeline(case):
    return eval(case, cases.names_of(ds, transforms, vision, text))


def rows(data):
    ds.config.set_seed(3)
    try:
        return list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    finally:
        ds.config.set_seed(ds.config.DEFAULT_SEED)


def assert_same_rows(one, other):
    assert len(one) == len(other) > 0
    for left, right in zip(one, other, strict=True):
        for a, b in zip(left, right, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


def flattened(described, path=""):
    if isinstance(described, dict):
        for key, value in described.items():
            yield from flattened(value, f"{path}/{key}")
    elif isinstance(described, list):
        for i, value in enumerate(described):
            yield from flattened(value, f"{path}/{i}")
    else:
        yield path, np.float32(described) if isinstance(described, float) else described


@pytest.mark.parametrize("case", cases.CASES)
class TestPipelines:
    def test_is_made_again(self, case):
        data = pipeline(case)
        written = json.loads(json.dumps(ds.serialize(data)))
        again = ds.deserialize(written)
        assert ds.serialize(again) == written
        assert ds.compare(again, data)
        assert_same_rows(rows(again), rows(data))

    def test_names_are_mindspores(self, case):
        mine, recorded = (dict(flattened(one)) for one in (ds.serialize(pipeline(case)), RECORDED[case]))
        for path, value in recorded.items():
            if "concat" in case and path.startswith("/sampler/"):  # of MindSpore's implementation
                continue
            parts = path.split("/")
            if path.endswith(("_name", "op_type", "sampler_name")) or (
                not GIVEN_OTHERWISE.intersection(parts) and path in mine
            ):
                assert mine[path] == value, path

    def test_mindspores_own_is_read(self, case):
        assert_same_rows(rows(ds.deserialize(RECORDED[case])), rows(pipeline(case)))


class TestFunctions:
    @pytest.mark.parametrize(
        ("make", "named"),
        [
            (lambda data: data.map(lambda x: x), "transform"),
            (lambda data: data.map(text.PythonTokenizer(str.split)), "transform"),
            (lambda data: data.batch(2, per_batch_map=lambda x, info: (x,)), "per_batch_map"),
            (lambda data: data.batch(lambda info: 2), "batch_size_func"),
            (lambda data: data.filter(lambda x: True), "predicate"),
            (lambda data: ds.NumpySlicesDataset([1, 2]), "GeneratorDataset"),
            (lambda data: ds.GeneratorDataset([1, 2], "x"), "GeneratorDataset"),
        ],
    )
    def test_are_named(self, make, named):
        with pytest.warns(UserWarning, match="cannot be written as JSON"):
            written = ds.serialize(make(ds.TextFileDataset("t.txt")))
        json.dumps(written)
        with pytest.raises(RuntimeError, match=named):
            ds.deserialize(written)


class TestMore:
    def test_padding_and_buckets_are_kept(self):
        data = ds.TextFileDataset("t.txt", shuffle=False).map(text.WhitespaceTokenizer())
        padded = data.padded_batch(3, pad_info={"text": ([4], "-")})
        assert_same_rows(rows(ds.deserialize(ds.serialize(padded))), rows(padded))
        buckets = data.bucket_batch_by_length(["text"], [3], [2, 2], pad_info={"text": ([None], "")})
        assert_same_rows(rows(ds.deserialize(ds.serialize(buckets))), rows(buckets))

    @pytest.mark.parametrize(
        "transform",
        [
            transforms.Slice(slice(0, 2), ..., 1),
            transforms.Mask(transforms.Relational.GT, 5),
            transforms.Concatenate(0, np.array([[1.0]])),
            vision.LinearTransformation(np.eye(4), np.zeros(4)),
            text.Lookup(text.Vocab.from_list(["a", "b"]), "a"),
            text.Ngram([2, 3], ("_", 1), ("_", 1)),
            text.BertTokenizer(text.Vocab.from_list(["a", "b"]), normalization_form=text.NormalizeForm.NFC),
            text.RegexReplace("a", "b"),
        ],
        ids=lambda one: type(one).__name__,
    )
    def test_arguments_of_all_kinds(self, transform):
        data = ds.TextFileDataset("t.txt").map(transform)
        written = json.loads(json.dumps(ds.serialize(data)))
        again = ds.deserialize(written)
        assert ds.serialize(again) == written
        assert type(again.operations[0]) is type(transform)

    def test_children_of_samplers(self):
        sampler = ds.SequentialSampler(0, 1)
        sampler.add_child(ds.SubsetSampler([1, 0]))
        data = ds.ImageFolderDataset("img", sampler=sampler)
        written = ds.serialize(data)
        assert written["sampler"]["child_sampler"][0]["indices"] == [1, 0]
        assert_same_rows(rows(ds.deserialize(written)), rows(data))

    def test_a_file(self, tmp_path):
        data = ds.TextFileDataset("t.txt", shuffle=False).repeat(2)
        assert ds.serialize(data, str(tmp_path / "x.json")) == data.to_json()
        assert_same_rows(rows(ds.deserialize(json_filepath=str(tmp_path / "x.json"))), rows(data))
        assert ds.deserialize() is None

    def test_show_logs(self, caplog, monkeypatch):
        monkeypatch.setenv("GLOG_v", "1")
        with caplog.at_level("INFO", "mindspore"):
            ds.show(ds.TextFileDataset("t.txt"))
        assert "TextFileDataset" in caplog.text


class TestRefusals:
    @pytest.mark.parametrize(
        ("call", "error", "text"),
        [
            (lambda: ds.serialize(3), TypeError, "dataset"),
            (lambda: ds.serialize(ds.TextFileDataset("t.txt"), 3), TypeError, "json_filepath"),
            (lambda: ds.serialize(ds.TextFileDataset("t.txt"), "/no/such/x.json"), RuntimeError, "x.json"),
            (lambda: ds.deserialize(3), TypeError, "input_dict"),
            (lambda: ds.deserialize(json_filepath="none.json"), OSError, "none.json"),
            (lambda: ds.deserialize(json_filepath="t.txt"), RuntimeError, "no JSON"),
            (lambda: ds.deserialize({"op_type": "Nope", "children": []}), RuntimeError, "Nope"),
            (lambda: ds.deserialize({"children": []}), RuntimeError, "op_type"),
            (lambda: ds.deserialize({"op_type": "Repeat", "count": 1}), RuntimeError, "children"),
            (lambda: ds.compare(ds.TextFileDataset("t.txt"), 3), TypeError, "dataset"),
        ],
    )
    def test_raise(self, call, error, text):
        with pytest.raises(error, match=text):
            call()
