"""Functions that only mint has: derivatives, and the parts of batch normalization put together."""

import jax
import numpy as np
import pytest
from golden_mint import FAMILIES, GOLDEN, of_floats
from jax.test_util import check_grads

import msjax as ms
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


@pytest.mark.parametrize("norm_type", [1.0, 2.0])
def test_embedding_scales_rows_before_its_derivative(norm_type):
    """PyTorch's: rows are scaled in the table itself, and the gradient is that of the scaled table."""
    table = np.float32([[6.0, 8.0], [6.0, 8.0], [0.1, 0.2]])
    scaled = {1.0: [30 / 7, 40 / 7], 2.0: [6.0, 8.0]}[norm_type]

    def total(weight):
        return (mint.nn.functional.embedding(Tensor([0, 2]), weight, None, 10.0, norm_type) ** 2).sum()

    for grad in (ms.grad(total), ms.jit(ms.grad(total))):
        found = grad(Tensor(table)).asnumpy()
        np.testing.assert_allclose(found, 2 * np.float32([scaled, [0, 0], [0.1, 0.2]]), rtol=1e-6)


def test_fold_without_batch():
    columns = Tensor(np.arange(32, dtype=np.float32).reshape(8, 4))
    one = mint.nn.functional.fold(columns, (3, 3), 2)
    np.testing.assert_array_equal(
        one.asnumpy(), mint.nn.functional.fold(columns[None], (3, 3), 2).asnumpy()[0]
    )
    with pytest.raises(ValueError, match="2 or 3 dimensions"):
        mint.nn.functional.fold(columns[None, None], (3, 3), 2)


def test_qr_of_r_alone():
    a = Tensor(np.float32([[3, 1], [4, 2], [0, 1]]))
    q, r = mint.linalg.qr(a, "r")
    assert q.shape == (0,)
    np.testing.assert_allclose(r.asnumpy(), mint.linalg.qr(a)[1].asnumpy(), rtol=1e-6)
    with pytest.raises(TypeError, match="mode"):
        mint.linalg.qr(a, "q")


def test_slope_of_certain_probabilities_that_are_right():
    """MindSpore's and PyTorch's slope (p - y) / (p (1 - p)) is 0 there."""
    p, y = Tensor(np.float32([0, 1, 0.5])), Tensor(np.float32([0, 1, 1]))
    slope = ms.grad(lambda p: mint.nn.functional.binary_cross_entropy(p, y, reduction="sum"))(p)
    assert slope.asnumpy().tolist() == [0.0, 0.0, -2.0]


def test_pad_takes_zero_as_no_value():
    """Beside a mode that takes no value, as in MindSpore; `ops.pad` takes None alone there."""
    x = Tensor([[[1.0, 2.0, 3.0]]])
    for value in (None, 0, 0.0, False, Tensor(0.0)):
        assert mint.nn.functional.pad(x, (1, 0), "reflect", value).asnumpy().tolist() == [[[2, 1, 2, 3]]]
    with pytest.raises(ValueError, match="must be None with mode='circular'"):
        mint.nn.functional.pad(x, (1, 0), "circular", 1.5)
    with pytest.raises(ValueError, match="must be None with mode='reflect'"):
        ms.ops.pad(x, (1, 0), "reflect", 0)


def test_numbers_beside_unsigned_integers():
    """Numbers that are only cast, or divide, go with uint16, uint32 and uint64; sums and products refuse them."""
    x, at = Tensor([1, 2, 3], ms.uint16), Tensor([0])
    assert mint.clamp(x, 1.5, 2.5).asnumpy().tolist() == [1.5, 2.0, 2.5]
    assert (x / 2.0).asnumpy().tolist() == [0.5, 1.0, 1.5]
    kept = [
        (mint.full_like(x, 1.5), [1, 1, 1]),
        (mint.nn.functional.pad(x, (1, 0), "constant", 1.5), [1, 1, 2, 3]),
        (mint.scatter(x, 0, at, 2.5), [2, 2, 3]),
        (ms.ops.index_fill(x, 0, at, 7.5), [7, 2, 3]),
    ]
    for found, expected in kept:
        assert (found.dtype, found.asnumpy().tolist()) == (ms.uint16, expected)
    with pytest.raises(TypeError, match="implicit conversion"):
        x * 1.5


