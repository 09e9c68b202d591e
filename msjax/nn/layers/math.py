"""Mathematical layers without weights: MatMul, Norm, Tril, Triu, Roll, Range, Moments, ClipByNorm ..."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.ops.array.creation import arange
from msjax.ops.array.flip_roll import roll
from msjax.ops.array.shapes import swapaxes
from msjax.ops.array.triangles_diagonals import tril, triu
from msjax.ops.common.docstrings import documented_by
from msjax.ops.linalg.products import matmul
from msjax.ops.math.arithmetic import abs as absolute
from msjax.ops.math.arithmetic import div, mul, square
from msjax.ops.math.casts import cast
from msjax.ops.math.elementary import sqrt
from msjax.ops.math.rounding import maximum
from msjax.ops.nn.loss_margin import cosine_similarity
from msjax.ops.reduction.reduction import logsumexp, mean, reduce_sum, var


class MatMul(Cell):
    """The product of two matrices, or of stacks of them.

    Args:
        transpose_x1 (bool): swap the last two dimensions of the first.
        transpose_x2 (bool): swap the last two dimensions of the second.

    Inputs:
        - **x1** (Tensor) - of shape (..., M, K), or (K,).
        - **x2** (Tensor) - of shape (..., K, N), or (K,).

    Outputs:
        Tensor of shape (..., M, N).

    Raises:
        TypeError: if a flag is not a bool.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.MatMul(transpose_x2=True)(ms.ops.ones((2, 3)), ms.ops.ones((4, 3))).shape
        (2, 4)
    """

    def __init__(self, transpose_x1: bool = False, transpose_x2: bool = False) -> None:
        super().__init__()
        parameter_init.check_bools("MatMul", transpose_x1=transpose_x1, transpose_x2=transpose_x2)
        self.transpose_x1 = transpose_x1
        self.transpose_x2 = transpose_x2

    def construct(self, x1: Any, x2: Any) -> Any:
        """Return the product."""
        x1 = swapaxes(x1, -1, -2) if self.transpose_x1 and x1.ndim > 1 else x1
        x2 = swapaxes(x2, -1, -2) if self.transpose_x2 and x2.ndim > 1 else x2
        return matmul(x1, x2)


class ReduceLogSumExp(Cell):
    """log(sum(exp(x))) along axes.

    Args:
        axis (Union[int, tuple, list]): the axes; () means all.
        keep_dims (bool): keep them, with size 1.

    Inputs:
        - **x** (Tensor) - floating.

    Outputs:
        Tensor without the axes.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.ReduceLogSumExp(0)(ms.Tensor([0.0, 0.0])))
        0.6931472
    """

    def __init__(self, axis: Any, keep_dims: bool = False) -> None:
        super().__init__()
        parameter_init.check_numbers("ReduceLogSumExp", int, tuple, list, axis=axis)
        parameter_init.check_bools("ReduceLogSumExp", keep_dims=keep_dims)
        self.axis = axis
        self.keep_dims = keep_dims

    def construct(self, x: Any) -> Any:
        """Return the logarithm of the sum of exponentials."""
        parameter_init.check_floating_tensors("ReduceLogSumExp", x=x)
        axis = tuple(range(x.ndim)) if self.axis in ((), []) else self.axis
        return logsumexp(x, axis, self.keep_dims)


class L1Regularizer(Cell):
    """The sum of absolute values, times a factor.

    Args:
        scale (int, float): the factor, positive.

    Inputs:
        - **weights** (Tensor) - floating.

    Outputs:
        Tensor, a scalar.

    Raises:
        TypeError: if `scale` is not a number.
        ValueError: if it is not positive.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.L1Regularizer(0.5)(ms.Tensor([1.0, -3.0])))
        2.0
    """

    def __init__(self, scale: float) -> None:
        super().__init__()
        parameter_init.check_numbers("L1Regularizer", scale=scale)
        if not 0 < scale < float("inf"):
            raise ValueError(
                f"`L1Regularizer`: argument `scale` must be positive and finite. Received: {scale}."
            )
        self.scale = scale

    def construct(self, weights: Any) -> Any:
        """Return the scaled sum of absolute values."""
        wide = cast(weights, dtypes.float32) if weights.dtype == dtypes.float16 else weights
        return mul(reduce_sum(absolute(wide)), self.scale)


@documented_by(ReduceLogSumExp)
class Moments(Cell):
    """Mean and variance along axes.

    Args:
        axis (Union[int, tuple]): the axes. Default: all.

    Outputs:
        Tuple of mean and (biased) variance.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.nn.Moments(axis=0)(ms.Tensor([1.0, 3.0])))
        2.0 1.0
    """

    def __init__(self, axis: Any = None, keep_dims: bool | None = None) -> None:
        super().__init__()
        if axis is not None:
            parameter_init.check_numbers("Moments", int, tuple, axis=axis)
            parameter_init.check_numbers("Moments", int, **_name_parts("axis", axis))
        if keep_dims is not None:
            parameter_init.check_bools("Moments", keep_dims=keep_dims)
        self.axis = axis
        self.keep_dims = bool(keep_dims)

    def construct(self, x: Any) -> tuple:
        """Mean and variance."""
        parameter_init.check_tensor_dtypes("Moments", (dtypes.float16, dtypes.float32), x=x)
        axis = None if self.axis in (None, ()) else self.axis
        return mean(x, axis, self.keep_dims), var(x, axis, 0, self.keep_dims)


class ClipByNorm(Cell):
    """x, shortened to a length where it is longer.

    Args:
        axis (Union[int, tuple]): the axes along which the length is taken. Default: all.

    Inputs:
        - **x** (Tensor) - floating.
        - **clip_norm** (Tensor) - the greatest length, of a shape that broadcasts.

    Outputs:
        Tensor of the input's shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.ClipByNorm()(ms.Tensor([3.0, 4.0]), ms.Tensor(1.0)))
        [0.6 0.8]
    """

    def __init__(self, axis: Any = None) -> None:
        super().__init__()
        if axis is not None:
            parameter_init.check_numbers("ClipByNorm", int, tuple, axis=axis)
            parameter_init.check_numbers("ClipByNorm", int, **_name_parts("axis", axis))
        self.axis = () if axis is None else axis

    def construct(self, x: Any, clip_norm: Any) -> Any:
        """x * clip_norm / max(length, clip_norm)."""
        if x.dtype == dtypes.float16:
            x, clip_norm = cast(x, dtypes.float32), cast(clip_norm, dtypes.float32)
        length = sqrt(reduce_sum(square(x), self.axis, True))
        return div(mul(x, clip_norm), maximum(length, clip_norm))


def _name_parts(name: str, values: Any) -> dict[str, Any]:
    """Return the parts of an argument by the names that messages have for them."""
    return {f"{name}[{i}]": v for i, v in enumerate(values)} if isinstance(values, tuple) else {}


@applies(roll, "input_x", "shift=shifts axis=dims")
class Roll(Cell):
    """Roll: shifts elements along axes; those that leave at one end come in at the other.

    Args:
        shift (Union[int, tuple, list]): by how many places.
        axis (Union[int, tuple, list]): the axes.

    Inputs:
        - **input_x** (Tensor) - of any shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Roll(1, 0)(ms.Tensor([1.0, 2.0, 3.0])))
        [3. 1. 2.]
    """

    shift: Any
    axis: Any

    def __post_init__(self) -> None:
        parameter_init.check_numbers("Roll", int, tuple, list, shift=self.shift, axis=self.axis)
        lengths = [len(v) if isinstance(v, tuple | list) else None for v in (self.shift, self.axis)]
        if lengths[0] != lengths[1]:
            raise ValueError(
                "`Roll`: arguments `shift` and `axis` must be of one length. "
                f"Received: {self.shift}, {self.axis}."
            )


class Range(Cell):
    """The numbers from `start` up to, and without, `limit`.

    Args:
        start (int, float): the first; or the limit, if that is not given. Then the first is 0.
        limit (int, float): where to end.
        delta (int, float): the step.

    Outputs:
        Tensor of one dimension, int32 or float32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Range(1, 8, 2)())
        [1 3 5 7]
    """

    def __init__(self, start: Any, limit: Any = None, delta: Any = 1) -> None:
        super().__init__()
        if delta == 0:
            raise ValueError("`Range`: argument `delta` must not be 0. Received: 0.")
        ends = (0, start) if limit is None else (start, limit)
        whole = all(isinstance(value, int) for value in (*ends, delta))
        self.result_tensor: Tensor = arange(*ends, delta, dtype=dtypes.int32 if whole else dtypes.float32)

    def construct(self) -> Tensor:
        """Return the numbers."""
        return self.result_tensor


@applies(tril, "x, k=0")
class Tril(Cell):
    """The lower triangle of a matrix, with zeros above.

    Inputs:
        - **x** (Tensor) - of shape (M, N).
        - **k** (int) - the last diagonal that is kept. Default: 0, the main one.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Tril()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[1. 0.]
         [3. 4.]]
    """


@applies(triu, "x, k=0")
class Triu(Cell):
    """The upper triangle of a matrix, with zeros below.

    Inputs:
        - **x** (Tensor) - of shape (M, N).
        - **k** (int) - the first diagonal that is kept. Default: 0, the main one.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Triu()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[1. 2.]
         [0. 4.]]
    """


@documented_by(ReduceLogSumExp)
class Norm(Cell):
    """The root of the sum of squares along axes.

    Args:
        axis (Union[tuple, int]): the axes; () means all.

    Raises:
        TypeError: if `axis` is neither int nor tuple, or `keep_dims` not a bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Norm(axis=0)(ms.Tensor([3.0, 4.0])))
        5.0
    """

    def __init__(self, axis: Any = (), keep_dims: bool = False) -> None:
        super().__init__()
        parameter_init.check_numbers("Norm", int, tuple, axis=axis)
        parameter_init.check_bools("Norm", keep_dims=keep_dims)
        self.axis = axis
        self.keep_dims = keep_dims

    def construct(self, x: Any) -> Any:
        """Return the length."""
        return sqrt(reduce_sum(square(x), self.axis, self.keep_dims))

    def extend_repr(self) -> str:
        """Axes and whether they are kept."""
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


@applies(cosine_similarity, "x1, x2")
class CosineSimilarity(Cell):
    """`ops.cosine_similarity` as a layer: `nn.layer.CosineSimilarity`, while `nn.CosineSimilarity` is the metric.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.layer.CosineSimilarity(dim=0)(ms.Tensor([3.0, 4.0]), ms.Tensor([4.0, 3.0])))
        0.96
    """

    dim: int = 1
    eps: float = 1e-8
