"""Ranges (arange, linspace, logspace), grids (meshgrid, mgrid) and window functions."""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor
from msjax.numpy.array_function import as_tensor, cast, define_function, element_dtype, promote_arrays
from msjax.numpy.creation import parse_shape
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Tensor:
    """Numbers from `start` up to but without `stop`, or from 0 up to the only argument.

    Args:
        start (number): the first, or the end.
        stop (number, None): the end.
        step (number, None): the distance. Default: None, 1.
        dtype (mindspore.dtype, str, type, None): Default: None, int32 if all are ints, else float32.

    Returns:
        Tensor of one dimension.

    Raises:
        TypeError: if an argument is not a number.
        ValueError: if there is no number between `start` and `stop`.
        ZeroDivisionError: if `step` is 0.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.arange(0, 5, 2))
        [0 2 4]
    """
    floating = any(isinstance(v, Tensor) for v in (start, stop, step))
    first, end = (0, start) if stop is None else (start, stop)
    values = [
        v.asnumpy().item() if isinstance(v, Tensor) else v for v in (first, end, 1 if step is None else step)
    ]
    checks.check_numbers("arange", **dict(zip(("start", "stop", "step"), values, strict=True)))
    if values[2] == 0:
        raise ZeroDivisionError("`arange`: argument `step` must not be 0. Received: step=0.")
    if math.ceil((values[1] - values[0]) / values[2]) <= 0:
        checks.fail(
            ValueError, "arange", "stop", "leave a number after `start`", f"{values[1]}, start={values[0]}"
        )
    whole = not floating and all(isinstance(v, int) for v in values)
    return _arange(*values, element_dtype("arange", dtype) or np.dtype(np.int32 if whole else np.float32))


@op(static="first end step dtype")
def _arange(first: Any, end: Any, step: Any, dtype: Any) -> Array:
    return jnp.asarray(np.arange(first, end, step).astype(dtype))


@op(static="num endpoint axis")
def _space_evenly(start: ArrayLike, stop: ArrayLike, num: int, endpoint: BoolLike, axis: int) -> Array:
    checks.check_broadcastable("linspace", start=start, stop=stop)
    start, stop = promote_arrays("linspace", start.astype(np.float32), stop.astype(np.float32))
    return jnp.linspace(start, stop, num, endpoint, axis=axis, dtype=np.float32)


def _line(fn: str, start: Any, stop: Any, num: Any, endpoint: Any, axis: Any) -> Tensor:
    checks.check_ints(fn, num=num, axis=axis)
    checks.check_bools(fn, endpoint=endpoint)
    if num < 1:
        checks.fail(ValueError, fn, "num", "be at least 1", num)
    start, stop = as_tensor(fn, "start", start), as_tensor(fn, "stop", stop)
    checks.normalize_axis(fn, max(start.ndim, stop.ndim) + 1, axis=axis)
    return _space_evenly(start, stop, num, endpoint, axis)


