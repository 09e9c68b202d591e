"""Gamma functions (LGamma, DiGamma, IGamma, LBeta) as layers."""

from typing import Any

import jax.scipy.special as jsp

from msjax.core import dtype as dtypes
from msjax.core.op.op import op
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.ops.common.docstrings import documented_by
from msjax.ops.math.special import digamma, igamma, lgamma

_HALF_OR_SINGLE = (dtypes.float16, dtypes.float32)


class LGamma(Cell):
    """The logarithm of the absolute value of the gamma function, elementwise (DLMF 5.2).

    Inputs:
        - **x** (Tensor) - float16 or float32.

    Outputs:
        Tensor of the input's shape and dtype; infinite at 0 and the negative integers.

    Raises:
        TypeError: for another dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.LGamma()(ms.Tensor([0.5, 5.0])).asnumpy().round(4))
        [0.5724 3.1781]
    """

    def construct(self, x: Any) -> Any:
        """log |gamma(x)|."""
        parameter_init.check_tensor_dtypes("LGamma", _HALF_OR_SINGLE, x=x)
        return lgamma(x)


@documented_by(LGamma)
class DiGamma(Cell):
    """The derivative of the logarithm of the gamma function, elementwise (DLMF 5.2.2).

    Outputs:
        Tensor of the input's shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.DiGamma()(ms.Tensor([1.0, 2.0])).asnumpy().round(4))
        [-0.5772  0.4228]
    """

    def construct(self, x: Any) -> Any:
        """gamma'(x) / gamma(x)."""
        parameter_init.check_tensor_dtypes("DiGamma", _HALF_OR_SINGLE, x=x)
        return digamma(x)


class IGamma(Cell):
    """The regularized lower incomplete gamma function P(a, x), elementwise (DLMF 8.2.4).

    Inputs:
        - **a** (Tensor) - float32.
        - **x** (Tensor) - float32, of a shape that broadcasts.

    Outputs:
        Tensor of the broadcast shape, float32. It is nan where `a` or `x` is negative.

    Raises:
        TypeError: for another dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.IGamma()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 1.0])).asnumpy().round(4))
        [0.6321 0.2642]
    """

    def construct(self, a: Any, x: Any) -> Any:
        """P(a, x)."""
        parameter_init.check_tensor_dtypes("IGamma", (dtypes.float32,), a=a, x=x)
        return igamma(a, x)


class LBeta(Cell):
    """log |beta(x, y)| = lgamma(x) + lgamma(y) - lgamma(x + y), elementwise, exact for large arguments too.

    Inputs:
        - **x** (Tensor) - float16 or float32.
        - **y** (Tensor) - of the same dtype, of a shape that broadcasts.

    Outputs:
        Tensor of the broadcast shape and the same dtype.

    Raises:
        TypeError: for another dtype, or if the dtypes differ.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.LBeta()(ms.Tensor([2.0, 4.0]), ms.Tensor([2.0, 3.0])).asnumpy().round(4))
        [-1.7918 -4.0943]
    """

    def construct(self, x: Any, y: Any) -> Any:
        """log beta(x, y)."""
        parameter_init.check_tensor_dtypes("LBeta", _HALF_OR_SINGLE, x=x)
        parameter_init.check_tensor_dtypes("LBeta", (x.dtype,), y=y)
        return _lbeta(x, y)


@op
def _lbeta(x: Any, y: Any) -> Any:
    return jsp.betaln(x.astype("float32"), y.astype("float32")).astype(x.dtype)
