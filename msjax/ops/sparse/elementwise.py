"""Elementwise functions of sparse tensors: applied to the stored values only, whatever they make of 0."""

from collections.abc import Callable
from typing import Any

from msjax.ops.common import checks
from msjax.ops.math import arithmetic, comparison, elementary, rounding, trigonometric
from msjax.ops.names import aliases
from msjax.ops.nn import activation_piecewise, activation_smooth
from msjax.ops.sparse.tensors import COOTensor, CSRTensor


def _for(cls: type, prefix: str, name: str, function: Callable) -> Callable:
    def of_values(x: Any) -> Any:
        if not isinstance(x, cls):
            checks.fail(TypeError, f"{prefix}_{name}", "x", f"be a {cls.__name__}", f"{type(x).__name__}")
        return x._like(function(x.values))

    of_values.__name__ = of_values.__qualname__ = f"{prefix}_{name}"
    of_values.__module__ = __name__
    of_values.__doc__ = f"""`ops.{name}` of the values that are held.

    Args:
        x ({cls.__name__}): of a dtype that `ops.{name}` takes.

    Returns:
        {cls.__name__} of the same places.

    Raises:
        TypeError: if `x` is something else, or has another dtype.
    """
    return of_values


def _both(name: str, function: Callable) -> tuple[Callable, Callable]:
    return _for(COOTensor, "coo", name, function), _for(CSRTensor, "csr", name, function)


coo_abs, csr_abs = _both("abs", arithmetic.abs)
coo_acos, csr_acos = _both("acos", trigonometric.acos)
coo_acosh, csr_acosh = _both("acosh", trigonometric.acosh)
coo_asin, csr_asin = _both("asin", trigonometric.asin)
coo_asinh, csr_asinh = _both("asinh", trigonometric.asinh)
coo_atan, csr_atan = _both("atan", trigonometric.atan)
coo_atanh, csr_atanh = _both("atanh", trigonometric.atanh)
coo_ceil, csr_ceil = _both("ceil", rounding.ceil)
coo_cos, csr_cos = _both("cos", trigonometric.cos)
coo_cosh, csr_cosh = _both("cosh", trigonometric.cosh)
coo_exp, csr_exp = _both("exp", elementary.exp)
coo_expm1, csr_expm1 = _both("expm1", elementary.expm1)
coo_floor, csr_floor = _both("floor", rounding.floor)
coo_inv, csr_inv = _both("inv", aliases.inv)
coo_isfinite, csr_isfinite = _both("isfinite", comparison.isfinite)
coo_isinf, csr_isinf = _both("isinf", comparison.isinf)
coo_isnan, csr_isnan = _both("isnan", comparison.isnan)
coo_log, csr_log = _both("log", elementary.log)
coo_log1p, csr_log1p = _both("log1p", elementary.log1p)
coo_neg, csr_neg = _both("neg", arithmetic.neg)
coo_relu, csr_relu = _both("relu", activation_piecewise.relu)
coo_relu6, csr_relu6 = _both("relu6", activation_piecewise.relu6)
coo_round, csr_round = _both("round", rounding.round)
coo_sigmoid, csr_sigmoid = _both("sigmoid", activation_smooth.sigmoid)
coo_sin, csr_sin = _both("sin", trigonometric.sin)
coo_sinh, csr_sinh = _both("sinh", trigonometric.sinh)
coo_softsign, csr_softsign = _both("softsign", activation_smooth.softsign)
coo_sqrt, csr_sqrt = _both("sqrt", elementary.sqrt)
coo_square, csr_square = _both("square", arithmetic.square)
coo_tan, csr_tan = _both("tan", trigonometric.tan)
coo_tanh, csr_tanh = _both("tanh", activation_smooth.tanh)
