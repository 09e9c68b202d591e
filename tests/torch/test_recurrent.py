"""LSTMs with a projected state, and states of wrong sizes. Expected values: PyTorch 2.13."""

import pytest

from msjax import torch


def projected(bidirectional=False, bias=True):
    """An LSTM of two layers with weights that follow a rule."""
    net = torch.nn.LSTM(3, 5, 2, bias=bias, batch_first=True, bidirectional=bidirectional, proj_size=2)
    with torch.no_grad():
        for at, parameter in enumerate(net.parameters()):
            parameter.copy_(torch.sin(torch.arange(parameter.numel()) * 0.7 + at).reshape(parameter.shape))
    return net


def signal():
    return torch.cos(torch.arange(24.0)).reshape(2, 4, 3)


@pytest.mark.parametrize(
    ("bidirectional", "bias", "expected"),
    [
        (False, True, [2.24674, 1.22575, -2.65774, 2.75885, 6.14967, 0.162426, 0.294323, 2.75732]),
        (False, False, [0.13126, -0.229113, -0.261916, 1.24607, 0.339677, -1.08802, -0.210464, 3.52707]),
        (True, True, [2.17167, 1.86049, 4.4647, 2.16346, 1.91671, 0.931403, 0.900707, 10.6051]),
        (True, False, [0.0560976, -0.0851895, -1.65481, 0.660638, 0.123647, -0.552218, -0.00025183, 4.75631]),
    ],
)
def test_projected_state(bidirectional, bias, expected):
    net = projected(bidirectional, bias)
    y, (h, c) = net(signal())
    (y**2).sum().backward()
    found = [y.sum(), h.sum(), c.sum(), net.weight_hr_l0.grad.norm(), net.weight_hh_l1.grad.norm()]
    packed = torch.nn.utils.rnn.pack_padded_sequence(signal(), [2, 4], batch_first=True, enforce_sorted=False)
    rows = 2 * (1 + bidirectional)
    y, (h, c) = net(packed, (torch.ones(rows, 2, 2), torch.ones(rows, 2, 5)))
    found += [y.data.sum(), h.sum(), c.sum()]
    assert [each.item() for each in found] == pytest.approx(expected, rel=1e-5, abs=1e-5)
    assert len(net.all_weights[0]) == 3 + 2 * bias
    assert "5, proj_size=2, num_layers=2" in repr(net)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("LSTM", {"proj_size": 5}, "smaller than hidden_size"),
        ("LSTM", {"proj_size": -1}, "positive integer or zero"),
        ("GRU", {"proj_size": 2}, "only supported for LSTM"),
    ],
)
def test_projections_that_are_refused(kind, options, message):
    with pytest.raises(ValueError, match=message):
        getattr(torch.nn, kind)(3, 5, **options)


@pytest.mark.parametrize(
    ("x", "states", "message"),
    [
        ((4, 3), [(2, 2, 2), (2, 2, 5)], r"For unbatched 2-D input, hx and cx .* got \(3-D, 3-D\) tensors"),
        ((2, 4, 3), [(2, 2), (2, 5)], r"For batched 3-D input, hx and cx .* got \(2-D, 2-D\) tensors"),
        ((2, 4, 3), [(2, 2, 5), (2, 2, 5)], r"Expected hidden\[0\] size \(2, 2, 2\), got \[2, 2, 5\]"),
        ((2, 4, 3), [(2, 2, 2), (2, 2, 2)], r"Expected hidden\[1\] size \(2, 2, 5\), got \[2, 2, 2\]"),
    ],
)
def test_states_that_do_not_fit(x, states, message):
    with pytest.raises(RuntimeError, match=message):
        projected()(torch.ones(*x), tuple(torch.ones(*state) for state in states))
