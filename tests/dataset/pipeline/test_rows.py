"""Rows that sources and functions may give: of any iterable, dicts of anything; as MindSpore 2.10 does."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msjax as ms
import msjax.dataset as ds


class One:
    """A source of one row, which is made anew each time."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> Any:
        return self.make()


def read(data: ds.Dataset, output_numpy: bool = True) -> list[Any]:
    return list(data.create_tuple_iterator(num_epochs=1, output_numpy=output_numpy))


ROWS: dict[str, tuple[Callable[[], Any], str, list[Any]]] = {
    "generator": (lambda: (x for x in (1, 2.0)), "ab", [1, 2.0]),
    "map": (lambda: map(float, [1, 2]), "ab", [1.0, 2.0]),
    "set": (lambda: {1}, "a", [1]),
    "values": (lambda: {"k": 1, "l": 2}.values(), "ab", [1, 2]),
    "range": (lambda: range(2), "ab", [0, 1]),
    "zip": (lambda: zip([1], [2], strict=True), "a", [[1, 2]]),
    "list": (lambda: [5], "a", [5]),
    "array": (lambda: np.array([1.0, 2.0]), "a", [[1.0, 2.0]]),
    "string": (lambda: "ab", "a", ["ab"]),
    "Tensor": (lambda: ms.Tensor([1, 2]), "a", [[1, 2]]),
}


@pytest.mark.parametrize("stream", [False, True], ids=["rows", "stream"])
@pytest.mark.parametrize(("make", "names", "want"), ROWS.values(), ids=ROWS)
def test_any_iterable_is_a_row(make: Callable[[], Any], names: str, want: list[Any], stream: bool) -> None:
    source: Any = (lambda: iter([make()])) if stream else One(make)
    (row,) = read(ds.GeneratorDataset(source, list(names)))
    assert [column.tolist() for column in row] == want


@pytest.mark.parametrize("value", ["ab", np.array([1.0, 2.0]), {"p": 1, "q": 2}, [1], range(3)], ids=str)
def test_other_numbers_of_columns_are_errors(value: Any) -> None:
    with pytest.raises(RuntimeError, match=r"the source, asked for row 0, gave \d columns. Expected: 2"):
        read(ds.GeneratorDataset(One(lambda: value), ["a", "b"]))


