"""Parameter initializers: random distributions, constants and special matrices.

An initializer makes arrays of a shape and dtype (`make`). Random ones draw with NumPy, which needs no compilation for
every new shape, from NumPy's own seed, which `set_seed` sets: the numbers are MindSpore 2.10's, bit for bit
(`_philox`). It is the source of the formulas too.
"""

import math
from typing import Any

import numpy as np

from msjax.common.initializer_draws import (
    BY_NAME,
    draw_truncated_normal,
    fans,
    gain_of,
    make_undrawn,
    need_dimensions,
    normal,
    register_initializer,
    uniform,
)
from msjax.common.initializer_draws import BY_NAME as _INITIALIZER_ALIAS  # noqa: F401
from msjax.common.initializer_draws import Initializer as Initializer
from msjax.common.initializer_draws import _assignment as _assignment
from msjax.common.initializer_draws import _init_random_normal as _init_random_normal
from msjax.common.initializer_draws import _init_random_uniform as _init_random_uniform
from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor

__all__ = [
    "Constant",
    "Dirac",
    "HeNormal",
    "HeUniform",
    "Identity",
    "Initializer",
    "Normal",
    "One",
    "Orthogonal",
    "Sparse",
    "TruncatedNormal",
    "Uniform",
    "VarianceScaling",
    "XavierNormal",
    "XavierUniform",
    "Zero",
    "initializer",
]

# ------------------------------------------------------------------------------------------------- constants


@register_initializer("zeros")
class Zero(Initializer):
    """All 0.

    Examples:
        >>> from msjax.common.initializer import Zero, initializer
        >>> print(initializer(Zero(), (2,)).init_data())
        [0. 0.]
    """

    def _values(self, shape: tuple[int, ...]) -> Any:
        return 0


@register_initializer("ones")
class One(Initializer):
    """All 1.

    Examples:
        >>> from msjax.common.initializer import One, initializer
        >>> print(initializer(One(), (2,)).init_data())
        [1. 1.]
    """

    def _values(self, shape: tuple[int, ...]) -> Any:
        return 1


class Constant(Initializer):
    """All `value`.

    Args:
        value (int, float): the number.

    Examples:
        >>> from msjax.common.initializer import Constant, initializer
        >>> print(initializer(Constant(3), (2,)).init_data())
        [3. 3.]
    """

    def __init__(self, value: float) -> None:
        super().__init__(value=value)
        self.value = value

    def _values(self, shape: tuple[int, ...]) -> Any:
        if np.ndim(self.value):
            raise ValueError(
                f"`Constant`: argument `value` must be a number. Received: value={self.value!r}."
            )
        return self.value


@register_initializer()
class Identity(Initializer):
    """1 on the diagonal of a matrix, 0 elsewhere.

    Raises:
        ValueError: for shapes of other than 2 dimensions.

    Examples:
        >>> from msjax.common.initializer import Identity, initializer
        >>> print(initializer(Identity(), (2, 2)).init_data())
        [[1. 0.]
         [0. 1.]]
    """

    def _values(self, shape: tuple[int, ...]) -> Any:
        need_dimensions("Identity", shape, 2)
        return np.eye(*shape, dtype=np.float32)


