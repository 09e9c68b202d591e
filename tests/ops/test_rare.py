"""The rarer operators, against what MindSpore prints for the programs in tests/goldens/ops_rare_cases.py.

Those for which MindSpore has no kernel on CPU are compared with PyTorch's numbers or their formulas in NumPy.
"""

import importlib
import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, ops
from tests.goldens.snippets import run, same

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "ops_rare.json").read_text())


@pytest.fixture(scope="module")
def names():
    with ms.install_as("mindspore"):
        return importlib.import_module("tests.goldens.ops_rare_prelude").NAMES


@pytest.mark.parametrize("name", GOLDEN)
def test_as_mindspore(name, names):
    expected = GOLDEN[name]
    with ms.install_as("mindspore"):
        found = run(expected["source"], name, names)
    assert expected.get("raises") in (None, *found.get("kinds", ())), found
    if "raises" in found and "raises" not in expected:
        pytest.fail(f"{expected['source']}\n{found['traceback']}", pytrace=False)
    assert same(expected["prints"], found["prints"], 5e-5), f"{expected['prints']}---\n{found['prints']}"


def wave(*shape):
    return np.sin(np.arange(np.prod(shape))).reshape(shape).astype(np.float32)


def close(found, expected, tolerance=1e-5):
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=tolerance, atol=tolerance)


def test_ctc_compiled():
    labels, times, lengths = (ms.Tensor(a) for a in ([[1, 2, 2], [3, 1, 3]], [5, 4], [3, 1]))
    places, values = ms.Tensor([[0, 0], [1, 0]], ms.int64), ms.Tensor([1, 2], ms.int32)

    def total(x):
        by_class = ops.CTCLoss()(x, places, values, times.astype(ms.int32))[0].sum()
        return ops.ctc_loss(ops.log_softmax(x), labels, times, lengths)[0] + by_class

    x = Tensor(wave(5, 2, 4))
    close(ms.jit(total)(x), total(x).asnumpy())
    close(ms.jit(ms.grad(total))(x), ms.grad(total)(x).asnumpy())
    with pytest.raises(RuntimeError, match="CTCGreedyDecoder"):
        ms.jit(lambda x: ops.ctc_greedy_decoder(x, times.astype(ms.int32))[1])(x)


def test_fractional_pooling_draws():
    ms.set_seed(1)
    x = Tensor(wave(2, 3, 9, 9))
    pool = ms.jit(lambda x: ops.fractional_max_pool2d(x, 2, 4, return_indices=True))
    y, at = pool(x)
    close(
        y,
        np.take_along_axis(x.asnumpy().reshape(2, 3, -1), at.asnumpy().reshape(2, 3, -1), 2).reshape(y.shape),
    )
    image = Tensor(wave(2, 9, 9, 3))
    tiled = ops.FractionalMaxPool([1.0, 1.4, 1.7, 1.0], deterministic=True, seed=2)
    y, rows, columns = tiled(image)
    parts = [(r, c) for r in itertools.pairwise(rows) for c in itertools.pairwise(columns)]
    expected = [image.asnumpy()[:, int(a) : int(b), int(c) : int(d)].max((1, 2)) for (a, b), (c, d) in parts]
    close(y.reshape(2, -1, 3), np.stack(expected, 1))
    close(tiled(image)[1], rows.asnumpy())
