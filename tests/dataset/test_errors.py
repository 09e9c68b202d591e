"""Calls that must fail: MindSpore's exception type, and a message that names operator, argument, value and remedy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from msjax import dataset as ds
from msjax.core import dtype
from msjax.dataset import transforms, vision
from msjax.dataset.common import placeholders


def rows(n: int = 4) -> ds.GeneratorDataset:
    return ds.GeneratorDataset([(i, float(i)) for i in range(n)], ["a", "b"], shuffle=False)


def read(dataset: ds.Dataset) -> list[Any]:
    return list(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True))


def ragged() -> ds.GeneratorDataset:
    return ds.GeneratorDataset(lambda: ((np.zeros(i),) for i in (1, 2)), "a")


IMAGE = np.zeros((4, 5, 3), np.uint8)
Case = tuple[Callable[[], Any], type[Exception], list[str]]

CASES: dict[str, Case] = {
    "source": (lambda: ds.GeneratorDataset(3, "a"), TypeError, ["`GeneratorDataset`", "`source`", "3 (int)"]),
    "schema": (lambda: ds.GeneratorDataset([1], schema=3), TypeError, ["`schema`", "Schema"]),
    "column name": (
        lambda: ds.GeneratorDataset([1], ["a", ""]),
        ValueError,
        ["`column_names`", "empty name"],
    ),
    "number of samples": (
        lambda: ds.GeneratorDataset([1], "a", num_samples=1.5),
        TypeError,
        ["`GeneratorDataset`", "`num_samples` must be an int", "num_samples=1.5 (float)"],
    ),
    "shards": (
        lambda: ds.GeneratorDataset([1], "a", num_shards=2),
        ValueError,
        ["`num_shards` and `shard_id` must come together", "num_shards=2, shard_id=None"],
    ),
    "sampler and shuffle": (
        lambda: ds.GeneratorDataset([1], "a", shuffle=True, sampler=[0]),
        ValueError,
        ["`sampler` excludes", "shuffle=True"],
    ),
    "sampler of a stream": (
        lambda: ds.GeneratorDataset(iter([1]), "a", sampler=[0]),
        ValueError,
        ["`sampler` needs a source with `__getitem__`"],
    ),
    "labelled files": (
        lambda: ds.GeneratorDataset([1], "a", sampler=ds.PKSampler(1)),
        ValueError,
        ["PKSampler"],
    ),
    "columns given": (
        lambda: read(ds.GeneratorDataset([(1, 2)], "a")),
        RuntimeError,
        ["2 columns. Expected: 1"],
    ),
    "object in a column": (lambda: read(ds.GeneratorDataset([None], "a")), RuntimeError, ["None (NoneType)"]),
    "column type": (
        lambda: read(ds.GeneratorDataset([1], "a", [dtype.float32])),
        RuntimeError,
        ["dtype int64 where `column_types` has float32", "`TypeCast`"],
    ),
    "lengths": (lambda: ds.NumpySlicesDataset(([1], [1, 2])), ValueError, ["one length", "[1, 2]"]),
    "unknown column": (
        lambda: rows().map(abs, "z"),
        RuntimeError,
        ["`map`", "`input_columns`", "['z']", "It has ['a', 'b']"],
    ),
    "unknown argument": (lambda: rows().map(abs, foo=1), TypeError, ["`map`", "'foo'", "Received: 1"]),
    "too many outputs": (
        lambda: read(rows().map(lambda x: (x, x), "a")),
        RuntimeError,
        ["operation `<lambda>`", "2 columns. Expected: 1, as output_columns=['a']"],
    ),
    "batch size": (lambda: rows().batch(0), ValueError, ["`batch`", "`batch_size`", "batch_size=0 (int)"]),
    "batch shapes": (
        lambda: read(ragged().batch(2)),
        RuntimeError,
        ["`batch`", "column `a`", "(1,) and (2,)", "`padded_batch`"],
    ),
    "batch columns": (
        lambda: rows().batch(2, input_columns="a"),
        ValueError,
        ["`input_columns` needs `per_batch_map`"],
    ),
    "padding": (
        lambda: read(ragged().padded_batch(2, pad_info={"a": ([1, 1], 0)})),
        RuntimeError,
        ["`padded_batch`", "column `a`", "[1, 1]", "1 dimensions"],
    ),
    "buckets": (
        lambda: rows().bucket_batch_by_length(["a"], [2, 3], [1, 1]),
        ValueError,
        ["`bucket_batch_sizes`", "3 elements"],
    ),
    "buffer": (
        lambda: rows().shuffle(1),
        ValueError,
        ["`shuffle`", "`buffer_size` must be in [2, 2147483647]"],
    ),
    "repeat": (lambda: rows().repeat(0), ValueError, ["`repeat`", "be -1 or at least 1", "count=0"]),
    "zip": (lambda: ds.zip((rows(), rows())), RuntimeError, ["`zip`", "['a', 'b']", "`rename`"]),
    "concat": (lambda: rows() + rows().project("b"), RuntimeError, ["`concat`", "['a', 'b'] and ['b']"]),
    "split": (lambda: rows().split([1, 2]), RuntimeError, ["`split`", "`sizes` must sum to", "4", "[1, 2]"]),
    "epochs": (
        lambda: (lambda it: [list(it), next(it)])(rows().create_dict_iterator(num_epochs=1)),
        RuntimeError,
        ["the 1 epochs", "`num_epochs`", "num_epochs=-1"],
    ),
    "no epochs": (
        lambda: rows().create_dict_iterator(0),
        RuntimeError,
        ["`num_epochs` must be -1 or at least 1"],
    ),
    "sampler index": (
        lambda: read(ds.GeneratorDataset([1], "a", sampler=ds.SubsetSampler([5]))),
        RuntimeError,
        ["`SubsetSampler`", "`indices`", "[0, 0]", "indices=5"],
    ),
    "shard": (
        lambda: ds.DistributedSampler(2, 2),
        RuntimeError,
        ["`shard_id` must be in [0, 1], as num_shards=2"],
    ),
    "weights": (lambda: ds.WeightedRandomSampler([0, 0]), RuntimeError, ["`weights`", "not all 0", "[0, 0]"]),
    "seed": (lambda: ds.config.set_seed(-1), ValueError, ["`set_seed`", "`seed` must be in [0, 4294967295]"]),
    "concat of nothing": (
        lambda: ds.NumpySlicesDataset([1]) + ds.NumpySlicesDataset([1]).skip(1),
        ValueError,
        ["`concat`", "none in dataset 1"],
    ),
    "concat of no others": (lambda: rows().concat([]), RuntimeError, ["`concat`", "`datasets`", "[]"]),
    "no sampler": (lambda: rows().use_sampler([0]), TypeError, ["`use_sampler`", "`new_sampler`", "[0]"]),
    "sampler to add": (lambda: rows().add_sampler([0]), TypeError, ["`add_sampler`", "`new_sampler`", "[0]"]),
    "few weights": (
        lambda: read(
            ds.GeneratorDataset([1, 2, 3], "a", sampler=ds.WeightedRandomSampler([1, 2], replacement=False))
        ),
        RuntimeError,
        ["`WeightedRandomSampler`", "`weights`", "3 samples", "2 weights"],
    ),
    "column of classes": (
        lambda: ds.PKSampler(1, class_column=["a"]),
        TypeError,
        ["`PKSampler`", "`class_column`", "['a']"],
    ),
    "flat_map of nothing": (
        lambda: ds.NumpySlicesDataset([1]).skip(1).flat_map(lambda x: ds.NumpySlicesDataset([1])),
        TypeError,
        ["`flat_map`", "no row"],
    ),
    "samples of random rows": (
        lambda: ds.RandomDataset(3, num_samples=-1),
        ValueError,
        ["`RandomDataset`", "`num_samples`", "-1"],
    ),
    "hooks": (
        lambda: ds.config.set_debug_mode(True, [print]),
        TypeError,
        ["`debug_hook_list`", "`debug.DebugHook`"],
    ),
    "dtype": (
        lambda: transforms.TypeCast("complex64"),
        TypeError,
        ["`TypeCast`", "`data_type`", "real numbers"],
    ),
    "label": (lambda: transforms.OneHot(3)(5), RuntimeError, ["`OneHot`", "[0, num_classes=3)", "array(5)"]),
    "two columns": (
        lambda: transforms.TypeCast("int32")(1, 2),
        RuntimeError,
        ["`TypeCast`: takes one column", "2"],
    ),
    "pad rank": (lambda: transforms.PadEnd([2, 2])([1]), RuntimeError, ["`pad_shape` [2, 2]", "shape (1,)"]),
    "compose": (lambda: transforms.Compose([3]), TypeError, ["`Compose`", "hold callables only", "3 (int)"]),
    "image": (
        lambda: vision.HorizontalFlip()("a"),
        TypeError,
        ["`HorizontalFlip`", "PIL image", "'a' (str)"],
    ),
    "image shape": (lambda: vision.VerticalFlip()(np.zeros(3)), RuntimeError, ["(H, W, C)", "(3,)"]),
    "channels": (
        lambda: vision.Normalize([0.5, 0.5], [1.0, 1.0])(IMAGE),
        RuntimeError,
        ["`Normalize`", "`mean` has 2 elements", "3 channels", "(4, 5, 3)"],
    ),
    "size": (lambda: vision.Resize(0), ValueError, ["`Resize`", "`size` must be in [1, 16777216]", "size=0"]),
    "interpolation": (
        lambda: vision.Resize(2, "linear"),
        TypeError,
        ["`interpolation` must be an Inter", "'linear'"],
    ),
    "integers": (
        lambda: vision.Resize(2)(IMAGE.astype(int)),
        RuntimeError,
        ["`Resize`: takes images of dtype uint8", "int64", "ToType"],
    ),
    "crop": (
        lambda: vision.Crop((3, 3), 3)(IMAGE),
        RuntimeError,
        ["`Crop`: 3 x 3 pixels at (3, 3)", "(4, 5, 3)"],
    ),
    "random crop": (
        lambda: vision.RandomCrop(6)(IMAGE),
        RuntimeError,
        ["`RandomCrop`", "4 x 5", "pad_if_needed=True"],
    ),
    "hue": (lambda: vision.RandomColorAdjust(hue=0.6), ValueError, ["`hue`", "0.6"]),
    "not a file": (
        lambda: vision.Decode()(b"abc"),
        RuntimeError,
        ["`Decode`", "3 bytes are not an image file"],
    ),
    "for PIL": (lambda: vision.Grayscale()(IMAGE), TypeError, ["`Grayscale`: takes a PIL image", "ToPIL"]),
    "method": (
        lambda: rows().build_vocab("x"),
        NotImplementedError,
        ["`Dataset.build_vocab`", "Vocab.from_dataset"],
    ),
    "missing transform": (lambda: vision.DecodeVideo(), NotImplementedError, ["DecodeVideo", "`map`"]),
}


@pytest.mark.parametrize(("call", "kind", "parts"), CASES.values(), ids=CASES)
def test_message(call: Callable[[], Any], kind: type[Exception], parts: list[str]) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize("name", placeholders.PARTS)
def test_absent_names_can_be_imported(name: str) -> None:
    with pytest.raises(NotImplementedError, match=name):
        getattr(ds, name)("somewhere", shuffle=True)


@pytest.mark.parametrize("module", [ds, transforms, vision])
def test_other_names_are_attribute_errors(module: Any) -> None:
    with pytest.raises(AttributeError, match="no_such_thing"):
        module.no_such_thing  # noqa: B018
    assert not hasattr(rows(), "no_such_thing")


def test_a_stream_that_is_to_be_shuffled_warns() -> None:
    with pytest.warns(UserWarning, match="shuffle=True has no effect"):
        ds.GeneratorDataset(iter([1]), "a", shuffle=True)


# ---------------------------------------------------------------- what needs a server


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({}, RuntimeError, "the SDK of the cloud store is not installed"),
        ({"dataset_files": "s3://a/b"}, TypeError, "`dataset_files` must be a list of str"),
        ({"dataset_files": [3]}, TypeError, "`dataset_files` must be a list of str"),
        ({"server": "127.0.0.1"}, ValueError, "`server` must begin with http"),
        ({"server": 3}, TypeError, "`server` must be a str"),
        ({"ak": 3}, TypeError, "`ak` must be a str"),
        ({"sync_obs_path": 5}, TypeError, "`sync_obs_path` must be a str"),
        ({"columns_list": "x"}, TypeError, "`columns_list` must be a list of str"),
        ({"shuffle": 3}, TypeError, "`shuffle` must be a bool or a Shuffle"),
        ({"num_shards": 2}, RuntimeError, "`num_shards` and `shard_id` must come together"),
        ({"shard_id": 1}, RuntimeError, "`num_shards` and `shard_id` must come together"),
        ({"num_shards": 2, "shard_id": 5}, ValueError, "`shard_id` must be in"),
        ({"num_shards": 0, "shard_id": 0}, ValueError, "`num_shards` must be in"),
        ({"num_shards": "a", "shard_id": 0}, TypeError, "`num_shards` must be an int"),
        ({"shard_equal_rows": 3}, TypeError, "`shard_equal_rows` must be a bool"),
    ],
)
def test_cloud_stores(given: dict[str, Any], error: type[Exception], text: str) -> None:
    """The types are MindSpore's, without the SDK."""
    right = {
        "dataset_files": ["s3://a/b"],
        "server": "https://127.0.0.1:1",
        "ak": "a",
        "sk": "s",
        "sync_obs_path": "s3://a",
    }
    with pytest.raises(error, match=f"`OBSMindDataset`: .*{text}"):
        ds.OBSMindDataset(**{**right, **given})


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("a",), TypeError), ((-1,), ValueError), ((0,), ValueError), ((1, -1), ValueError), ((1, 0, 3), TypeError),
        ((1, 0, False, 5), TypeError), ((1, 0, False, None, 80), ValueError), ((1, 0, False, None, None, 0), ValueError),
        ((1, 0, False, None, None, None, 0), ValueError),
    ],
)  # fmt: skip
def test_wrong_settings_of_a_cache(arguments: tuple[Any, ...], error: type[Exception]) -> None:
    with pytest.raises(error, match="`DatasetCache`: argument"):
        ds.DatasetCache(*arguments)


@pytest.mark.parametrize(
    "make",
    [lambda cache: ds.FakeImageDataset(4, cache=cache), lambda cache: rows().map(lambda x: x, cache=cache)],
)
def test_there_is_no_cache_server(make: Callable[[Any], Any]) -> None:
    cache = ds.DatasetCache(session_id=1)
    assert (cache.size, cache.spilling, cache.port) == (0, False, None)
    with pytest.raises(RuntimeError, match="argument `cache` needs MindSpore's cache server"):
        make(cache)
    with pytest.raises(TypeError, match="argument `cache` must be a DatasetCache"):
        make(3)
    with pytest.raises(RuntimeError, match="there is no cache server"):
        cache.get_stat()
    make(None)
