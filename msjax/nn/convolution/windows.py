"""`Unfold`: sliding windows (im2col patches) of images."""

from typing import Any

from jax import lax

from msjax.core.op.op import op
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell


class Unfold(Cell):
    """The windows of images, each as one vector of channels: element (row, column, channel) of the window.

    Args:
        ksizes (Union[tuple, list]): [1, height, width, 1] of the windows.
        strides (Union[tuple, list]): [1, rows, columns, 1] from one window to the next.
        rates (Union[tuple, list]): [1, rows, columns, 1] from one pixel of a window to the next.
        padding (str): "valid", or "same": zeros around, so that only the strides make the result smaller.

    Inputs:
        - **x** (Tensor) - of shape (N, C, H, W).

    Outputs:
        Tensor of shape (N, height * width * C, rows, columns).

    Raises:
        TypeError: if `ksizes` is not a tuple or list, or `strides` or `rates` a number.
        ValueError: if an argument does not have the form above; at the call, if the windows are larger than the input.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.Unfold([1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1])
        >>> net(ms.ops.ones((2, 3, 6, 6))).shape
        (2, 12, 3, 3)
    """

    def __init__(self, ksizes: Any, strides: Any, rates: Any, padding: str = "valid") -> None:
        super().__init__()
        parameter_init.check_numbers("Unfold", tuple, list, ksizes=ksizes)
        self.ksizes = _rows_and_columns("ksizes", ksizes)
        self.strides = _rows_and_columns("strides", strides)
        self.rates = _rows_and_columns("rates", rates)
        if not isinstance(padding, str) or padding.lower() not in ("valid", "same"):
            raise ValueError(
                f"`Unfold`: argument `padding` must be 'valid' or 'same'. Received: {padding!r}."
            )
        self.padding = padding.upper()

    def construct(self, input_x: Any) -> Any:
        """Return the windows."""
        return _patches(input_x, self.ksizes, self.strides, self.rates, self.padding)


def _rows_and_columns(name: str, given: Any) -> tuple[int, int]:
    fits = isinstance(given, tuple | list) and len(given) == 4 and given[0] == given[3] == 1
    if not hasattr(given, "__len__"):
        raise TypeError(f"`Unfold`: argument `{name}` must be a tuple or a list. Received: {given!r}.")
    if not fits or not all(isinstance(n, int) and n > 0 for n in given[1:3]):
        raise ValueError(
            f"`Unfold`: argument `{name}` must be [1, rows, columns, 1] with positive ints. Received: {given!r}."
        )
    return given[1], given[2]


@op(static="ksizes strides rates padding")
def _patches(x: Any, ksizes: tuple, strides: tuple, rates: tuple, padding: str) -> Any:
    covered = [(size - 1) * rate + 1 for size, rate in zip(ksizes, rates, strict=True)]
    if padding == "VALID" and any(n < least for n, least in zip(x.shape[2:], covered, strict=True)):
        raise ValueError(
            f"`Unfold`: the windows, {tuple(covered)}, must fit into the input. Received: {x.shape}."
        )
    found = lax.conv_general_dilated_patches(x, ksizes, strides, padding, rhs_dilation=rates)
    n, c = x.shape[:2]
    places = found.shape[2:]
    return found.reshape(n, c, -1, *places).swapaxes(1, 2).reshape(n, -1, *places)