def test_outside_of_the_domain_of_logit():
    x = Tensor(np.float32([-0.5, 0, 0.3, 1, 1.5]))
    slope = ms.grad(ms.ops.logit)(x).asnumpy()
    np.testing.assert_allclose(slope, [np.nan, np.inf, 1 / 0.21, np.inf, np.nan], rtol=1e-6)
    assert ms.ops.nll_loss(Tensor([[1, 2, 3]], ms.int32), Tensor([2], ms.int32)).dtype == ms.float32


def test_edges_of_shapes():
    """Follow MindSpore 2.10 at the edges: kinds of exceptions, and sizes of what is empty."""
    x, hollow = Tensor(np.zeros((2, 3), np.float32)), Tensor(np.zeros((0, 3), np.float32))
    for error, call in (
        (ValueError, lambda: mint.select(x, 0, 5)),
        (RuntimeError, lambda: mint.diag(x, 5)),
        (RuntimeError, lambda: mint.diag(x[None])),
    ):
        with pytest.raises(error, match="Received"):
            call()
    assert [part.shape for part in mint.chunk(hollow, 2)] == [(0, 3), (0, 3)]
    assert mint.reshape(hollow, (0, 1, -1)).shape == (0, 1, 0)


def test_state_of_sgd():
    p = ms.Parameter(Tensor([1.0, 2.0]), name="p")
    optimizer = mint.optim.SGD([p], lr=0.5, momentum=0.9, dampening=0.5)
    assert [q.name for q in optimizer.get_parameters()][:2] == ["p", "momentum_buf.p"]
    for _ in range(2):
        optimizer((Tensor([1.0, -1.0]),))
    np.testing.assert_allclose(p.asnumpy(), [1 - 0.5 - 0.7, 2 + 0.5 + 0.7], rtol=1e-6)


def test_integers_that_are_divided_by_nothing_while_compiling():
    """XLA folds constants; an integer division by 0 there must not end the process."""
    functions = (mint.fmod, mint.remainder, ms.ops.truncate_mod)
    found = ms.jit(lambda: [f(Tensor([4, 0, -3]), 0) for f in functions])()
    assert [x.asnumpy().tolist() for x in found] == [[4, 0, -3]] * 3
    assert mint.mean(Tensor(np.zeros((0, 2), np.int32)), 0).asnumpy().tolist() == [0, 0]


def test_truth_of_complex_numbers():
    x = Tensor(np.complex64([1j, 1]))
    assert [bool(found) for found in (mint.all(x), mint.any(x[:1]), mint.any(x * 0))] == [True, True, False]


def test_edges_of_random_numbers():
    assert mint.randperm(0).shape == (0,)
    for error, call in (
        (TypeError, lambda: mint.rand_like(Tensor([1, 2]))),
        (ValueError, lambda: mint.normal(0.0, -1.0, (2,))),
        (RuntimeError, lambda: mint.multinomial(Tensor([0.5, 0.5]), 0)),
    ):
        with pytest.raises(error, match="Received"):
            call()


def test_numbers_that_must_not_be_rounded():
    """Quotients are rounded down from their exact values, powers are taken of exact numbers, and alpha fits its Tensors."""
    x = Tensor([2.0, 3.0], ms.float32)
    for quotient in (
        x // 0.3,
        ms.jit(mint.floor_divide)(x, Tensor([0.3])),
        mint.div(x, 0.3, rounding_mode="floor"),
    ):
        assert quotient.asnumpy().tolist() == [6.0, 9.0]  # 3 / 0.3 is 10.0 in float32, and 9.9999996 in truth
    special = Tensor([1.0, -1.0, 0.0, -1.0, 1.0]) // Tensor([0.0, -0.0, 0.0, np.inf, -2.0])
    np.testing.assert_array_equal(special.asnumpy(), [np.inf, -np.inf, np.nan, 0, -1])
    assert float(mint.float_power(Tensor([2.0], ms.float16), 0.3)[0]) == 2.0**0.3
    with pytest.raises(TypeError, match="alpha"):
        mint.add(Tensor([1]), Tensor([1]), alpha=0.5)
    assert mint.sub(Tensor([3]), 1, alpha=2).asnumpy().tolist() == [1]


