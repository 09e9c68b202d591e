"""`torch.sparse`: tensors of coordinates (COO) and of compressed rows (CSR), as graph networks use them.

A sparse tensor holds its places and a dense tensor of values; what is computed is computed with the values, so that
gradients reach them, and are dense. Other functions refuse it: `to_dense()` makes an ordinary tensor.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from msjax.core import dtype as dtypes
from msjax.torch.functions import basic, served_from_mint
from msjax.torch.tensors import tensor as tensors
from msjax.torch.tensors.call_conventions import Layout, wrap_dim
from msjax.torch.tensors.creation import as_tensor, tensor, zeros
from msjax.torch.tensors.tensor import Size, SparseOperand, Tensor
from msjax.torch.tensors.torch_function import handle_nothing

sparse_coo, sparse_csr = Layout("torch.sparse_coo"), Layout("torch.sparse_csr")


def _call(name: str, *args: Any, **named: Any) -> Any:
    return (getattr(basic, name, None) or served_from_mint.find_function(name))(*args, **named)


class SparseTensor(Tensor):
    """Sparse tensor: only some elements are stored.

    Args:
        places: of shape (dimensions, n), int64.
        values: the elements, of shape (n, ...).
        size: the shape.
        layout: `torch.sparse_coo` or `torch.sparse_csr`.
        coalesced: whether places are sorted and each is there once.
    """

    __torch_function__ = handle_nothing  # type: ignore[assignment]

    def __new__(cls, *args: Any, **named: Any) -> Self:
        """Make an object without elements of its own."""
        made = object.__new__(cls)
        made._home = made._view = made._node = None  # type: ignore[assignment]
        return made

    def __init__(
        self, places: Tensor, values: Tensor, size: Sequence[int], layout: str = sparse_coo, coalesced: bool = False
    ) -> None:  # fmt: skip
        vars(self).update(places=places, held=values, _size=Size(size), layout=layout, _coalesced=coalesced)

    @property
    def _raw(self) -> Any:  # type: ignore[override]
        raise SparseOperand(
            "this function is not there for sparse tensors in msjax.torch; x.to_dense() is an ordinary tensor."
        )

    is_sparse = property(lambda self: self.layout == sparse_coo)
    is_sparse_csr = property(lambda self: self.layout == sparse_csr)
    dtype = property(lambda self: self.held.dtype)  # type: ignore[assignment]
    shape = property(lambda self: self._size)  # type: ignore[assignment]
    ndim = property(lambda self: len(self._size))  # type: ignore[assignment]
    device = property(lambda self: self.held.device)  # type: ignore[assignment]
    requires_grad = property(lambda self: self.held.requires_grad)  # type: ignore[assignment]
    is_leaf = property(lambda self: not self.held.requires_grad)  # type: ignore[assignment]
    T = property(lambda self: self.t())  # type: ignore[assignment]

    def size(self, dim: int | None = None) -> Any:  # type: ignore[override]
        """Return the shape, or one size."""
        return self._size if dim is None else self._size[dim]

    def dim(self) -> int:
        """Return the number of dimensions."""
        return len(self._size)

    def numel(self) -> int:
        """Return the number of elements, those that are not there too."""
        return self._size.numel()

    def __len__(self) -> int:
        return self._size[0]

    def is_floating_point(self) -> bool:
        """Return True if the elements are floating."""
        return self.held.is_floating_point()

    def _nnz(self) -> int:
        return self.held.shape[0]

    def sparse_dim(self) -> int:
        """Return the number of dimensions that places have."""
        return self.places.shape[0]

    def dense_dim(self) -> int:
        """Return the number of dimensions that values have."""
        return self.held.ndim - 1

    def is_coalesced(self) -> bool:
        """Return True if coordinates are sorted and unique."""
        return self._coalesced

    def _indices(self) -> Tensor:
        return self.places

    def _values(self) -> Tensor:
        return self.held

    def _need(self, what: str) -> None:
        if not self._coalesced:
            raise RuntimeError(f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() first")

    def indices(self) -> Tensor:
        """Return the places of a coalesced tensor, of shape (dimensions, n)."""
        if self.layout != sparse_coo:
            raise RuntimeError("indices expected sparse coordinate tensor layout but got SparseCsr")
        self._need("indices")
        return self.places

    def values(self) -> Tensor:
        """Return the elements of a coalesced tensor."""
        self._need("values")
        return self.held

    def crow_indices(self) -> Tensor:
        """Index of the first element of each row, then the number of elements."""
        self._rows()
        counts = np.bincount(self.places[0].numpy(), minlength=self._size[0])
        return tensor(np.concatenate([[0], np.cumsum(counts)]))

    def col_indices(self) -> Tensor:
        """Return the column of each element."""
        self._rows()
        return self.places[1]

    def _rows(self) -> None:
        if self.layout != sparse_csr:
            raise RuntimeError("crow_indices expected sparse row compressed tensor layout but got Sparse")

    def _like(self, values: Tensor, coalesced: bool | None = None) -> "SparseTensor":
        known = self._coalesced if coalesced is None else coalesced
        return SparseTensor(self.places, values, self._size, self.layout, known)

    def coalesce(self) -> "SparseTensor":
        """Return the same tensor with sorted places, those that are there several times added up."""
        if self._coalesced:
            return self
        places = self.places.numpy()
        sizes = self._size[: len(places)]
        flat = np.ravel_multi_index(tuple(places), sizes) if places.shape[1] else np.zeros(0, np.int64)
        found, back = np.unique(flat, return_inverse=True)
        values = zeros((len(found), *self.held.shape[1:]), dtype=self.dtype)
        values = values.index_add(0, tensor(back.astype(np.int64)), self.held)  # type: ignore[attr-defined]
        new = np.array(np.unravel_index(found, sizes), np.int64).reshape(len(places), -1)
        return SparseTensor(tensor(new), values, self._size, sparse_coo, True)

    def to_dense(self, dtype: Any = None, **others: Any) -> Tensor:
        """Return an ordinary tensor of the same elements."""
        dense = zeros(tuple(self._size), dtype=self.dtype)
        dense = dense.index_put(tuple(self.places), self.held, accumulate=True)  # type: ignore[attr-defined]
        return dense if dtype is None else dense.to(dtype)

    def to_sparse(self, *args: Any, **named: Any) -> "SparseTensor":
        """Return the same tensor by coordinates."""
        return SparseTensor(self.places, self.held, self._size, sparse_coo, self._coalesced)

    to_sparse_coo = to_sparse

    def to_sparse_csr(self, dense_dim: int | None = None) -> "SparseTensor":
        """Return the same matrix by compressed rows."""
        sorted_ = self.coalesce()
        return SparseTensor(sorted_.places, sorted_.held, self._size, sparse_csr, True)

    def to(self, *args: Any, **named: Any) -> "SparseTensor":
        """Return the values in another dtype; devices are JAX's business."""
        values = self.held.to(*args, **named)  # type: ignore[attr-defined]
        return self if values is self.held else self._like(values)

    def cpu(self) -> "SparseTensor":
        """This tensor."""
        return self

    cuda = cpu

    def detach(self) -> "SparseTensor":
        """Return the same values off the tape."""
        return self._like(self.held.detach())

    def requires_grad_(self, requires_grad: bool = True) -> "SparseTensor":
        """Refuse: gradients are those of the values.

        Raises:
            NotImplementedError: unless it records so already.
        """
        if requires_grad != self.requires_grad:
            raise NotImplementedError(
                "Gradients of sparse tensors are those of their values: make it of values that require grad."
            )
        return self

    def t(self) -> "SparseTensor":
        """Return the transposed matrix."""
        return self.transpose(0, 1)

    def transpose(self, dim0: int, dim1: int) -> "SparseTensor":
        """Return the tensor with two dimensions exchanged."""
        order = list(range(self.dim()))
        order[dim0], order[dim1] = order[dim1], order[dim0]
        count = self.sparse_dim()
        if any(n >= count for n in order[:count]):
            raise RuntimeError("transpose: dimensions of places and of values cannot be exchanged")
        size = [self._size[n] for n in order]
        return SparseTensor(self.places[order[:count]], self.held, size)

    def sum(self, dim: Any = None, dtype: Any = None) -> Tensor:
        """Return the sum, or sums over some dimensions as a sparse tensor."""
        return sum(self, dim, dtype)

    def index_select(self, dim: int, index: Any) -> "SparseTensor":
        """Rows, columns ... by their numbers."""
        chosen, places = as_tensor(index).numpy(), self.places.numpy()
        pairs = [(new, old) for new, each in enumerate(chosen) for old in np.flatnonzero(places[dim] == each)]
        kept = np.array([old for _, old in pairs], np.int64)
        moved = places[:, kept].copy()
        moved[dim] = [new for new, _ in pairs]
        size = list(self._size)
        size[dim] = len(chosen)
        return SparseTensor(tensor(moved), self.held[tensor(kept)], size)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, int | np.integer):
            row = self.index_select(0, [int(key) % self._size[0]])
            if row.sparse_dim() == 1:
                return row.held.sum(0)  # type: ignore[attr-defined]
            return SparseTensor(row.places[1:], row.held, self._size[1:])
        if isinstance(key, tuple) and key and isinstance(key[0], int):
            found = self[key[0]]
            return found[key[1:] if len(key) > 2 else key[1]] if len(key) > 1 else found
        return self._raw

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """Refuse.

        Raises:
            TypeError: always.
        """
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")

    def type(self, dtype: Any = None) -> Any:
        """Return the name of the type, or the tensor in another dtype."""
        return self.held.type().replace("torch.", "torch.sparse.") if dtype is None else self.to(dtype)  # type: ignore[attr-defined]

    def backward(self, *args: Any, **named: Any) -> None:
        """Refuse: a sparse tensor is no loss."""
        self._raw  # noqa: B018

    def __repr__(self) -> str:
        def text(name: str, part: Tensor) -> str:
            body = re.sub(r", dtype=torch\.\w+\)$", ")", repr(part.detach()))
            body = body if part.numel() else f"tensor([], size={tuple(part.shape)})"
            return f"{name}={body}".replace("\n", "\n" + " " * (len(name) + 8))

        notes = f"size={tuple(self._size)}, nnz={self._nnz()}"
        if self.dtype not in (dtypes.float32, dtypes.int64, dtypes.bool_):
            notes += f", dtype={self.dtype}"
        notes += f", layout={self.layout}" + ", requires_grad=True" * self.requires_grad
        rows = self.layout == sparse_csr
        places = (
            [("crow_indices", self.crow_indices()), ("col_indices", self.places[1])]
            if rows
            else [("indices", self.places)]
        )
        parts = [text(name, part) for name, part in [*places, ("values", self.held)]]
        return "tensor(" + ",\n       ".join([*parts, notes]) + ")"

    __str__ = __repr__