@op(static="dtype")
def _as(x: ArrayLike, dtype: Any) -> Array:
    return cast("linspace", x, dtype)


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Numbers at equal distances.

    Args:
        start (Tensor, number, list, tuple): the first.
        stop (Tensor, number, list, tuple): the last, of a shape that broadcasts with `start`.
        num (int): how many, at least 1.
        endpoint (bool): whether `stop` is one of them.
        retstep (bool): also return the distance.
        dtype (mindspore.dtype, str, type, None): Default: None, float32.
        axis (int): where the numbers lie in the result, if `start` or `stop` is an array.

    Returns:
        Tensor, or a tuple of it and the distance.

    Raises:
        TypeError: if `num` or `axis` is not an int, or `endpoint` not a bool.
        ValueError: if `num` is less than 1.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.linspace(0, 5, 6))
        [0. 1. 2. 3. 4. 5.]
    """
    checks.check_bools("linspace", retstep=retstep)
    result = _as(_line("linspace", start, stop, num, endpoint, axis), dtype)
    if not retstep:
        return result
    count = max(num - 1, 1) if endpoint else num
    low, high = as_tensor("linspace", "start", start), as_tensor("linspace", "stop", stop)
    return result, (high.astype(dtypes.float32) - low.astype(dtypes.float32)) / count


@op(static="dtype")
def _powers(base: ArrayLike, exponents: ArrayLike, dtype: Any) -> Array:
    return cast("logspace", jnp.power(base.astype(np.float32), exponents), dtype)


@documented_by(linspace)
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Tensor:
    """Powers of a base whose exponents are at equal distances.

    Args:
        start (Tensor, number, list, tuple): the first exponent.
        stop (Tensor, number, list, tuple): the last exponent.
        base (number, Tensor): the base.

    Returns:
        Tensor.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.logspace(0, 3, 4, base=2.0))
        [1. 2. 4. 8.]
    """
    exponents = _line("logspace", start, stop, num, endpoint, axis)
    return _powers(as_tensor("logspace", "base", base), exponents, dtype)


@op(static="num endpoint axis dtype")
def _geometric(
    start: ArrayLike, stop: ArrayLike, num: int, endpoint: BoolLike, axis: int, dtype: Any
) -> Array:
    start, stop = jnp.broadcast_arrays(start.astype(np.float32), stop.astype(np.float32))
    steps = num - 1 if endpoint and num > 1 else num
    exponents = np.linspace(0.0, (num - 1) / steps, num, dtype=np.float32).reshape((-1,) + (1,) * start.ndim)
    return cast("geomspace", jnp.moveaxis(start * jnp.power(stop / start, exponents), 0, axis), dtype)


@documented_by(linspace)
def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Tensor:
    """Numbers spaced evenly on a logarithmic scale, from start to stop.

    Args:
        dtype (mindspore.dtype, str, type, None): Default: None, float32. Whole numbers are rounded.

    Returns:
        Tensor.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.geomspace(1, 8, 4))
        [1. 2. 4. 8.]
    """
    checks.check_ints("geomspace", num=num, axis=axis)
    checks.check_bools("geomspace", endpoint=endpoint)
    if num < 1:
        checks.fail(ValueError, "geomspace", "num", "be at least 1", num)
    wanted = element_dtype("geomspace", dtype)
    first, last = as_tensor("geomspace", "start", start), as_tensor("geomspace", "stop", stop)
    whole = wanted is not None and wanted.kind in "iu"
    result = _geometric(first, last, num, endpoint, axis, None if whole else dtype)
    return _round_to(result, dtype) if whole else result


@op(static="dtype")
def _round_to(x: ArrayLike, dtype: Any) -> Array:
    return cast("geomspace", jnp.round(x), dtype)


@op(static="shape dtype sparse")
def _indices(shape: Any, dtype: Any, sparse: BoolLike) -> list[Array]:
    lines = [jnp.arange(n, dtype=np.int32).astype(dtype) for n in shape]
    return list(jnp.meshgrid(*lines, indexing="ij", sparse=sparse))


def indices(dimensions: Any, dtype: Any = dtypes.int32, sparse: bool = False) -> list[Tensor]:
    """Return the positions along each axis of a grid.

    Args:
        dimensions (tuple[int], list[int]): the grid's shape.
        dtype (mindspore.dtype, str, type): Default: int32.
        sparse (bool): whether the arrays have size 1 along the other axes, instead of the grid's.

    Returns:
        list of Tensors, one for each axis.

    Raises:
        TypeError: if `dimensions` is none.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.indices((2, 3))[1])
        [[0 1 2]
         [0 1 2]]
    """
    return _indices(parse_shape("indices", dimensions, "dimensions"), element_dtype("indices", dtype), sparse)


def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy") -> list[Tensor]:
    """Arrays of coordinates of the grid that vectors span.

    Args:
        xi (Tensor): vectors, one for each axis.
        sparse (bool): whether the arrays have size 1 along the other axes, instead of the grid's.
        indexing (str): "xy": the first vector runs along the second axis; "ij": along the first.

    Returns:
        list of Tensors, one for each vector.

    Raises:
        TypeError: if a vector is not an array, or `sparse` not a bool.
        ValueError: if `indexing` is neither.

    Examples:
        >>> import msjax as ms
        >>> x, y = ms.numpy.meshgrid(ms.Tensor([1, 2]), ms.Tensor([5, 6, 7]))
        >>> print(x)
        [[1 2]
         [1 2]
         [1 2]]
    """
    checks.check_bools("meshgrid", sparse=sparse)
    if indexing not in ("xy", "ij"):
        checks.fail(ValueError, "meshgrid", "indexing", "be 'xy' or 'ij'", repr(indexing))
    return _grid([as_tensor("meshgrid", "xi", x) for x in xi], sparse, indexing) if xi else []


@op(static="sparse indexing")
def _grid(xi: Any, sparse: BoolLike, indexing: str) -> list[Array]:
    lines = [x.ravel() for x in xi]
    return list(jnp.meshgrid(*lines, sparse=sparse, indexing=indexing))


def ix_(*args: Any) -> tuple[Tensor, ...]:
    """Positions along each axis, shaped so that together they index the grid of all combinations.

    Args:
        args (Tensor): vectors of positions, or of bools.

    Returns:
        tuple of Tensors, one for each vector.

    Raises:
        TypeError: if an argument is not an array.
        ValueError: if an argument does not have one dimension.

    Examples:
        >>> import msjax as ms
        >>> rows, columns = ms.numpy.ix_(ms.Tensor([0, 1]), ms.Tensor([1, 3]))
        >>> rows.shape, columns.shape
        ((2, 1), (1, 2))
    """
    found = []
    for i, arg in enumerate(args):
        x: Any = as_tensor("ix_", "args", arg)
        if x.ndim != 1:
            checks.fail(ValueError, "ix_", "args", "be vectors", f"array of shape {x.shape}")
        if x.dtype == dtypes.bool_:
            x = as_tensor("ix_", "args", np.flatnonzero(x.asnumpy()).tolist())
        found.append(x.reshape([-1 if j == i else 1 for j in range(len(args))]))
    return tuple(found)


class Grid:
    """Grids by slices: `mgrid[0:3, 0:2]` and `ogrid[...]`. A step such as 5j is a number of points, with both ends.

    Args:
        sparse: whether the arrays have size 1 along the other axes.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.mgrid[0:2, 0:3][1])
        [[0 1 2]
         [0 1 2]]
    """

    def __init__(self, sparse: bool) -> None:
        self.sparse = sparse

    def __getitem__(self, keys: Any) -> Any:
        if isinstance(keys, slice):
            return _as(*self._line(keys))
        lines, kinds = zip(*[self._line(key) for key in keys], strict=True)
        kind = np.dtype(np.float32) if any(k == np.float32 for k in kinds) else np.dtype(np.int32)
        grids = _grid([_as(line, kind) for line in lines], self.sparse, "ij")
        return grids if self.sparse else _stack_grids(grids)

    def _line(self, key: Any) -> tuple[Any, np.dtype]:
        if not isinstance(key, slice):
            checks.fail(TypeError, "mgrid", "index", "be a slice, or several", repr(key))
        start, stop, step = (
            0 if key.start is None else key.start,
            key.stop,
            1 if key.step is None else key.step,
        )
        if isinstance(step, complex):
            return linspace(start, stop, int(abs(step))), np.dtype(np.float32)
        line = arange(start, stop, step)
        return line, dtypes.as_np(line.dtype)


@op
def _stack_grids(grids: Any) -> Array:
    return jnp.stack(grids)


mgrid = Grid(False)
ogrid = Grid(True)


@define_function(static="N increasing")
def vander(x: ArrayLike, N: int | None = None, increasing: BoolLike = False) -> Array:
    """Vandermonde matrix: the powers of each element in a row, the highest first.

    Args:
        x (Tensor, list, tuple): of one dimension, n elements.
        N (int, None): how many powers. Default: None, n.
        increasing (bool): the lowest first.

    Returns:
        Tensor of shape (n, N).

    Raises:
        TypeError: if `N` is not an int or `increasing` not a bool.
        ValueError: if `x` does not have one dimension.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.vander([1, 2, 3]))
        [[1 1 1]
         [4 2 1]
         [9 3 1]]
    """
    checks.check_bools("vander", increasing=increasing)
    if x.ndim != 1:
        checks.fail(ValueError, "vander", "x", "have one dimension", f"array of shape {x.shape}")
    count = N or x.size  # 0 is as good as None to MindSpore
    checks.check_ints("vander", N=count)
    if count < 0:
        checks.fail(ValueError, "vander", "N", "not be negative", N)
    ones = jnp.ones((x.size, 1), x.dtype)
    if count == 0:
        return ones[:, :0]
    powers = jnp.cumprod(
        jnp.concatenate([ones, jnp.broadcast_to(x[:, None], (x.size, count - 1))], 1), 1, dtype=x.dtype
    )
    return powers if increasing else powers[:, ::-1]


@op(static="M kind")
def _window(M: int, kind: str) -> Array:
    return jnp.asarray(getattr(np, kind)(M).astype(np.float32))


def _make_window(kind: str, M: Any) -> Tensor:
    checks.check_ints(kind, M=M)
    return _window(M, kind)


def bartlett(M: int) -> Tensor:
    """Bartlett window: a triangle that begins and ends with 0.

    Args:
        M (int): how many points.

    Returns:
        Tensor of M elements, float32.

    Raises:
        TypeError: if `M` is not an int.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.bartlett(5))
        [0.  0.5 1.  0.5 0. ]
    """
    return _make_window("bartlett", M)


@documented_by(bartlett)
def blackman(M: int) -> Tensor:
    """Blackman window: 0.42 - 0.5 cos(2 pi n / (M - 1)) + 0.08 cos(4 pi n / (M - 1)).

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.blackman(3).shape)
        (3,)
    """
    return _make_window("blackman", M)


@documented_by(bartlett)
def hamming(M: int) -> Tensor:
    """Hamming window: 0.54 - 0.46 cos(2 pi n / (M - 1)).

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.hamming(3))
        [0.08 1.   0.08]
    """
    return _make_window("hamming", M)


@documented_by(bartlett)
def hanning(M: int) -> Tensor:
    """Hann window: 0.5 - 0.5 cos(2 pi n / (M - 1)).

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.hanning(3))
        [0. 1. 0.]
    """
    return _make_window("hanning", M)
