"""Functions that only mint has: derivatives, and the parts of batch normalization put together."""

import jax
import numpy as np
import pytest
from golden_mint import FAMILIES, GOLDEN, of_floats
from jax.test_util import check_grads

from msjax import Tensor, mint

OWN = ("vdot", "conv_tbc", "triangular_solve", "nn.functional.kl_div", "nn.functional.interpolate", "norm")
SMOOTH = [
    sample
    for op in OWN
    for sample in [s for rows in FAMILIES.values() for s in rows if s.op == op and not s.fails and s.grad][
        -1:
    ]
]


@pytest.mark.parametrize("sample", SMOOTH, ids=lambda sample: sample.op)
def test_second_order(sample):
    call, floats = of_floats(sample)
    arrays = [jax.numpy.asarray(a, "float64") for a in floats]
    check_grads(call, arrays, order=2, modes=["rev"], atol=1e-4, rtol=1e-4)
    assert GOLDEN[sample.id]["grads"]


def test_batch_statistics_of_parts():
    """Two parts of a batch give what the whole gives."""
    x = np.random.RandomState(0).standard_normal((6, 2, 3)).astype(np.float32)
    parts = [mint.batch_norm_stats(Tensor(part), 1e-5) for part in (x[:2], x[2:])]
    mean, invstd = (mint.stack(column) for column in zip(*parts, strict=True))
    running = mint.zeros((2,)), mint.ones((2,))
    counts = Tensor([6.0, 12.0])
    together = mint.batch_norm_gather_stats_with_counts(Tensor(x), mean, invstd, *running, 0.1, 1e-5, counts)
    for one, whole in zip(together, mint.batch_norm_stats(Tensor(x), 1e-5), strict=True):
        np.testing.assert_allclose(one.asnumpy(), whole.asnumpy(), rtol=1e-5, atol=1e-6)
    layer = mint.nn.BatchNorm1d(2).set_train()
    expected = layer(Tensor(x))
    y = mint.batch_norm_elemt(Tensor(x), layer.weight, layer.bias, *together)
    np.testing.assert_allclose(y.asnumpy(), expected.asnumpy(), rtol=1e-4, atol=1e-5)
    for own, of_layer in zip(running, (layer.running_mean, layer.running_var), strict=True):
        np.testing.assert_allclose(own.asnumpy(), of_layer.asnumpy(), rtol=1e-5, atol=1e-6)
