"""`torch.testing`: comparing tensors, and making them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.public_api import torch_api
from msjax.torch.tensors.creation import as_tensor, rand, tensor
from msjax.torch.tensors.tensor import Tensor, as_torch

# Relative and absolute tolerances by dtypes; those of others are 0.
_TOLERANCES = {
    "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7),
}  # fmt: skip


def assert_close(
    actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None, atol: float | None = None,
    equal_nan: bool = False, check_device: bool = True, check_dtype: bool = True, check_layout: bool = True,
    check_stride: bool = False, msg: str | Callable[[str], str] | None = None,
) -> None:  # fmt: skip
    """Raise unless two tensors, or trees of them, agree within tolerances.

    Args:
        actual: tensors, arrays, numbers, and sequences and mappings of those.
        expected: the same.
        allow_subclasses: whether their classes may differ.
        rtol: the relative tolerance; with `atol`, else both are those of the dtypes.
        atol: the absolute tolerance.
        equal_nan: whether NaN equals NaN.
        check_device: of no effect; so are the layout and the strides.
        check_dtype: whether the dtypes must be the same.
        check_layout: see `check_device`.
        check_stride: see `check_device`.
        msg: another text, or a function that makes one of the text.

    Raises:
        AssertionError: if they do not.
        ValueError: if only one of the tolerances is given.

    Examples:
        >>> from msjax import torch
        >>> torch.testing.assert_close({"x": torch.ones(2)}, {"x": torch.ones(2) + 1e-7})
    """
    if (rtol is None) != (atol is None):
        raise ValueError(
            f"rtol and atol must both be specified or both be unspecified, but got no {'rtol' if rtol is None else 'atol'}"
        )
    text = _difference(actual, expected, "", rtol, atol, equal_nan, check_dtype, allow_subclasses)
    if text is not None:
        raise AssertionError(text if msg is None else msg(text) if callable(msg) else msg)


def _difference(actual: Any, expected: Any, path: str, *rules: Any) -> str | None:
    where = f"\n\nThe failure occurred for item {path}" if path else ""
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if set(actual) != set(expected):
            return f"The keys of the mappings do not match: {sorted(actual)} != {sorted(expected)}{where}"
        pairs = [(f"{path}[{name!r}]", actual[name], expected[name]) for name in actual]
    elif _is_list(actual) and _is_list(expected):
        if len(actual) != len(expected):
            return f"The length of the sequences mismatch: {len(actual)} != {len(expected)}{where}"
        pairs = [(f"{path}[{i}]", a, b) for i, (a, b) in enumerate(zip(actual, expected, strict=True))]
    elif actual is None or expected is None or isinstance(actual, str) or isinstance(expected, str):
        return None if actual == expected else f"Expected {expected!r} but got {actual!r}{where}"
    else:
        text = _of_tensors(actual, expected, *rules)
        return text if text is None else text + where
    return next((text for at, a, b in pairs if (text := _difference(a, b, at, *rules)) is not None), None)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _of_tensors(
    actual: Any, expected: Any, rtol: Any, atol: Any, equal_nan: bool, check_dtype: bool, subclasses: bool
) -> str | None:
    if not subclasses and type(actual) is not type(expected):
        return f"Expected {type(expected)} but got {type(actual)}."
    numbers = not isinstance(actual, Tensor | np.ndarray)
    a, b = (as_torch(as_tensor(each).detach()) for each in (actual, expected))
    if a.shape != b.shape:
        return f"The values for attribute 'shape' do not match: {a.shape} != {b.shape}."
    if check_dtype and not numbers and a.dtype != b.dtype:
        return f"The values for attribute 'dtype' do not match: {a.dtype} != {b.dtype}."
    if rtol is None:
        known = [_TOLERANCES.get(each.dtype.name, (0.0, 0.0)) for each in (a, b)]
        rtol, atol = (max(pair) for pair in zip(*known, strict=True))
    x, y = (_wide(each) for each in (a, b))
    good = np.isclose(x, y, rtol, atol, equal_nan)
    if good.all():
        return None
    with np.errstate(all="ignore"):
        off = np.where(good, 0, np.abs(x - y))
        relative = np.where(good, 0, off / np.abs(y))
    if not x.ndim:
        return (
            f"Scalars are not close!\n\nExpected {y.item()} but got {x.item()}.\n"
            f"Absolute difference: {off.item()} (up to {atol} allowed)\n"
            f"Relative difference: {relative.item()} (up to {rtol} allowed)"
        )
    worst = [tuple(int(n) for n in np.unravel_index(np.argmax(each), each.shape)) for each in (off, relative)]
    bad = int((~good).sum())
    return (
        f"Tensor-likes are not {'close' if rtol or atol else 'equal'}!\n\n"
        f"Mismatched elements: {bad} / {good.size} ({100 * bad / good.size:.1f}%)\n"
        f"Greatest absolute difference: {off[worst[0]]} at index {worst[0]} (up to {atol} allowed)\n"
        f"Greatest relative difference: {relative[worst[1]]} at index {worst[1]} (up to {rtol} allowed)"
    )


def _wide(x: Tensor) -> np.ndarray:
    array = x.to(dtypes.float32).numpy() if x.dtype.name in ("bfloat16", "float16") else x.numpy()  # type: ignore[attr-defined]
    if array.dtype.kind == "b":
        return array.astype(np.int64)
    return (
        array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
        if array.dtype.kind in "fc"
        else array
    )


def assert_allclose(
    actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None, equal_nan: bool = True, msg: Any = None
) -> None:  # fmt: skip
    """The old form of :func:`assert_close`, which does not look at dtypes."""
    assert_close(
        actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None
    )


def make_tensor(
    *shape: Any, dtype: Any, device: Any = None, low: float | None = None, high: float | None = None,
    requires_grad: bool = False, noncontiguous: bool = False, exclude_zero: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """Return a tensor of random numbers.

    Args:
        *shape: sizes.
        dtype: of the elements.
        device: of no effect.
        low: the least; -9 if it is None, 0 for unsigned integers and bools.
        high: what they stay below; 9, 10 or 2.
        requires_grad: whether it records.
        noncontiguous: of no effect.
        exclude_zero: whether zeros are replaced by the smallest number above.
        memory_format: of no effect.
    """
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    kind = dtypes.as_np(dtype)
    whole = np.dtype(kind).kind in "iub"
    least = (0 if np.dtype(kind).kind in "ub" else -9) if low is None else low
    most = {"b": 2, "i": 10, "u": 10}.get(np.dtype(kind).kind, 9) if high is None else high
    draw = np.random.default_rng(int(rand(1).item() * 2**24))  # repeats with `torch.manual_seed`
    if whole:
        array = draw.integers(int(least), int(most), sizes).astype(kind)
    else:
        array = draw.uniform(least, most, sizes)
        if np.dtype(kind).kind == "c":
            array = array + 1j * draw.uniform(least, most, sizes)
        array = np.asarray(array).astype(kind)
    if exclude_zero:
        array = np.where(array == 0, np.ones((), kind) if whole else np.finfo(np.float32).tiny, array).astype(
            kind
        )
    made = tensor(array)
    return made.requires_grad_() if requires_grad else made


def __getattr__(name: str) -> Any:
    return torch_api.lookup("torch.testing", name)
