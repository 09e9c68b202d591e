"""Pointwise, reduction and shape functions and methods under PyTorch's names and signatures."""

import builtins
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from msjax import mint, ops
from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import node_of, resolve, wrap
from msjax.ops.common import checks
from msjax.ops.common.index_parsing import known_values
from msjax.ops.math import casts
from msjax.torch import return_types
from msjax.torch.functions import derivatives
from msjax.torch.tensors.call_conventions import promote_types as promote_types
from msjax.torch.tensors.call_conventions import promote_zero_dim as promote_zero_dim
from msjax.torch.tensors.call_conventions import promoted_dtype as promoted_dtype
from msjax.torch.tensors.call_conventions import spoken_all
from msjax.torch.tensors.creation import arange as arange
from msjax.torch.tensors.creation import as_tensor as as_tensor
from msjax.torch.tensors.creation import device as device
from msjax.torch.tensors.creation import empty as empty
from msjax.torch.tensors.creation import empty_like as empty_like
from msjax.torch.tensors.creation import eye as eye
from msjax.torch.tensors.creation import from_numpy as from_numpy
from msjax.torch.tensors.creation import full as full
from msjax.torch.tensors.creation import full_like as full_like
from msjax.torch.tensors.creation import is_tensor as is_tensor
from msjax.torch.tensors.creation import linspace as linspace
from msjax.torch.tensors.creation import ones as ones
from msjax.torch.tensors.creation import ones_like as ones_like
from msjax.torch.tensors.creation import rand as rand
from msjax.torch.tensors.creation import rand_like as rand_like
from msjax.torch.tensors.creation import randn as randn
from msjax.torch.tensors.creation import randn_like as randn_like
from msjax.torch.tensors.creation import shape_of as shape_of
from msjax.torch.tensors.creation import strided as strided
from msjax.torch.tensors.creation import tensor as tensor
from msjax.torch.tensors.creation import zeros as zeros
from msjax.torch.tensors.creation import zeros_like as zeros_like
from msjax.torch.tensors.refused_dtypes import category, refuse
from msjax.torch.tensors.tensor import Tensor, as_torch

# ---------------------------------------------------------------------- operators

# PyTorch's name -> (the operator, PyTorch's names of its parameters in order, with `=` where they have a default)
_PLAIN = """mul exp log log2 log10 log1p expm1 sqrt rsqrt reciprocal sign neg sin cos tan asin acos
atan sinh cosh tanh asinh acosh atanh erf erfinv floor ceil round trunc sigmoid relu maximum minimum pow remainder fmod
floor_divide matmul bmm mm eq ne lt le gt ge logical_and logical_or logical_not logical_xor isnan isinf
isfinite imag lerp atan2 softplus""".split()


_PAIRS = {"mul", "pow", "maximum", "minimum", "remainder", "fmod", "floor_divide", "lerp", "atan2"}
INTEGER_DIVISIONS = {"remainder", "fmod", "floor_divide"}
_PAIRS |= {"eq", "ne", "lt", "le", "gt", "ge"}
_PRODUCTS = {"matmul", "bmm", "mm"}


def check_same_dtype(a: Any, b: Any) -> None:
    """Raise if the factors of a matrix product have different dtypes."""
    if isinstance(a, Tensor) and isinstance(b, Tensor) and a.dtype != b.dtype:
        raise RuntimeError(f"expected both factors to have the same dtype, but got: {a.dtype} != {b.dtype}")


def _delegate_to_method(name: str) -> Callable:
    operator = derivatives.adjust(getattr(ops, name))

    def call(input: Any, *others: Any, **named: Any) -> Any:
        if others and name in INTEGER_DIVISIONS:
            refuse_zero(input, others[0], name)
        if others and name in _PAIRS:
            input, other = promote_zero_dim(input, others[0])
            others = (other, *others[1:])
        elif others and name in _PRODUCTS:
            check_same_dtype(input, others[0])
        return as_torch(operator(input, *others, **named))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = operator.__doc__
    return call


