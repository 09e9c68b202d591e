"""Nested (jagged) tensors, `torch.nested`: batches of tensors of several lengths, as Transformers use them.

A nested tensor holds ordinary ones. What works part by part is computed so, and gradients reach the parts; other functions
refuse it: `unbind()` gives the parts, `to_padded_tensor(0.0)` one tensor.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Self

from msjax.torch import autograd
from msjax.torch.functions import basic
from msjax.torch.nn import functional as F
from msjax.torch.tensors.creation import as_tensor, jagged, strided, tensor
from msjax.torch.tensors.tensor import Size, Tensor
from msjax.torch.tensors.torch_function import DisableTorchFunctionSubclass

# Functions of each part: elementwise ones, and those of its last dimensions.
_EACH = set("""
    abs add bfloat16 bmm bool clamp clone contiguous cos cosh detach div double dropout elu embedding eq exp expm1
    float full_like ge gelu gt half hardswish int isnan layer_norm le leaky_relu linear log log1p logical_not long lt
    masked_fill matmul mish mul ne neg ones_like pow radd rand_like randn_like reciprocal relu relu6 rms_norm rmul
    rsqrt rsub rtruediv scaled_dot_product_attention selu sigmoid sign silu sin sinh softplus sqrt square sub tan tanh
    threshold to truediv type_as where zeros_like
