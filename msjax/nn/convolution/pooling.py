"""Max and average pooling layers."""

from collections.abc import Callable
from typing import Any

from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.ops.common import checks, window_args
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn import pooling as ops


class _Pool(Cell):
    """Base class of pooling layers with MindSpore's pad modes; `dims` is the number of window dimensions."""

    dims = 2

    def _set_up(
        self, kernel_size: Any, stride: Any, pad_mode: str, padding: Any, data_format: str, **flags: Any
    ) -> None:
        name, n = type(self).__name__, self.dims
        self._check_window(kernel_size=kernel_size)
        self._check_window(stride=stride)
        parameter_init.check_numbers(name, str, pad_mode=pad_mode)
        parameter_init.check_choice(name, ("same", "valid", "pad"), pad_mode=pad_mode.lower())
        parameter_init.check_choice(name, ("NCHW",), data_format=data_format)
        self.kernel_size = kernel_size
        self.stride = stride
        self.pad_mode = pad_mode.upper()
        self.padding = tuple(padding) if isinstance(padding, list) else padding
        checks.as_int_tuple(name, n, 0, padding=self.padding)
        if self.pad_mode != "PAD" and self._pads():
            raise ValueError(
                f"`{name}`: argument `padding` must be 0 with pad_mode={pad_mode!r}. Received: {padding}; with "
                "pad_mode='pad' it counts."
            )
        parameter_init.check_bools(name, **flags)
        self._window = (kernel_size, stride, self.pad_mode, self.padding)  # of the operator, as it was made

    def _check_window(self, **size: Any) -> None:
        name, n = type(self).__name__, self.dims
        ((what, given),) = size.items()
        if isinstance(given, tuple) and not all(type(v) is int and v > 0 for v in given):
            checks.fail(ValueError, name, what, f"be a positive int or {n} of them", given)
        parameter_init.check_numbers(name, *((int,) if n == 1 else (int, tuple)), **size)
        if n == 3 and isinstance(given, tuple) and len(given) != n:
            checks.fail(ValueError, name, what, f"be an int or {n} of them", given)
        checks.as_int_tuple(name, n, **size)

    def _pads(self) -> bool:
        return any(self.padding) if isinstance(self.padding, tuple) else self.padding != 0

    def _padding(self, x: Any) -> Any:
        """Return the padding of an input: as given, or what "same" needs, before and after in each dimension."""
        name, n = type(self).__name__, self.dims
        if x.ndim not in (n + 1, n + 2):
            raise ValueError(
                f"`{name}`: the input must have {n + 1} or {n + 2} dimensions. Received: {x.shape}."
            )
        *window, pad_mode, padding = self._window
        if pad_mode != "SAME":
            return padding
        kernel, stride = (checks.as_int_tuple(name, n, size=size) for size in window)
        pairs = window_args.same_padding(x.shape[-n:], kernel, stride, (1,) * n)
        return tuple(side for pair in pairs for side in pair)

    def extend_repr(self) -> str:
        """Window, step and pad mode."""
        kernel, stride = self.kernel_size, self.stride
        if self.dims == 1 and self.pad_mode != "PAD":
            kernel, stride = (1, kernel), (1, stride)
        return f"kernel_size={kernel}, stride={stride}, pad_mode={self.pad_mode}"


