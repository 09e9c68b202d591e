"""Recurrent layers, against what MindSpore prints for the programs in tests/goldens/rnn_cases.py."""

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, nn
from tests.goldens.replaying import replayed

names, test_as_mindspore = replayed("rnn", 2e-5)


@pytest.mark.parametrize("make", [nn.RNN, nn.GRU, nn.LSTM])
def test_compiled_and_mapped(make):
    net = make(3, 4, num_layers=2, bidirectional=True)
    x = Tensor(np.random.default_rng(0).normal(size=(2, 5, 2, 3)).astype(np.float32))
    expected = [net(x[i])[0].asnumpy() for i in range(2)]
    np.testing.assert_allclose(ms.jit(net)(x[0])[0].asnumpy(), expected[0], atol=1e-6)
    np.testing.assert_allclose(ms.vmap(lambda x: net(x)[0])(x).asnumpy(), expected, atol=1e-6)


def test_dropout_between_layers_in_train_mode_alone():
    net = nn.LSTM(3, 4, num_layers=2, dropout=0.5)
    x = ms.ops.ones((5, 2, 3))
    assert np.array_equal(net(x)[0].asnumpy(), net(x)[0].asnumpy())
    net.set_train()
    assert not np.array_equal(net(x)[0].asnumpy(), net(x)[0].asnumpy())


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_settings_that_are_changed_after_construction(kind):
    x = ms.Tensor(np.arange(12).reshape(3, 2, 2), ms.float32)
    layer = getattr(ms.nn, kind)(2, 3)
    without = getattr(ms.nn, kind)(2, 3, has_bias=False)
    for there, here in zip(without.get_parameters(), layer.get_parameters(), strict=False):
        there.set_data(here.value())
    layer.has_bias = False
    np.testing.assert_allclose(layer(x)[0].asnumpy(), without(x)[0].asnumpy(), rtol=1e-6)
    layer.hidden_size = 2
    with pytest.raises(ValueError, match=f"`{kind}`: the weights of layer 0 are for"):
        layer(x)
