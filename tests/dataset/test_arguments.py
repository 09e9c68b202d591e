"""Arguments that few programs give: what they do, and which are refused, as by MindSpore."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from msjax import dataset as ds
from msjax.dataset import audio, transforms
from msjax.dataset.transforms import Relational


def lengths(*sizes: int) -> Any:
    def rows() -> Iterator[Any]:
        for size in sizes:
            yield (np.full(size, size),)

    return ds.GeneratorDataset(rows, ["a"])


def batches(data: Any) -> list[Any]:
    return [row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


@pytest.mark.parametrize(
    ("pad_info", "first", "last"),
    [
        (None, [2, 2], [7, 0]),
        ({"a": (None, -1)}, [2, 2], [7, -1]),
        ({"a": ([9], -1)}, [2, 2, *[-1] * 7], [7, -1, -1]),
    ],
)
def test_buckets_are_padded_beyond_the_last_boundary(
    pad_info: Any, first: list[int], last: list[int]
) -> None:
    data = lengths(2, 2, 7, 8).bucket_batch_by_length(
        ["a"], [2, 5], [2, 2, 2], pad_info=pad_info, pad_to_bucket_boundary=True
    )
    below, beyond = batches(data)
    assert below == [first, first]
    assert beyond[0][6:] == last


def test_buckets_up_to_the_boundary() -> None:
    def data(*sizes: int) -> Any:
        return lengths(*sizes).bucket_batch_by_length(["a"], [2, 5], [2] * 3, None, {"a": ([None], -1)}, True)

    assert batches(data(2, 2)) == [[[2, 2, -1, -1]] * 2]
    with pytest.raises(RuntimeError, match="differ in shape"):
        batches(data(7, 8))


@pytest.mark.parametrize("given", ["z", 2.5, -3, None])
def test_lengths_are_whole_numbers(given: Any) -> None:
    with pytest.raises(RuntimeError, match="must give an int of 0 or more"):
        batches(lengths(2, 3).bucket_batch_by_length(["a"], [2], [1, 1], lambda x: given))


@pytest.mark.parametrize(
    ("call", "kind", "part"),
    [
        (lambda: lengths(1).bucket_batch_by_length("a", [2], [1, 1]), TypeError, "column_names"),
        (lambda: lengths(1).bucket_batch_by_length(["a"], [2], [1, 1], 3), TypeError, "element_length_function"),
        (lambda: lengths(1).batch(2, per_batch_map=3), ValueError, "per_batch_map"),
        (lambda: lengths(1).batch(2, python_multiprocessing=1), TypeError, "python_multiprocessing"),
        (lambda: lengths(1).map(len, ["a"], python_multiprocessing="a"), TypeError, "python_multiprocessing"),
        (lambda: lengths(1).map(len, ["a"], offload="a"), TypeError, "offload"),
        (lambda: lengths(1).padded_batch(2, pad_info=[1]), TypeError, "pad_info"),
        (lambda: batches(lengths(1, 2).padded_batch(2, pad_info={"a": ([3], "x")})), RuntimeError, "`a`, int64"),
        (lambda: ds.GeneratorDataset([1], ["a"], max_rowsize=-2), ValueError, "max_rowsize"),
        (lambda: ds.GeneratorDataset([1], ["a"], max_rowsize="a"), TypeError, "max_rowsize"),
        (lambda: ds.PKSampler(1, None, 3), TypeError, "shuffle"),
    ],
)  # fmt: skip
def test_refused(call: Callable[[], Any], kind: type[Exception], part: str) -> None:
    with pytest.raises(kind, match=part):
        call()


@pytest.mark.parametrize(
    ("seed", "six", "two"), [(1, [2, 5, 4, 5, 0, 0], [0, 1]), (2, [2, 1, 0, 5, 3, 5], [1, 5])]
)
def test_a_number_of_shuffled_rows_is_drawn_with_replacement(
    seed: int, six: list[int], two: list[int]
) -> None:
    ds.config.set_seed(seed)
    try:
        drawn = ds.NumpySlicesDataset({"a": list(range(6))}, num_samples=6)
        share = ds.NumpySlicesDataset({"a": list(range(6))}, num_samples=2, num_shards=2, shard_id=1)
        assert (batches(drawn), batches(share)) == (six, two)  # MindSpore's own rows
    finally:
        ds.config.set_seed(ds.config.DEFAULT_SEED)


def test_samplers_and_scalars() -> None:
    assert ds.SubsetSampler([1, 2, 3], 2).get_num_samples() == 2
    assert transforms.PadEnd([4], -1)(3) == 3
    assert isinstance(transforms.Mask(Relational.EQ, 2)(2), np.ndarray)
    assert isinstance(transforms.RandomApply([transforms.Fill(1)], 0.0)([1, 2]), np.ndarray)


def test_signals_of_other_dtypes() -> None:
    half, whole = np.ones(4, np.float16), np.arange(4, dtype=np.int16)
    assert audio.Biquad(0.1, 0.2, 0.3, 1.0, 0.4, 0.5)(half).dtype == np.float16
    assert audio.Gain(6.0)(half).dtype == np.float32
    assert audio.Gain(0.0)(whole).tolist() == [0, 1, 2, 3]
    assert audio.Vol(2.0)(whole).dtype == audio.Spectrogram(4)(whole).dtype == np.float32
    with pytest.raises(RuntimeError, match="takes floats"):
        audio.LFilter([1.0], [0.5])(whole)