def test_a_generator_that_fails_is_the_users_error() -> None:
    with pytest.raises(
        RuntimeError, match=r"the source, asked for row 0, raised ZeroDivisionError.*test_rows.py"
    ):
        read(ds.GeneratorDataset(One(lambda: (1 // 0 for _ in [1])), "a"))


class Thing:
    pass


THING = Thing()
ANYTHING = {
    "image": np.ones(2, np.float32), "none": None, "mixed": (1, "x", None), "ragged": [[1], [1, 2]], "set": {1, 2},
    "path": Path("there"), "object": THING, "int": 3, "float": 1.5, "bool": True, "str": "abc", "bytes": b"q",
    "nested": {"x": 1, 2: "y"}, "complex": 1j, "strings": np.array(["a"]),
}  # fmt: skip


@pytest.mark.parametrize("output_numpy", [True, False], ids=["arrays", "Tensors"])
def test_dicts_hold_anything(output_numpy: bool) -> None:
    number: Any = np.ndarray if output_numpy else ms.Tensor
    ((given, label),) = read(ds.GeneratorDataset([(ANYTHING, 1)], ["x", "y"]), output_numpy)
    assert list(given) == list(ANYTHING)
    for key in ("image", "int", "float", "bool"):
        assert isinstance(given[key], number)
    assert isinstance(label, number)
    assert [given[key] for key in ("none", "set", "path", "object", "bytes", "complex")] == [
        None, {1, 2}, Path("there"), THING, b"q", 1j,
    ]  # fmt: skip
    assert isinstance(given["str"], np.ndarray)
    assert isinstance(given["mixed"], tuple)
    assert isinstance(given["mixed"][0], number)
    assert given["mixed"][2] is None
    assert [[int(np.asarray(one)) for one in part] for part in given["ragged"]] == [[1], [1, 2]]
    assert (int(np.asarray(given["nested"]["x"])), str(given["nested"][2])) == (1, "y")
    assert given["strings"].tolist() == ["a"]


def test_functions_get_the_dict_itself() -> None:
    seen: list[Any] = []

    def look(x: dict[str, Any]) -> dict[str, Any]:
        seen.append(x)
        return {"int": x["int"] + 1, "none": None}

    data = ds.GeneratorDataset([ANYTHING], "x").filter(lambda x: x["none"] is None).map(look)
    ((given,),) = read(data.shuffle(2).repeat(2).take(1))
    assert seen[0] is ANYTHING
    assert (given["int"].tolist(), given["none"]) == (4, None)
    assert data.output_shapes() == [[0]]


def test_batches_of_dicts() -> None:
    rows = [{"a": np.ones(2), "b": i} for i in range(2)]

    def source() -> ds.GeneratorDataset:
        return ds.GeneratorDataset(rows, "x", shuffle=False)

    for data in (source().batch(2), source().padded_batch(2, pad_info={})):
        ((given,),) = read(data)
        assert given["a"].shape == (2, 2)
        assert given["b"].tolist() == [0, 1]
    ((given,),) = read(source().batch(2, per_batch_map=lambda x, info: (x,), input_columns="x"))
    assert [one.tolist() for one in given["b"]] == [0, 1]
    with pytest.raises(RuntimeError, match=r"`batch`: column `x\['none'\]` gave None"):
        read(
            ds.GeneratorDataset([ANYTHING, ANYTHING], "x")
            .project("x")
            .map(lambda x: {"none": x["none"]})
            .batch(2)
        )
    with pytest.raises(RuntimeError, match="differ in their keys in column `x`"):
        read(ds.GeneratorDataset([{"a": 1}, {"b": 1}], "x").batch(2))


def test_none_is_no_column() -> None:
    with pytest.raises(RuntimeError, match=r"None \(NoneType\), which no column can hold"):
        read(ds.GeneratorDataset([None], "x"))


def rows_of_names() -> Iterator[str]:
    yield "not a picture"


def test_errors_name_the_row_the_file_and_the_line(tmp_path: Path) -> None:
    (tmp_path / "cats").mkdir()
    (tmp_path / "cats" / "1.jpg").write_bytes(b"no JPEG")
    data = ds.ImageFolderDataset(str(tmp_path)).map(ds.vision.Decode(), "image")
    with pytest.raises(RuntimeError) as caught:
        read(data)
    assert f"operation `Decode`, given row 0 ({tmp_path / 'cats' / '1.jpg'}), raised" in str(caught.value)
    assert f"(made in {__file__}, line " in str(caught.value)


def test_tracebacks_are_the_users() -> None:
    def fails(x: np.ndarray) -> np.ndarray:
        return np.stack([x, np.ones(2)])

    with pytest.raises(RuntimeError) as caught:
        read(ds.NumpySlicesDataset([1.0], "x").map(fails).batch(1).repeat(2))
    own = [
        entry for entry in caught.traceback if "msjax" in str(entry.path) and "tests" not in str(entry.path)
    ]
    assert len(own) == 1
    trace = caught.value.__cause__.__traceback__  # type: ignore[union-attr]
    assert trace is not None
    assert trace.tb_frame.f_code is fails.__code__


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "uint8"])
def test_batches_of_arrays_are_those_of_their_rows(dtype: str, drop: bool) -> None:
    x, y = (np.arange(14).reshape(7, 2) % 5).astype(dtype), np.arange(7) * 0.5

    def rows(data: Any) -> list[Any]:
        ds.config.set_seed(3)
        made = (
            ds.NumpySlicesDataset(data).batch(3, drop).create_tuple_iterator(num_epochs=2, output_numpy=True)
        )
        return [row for _ in range(2) for row in made]

    at_once, by_row = rows((x, y)), rows((list(x), list(y)))
    ds.config.set_seed(ds.config.DEFAULT_SEED)
    assert len(at_once) == len(by_row) == (4 if drop else 6)
    for one, other in zip(at_once, by_row, strict=True):
        for column, want in zip(one, other, strict=True):
            assert (column.dtype, column.tolist()) == (want.dtype, want.tolist())
    at_once[0][1][:] = 9
    assert y.max() == 3


def test_batches_of_arrays_say_which_rows_fail() -> None:
    data = ds.NumpySlicesDataset(np.arange(3), "x", sampler=[0, 5]).batch(2)
    with pytest.raises(RuntimeError, match=r"`NumpySlicesDataset`: the source, asked for rows? .*5"):
        read(data)
