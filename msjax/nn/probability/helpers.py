"""Helper methods of MindSpore's base classes for user-defined distributions and bijectors."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from msjax.config import context
from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.tensor import Tensor
from msjax.nn.probability import given
from msjax.ops import operations
from msjax.ops.array import shapes
from msjax.ops.math.arithmetic import square
from msjax.ops.math.elementary import exp, log, sqrt
from msjax.ops.random import draws

# Operators that MindSpore's distributions and bijectors keep as attributes, for classes derived from them: what makes
# each, given the object. A name stands for the same operator in all of them, so one table serves all classes.
_NAMES = """
    abs=Abs atan=Atan cast=Cast const=ScalarToTensor consttensor=ScalarToTensor cumsum=CumSum dtypeop=DType
    equal=Equal equal_base=Equal erf=Erf expand_dim=ExpandDims expm1=Expm1 fill=Fill floor=Floor
    gather=GatherNd greater=Greater igamma=Igamma isnan=IsNan less=Less lessequal=LessEqual lgamma=Lgamma
    log_softmax=LogSoftmax logicaland=LogicalAnd logicalor=LogicalOr logicand=LogicalAnd
    logicor=LogicalOr multinomial=Multinomial neg=Neg oneslike=OnesLike pow=Pow reshape=Reshape
    select=Select select_base=Select shape=Shape sigmoid=Sigmoid softmax=Softmax sq=Square sqrt=Sqrt
    square=Square tan=Tan transpose=Transpose zeroslike=ZerosLike argmax=ArgMaxWithValue
"""


def _operator(name: str, *settings: Any) -> Callable[[Any], Any]:
    return lambda owner: getattr(operations, name)(*settings)


_OPERATORS = {
    **{name: _operator(operator) for name, _, operator in (row.partition("=") for row in _NAMES.split())},
    "concat": _operator("Concat", -1),
    "reduce_sum": _operator("ReduceSum", True),
    "squeeze": _operator("Squeeze", 0),
    "squeeze_first_axis": _operator("Squeeze", 0),
    "squeeze_last_axis": _operator("Squeeze", -1),
    "exp": lambda owner: exp_generic,
    "log": lambda owner: log_generic,
    "log1p": lambda owner: log1p_generic,
    "uniform": lambda owner: draws.uniform,
    "device_target": lambda owner: context.get_context("device_target"),
}


class Helpers:
    """Functions under the names that a `_log_prob` or `_forward` written for MindSpore calls."""

    _kept = MappingProxyType(_OPERATORS)

    checktensor = staticmethod(given.check_tensor)
    checktuple = staticmethod(given.check_tuple)
    exp_base = staticmethod(exp)
    log_base = staticmethod(log)
    sqrt_base = staticmethod(sqrt)
    sq_base = staticmethod(square)

    @staticmethod
    def cast_base(x: Tensor, dtype: DType) -> Tensor:
        """Return the Tensor in another dtype."""
        return x.astype(dtype)

    @staticmethod
    def dtype_base(x: Tensor) -> DType:
        """Return the dtype of a Tensor."""
        return x.dtype

    @staticmethod
    def shape_base(x: Tensor) -> tuple[int, ...]:
        """Return the shape of a Tensor."""
        return x.shape

    @staticmethod
    def broadcast(x: Tensor, target: Tensor) -> Tensor:
        """Return the Tensor in the shape of another."""
        return x if x.shape == target.shape else shapes.broadcast_to(x, target.shape)

    def _check_value(self, value: Any, name: str) -> Any:
        """Return the value, or TypeError if it is no Tensor."""
        return given.check_tensor(value, name)


def read_only(name: str, meaning: str) -> Any:
    """Return a property that reads the attribute of its name with an underscore before it.

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
    return exp(_to_floating(input_x))


def log_generic(input_x: Tensor) -> Tensor:
    """log, of integers in float32; NaN for negative values and minus infinity for zero.

    Args:
        input_x: of any real dtype.
    """
    return log(_to_floating(input_x))


def log1p_generic(x: Tensor) -> Tensor:
    """log(1 + x), of integers in float32.

    Args:
        x: of any real dtype.
    """
    return log_generic(x + 1.0)


def _to_floating(x: Tensor) -> Tensor:
    return x if x.dtype in dtypes.float_type else x.astype(dtypes.float32)


broadcast_to = Helpers.broadcast
