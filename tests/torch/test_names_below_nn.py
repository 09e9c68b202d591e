"""Functions of `torch` in the form of native operators, `torch.nn.grad`, settings, arguments of older programs."""

import warnings

import numpy as np
import pytest

from msjax import torch
from msjax.torch.nn import functional as F

X = torch.linspace(-2, 2, 12).reshape(3, 4)
Y = torch.linspace(0, 1, 12).reshape(3, 4)


def near(found, expected):
    if isinstance(expected, tuple | list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            near(one, other)
        return
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), 1e-6, 1e-6)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (lambda: torch.embedding(X, torch.tensor([0, 2])), lambda: X[[0, 2]]),
        (lambda: torch.kl_div(X, Y, 2), lambda: F.kl_div(X, Y, reduction="sum")),
        (lambda: torch.kl_div(X, Y), lambda: F.kl_div(X, Y, reduction="mean")),
        (
            lambda: torch.binary_cross_entropy_with_logits(X, Y, None, X.abs()[0], 0),
            lambda: F.binary_cross_entropy_with_logits(X, Y, pos_weight=X.abs()[0], reduction="none"),
        ),
        (lambda: torch.poisson_nll_loss(X, Y, True, False, 1e-8, 1), lambda: F.poisson_nll_loss(X, Y)),
        (
            lambda: torch.grid_sampler(X[None, None], Y[None, :, :2, None].expand(1, 3, 2, 2), 0, 2, True),
            lambda: F.grid_sample(
                X[None, None], Y[None, :, :2, None].expand(1, 3, 2, 2), "bilinear", "reflection", True
            ),
        ),
        (
            lambda: torch.affine_grid_generator(torch.eye(2, 3)[None], [1, 1, 2, 2], False),
            lambda: F.affine_grid(torch.eye(2, 3)[None], (1, 1, 2, 2), align_corners=False),
        ),
        (
            lambda: torch.convolution(
                X[None, None], torch.ones(1, 1, 2, 2), None, [2, 1], [1, 0], [1, 1], False, [0, 0], 1
            ),
            lambda: F.conv2d(X[None, None], torch.ones(1, 1, 2, 2), None, (2, 1), (1, 0)),
        ),
        (
            lambda: torch.convolution(
                X[None, None], torch.ones(1, 1, 2, 2), None, [2, 2], [0, 0], [1, 1], True, [1, 0], 1
            ),
            lambda: F.conv_transpose2d(X[None, None], torch.ones(1, 1, 2, 2), None, 2, 0, (1, 0)),
        ),
        (
            lambda: torch.instance_norm(X[None], None, None, None, None, True, 0.1, 1e-5, False),
            lambda: F.instance_norm(X[None]),
        ),
        (lambda: torch.max_pool1d_with_indices(X[None], 2), lambda: F.max_pool1d(X[None], 2, return_indices=True)),
        (lambda: torch.adaptive_max_pool1d(X[None], 2), lambda: F.max_pool1d(X[None], 2, return_indices=True)),
        (lambda: torch.frobenius_norm(X, [1]), lambda: (X * X).sum(1).sqrt()),
        (lambda: torch.nuclear_norm(X), lambda: torch.linalg.svdvals(X).sum()),
        (lambda: torch.norm_except_dim(X, 2, 0), lambda: (X * X).sum(1, True).sqrt()),
        (lambda: torch.celu_(X.clone()), lambda: F.celu(X)),
        (lambda: torch.selu_(X.clone()), lambda: F.selu(X)),
        (lambda: torch.threshold_(X.clone(), 0.5, 9.0), lambda: F.threshold(X, 0.5, 9.0)),
        (lambda: torch.dropout_(X.clone(), 0.5, False), lambda: X),
        (lambda: torch.native_dropout(X, 0.5, False), lambda: (X, torch.ones(3, 4, dtype=torch.bool))),
        (lambda: torch.cond(X.sum() > 100, torch.sin, torch.cos, (X,)), lambda: torch.cos(X)),
        (
            lambda: torch.while_loop(lambda n, x: n < 3, lambda n, x: (n + 1, x * 2), (torch.tensor(0), X)),
            lambda: (torch.tensor(3), X * 8),
        ),
        (lambda: torch.func.linearize(torch.sin, X)[1](Y), lambda: torch.cos(X) * Y),
        (lambda: F.softmin(X), lambda: F.softmax(-X, 1)),
        (lambda: F.softmax(X, 1, 3, torch.float64), lambda: F.softmax(X, dim=1, dtype=torch.float64)),
        (lambda: F.celu(X.clone(), 2.0, True), lambda: F.celu(X, alpha=2.0)),
        (
            lambda: torch.nn.Hardtanh(min_value=-0.5, max_value=0.5)(X),
            lambda: torch.clamp(X, -0.5, 0.5),
        ),
        (lambda: torch.nn.CrossMapLRN2d(2)(X[None, None]), lambda: torch.nn.LocalResponseNorm(2)(X[None, None])),
        (lambda: X[torch.newaxis], lambda: X[None]),
    ],
)  # fmt: skip
def test_values(found, expected):
    near(found(), expected())


