"""Expressions where functions have edges, over T (a Tensor of float32 numbers), ops, grad and ms."""

from typing import Any

import numpy as np

CODES = """
ops.cast(T(-1.7, -300.5, 300.5, 255.9, 70000., 2.5), ms.uint8)
ops.cast(T(-1.7, -300.5, 300.5, 255.9, 70000., 2.5), ms.int8)
ops.cast(T(-1.7, -300.5, 300.5, 255.9, 70000., 2.5), ms.int16)
ops.cast(T(-1.7, -300.5, 300.5, 255.9, 70000., 2.5), ms.uint16)
ops.cast(T(-1.7, -300.5, 300.5, 3e9), ms.uint32)
ops.cast(T(-1.7, -300.5, 300.5, 3e9, 1e19), ms.uint64)
ops.cast(T(-1.7, -300.5, 300.5).astype(ms.float16), ms.uint8)
ops.cast(T(-1.7, -300.5, 300.5).astype(ms.float64), ms.uint8)
grad(ops.acosh)(T(-2., 0.5, 1., 2.))
grad(ops.hardswish)(T(INF, -INF, 3., -3., 0., 1.))
grad(ops.logdet)(T([-2., 1.], [3., 4.]))
ops.digamma(T(0., -0., -1., 1.))
ops.unique_consecutive(T())
ops.floor_div(ms.Tensor([0, 3, -3]), ms.Tensor([0, 0, 0]))
ops.floor_div(ms.Tensor([0, 3, -3], ms.int8), ms.Tensor([0, 0, 0], ms.int8))
ops.truncate_div(ms.Tensor([0, 3, -3], ms.int32), ms.Tensor([0, 0, 0], ms.int32))
ops.truncate_div(ms.Tensor([0, 3], ms.uint8), ms.Tensor([0, 0], ms.uint8))
grad(ops.fmax)(T(1., 1., NAN, NAN, 2.), T(1., 3., 1., NAN, NAN))
ops.fmax(T(1., 1., NAN, 2.), T(1., 3., 1., NAN))
ops.outer(T([1., 2.], [3., 4.]), T(1., 2., 3.))
ops.outer(T(1., 2.), T([1., 2.], [3., 4.]))
ms.Tensor([1, 2, 250], ms.uint8) + 300
-1 - ms.Tensor([1, 2, 250], ms.uint8)
ms.Tensor([1, 2, 100], ms.int8) * 200
ms.Tensor([1, 2, 250], ms.uint8) / 300
-1 / ms.Tensor([1, 2, 250], ms.uint8)
ms.Tensor([1, 2, 100], ms.int8) // -300
ms.Tensor([1, 2, 250], ms.uint8) >= -1
ms.Tensor([1, 2, 250], ms.uint8) == 257
ms.Tensor([1, 2, 250], ms.uint8) < 300
300 > ms.Tensor([1, 2, 250], ms.uint8)
ops.maximum(ms.Tensor([1, 2, 100], ms.int16), 70000)
ops.clamp(ms.Tensor([1, 2, 100], ms.uint8), -5, None)
ms.Tensor([1, 2, 100], ms.uint8).masked_fill(ms.Tensor([True, False, True]), -1)
ops.cholesky_inverse(T([2., .5], [.3, 1.]))
ops.cholesky_inverse(T([2., .5], [.3, 1.]), True)
ops.inv(ms.Tensor([0, 1, 2, -1], ms.int32))
ops.Inv()(ms.Tensor([0, 1, 2, -1], ms.int16))
ops.Inv()(ms.Tensor([0, 1, 2, -1], ms.int64))
ops.any(ms.Tensor([[0, 2], [0, 0]], ms.uint8), 1)
ops.hinge_embedding_loss(T(.5, 2., -1., 3.), T(2., -2., -1., 0.), 1.5, "none")
"""


def outcome(code: str, ms: Any) -> list[Any]:
    """The dtype, shape and flat values."""

    def make(*numbers: Any) -> Any:
        return ms.Tensor(np.array(numbers, np.float32))

    found = eval(
        code, {"T": make, "ops": ms.ops, "grad": ms.grad, "ms": ms, "INF": float("inf"), "NAN": float("nan")}
    )
    return [str(found.dtype), list(found.shape), found.asnumpy().ravel().tolist()]


def outcomes(ms: Any) -> dict[str, Any]:
    return {code: outcome(code, ms) for code in CODES.strip().splitlines()}
