"""In-place Tensor methods: random filling (`normal_`, `uniform_` ...), resizing, `apply_`; and storage queries."""

import functools
import math
from collections.abc import Callable
from typing import Any, NoReturn

import jax.numpy as jnp
import numpy as np

from msjax import ops
from msjax.core import dtype as dtypes
from msjax.core.state import state
from msjax.core.tensor.box import is_lens_view
from msjax.core.tensor.tensor import node_of, resolve, twin, wrap
from msjax.ops.tensor_methods import storage
from msjax.torch.functions import basic, composed, indexing_scatter
from msjax.torch.tensors import creation
from msjax.torch.tensors import dtypes as kinds
from msjax.torch.tensors.call_conventions import drawing_from, replace_value
from msjax.torch.tensors.tensor import Size, Tensor, as_torch, is_meta

# ---------------------------------------------------------------------- random numbers


def _refuse_sharing(self: Tensor) -> NoReturn:
    """Raises NotImplementedError: processes share no memory."""
    raise NotImplementedError(
        "`Tensor.share_memory_`: processes share no memory in msjax.torch, as JAX's arrays do not change; each process has "
        "a copy. Send tensors through a queue."
    )


def _open_uniform(self: Tensor) -> Any:
    """Uniform numbers, inside of (0, 1)."""
    drawn = basic.rand(*self.shape, dtype=dtypes.float32)
    return basic.clamp(drawn, 2.0**-25, 1 - 2.0**-24)


def _define_fill(draw: Callable) -> Callable:
    def fill(self: Tensor, *args: Any, generator: Any = None, **named: Any) -> Tensor:
        if draw in _OF_FLOATS and not (self.is_floating_point() or self.is_complex()):
            kind = RuntimeError if draw in (exponential, cauchy) else NotImplementedError
            raise kind(f"\"{draw.__name__}_\" not implemented for '{kinds.scalar_type(self.dtype)}'")
        with drawing_from(generator):
            drawn = draw(self, *args, **named)
        return replace_value(self, basic.as_tensor(drawn).to(self.dtype))

    fill.__name__ = f"{draw.__name__}_"
    fill.__doc__ = draw.__doc__
    return fill


def normal(self: Tensor, mean: float = 0.0, std: float = 1.0) -> Any:
    """Fill with normal numbers."""
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    return basic.randn(*self.shape, dtype=_drawn_dtype(self)) * std + mean


def _drawn_dtype(self: Tensor) -> Any:
    return self.dtype if self.is_complex() else dtypes.float32


def uniform(self: Tensor, from_: float = 0.0, to: float = 1.0, **named: float) -> Any:
    """Fill with numbers between `from` and `to`."""
    low = named.get("from", from_)
    if low > to:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={to:g}"
        )
    drawn = basic.rand(*self.shape, dtype=_drawn_dtype(self)) * (to - low)
    return drawn + (complex(low, low) if self.is_complex() else low)


def bernoulli(self: Tensor, p: Any = 0.5) -> Any:
    """Fill with ones of probability `p`, and zeros."""
    return basic.rand(*self.shape) < p


def exponential(self: Tensor, lambd: float = 1.0) -> Any:
    """Fill with exponentially distributed numbers."""
    if lambd <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    return -ops.log(_open_uniform(self)) / lambd


def log_normal(self: Tensor, mean: float = 1.0, std: float = 2.0) -> Any:
    """Fill with numbers whose logarithms are normal."""
    return ops.exp(basic.randn(*self.shape) * std + mean)


def cauchy(self: Tensor, median: float = 0.0, sigma: float = 1.0) -> Any:
    """Fill with numbers of the Cauchy distribution."""
    return ops.tan((_open_uniform(self) - 0.5) * math.pi) * sigma + median


def geometric(self: Tensor, p: float) -> Any:
    """Fill with the number of trials until the first success."""
    return ops.clamp(ops.ceil(ops.log(_open_uniform(self)) / math.log1p(-p)), 1)


