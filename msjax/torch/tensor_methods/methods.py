"""Tensor methods, operators and in-place forms, generated from the functions."""

import numbers
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax import ops
from msjax.core import dtype as dtypes
from msjax.core.autodiff.imperative import no_grad
from msjax.core.state import NO_GRAD, state
from msjax.core.tensor import tensor as core
from msjax.core.tensor.box import is_lens_view, owns_leaf, root
from msjax.core.tensor.tensor import resolve, wrap
from msjax.torch.functions import basic, composed, derivatives, served_from_mint
from msjax.torch.functions.index_rules import numbers_first, picks_by_bool, picks_by_tensor, read_index
from msjax.torch.functions.indexing_scatter import check_put_dtype
from msjax.torch.tensors.call_conventions import AUTOCAST, replace_value
from msjax.torch.tensors.creation import read_destination
from msjax.torch.tensors.devices import device_in, to_meta
from msjax.torch.tensors.refused_dtypes import refuse_overflow
from msjax.torch.tensors.tensor import Size, Tensor, as_torch, call_operator, is_meta

_METHODS = """abs add sub mul div exp log log2 log1p expm1 sqrt rsqrt square reciprocal sign neg sin cos tan sinh cosh tanh
erf floor ceil round sigmoid relu maximum minimum pow matmul bmm mm dot eq ne lt le gt ge isnan isinf isfinite conj
logical_and logical_or logical_not clamp sum mean prod all any amax amin argmax argmin std var norm max min softmax
log_softmax reshape transpose permute t squeeze unsqueeze flatten expand split chunk unbind allclose equal clone
detach flip lerp absolute clip remainder fmod atan2 asin acos atan outer
acosh asinh atanh erfinv floor_divide log10 logical_xor trunc""".split()

_IN_PLACE = """abs add sub mul div exp log sqrt neg sin cos tanh sigmoid relu pow clamp floor ceil round square
reciprocal lerp remainder maximum minimum acos acosh asin asinh atan atanh cosh sinh tan erf erfc exp2 expm1 log10 log1p
log2 frac rsqrt sign trunc digamma lgamma logit nan_to_num negative fix deg2rad rad2deg sinc sgn i0 erfinv absolute
arccos arccosh arcsin arcsinh arctan arctanh atan2 arctan2 fmod eq ne lt gt le ge greater greater_equal less less_equal
not_equal logical_and logical_or logical_xor logical_not copysign hypot floor_divide subtract multiply divide true_divide
heaviside ldexp nextafter xlogy bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift bitwise_right_shift gcd
lcm clip clamp_min clamp_max addcmul addcdiv addmm addmv addbmm baddbmm addr cumsum cumprod tril triu masked_fill
index_reduce index_add index_fill index_copy index_put scatter scatter_add scatter_reduce masked_scatter renorm igamma
igammac conj_physical mvlgamma float_power""".split()

_OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow", "matmul": "matmul", "mod": "remainder",
    "floordiv": "floor_divide", "eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge",
    "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}  # fmt: skip
_IN_PLACE_OPERATORS = "add sub mul truediv pow mod floordiv and or xor lshift rshift".split()
_REFLECTED = [*_IN_PLACE_OPERATORS, "matmul"]
_KINDS = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "int": "int32", "short": "int16",
    "char": "int8", "byte": "uint8", "long": "int64", "bool": "bool_", "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip


def _define_in_place(name: str) -> Callable:
    operator = getattr(basic, name, None) or (
        lambda *args, **named: served_from_mint.find_function(name)(*args, **named)
    )

    def in_place(self: Tensor, *args: Any, **named: Any) -> Tensor:
        if name in ("abs", "absolute") and self.is_complex():
            raise RuntimeError("In-place abs is not supported for complex tensors.")
        if name == "float_power" and self.dtype not in (dtypes.float64, dtypes.complex128):
            raise RuntimeError(
                f"the base given to float_power_ has dtype {self.dtype}, but the result is of a double one"
            )
        return replace_value(self, operator(self, *args, **named))

    in_place.__name__ = f"{name}_"
    in_place.__doc__ = f"`{name}` in place."
    return in_place


def _zero(self: Tensor) -> Tensor:
    """Make all elements zero."""
    return _fill(self, 0)


def _fill(self: Tensor, value: Any) -> Tensor:
    """Make all elements one value."""
    if is_meta(self):
        return self
    refuse_overflow(value, self.dtype)
    if isinstance(value, Tensor) or self.requires_grad:
        return replace_value(self, composed.fill(self, value))
    return replace_value(self, wrap(jnp.full_like(resolve(self)._value, value)))


