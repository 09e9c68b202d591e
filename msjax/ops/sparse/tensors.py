"""Sparse tensor classes: `COOTensor`, `CSRTensor`, `RowTensor`, `SparseTensor`.

What can be done with them is in `coo` and `csr`. They hold Tensors, so that
gradients flow through their values, and are pytrees: compiled functions take and return them.
"""

from typing import Any

import jax

from msjax.core import dtype as dtypes
from msjax.core.tensor import printing
from msjax.core.tensor.tensor import Tensor
from msjax.ops.common import checks
from msjax.ops.math.casts import astype

coo: Any = None  # the functions that the methods call build on these classes: the package's `__init__` sets both modules
csr: Any = None


def _show_part(owner: str, name: str, x: Any) -> str:
    """`name=Tensor(...)` with a value as NumPy prints it, without commas."""
    head, value = printing.tensor_repr(x.asnumpy()).split("value=", 1)
    flat = value.replace(",", "")
    return f"{name}={head}value={flat if x.ndim > 1 else flat.lstrip()}"


def _check_parts(owner: str, tensors: dict[str, Any], shape: Any) -> None:
    for name, x in tensors.items():
        if not isinstance(x, Tensor):
            checks.fail(TypeError, owner, name, "be a Tensor", f"{x!r} ({type(x).__name__})")
    if not isinstance(shape, tuple) or not all(type(n) is int for n in shape):
        checks.fail(TypeError, owner, "shape", "be a tuple of ints", f"{shape!r} ({type(shape).__name__})")
    if any(n <= 0 for n in shape):
        checks.fail(ValueError, owner, "shape", "hold positive sizes", shape)


def _positions(owner: str, **tensors: Tensor) -> None:
    for name, x in tensors.items():
        if x.dtype not in (dtypes.int16, dtypes.int32, dtypes.int64):
            checks.fail(TypeError, owner, name, "be of dtype int16, int32 or int64", f"dtype={x.dtype}")


class _Sparse:
    """Base class of the sparse tensor formats."""

    _NAMES: tuple[str, ...] = ()
    _indices: Any
    _values: Any
    _size: tuple[int, ...]

    @property
    def indices(self) -> Any:
        """Indices of the stored values."""
        return self._indices

    @property
    def values(self) -> Any:
        """The elements that are held."""
        return self._values

    @property
    def differentiated_part(self) -> Any:
        """The Tensor by which MindSpore's PyNative mode differentiates: the values."""
        return self._values

    def _like(self, values: Tensor) -> Any:
        """Return the same places with other values."""
        places = [getattr(self, name) for name in self._NAMES if name != "values"]
        made: Any = type(self)
        return made(*places, values, self._size)

    def __repr__(self) -> str:
        owner = type(self).__name__
        parts = ", ".join(_show_part(owner, name, getattr(self, name)) for name in self._NAMES)
        return f"{owner}(shape={list(self._size)}, dtype={dtypes.of(self.values.array.dtype)}, {parts})"

    @property
    def dtype(self) -> dtypes.DType:
        """MindSpore's dtype of the elements."""
        return self.values.dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._size)

    @property
    def size(self) -> int:
        """Number of elements that are held."""
        return self.values.size

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.values.itemsize

    def astype(self, dtype: Any) -> Any:
        """Return the same in another dtype."""
        return self._like(astype(self.values, dtype))

    def abs(self) -> Any:
        """Absolute values of the elements."""
        return self._like(self.values.abs())

    def __neg__(self) -> Any:
        return self._like(-self.values)

    def to_tuple(self) -> tuple:
        """Return the parts, and the shape."""
        return (*(getattr(self, name) for name in self._NAMES), self._size)