def random(self: Tensor, from_: int = 0, to: int | None = None) -> Any:
    """Fill with whole numbers from `from` to before `to`; with one number, from 0 to before it."""
    if to is None:
        if self.dtype == dtypes.bool_:
            usual = 2
        else:
            usual = (
                2**24 if self.dtype.is_floating_point else min(2**31 - 1, int(np.iinfo(self.dtype.np).max))
            )
        from_, to = (0, from_) if from_ else (0, usual)
    return ops.floor(basic.rand(*self.shape, dtype=dtypes.float64) * (to - from_)) + from_


_OF_FLOATS = (normal, uniform, exponential, log_normal, cauchy)
_DRAWS = (normal, uniform, bernoulli, exponential, log_normal, cauchy, geometric, random)


# ---------------------------------------------------------------------- shapes, in place


def _define_reshape(name: str) -> Callable:
    def in_place(self: Tensor, *args: Any, **named: Any) -> Tensor:
        here = resolve(self)
        function = getattr(basic, name, None) or getattr(composed, name)
        if here._view is not None:
            return _turn_view(name, function, self, args, named)
        result = resolve(function(as_torch(basic.clone(self)), *args, **named))
        self._assign(result._value, node_of(result))
        return self

    in_place.__name__ = f"{name}_"
    in_place.__doc__ = f"`{name}` in place."
    return in_place


def _turn_view(name: str, function: Callable, view: Tensor, args: tuple, named: dict[str, Any]) -> Tensor:
    """Make a view show the memory behind it in another shape: the view that it was stands between them."""
    if state.frame is not None or not is_lens_view(view):
        raise NotImplementedError(
            f"`{name}_`: a view cannot change its shape in a compiled function in msjax.torch."
        )
    before = twin(view)
    before._view = view._view
    after = resolve(function(as_torch(before), *args, **named))
    view._raw, view._view = after._raw, after._view
    view._node = node_of(after)
    view._version += 1
    return view


def resize_(self: Tensor, *size: Any) -> Tensor:
    """Resize in place: the elements in another shape; new ones are zeros.

    Raises:
        RuntimeError: if the tensor requires grad.
        NotImplementedError: for a view, which would need the memory behind it.
    """
    if self.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    if resolve(self)._view is not None:
        raise NotImplementedError(
            "`resize_`: a view cannot change its size in place in msjax.torch. Use .clone() before."
        )
    shape = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    flat = resolve(self)._value.reshape(-1)
    more = max(0, math.prod(shape) - flat.size)
    self._assign(jnp.pad(flat, (0, more))[: math.prod(shape)].reshape(shape), None)
    return self


def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Fill the main diagonal with a value."""
    each = np.arange(min(self.shape))
    self[(basic.tensor(each),) * self.ndim] = fill_value
    return self


def put_(self: Tensor, index: Any, source: Any, accumulate: bool = False) -> Tensor:
    """Replace elements by their numbers in one dimension, or add to them."""
    return replace_value(self, indexing_scatter.put(self, index, source, accumulate))


def resize_as_(self: Tensor, tensor: Tensor) -> Tensor:
    """Resize in place to the shape of another tensor; new elements are zeros."""
    return resize_(self, tuple(tensor.shape))


def map_(self: Tensor, tensor: Tensor, callable: Callable) -> Tensor:
    """Return a Python function of each element and another tensor's, in place."""
    pairs = zip(self.tolist(), basic.expand(tensor, *self.shape).tolist(), strict=True)  # type: ignore[attr-defined]
    return replace_value(self, basic.tensor([callable(a, b) for a, b in pairs], dtype=self.dtype))


def apply_(self: Tensor, callable: Callable) -> Tensor:
    """Return a Python function of each element, in place."""
    values = np.asarray(self.detach().numpy())
    new = np.array([callable(v) for v in values.reshape(-1).tolist()], values.dtype)
    return replace_value(self, wrap(jnp.asarray(new.reshape(values.shape))))


# ---------------------------------------------------------------------- where and how

