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
ops.operations.math_ops.Median(False, 1, False, True)(T([1., NAN, 3., 2.], [4., 3., 2., 1.]))
ops.operations.math_ops.Median(True, 0, False, True)(T([1., NAN, 3., 2.], [4., 3., NAN, 1.]))[0]
ops.operations.nn_ops.SparseSoftmaxCrossEntropyWithLogitsV2()(T([1., 2., 3.], [1., 1., 1.]), I(0, 2))
ops.operations.nn_ops.SparseSoftmaxCrossEntropyWithLogitsV2()(T([1., 2., 3.]).half(), I(0))
ops.operations.nn_ops.SparseSoftmaxCrossEntropyWithLogitsV2()(T([1., 2., 3.]), I(0, 1))
ops.operations.nn_ops.SparseSoftmaxCrossEntropyWithLogitsV2()(T([1., 2., 3.]), I([0]))
ops.operations.random_ops.Uniform(2., 2.)(T(0., 1.).half())
ops.operations.random_ops.Uniform()(I(1))
ops.matrix_set_diag(T([1., 2.], [3., 4.]).half(), T(.5, .25))
ops.matrix_set_diag(I([1, 2], [3, 4]), T(.5, .25))
ops.bernoulli(T(1., 2.), 2.)
ops.bernoulli(T(1., 2.), -1.)
ops.bernoulli(T(1., 2.), T(0., 1.))
ops.bernoulli(T(1., 2.), T(0., 2.))
ops.multinomial(T(-1., 2., -1.), 5)
ops.random_poisson(I(2), T(1.), dtype=ms.int8)
T(1., 2.).masked_scatter(ms.Tensor([True, True]), T(3.))
T(1., 2.).masked_scatter(ms.Tensor([True, True]), T(3., 4., 5.))
ops.hardtanh(ms.Tensor([0, 1, 5], ms.uint8))
ops.hardtanh(ms.Tensor([0, 1, 5], ms.uint8), -2.5, 3.5)
ops.hardtanh(I(-5, 0, 1, 5), -2.5, 3.5)
ops.hardtanh(ms.Tensor([True, False]))
ops.operations.array_ops.EmbeddingLookup()(ms.Tensor([True, False]), I(0, 5), 0)
ops.margin_ranking_loss(I(-3, 2), I(4, 2), I(-1, 1), 0.5)
ops.margin_ranking_loss(I(-3, 2), I(4, 2), I(-1, 1), reduction="none")
ops.gaussian_nll_loss(I(-3, 2), I(4, 2), I(1, 2))
ops.gaussian_nll_loss(I(-3, 2), I(4, 2), I(1, 0), full=True, reduction="none")
ops.cosine_embedding_loss(I([1, 2], [3, 4]), I([1, -2], [3, 4]), I(1, -1))
ops.cosine_embedding_loss(I([1, 2], [3, 4]), I([1, -2], [3, 4]), I(1, -1), 0.5, reduction="none")
ops.multilabel_margin_loss(I([1, -2]), I([1, -1]))
ops.multi_margin_loss(I([1, -2]), ms.Tensor([1]))
ops.lp_pool1d(I([[2, 1, 2, 1]]), 2, 2)
ops.lp_pool2d(I([[[2, 1], [2, 1]]]), 2, 2)
ops.mse_loss(I(1, -2), I(1, -1))
ops.l1_loss(I(1, -2), I(1, -1), "none")
mint.t(ms.Tensor(np.arange(6).reshape(1, 2, 3)))
mint.t(I([1, 2]))
mint.t(I(1, 2))
ops.t(ms.Tensor(np.arange(6).reshape(1, 2, 3)))
ops.tril_indices(1.5, 3)
ops.triu_indices(-7, 3)
ops.block_diag(2.5, T([1., 2.]))
ops.meshgrid(True, T(1., 2.))
ops.cartesian_prod([1., 2.], T(1., 2.))
ops.trapz([1., 2.])
ops.renorm(2.5, 2, 0, 1.)
ops.nanquantile([1., 2.], .4)
ops.matrix_band_part(T([1., 2.], [3., 4.]), np.int64(0), np.int64(0))
nn.NLLLoss()(np.ones((2, 3), np.float32), I(0, 1))
nn.NLLLoss()(I([1, -2], [3, 4]), I(0, 1))
nn.LPPool1d(2, 2)(np.ones((2, 3), np.float32))
nn.LPPool1d(2, 2)(I([[2, 1, 2, 1]]))
ms.common.initializer.initializer(ms.common.initializer.Normal(-1.), (2,)).init_data()
ms.common.initializer.initializer(ms.common.initializer.TruncatedNormal(0.), (2,)).init_data()
ops.masked_select(ms.Tensor(2.), ms.Tensor(True))
ops.masked_select(ms.Tensor(2.), ms.Tensor(False))
ops.masked_select(ms.Tensor(2.), ms.Tensor([[True, False], [True, True]]))
ops.unique(ms.Tensor(3, ms.int32))
ops.unique(ms.Tensor(3))
ops.cartesian_prod(ms.Tensor(1.), T(2., 3.))
ops.cartesian_prod(T([1., 2.]), T(3.))
ops.gather_nd(T([1., 2.], [3., 4.]), ms.Tensor(np.zeros((3, 0), np.int32)))
ops.matrix_diag(T([1., 2.]))
ops.matrix_diag(T([1., 2.]), k=I(1)[0])
ops.var(ms.Tensor(np.zeros((3, 0), np.float32)), 1, 1)
ops.std(T(1., 3.), 0, 2)
T(1., 3.).__setitem__(0, 1j)
T(1., 3.).select(0, 5)
ops.tensor_scatter_elements(T([1., 2.]), I([0, 1]), T([3., 4.]), 1)
nn.CellList([nn.CellDict()])
ops.lp_pool1d(T([[1., 2., 3., 4., 5.]]), 1, 2, 2, True)
ops.lp_pool1d(T([[1., 2., 3., 4., 5.]]), 2, 3, 3, True)
ops.lp_pool2d(T([[[1., 2., 3.], [4., 5., 6.], [7., 8., 9.]]]), 2, 2, 2, True)
nn.AvgPool2d((1, 3), (2, 1), pad_mode='same', ceil_mode=True)(T([[[1., 2., 3., 4.], [5., 6., 7., 8.]]]))
nn.AvgPool1d(3, 2, pad_mode='same', ceil_mode=True)(T([[1., 2., 3., 4., 5., 6.]]))
grad(nn.AvgPool1d(3, 2, pad_mode='same', ceil_mode=True))(T([[1., 2., 3., 4., 5., 6.]]))
ops.cosine_similarity(T([2.], [-1.]), T([1., 2., 3.], [4., 5., 6.]))
ops.cosine_similarity(T([1., 2.]), T([3., 1.]), eps=9.)
ops.addcdiv(ms.Tensor([7, -7]), ms.Tensor([5, 5]), ms.Tensor([2, -2]), 0.5)
ops.addcdiv(ms.Tensor([7, -7]), ms.Tensor([5, 5]), ms.Tensor([2, -2]), 3)
ops.where(T(1., 0.), T(1., 2.), T(3., 4.))
ops.where(I(1, 0), T(1., 2.), T(3., 4.))
ops.select(T(1., 0.), T(1., 2.), T(3., 4.))
T(1., 2.).where(T(1., 0.), T(3., 4.))
ops.batch_norm(T([1., 2.]), T(1., 2.), T(1., 2.), T(1., 2.), T(1., 2.), eps=0.0)
ops.batch_norm(T([1., 2.]), T(1., 2.), T(1., 2.), T(1., 2.), T(1., 2.), eps=1.5)
ops.batch_norm(T([1., 2.]), T(1., 2.), T(1., 2.), T(1., 2.), T(1., 2.), momentum=-0.5)
ops.batch_norm(T([1., 2.]), T(1., 2.), T(1., 2.), T(1., 2.), T(1., 2.), momentum=0.0, eps=1.0)
T([1., 2.]).sum(axis=0, dim=1)
T([1., 2.]).mean(0, dim=1)
T([1., 2.]).max(axis=0, dim=1)
T([1., 2.]).max(axis=0, keepdim=True)
T([1., 2.]).min(dim=0, keepdims=True)
T([1., 2.]).std(dim=1, ddof=0)
T([1., 2.]).std(1, ddof=0)
T([1., 2.]).max(ms.Tensor(0))
T([1., 2.])[False]
T([1., 2.])[True, False]
[m := nn.Softmax(0), setattr(m, 'axis', 1), m(T([1., 2.], [4., 6.]))][2]
[m := nn.LogSoftmax(0), setattr(m, 'axis', 1), m(T([1., 2.], [1., 2.]))][2]
[m := nn.ELU(1.0), setattr(m, 'alpha', 2.0), m(T(-1., 2.))][2]
[m := nn.CELU(1.0), setattr(m, 'alpha', 2.0), m(T(-1., 2.))][2]
[m := nn.SoftShrink(0.5), setattr(m, 'lambd', 1.0), m(T(-1., 2.))][2]
[m := nn.Pad(((0, 1),)), setattr(m, 'paddings', ((1, 1),)), m(T(-1., 2.))][2]
[m := nn.LeakyReLU(0.5), setattr(m, 'alpha', 2.0), m(T(-1., 2.))][2]
grad(ops.hardswish)(I(-4, -3, 0, 1, 3, 4))
grad(ops.hardsigmoid)(I(-4, -3, 0, 1, 3, 4))
grad(ops.abs)(I(-2, 0, 2))
ops.nll_loss(T([-1., -2.]).astype(ms.float16), I(1), T(1., 3.), reduction='sum')
ops.nll_loss(T([-1., -2.]), I(1), T(1., 3.).astype(ms.float16), reduction='sum')
ops.cross_entropy(T([1., 2.]).astype(ms.float16), I(1), T(1., 3.), reduction='sum') * 0
ops.cross_entropy(T([1., 2.]).astype(ms.float16), T([0.5, 0.5]).astype(ms.float16), T(1., 3.)) * 0
mint.nn.functional.nll_loss(T([-1., -2.]).astype(ms.float16), ms.Tensor([1]), T(1., 3.))
ops.NLLLoss('mean')(T([-1., -2.]).astype(ms.float16), I(1), T(1., 3.))
grad(ops.abs)(T(NAN, 0., -0., INF, -INF, -2.))
grad(ops.l1_loss)(T(NAN, 1., INF), T(1., NAN, INF))
ms.grad(ops.maximum, (0, 1))(T(NAN, 1., NAN, 2., INF, 0.), T(1., NAN, NAN, 2., INF, 1.))
ms.grad(ops.minimum, (0, 1))(T(NAN, 1., NAN, 2., INF, 0.), T(1., NAN, NAN, 2., INF, 1.))
ms.grad(mint.maximum, (0, 1))(T(NAN, 1., 2.), T(1., NAN, 2.))
ms.grad(ops.clip_by_value, (0, 1))(T(NAN, 1., 2.), T(1., NAN, 2.))
ms.grad(ops.clamp, (0, 1))(T(1., 2., 0.), T(NAN, 2., 1.))
ops.clamp(T(1., 2., 0.), T(NAN, 2., 1.))
grad(ops.clamp)(T(NAN, -2., -1., 0., INF), -1., 1.)
ms.grad(ops.hypot, (0, 1))(T(0., 0., INF, 3., 0., NAN), T(0., INF, 2., 4., 2., 1.))
grad(ops.copysign)(T(0., 1., -2., NAN, INF, 3.), T(-1., -1., 3., 1., -2., 2.))
grad(ops.digamma)(T(0., -1., -3., 1., 2.5, -1.5))
grad(ops.lgamma)(T(0., 1., 2.5, 4.))
grad(ops.elu)(T(NAN, 0., -1., INF, -INF))
grad(ops.leaky_relu)(T(0., -1., 2., INF), 0.5)
grad(ops.hardtanh)(T(NAN, -1., 1., 0., INF))
grad(ops.softshrink)(T(NAN, 0.5, -0.5, 1., -INF))
grad(ops.softsign)(T(INF, -INF, NAN, 0., 1.))
ms.grad(ops.pow, (0, 1))(T(0., 0., -0., 0., 0., 2., -2.), T(-1., -2., -1., 1., 2., 3., 3.))
ms.grad(ops.float_power, (0, 1))(T(0., 0., 2.), T(-1., 1., 3.))
ms.grad(ops.logaddexp, (0, 1))(T(0., INF, 1., -INF, 0.), T(INF, 0., 2., 0., -INF))
ms.grad(ops.logaddexp2, (0, 1))(T(0., INF, 1., -INF, 0.), T(INF, 0., 2., 0., -INF))
grad(ops.sinc)(T(0., 1e-30, -1e-30, 0.5))
grad(ops.xlogy)(T(0., 0., 0., 0., 2., -1.), T(2., 0., INF, NAN, 3., 0.5))
grad(ops.kl_div)(T(0., 1., 2., 0.), T(-1., 0., 0.5, -INF), 'none')
ms.grad(ops.smooth_l1_loss, (0, 1))(T(0., 1., NAN, 1., INF), T(INF, -INF, 1., 1.5, INF))
grad(ops.aminmax)(T([2., -1.], [2., -1.], [3., 0.]))
grad(ops.aminmax)(T(2., 3., 3., 2.))
grad(ms.numpy.arccosh)(T(-2., 0.5, 2.))
ms.grad(ms.numpy.hypot, (0, 1))(T(0., 3., 0.), T(0., 4., 2.))
"""


def names(ms: Any) -> dict[str, Any]:
    """Return the names that the expressions know."""

    def make(*numbers: Any) -> Any:
        return ms.Tensor(np.array(numbers, np.float32))

    def ints(*numbers: Any) -> Any:
        return ms.Tensor(np.array(numbers, np.int32))

    known = {
        "T": make,
        "I": ints,
        "ops": ms.ops,
        "mint": ms.mint,
        "nn": ms.nn,
        "grad": ms.grad,
        "ms": ms,
        "np": np,
    }
    return known | {"INF": float("inf"), "NAN": float("nan")}


def outcome(code: str, ms: Any) -> list[Any]:
    """The dtype, shape and flat values of each result, one after another; or the name of the exception."""
    try:
        found = eval(code, names(ms))
        each = found if isinstance(found, tuple) else (found,)
        return [part for y in each for part in (str(y.dtype), list(y.shape), y.asnumpy().ravel().tolist())]
    except Exception as error:
        return [type(error).__name__]


def outcomes(ms: Any) -> dict[str, Any]:
    return {code: outcome(code, ms) for code in CODES.strip().splitlines()}
