"""Lamb and LARS, for which MindSpore has no kernel on CPU: Lamb against optax, LARS against its formula in NumPy."""

import numpy as np
import optax
import pytest

import msjax as ms
from msjax import Parameter, Tensor, nn

START = {
    "fc.weight": np.array([[0.5, -1.0], [2.0, 1.5]], np.float32),
    "fc.bias": np.array([0.25, -2.0], np.float32),
}


def made():
    return [Parameter(Tensor(value), name=name) for name, value in START.items()]


def gradients(step):
    return tuple(
        (np.cos(np.arange(v.size).reshape(v.shape) + step) * (step + 1)).astype(np.float32)
        for v in START.values()
    )


def run(optimizer, parameters, steps=3, wrap=lambda f: f):
    step = wrap(lambda g: optimizer(g))
    for number in range(steps):
        assert step(tuple(map(Tensor, gradients(number)))) == (True, True)
    return [p.asnumpy() for p in parameters]


@pytest.mark.parametrize("wrap", [lambda f: f, ms.jit], ids=["eager", "compiled"])
def test_lamb(wrap):
    own = made()
    optimizer = nn.Lamb(own, 0.1, 0.8, 0.9, 1e-3, weight_decay=0.2)
    found = run(optimizer, own, wrap=wrap)
    reference = optax.lamb(0.1, 0.8, 0.9, 1e-3, weight_decay=0.2)
    values = list(START.values())
    state = reference.init(values)
    for number in range(3):
        updates, state = reference.update(list(gradients(number)), state, values)
        values = optax.apply_updates(values, updates)
    for got, want in zip(found, values, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5)
    assert [p.name for p in optimizer.moments1] == ["lamb_m.fc.weight", "lamb_m.fc.bias"]


def test_lamb_of_zeros_makes_the_step_of_adam():
    p = Parameter(Tensor(np.zeros(2, np.float32)), name="p")
    nn.Lamb([p], 0.5, eps=1e-9)((Tensor([3.0, -0.1]),))
    np.testing.assert_allclose(p.asnumpy(), [-0.5, 0.5], rtol=1e-5)


def lars(p, g, decay, coefficient=0.5, epsilon=1e-5, rate=None):
    size, slope = np.linalg.norm(p), np.linalg.norm(g)
    factor = coefficient * size / (slope + decay * size + epsilon)
    return (factor if rate is None else min(factor / rate, 1)) * (g + decay * p)


@pytest.mark.parametrize("wrap", [lambda f: f, ms.jit], ids=["eager", "compiled"])
@pytest.mark.parametrize("clip", [False, True])
def test_lars(clip, wrap):
    own = made()
    inner = nn.Momentum(own, 0.1, 0.9, weight_decay=0.2, loss_scale=2.0)
    found = run(nn.LARS(inner, coefficient=0.5, use_clip=clip), own, wrap=wrap)
    (weight, bias), speed = (v.copy() for v in START.values()), [0, 0]
    for number in range(3):
        g, h = (g / 2 for g in gradients(number))
        speed = [0.9 * speed[0] + lars(weight, g, 0.2, rate=0.1 if clip else None), 0.9 * speed[1] + h]
        weight, bias = weight - 0.1 * speed[0], bias - 0.1 * speed[1]
    for got, want in zip(found, (weight, bias), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5)
    assert inner.global_step.asnumpy() == [3]


def test_lars_of_groups_and_of_what_decays_by_itself():
    own = made()
    groups = [{"params": own[:1], "lr": 0.5, "weight_decay": 0.3}, {"params": own[1:], "weight_decay": 0.1}]
    everything = {"coefficient": 0.5, "lars_filter": lambda p: True}
    found = run(nn.LARS(nn.SGD(groups, 0.1), **everything), own, 1)
    for got, p, g, rate, decay in zip(
        found, START.values(), gradients(0), (0.5, 0.1), (0.3, 0.1), strict=True
    ):
        np.testing.assert_allclose(got, p - rate * lars(p, g, decay), rtol=1e-5)

    changed = [Tensor(lars(p, g, 0.2)) for p, g in zip(START.values(), gradients(0), strict=True)]
    for kind in (nn.AdamWeightDecay, nn.Lamb):
        own, plain = made(), made()
        found = run(nn.LARS(kind(own, 0.1, weight_decay=0.2), **everything), own, 1)
        kind(plain, 0.1)(tuple(changed))
        for got, p in zip(found, plain, strict=True):
            np.testing.assert_allclose(got, p.asnumpy(), rtol=1e-4, atol=1e-5)
