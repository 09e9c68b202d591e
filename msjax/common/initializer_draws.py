"""Base class of the initializers, and their shared draws and formulas."""

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from msjax.common import _philox
from msjax.core import dtype as dtypes
from msjax.core.state import override_state, state
from msjax.core.tensor import printing, random_state
from msjax.core.tensor.tensor import Tensor

BY_NAME: dict[str, type["Initializer"]] = {}


def register_initializer(*names: str) -> Callable[[type["Initializer"]], type["Initializer"]]:
    """Register an initializer class under its own name and these, case-insensitively."""

    def register(cls: type["Initializer"]) -> type["Initializer"]:
        for name in (cls.__name__, *names):
            BY_NAME[name.lower()] = cls
        return cls

    return register


def _register(*aliases: str) -> Callable[[type["Initializer"]], type["Initializer"]]:
    """Register a user's initializer class under its name and these, where they are not taken."""

    def register(cls: type["Initializer"]) -> type["Initializer"]:
        for name in (cls.__name__.lower(), *aliases):
            BY_NAME.setdefault(name, cls)
        return cls

    return register


def seed() -> int:
    """Return the seed of the random numbers of one array."""
    need_values()
    return _philox.seed()


def need_values() -> None:
    """Raise where no numbers can be drawn."""
    if state.frame is not None:
        raise RuntimeError(
            "An initializer draws when a layer or parameter is made, which cannot happen inside a compiled or "
            "transformed function. Make it before, and use it there."
        )


def of_numpy(draw: str, *settings: Any) -> np.ndarray:
    """Draw with a function of `numpy.random`, where MindSpore's initializer starts with that."""
    need_values()
    return getattr(np.random, draw)(*settings)


class Initializer:
    """The base of all initializers.

    A subclass fills an array in place in `_initialize(self, arr)`, or gives `_values(self, shape)`.

    Args:
        **kwargs: settings, kept for printing.

    Examples:
        >>> import msjax as ms
        >>> from msjax.common.initializer import Initializer, initializer
        >>> class Sevens(Initializer):
        ...     def _initialize(self, arr):
        ...         arr[:] = 7
        >>> print(initializer(Sevens(), (2,)).init_data())
        [7. 7.]
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs
        self._seed: int | None = None

    @property
    def seed(self) -> int | None:
        """Return a seed for subclasses to draw with; the built-in ones draw from the package's random state."""
        return random_state.get_seed() if self._seed is None else self._seed

    @seed.setter
    def seed(self, value: int) -> None:
        self._seed = value

    def _values(self, shape: tuple[int, ...]) -> Any:
        """Return the initial values for a shape: float32, or an array that converts to the dtype."""
        raise NotImplementedError(f"{type(self).__name__} defines neither `_initialize` nor `_values`.")

    def _initialize(self, arr: np.ndarray) -> None:
        """Fill a NumPy array. A Tensor stays as it is: MindSpore fills a copy of it with a number, and refuses the rest."""
        values = self._values(arr.shape)
        if not isinstance(arr, Tensor):
            arr[...] = values
        elif np.ndim(values):
            name = type(self).__name__
            raise TypeError(
                f"`{name}`: NumPy's arrays are filled in place, a Tensor is not. Received: {type(arr).__name__}. "
                f"Use x.set_data(initializer({name}(), x.shape, x.dtype))."
            )

    def __call__(self, arr: np.ndarray) -> None:
        """Fill a NumPy array."""
        self._initialize(arr)

    def make(self, shape: tuple[int, ...], dtype: Any = dtypes.float32) -> Tensor:
        """Return a new Tensor.

        Args:
            shape: its sizes.
            dtype: its dtype.
        """
        wanted = dtypes.as_np(dtype)
        arr = np.zeros(shape, wanted if wanted in (np.float64, np.complex64, np.complex128) else np.float32)
        self._initialize(arr)
        return Tensor(arr.astype(wanted, copy=False))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._kwargs.items())})"


