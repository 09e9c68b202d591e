"""Padding and upsampling modules."""

from typing import Any

from msjax.torch.nn import functional as F
from msjax.torch.nn.module import Module


class _Pad(Module):
    _dims, _mode = 2, "constant"

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = (padding,) * (2 * self._dims) if isinstance(padding, int) else tuple(padding)

    def forward(self, input: Any) -> Any:
        """Pad a (n, channels, ...) tensor, or one without n."""
        if self._mode == "constant":
            return F.pad(input, self.padding, "constant", getattr(self, "value", 0.0))
        if self._mode == "circular" and input.ndim not in (self._dims + 1, self._dims + 2):
            raise ValueError(
                f"expected {self._dims + 1}D or {self._dims + 2}D input (got {input.ndim}D input)"
            )
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"{self.padding}"


class _Constant(_Pad):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def extra_repr(self) -> str:
        """Return the sizes, and the value."""
        return f"padding={self.padding}, value={self.value}"


class _Zero(_Pad):
    value = 0.0


def _make_padding(name: str, dims: int, base: type, mode: str) -> type:
    members = {"_dims": dims, "_mode": mode, "__module__": __name__}
    members["__doc__"] = f"Adds a border ({mode}) in {dims} dimension{'s' * (dims > 1)}."
    return type(name, (base,), members)


_KINDS = {
    "ReflectionPad": (_Pad, "reflect"),
    "ReplicationPad": (_Pad, "replicate"),
    "CircularPad": (_Pad, "circular"),
    "ConstantPad": (_Constant, "constant"),
    "ZeroPad": (_Zero, "constant"),
}
MADE = {
    f"{kind}{dims}d": _make_padding(f"{kind}{dims}d", dims, *settings)
    for kind, settings in _KINDS.items()
    for dims in (1, 2, 3)
}
globals().update(MADE)


class Upsample(Module):
    """Upsampling by interpolation; see :func:`msjax.torch.nn.functional.interpolate`."""

    def __init__(
        self, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.size, self.mode, self.align_corners = size, mode, align_corners
        many = isinstance(scale_factor, tuple | list)
        self.scale_factor = (
            tuple(map(float, scale_factor)) if many else float(scale_factor) if scale_factor else None
        )

    def forward(self, input: Any) -> Any:
        """Resize a (n, channels, ...) tensor."""
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners)

    def extra_repr(self) -> str:
        """Return the settings."""
        what = "size" if self.scale_factor is None else "scale_factor"
        return f"{what}={getattr(self, what)!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Upsampling that repeats."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """Bilinear upsampling with aligned corners."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", align_corners=True)


class Softmax2d(Module):
    """Softmax over the channels of a (n, channels, height, width) tensor."""

    def forward(self, input: Any) -> Any:
        """Apply softmax over the channels of a tensor with three or four dimensions.

        Raises:
            ValueError: for others.
        """
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3)
