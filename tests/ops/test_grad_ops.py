"""The gradients of operators as operators, against what MindSpore prints for tests/goldens/grad_ops_cases.py."""

import importlib
import json
from pathlib import Path

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, ops
from msjax.ops import _grad_ops as G
from tests.goldens.snippets import run, same

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "grad_ops.json").read_text())


@pytest.fixture(scope="module")
def names():
    with ms.install_as("mindspore"):
        return importlib.import_module("tests.goldens.grad_ops_prelude").NAMES


@pytest.mark.parametrize("name", GOLDEN)
def test_as_mindspore(name, names):
    expected = GOLDEN[name]
    with ms.install_as("mindspore"):
        found = run(expected["source"], name, names)
    if "raises" in found:
        pytest.fail(f"{expected['source']}\n{found['traceback']}", pytrace=False)
    assert same(expected["prints"], found["prints"], 5e-5), f"{expected['prints']}---\n{found['prints']}"


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