class Undrawn(Tensor):
    """A Tensor whose initializer draws when its values are first asked for: by `init_data`, or by a Parameter made of it."""

    __slots__ = ()

    _draw: Callable[[], Tensor]
    _sizes: tuple[int, ...]
    _kind: np.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions."""
        return self._sizes

    @property
    def dtype(self) -> dtypes.DType:
        """MindSpore's dtype of the elements."""
        return dtypes.of(self._kind)

    def init_data(self, *args: object, **kwargs: object) -> Tensor:
        """Draw the values, and return the Tensor itself, which holds them from now on."""
        self._raw  # noqa: B018
        return self.init_data(*args, **kwargs)  # that of Tensor

    def __str__(self) -> str:
        return printing.uninitialized_repr(self._sizes, self._kind)

    def __getattr__(self, name: str) -> Any:
        if name != "_raw":
            return object.__getattribute__(self, name)  # raises, in the words of the attribute
        with override_state(frame=None), jax.ensure_compile_time_eval():
            self._raw = self._draw()._raw
        del self._draw, self._sizes, self._kind
        self.__class__ = Tensor  # type: ignore[assignment]
        return self._raw


def make_undrawn(initializer: Initializer, shape: tuple[int, ...], dtype: Any) -> Tensor:
    """Return a new Tensor that draws from an initializer late: NumPy's seeds go to Parameters in MindSpore's order."""
    if state.frame is not None:
        return initializer.make(shape, dtype)
    made = object.__new__(Undrawn)
    made._home = made._node = made._view = made._grad = made._joint = None
    made._version, made._owned = 0, False
    made._draw = functools.partial(initializer.make, shape, dtype)
    made._sizes, made._kind = shape, dtypes.as_np(dtype)
    return made


def need_dimensions(name: str, shape: tuple[int, ...], *allowed: int) -> None:
    """Raise ValueError unless the shape has one of the allowed numbers of dimensions."""
    if len(shape) not in allowed:
        dims = " or ".join(map(str, allowed))
        raise ValueError(f"`{name}`: the shape must have {dims} dimensions. Received: shape={shape}.")


def normal(shape: tuple[int, ...], sigma: float, mean: float = 0.0) -> np.ndarray:
    """Draw from a normal distribution, as MindSpore's generator does."""
    return _philox.normal(seed(), math.prod(shape), mean, sigma).reshape(shape)


def uniform(shape: tuple[int, ...], bound: float) -> np.ndarray:
    """Draw uniformly from [-bound, bound), as MindSpore's generator does."""
    return _philox.uniform(seed(), math.prod(shape), -bound, bound).reshape(shape)


def draw_truncated_normal(
    shape: tuple[int, ...], low: float, high: float, mean: float, sigma: float
) -> np.ndarray:
    """Draw from a normal distribution truncated to [low, high], as MindSpore's generator does."""
    return _philox.draw_truncated_normal(seed(), math.prod(shape), low, high, mean, sigma).reshape(shape)


def fans(shape: tuple[int, ...]) -> tuple[float, float]:
    """Return fan-in and fan-out of a weight's shape (dense layer or convolution)."""
    if len(shape) < 2:
        raise ValueError(
            "The numbers of inputs and outputs of a weight need a shape of at least 2 dimensions. "
            f"Received: shape={shape}."
        )
    field = math.prod(shape[2:])
    return max(shape[1] * field, 1), max(shape[0] * field, 1)


def gain_of(name: str, nonlinearity: str, slope: float) -> float:
    """Return the gain of a nonlinearity: by how much it shrinks the variance of its input."""
    gains = {"tanh": 5 / 3, "relu": math.sqrt(2), "leaky_relu": math.sqrt(2 / (1 + slope**2))}
    gains |= dict.fromkeys(("sigmoid", "linear", "conv1d", "conv2d", "conv3d"), 1.0)
    if nonlinearity not in gains:
        raise ValueError(
            f"`{name}`: argument `nonlinearity` must be one of {list(gains)}. Received: nonlinearity={nonlinearity!r}."
        )
    return gains[nonlinearity]


# ------------------------------------------------------- MindSpore's inside names, for initializers of other packages


def _assignment(arr: np.ndarray, num: Any) -> np.ndarray:
    """Fill an array with a number or with another array, and return it."""
    arr[...] = num
    return arr


def _init_random_normal(mean: float, sigma: float, shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of normally distributed numbers."""
    if sigma < 0:
        raise ValueError(f"`sigma` must not be negative. Received: {sigma}.")
    return normal(tuple(shape), sigma, mean)


def _init_random_uniform(a: float, b: float, shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of numbers that are uniformly distributed in [a, b)."""
    return _philox.uniform(seed(), math.prod(shape), a, b).reshape(tuple(shape))