class _MaxPool(_Pool):
    """Maxima of windows.

    Args:
        kernel_size (int, tuple): size of the window.
        stride (int, tuple): step of the window.
        pad_mode (str): "valid" only whole windows, "same" ceil(size / stride) of them, "pad" adds `padding`.
        padding (int, tuple): elements (never the largest) added around, with "pad".
        dilation (int, tuple): distance of the window's elements, with "pad".
        return_indices (bool): also give where the largest elements are, with "pad".
        ceil_mode (bool): let a last, incomplete window count, with "pad".
        data_format (str): "NCHW".

    Raises:
        TypeError: for sizes that are not ints.
        ValueError: for arguments out of range or in need of another pad mode; at the call, for another shape.
    """

    function: Callable

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__()
        flags = {"return_indices": return_indices, "ceil_mode": ceil_mode}
        if isinstance(pad_mode, str) and pad_mode.lower() in ("same", "valid"):
            given = {} if self.dims == 3 else {"padding": padding}
            self._check_unpadded(pad_mode, **given, dilation=dilation, **flags)
        self._set_up(kernel_size, stride, pad_mode, padding, data_format, **flags)
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode
        self._rest = (dilation, return_indices, ceil_mode)
        checks.as_int_tuple(type(self).__name__, self.dims, dilation=dilation)

    def _check_unpadded(self, pad_mode: str, **given: Any) -> None:
        usual = {"padding": 0, "dilation": 1, "return_indices": False, "ceil_mode": False}
        for name, value in given.items():
            if bool(value) if usual[name] is False else value != usual[name]:
                raise ValueError(
                    f"`{type(self).__name__}`: argument `{name}` must be {usual[name]} with pad_mode={pad_mode!r}. "
                    f"Received: {value!r}; with pad_mode='pad' it counts."
                )

    def construct(self, x: Any) -> Any:
        """Return the largest element of each window."""
        dilation, return_indices, ceil_mode = self._rest
        return type(self).function(
            x,
            *self._window[:2],
            self._padding(x),
            dilation,
            return_indices=return_indices,
            ceil_mode=ceil_mode,
        )


@documented_by(_MaxPool)
@applies()
class MaxPool1d(_MaxPool):
    """Max pooling over one dimension; see :class:`MaxPool2d`.

    Args:
        kernel_size (int): size of the window.
        stride (int): step of the window.
        padding (int): elements (never the largest) added on both sides, with "pad".
        dilation (int): distance of the window's elements, with "pad".

    Inputs:
        - **x** (Tensor) - of shape (N, C, L) or (C, L).

    Outputs:
        Tensor of shape (N, C, L') or (C, L'), or a tuple of it and indices.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.MaxPool1d(2)(ms.Tensor([[[1.0, 3.0, 2.0]]])))
        [[[3. 3.]]]
    """

    dims = 1
    function = staticmethod(ops.max_pool1d)

    kernel_size: Any = 1
    stride: Any = 1
    pad_mode: str = "valid"
    padding: Any = 0
    dilation: Any = 1
    return_indices: bool = False
    ceil_mode: bool = False

    def extend_repr(self) -> str:
        """Window, step and pad mode."""
        ones = (1, 1) if self.pad_mode == "PAD" else (1,)
        return f"kernel_size={(*ones, self.kernel_size)}, stride={(*ones, self.stride)}, pad_mode={self.pad_mode}"


@documented_by(_MaxPool)
class MaxPool2d(_MaxPool):
    """The largest element of each window over two dimensions.

    Args:
        return_indices (bool): also give where, in the flattened H x W, the largest elements are, with "pad".

    Inputs:
        - **x** (Tensor) - of shape (N, C, H, W) or (C, H, W).

    Outputs:
        Tensor of shape (N, C, H', W') or (C, H', W'), or a tuple of it and indices.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.MaxPool2d(2, 2)(ms.Tensor([[[[1.0, 3.0], [2.0, 0.0]]]])))
        [[[[3.]]]]
    """

    function = staticmethod(ops.max_pool2d)


@documented_by(_MaxPool)
@applies()
class MaxPool3d(_MaxPool):
    """The largest element of each window over three dimensions; see :class:`MaxPool2d`.

    Inputs:
        - **x** (Tensor) - of shape (N, C, D, H, W) or (C, D, H, W).

    Outputs:
        Tensor of shape (N, C, D', H', W') or (C, D', H', W'), or a tuple of it and indices.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.MaxPool3d(2, 2)(ms.ops.ones((1, 2, 4, 4, 4))).shape
        (1, 2, 2, 2, 2)
    """

    dims = 3
    function = staticmethod(ops.max_pool3d)

    kernel_size: Any = 1
    stride: Any = 1
    pad_mode: str = "valid"
    padding: Any = 0
    dilation: Any = 1
    return_indices: bool = False
    ceil_mode: bool = False