def _parts(x: SparseTensor) -> tuple[Tensor, Tensor, Tensor]:
    if x.sparse_dim() != 2 or x.held.ndim != 1:
        raise NotImplementedError("products of sparse tensors are those of matrices in msjax.torch.")
    return x.places[0], x.places[1], x.held


def mm(input: Any, mat2: Any, *, out: Any = None) -> Any:
    """Return the product of matrices, or of a matrix and a vector, one of them sparse; of two sparse ones it is sparse.

    Args:
        input: of shape (N, M).
        mat2: of shape (M, K) or (M,).
        out: must be None.

    Raises:
        RuntimeError: for shapes or dtypes that do not fit.
    """
    if input.shape[-1] != mat2.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({'x'.join(map(str, input.shape))} and "
            f"{'x'.join(map(str, mat2.shape))})"
        )
    if input.dtype != mat2.dtype:
        raise RuntimeError(
            f"expected both matrices to have the same dtype, but got {input.dtype} and {mat2.dtype}"
        )
    if not isinstance(input, SparseTensor):
        return mm(mat2.t(), input.t()).t() if input.ndim > 1 else mm(mat2.t(), input)
    rows, columns, values = _parts(input)
    if isinstance(mat2, SparseTensor):
        return mm(input, mat2.to_dense()).to_sparse()
    shape = (input.shape[0], *mat2.shape[1:])
    terms = mat2[columns] * (values[:, None] if mat2.ndim > 1 else values)
    return zeros(shape, dtype=values.dtype).index_add(0, rows, terms)  # type: ignore[attr-defined]


