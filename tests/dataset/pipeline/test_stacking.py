"""Rows that threads write to where their batch will be: the same values as without, in memory that nobody else has."""

import gc
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
import pytest

import msjax.dataset as ds
from msjax.dataset import transforms, vision
from msjax.dataset.common.columns import Blocks, stack_column
from msjax.dataset.common.recycling import Recycler

IMAGES = np.random.RandomState(0).randint(0, 256, (11, 12, 10, 3)).astype(np.uint8)
MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]


@pytest.fixture(autouse=True)
def settings() -> Iterator[None]:
    yield
    ds.config.set_seed(ds.config.DEFAULT_SEED)
    ds.config.set_debug_mode(False)


def source() -> ds.Dataset:
    return ds.NumpySlicesDataset((IMAGES, np.arange(11)), ["x", "y"], shuffle=False)


def batches(make: Callable[[], ds.Dataset], debug: bool) -> list[list[np.ndarray]]:
    ds.config.set_seed(7)
    ds.config.set_debug_mode(debug)
    epochs = make().create_tuple_iterator(num_epochs=2, output_numpy=True)
    return [row for _ in range(2) for row in epochs]


NORMAL = [vision.Normalize(MEAN, STD), vision.HWC2CHW()]
PIPELINES: dict[str, Callable[[], ds.Dataset]] = {
    "at once": lambda: source().map(NORMAL, "x", num_parallel_workers=2).batch(4),
    "flipped": lambda: source().map([vision.RandomHorizontalFlip(), *NORMAL], "x").batch(3),
    "label after": lambda: source().map(NORMAL, "x").map(transforms.TypeCast("int32"), "y").batch(4),
    "twice": lambda: source().map(vision.HWC2CHW(), "x").map(lambda x: x[::-1], "x").batch(4),
    "dropped": lambda: source().map(vision.HWC2CHW(), "x").batch(4, drop_remainder=True),
    "renamed": lambda: source().map(vision.HWC2CHW(), "x").rename("x", "z").project(["z"]).batch(4),
    "shuffled": lambda: source().map(vision.HWC2CHW(), "x").shuffle(5).batch(4),
    "repeated": lambda: source().map(vision.HWC2CHW(), "x").repeat(2).batch(4),
    "filtered": lambda: source().map(vision.HWC2CHW(), "x").filter(lambda y: y % 3, "y").batch(2),
    "grey": lambda: (
        source()
        .map(lambda x: x[..., :1], "x")
        .map([vision.Normalize([9.0], [3.0]), vision.HWC2CHW()])
        .batch(4)
    ),
    "floats": lambda: source().map(transforms.TypeCast("float32"), "x").map(NORMAL, "x").batch(4),
    "one for all": lambda: source().map([vision.Normalize([9.0], [3.0]), vision.HWC2CHW()], "x").batch(4),
    "two columns": lambda: source().map(copied, "x", ["x", "v"]).map(vision.HWC2CHW(), "v").batch(4),
    "tiled": lambda: source().map(vision.SlicePatches(2, 2), "x", ["a", "b", "c", "d"]).batch(4),
}