def _copy(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Copy the elements of another tensor, broadcast."""
    # As in `to`, no gradient goes through integers.
    new = _to(as_torch(src), self.dtype) if isinstance(src, core.Tensor) else ops.cast(src, self.dtype)
    return replace_value(self, ops.broadcast_to(new, tuple(self.shape)))


def _detach_in_place(self: Tensor) -> Tensor:
    """Detach the tensor from the tape, in place.

    Raises:
        RuntimeError: for a view: its base would stay on the tape.
    """
    here = resolve(self)
    if is_lens_view(here) and not here._view.detached:  # type: ignore[union-attr]
        raise RuntimeError(
            "`detach_`: a view cannot be detached in place, since the tensor that it shows a part of stays on the tape. "
            "Use `detach()`."
        )
    return core.detach_in_place(self)


def _get_item(self: Tensor, index: Any) -> Any:
    index = index if type(index) is int else read_index(index)
    if type(index) is tuple and (steps := numbers_first(index)) is not None:
        return _get_item(_get_item(self, steps[0]), steps[1])
    try:
        found = as_torch(core.Tensor.__getitem__(self, index))  # type: ignore[attr-defined]
    except ValueError as error:  # a mask that does not fit
        raise IndexError(str(error)) from error
    except TypeError:
        _refuse_scalar(self, index)
        raise
    return found.clone() if picks_by_bool(index) else found


def _refuse_scalar(self: Tensor, index: Any) -> None:
    """Refuse to count in a tensor without dimensions."""
    if type(index) is int and not self.ndim:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        )
    if type(index) is slice and not self.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")


def _set_item(self: Tensor, index: Any, value: Any) -> None:
    _refuse_scalar(self, index)
    index = index if type(index) is int else read_index(index)
    if type(index) is tuple and (steps := numbers_first(index)) is not None:
        part = _get_item(self, steps[0]).clone()
        _set_item(part, steps[1], value)
        index, value = steps[0], part
    refuse_overflow(value, self.dtype, of_floats=False)
    if isinstance(value, Tensor) and value.dtype != self.dtype and picks_by_tensor(index, value):
        check_put_dtype(self, value)
    under = resolve(root(resolve(self)))
    if state.mode != NO_GRAD and owns_leaf(under):
        replace_value(self, self)
    call_operator(core.Tensor.__setitem__, self, index, value)  # type: ignore[attr-defined]


def _to(self: Tensor, *args: Any, **named: Any) -> Tensor:
    """Return the tensor in another dtype; of devices, which are JAX's business, only `meta` makes a difference.

    Raises:
        NotImplementedError: if it has no elements, and the device is not `meta`.
    """
    wanted, copy = read_destination(args, named)
    place = device_in(args, named)
    if place is not None and (place.type == "meta") is not is_meta(self):
        if is_meta(self):
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        return _to(to_meta(self.detach()), wanted or self.dtype)
    if wanted is None or wanted == self.dtype:
        return self.clone() if copy else self  # type: ignore[attr-defined]
    if wanted.is_floating_point or wanted.is_complex:
        return as_torch(ops.cast(self, wanted))
    # Unlike in MindSpore, no gradient goes through integers: not on the tape, and not in the program of a branch either.
    with no_grad():
        return as_torch(ops.cast(self, wanted))


def _cast_to(name: str) -> Callable:
    def cast(self: Tensor, memory_format: Any = None) -> Tensor:
        return _to(self, getattr(dtypes, name))

    cast.__doc__ = f"The tensor as {name}."
    return cast


# What operators take; of everything else Python asks the other operand, and compares by identity.
_OPERANDS = (core.Tensor, numbers.Number, np.generic, np.ndarray, jax.Array)


def _operator(name: str, reflected: bool) -> Callable:
    operator, divides = derivatives.adjust(getattr(ops, name)), name in basic.INTEGER_DIVISIONS

    def forward(self: Tensor, other: Any) -> Any:
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        if isinstance(other, Tensor):
            if name == "sub":
                basic.check_sub(self, other)
            if name == "matmul" and AUTOCAST.dtype is not None:
                return basic.matmul(self, other)  # type: ignore[attr-defined]
            self, other = _check_in_place_result(name, self, other)
        elif name == "sub":
            basic.check_sub(self, other)
        elif name == "pow" and type(other) is int and other < 0 and dtypes.as_np(self.dtype).kind in "iu":
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        if divides:
            basic.refuse_zero(self, other, name)
        return call_operator(operator, self, other)

    def backward(self: Tensor, other: Any) -> Any:
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        if name == "sub":
            basic.check_sub(self, other)
        if divides:
            basic.refuse_zero(other, self, name)
        return call_operator(operator, other, self)

    return backward if reflected else forward


def _check_in_place_result(name: str, a: Tensor, b: Tensor) -> tuple[Any, Any]:
    if a.dtype == b.dtype:
        return a, b
    if name == "matmul":
        basic.check_same_dtype(a, b)
    return basic.promote_zero_dim(a, b)


def _define_scalar_conversion(name: str) -> Callable:
    convert = getattr(core.Tensor, name)

    def number(self: Tensor) -> Any:
        if name in ("__int__", "__float__") and self.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return call_operator(convert, self)

    number.__doc__ = convert.__doc__
    return number


def _as_index(self: Tensor) -> int:
    if self.numel() != 1 or self.is_floating_point() or self.is_complex():
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return _INDEX(self)


_INDEX: Callable = core.Tensor.__index__  # type: ignore[attr-defined]


def _new(name: str) -> Callable:
    def make(self: Tensor, *size: Any, dtype: Any = None, device: Any = None, **where: Any) -> Tensor:
        place = device or self.device  # type: ignore[attr-defined]
        return getattr(basic, name)(*size, dtype=dtype or self.dtype, device=place, **where)

    make.__doc__ = f"`{name}` in this tensor's dtype."
    return make


def _former_new(self: Tensor, *data: Any, device: Any = None) -> Tensor:
    """Return a tensor of this one's dtype, as old programs write it: of sizes, or of a sequence's numbers.

    Args:
        self: the tensor.
        *data: sizes, a shape, or one sequence or array; a tensor is returned as it is.
        device: has no effect.

    Raises:
        TypeError: for a tensor of another dtype.
    """
    if len(data) == 1 and isinstance(data[0], core.Tensor):
        if data[0].dtype != self.dtype:
            raise TypeError(f"`new`: the tensor must be of dtype {self.dtype}. Received: {data[0].dtype}.")
        return data[0].detach()  # type: ignore[return-value]
    if len(data) == 1 and not isinstance(data[0], int | Size):
        return basic.tensor(data[0], dtype=self.dtype)
    size = data[0] if data and isinstance(data[0], Size) else data or (0,)
    return basic.empty(size, dtype=self.dtype, device=device)


def _is_view(self: Tensor) -> bool:
    """Return True if the tensor is a view of another one."""
    return resolve(self)._view is not None


def _base(self: Tensor) -> Any:
    """The tensor whose memory a view shows, or None."""
    return as_torch(root(resolve(self))) if _is_view(self) else None


def _minus(self: Tensor) -> Any:
    if self.dtype == dtypes.bool_:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the "
            "`~` or `logical_not()` operator instead."
        )
    return as_torch(ops.neg(self))


def _invert(self: Tensor) -> Any:
    if self.dtype.is_floating_point or self.dtype.is_complex:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return as_torch(ops.logical_not(self) if self.dtype == dtypes.bool_ else ops.invert(self))


def _view(self: Tensor, *shape: Any, size: Any = None, dtype: Any = None) -> Any:
    """Return a view of another shape; or the same bytes as another dtype, which changes the last dimension."""
    shape = shape or (size if dtype is None else dtype,)
    if len(shape) != 1 or not isinstance(shape[0], dtypes.DType):
        found = basic.reshape(self, *shape)
        if resolve(self)._view is not None and not self.is_contiguous():
            _check_viewable(self, found.shape)
        return found
    raw = resolve(self)._value
    old, new = raw.dtype.itemsize, dtypes.as_np(shape[0]).itemsize
    if new > old:
        raw = raw.reshape(*raw.shape[:-1], raw.shape[-1] * old // new, new // old)
    seen = jax.lax.bitcast_convert_type(raw, dtypes.as_np(shape[0]))
    return as_torch(wrap(seen.reshape(*seen.shape[:-2], -1) if new < old else seen))


def _check_viewable(x: Tensor, shape: tuple[int, ...]) -> None:
    """Refuse a view whose dimensions would have no steps through the memory.

    Raises:
        RuntimeError: if a new dimension spans two old ones that do not follow one another in memory.
    """
    if not x.numel():
        return
    strides: Any = core.Tensor.stride(x)
    runs: list[list[int]] = []  # lengths and steps of dimensions that are one after another in memory
    for length, step in zip(x.shape, strides, strict=True):
        if length == 1:
            continue
        if runs and runs[-1][1] == length * step:
            runs[-1] = [runs[-1][0] * length, step]
        else:
            runs.append([length, step])
    left = [length for length, _ in runs]
    for length in reversed(shape):
        if length == 1:
            continue
        while left and left[-1] == 1:
            left.pop()
        if not left or left[-1] % length:
            raise RuntimeError(
                f"`view`: view size is not compatible with input tensor's size and stride (at least one dimension spans "
                f"across two contiguous subspaces). Use .reshape(...) instead. Received: size {list(shape)} for a tensor "
                f"of size {list(x.shape)} and strides {list(strides)}."
            )
        left[-1] //= length


def _stride(self: Tensor, dim: int | None = None) -> int | tuple[int, ...]:
    steps: Any = core.Tensor.stride(self)
    return tuple(steps) if dim is None else steps[dim]


def _install() -> None:
    for name in _METHODS:
        if hasattr(basic, name):
            setattr(Tensor, name, getattr(basic, name))
    for name in _IN_PLACE:
        setattr(Tensor, f"{name}_", _define_in_place(name))
    for dunder, name in _OPERATORS.items():
        setattr(Tensor, f"__{dunder}__", _operator(name, reflected=False))
    for dunder in _REFLECTED:
        setattr(Tensor, f"__r{dunder}__", _operator(_OPERATORS[dunder], reflected=True))
    Tensor.__rdiv__ = Tensor.__rtruediv__  # type: ignore[attr-defined]
    for dunder in _IN_PLACE_OPERATORS:
        setattr(Tensor, f"__i{dunder}__", _define_in_place(_OPERATORS[dunder]))
    for name in ("item", "__bool__", "__float__", "__int__"):
        setattr(Tensor, name, _define_scalar_conversion(name))
    for name, kind in _KINDS.items():
        setattr(Tensor, name, _cast_to(kind))


_install()
Tensor.__hash__ = core.Tensor.__hash__  # type: ignore[method-assign]
Tensor.__index__ = _as_index  # type: ignore[attr-defined]
Tensor.__neg__ = _minus  # type: ignore[attr-defined]
Tensor.__abs__ = lambda self: basic.abs(self)  # type: ignore[attr-defined]
Tensor.__invert__ = _invert  # type: ignore[attr-defined]
Tensor.__getitem__ = _get_item  # type: ignore[attr-defined]
Tensor.__setitem__ = _set_item  # type: ignore[attr-defined]
Tensor.view = _view  # type: ignore[attr-defined]
Tensor.where = lambda self, condition, other: basic.where(condition, self, other)  # type: ignore[attr-defined]
Tensor.polygamma = lambda self, n: served_from_mint.find_function("polygamma")(n, self)  # type: ignore[attr-defined]
Tensor.polygamma_ = lambda self, n: replace_value(self, self.polygamma(n))  # type: ignore[attr-defined]
Tensor.view_as = lambda self, other: _view(self, tuple(other.shape))  # type: ignore[attr-defined]
Tensor.T = property(lambda self: as_torch(ops.transpose(self, tuple(reversed(range(self.ndim))))))  # type: ignore[attr-defined]
Tensor.real = property(basic.real)  # type: ignore[attr-defined]
Tensor.imag = property(lambda self: basic.imag(self))  # type: ignore[attr-defined]
Tensor.zero_, Tensor.fill_, Tensor.copy_ = _zero, _fill, _copy  # type: ignore[attr-defined]
Tensor.detach = lambda self: as_torch(core.Tensor.detach(self))  # type: ignore[method-assign]
Tensor.detach_ = _detach_in_place  # type: ignore[attr-defined]
Tensor.to = _to  # type: ignore[attr-defined]
Tensor.new = _former_new  # type: ignore[attr-defined]
Tensor._is_view, Tensor._base = _is_view, property(_base)  # type: ignore[attr-defined]
Tensor.output_nr = property(lambda self: 0)  # type: ignore[attr-defined]
Tensor.new_tensor = _new("tensor")  # type: ignore[attr-defined]
for _name in ("zeros", "ones", "empty"):
    setattr(Tensor, f"new_{_name}", _new(_name))
Tensor.new_full = _new("full")  # type: ignore[attr-defined]
Tensor.stride = _stride  # type: ignore[method-assign]
Tensor.mT = property(lambda self: basic.transpose(self, -2, -1))  # type: ignore[attr-defined]
Tensor.H = property(lambda self: basic.conj(basic.t(self)))  # type: ignore[attr-defined]
Tensor.cpu = lambda self, *args, **named: self.to("cpu")  # type: ignore[attr-defined]
Tensor.contiguous = lambda self, memory_format=None: as_torch(core.Tensor.contiguous(self))  # type: ignore[method-assign]