""".split())  # fmt: skip
# Those with dimensions: which arguments, by place and by name, are dimensions.
_DIMS: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    **dict.fromkeys(("softmax", "log_softmax", "unsqueeze", "squeeze", "unflatten", "cat"), ((1,), ("dim",))),
    **dict.fromkeys(("sum", "mean", "amax", "amin", "prod"), ((1,), ("dim",))),
    **dict.fromkeys(("transpose", "swapaxes", "swapdims"), ((1, 2), ("dim0", "dim1"))),
    **dict.fromkeys(("chunk", "split"), ((2,), ("dim",))),
    "flatten": ((1, 2), ("start_dim", "end_dim")),
}
_REDUCTIONS = {"sum", "mean", "amax", "amin", "prod", "max", "min"}
_BROADCAST = {
    "add",
    "sub",
    "mul",
    "div",
    "truediv",
    "rsub",
    "radd",
    "rmul",
    "rtruediv",
    "matmul",
    "bmm",
    "masked_fill",
}
_numbers = itertools.count(1)


class Ragged(int):
    """The size of a dimension in which parts differ: no number, but `reshape` takes it."""

    name: str

    def __new__(cls) -> Self:
        """Return a size that differs from all others."""
        made = super().__new__(cls, -1)
        made.name = f"j{next(_numbers)}"
        return made

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__

    def _refuse(self, *others: Any) -> NoReturn:
        raise NotImplementedError(
            f"{self.name}, the size of a ragged dimension, is no number in msjax.torch."
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __index__ = _refuse  # type: ignore[assignment]


class NestedTensor(Tensor):
    """Tensor of parts that may differ in their sizes.

    Args:
        parts: ordinary tensors of one dtype and number of dimensions.
        layout: `torch.strided`, or `torch.jagged` for parts that differ in their first dimension alone.
        ragged: the size of the dimension in which they differ.
    """

    def __new__(cls, *args: Any, **named: Any) -> Self:
        """Make an object without elements of its own."""
        made = object.__new__(cls)
        made._home = made._view = made._node = None  # type: ignore[assignment]
        return made

    def __init__(self, parts: Sequence[Any], layout: Any = strided, ragged: Ragged | None = None) -> None:
        vars(self).update(parts=tuple(parts), layout=layout, ragged=ragged or Ragged())

    @classmethod
    def __torch_function__(cls, func: Callable, types: Any, args: tuple = (), kwargs: Any = None) -> Any:
        """Compute a function of the parts.

        Raises:
            NotImplementedError: for one that does not work part by part.
        """
        name = func.__name__.strip("_")
        if name not in _EACH and name not in _DIMS and name not in _REDUCTIONS:
            raise NotImplementedError(
                f"`{name}`: not there for nested tensors in msjax.torch. x.unbind() gives the parts, "
                "x.to_padded_tensor(0.0) one tensor."
            )
        with DisableTorchFunctionSubclass():
            return _call_on_parts(func, name, args, dict(kwargs or {}))

    @property
    def _raw(self) -> Any:  # type: ignore[override]
        raise NotImplementedError("this function is not there for nested tensors in msjax.torch.")

    is_nested = property(lambda self: True)
    dtype = property(lambda self: self.parts[0].dtype if self.parts else tensor([]).dtype)  # type: ignore[assignment]
    device = property(lambda self: self.parts[0].device)  # type: ignore[assignment]
    ndim = property(lambda self: self.dim())  # type: ignore[assignment]
    requires_grad = property(lambda self: any(p.requires_grad for p in self.parts))  # type: ignore[assignment]
    is_leaf = property(lambda self: all(p.is_leaf for p in self.parts))  # type: ignore[assignment]
    grad_fn = property(lambda self: next((p.grad_fn for p in self.parts if p.grad_fn), None))  # type: ignore[assignment]

    @property
    def grad(self) -> Any:  # type: ignore[override]
        """The gradients of the parts."""
        found = [part.grad for part in self.parts]
        return None if None in found else NestedTensor(found, self.layout, self.ragged)

    @property
    def shape(self) -> Any:  # type: ignore[override]
        """The sizes of a jagged tensor; of others dimensions have none."""
        if self.layout is strided:
            raise RuntimeError(
                "Internal error: NestedTensorImpl doesn't support sizes. Please file an issue."
            )
        return tuple.__new__(Size, self._sizes())

    def _sizes(self) -> list[int]:
        first = self.parts[0]
        same = [all(p.shape[d] == first.shape[d] for p in self.parts) for d in range(first.ndim)]
        kept = [size if equal else self.ragged for size, equal in zip(first.shape, same, strict=True)]
        if self.layout is jagged and all(same):
            kept[0] = self.ragged
        return [len(self.parts), *kept]

    def size(self, dim: int | None = None) -> Any:  # type: ignore[override]
        """Return one size, or of a jagged tensor all.

        Raises:
            RuntimeError: if parts differ there.
        """
        if dim is None:
            return self.shape
        found = self._sizes()[dim]
        if self.layout is strided and isinstance(found, Ragged):
            raise RuntimeError(f"Given dimension {dim} is irregular and does not have a size.")
        return found

    def dim(self) -> int:
        """Return the number of dimensions, that of the parts among them."""
        return 1 + (self.parts[0].ndim if self.parts else 0)

    def numel(self) -> int:
        """Return the number of elements."""
        return sum(part.numel() for part in self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Return True."""
        return True

    def is_floating_point(self) -> bool:
        """Return True if the elements are floating."""
        return self.parts[0].is_floating_point()

    def unbind(self, dim: int = 0) -> tuple[Any, ...]:
        """Return the parts."""
        if dim:
            raise RuntimeError(f"unbind(): only supported for dim=0 of nested tensors, got dim={dim}")
        return self.parts

    def __iter__(self) -> Any:
        return iter(self.parts)

    def __getitem__(self, key: Any) -> Any:
        first, *rest = key if isinstance(key, tuple) else (key,)
        if not isinstance(first, int):
            raise NotImplementedError("nested tensors are indexed by the number of a part in msjax.torch.")
        return self.parts[first][tuple(rest)] if rest else self.parts[first]

    def values(self) -> Any:
        """Return the elements of all parts: rows one below the other, of a strided tensor in one dimension."""
        return basic.cat(self.parts if self.layout is jagged else [p.reshape(-1) for p in self.parts])

    def offsets(self) -> Any:
        """Return where each part begins in `values()`, and where the last ends."""
        ends = itertools.accumulate((part.shape[0] for part in self.parts), initial=0)
        return tensor([*ends])

    def lengths(self) -> None:
        """Return None: no parts have rows that do not count."""

    def to_padded_tensor(self, padding: float, output_size: Any = None, out: Any = None) -> Any:
        """Return one tensor, with a number where parts are too short.

        Args:
            padding: the number.
            output_size: the shape; as large as the largest part if it is None.
            out: must be None.
        """
        if out is not None:
            raise NotImplementedError("`to_padded_tensor`: argument `out` must be None in msjax.torch.")
        sizes = [max(column) for column in zip(*(part.shape for part in self.parts), strict=True)]
        sizes = sizes if output_size is None else list(output_size[1:])
        short = [[s - n for n, s in zip(part.shape, sizes, strict=True)] for part in self.parts]
        if any(missing < 0 for row in short for missing in row):
            raise RuntimeError(
                "Value in output_size is less than NestedTensor padded size. Truncation is not supported."
            )
        edges = [[edge for missing in reversed(row) for edge in (0, missing)] for row in short]
        return basic.stack([F.pad(p, e, value=padding) for p, e in zip(self.parts, edges, strict=True)])

    def reshape(self, *sizes: Any) -> "NestedTensor":
        """Return the parts in another shape; the first size is their number, -1 that in which they differ."""
        shape = [*(sizes[0] if isinstance(sizes[0], tuple | list) else sizes)]
        if shape[0] not in (len(self.parts), -1):
            raise RuntimeError("reshape(): cannot change the number of parts of a nested tensor")
        inner = [-1 if isinstance(size, Ragged) else size for size in shape[1:]]
        return self._like([part.reshape(*inner) for part in self.parts])

    view = reshape

    def _like(self, parts: Sequence[Any]) -> "NestedTensor":
        return NestedTensor(parts, self.layout, self.ragged)

    def requires_grad_(self, requires_grad: bool = True) -> "NestedTensor":
        """Record what is computed with the parts, or not."""
        for part in self.parts:
            part.requires_grad_(requires_grad)
        return self

    def backward(self, gradient: Any = None, **named: Any) -> None:
        """Add gradients to the leaves; `gradient` is a nested tensor."""
        autograd.backward(list(self.parts), None if gradient is None else list(gradient.parts), **named)

    def cpu(self) -> "NestedTensor":
        """This tensor."""
        return self

    cuda = cpu

    def tolist(self) -> NoReturn:
        """Refuse.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(".tolist() is not supported for tensor subclasses, got NestedTensor")

    def __repr__(self) -> str:
        notes = ", requires_grad=True" if self.requires_grad and self.is_leaf else ""
        if self.layout is jagged:
            sizes = ", ".join(map(str, self._sizes()))
            return f"NestedTensor(size=({sizes}), offsets={self.offsets()}{notes}, contiguous=True)"
        lines = ",\n".join("  " + repr(part).replace("\n", "\n  ") for part in self.parts)
        return f"nested_tensor([\n{lines}\n]{notes})"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return object.__format__(self, spec)


def _call_on_parts(func: Callable, name: str, args: tuple, named: dict[str, Any]) -> Any:
    nested = next(x for x in _flat((*args, *named.values())) if isinstance(x, NestedTensor))
    ndim, given = nested.dim(), list(args)
    places, names = _DIMS.get(name, ((), ()))
    dims = []
    for holder, key in [
        *((given, p) for p in places if p < len(given)),
        *((named, n) for n in names if n in named),
    ]:
        holder[key] = inner = _inner_dim(name, holder[key], ndim + (name == "unsqueeze"))
        dims += inner if isinstance(inner, list) else [inner]
    if name == "flatten" and not dims:
        raise NotImplementedError("`flatten`: give the first dimension, from 1 on, for a nested tensor.")
    if name in _REDUCTIONS and None in (dims or [None]):
        return func(basic.cat([p.reshape(-1) for p in nested.parts]), *given[1:], **named)
    found = []
    for at in range(len(nested)):
        own = [_part(x, at, ndim, name, len(nested)) for x in given]
        found.append(func(*own, **{key: _part(x, at, ndim, name, len(nested)) for key, x in named.items()}))
    if name in _REDUCTIONS and nested.layout is jagged and any(d % (ndim - 1) == 0 for d in dims):
        return basic.stack(found)
    if isinstance(found[0], tuple | list):
        return tuple(nested._like(parts) for parts in zip(*found, strict=True))
    return nested._like(found)


def _flat(values: Any) -> Any:
    for value in values:
        yield from value if isinstance(value, tuple | list) else (value,)


def _inner_dim(name: str, dim: Any, ndim: int) -> Any:
    """Return the dimension of the parts for one of the whole."""
    if isinstance(dim, tuple | list):
        return [_inner_dim(name, each, ndim) for each in dim]
    if dim is None:
        return None
    if dim % ndim == 0:
        raise RuntimeError(f"{name}(): not supported for dimension 0 of nested tensors")
    return dim % ndim - 1


def _part(value: Any, at: int, ndim: int, name: str, count: int) -> Any:
    if isinstance(value, NestedTensor):
        if len(value) != count:
            raise RuntimeError(f"{name}: nested tensors of {count} and {len(value)} parts do not fit")
        return value.parts[at]
    if isinstance(value, tuple | list) and any(isinstance(each, NestedTensor) for each in value):
        return [_part(each, at, ndim, name, count) for each in value]
    if name in _BROADCAST and isinstance(value, Tensor) and value.ndim == ndim:
        return value[at if value.shape[0] > 1 else 0]
    return value


def nested_tensor(
    tensor_list: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> NestedTensor:  # fmt: skip
    """Return a nested tensor of copies.

    Args:
        tensor_list: tensors, or lists of numbers.
        dtype: of the parts; that of the first if it is None.
        layout: `torch.strided` or `torch.jagged`.
        device: a name.
        requires_grad: whether the result is a leaf whose gradient is asked for.
        pin_memory: without effect.

    Raises:
        TypeError: for something else than a list.
        RuntimeError: if parts do not fit together.

    Examples:
        >>> from msjax import torch
        >>> x = torch.nested.nested_tensor([torch.ones(2), torch.ones(1)])
        >>> x.to_padded_tensor(0.0)
        tensor([[1., 1.],
                [1., 0.]])
    """
    if not isinstance(tensor_list, list):
        raise TypeError("Only lists (List[Tensor] and List[List...[Scalar]]) are accepted in nested_tensor")
    parts = [x.detach().clone() if isinstance(x, Tensor) else tensor(x) for x in tensor_list]
    made = _build(parts, dtype, layout)
    return made.requires_grad_() if requires_grad else made


def as_nested_tensor(ts: Any, dtype: Any = None, device: Any = None, layout: Any = None) -> NestedTensor:
    """Return a nested tensor of tensors, or of the rows of one; gradients reach them."""
    if isinstance(ts, NestedTensor):
        return ts
    if not isinstance(ts, Tensor | list | tuple):
        raise TypeError(
            "as_nested_tensor(): Expected first argument to be a tensor or a list / tuple of tensors"
        )
    return _build(
        [as_tensor(each) for each in (ts.unbind(0) if isinstance(ts, Tensor) else ts)], dtype, layout
    )  # type: ignore[attr-defined]


def _build(parts: list[Any], dtype: Any, layout: Any) -> NestedTensor:
    layout = strided if layout is None else layout
    if layout is jagged and not parts:
        raise RuntimeError("Cannot construct a nested tensor from an empty tensor list")
    odd = next((at for at, part in enumerate(parts) if part.ndim != parts[0].ndim), None)
    if odd is not None and layout is jagged:
        raise RuntimeError("When constructing a nested tensor, all tensors in list must have the same dim")
    if odd is not None:
        raise RuntimeError(
            "All Tensors given to nested_tensor must have the same dimension. Found dimension "
            f"{parts[odd].ndim} for Tensor at index {odd} and dimension {parts[0].ndim} for Tensor at index 0."
        )
    if layout is jagged and dtype is None and any(part.dtype != parts[0].dtype for part in parts):
        raise RuntimeError("When constructing a nested tensor, all tensors in list must have the same dtype")
    if layout is jagged and any(part.shape[1:] != parts[0].shape[1:] for part in parts):
        raise NotImplementedError(
            "nested tensors of the layout jagged differ in dimension 1 alone in msjax.torch."
        )
    kind = dtype or (parts[0].dtype if parts else None)
    return NestedTensor([part.to(kind) for part in parts], layout)


def to_padded_tensor(input: NestedTensor, padding: float, output_size: Any = None, out: Any = None) -> Any:
    """Return one tensor, with a number where parts are too short: :meth:`NestedTensor.to_padded_tensor`."""
    return input.to_padded_tensor(padding, output_size, out)


def nested_tensor_from_jagged(
    values: Any, offsets: Any = None, lengths: Any = None, jagged_dim: int | None = None, min_seqlen: int | None = None,
    max_seqlen: int | None = None,
) -> NestedTensor:  # fmt: skip
    """Return a jagged tensor of rows one below the other.

    Args:
        values: all rows.
        offsets: where each part begins, and where the last ends.
        lengths: rows of each part; those up to the next offset if it is None.
        jagged_dim: must be 1.
        min_seqlen: without effect.
        max_seqlen: without effect.

    Raises:
        RuntimeError: if there are neither offsets nor lengths.
    """
    if jagged_dim not in (None, 1):
        raise NotImplementedError(
            "`nested_tensor_from_jagged`: argument `jagged_dim` must be 1 in msjax.torch."
        )
    if offsets is None and lengths is None:
        raise RuntimeError("nested_tensor_from_jagged(): At least one of offsets or lengths is required.")
    counts = None if lengths is None else lengths.tolist()
    starts = [0, *itertools.accumulate(counts or [])] if offsets is None else offsets.tolist()
    counts = counts or [end - start for start, end in itertools.pairwise(starts)]
    return NestedTensor([values[start : start + n] for start, n in zip(starts, counts, strict=False)], jagged)


def narrow(tensor: Any, dim: int, start: Any, length: Any, layout: Any = strided) -> NestedTensor:
    """Return so many rows of each row of a tensor, from its own start on.

    Raises:
        RuntimeError: unless `dim` is 1.
    """
    if dim != 1:
        raise RuntimeError("narrow() is only supported for dim=1")
    rows = range(tensor.shape[0])
    begin, count = ([x] * len(rows) if isinstance(x, int) else x.tolist() for x in (start, length))
    return NestedTensor([tensor[at, begin[at] : begin[at] + count[at]] for at in rows], layout)


def masked_select(tensor: Any, mask: Any) -> NestedTensor:
    """Return the elements of each row of a tensor where a mask of its shape is True."""
    return NestedTensor(
        [row[chosen] for row, chosen in zip(tensor, mask.expand(tensor.shape), strict=True)], jagged
    )