def copied(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return x, x


@pytest.mark.parametrize("name", PIPELINES)
def test_batches_are_those_of_one_thread(name: str) -> None:
    inline, ahead = (batches(PIPELINES[name], debug) for debug in (True, False))
    assert len(inline) == len(ahead) > 0
    for one, other in zip(inline, ahead, strict=True):
        for column, same in zip(one, other, strict=True):
            np.testing.assert_array_equal(column, same, strict=True)
            assert same.flags.writeable
            assert same.flags.c_contiguous


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_normalize_and_transpose_at_once_give_the_same_bits(channels: int) -> None:
    image = np.random.RandomState(1).randint(0, 256, (9, 7, channels)).astype(np.uint8)
    normalize = vision.Normalize([10.0 * i for i in range(channels)], [3.0 + i for i in range(channels)])
    joined = normalize.joined_with(vision.HWC2CHW())
    assert joined is not None
    assert joined.accepts(image)
    want = vision.HWC2CHW()(normalize(image))
    place = np.zeros_like(want)
    for given in (joined(image), place if joined.write(image, place) else None):
        np.testing.assert_array_equal(given, want, strict=True)  # type: ignore[arg-type]
    assert not joined.write(image, np.zeros((channels, 9, 8), np.float32))
    assert not joined.accepts(image.astype(np.float32))


def test_others_are_not_joined() -> None:
    class Own(vision.Normalize):
        pass

    assert Own(MEAN, STD).joined_with(vision.HWC2CHW()) is None
    assert vision.Normalize(MEAN, STD).joined_with(vision.HorizontalFlip()) is None
    assert vision.Normalize(MEAN, STD, is_hwc=False).joined_with(vision.HWC2CHW()) is None


def test_errors_name_the_operation_that_raised() -> None:
    data = ds.NumpySlicesDataset(np.zeros((3, 4, 4, 2), np.uint8), "x").map(NORMAL, "x").batch(2)
    with pytest.raises(RuntimeError, match=r"operation `Normalize`, given row .*`mean` has 3 elements"):
        list(data.create_tuple_iterator(num_epochs=1))


def test_rows_of_other_shapes_are_errors_as_before() -> None:
    sizes = ds.GeneratorDataset([(IMAGES[i, : 6 + i // 3],) for i in range(6)], "x", shuffle=False)
    with pytest.raises(RuntimeError, match=r"differ in shape in column `x`: \(3, 6, 10\) and \(3, 7, 10\)"):
        list(sizes.map(vision.HWC2CHW(), "x").batch(4).create_tuple_iterator(num_epochs=1))


def filled(blocks: Blocks, value: Any, number: int) -> np.ndarray:
    return blocks.placed(number, np.full((2, 3), value, np.float32), blocks.slot(number))


def test_only_a_whole_block_in_its_order_is_not_copied() -> None:
    blocks = Blocks(3)
    rows = [filled(blocks, i, i) for i in range(6)]
    stacked = stack_column(rows[:3], "x", "batch")
    assert np.shares_memory(stacked, rows[0])
    assert stacked[:, 0, 0].tolist() == [0, 1, 2]
    for some in (
        rows[1:4],
        rows[2::-1],
        rows[:2],
        [rows[0], rows[1], rows[2].copy()],
        [r.T for r in rows[:3]],
    ):
        other = stack_column(some, "x", "batch")
        assert not any(np.shares_memory(other, row) for row in rows)
        np.testing.assert_array_equal(other, np.array(some))


def test_no_memory_is_reserved_for_batches_that_may_never_be_full() -> None:
    row = np.zeros(2**20, np.uint8)
    assert Blocks(2**20).placed(0, row, None) is row


# ---------------------------------------------------------------- memory that is used again


@pytest.mark.parametrize(
    "keep",
    [
        lambda array: array,
        lambda array: array[3:5],
        lambda array: array.view(np.uint32).T[1].reshape(-1, 2),
        lambda array: memoryview(array),
        lambda array: np.asarray(jax.device_put(array)),
        lambda array: np.from_dlpack(array),
    ],
)
def test_memory_is_used_again_when_nobody_has_it(keep: Callable[[np.ndarray], Any]) -> None:
    made, (shape, dtype) = Recycler(), ((600, 600), np.dtype(np.float32))
    array = made.empty(shape, dtype)
    array[:] = 1
    place = array.ctypes.data
    kept = keep(array)
    before = np.array(kept)
    del array
    gc.collect()
    others = [made.empty(shape, dtype) for _ in range(3)]
    for other in others:
        assert other.ctypes.data % 64 == 0
        assert not np.shares_memory(other, np.asarray(kept))
        other[:] = 2
    np.testing.assert_array_equal(np.array(kept), before)
    del kept, other
    gc.collect()
    assert made.empty((1200, 300), dtype).ctypes.data == place
    assert made.empty((3, 5), dtype).flags.owndata  # small ones have their own


def test_memory_is_given_back_in_any_order_and_after_its_maker() -> None:
    made = Recycler()
    arrays = [made.empty((2**20 + i,), np.dtype(np.uint8)) for i in range(9)]
    places = {array.nbytes: array.ctypes.data for array in arrays}
    for i in (4, 0, 8, 2, 6, 1, 3, 5, 7):
        arrays[i] = made.empty((3,), np.dtype(np.uint8))
    again = [made.empty((2**20 + i,), np.dtype(np.uint8)) for i in (7, 5, 3, 1)]  # the last ones were kept
    assert [array.ctypes.data for array in again] == [places[array.nbytes] for array in again]
    del made
    again[0][:] = 3
    del again


LARGE = np.random.RandomState(2).randint(0, 256, (6, 300, 300, 3)).astype(np.uint8)


@pytest.mark.parametrize("output_numpy", [True, False])
@pytest.mark.parametrize("operation", [NORMAL, [lambda x: x.transpose(2, 0, 1) * np.float32(2)]])
def test_batches_that_are_kept_never_change(operation: list[Any], output_numpy: bool) -> None:
    """Of some batches a user keeps a part, and of others nothing: their memory goes to later ones."""
    data = ds.NumpySlicesDataset(LARGE, "x", shuffle=False).map(operation, "x").batch(2)
    want = [row[0] for row in batches(lambda: data, True)][:3]
    ds.config.set_debug_mode(False)
    epochs, kept = data.create_tuple_iterator(output_numpy=output_numpy), []
    for epoch in range(4):
        for number, (batch,) in enumerate(epochs):
            if (epoch + number) % 2:
                kept.append((number, batch[1]))
    assert len(kept) == 6
    for number, image in kept:
        np.testing.assert_array_equal(np.asarray(image), want[number][1])
