"""Hooks of debug mode; texts and values are what MindSpore 2.10 printed for the same programs."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import msjax.dataset as ds
from msjax.dataset import debug, transforms


class Values(debug.DebugHook):
    """A user's own."""

    def compute(self, *args: Any) -> Any:
        print("values", [np.asarray(one).tolist() for one in args[0]])
        return ("ignored",)


@pytest.fixture(autouse=True)
def settings() -> Iterator[None]:
    yield
    ds.config.set_debug_mode(True)  # the default hooks again
    ds.config.set_debug_mode(False)


def plus_one(x: Any) -> Any:
    return x + 1


def read(operations: list[Callable[..., Any]], *columns: Any, **more: Any) -> list[Any]:
    data = ds.NumpySlicesDataset({"x": np.arange(4).reshape(2, 2), "y": np.arange(2)}, shuffle=False)
    rows = data.map(operations, *columns, **more).create_tuple_iterator(num_epochs=1, output_numpy=True)
    return [[column.tolist() for column in row] for row in rows]


FIRST = "[Dataset debugger] Print the [INPUT] of the operation [{}].\n"
LATER = "[Dataset debugger] Print the [OUTPUT] of the operation [{}].\n"
META = "Column {}. The dtype is [int64]. The shape is [{}].\n"


def test_types_and_shapes_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    ds.config.set_debug_mode(True)
    assert read([plus_one, transforms.Fill(3)], ["x"]) == [[[3, 3], 0], [[3, 3], 1]]
    meta = META.format(0, (2,))
    row = FIRST.format("plus_one") + meta + LATER.format("plus_one") + meta + LATER.format("Fill") + meta
    assert capsys.readouterr().out == row * 2


def test_several_columns(capsys: pytest.CaptureFixture[str]) -> None:
    ds.config.set_debug_mode(True)
    swap = lambda x, y: (y, x, y)  # noqa: E731
    assert read([swap], ["x", "y"], ["a", "b", "c"])[1] == [1, [2, 3], 1]
    before = META.format(0, (2,)) + META.format(1, ())
    after = META.format(0, ()) + META.format(1, (2,)) + META.format(2, ())
    assert capsys.readouterr().out == 2 * (
        FIRST.format("<lambda>") + before + LATER.format("<lambda>") + after
    )


def test_hooks_that_are_given(capsys: pytest.CaptureFixture[str]) -> None:
    ds.config.set_debug_mode(True, [debug.PrintDataHook(), Values()])
    ds.config.set_debug_mode(True, [])  # leaves these
    assert read([plus_one], ["x"]) == [[[1, 2], 0], [[3, 4], 1]]
    f = "plus_one"
    first = FIRST.format(f) + "Column 0. The data is [[0 1]].\n" + FIRST.format(f) + "values [[0, 1]]\n"
    second = LATER.format(f) + "Column 0. The data is [[1 2]].\n" + LATER.format(f) + "values [[1, 2]]\n"
    assert capsys.readouterr().out.startswith(first + second)


@pytest.mark.parametrize("compose", [False, True])
def test_a_hook_among_operations(compose: bool, capsys: pytest.CaptureFixture[str]) -> None:
    operations = [plus_one, Values(), plus_one]
    assert read([transforms.Compose(operations)] if compose else operations, ["x"])[0] == [[2, 3], 0]
    assert capsys.readouterr().out == "values [[1, 2]]\nvalues [[3, 4]]\n"


def test_images_are_the_same_with_hooks(capsys: pytest.CaptureFixture[str]) -> None:
    """Transforms that are joined otherwise, and draw random numbers."""
    image = np.random.default_rng(0).integers(0, 255, (40, 50, 3)).astype(np.uint8)

    def cropped() -> np.ndarray:
        ds.config.set_seed(4)
        steps = [ds.vision.RandomCrop(8), ds.vision.RandomHorizontalFlip()]
        data = ds.NumpySlicesDataset(image[None], ["x"], shuffle=False).map(steps)
        return next(data.create_tuple_iterator(output_numpy=True))[0]

    without = cropped()
    ds.config.set_debug_mode(True)
    np.testing.assert_array_equal(cropped(), without)
    assert "of the operation [RandomCrop]" in capsys.readouterr().out


def test_hooks_that_raise_are_named() -> None:
    class Broken(debug.DebugHook):
        def compute(self, *args: Any) -> Any:
            raise KeyError("no")

    ds.config.set_debug_mode(True, [Broken()])
    with pytest.raises(RuntimeError, match="`map`: hook `Broken` raised KeyError: 'no'"):
        read([plus_one])
    with pytest.raises(TypeError, match="abstract"):
        debug.DebugHook()  # type: ignore[abstract]
