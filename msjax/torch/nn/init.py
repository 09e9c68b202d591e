"""`torch.nn.init`: in-place initialization."""

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any

from msjax import ops
from msjax.core.autodiff.imperative import no_grad
from msjax.torch.functions import basic, served_from_mint
from msjax.torch.tensors.call_conventions import drawing_from, replace_value
from msjax.torch.tensors.tensor import Tensor

_GAINS = {"linear": 1.0, "conv1d": 1.0, "conv2d": 1.0, "conv3d": 1.0, "conv_transpose1d": 1.0, "conv_transpose2d": 1.0,
          "conv_transpose3d": 1.0, "sigmoid": 1.0, "tanh": 5 / 3, "relu": math.sqrt(2), "selu": 0.75}  # fmt: skip


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the gain that keeps the variance through a nonlinearity.

    Raises:
        ValueError: for one that is not known.

    Examples:
        >>> from msjax.torch.nn import init
        >>> round(init.calculate_gain("relu"), 4)
        1.4142
    """
    if nonlinearity == "leaky_relu":
        return math.sqrt(2 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return _GAINS[nonlinearity]


def fan_in_and_out(tensor: Tensor) -> tuple[int, int]:
    """Return how many inputs reach an output, and how many outputs an input reaches."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _fan(tensor: Tensor, mode: str) -> int:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return fan_in_and_out(tensor)[mode == "fan_out"]


def of_all_rows(fill: Callable) -> Callable:
    """Fill a tensor; for one in parts (`fully_shard`), draw all rows and keep this process's.

    Processes with one seed would have the same rows otherwise, and all that counts rows would count theirs.
    """

    @functools.wraps(fill)
    def call(tensor: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        cut = getattr(tensor, "cut", None)
        if cut is None:
            return fill(tensor, *args, **kwargs)
        return replace_value(tensor, cut(fill(tensor.whole_zeros(), *args, **kwargs)))  # type: ignore[attr-defined]

    return call


@no_grad()
@of_all_rows
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform numbers in [a, b)."""
    with drawing_from(generator):
        return replace_value(tensor, basic.rand_like(tensor) * (b - a) + a)


@no_grad()
@of_all_rows
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Normal numbers."""
    with drawing_from(generator):
        return replace_value(tensor, basic.randn_like(tensor) * std + mean)


@no_grad()
@of_all_rows
def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Tensor:
    """Normal numbers limited to [a, b], by the inverse of the distribution function."""
    low, high = (0.5 * (1 + math.erf((end - mean) / (std * math.sqrt(2)))) for end in (a, b))
    with drawing_from(generator):
        share = basic.rand_like(tensor) * (high - low) + low
    drawn = ops.erfinv(share * 2 - 1) * (std * math.sqrt(2)) + mean
    return replace_value(tensor, ops.clamp(drawn, a, b))


@no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    """One value."""
    return tensor.fill_(val)  # type: ignore[attr-defined]


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return constant_(tensor, 1.0)


@no_grad()
@of_all_rows
def eye_(tensor: Tensor) -> Tensor:
    """Ones on the diagonal of a matrix."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return replace_value(tensor, basic.eye(*tensor.shape, dtype=tensor.dtype))


@no_grad()
@of_all_rows
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Ones where a convolution passes its input through, in each group.

    Raises:
        ValueError: if the tensor is no convolution's, or its channels do not make `groups` groups.
    """
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    out, into, *sizes = tensor.shape
    if out % groups:
        raise ValueError("dim 0 must be divisible by groups")
    each = out // groups
    made = basic.zeros(*tensor.shape, dtype=tensor.dtype)
    for group in range(groups):
        for i in range(min(each, into)):
            made[(group * each + i, i, *[size // 2 for size in sizes])] = 1
    return replace_value(tensor, made)


@no_grad()
@of_all_rows
def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform in ±gain sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010)."""
    bound = gain * math.sqrt(6 / sum(fan_in_and_out(tensor)))
    return uniform_(tensor, -bound, bound, generator=generator)


@no_grad()
@of_all_rows
def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Normal, of deviation gain sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio, 2010)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2 / sum(fan_in_and_out(tensor))), generator=generator)


@no_grad()
@of_all_rows
def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Uniform in ±gain sqrt(3 / fan) (He and others, 2015)."""
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / _fan(tensor, mode))
    return uniform_(tensor, -bound, bound, generator=generator)


@no_grad()
@of_all_rows
def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Normal, of deviation gain / sqrt(fan) (He and others, 2015)."""
    return normal_(
        tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode)), generator=generator
    )


@no_grad()
@of_all_rows
def orthogonal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with orthonormal rows or columns, times gain (Saxe and others, 2013)."""
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    rows, columns = tensor.shape[0], math.prod(tensor.shape[1:])
    if not rows * columns:
        return tensor
    with drawing_from(generator):
        drawn: Any = basic.randn(max(rows, columns), min(rows, columns))
    q, r = ops.qr(drawn)
    q = q * ops.sign(served_from_mint.find_function("diag")(r))
    q = q if rows >= columns else ops.swapaxes(q, 0, 1)
    return replace_value(tensor, ops.reshape(q, tuple(tensor.shape)) * gain)


@no_grad()
@of_all_rows
def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Fill with normal numbers; in each column the share `sparsity` is 0."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows = tensor.shape[0]
    normal_(tensor, 0, std, generator)
    with drawing_from(generator):
        order = basic.rand_like(tensor).argsort(dim=0)
    kept = order.argsort(dim=0) >= math.ceil(sparsity * rows)
    return replace_value(tensor, tensor * kept)


def _make_deprecated(fill: Callable) -> Callable:
    name = fill.__name__

    def deprecated(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(
            f"`nn.init.{name[:-1]}` is now deprecated in favor of `nn.init.{name}`.",
            FutureWarning,
            stacklevel=2,
        )
        return fill(*args, **kwargs)

    deprecated.__name__ = deprecated.__qualname__ = name[:-1]
    deprecated.__doc__ = f"The former name of :func:`{name}`."
    return deprecated


globals().update(
    {
        fill.__name__[:-1]: _make_deprecated(fill)
        for fill in (
            uniform_, normal_, constant_, eye_, dirac_, xavier_uniform_, xavier_normal_, kaiming_uniform_,
            kaiming_normal_, orthogonal_, sparse_,
        )
    }
)  # fmt: skip


def __getattr__(name: str) -> Any:
    return served_from_mint.make_placeholder("torch.nn.init", name)