def addmm(input: Any, mat1: Any, mat2: Any, *, beta: float = 1, alpha: float = 1, out: Any = None) -> Any:
    """`beta * input + alpha * mat1 @ mat2` with a sparse `mat1`."""
    return beta * input + alpha * mm(mat1, mat2)


def sum(input: Any, dim: Any = None, dtype: Any = None) -> Any:
    """Return the sum, or sums over some dimensions as a sparse tensor."""
    values = input.held if dtype is None else input.held.to(dtype)
    if dim is None:
        return values.sum()
    dims = {wrap_dim(d, input.dim()) for d in (dim if isinstance(dim, tuple | list) else [dim])}
    count = input.sparse_dim()
    left = [d for d in range(input.dim()) if d not in dims]
    values = values.sum(tuple(d - count + 1 for d in dims if d >= count)) if max(dims) >= count else values
    kept = [d for d in left if d < count]
    if not kept:
        return values.sum(0)
    size = [input.shape[d] for d in left]
    return SparseTensor(input.places[kept], values, size).coalesce()


def softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """Softmax over the elements that are there."""
    return _normalize(input, dim, dtype, log=False)


def log_softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """Logarithm of softmax over the elements that are there."""
    return _normalize(input, dim, dtype, log=True)


def _normalize(input: SparseTensor, dim: int, dtype: Any, log: bool) -> SparseTensor:
    x = input.coalesce()
    values = x.held if dtype is None else x.held.to(dtype)
    others = np.delete(x.places.numpy(), wrap_dim(dim, x.dim()), 0)
    _, group = np.unique(others, axis=1, return_inverse=True)
    group = tensor(group.reshape(-1).astype(np.int64))
    count = int(group.max()) + 1 if len(values) else 0
    most = basic.full((count,), float("-inf"), dtype=values.dtype).scatter_reduce(
        0, group, values.detach(), "amax"
    )
    shifted = values - most[group]
    total = zeros(count, dtype=values.dtype).index_add(0, group, shifted.exp())[group]
    return x._like(shifted - total.log() if log else shifted.exp() / total)


