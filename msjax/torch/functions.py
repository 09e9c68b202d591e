"""Functions and methods under PyTorch's names and signatures, over the same operators."""

import builtins
import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import jax.numpy as jnp
import numpy as np

from msjax import ops
from msjax.core import dtype as dtypes
from msjax.core import random
from msjax.core.construct import array_of
from msjax.core.tensor import node_of, resolve, wrap
from msjax.torch.tensor import Tensor, dialect, speaking


def _shape(size: tuple) -> tuple[int, ...]:
    return tuple(size[0]) if len(size) == 1 and isinstance(size[0], Sequence) else size


def _marked(result: Any, requires_grad: bool) -> Tensor:
    tensor = dialect(result)
    return tensor.requires_grad_() if requires_grad else tensor


# ---------------------------------------------------------------------- making tensors


def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A new tensor with a copy of the data; Python floats are float32, ints int64."""
    array = data.array if isinstance(data, Tensor) else array_of(data)
    if dtype is None and array.dtype == np.complex128 and not isinstance(data, np.ndarray | np.generic):
        dtype = dtypes.complex64
    return _marked(wrap(array if dtype is None else array.astype(dtypes.as_np(dtype))), requires_grad)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """The tensor itself, or a new one."""
    return data if isinstance(data, Tensor) and dtype in (None, data.dtype) else tensor(data, dtype=dtype)


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor with a copy of the values."""
    return tensor(array)


def Variable(data: Any, requires_grad: bool = False) -> Tensor:  # noqa: N802
    """The tensor itself: the old name for tensors that record."""
    return (data if isinstance(data, Tensor) else tensor(data)).requires_grad_(requires_grad)


def _creating(make: Callable) -> Callable:
    def create(
        *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **named: Any
    ) -> Tensor:
        shape = _shape(size or (named.pop("size"),))
        return _marked(make(shape, dtypes.as_np(dtype or dtypes.float32), **named), requires_grad)

    create.__name__ = create.__qualname__ = make.__name__
    create.__doc__ = make.__doc__
    return create


@_creating
def zeros(shape: tuple, dtype: Any) -> Any:
    """Zeros of a shape, given as numbers or as one sequence."""
    return wrap(jnp.zeros(shape, dtype))


@_creating
def ones(shape: tuple, dtype: Any) -> Any:
    """Ones of a shape, given as numbers or as one sequence."""
    return wrap(jnp.ones(shape, dtype))


@_creating
def empty(shape: tuple, dtype: Any) -> Any:
    """A tensor of a shape; its values are zeros."""
    return wrap(jnp.zeros(shape, dtype))


@_creating
def rand(shape: tuple, dtype: Any) -> Any:
    """Uniform random numbers in [0, 1)."""
    return ops.rand(*shape, dtype=dtypes.of(dtype))


@_creating
def randn(shape: tuple, dtype: Any) -> Any:
    """Normal random numbers."""
    return ops.randn(*shape, dtype=dtypes.of(dtype))


