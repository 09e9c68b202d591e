"""Where functions have edges: numbers out of range, infinities, ends of domains, nothing at all. As MindSpore has it."""

import builtins
import json
from pathlib import Path

import edges_cases
import numpy as np
import pytest

import msjax as ms
from msjax import ops

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "edges.json").read_text())


@pytest.mark.parametrize("code", GOLDEN)
def test_as_mindspore(code):
    golden = GOLDEN[code]
    if len(golden) == 1:
        with pytest.raises(getattr(builtins, golden[0])):
            eval(code, edges_cases.names(ms))
        return
    found = edges_cases.outcome(code, ms)
    assert len(found) == len(golden), found
    for n in range(0, len(golden), 3):
        assert found[n : n + 2] == golden[n : n + 2]
        np.testing.assert_allclose(found[n + 2], golden[n + 2], rtol=1e-5 if golden[n] != "Float16" else 1e-3)


def test_numbers_wrap_in_compiled_functions():
    x = ms.Tensor(np.array([-1.7, 300.5], np.float32))
    assert ms.jit(lambda x: x.astype(ms.uint8))(x).asnumpy().tolist() == [255, 44]
    x = ms.Tensor([1, 2, 250], ms.uint8)
    for fn in (lambda x: x + 300, lambda x: x / 300, lambda x: x < 300, lambda x: x > -1):
        # Compiled, XLA divides by a constant as it multiplies by its inverse: one rounding more.
        np.testing.assert_allclose(ms.jit(fn)(x).asnumpy(), fn(x).asnumpy(), rtol=1.2e-7)


@pytest.mark.parametrize(
    "name", ["mse_loss", "l1_loss", "huber_loss", "kl_div", "cosine_similarity", "prelu"]
)
@pytest.mark.parametrize("other", [None, [1, 2, 3]], ids=["none", "list"])
def test_what_is_no_tensor_is_named(name, other):
    with pytest.raises(TypeError, match=r"must be a Tensor\. Received"):
        getattr(ms.ops, name)(ms.ops.ones((3,)), other)


@pytest.mark.parametrize(
    ("settings", "argument"),
    [((4, 0), "hop_length"), ((-4,), "n_fft"), ((4, 1, 5), "win_length"), ((9,), "n_fft")],
)
def test_stft_names_the_argument_that_is_out_of_range(settings, argument):
    with pytest.raises(ValueError, match=f"argument `{argument}` must"):
        ops.stft(ops.ones((8,)), *settings, center=False)


def test_dropout_with_a_probability_next_to_one():
    x = ops.ones((100,))
    assert ops.dropout(x, 1 - 1e-11).asnumpy().max() in (0, np.float32(1e11))
