"""Attention and transformers, against what MindSpore prints for the programs in tests/goldens/attention_cases.py."""

import numpy as np

import msjax as ms
from msjax import Tensor, nn
from tests.goldens.replaying import replayed

names, test_as_mindspore = replayed("attention", 5e-5)


def test_compiled_and_mapped():
    net = nn.TransformerEncoderLayer(4, 2, 6)
    x = Tensor(np.random.default_rng(0).normal(size=(2, 5, 3, 4)).astype(np.float32))
    expected = [net(x[i]).asnumpy() for i in range(2)]
    np.testing.assert_allclose(ms.jit(net)(x[0]).asnumpy(), expected[0], atol=1e-6)
    np.testing.assert_allclose(ms.vmap(net)(x).asnumpy(), expected, atol=1e-6)