@documented_by(_MaxPool)
class _AvgPool(_Pool):
    """Means of windows.

    Args:
        padding (int, tuple): zeros around, with "pad".
        ceil_mode (bool): let a last, incomplete window count.
        count_include_pad (bool): count padding among the elements.
        divisor_override (int): divide sums by this instead of by the number of elements.

    Raises:
        TypeError: for sizes that are not ints.
        ValueError: for arguments out of range; at the call, for an input of another shape.
    """

    function: Callable

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__()
        flags = {"ceil_mode": ceil_mode, "count_include_pad": count_include_pad}
        self._set_up(kernel_size, stride, pad_mode, padding, data_format, **flags)
        if isinstance(divisor_override, int | float) and divisor_override <= 0:
            raise ValueError(
                f"`{type(self).__name__}`: argument `divisor_override` must be positive. Received: {divisor_override}."
            )
        if divisor_override is not None:
            parameter_init.check_numbers(type(self).__name__, int, divisor_override=divisor_override)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override
        self._rest = (ceil_mode, count_include_pad, divisor_override)

    def construct(self, x: Any) -> Any:
        """Return the mean of each window; what "same" adds counts with three dimensions or `ceil_mode` alone."""
        ceil_mode, counts, divisor_override = self._rest
        # With `ceil_mode`, MindSpore's layers of one and two dimensions call the operator for three.
        counts = counts and (self._window[2] != "SAME" or self.dims == 3 or ceil_mode)
        divisor = {} if divisor_override is None else {"divisor_override": divisor_override}
        return type(self).function(x, *self._window[:2], self._padding(x), ceil_mode, counts, **divisor)


@documented_by(_AvgPool)
@applies()
class AvgPool1d(_AvgPool):
    """Average pooling over one dimension; see :class:`AvgPool2d`.

    Args:
        kernel_size (int): size of the window.
        stride (int): step of the window.
        padding (int): zeros on both sides, with "pad".

    Inputs:
        - **x** (Tensor) - of shape (N, C, L) or (C, L), floating.

    Outputs:
        Tensor of shape (N, C, L') or (C, L').

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.AvgPool1d(2)(ms.Tensor([[[1.0, 3.0, 2.0]]])))
        [[[2.  2.5]]]
    """

    dims = 1
    function = staticmethod(ops.avg_pool1d)

    kernel_size: int = 1
    stride: int = 1
    pad_mode: str = "valid"
    padding: int = 0
    ceil_mode: bool = False
    count_include_pad: bool = True


@documented_by(_AvgPool)
class AvgPool2d(_AvgPool):
    """The mean of each window over two dimensions.

    Inputs:
        - **x** (Tensor) - of shape (N, C, H, W) or (C, H, W), floating.

    Outputs:
        Tensor of shape (N, C, H', W') or (C, H', W').

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.AvgPool2d(2)(ms.Tensor([[[[1.0, 3.0], [2.0, 0.0]]]])))
        [[[[1.5]]]]
    """

    function = staticmethod(ops.avg_pool2d)


@documented_by(_AvgPool)
@applies()
class AvgPool3d(_AvgPool):
    """The mean of each window over three dimensions; see :class:`AvgPool2d`.

    Inputs:
        - **x** (Tensor) - of shape (N, C, D, H, W) or (C, D, H, W), floating.

    Outputs:
        Tensor of shape (N, C, D', H', W') or (C, D', H', W').

    Examples:
        >>> import msjax as ms
        >>> ms.nn.AvgPool3d(2, 2)(ms.ops.ones((1, 2, 4, 4, 4))).shape
        (1, 2, 2, 2, 2)
    """

    dims = 3
    function = staticmethod(ops.avg_pool3d)

    kernel_size: Any = 1
    stride: Any = 1
    pad_mode: str = "valid"
    padding: Any = 0
    ceil_mode: bool = False
    count_include_pad: bool = True
    divisor_override: int | None = None