globals().update({name: _delegate_to_method(name) for name in _PLAIN if hasattr(ops, name)})


def abs(input: Any) -> Any:
    """Absolute values; of complex numbers, real moduli."""
    return as_torch(ops.real(ops.abs(input)) if input.is_complex() else _abs(input))


_abs = derivatives.adjust(ops.abs)


def absolute(input: Any) -> Any:
    """Absolute values; of complex numbers, real moduli."""
    return abs(input)


def add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """input + alpha * other."""
    return as_torch(ops.add(*promote_zero_dim(input, _times_alpha(input, other, alpha))))


def _times_alpha(input: Any, other: Any, alpha: Any) -> Any:
    """alpha * other, where a sum of the dtype that `input` and `other` promote to can take it."""
    if alpha == 1 and type(alpha) is int:
        return other
    kind = as_torch(ops.add(*promote_zero_dim(input, other))).dtype
    if isinstance(alpha, bool) and kind != dtypes.bool_:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, builtins.complex) and not kind.is_complex:
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    if isinstance(alpha, builtins.float) and not (kind.is_floating_point or kind.is_complex):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(other, Tensor):
        return ops.cast(ops.mul(other, alpha), kind)
    return bool(other * alpha) if kind == dtypes.bool_ else other * alpha


def check_sub(input: Any, other: Any) -> None:
    """Refuse to subtract bools, as PyTorch does.

    Raises:
        RuntimeError: if a tensor of bools is among the two.
    """
    if _is_bool(input) and _is_bool(other):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    if _is_bool(input) or _is_bool(other):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )


def refuse_zero(input: Any, other: Any, name: str = "div") -> None:
    """Refuse to divide whole numbers by 0, where looking at them costs no transfer: outside of traces, on CPU.

    Raises:
        NotImplementedError: of bools and of complex numbers.
        RuntimeError: if an element of `other` is 0, and no number has a point.
    """
    kind = builtins.max(category(input), category(other))
    if kind in (0, 3):
        refuse(name, input, other)
    if kind == 2:
        return
    divisor = resolve(other)._value if isinstance(other, Tensor) else other
    if isinstance(divisor, jax.Array):
        divisor = known_values(divisor)
    if isinstance(divisor, int | np.ndarray) and not np.all(divisor):
        raise RuntimeError("ZeroDivisionError")


def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """input - alpha * other."""
    check_sub(input, other)
    return as_torch(ops.sub(*promote_zero_dim(input, _times_alpha(input, other, alpha))))


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """Return the quotient."""
    if rounding_mode is not None:
        refuse_zero(input, other)
    input, other = promote_zero_dim(input, other)
    if rounding_mode == "floor" and _is_floating(input, other):
        return as_torch(derivatives.floor_divide(input, other))
    return as_torch(ops.div(input, other, rounding_mode=rounding_mode))


def _is_floating(*operands: Any) -> bool:
    return builtins.any(
        x.is_floating_point() if isinstance(x, Tensor) else isinstance(x, builtins.float) for x in operands
    )


def _is_bool(x: Any) -> bool:
    return x.dtype == dtypes.bool_ if isinstance(x, Tensor) else isinstance(x, bool)


def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """Elements of `input` where the condition holds, and of `other` elsewhere; without them, where it holds."""
    if input is None:
        return tuple(as_torch(part) for part in ops.nonzero(condition, as_tuple=True))
    if condition.dtype not in (dtypes.bool_, dtypes.uint8):
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition.dtype}"
        )
    input, other = promote_zero_dim(input, other)
    return as_torch(ops.where(condition.to(dtypes.bool_), input, other))


def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """Values limited to [min, max]; NaN, where a limit is."""
    if _is_bool(input):
        input = input.to(promoted_dtype(*(each for each in (input, min, max) if each is not None)))
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        wanted = promoted_dtype(*(each for each in (input, min, max) if each is not None))
        input, min, max = (
            each.to(wanted) if isinstance(each, Tensor) else each for each in (input, min, max)
        )
    return as_torch(derivatives.clamp(input, min, max))