def _elementwise(name: str) -> Callable:
    def call(input: Any, *args: Any, **named: Any) -> Any:
        x = input.coalesce()
        return x._like(_call(name, x.held, *args, **named))

    return call


def _add(input: Any, other: Any, *, alpha: float = 1) -> Any:
    a, b = isinstance(input, SparseTensor), isinstance(other, SparseTensor)
    if a and not b:
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if not a:
        kind = _call("promote_types", input.dtype, other.dtype)
        return input.to(kind).index_put(tuple(other.places), alpha * other.held.to(kind), accumulate=True)
    if input.shape != other.shape:
        raise RuntimeError(
            f"add: expected sizes of 'self' and 'other' to match, but {input.shape} != {other.shape}"
        )
    places = _call("cat", [input.places, other.places], 1)
    return SparseTensor(places, _call("cat", [input.held, alpha * other.held]), input.shape).coalesce()


def _sub(input: Any, other: Any, *, alpha: float = 1) -> Any:
    return _add(input, other, alpha=-alpha)


def _mul(input: Any, other: Any) -> Any:
    if not isinstance(input, SparseTensor):
        input, other = other, input
    if not isinstance(other, Tensor) or other.ndim == 0:
        return input._like(input.held * other)
    if isinstance(other, SparseTensor):
        other = other.to_dense()
        input = input.coalesce()
    whole = other.expand(tuple(input.shape))  # type: ignore[attr-defined]
    return input._like(input.held * whole[tuple(input.places)])


