"""Any optax transformation as an optimizer: the same numbers as optax alone, and what MindSpore's optimizers have."""

import functools
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import msjax as ms
from msjax import nn

sys.path.insert(0, str(Path(__file__).parents[2] / "goldens"))
from samples_optim import Bench

MAKERS: dict[str, Any] = {
    "adam": lambda: optax.adam(0.1),
    "adamw, schedule": lambda: optax.adamw(optax.warmup_cosine_decay_schedule(0.0, 0.1, 2, 6)),
    "sgd": lambda: optax.sgd(0.1, 0.9, nesterov=True),
    "lion": lambda: optax.lion(0.01),
    "adafactor": lambda: optax.adafactor(0.1),
    "lamb": lambda: optax.lamb(0.1),
    "rmsprop": lambda: optax.rmsprop(0.1, centered=True, momentum=0.9),
    "nadam": lambda: optax.nadam(0.1),
    "radam": lambda: optax.radam(0.1),
    "clip": lambda: optax.chain(optax.clip_by_global_norm(0.5), optax.adam(0.1)),
    "two adams": lambda: optax.chain(optax.scale_by_adam(), optax.scale_by_adam(), optax.scale(-0.1)),
    "by name": lambda: optax.multi_transform(
        {"slow": optax.sgd(0.01), "fast": optax.adam(0.1)},
        lambda params: {name: "slow" if name.startswith("fc") else "fast" for name in params},
    ),
    "masked": lambda: optax.masked(optax.sgd(0.1), lambda params: {name: "bias" in name for name in params}),
    "every second": lambda: optax.MultiSteps(optax.adam(0.1), 2).gradient_transformation(),
    "if finite": lambda: optax.apply_if_finite(optax.adam(0.1), 3),
    "noise": lambda: optax.chain(optax.add_noise(0.1, 0.5, key=7), optax.sgd(0.1)),
    "schedule-free": lambda: optax.contrib.schedule_free_sgd(0.1),
    "prodigy": lambda: optax.contrib.prodigy(),
}


@functools.cache
def alone(name: str, steps: int) -> dict[str, np.ndarray]:
    """Take optax's own steps, with 32-bit numbers."""
    bench = Bench(ms)
    transformation = MAKERS[name]()

    @jax.jit
    def moved(grads: Any, state: Any, params: Any) -> Any:
        updates, state = transformation.update(grads, state, params)
        return state, optax.apply_updates(params, updates)

    with jax.enable_x64(False):
        params = {p.name: jnp.asarray(p.asnumpy()) for p in bench.p}
        state = transformation.init(params)
        for step in range(steps):
            grads = {
                p.name: jnp.asarray(g.asnumpy()) for p, g in zip(bench.p, bench.gradients(step), strict=True)
            }
            state, params = moved(grads, state, params)
    return {name: np.asarray(p) for name, p in params.items()}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("compiled", [False, True])
def test_same_as_optax(name: str, compiled: bool) -> None:
    bench = Bench(ms)
    optimizer = nn.Optax(bench.p, MAKERS[name]())
    call = ms.jit(lambda *g: optimizer(g)) if compiled else (lambda *g: optimizer(g))
    for step in range(4):
        assert call(*bench.gradients(step)) == (True,) * 4
    expected = alone(name, 4)
    for parameter in bench.p:
        np.testing.assert_allclose(
            parameter.asnumpy(), expected[parameter.name], rtol=1e-4, atol=2e-5, err_msg=parameter.name
        )
    assert int(optimizer.global_step) == 4


@pytest.mark.parametrize("name", MAKERS)
def test_no_float64(name: str) -> None:
    from msjax.core.trace import captures, trace

    bench = Bench(ms)
    optimizer = nn.Optax(bench.p, MAKERS[name]())
    guess = captures.guess_captures(optimizer.construct)
    traced = trace.trace(lambda *g: optimizer(g), bench.gradients(0), {}, guess=guess)
    assert "f64" not in str(traced.closed)
    assert all(p.dtype != ms.float64 for p in optimizer.get_parameters())


@pytest.mark.parametrize("name", MAKERS)
def test_training_goes_on_from_a_checkpoint(tmp_path: Path, name: str) -> None:
    path = str(tmp_path / "a.ckpt")
    first, second = Bench(ms), Bench(ms)
    a, b = nn.Optax(first.p, MAKERS[name]()), nn.Optax(second.p, MAKERS[name]())
    for step in range(3):
        a(first.gradients(step))
    ms.save_checkpoint(a, path)
    assert ms.load_param_into_net(b, ms.load_checkpoint(path)) == ([], [])
    for step in range(3, 5):
        a(first.gradients(step))
        b(second.gradients(step))
    for p, q in zip(a.get_parameters(), b.get_parameters(), strict=True):
        np.testing.assert_array_equal(p.asnumpy(), q.asnumpy(), err_msg=p.name)


