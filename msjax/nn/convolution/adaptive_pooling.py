"""Adaptive average and max pooling layers: a given output size."""

from typing import Any

from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn import adaptive_pooling as ops


class _Adaptive(Cell):
    """Pooling into a given number of cells in each dimension."""

    dims = 2
    least: int | None = None

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        name, n = type(self).__name__, self.dims
        if n == 1:
            parameter_init.check_positive_ints(name, output_size=output_size)
        if self.least is not None:
            parameter_init.check_numbers(name, int, tuple, output_size=output_size)
        sizes = output_size if isinstance(output_size, tuple) else (output_size,) * n
        if len(sizes) != n:
            raise ValueError(
                f"`{name}`: argument `output_size` must be an int or {n} of them. Received: {output_size}."
            )
        parameter_init.check_numbers(
            name, int, type(None), **{f"output_size[{i}]": size for i, size in enumerate(sizes)}
        )
        if self.least is not None and any(size is not None and size < self.least for size in sizes):
            raise ValueError(
                f"`{name}`: argument `output_size` must be at least {self.least}. Received: {output_size}."
            )
        self.output_size = output_size

    def _check_dims(self, input: Any) -> None:
        parameter_init.check_numbers(type(self).__name__, Tensor, input=input)
        if input.ndim != 3:
            raise ValueError(
                f"`{type(self).__name__}`: the input must have 3 dimensions. Received: {input.shape}."
            )
        if input.shape[2] % self.output_size or input.shape[2] < self.output_size:
            raise ValueError(
                f"`{type(self).__name__}`: argument `output_size` must divide the last size of the input. "
                f"Received: {self.output_size} for {input.shape}."
            )


@documented_by(ops.adaptive_avg_pool1d, "input")
class AdaptiveAvgPool1d(_Adaptive):
    """Adaptive average pooling over one dimension: the means of a given number of cells.

    Inputs:
        - **input** (Tensor) - of shape (N, C, L), floating.

    Raises:
        TypeError: if `output_size` is not an int.
        ValueError: if it is not positive; at the call, if the input does not have three dimensions, or `output_size` does
            not divide the last of them.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.AdaptiveAvgPool1d(2)(ms.Tensor([[[1.0, 3.0, 2.0, 4.0]]])))
        [[[2. 3.]]]
    """

    dims = 1

    def construct(self, input: Any) -> Any:
        """The means of the cells."""
        self._check_dims(input)
        return ops.adaptive_avg_pool1d(input, self.output_size)


@documented_by(ops.adaptive_avg_pool2d, "input")
class AdaptiveAvgPool2d(_Adaptive):
    """The means of a given number of cells over two dimensions.

    Outputs:
        Tensor of shape (N, C, *output_size) or (C, *output_size).

    Raises:
        TypeError: if `output_size` holds other than ints and None.
        ValueError: if it has another length, or a number is negative.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.AdaptiveAvgPool2d((None, 1))(ms.ops.ones((1, 3, 4, 5))).shape
        (1, 3, 4, 1)
    """

    least = 0

    def construct(self, input: Any) -> Any:
        """The means of the cells."""
        return ops.adaptive_avg_pool2d(input, self.output_size)


@documented_by(ops.adaptive_avg_pool3d, "input")
class AdaptiveAvgPool3d(_Adaptive):
    """The means of a given number of cells over three dimensions.

    Outputs:
        Tensor of shape (N, C, *output_size) or (C, *output_size).

    Examples:
        >>> import msjax as ms
        >>> ms.nn.AdaptiveAvgPool3d(2)(ms.ops.ones((1, 3, 4, 4, 4))).shape
        (1, 3, 2, 2, 2)
    """

    dims = 3
    least = 0

    def construct(self, input: Any) -> Any:
        """The means of the cells."""
        return ops.adaptive_avg_pool3d(input, self.output_size)


@documented_by(ops.adaptive_max_pool1d, "x")
class AdaptiveMaxPool1d(_Adaptive):
    """Adaptive max pooling over one dimension: the maxima of a given number of cells.

    Inputs:
        - **x** (Tensor) - of shape (N, C, L).

    Outputs:
        Tensor of shape (N, C, output_size).

    Raises:
        TypeError: if `output_size` is not an int.
        ValueError: if it is not positive; at the call, if the input does not have three dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.AdaptiveMaxPool1d(2)(ms.Tensor([[[1.0, 3.0, 2.0, 4.0]]])))
        [[[3. 4.]]]
    """

    dims = 1

    def construct(self, x: Any) -> Any:
        """Return the largest elements of the cells."""
        self._check_dims(x)
        return ops.adaptive_max_pool1d(x, self.output_size)


@documented_by(ops.adaptive_max_pool2d, "input")
class AdaptiveMaxPool2d(_Adaptive):
    """The largest elements of a given number of cells over two dimensions.

    Outputs:
        Tensor of shape (N, C, *output_size) or (C, *output_size), or a tuple of it and indices.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.AdaptiveMaxPool2d(2)(ms.ops.ones((1, 3, 4, 4))).shape
        (1, 3, 2, 2)
    """

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        parameter_init.check_bools(type(self).__name__, return_indices=return_indices)
        self.return_indices = return_indices

    def construct(self, input: Any) -> Any:
        """Return the largest elements of the cells."""
        return ops.adaptive_max_pool2d(input, self.output_size, self.return_indices)


@documented_by(ops.adaptive_max_pool3d, "input")
class AdaptiveMaxPool3d(AdaptiveMaxPool2d):
    """The largest elements of a given number of cells over three dimensions; see :class:`AdaptiveMaxPool2d`.

    Outputs:
        Tensor of shape (N, C, *output_size) or (C, *output_size), or a tuple of it and indices.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.AdaptiveMaxPool3d(2)(ms.ops.ones((1, 3, 4, 4, 4))).shape
        (1, 3, 2, 2, 2)
    """

    dims = 3

    def construct(self, input: Any) -> Any:
        """Return the largest elements of the cells."""
        return ops.adaptive_max_pool3d(input, self.output_size, self.return_indices)