class COOTensor(_Sparse):
    """A matrix as coordinates and values. Values with the same coordinates count together.

    Args:
        indices (Tensor): row and column of each value; shape (n, 2), an integer dtype.
        values (Tensor): shape (n,), any dtype.
        shape (tuple[int]): two sizes.
        coo_tensor (COOTensor): what to take all of them from instead.

    Raises:
        TypeError: if a part is not a Tensor or `shape` not a tuple, or if `coo_tensor` comes with others.
        ValueError: if the shapes of the parts do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 0]]), ms.Tensor([1.0, 2.0]), (2, 2))
        >>> print(x.to_dense())
        [[0. 1.]
         [2. 0.]]
    """

    _NAMES = ("indices", "values")

    def __init__(
        self, indices: Any = None, values: Any = None, shape: Any = None, coo_tensor: Any = None
    ) -> None:
        if coo_tensor is not None:
            indices, values, shape = _copy_parts("COOTensor", COOTensor, coo_tensor, indices, values, shape)
        _check_parts("COOTensor", {"indices": indices, "values": values}, shape)
        if len(shape) != 2:
            checks.fail(ValueError, "COOTensor", "shape", "have two sizes", shape)
        if indices.ndim != 2 or indices.shape[1] != 2:
            checks.fail(ValueError, "COOTensor", "indices", "have shape (n, 2)", indices.shape)
        if values.shape != indices.shape[:1]:
            checks.fail(ValueError, "COOTensor", "values", f"have shape {indices.shape[:1]}", values.shape)
        _positions("COOTensor", indices=indices)
        self._indices, self._values, self._size = indices, values, shape

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions."""
        return self._size

    def to_dense(self) -> Any:
        """Convert to a dense Tensor."""
        return coo.coo_to_dense(self)

    def to_csr(self) -> "CSRTensor":
        """Convert to CSR, ordered by row and column."""
        return coo.coo_to_csr(self)

    def coalesce(self) -> "COOTensor":
        """Ordered, with values of one place added."""
        found: Any
        found, values, _ = coo.coalesce(self.indices.T, self.values, Tensor(self._size))
        return COOTensor(found.T, values, self._size)

    def add(self, other: "COOTensor", thresh: Tensor) -> "COOTensor":
        """Return the sum with another (see `ops.coo_add`)."""
        return coo.coo_add(self, other, thresh)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, COOTensor):
            return self.add(other, Tensor(0, self.dtype))
        return self.to_dense() + _dense("COOTensor", "+", other)

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def __mul__(self, other: Any) -> "COOTensor":
        return self._like(self.values * coo.picked(_dense("COOTensor", "*", other), self))

    def __truediv__(self, other: Any) -> "COOTensor":
        return self._like(self.values / coo.picked(_dense("COOTensor", "/", other), self))


class CSRTensor(_Sparse):
    """A matrix as compressed rows: the values of row i are those from indptr[i] to indptr[i + 1].

    Args:
        indptr (Tensor): where each row begins, and where the last one ends; shape (rows + 1,), an integer dtype.
        indices (Tensor): column of each value; shape (n,), an integer dtype.
        values (Tensor): shape (n,) or more: blocks.
        shape (tuple[int]): one size more than `values` has.
        csr_tensor (CSRTensor): what to take all of them from instead.

    Raises:
        TypeError: if a part is not a Tensor, `shape` not a tuple, or positions are not integers.
        ValueError: if the shapes of the parts do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1, 2]), ms.Tensor([1, 0]), ms.Tensor([1.0, 2.0]), (2, 2))
        >>> print(x.to_dense())
        [[0. 1.]
         [2. 0.]]
    """

    _NAMES = ("indptr", "indices", "values")
    _indptr: Any

    @property
    def indptr(self) -> Any:
        """Row pointers: the start of each row among the values, and the end of the last one."""
        return self._indptr

    def __init__(
        self,
        indptr: Any = None,
        indices: Any = None,
        values: Any = None,
        shape: Any = None,
        csr_tensor: Any = None,
    ) -> None:
        if csr_tensor is not None:
            parts = _copy_parts("CSRTensor", CSRTensor, csr_tensor, indptr, indices, values, shape)
            indptr, indices, values, shape = parts
        _check_parts("CSRTensor", {"indptr": indptr, "indices": indices, "values": values}, shape)
        if values.ndim != len(shape) - 1:
            checks.fail(ValueError, "CSRTensor", "shape", f"have {values.ndim + 1} sizes", shape)
        if indptr.shape != (shape[0] + 1,):
            checks.fail(ValueError, "CSRTensor", "indptr", f"have shape {(shape[0] + 1,)}", indptr.shape)
        if indices.shape != values.shape[:1]:
            checks.fail(ValueError, "CSRTensor", "indices", f"have shape {values.shape[:1]}", indices.shape)
        if values.shape[1:] != shape[2:]:
            checks.fail(ValueError, "CSRTensor", "values", f"hold blocks of shape {shape[2:]}", values.shape)
        _positions("CSRTensor", indptr=indptr, indices=indices)
        self._indptr, self._indices, self._values, self._size = indptr, indices, values, shape

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions."""
        return self._size

    def to_dense(self) -> Any:
        """Convert to a dense Tensor."""
        return csr.csr_to_dense(self)

    def to_coo(self) -> COOTensor:
        """Convert to COO."""
        return csr.csr_to_coo(self)

    def mv(self, dense_vector: Tensor) -> Tensor:
        """Return the product with a vector, as a column."""
        return csr.csr_mv(self, dense_vector)

    def mm(self, matrix: Any) -> Any:
        """Return the product with a Tensor, or with another CSRTensor."""
        return csr.csr_mm(self, matrix)

    def sum(self, axis: int) -> Tensor:
        """Sums of the rows, as a column (axis 1)."""
        return csr.csr_reduce_sum(self, axis)

    def add(self, b: "CSRTensor", alpha: Tensor, beta: Tensor) -> "CSRTensor":
        """alpha times this plus beta times another."""
        return csr.csr_add(self, b, alpha, beta)

    def _with(self, other: Any, sign: int) -> "CSRTensor":
        if not isinstance(other, CSRTensor):
            checks.fail(TypeError, "CSRTensor", "other", "be a CSRTensor", type(other).__name__)
        return self.add(other, Tensor(1, self.dtype), Tensor(sign, self.dtype))

    def __add__(self, other: Any) -> "CSRTensor":
        return self._with(other, 1)

    def __sub__(self, other: Any) -> "CSRTensor":
        return self._with(other, -1)

    def __mul__(self, other: Any) -> "CSRTensor":
        return csr.csr_mul(self, other)

    def __truediv__(self, other: Any) -> "CSRTensor":
        return self._like(csr.csr_div(self, other))


