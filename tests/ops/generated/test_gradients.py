"""The gradients of operators as operators, against what MindSpore prints for tests/goldens/grad_ops_cases.py."""

import numpy as np

import msjax as ms
from msjax import Tensor, ops
from msjax.ops.generated import gradients as G
from tests.goldens.replaying import replayed

names, test_as_mindspore = replayed("grad_ops", 5e-5)


def wave(*shape):
    return Tensor(np.sin(np.arange(np.prod(shape))).reshape(shape).astype(np.float32))


def test_compiled_and_differentiated_again():
    x, d = wave(1, 1, 4), wave(1, 1, 7)
    paddings = Tensor([2, 1], ms.int64)
    gradient = G.PadV3Grad("reflect")
    np.testing.assert_allclose(
        ms.jit(lambda d: gradient(d, paddings))(d).asnumpy(), gradient(d, paddings).asnumpy()
    )
    second = ms.grad(lambda d: (gradient(d, paddings) * x).sum())(d)
    np.testing.assert_allclose(second.asnumpy(), ops.PadV3("reflect")(x, paddings).asnumpy(), rtol=1e-6)


def test_without_a_kernel_of_mindspore_on_cpu():
    y, d = ops.softmax(wave(2, 3)), wave(2, 3)
    expected = ms.grad(lambda x: (ops.softmax(x) * d).sum())(wave(2, 3))
    np.testing.assert_allclose(G.SoftmaxGrad()(y, d).asnumpy(), expected.asnumpy(), atol=1e-6)
    target = ops.sign(d + 0.1)
    expected = ms.grad(lambda x: ops.soft_margin_loss(x, target))(wave(2, 3))
    found = G.SoftMarginLossGrad()(wave(2, 3), target, Tensor(1.0))
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), atol=1e-6)