@register_initializer()
class Dirac(Initializer):
    """Dirac initializer: a convolution kernel that passes as many channels as possible unchanged.

    Args:
        groups (int): groups of output channels, each of which starts over with the first input channel.

    Raises:
        ValueError: for shapes of other than 3, 4 or 5 dimensions, or whose first size `groups` does not divide.

    Examples:
        >>> from msjax.common.initializer import Dirac, initializer
        >>> print(initializer(Dirac(), (1, 1, 3)).init_data())
        [[[0. 1. 0.]]]
    """

    def __init__(self, groups: int = 1) -> None:
        super().__init__(groups=groups)
        self.groups = groups

    def _values(self, shape: tuple[int, ...]) -> Any:
        need_dimensions("Dirac", shape, 3, 4, 5)
        if self.groups < 1 or shape[0] % self.groups:
            raise ValueError(
                f"`Dirac`: argument `groups` must divide the first size {shape[0]}. Received: groups={self.groups}."
            )
        kernel = np.zeros(shape, np.float32)
        middle = tuple(size // 2 for size in shape[2:])
        per_group = shape[0] // self.groups
        for out in range(shape[0]):
            if out % per_group < shape[1]:
                kernel[(out, out % per_group, *middle)] = 1
        return kernel


# --------------------------------------------------------------------------------------------- distributions


@register_initializer()
class Normal(Initializer):
    """Drawn from the normal distribution N(mean, sigma^2).

    Args:
        sigma (float): standard deviation.
        mean (float): mean.

    Examples:
        >>> from msjax.common.initializer import Normal, initializer
        >>> initializer(Normal(0.02), (2, 3)).shape
        (2, 3)
    """

    def __init__(self, sigma: float = 0.01, mean: float = 0.0) -> None:
        super().__init__(sigma=sigma, mean=mean)
        self.sigma = sigma
        self.mean = mean

    def _values(self, shape: tuple[int, ...]) -> Any:
        if self.sigma < 0:
            raise ValueError(f"`Normal`: argument `sigma` must be at least 0. Received: sigma={self.sigma}.")
        return normal(shape, self.sigma, self.mean)


@register_initializer()
class Uniform(Initializer):
    """Drawn uniformly from [-scale, scale).

    Args:
        scale (float): half of the width.

    Examples:
        >>> from msjax.common.initializer import Uniform, initializer
        >>> bool((initializer(Uniform(0.1), (2, 3)).abs() <= 0.1).all())
        True
    """

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _values(self, shape: tuple[int, ...]) -> Any:
        return uniform(shape, self.scale)


@register_initializer()
class TruncatedNormal(Initializer):
    """Drawn from the normal distribution N(mean, sigma^2), limited to [a, b].

    Args:
        sigma (float): standard deviation before limiting.
        mean (float): mean before limiting.
        a (float): least value (not in units of `sigma`).
        b (float): greatest value.

    Examples:
        >>> from msjax.common.initializer import TruncatedNormal, initializer
        >>> bool((initializer(TruncatedNormal(sigma=5.0), (2, 3)).abs() <= 2).all())
        True
    """

    def __init__(self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0) -> None:
        super().__init__(sigma=sigma, mean=mean, a=a, b=b)
        self.sigma = sigma
        self.mean = mean
        self.a = a
        self.b = b

    def _values(self, shape: tuple[int, ...]) -> Any:
        if self.sigma <= 0:
            raise RuntimeError(
                f"`TruncatedNormal`: argument `sigma` must be greater than 0. Received: sigma={self.sigma}."
            )
        return draw_truncated_normal(shape, self.a, self.b, self.mean, self.sigma)


@register_initializer("xavier_uniform")
class XavierUniform(Initializer):
    """Drawn uniformly from +-gain * sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010).

    Args:
        gain (float): factor.

    Raises:
        ValueError: for shapes of fewer than 2 dimensions.

    Examples:
        >>> from msjax.common.initializer import XavierUniform, initializer
        >>> bool((initializer(XavierUniform(), (2, 4)).abs() <= 1).all())
        True
    """

    def __init__(self, gain: float = 1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _values(self, shape: tuple[int, ...]) -> Any:
        return uniform(shape, self.gain * math.sqrt(6 / sum(fans(shape))))


@register_initializer("xavier_normal")
class XavierNormal(Initializer):
    """Drawn from N(0, s^2) with s = gain * sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio 2010).

    Args:
        gain (float): factor.

    Raises:
        ValueError: for shapes of fewer than 2 dimensions.

    Examples:
        >>> from msjax.common.initializer import XavierNormal, initializer
        >>> initializer(XavierNormal(), (2, 4)).shape
        (2, 4)
    """

    def __init__(self, gain: float = 1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _values(self, shape: tuple[int, ...]) -> Any:
        return normal(shape, self.gain * math.sqrt(2 / sum(fans(shape))))


class _He(Initializer):
    """Base class of the initializers of He et al. 2015: gain / sqrt(fan)."""

    def __init__(
        self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
    ) -> None:  # fmt: skip
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        self.negative_slope = negative_slope
        self.mode = mode
        self.nonlinearity = nonlinearity

    def _deviation(self, shape: tuple[int, ...]) -> float:
        name = type(self).__name__
        if self.mode not in ("fan_in", "fan_out"):
            raise ValueError(
                f"`{name}`: argument `mode` must be 'fan_in' or 'fan_out'. Received: mode={self.mode!r}."
            )  # fmt: skip
        fan = fans(shape)[self.mode == "fan_out"]
        return gain_of(name, self.nonlinearity, self.negative_slope) / math.sqrt(fan)


@register_initializer("he_uniform")
class HeUniform(_He):
    """Drawn uniformly from +-gain * sqrt(3 / fan) (He et al. 2015).

    Args:
        negative_slope (float): of the leaky ReLU that follows.
        mode (str): "fan_in" keeps the variance of what goes forward, "fan_out" that of what comes back.
        nonlinearity (str): what follows: "leaky_relu" (gain sqrt(2 / (1 + negative_slope^2))), "relu" (sqrt(2)),
            "tanh" (5 / 3), "sigmoid", "linear" or a convolution (1).

    Raises:
        ValueError: for another `mode` or `nonlinearity`, or shapes of fewer than 2 dimensions.

    Examples:
        >>> from msjax.common.initializer import HeUniform, initializer
        >>> bool((initializer(HeUniform(), (2, 6)).abs() <= 1).all())
        True
    """

    def _values(self, shape: tuple[int, ...]) -> Any:
        return uniform(shape, math.sqrt(3) * self._deviation(shape))


@register_initializer("he_normal")
class HeNormal(_He):
    """Drawn from N(0, s^2) with s = gain / sqrt(fan) (He et al. 2015).

    Args:
        negative_slope (float): of the leaky ReLU that follows.
        mode (str): "fan_in" or "fan_out".
        nonlinearity (str): what follows; see `HeUniform`.

    Raises:
        ValueError: for another `mode` or `nonlinearity`, or shapes of fewer than 2 dimensions.

    Examples:
        >>> from msjax.common.initializer import HeNormal, initializer
        >>> initializer(HeNormal(), (2, 6)).shape
        (2, 6)
    """

    def _values(self, shape: tuple[int, ...]) -> Any:
        return normal(shape, self._deviation(shape))


@register_initializer()
class VarianceScaling(Initializer):
    """Drawn with variance scale / n.

    Args:
        scale (float): greater than 0.
        mode (str): n is "fan_in", "fan_out" or the mean "fan_avg".
        distribution (str): "uniform", "untruncated_normal", or "truncated_normal", which is uniform as in MindSpore.

    Raises:
        ValueError: for other settings.

    Examples:
        >>> from msjax.common.initializer import VarianceScaling, initializer
        >>> initializer(VarianceScaling(2.0, "fan_avg"), (2, 6)).shape
        (2, 6)
    """

    MODES = ("fan_in", "fan_out", "fan_avg")
    DISTRIBUTIONS = ("uniform", "truncated_normal", "untruncated_normal")

    def __init__(
        self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal"
    ) -> None:  # fmt: skip
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        for name, value, rule in (
            ("scale", scale, None if scale > 0 else "be greater than 0"),
            ("mode", mode, None if mode in self.MODES else f"be one of {self.MODES}"),
            (
                "distribution",
                distribution,
                None if distribution in self.DISTRIBUTIONS else f"be one of {self.DISTRIBUTIONS}",
            ),
        ):
            if rule is not None:
                raise ValueError(
                    f"`VarianceScaling`: argument `{name}` must {rule}. Received: {name}={value!r}."
                )
        self.scale = scale
        self.mode = mode
        self.distribution = distribution

    def _values(self, shape: tuple[int, ...]) -> Any:
        into, out = fans(shape)
        n = {"fan_in": into, "fan_out": out, "fan_avg": (into + out) / 2}[self.mode]
        deviation = math.sqrt(self.scale / max(1, n))
        if self.distribution == "untruncated_normal":
            return normal(shape, deviation)
        return uniform(shape, math.sqrt(3) * deviation)


@register_initializer()
class Orthogonal(Initializer):
    """Orthogonal initializer: orthonormal rows or columns, drawn uniformly; dimensions from the second on count as one.

    Args:
        gain (float): factor.

    Raises:
        ValueError: for shapes of fewer than 2 dimensions.

    References:
        Saxe, McClelland, Ganguli: Exact solutions to the nonlinear dynamics of learning in deep linear networks, 2013.

    Examples:
        >>> from msjax.common.initializer import Orthogonal, initializer
        >>> initializer(Orthogonal(), (2, 3, 4)).shape
        (2, 3, 4)
    """

    def __init__(self, gain: float = 1.0) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _values(self, shape: tuple[int, ...]) -> Any:
        if len(shape) < 2:
            raise ValueError(
                f"`Orthogonal`: the shape must have at least 2 dimensions. Received: shape={shape}."
            )
        rows, columns = shape[0], math.prod(shape[1:])
        drawn = normal((rows, columns), 1.0)
        q, r = np.linalg.qr(drawn.T if rows < columns else drawn)
        q *= np.sign(np.diagonal(r))
        return ((q.T if rows < columns else q) * self.gain).reshape(shape)


@register_initializer()
class Sparse(Initializer):
    """Sparse initializer: N(0, sigma^2), with a share of each column set to 0.

    Args:
        sparsity (float): the share, rounded up to whole elements.
        sigma (float): standard deviation of the other elements.

    Raises:
        ValueError: for shapes of other than 2 dimensions.

    Examples:
        >>> from msjax.common.initializer import Sparse, initializer
        >>> int((initializer(Sparse(0.5), (4, 3)) == 0).sum())
        6
    """

    def __init__(self, sparsity: float, sigma: float = 0.01) -> None:
        super().__init__(sparsity=sparsity, sigma=sigma)
        self.sparsity = sparsity
        self.sigma = sigma

    def _values(self, shape: tuple[int, ...]) -> Any:
        need_dimensions("Sparse", shape, 2)
        matrix = normal(shape, self.sigma)
        for column in range(shape[1]):
            order = np.random.permutation(shape[0])  # noqa: NPY002  MindSpore draws from there
            matrix[order[: math.ceil(self.sparsity * shape[0])], column] = 0
        return matrix


def initializer(init: Any, shape: Any = None, dtype: Any = dtypes.float32) -> Tensor:
    """Return a new Tensor with starting values.

    Args:
        init (Initializer, str, int, float, Tensor): an initializer; the name of one, in any case ("normal", "zeros",
            "xavier_uniform", "HeNormal" ...); a number, for a constant; or a Tensor of the same shape.
        shape (int, tuple, list): sizes.
        dtype (mindspore.dtype): of the Tensor.

    Returns:
        Tensor.

    Raises:
        TypeError: if `init` is none of these.
        ValueError: for a name without initializer, sizes that are not positive ints, or a Tensor of another shape.

    Examples:
        >>> from msjax.common.initializer import initializer
        >>> print(initializer("ones", (2, 2)).init_data())
        [[1. 1.]
         [1. 1.]]
    """
    if not isinstance(init, Tensor | Initializer | str | int | float | np.number):
        raise TypeError(
            "`initializer`: argument `init` must be an initializer object, its name, a number or a Tensor. "
            f"Received: init={init!r} ({type(init).__name__})."
        )
    if shape is None and not isinstance(init, Tensor):
        raise ValueError("`initializer`: argument `shape` must be given. Received: shape=None.")
    sizes: tuple[Any, ...] = tuple(shape) if isinstance(shape, list | tuple) else (shape,)
    if isinstance(init, Tensor):
        if init.shape != sizes:
            raise ValueError(
                f"`initializer`: argument `init` must have the shape {sizes}. Received: Tensor of shape {init.shape}."
            )
        return init
    if any(isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1 for n in sizes):
        held = isinstance(shape, list | tuple | int | np.integer | np.ndarray | float | str)
        raise (ValueError if held else TypeError)(
            f"`initializer`: argument `shape` must hold positive ints. Received: shape={shape!r}."
        )
    if isinstance(init, str):
        found = BY_NAME.get(init.lower())
        if found is None:
            raise ValueError(
                f"`initializer`: argument `init` must name one of {sorted(BY_NAME)}. Received: init={init!r}."
            )
        init = found()
    elif not isinstance(init, Initializer):
        init = Constant(float(init) if isinstance(init, np.number) else init)
    made = make_undrawn(init, sizes, dtype)
    made.init = init
    return made


# ---------------------------------------------------------------------- for user-defined initializers


def _calculate_fan_in_and_fan_out(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return fan-in and fan-out of a weight's shape.

    Examples:
        >>> from msjax.common.initializer import _calculate_fan_in_and_fan_out
        >>> _calculate_fan_in_and_fan_out((8, 4, 3, 3))
        (36, 72)
    """
    found = fans(tuple(shape))
    return int(found[0]), int(found[1])


def _calculate_correct_fan(shape: tuple[int, ...], mode: str) -> int:
    """Return `fan_in` or `fan_out`, by its name."""
    if str(mode).lower() not in ("fan_in", "fan_out"):
        raise ValueError(
            f"`_calculate_correct_fan`: argument `mode` must be 'fan_in' or 'fan_out'. Received: mode={mode!r}."
        )
    return _calculate_fan_in_and_fan_out(shape)[str(mode).lower() == "fan_out"]


def _calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the gain: the factor by which weights before an activation are scaled."""
    return gain_of("_calculate_gain", nonlinearity, 0.01 if param is None else param)