class RowTensor(_Sparse):
    """Some rows of an array, and where they stand.

    Args:
        indices (Tensor): position of each row; shape (n,), an integer dtype.
        values (Tensor): the rows, shape (n, ...).
        shape (tuple[int]): of the whole array.
        row_tensor (RowTensor): what to take all of them from instead.

    Raises:
        TypeError: if a part is not a Tensor or `shape` not a tuple.
        ValueError: if there are not as many positions as rows.

    Examples:
        >>> import msjax as ms
        >>> x = ms.RowTensor(ms.Tensor([0]), ms.Tensor([[1.0, 2.0]]), (3, 2))
        >>> print(x.values, x.dense_shape)
        [[1. 2.]] (3, 2)
    """

    _NAMES = ("indices", "values")

    def __init__(
        self, indices: Any = None, values: Any = None, shape: Any = None, row_tensor: Any = None
    ) -> None:
        if row_tensor is not None:
            indices, values, shape = _copy_parts("RowTensor", RowTensor, row_tensor, indices, values, shape)
        _check_parts("RowTensor", {"indices": indices, "values": values}, shape)
        if indices.shape != values.shape[:1]:
            checks.fail(ValueError, "RowTensor", "indices", f"have shape {values.shape[:1]}", indices.shape)
        _positions("RowTensor", indices=indices)
        self._indices, self._values, self._size = indices, values, shape

    @property
    def dense_shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions of the whole array."""
        return self._size


def SparseTensor(indices: Any, values: Any, shape: Any) -> COOTensor:  # noqa: N802 - MindSpore's name
    """Return the former name of `COOTensor`.

    Examples:
        >>> import msjax as ms
        >>> ms.SparseTensor(ms.Tensor([[0, 1]]), ms.Tensor([1.0]), (2, 2)).shape
        (2, 2)
    """
    return COOTensor(indices, values, shape)


def _copy_parts(owner: str, cls: type, source: Any, *others: Any) -> tuple:
    """Return the parts of a sparse tensor, which must come alone."""
    name = owner.replace("Tensor", "_tensor").lower()
    if any(other is not None for other in others):
        checks.fail(TypeError, owner, name, "come without the other arguments", "them as well")
    if not isinstance(source, cls):
        checks.fail(TypeError, owner, name, f"be a {owner}", f"{source!r} ({type(source).__name__})")
    return source.to_tuple()


def _dense(owner: str, operator: str, other: Any) -> Any:
    if not isinstance(other, Tensor):
        rule = f"have a Tensor on the right of `{operator}`"
        checks.fail(TypeError, owner, "other", rule, f"{type(other).__name__}")
    return other


def _make(cls: type, shape: tuple, parts: Any) -> Any:
    made = object.__new__(cls)
    vars(made).update(zip((f"_{n}" for n in cls._NAMES), parts, strict=True), _size=shape)  # type: ignore[attr-defined]
    return made


for _cls in (COOTensor, CSRTensor, RowTensor):
    jax.tree_util.register_pytree_node(
        _cls,
        lambda x: ([getattr(x, name) for name in x._NAMES], x._size),
        lambda shape, parts, cls=_cls: _make(cls, shape, parts),
    )