def full(size: Sequence[int], fill_value: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of one value."""
    value = array_of(fill_value)
    return _marked(wrap(jnp.full(tuple(size), value, dtype and dtypes.as_np(dtype))), requires_grad)


def arange(
    start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """Numbers from `start` to before `end`."""
    start, end = (0, start) if end is None else (start, end)
    kind = np.int64 if builtins.all(isinstance(v, int) for v in (start, end, step)) else np.float32
    return _marked(wrap(jnp.arange(start, end, step, dtypes.as_np(dtype) if dtype else kind)), requires_grad)


def linspace(
    start: float, end: float, steps: int, *, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """Evenly spaced numbers, both ends included."""
    made = jnp.linspace(start, end, steps, dtype=dtypes.as_np(dtype or dtypes.float32))
    return _marked(wrap(made), requires_grad)


def eye(n: int, m: int | None = None, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Ones on the diagonal."""
    return _marked(wrap(jnp.eye(n, m, dtype=dtypes.as_np(dtype or dtypes.float32))), requires_grad)


def _like(make: Callable) -> Callable:
    def like(input: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
        return make(tuple(input.shape), dtype=dtype or input.dtype, requires_grad=requires_grad)

    like.__name__ = f"{make.__name__}_like"
    like.__doc__ = f"{make.__doc__} The shape and dtype are those of `input`."
    return like


zeros_like, ones_like, rand_like, randn_like, empty_like = map(_like, (zeros, ones, rand, randn, empty))


def full_like(input: Any, fill_value: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """One value, in the shape and dtype of `input`."""
    return full(tuple(input.shape), fill_value, dtype=dtype or input.dtype, requires_grad=requires_grad)


def manual_seed(seed: int) -> None:
    """Set the seed of all random functions."""
    random.set_seed(seed)


class device(str):  # noqa: N801
    """A device's name, which is taken and not looked at: where arrays live is JAX's business."""

    __slots__ = ()

    def __new__(cls, type: Any = "cpu", index: int | None = None) -> Self:
        """The name, with a number if there is one."""
        return super().__new__(cls, type if index is None else f"{type}:{index}")

    @property
    def type(self) -> str:
        """The kind of device."""
        return self.partition(":")[0]

    @property
    def index(self) -> int | None:  # type: ignore[override]
        """Its number."""
        number = self.partition(":")[2]
        return int(number) if number else None

    def __repr__(self) -> str:
        number = "" if self.index is None else f", index={self.index}"
        return f"device(type={self.type!r}{number})"


strided = "torch.strided"
contiguous_format = channels_last = preserve_format = "torch.contiguous_format"


def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


# ---------------------------------------------------------------------- operators

# PyTorch's name -> (the operator, PyTorch's names of its parameters in order, with `=` where they have a default)
_PLAIN = """mul exp log log2 log10 log1p expm1 sqrt rsqrt square reciprocal sign neg sin cos tan asin acos
atan sinh cosh tanh asinh acosh atanh erf erfinv floor ceil round trunc sigmoid relu maximum minimum pow remainder fmod
floor_divide matmul bmm mm dot outer eq ne lt le gt ge logical_and logical_or logical_not logical_xor isnan isinf
isfinite real imag conj lerp atan2 softplus""".split()


_PAIRS = {"mul", "pow", "maximum", "minimum", "remainder", "fmod", "floor_divide", "lerp", "atan2"}
_PRODUCTS = {"matmul", "bmm", "mm", "dot", "outer"}


def matched(a: Any, b: Any) -> tuple[Any, Any]:
    """A tensor without dimensions does not decide the dtype beside one of its kind, or of a wider one, that has some."""
    if isinstance(a, Tensor) and isinstance(b, Tensor) and a.dtype != b.dtype:
        if a.ndim == 0 < b.ndim and _rank(a) <= _rank(b):
            return ops.cast(a, b.dtype), b
        if b.ndim == 0 < a.ndim and _rank(b) <= _rank(a):
            return a, ops.cast(b, a.dtype)
    return a, b


def _rank(x: Any) -> int:
    return "biufc".index(np.dtype(x.dtype.np).kind) if x.dtype != dtypes.bfloat16 else 3


def alike(a: Any, b: Any) -> None:
    """Refuse factors of a product of matrices that have different dtypes."""
    if isinstance(a, Tensor) and isinstance(b, Tensor) and a.dtype != b.dtype:
        raise RuntimeError(f"expected both factors to have the same dtype, but got: {a.dtype} != {b.dtype}")


def _delegating(name: str) -> Callable:
    operator = getattr(ops, name)

    def call(input: Any, *others: Any, **named: Any) -> Any:
        if others and name in _PAIRS:
            input, other = matched(input, others[0])
            others = (other, *others[1:])
        elif others and name in _PRODUCTS:
            alike(input, others[0])
        return dialect(operator(input, *others, **named))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = operator.__doc__
    return _writing(call)


def _writing(call: Callable) -> Callable:
    """A function that puts its result into a tensor that is given as `out`."""

    @functools.wraps(call)
    def function(*args: Any, out: Any = None, **named: Any) -> Any:
        result = call(*args, **named)
        if out is None:
            return result
        if result.requires_grad or out.requires_grad:
            raise RuntimeError(
                f"{call.__name__}(): functions with out=... arguments don't support automatic differentiation, "
                "but one of the arguments requires grad."
            )
        if result.is_floating_point() and not (out.is_floating_point() or out.is_complex()):
            raise RuntimeError(
                f"result type {result.dtype} can't be cast to the desired output type {out.dtype}"
            )
        if out.shape != result.shape:
            raise RuntimeError(
                f"`{call.__name__}`: argument `out` must have shape {result.shape}. Received: {out.shape}."
            )
        return out.copy_(result)

    return function


globals().update({name: _delegating(name) for name in _PLAIN if hasattr(ops, name)})


def abs(input: Any) -> Any:
    """Absolute values; of complex numbers, real moduli."""
    return dialect(ops.real(ops.abs(input)) if input.is_complex() else ops.abs(input))


@_writing
def add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """input + alpha * other."""
    return dialect(ops.add(*matched(input, other if alpha == 1 else ops.mul(other, alpha))))


@_writing
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """input - alpha * other."""
    if _is_bool(input) and _is_bool(other):
        raise RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported.")
    return dialect(ops.sub(*matched(input, other if alpha == 1 else ops.mul(other, alpha))))


@_writing
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """The quotient."""
    input, other = matched(input, other)
    return dialect(ops.div(input, other, rounding_mode=rounding_mode))


def _is_bool(x: Any) -> bool:
    return isinstance(x, Tensor) and x.dtype == dtypes.bool_


def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """Elements of `input` where the condition holds, and of `other` elsewhere; without them, where it holds."""
    if input is None:
        return tuple(dialect(part) for part in ops.nonzero(condition, as_tuple=True))
    input, other = matched(input, other)
    return dialect(ops.where(condition, input, other))


def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """Values limited to [min, max]."""
    return dialect(ops.clamp(input, min, max))


def complex(real: Any, imag: Any) -> Any:
    """Complex numbers of their parts."""
    return dialect(ops.add(real, ops.mul(imag, tensor(1j))))


def _reducing(operator: Callable, name: str) -> Callable:
    def reduce(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
        if dtype is not None:
            input = ops.cast(input, dtype)
        return dialect(operator(input, dim, keepdim))

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = operator.__doc__
    return reduce


def _inexact(x: Any) -> Any:
    if not (x.is_floating_point() or x.is_complex()):
        raise RuntimeError(
            f"`mean`: the tensor must be of a floating or complex dtype. Received: dtype={x.dtype}. Cast it, or give dtype."
        )
    return x


sum = _reducing(lambda x, d, k: ops.sum(x, d, k), "sum")
mean = _reducing(lambda x, d, k: ops.mean(_inexact(x), d, k), "mean")
prod = _reducing(lambda x, d, k: ops.prod(x, d, k), "prod")
all = _reducing(lambda x, d, k: ops.all(x, d, k), "all")
any = _reducing(lambda x, d, k: ops.any(x, d, k), "any")
amax = _reducing(lambda x, d, k: ops.amax(x, d, k), "amax")
amin = _reducing(lambda x, d, k: ops.amin(x, d, k), "amin")
argmax = _reducing(lambda x, d, k: ops.argmax(x, d, k), "argmax")
argmin = _reducing(lambda x, d, k: ops.argmin(x, d, k), "argmin")


def std(
    input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: int = 1
) -> Any:
    """The standard deviation; `unbiased` says whether `correction` is 1 or 0."""
    return dialect(ops.std(input, *_spread(dim, unbiased, correction), keepdim))


def var(
    input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: int = 1
) -> Any:
    """The variance; `unbiased` says whether `correction` is 1 or 0."""
    return dialect(ops.var(input, *_spread(dim, unbiased, correction), keepdim))


def _spread(dim: Any, unbiased: Any, correction: int) -> tuple[Any, int]:
    if isinstance(dim, bool):  # std(input, unbiased)
        dim, unbiased = None, dim
    return dim, correction if unbiased is None else int(unbiased)


def norm(input: Any, p: Any = 2, dim: Any = None, keepdim: bool = False) -> Any:
    """The p-norm of the elements."""
    p = 2 if p == "fro" else p
    if p == "nuc":
        return dialect(ops.norm(input, ord="nuc", dim=dim, keepdim=keepdim))
    if p == 2:
        return dialect(ops.sqrt(ops.sum(ops.square(ops.abs(input)), dim, keepdim)))
    if p == float("inf"):
        return dialect(ops.amax(ops.abs(input), dim, keepdim))
    return dialect(ops.pow(ops.sum(ops.pow(ops.abs(input), p), dim, keepdim), 1.0 / p))


def max(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The largest element; with `dim`, (values, indices); with a second tensor, the larger of the two."""
    return _extremum(ops.max, ops.maximum, input, dim, keepdim)


def min(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest element; with `dim`, (values, indices); with a second tensor, the smaller of the two."""
    return _extremum(ops.min, ops.minimum, input, dim, keepdim)


def _extremum(reduce: Callable, pairwise: Callable, input: Any, dim: Any, keepdim: bool) -> Any:
    if isinstance(dim, Tensor):
        return dialect(pairwise(input, dim))
    if dim is None:
        return dialect(reduce(input)[0] if isinstance(reduce(input), tuple) else reduce(input))
    return Extremes(*dialect(reduce(input, dim, keepdim)))


class Extremes(NamedTuple):
    """The largest or smallest elements along a dimension, and where they are."""

    values: Any
    indices: Any


def softmax(input: Any, dim: int) -> Any:
    """exp(x) over its sum along `dim`."""
    return dialect(ops.softmax(input, dim))


def log_softmax(input: Any, dim: int) -> Any:
    """The logarithm of :func:`softmax`."""
    return dialect(ops.log_softmax(input, dim))


# ---------------------------------------------------------------------- shapes


def reshape(input: Any, *shape: Any) -> Any:
    """A view of another shape."""
    return dialect(ops.reshape(input, _shape(shape)))


def transpose(input: Any, dim0: int, dim1: int) -> Any:
    """A view with two dimensions exchanged."""
    return dialect(ops.swapaxes(input, dim0, dim1))


def permute(input: Any, *dims: Any) -> Any:
    """A view with the dimensions in another order."""
    return dialect(ops.transpose(input, _shape(dims)))


def t(input: Any) -> Any:
    """The transpose of a matrix."""
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return dialect(ops.t(input))


def squeeze(input: Any, dim: Any = None) -> Any:
    """A view without dimensions of size one."""
    if isinstance(dim, int) and input.shape[dim] != 1:
        return dialect(ops.reshape(input, tuple(input.shape)))
    return dialect(ops.squeeze(input, dim))


def unsqueeze(input: Any, dim: int) -> Any:
    """A view with a new dimension of size one."""
    return dialect(ops.expand_dims(input, dim))


def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """A view with several dimensions made one."""
    return dialect(ops.flatten(input, start_dim=start_dim, end_dim=end_dim))


def flip(input: Any, *dims: Any) -> Any:
    """The elements in reverse order along dimensions."""
    return dialect(ops.flip(input, _shape(dims)))


def expand(input: Any, *sizes: Any) -> Any:
    """A view that repeats dimensions of size one."""
    return dialect(ops.broadcast_to(input, _shape(sizes)))


def cat(tensors: Sequence[Any], dim: int = 0) -> Any:
    """Tensors joined along a dimension."""
    return dialect(ops.concat(list(tensors), dim))


def stack(tensors: Sequence[Any], dim: int = 0) -> Any:
    """Tensors joined along a new dimension."""
    return dialect(ops.stack(list(tensors), dim))


def split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Views of parts along a dimension."""
    return dialect(ops.split(tensor, split_size_or_sections, dim))


def chunk(input: Any, chunks: int, dim: int = 0) -> Any:
    """Views of equal parts along a dimension."""
    return dialect(ops.chunk(input, chunks, dim))


def unbind(input: Any, dim: int = 0) -> Any:
    """Views of the slices along a dimension."""
    return dialect(ops.unbind(input, dim))


def allclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements agree up to rounding."""
    return bool(np.allclose(input.asnumpy(), other.asnumpy(), rtol, atol, equal_nan))


def equal(input: Any, other: Any) -> bool:
    """Whether two tensors have the same shape and elements."""
    return bool(np.array_equal(input.asnumpy(), other.asnumpy()))


def numel(input: Any) -> int:
    """The number of elements."""
    return input.numel()


def clone(input: Any) -> Any:
    """A copy that the gradient passes."""
    return dialect(ops.mul(input, 1) if node_of(resolve(input)) is not None else wrap(resolve(input)._value))


def detach(input: Any) -> Any:
    """The same values off the tape, sharing memory."""
    return input.detach()


def _raising(function: Callable) -> Callable:
    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        return speaking(function, *args, **named)

    return call


_OWN = [
    (name, value)
    for name, value in list(globals().items())
    if not name.startswith("_")
    and getattr(value, "__module__", "") == __name__
    and callable(value)
    and not isinstance(value, type)
]
globals().update({name: _raising(value) for name, value in _OWN})