_FALSE = """is_cuda is_sparse is_quantized is_mps is_xpu is_xla is_mkldnn is_nested is_ipu is_vulkan
is_sparse_csr""".split()


def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Return the name of the tensor's class, or the tensor in another dtype."""
    kind = kinds.scalar_type(self.dtype)
    if dtype is None:
        return f"torch.{kind}Tensor"
    if isinstance(dtype, str):
        name = dtype.rpartition(".")[2].removesuffix("Tensor")
        dtype = dtypes.of(
            np.dtype(next(np_name for np_name, each in kinds.SCALAR_TYPES.items() if each == name))
        )
    return self.to(getattr(dtype, "kind", dtype))


def data_ptr(self: Tensor) -> int:
    """Return the address of the first element; of a view, that in the memory that it shows a part of."""
    return 0 if is_meta(self) else storage.data_ptr(self)


class _Legacy(type):
    """The type of `FloatTensor` and its like: their instances are the tensors of a dtype."""

    kind: Any

    def __call__(cls, *args: Any, **where: Any) -> Tensor:
        """Return a tensor of sizes, or of data."""
        if len(args) == 1 and not isinstance(args[0], int | Size):
            return basic.tensor(args[0], dtype=cls.kind)
        return basic.zeros(*args, dtype=cls.kind) if args else basic.zeros(0, dtype=cls.kind)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype == cls.kind


@functools.cache
def make_legacy_constructor(name: str) -> Any:
    """Return a constructor such as `FloatTensor`: of sizes, or of data.

    Args:
        name: "Float", "Long", ...

    Returns:
        The class.

    Examples:
        >>> from msjax import torch
        >>> torch.LongTensor([1, 2]), torch.FloatTensor(2).shape, isinstance(torch.ones(1), torch.FloatTensor)
        (tensor([1, 2]), torch.Size([2]), True)
    """
    np_name = next(np_name for np_name, each in kinds.SCALAR_TYPES.items() if each == name)
    kind = dtypes.of(jnp.dtype(np_name))
    return _Legacy(f"{name}Tensor", (), {"kind": kind, "__module__": "torch"})


LEGACY = [f"{kind}Tensor" for kind in kinds.SCALAR_TYPES.values() if not kind.startswith("Complex")]


def install() -> None:
    """Attach these methods to Tensor."""
    for draw in _DRAWS:
        setattr(Tensor, f"{draw.__name__}_", _define_fill(draw))
    for name in ("t", "transpose", "squeeze", "unsqueeze", "as_strided"):
        setattr(Tensor, f"{name}_", _define_reshape(name))
    Tensor.swapaxes_ = Tensor.swapdims_ = Tensor.transpose_  # type: ignore[attr-defined]
    for function in (resize_, resize_as_, fill_diagonal_, put_, apply_, map_):
        setattr(Tensor, function.__name__, function)
    for name in _FALSE:
        setattr(Tensor, name, False)
    words: dict[str, Any] = {
        "data_ptr": data_ptr,
        "type": type_,
        "device": property(lambda self: creation.device("meta" if is_meta(self) else "cpu")),
        "is_cpu": property(lambda self: not is_meta(self)),
        "is_meta": property(is_meta),
        "layout": creation.strided,
        "get_device": lambda self: -1,
        "cuda": lambda self, *args, **named: self.to("cuda"),
        "pin_memory": lambda self, *args: self,
        "share_memory_": _refuse_sharing,
        "is_inference": lambda self: False,
        "is_conj": lambda self: False,
        "is_neg": lambda self: False,
        "new_empty_strided": lambda self, size, stride, **named: basic.zeros(
            *size, **{"dtype": self.dtype, "device": self.device, **named}
        ),
        "dim_order": lambda self: tuple(range(self.ndim)),
        "is_set_to": lambda self, tensor: resolve(self) is resolve(tensor),
        "resolve_conj": lambda self: self,
        "resolve_neg": lambda self: self,
        "mH": property(lambda self: basic.conj(self.mT)),
    }
    for name, value in words.items():
        setattr(Tensor, name, value)