def names(transformation: Any) -> list[str]:
    return [p.name for p in nn.Optax(Bench(ms).p[2:], transformation).get_parameters()][3:]


def test_names_of_slots() -> None:
    assert names(optax.adam(0.1)) == ["count", "mu.bn.gamma", "mu.fc.bias", "nu.bn.gamma", "nu.fc.bias"]
    assert names(MAKERS["two adams"]()) == [
        f"{place}.{slot}" for place in (0, 1) for slot in ("count", *names(optax.adam(0.1))[1:])
    ]
    assert names(optax.sgd(0.1)) == []


def test_a_learning_rate_of_mindspores_kind() -> None:
    ours, theirs = Bench(ms), Bench(ms)
    groups = [{"params": ours.p[:2], "lr": nn.WarmUpLR(0.1, 3)}, {"params": ours.p[2:]}]
    a = nn.Optax(groups, optax.trace(0.9), learning_rate=0.2, weight_decay=0.1, loss_scale=4.0)
    groups = [{"params": theirs.p[:2], "lr": nn.WarmUpLR(0.1, 3)}, {"params": theirs.p[2:]}]
    b = nn.Momentum(groups, 0.2, 0.9, weight_decay=0.1, loss_scale=4.0)
    for step in range(4):
        a(ours.gradients(step))
        b(theirs.gradients(step))
    for p, q in zip(ours.p, theirs.p, strict=True):
        np.testing.assert_allclose(p.asnumpy(), q.asnumpy(), rtol=1e-5, atol=1e-6)
    assert float(a.get_lr()[0]) == pytest.approx(0.1)


def test_extra_arguments() -> None:
    bench = Bench(ms)
    optimizer = nn.Optax(
        bench.p, optax.chain(optax.sgd(1.0), optax.contrib.reduce_on_plateau(patience=1, factor=0.5))
    )
    scales = []
    for _ in range(4):
        optimizer(bench.gradients(0), value=ms.Tensor(1.0))
        scales.append(next(float(p) for p in optimizer.get_parameters() if p.name == "scale"))
    assert scales[0] == 1.0
    assert scales[-1] < 1.0


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_other_dtypes(dtype: str) -> None:
    bench = Bench(ms, dtype)
    optimizer = nn.Optax(bench.p, optax.adam(0.1, eps=1e-3))  # optax computes in the parameters' dtype
    before = [p.asnumpy() for p in (q.float() for q in bench.p)]
    optimizer(bench.gradients(0))
    for p, old in zip(bench.p, before, strict=True):
        assert str(p.dtype).lower() == dtype
        assert np.abs(p.float().asnumpy() - old).max() == pytest.approx(0.1, rel=0.05)


@pytest.mark.parametrize(
    "given", [None, 1, "adam", optax.adam, {"a": 1}], ids=["None", "int", "str", "function", "dict"]
)
def test_what_is_no_transformation(given: Any) -> None:
    with pytest.raises(TypeError, match=r"`Optax`: argument `transformation` must be.*Received"):
        nn.Optax(Bench(ms).p, given)


def test_a_group_with_a_rate_needs_another() -> None:
    bench = Bench(ms)
    with pytest.raises(ValueError, match="`learning_rate` must be given"):
        nn.Optax([{"params": bench.p[:1], "lr": 0.1}, {"params": bench.p[1:]}], optax.sgd(0.1))
    with pytest.raises(ValueError, match="has its own"):
        nn.Optax(bench.p, optax.sgd(0.1)).get_lr()


def test_a_failed_step_changes_nothing() -> None:
    bench = Bench(ms)
    optimizer = nn.Optax(bench.p, optax.adam(0.1))
    before = [p.asnumpy() for p in optimizer.get_parameters()]
    with pytest.raises(ValueError, match=r"'fc\.bias' must have its shape"):
        optimizer((*bench.gradients(0)[:2], ms.Tensor(np.ones(9, np.float32)), bench.gradients(0)[3]))
    for p, old in zip(optimizer.get_parameters(), before, strict=True):
        np.testing.assert_array_equal(p.asnumpy(), old)
