"""The arrays whose printing is recorded: NumPy only, so that recording and testing build the same ones."""

from collections.abc import Iterator
from typing import Any

import numpy as np

REALS = "float16 float32 float64 bfloat16".split()
WHOLES = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
COMPLEXES = "complex64 complex128".split()
LINED = "bool_ float32 float16 int64 complex64 bfloat16".split()
DTYPES = ["bool_", *WHOLES, *REALS, *COMPLEXES]

# Exact in float32, so that no two conversions round differently.
MIXED = np.array([1 / 3, 1e10, 1e-5, 1, np.inf, np.nan, -np.inf, 65504, -0.0, 1234567], np.float32)
SPREAD = np.array([1e30, -1e-30, 123456.789, 5e-324, -2.5], np.float64).astype(np.float32)


def patterned(*shape: int) -> np.ndarray:
    """Small numbers of both signs, some fractional."""
    return (np.arange(np.prod(shape, dtype=int)).reshape(shape) * 37 % 101 - 50) / np.float32(4)


def cases() -> Iterator[tuple[str, np.ndarray, str]]:
    """(name, float or complex array, dtype to cast it to)."""
    for dtype in DTYPES:
        for shape in [
            (),
            (1,),
            (5,),
            (2, 3),
            (3, 1),
            (2, 3, 4),
            (1, 2, 1, 3),
            (2, 1, 2, 1, 2),
            (0,),
            (0, 3),
            (2, 0),
        ]:
            base = patterned(*shape)
            base = np.abs(base) if dtype.startswith("uint") else base
            yield f"{dtype}{list(shape)}", (base * (1 + 0.5j) if dtype in COMPLEXES else base), dtype
    for dtype in REALS:
        for name, values in (("mixed", MIXED), ("spread", SPREAD)):
            yield f"{dtype} {name}", values, dtype
            yield f"{dtype} {name} rows", values[:4].reshape(2, 2), dtype
            for i, value in enumerate(values):
                yield f"{dtype} {name} {i}", value, dtype
    for dtype in COMPLEXES:
        values = np.array(
            [1 / 3 + 2j / 3, -1j, 2.5j, 0, 1, 1e10 - 1e-10j, complex(3, np.inf), -0.0, 123456.78],
            np.complex64,
        )
        yield f"{dtype} mixed", values, dtype
        for i, value in enumerate(values):
            yield f"{dtype} mixed {i}", value, dtype
    for dtype, shape in [
        ("float32", (1000,)), ("float32", (1001,)), ("float32", (40, 40)), ("float32", (2, 1001)),
        ("float32", (1001, 2)), ("float32", (6, 200)), ("float32", (7, 200)), ("float32", (20, 1, 60)),
        ("float32", (8, 8, 8, 8)), ("float16", (2000,)), ("float64", (30, 40)), ("bfloat16", (2000,)),
        ("bfloat16", (7, 8, 30)), ("int64", (2000,)), ("int8", (50, 50)), ("bool_", (2000,)),
        ("bool_", (7, 7, 30)), ("complex64", (2000,)), ("int32", (1001, 1, 1)), ("int32", (25, 25)),
        ("float32", (10, 10, 10)), *[(dtype, (n,)) for dtype in LINED for n in (12, 13, 24, 25, 49)],
        ("int64", (5, 6)), ("int64", (6, 7)), ("float32", (7, 6)), ("float32", (2, 7, 3)),
        ("bfloat16", (2, 1, 9)),
    ]:  # fmt: skip
        yield f"{dtype}{list(shape)}", patterned(*shape), dtype
    wide = np.arange(2000)
    wide[1000] = 10**9
    yield "hidden wide", wide, "int64"
    yield "edge wide", np.concatenate([wide, [-123456]]), "int64"
    for value in (2**62, -(2**62), 0):
        yield f"int64 {value}", np.array([value, 1]), "int64"
    for same in ([True, True], [False, False]):
        yield f"bool {same}", np.array(same), "bool_"


def outcomes(ms: Any) -> dict[str, Any]:
    """`str` and `repr` of Tensors of the cases, and of a few Parameters."""

    def tensor(array: np.ndarray, dtype: str) -> Any:
        if dtype == "bfloat16":  # NumPy has none
            return ms.Tensor(np.asarray(array, np.float32)).astype(ms.bfloat16)
        return ms.Tensor(np.asarray(array).astype(getattr(np, dtype)))

    w = ms.Parameter(ms.Tensor(np.ones((1, 2), np.float32)), name="w")
    b = ms.Parameter(ms.Tensor(2, ms.int8), name="b", requires_grad=False)
    return {
        "tensors": {name: [str(t := tensor(array, dtype)), repr(t)] for name, array, dtype in cases()},
        "parameters": [[str(p), repr(p)] for p in (w, b, ms.Parameter(ms.Tensor([1.0])))],
        "tuple": str((ms.Tensor(1.5), [ms.Tensor([True])])),
    }