@pytest.mark.parametrize("reduction", [0, 1, 2])
def test_ctc_loss_has_the_reduction_of_its_number(reduction):
    arguments = torch.log_softmax(torch.ones(4, 1, 3), 2), torch.tensor([[1, 2]]), [4], [2]
    named = ("none", "mean", "sum")[reduction]
    near(torch.ctc_loss(*arguments, 0, reduction), F.ctc_loss(*arguments, reduction=named))


@pytest.mark.parametrize(
    ("run", "kind"),
    [
        (torch.lstm, torch.nn.LSTM),
        (torch.gru, torch.nn.GRU),
        (torch.rnn_tanh, torch.nn.RNN),
    ],
)
def test_recurrent_nets_take_their_weights(run, kind):
    net = kind(3, 2, num_layers=2, bidirectional=True)
    weights = [w.detach().clone().requires_grad_() for w in net.parameters()]
    x, states = torch.ones(5, 4, 3), 2 if kind is torch.nn.LSTM else 1
    start = [torch.zeros(4, 4, 2) for _ in range(states)]
    hx = start if states == 2 else start[0]
    out, *last = run(x, hx, weights, True, 2, 0.0, False, True, False)
    expected, ends = net(x, tuple(hx) if states == 2 else hx)
    near(out, expected)
    near(tuple(last), ends if states == 2 else (ends,))
    out.sum().backward()
    expected.sum().backward()
    for weight, own in zip(weights, net.parameters(), strict=True):
        near(weight.grad, own.grad)


@pytest.mark.parametrize(
    ("run", "kind", "states"),
    [
        (torch.lstm_cell, torch.nn.LSTMCell, 2),
        (torch.gru_cell, torch.nn.GRUCell, 1),
        (torch.rnn_tanh_cell, torch.nn.RNNCell, 1),
    ],
)
def test_recurrent_cells_take_their_weights(run, kind, states):
    cell = kind(3, 2)
    start = tuple(torch.ones(4, 2) for _ in range(states))
    hx = start if states == 2 else start[0]
    near(run(torch.ones(4, 3), hx, *cell.parameters()), cell(torch.ones(4, 3), hx))


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_gradients_of_convolutions(rank):
    x = torch.linspace(0, 1, 2 * 5**rank).reshape(1, 2, *[5] * rank).requires_grad_()
    w = torch.linspace(-1, 1, 6 * 2**rank).reshape(3, 2, *[2] * rank).requires_grad_()
    out = getattr(F, f"conv{rank}d")(x, w, None, 2, 1)
    seed = torch.linspace(1, 2, out.numel()).reshape(out.shape)
    expected = torch.autograd.grad(out, (x, w), seed, only_inputs=True)
    near(getattr(torch.nn.grad, f"conv{rank}d_input")(x.shape, w, seed, 2, 1), expected[0])
    near(getattr(torch.nn.grad, f"conv{rank}d_weight")(x, w.shape, seed, 2, 1), expected[1])


def test_dropout_of_features_drops_whole_channels():
    torch.manual_seed(0)
    out = torch.feature_dropout(torch.ones(4, 8, 3), 0.5, True)
    assert {*out.flatten().tolist()} == {0.0, 2.0}
    near(out, out[:, :, :1].expand(4, 8, 3))


def test_native_dropout_says_what_it_kept():
    torch.manual_seed(0)
    out, kept = torch.native_dropout(torch.ones(100), 0.25, True)
    near(out, kept / 0.75)


# ---------------------------------------------------------------------- optimizers


