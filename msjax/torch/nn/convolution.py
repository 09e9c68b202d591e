"""Convolution and transposed convolution modules."""

import math
from typing import Any

from msjax.torch.nn import functional as F
from msjax.torch.nn.making import draw_uniform, empty_parameter, with_device_and_dtype
from msjax.torch.nn.module import Module


@with_device_and_dtype
class _Convolution(Module):
    _dims, _transposed = 2, False

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros",
    ) -> None:  # fmt: skip
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups or out_channels % groups:
            raise ValueError("in_channels and out_channels must be divisible by groups")
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise ValueError(
                f"padding_mode must be one of 'zeros', 'reflect', 'replicate', 'circular', but got {padding_mode!r}"
            )
        each = lambda size: (size,) * self._dims if isinstance(size, int) else tuple(size)  # noqa: E731
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = each(kernel_size), each(stride), each(dilation)
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {padding!r}, should be one of 'valid', 'same'")
        if padding == "same" and any(step != 1 for step in self.stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
        self.padding = padding if isinstance(padding, str) else each(padding)
        self.padding_mode = padding_mode
        first, second = (in_channels, out_channels) if self._transposed else (out_channels, in_channels)
        shape = (first, second // groups, *self.kernel_size)
        self.weight = empty_parameter(*shape)
        self.register_parameter("bias", empty_parameter(out_channels) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        draw_uniform((self.weight, self.bias), math.prod(self.weight.shape[1:]))

    def forward(self, input: Any) -> Any:
        """Convolve a (n, channels, ...) tensor, or one without n."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._margins(), mode=self.padding_mode), (0,) * self._dims
        convolve = getattr(F, f"conv{self._dims}d")
        return convolve(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def _margins(self) -> list[int]:
        """Return how many elements to add before and after each axis, the last axis first, as `F.pad` takes them."""
        if self.padding == "valid":
            return [0] * 2 * self._dims
        if self.padding == "same":
            totals = [step * (size - 1) for step, size in zip(self.dilation, self.kernel_size, strict=True)]
            sizes = [(total // 2, total - total // 2) for total in totals]
        else:
            sizes = [(int(size), int(size)) for size in self.padding]
        return [n for pair in reversed(sizes) for n in pair]

    def extra_repr(self) -> str:
        """Return the sizes, and what is not as usual."""
        shown = [
            f"{self.in_channels}",
            f"{self.out_channels}",
            f"kernel_size={self.kernel_size}",
            f"stride={self.stride}",
        ]
        usual = {
            "padding": (0,) * self._dims,
            "output_padding": (0,) * self._dims,
            "dilation": (1,) * self._dims,
            "groups": 1,
            "padding_mode": "zeros",
        }
        shown += [
            f"{name}={getattr(self, name)}"
            for name, value in usual.items()
            if getattr(self, name, value) != value
        ]
        return ", ".join(shown + ["bias=False"] * (self.bias is None))


class Conv1d(_Convolution):
    """Cross-correlation over (n, channels, length)."""

    _dims = 1


class Conv2d(_Convolution):
    """Cross-correlation over (n, channels, height, width)."""


class Conv3d(_Convolution):
    """Cross-correlation over (n, channels, depth, height, width)."""

    _dims = 3


@with_device_and_dtype
class _Transposed(_Convolution):
    _transposed = True

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros",
    ) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias)
        self.output_padding = (
            (output_padding,) * self._dims if isinstance(output_padding, int) else tuple(output_padding)
        )

    def forward(self, input: Any, output_size: Any = None) -> Any:
        """Apply the transposed convolution to a (n, channels, ...) tensor.

        Args:
            input: the tensor.
            output_size: the sizes of the result, where several go with a stride.
        """
        convolve = getattr(F, f"conv_transpose{self._dims}d")
        extra = self.output_padding if output_size is None else self._fit(input, output_size)
        return convolve(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            extra,
            self.groups,
            self.dilation,
        )

    def _fit(self, input: Any, output_size: Any) -> tuple[int, ...]:
        """Return the `output_padding` for which the result has these sizes."""
        dims, own = self._dims, input.ndim - self._dims
        sizes = [int(size) for size in output_size]
        if len(sizes) not in (dims, dims + own):
            raise ValueError(
                f"ConvTranspose{dims}D: for {input.ndim}D input, output_size must have {dims} or {dims + own} elements "
                f"(got {len(sizes)})"
            )
        sizes = sizes[-dims:]
        settings = zip(self.stride, self.padding, self.dilation, self.kernel_size, strict=True)
        lowest = [
            (n - 1) * step - 2 * pad + spread * (kernel - 1) + 1
            for n, (step, pad, spread, kernel) in zip(input.shape[own:], settings, strict=True)
        ]
        highest = [low + step - 1 for low, step in zip(lowest, self.stride, strict=True)]
        if any(not low <= size <= high for low, size, high in zip(lowest, sizes, highest, strict=True)):
            raise ValueError(
                f"requested an output size of {sizes}, but valid sizes range from {lowest} to {highest} (for an input of "
                f"{input.shape[own:]})"
            )
        return tuple(size - low for size, low in zip(sizes, lowest, strict=True))


class ConvTranspose1d(_Transposed):
    """The transpose of :class:`Conv1d` with regard to its input."""

    _dims = 1


class ConvTranspose2d(_Transposed):
    """The transpose of :class:`Conv2d` with regard to its input."""


class ConvTranspose3d(_Transposed):
    """The transpose of :class:`Conv3d` with regard to its input."""

    _dims = 3