def test_weights_of_counts():
    x, w = Tensor([2, 0, 2]), Tensor([1.0, 2.0, 3.0])
    slope = ms.grad(lambda w: (ms.ops.bincount(x, w) * Tensor([1.0, 10.0, 100.0])).sum())(w)
    assert slope.asnumpy().tolist() == [100.0, 1.0, 100.0]
    assert ms.ops.bincount(Tensor([-1, 2]), Tensor([5, 1]), 4).asnumpy().tolist() == [0, 0, 1, 0]
    kinds = [mint.bincount(x, Tensor([1, 2, 3]).astype(k)).dtype for k in (ms.float32, ms.int64, ms.float16)]
    assert kinds == [ms.float32, ms.float64, ms.float64]
    for error, call in (
        (ValueError, lambda: mint.bincount(Tensor([-1]))),
        (TypeError, lambda: mint.bincount(x, [1, 2, 3])),
        (ValueError, lambda: ms.ops.bincount(x, w[:2])),
    ):
        with pytest.raises(error, match="Received"):
            call()


def test_methods_in_the_order_of_mint():
    """Forms of methods that MindSpore 2.10 tells apart by what is given."""
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    total = x.sum(1, True, dtype=ms.float64)
    assert (total.dtype, total.asnumpy().tolist()) == (ms.float64, [[3.0], [12.0]])
    assert x.sum(1, ms.int32).dtype == ms.int32
    assert x.sum(dim=0, keepdim=True).shape == x.sum(0, None, True).shape == (1, 3)
    assert x.take(Tensor([5, -2, 0])).asnumpy().tolist() == [5.0, 4.0, 0.0]
    assert x.take(Tensor([-1, -7]), 1).asnumpy().tolist() == [[2.0, 0.0], [5.0, 3.0]]
    assert x.scatter(1, Tensor([[1], [0]]), 2.5).asnumpy().tolist() == [[0.0, 2.5, 2.0], [2.5, 4.0, 5.0]]


@pytest.mark.parametrize("recompute", [None, True, False])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_nearest_takes_the_scale_from_the_sizes(dims, recompute):
    """MindSpore 2.10 on CPU gave these; PyTorch, and `torch` here, gives 0 0 0 1 1 2 without `recompute`."""
    x = Tensor(np.broadcast_to(np.arange(3, dtype=np.float32), (1, 1, *[1] * (dims - 1), 3)).copy())
    factors = (*[1.0] * (dims - 1), 2.3)
    for call in (interpolate := mint.nn.functional.interpolate, ms.jit(interpolate)):
        y = call(x, scale_factor=factors, recompute_scale_factor=recompute)
        assert y.reshape(-1).tolist() == [0, 0, 1, 1, 2, 2]
    layer = mint.nn.Upsample(scale_factor=factors, recompute_scale_factor=recompute)
    assert layer(x).reshape(-1).tolist() == [0, 0, 1, 1, 2, 2]
    ours = ms.torch.nn.functional.interpolate(ms.torch.tensor(x.asnumpy()), scale_factor=factors)
    assert ours.reshape(-1).tolist() == [0, 0, 0, 1, 1, 2]
    gradient = ms.grad(
        lambda t: (interpolate(t, scale_factor=factors) * Tensor(np.arange(6.0, dtype=np.float32))).sum()
    )
    assert gradient(x).reshape(-1).tolist() == [1, 5, 9]