@pytest.mark.parametrize(
    "name", "SGD Adam AdamW RMSprop Adagrad Adadelta Adamax NAdam RAdam ASGD Rprop".split()
)
def test_groups_have_all_settings_of_pytorch(name):
    optimizer = getattr(torch.optim, name)([torch.nn.Parameter(torch.ones(2))], lr=0.1)
    group = optimizer.state_dict()["param_groups"][0]
    assert group["foreach"] is None
    assert group["differentiable"] is False
    assert "    foreach: None\n" in repr(optimizer)


def test_decoupled_weight_decay_makes_adam_adamw():
    ends = []
    for make in (
        lambda p: torch.optim.Adam([p], lr=0.1, weight_decay=0.3, decoupled_weight_decay=True),
        lambda p: torch.optim.AdamW([p], lr=0.1, weight_decay=0.3),
        lambda p: torch.optim.Adam([p], lr=0.1, weight_decay=0.3),
    ):
        p = torch.nn.Parameter(torch.ones(2))
        optimizer = make(p)
        for _ in range(3):
            p.grad = torch.tensor([1.0, -2.0])
            optimizer.step()
        ends.append(p)
    near(ends[0], ends[1])
    assert not torch.allclose(ends[0], ends[2])


# ---------------------------------------------------------------------- settings


@pytest.mark.parametrize("other", ["1.9", "2.9.1", (2, 12), [1, 13, 0]])
def test_versions_compare_as_versions(other):
    assert torch.__version__ > other
    assert torch.__version__ >= other
    assert not torch.__version__ <= other
    assert isinstance(torch.__version__, str)


def test_settings_are_remembered():
    before = (
        torch.get_deterministic_debug_mode(),
        torch.get_float32_matmul_precision(),
        torch.get_num_threads(),
    )
    try:
        torch.use_deterministic_algorithms(True, warn_only=True)
        assert torch.are_deterministic_algorithms_enabled()
        assert torch.is_deterministic_algorithms_warn_only_enabled()
        torch.set_deterministic_debug_mode("error")
        assert torch.get_deterministic_debug_mode() == 2
        torch.set_float32_matmul_precision("high")
        assert torch.get_float32_matmul_precision() == "high"
        torch.set_num_threads(3)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_deterministic_debug_mode(before[0])
        torch.set_float32_matmul_precision(before[1])
        torch.set_num_threads(before[2])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: torch.set_num_threads(0), RuntimeError),
        (lambda: torch.set_num_threads("2"), TypeError),
        (lambda: torch.set_float32_matmul_precision("low"), RuntimeError),
        (lambda: torch.set_deterministic_debug_mode("loud"), RuntimeError),
        (lambda: torch.set_deterministic_debug_mode(3), RuntimeError),
    ],
)
def test_wrong_settings_are_refused(call, error):
    with pytest.raises(error):
        call()


def test_autocast_of_a_device_takes_enabled_first():
    with torch.cpu.amp.autocast(True, torch.bfloat16):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16
    with torch.cpu.amp.autocast(False):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(torch.cuda.amp.autocast(False), torch.autocast)


def test_a_function_that_casts_its_inputs_runs_without_autocast():
    seen = []

    class Product(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
        def forward(ctx, x, more):
            seen.append((x.dtype, more["y"].dtype, (x @ x).dtype))
            return x * 2

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx, gradient):
            seen.append((gradient @ gradient).dtype)
            return gradient * 2, None

    x = torch.ones(2, 2, dtype=torch.bfloat16, requires_grad=True)
    with torch.autocast("cpu"):
        out = Product.apply(x, {"y": torch.ones(1, dtype=torch.bfloat16)})
        out.sum().backward()
    assert seen == [(torch.float32,) * 3, torch.float32]
    near(x.grad, torch.full((2, 2), 2.0, dtype=torch.bfloat16))


def test_old_places_of_functions():
    net = torch.nn.Linear(2, 1, bias=False)
    near(
        torch.nn.utils.stateless.functional_call(net, {"weight": torch.ones(1, 2)}, torch.ones(3, 2)),
        torch.full((3, 1), 2.0),
    )
    module = torch.utils.data._utils.collate
    near(module.collate([1, 2], collate_fn_map=module.default_collate_fn_map), torch.tensor([1, 2]))
    assert torch.nn.Parameter().shape == (0,)