def _div(input: Any, other: Any, *, rounding_mode: Any = None) -> Any:
    if not isinstance(input, SparseTensor) or (isinstance(other, Tensor) and other.ndim):
        raise RuntimeError("Sparse division requires a scalar or zero-dim dense tensor divisor")
    return input._like(_call("div", input.held, other, rounding_mode=rounding_mode))


def _cat(tensors: Any, dim: int = 0) -> Any:
    if not all(isinstance(each, SparseTensor) for each in tensors):
        raise RuntimeError("Concatenating sparse tensors, but a dense tensor was found")
    places, at = [], 0
    for each in tensors:
        moved = each.places.clone()
        moved[dim] = moved[dim] + at
        places.append(moved)
        at += each.shape[dim]
    size = list(tensors[0].shape)
    size[dim] = at
    return SparseTensor(_call("cat", places, 1), _call("cat", [each.held for each in tensors]), size)


def _clone(input: Any, **named: Any) -> Any:
    return input._like(input.held.clone())


def _neg(input: Any) -> Any:
    return input._like(-input.held)


def _reflect(call: Callable) -> Callable:
    return lambda self, other: call(other, self)


_METHODS: dict[str, Callable] = {
    "mm": mm, "matmul": mm, "mv": mm, "spmm": mm, "dsmm": mm, "addmm": addmm, "add": _add, "sub": _sub, "mul": _mul,
    "div": _div, "true_divide": _div, "multiply": _mul, "subtract": _sub, "cat": _cat, "concat": _cat, "clone": _clone,
    "neg": _neg, "sum": sum, "softmax": softmax, "log_softmax": log_softmax,
}  # fmt: skip
# Functions that leave zeros zeros.
for _name in "abs sqrt relu pow square sin tan asin atan sinh tanh expm1 log1p floor ceil round trunc sign sgn erf".split():
    _METHODS[_name] = _elementwise(_name)
for _name, _function in _METHODS.items():
    if _name not in ("cat", "concat", "dsmm", "spmm", "sum"):
        setattr(SparseTensor, _name, _function)
for _name, _function in {"add": _add, "sub": _sub, "mul": _mul, "truediv": _div, "matmul": mm}.items():
    setattr(SparseTensor, f"__{_name}__", _function)
    setattr(SparseTensor, f"__r{_name}__", _reflect(_function))
SparseTensor.__neg__, SparseTensor.__pow__ = _neg, _METHODS["pow"]  # type: ignore[method-assign]
for _name, _kind in {
    "float": dtypes.float32,
    "double": dtypes.float64,
    "half": dtypes.float16,
    "long": dtypes.int64,
}.items():
    setattr(SparseTensor, _name, lambda self, kind=_kind: self.to(kind))
tensors.SPARSE.update(_METHODS)


def sparse_coo_tensor(
    indices: Any = None, values: Any = None, size: Any = None, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, check_invariants: bool | None = None, is_coalesced: bool | None = None,
    pin_memory: bool = False,
) -> SparseTensor:  # fmt: skip
    """Return a sparse tensor of elements and their places; elements of one place add up.

    Args:
        indices: the places, of shape (dimensions, n).
        values: the elements, of shape (n, ...).
        size: the shape; as large as the places need if it is None.
        dtype: of the elements.
        device: of no effect.
        requires_grad: whether the values record.
        check_invariants: of no effect: places are checked.
        is_coalesced: whether places are sorted and each is there once.
        pin_memory: of no effect.

    Raises:
        RuntimeError: for places outside of the shape, or another number of them than of values.

    Examples:
        >>> from msjax import torch
        >>> x = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3))
        >>> x @ torch.ones(3, 1)
        tensor([[3.],
                [9.]])
    """
    if values is None:
        size, values = size if indices is None else indices, zeros(0, dtype=dtype)
        indices = zeros((len(size), 0), dtype=dtypes.int64)
    places = as_tensor(indices).to(dtypes.int64)  # type: ignore[attr-defined]
    values = as_tensor(values, dtype=dtype) if not isinstance(values, Tensor) else values
    values = values.to(dtype) if dtype is not None else values
    if requires_grad:
        values = values.detach().requires_grad_()
    numbers = places.numpy()
    if numbers.ndim != 2 or numbers.shape[1] != len(values):
        raise RuntimeError(
            f"number of dimensions must be sparse_dim ({len(numbers)}) and indices must have as many columns as there are "
            f"values, but got indices of shape {tuple(numbers.shape)} and values of shape {tuple(values.shape)}"
        )
    least = [int(n) + 1 for n in numbers.max(1)] if numbers.size else [0] * len(numbers)
    shape = [*least, *values.shape[1:]] if size is None else [int(n) for n in size]
    for dim, (need, have) in enumerate(zip(least, shape, strict=False)):
        if need > have or (numbers.size and numbers[dim].min() < 0):
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {dim}, size is {have} but found index {need - 1}"
            )
    return SparseTensor(places, values, shape, coalesced=bool(is_coalesced))


