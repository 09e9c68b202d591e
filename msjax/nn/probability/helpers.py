"""Helper methods of MindSpore's base classes for user-defined distributions and bijectors."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.tensor import Tensor
from msjax.nn.probability import given
from msjax.ops.array import shapes
from msjax.ops.math.arithmetic import square
from msjax.ops.math.elementary import exp, log, sqrt


class Helpers:
    """Functions under the names that a `_log_prob` or `_forward` written for MindSpore calls."""

    checktensor = staticmethod(given.check_tensor)
    checktuple = staticmethod(given.check_tuple)
    exp_base = staticmethod(exp)
    log_base = staticmethod(log)
    sqrt_base = staticmethod(sqrt)
    sq_base = staticmethod(square)

    @staticmethod
    def cast_base(x: Tensor, dtype: DType) -> Tensor:
        """The Tensor in another dtype."""
        return x.astype(dtype)

    @staticmethod
    def dtype_base(x: Tensor) -> DType:
        """The dtype of a Tensor."""
        return x.dtype

    @staticmethod
    def shape_base(x: Tensor) -> tuple[int, ...]:
        """The shape of a Tensor."""
        return x.shape

    @staticmethod
    def broadcast(x: Tensor, target: Tensor) -> Tensor:
        """The Tensor in the shape of another."""
        return x if x.shape == target.shape else shapes.broadcast_to(x, target.shape)

    def _check_value(self, value: Any, name: str) -> Any:
        """The value, or TypeError if it is no Tensor."""
        return given.check_tensor(value, name)


def read_only(name: str, meaning: str) -> Any:
    """A property that reads the attribute of its name with an underscore before it.

    Args:
        name: of the property.
        meaning: for the documentation.
    """
    return property(lambda self: getattr(self, f"_{name}"), doc=meaning)


def exp_generic(input_x: Tensor) -> Tensor:
    """exp, of integers in float32.

    Args:
        input_x: of any real dtype.
    """
    return exp(_floating(input_x))


def log_generic(input_x: Tensor) -> Tensor:
    """log, of integers in float32; NaN for negative values and minus infinity for zero.

    Args:
        input_x: of any real dtype.
    """
    return log(_floating(input_x))


def log1p_generic(x: Tensor) -> Tensor:
    """log(1 + x), of integers in float32.

    Args:
        x: of any real dtype.
    """
    return log_generic(x + 1.0)


def _floating(x: Tensor) -> Tensor:
    return x if x.dtype in dtypes.float_type else x.astype(dtypes.float32)


broadcast_to = Helpers.broadcast