def clip(input: Any, min: Any = None, max: Any = None) -> Any:
    """Return the old name of :func:`clamp`."""
    return clamp(input, min, max)


def square(input: Any) -> Any:
    """Return the square; of bools, whole numbers."""
    return as_torch(ops.square(input.to(dtypes.int64) if _is_bool(input) else input))


def complex(real: Any, imag: Any) -> Any:
    """Complex numbers of their parts."""
    return as_torch(ops.add(real, ops.mul(imag, tensor(1j))))


def _define_reduction(operator: Callable, name: str) -> Callable:
    def reduce(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
        return as_torch(operator(_as(input, dtype), dim, keepdim))

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = operator.__doc__
    return reduce


def _check_inexact(x: Any) -> Any:
    if not (x.is_floating_point() or x.is_complex()):
        raise RuntimeError(
            f"`mean`: the tensor must be of a floating or complex dtype. Received: dtype={x.dtype}. Cast it, or give dtype."
        )
    return x


def _as_bytes(x: Any, found: Any) -> Any:
    """PyTorch answers for uint8 in uint8."""
    return ops.cast(found, dtypes.uint8) if x.dtype == dtypes.uint8 else found


def _check_deviation(x: Any) -> None:
    if not (x.is_floating_point() or x.is_complex()):
        raise RuntimeError("std and var only support floating point and complex dtypes")


sum = _define_reduction(lambda x, d, k: ops.sum(x, d, k), "sum")
mean = _define_reduction(lambda x, d, k: ops.mean(_check_inexact(x), d, k), "mean")
prod = _define_reduction(lambda x, d, k: ops.prod(x, d, k), "prod")
all = _define_reduction(lambda x, d, k: _as_bytes(x, ops.all(x, d, k)), "all")
any = _define_reduction(lambda x, d, k: ops.any(x, d, k), "any")
amax = _define_reduction(lambda x, d, k: ops.amax(x, d, k), "amax")
amin = _define_reduction(lambda x, d, k: ops.amin(x, d, k), "amin")
argmax = _define_reduction(lambda x, d, k: ops.cast(ops.argmax(x, d, k), dtypes.int64), "argmax")
argmin = _define_reduction(lambda x, d, k: ops.cast(ops.argmin(x, d, k), dtypes.int64), "argmin")


def std(
    input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: int = 1
) -> Any:
    """Return the standard deviation; `unbiased` says whether `correction` is 1 or 0."""
    _check_deviation(input)
    if input.is_complex():
        return sqrt(var(input, dim, unbiased, keepdim, correction=correction))  # type: ignore[name-defined]  # noqa: F821
    dim, correction = _correction_of(dim, unbiased, correction)
    return as_torch(mint.std(input, dim, correction=correction, keepdim=keepdim))


def var(
    input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: int = 1
) -> Any:
    """Return the variance; `unbiased` says whether `correction` is 1 or 0."""
    return var_mean(input, dim, unbiased, keepdim, correction=correction)[0]


def var_mean(
    input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: int = 1
) -> tuple[Any, Any]:
    """Return the variance, of complex numbers that of both parts, and the mean."""
    _check_deviation(input)
    dim, correction = _correction_of(dim, unbiased, correction)
    parts = (ops.real(input), ops.imag(input)) if input.is_complex() else (input,)
    variances = [ops.var(part, dim, correction, keepdim) for part in parts]
    return as_torch(variances[0] if len(parts) == 1 else ops.add(*variances)), mean(input, dim, keepdim)


def std_mean(
    input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: int = 1
) -> tuple[Any, Any]:
    """Return the standard deviation and the mean."""
    return std(input, dim, unbiased, keepdim, correction=correction), mean(
        input, _correction_of(dim, unbiased, correction)[0], keepdim
    )


def _correction_of(dim: Any, unbiased: Any, correction: Any) -> tuple[Any, int]:
    if isinstance(dim, bool):  # std(input, unbiased)
        dim, unbiased = None, dim
    return None if dim == () or dim == [] else dim, int(
        1 if correction is None else correction
    ) if unbiased is None else int(unbiased)


def norm(input: Any, p: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """Return the p-norm of the elements."""
    input = abs(_as(input, dtype)) if input.is_complex() and p != "nuc" else _as(input, dtype)
    p = 2 if p == "fro" else p
    if p == "nuc":
        found = as_torch(ops.norm(input, ord="nuc", dim=dim, keepdim=keepdim))
        return as_torch(ops.real(found)) if found.is_complex() else found
    return as_torch(mint.linalg.vector_norm(input, p, dim, keepdim))


def max(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Return the largest element; with `dim`, (values, indices); with a second tensor, the larger of the two."""
    return _reduce_extremum(
        return_types.max,
        ops.max,
        derivatives.adjust(ops.maximum),
        input,
        dim if other is None else other,
        keepdim,
    )


def min(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Return the smallest element; with `dim`, (values, indices); with a second tensor, the smaller of the two."""
    return _reduce_extremum(
        return_types.min,
        ops.min,
        derivatives.adjust(ops.minimum),
        input,
        dim if other is None else other,
        keepdim,
    )


def _reduce_extremum(
    kind: Callable, reduce: Callable, pairwise: Callable, input: Any, dim: Any, keepdim: bool
) -> Any:
    if isinstance(dim, Tensor):
        return as_torch(pairwise(input, dim))
    if dim is None:
        return as_torch((derivatives.LARGEST if reduce is ops.max else derivatives.LEAST)(input))
    return kind(*as_torch(reduce(input, dim, keepdim)))


def refuse_negative(positions: Any, error: type[Exception], message: str, but: int | None = None) -> None:
    """Refuse positions below zero, which the engine counts from the end and PyTorch does not, where they are known.

    Args:
        positions: integers.
        error: what is raised.
        message: with `{}` for the position.
        but: a number that is accepted.
    """
    if not isinstance(positions, Tensor):
        return
    known = known_values(resolve(positions)._value)
    if known is None or known.dtype.kind not in "iu" or not known.size or known.min() >= 0:
        return
    wrong = known[(known < 0) & (known != but)] if but is not None else known[known < 0]
    if wrong.size:
        raise error(message.format(int(wrong[0])))


def softmax(input: Any, dim: int | None = None, dtype: Any = None) -> Any:
    """Compute softmax along `dim`; without it, along the dimension that PyTorch once chose."""
    return as_torch(ops.softmax(_as(input, dtype), _legacy_softmax_dim(input, dim)))


def log_softmax(input: Any, dim: int | None = None, dtype: Any = None) -> Any:
    """Return the logarithm of :func:`softmax`."""
    return as_torch(ops.log_softmax(_as(input, dtype), _legacy_softmax_dim(input, dim)))


def _legacy_softmax_dim(input: Any, dim: int | None) -> int:
    return dim if dim is not None else 0 if input.ndim in (0, 1, 3) else 1


def _as(input: Any, dtype: Any) -> Any:
    return input if dtype is None else ops.cast(input, dtype)


# ---------------------------------------------------------------------- shapes


def reshape(input: Any, *shape: Any) -> Any:
    """Return a view of another shape."""
    return as_torch(ops.reshape(input, shape_of(shape)))


def transpose(input: Any, dim0: int, dim1: int) -> Any:
    """Return a view with two dimensions exchanged."""
    return as_torch(ops.swapaxes(input, dim0, dim1))


def permute(input: Any, *dims: Any) -> Any:
    """Return a view with the dimensions in another order."""
    return as_torch(ops.transpose(input, shape_of(dims)))


def t(input: Any) -> Any:
    """Return the transpose of a matrix."""
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return as_torch(ops.t(input))


def squeeze(input: Any, dim: Any = None) -> Any:
    """Return a view without dimensions of size one."""
    kept = (
        isinstance(dim, int)
        and input.ndim
        and input.shape[checks.normalize_axis("squeeze", input.ndim, dim=dim)] != 1
    )
    if kept or (dim is not None and not isinstance(dim, int) and len(dim) == 0):
        return as_torch(ops.reshape(input, tuple(input.shape)))
    return as_torch(ops.squeeze(input, dim if input.ndim else None))


def unsqueeze(input: Any, dim: int) -> Any:
    """Return a view with a new dimension of size one."""
    return as_torch(ops.expand_dims(input, dim))


def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Return a view with several dimensions merged into one; the tensor itself where there is nothing to merge."""
    sizes = tuple(input.shape)
    start, end = (dim + len(sizes) if dim < 0 else dim for dim in (start_dim, end_dim))
    if not 0 <= start <= end < len(sizes):  # no dimension at all, or an error
        return reshape(ops.flatten(input, start_dim=start_dim, end_dim=end_dim), -1)
    if start == end:
        return input
    return reshape(input, *sizes[:start], math.prod(sizes[start : end + 1]), *sizes[end + 1 :])


def conj(input: Any) -> Any:
    """The complex conjugate; a real tensor is its own."""
    return as_torch(ops.conj(input)) if input.is_complex() else input


def real(input: Any) -> Any:
    """The real part; a real tensor is its own."""
    return as_torch(ops.real(input)) if input.is_complex() else input


def flip(input: Any, *dims: Any) -> Any:
    """Return the elements in reverse order along dimensions."""
    return as_torch(ops.flip(input, shape_of(dims)))


def expand(input: Any, *sizes: Any) -> Any:
    """Return a view that repeats dimensions of size one."""
    return as_torch(ops.broadcast_to(input, shape_of(sizes)))


def cat(tensors: Sequence[Any], dim: int = 0) -> Any:
    """Tensors joined along a dimension."""
    given = list(tensors)
    # As PyTorch always has, it passes over empty tensors of one dimension, whatever the others' shapes.
    full = [t for t in given if t.ndim != 1 or t.shape[0]]
    if len(full) < len(given) and full:  # their dtypes count all the same
        full[0] = full[0].to(functools.reduce(promote_types, (t.dtype for t in given)))
    return as_torch(ops.concat(full or given, dim))


def stack(tensors: Sequence[Any], dim: int = 0) -> Any:
    """Tensors joined along a new dimension, in the dtype that holds all of theirs."""
    given = list(tensors)
    if len({t.dtype for t in given}) > 1:
        wanted = functools.reduce(promote_types, (t.dtype for t in given))
        given = [t.to(wanted) for t in given]
    return as_torch(ops.stack(given, dim))


def split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Views of parts along a dimension."""
    return as_torch(ops.split(tensor, split_size_or_sections, dim))


def chunk(input: Any, chunks: int, dim: int = 0) -> Any:
    """Views of equal parts along a dimension."""
    return as_torch(ops.chunk(input, chunks, dim))


def unbind(input: Any, dim: int = 0) -> Any:
    """Views of the slices along a dimension."""
    return as_torch(ops.unbind(input, dim))


def allclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Return True if all elements agree up to the tolerances."""
    return bool(np.allclose(input.asnumpy(), other.asnumpy(), rtol, atol, equal_nan))


def equal(input: Any, other: Any) -> bool:
    """Return True if two tensors have the same shape and elements."""
    return bool(np.array_equal(input.asnumpy(), other.asnumpy()))


def numel(input: Any) -> int:
    """Return the number of elements."""
    return input.numel()


def clone(input: Any) -> Any:
    """Return a copy that gradients pass through."""
    return as_torch(
        casts.identity(input) if node_of(resolve(input)) is not None else wrap(resolve(input)._value)
    )


def detach(input: Any) -> Any:
    """Return the same values off the tape, sharing memory."""
    return input.detach()


_OWN = spoken_all(globals(), __name__)
globals().update(_OWN)
NAMES = [*_OWN]