def sparse_csr_tensor(
    crow_indices: Any, col_indices: Any, values: Any, size: Any = None, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, check_invariants: bool | None = None, pin_memory: bool = False,
) -> SparseTensor:  # fmt: skip
    """Return a sparse matrix of compressed rows.

    Args:
        crow_indices: where each row begins, and the number of elements.
        col_indices: the column of each element.
        values: the elements.
        size: the shape; as large as the places need if it is None.
        dtype: of the elements.
        device: of no effect.
        requires_grad: whether the values record.
        check_invariants: of no effect.
        pin_memory: of no effect.
    """
    begins, columns = np.asarray(as_tensor(crow_indices).numpy()), np.asarray(as_tensor(col_indices).numpy())
    rows = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
    size = (len(begins) - 1, int(columns.max(initial=-1)) + 1) if size is None else size
    made = sparse_coo_tensor(
        np.stack([rows, columns]), values, size, dtype=dtype, requires_grad=requires_grad
    )
    return SparseTensor(made.places, made.held, made.shape, sparse_csr, True)


def _to_sparse(self: Tensor, sparse_dim: Any = None, *, layout: Any = None, **others: Any) -> SparseTensor:
    """Return the same elements by their coordinates, zeros left out."""
    if layout == sparse_csr:
        return _to_sparse_csr(self)
    count = sparse_dim if isinstance(sparse_dim, int) else self.ndim
    known = self.detach().numpy()
    there = known.reshape(*known.shape[:count], -1).any(-1) if count < known.ndim else known != 0
    places = tensor(np.stack(np.nonzero(there)).astype(np.int64))
    return SparseTensor(places, self[tuple(places)], self.shape, coalesced=True)


def _to_sparse_csr(self: Tensor, dense_dim: int | None = None) -> SparseTensor:
    """Return the same matrix by compressed rows, zeros left out."""
    return _to_sparse(self).to_sparse_csr()


for _name, _function in {
    "to_sparse": _to_sparse,
    "to_sparse_coo": _to_sparse,
    "to_sparse_csr": _to_sparse_csr,
}.items():
    if _name not in vars(Tensor):
        setattr(Tensor, _name, _function)
Tensor.is_sparse, Tensor.is_sparse_csr, Tensor.to_dense = False, False, lambda self, *a, **k: self  # type: ignore[attr-defined]


def FloatTensor(indices: Any, values: Any, size: Any = None) -> SparseTensor:  # noqa: N802 - PyTorch's name
    """Return the old name of :func:`msjax.torch.sparse_coo_tensor`."""
    return sparse_coo_tensor(indices, values, size)


LongTensor = DoubleTensor = FloatTensor


def spmm(input: Any, mat2: Any) -> Any:
    """Return the product of matrices, one or both of them sparse; the old name of `torch.mm`."""
    return _call("mm", input, mat2)


def __getattr__(name: str) -> Any:
    return served_from_mint.make_placeholder("torch.sparse", name)
