"""The formulas themselves: where MindSpore's kernels depart from them, against NumPy; dtypes of whole programs."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from msjax.nn.optim import transforms, transforms_adaptive

ALL: dict[str, Any] = {
    "prepare": transforms.preprocess_gradients((True, False), (True, True), 8.0),
    "sgd": transforms.sgd(0.3, False),
    "sgd nesterov": transforms.sgd(0.0, True),
    "momentum": transforms.momentum(False),
    "momentum nesterov": transforms.momentum(True),
    "adam": transforms.adam(0.9, 0.999, 1e-8),
    "adam nesterov": transforms.adam(0.9, 0.999, 1e-8, True),
    "adam amsgrad": transforms.adam(0.9, 0.999, 1e-8, False, True),
    "adam weight decay": transforms.adam_weight_decay(0.9, 0.999, 1e-6, (True, False)),
    "adamax": transforms.adamax(0.9, 0.999, 1e-8),
    "rmsprop": transforms.rmsprop(0.9, 0.5, 1e-10, False),
    "rmsprop centered": transforms.rmsprop(0.9, 0.5, 1e-10, True),
    "adagrad": transforms.adagrad(0.1, True),
    "adadelta": transforms_adaptive.adadelta(0.9, 1e-6),
    "ftrl": transforms_adaptive.ftrl(0.1, -0.5, 0.1, 0.1),
    "proximal adagrad": transforms_adaptive.proximal_adagrad(0.1, 0.1, 0.1),
    "rprop": transforms_adaptive.rprop((0.5, 1.2), (1e-6, 50.0)),
    "asgd": transforms_adaptive.asgd(1e-4, 0.75, 1e6),
}


def arguments(dtype: Any) -> tuple[list, list, dict]:
    rng = np.random.default_rng(0)
    params = [jnp.asarray(rng.standard_normal(s), dtype) for s in ((2, 3, 2, 2), (4,))]
    # Squares of small ones vanish in float16.
    grads = [jnp.asarray(rng.choice([-1, 1], p.shape) * rng.uniform(0.5, 2, p.shape), dtype) for p in params]
    one = jnp.float32(0.1)
    extra = {
        "learning_rate": one,
        "weight_decay": (one, one),
        "momentum": one,
        "global_step": jnp.zeros(1, jnp.int32),
    }
    return params, grads, extra


def step(transformation: Any) -> Callable:
    def run(params: list, grads: list, state: Any, extra: dict) -> Any:
        updates, state = transformation.update(grads, state, params, **extra)
        return [(p.astype(u.dtype) + u).astype(p.dtype) for p, u in zip(params, updates, strict=True)], state

    return run


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", ALL)
def test_no_float64_and_no_implicit_promotion(name: str, dtype: str, strict_promotion: None) -> None:
    params, grads, extra = arguments(dtype)
    state = ALL[name].init(params)
    program = jax.jit(step(ALL[name])).lower(params, grads, state, extra).as_text()
    assert "f64" not in program
    new, after = jax.eval_shape(step(ALL[name]), params, grads, state, extra)
    assert [p.dtype for p in new] == [p.dtype for p in params]
    assert jax.tree.map(lambda x: (x.shape, x.dtype), after) == jax.tree.map(
        lambda x: (x.shape, x.dtype), state
    )


@pytest.mark.parametrize("name", ALL)
def test_lowers_for_accelerators(name: str) -> None:
    params, grads, extra = arguments("float32")
    state = ALL[name].init(params)

    def flat(*leaves: Any) -> Any:
        return jax.tree.leaves(step(ALL[name])(*jax.tree.unflatten(tree, leaves)))

    leaves, tree = jax.tree.flatten((params, grads, state, extra))
    jax.export.export(jax.jit(flat), platforms=["cuda", "tpu"])(*leaves)


@pytest.mark.parametrize("name", ALL)
def test_steps_agree_in_all_dtypes(name: str) -> None:
    """16-bit parameters are computed with in float32: they differ by no more than their rounding."""
    found = {}
    for dtype in ("float64", "float32", "bfloat16", "float16"):
        params, grads, extra = arguments(dtype)
        state = ALL[name].init(params)
        for _ in range(3):
            params, state = step(ALL[name])(params, grads, state, extra)
        found[dtype] = np.concatenate([np.asarray(p, np.float64).ravel() for p in params])
    for dtype, tolerance in (("float32", 1e-5), ("bfloat16", 0.06), ("float16", 0.01)):
        np.testing.assert_allclose(
            found[dtype], found["float64"], rtol=tolerance, atol=tolerance, err_msg=dtype
        )


def run(transformation: Any, count: int = 5, rate: float = 0.1) -> tuple[np.ndarray, list[np.ndarray]]:
    """Parameters after some steps, and the gradients that led there."""
    rng = np.random.default_rng(1)
    p = jnp.asarray(rng.standard_normal(6), jnp.float32)
    start, state, grads = np.asarray(p), transformation.init([p]), []
    for i in range(count):
        g = rng.standard_normal(6).astype(np.float32)
        extra = {
            "learning_rate": jnp.float32(rate),
            "momentum": jnp.float32(0.9),
            "global_step": jnp.full(1, i),
        }
        updates, state = transformation.update([jnp.asarray(g)], state, [p], **extra)
        p = p + updates[0]
        grads.append(g)
    return np.asarray(p), [start, *grads]


def test_momentum_nesterov() -> None:
    found, (p, *grads) = run(transforms.momentum(True))
    v = np.zeros(6)
    for g in grads:
        v = 0.9 * v + g
        p = p - 0.1 * (g + 0.9 * v)
    np.testing.assert_allclose(found, p, rtol=1e-5)


def test_adagrad_without_update_of_slots() -> None:
    found, (p, *grads) = run(transforms.adagrad(0.25, False))
    np.testing.assert_allclose(found, p - 0.1 * sum(grads) / 0.5, rtol=1e-5)


def test_ftrl_with_l1() -> None:
    found, (p, *grads) = run(transforms_adaptive.ftrl(0.1, -0.5, 2.0, 0.3), rate=0.5)
    n, z = np.full(6, 0.1), np.zeros(6)
    for g in grads:
        new = n + g * g
        z = z + g - (np.sqrt(new) - np.sqrt(n)) / 0.5 * p
        n = new
        p = np.where(np.abs(z) > 2.0, (np.sign(z) * 2.0 - z) / (np.sqrt(n) / 0.5 + 0.6), 0.0)
    np.testing.assert_allclose(found, p, rtol=1e-4, atol=1e-6)
    assert (found == 0).any()
    assert (found != 0).any()


def test_rmsprop_epsilon_stands_under_the_root() -> None:
    found, (p, *grads) = run(transforms.rmsprop(0.5, 0.0, 0.1, False))
    s = np.ones(6)
    for g in grads:
        s = 0.5 * s + 0.5 * g * g
        p = p - 0.1 * g / np.sqrt(s + 0.1)
    np.testing.assert_allclose(found, p, rtol=1e-5)


def test_centralization() -> None:
    rng = np.random.default_rng(2)
    conv, matrix = rng.standard_normal((3, 16, 2, 2)), rng.standard_normal((3, 2))
    expected = conv - conv.mean((1, 2, 3), keepdims=True)
    np.testing.assert_allclose(transforms.centralize(jnp.asarray(conv)), expected, rtol=1e-6)
    np.testing.assert_array_equal(transforms.centralize(jnp.asarray(matrix)), matrix)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (transforms.momentum(False), optax.sgd(0.1, 0.9)),
        (transforms.momentum(True), optax.sgd(0.1, 0.9, nesterov=True)),
        (transforms.adam(0.9, 0.999, 1e-30), optax.adam(0.1, eps=1e-30)),
        (transforms.adam(0.9, 0.999, 1e-30, True), optax.nadam(0.1, eps=1e-30)),
        (transforms.adamax(0.9, 0.999, 1e-30), optax.adamax(0.1, eps=1e-30)),
        (transforms.adagrad(0.1, True), optax.adagrad(0.1, eps=0.0)),
        (transforms_adaptive.adadelta(0.9, 1e-6), optax.adadelta(0.1, 0.9, 1e-6)),
    ],
    ids=["momentum", "momentum nesterov", "adam", "nadam", "adamax", "adagrad", "adadelta"],
)
def test_optax_gives_the_same_where_it_should(ours: Any, theirs: Any) -> None:
    found, (start, *grads) = run(ours)
    p, state = jnp.asarray(start), theirs.init(jnp.asarray(start))
    for g in grads:
        updates, state = theirs.update(jnp.asarray(g), state, p)
        p = optax.apply_updates(p, updates)
    if ours is not transforms.adam(0.9, 0.999, 1e-30, True):  # optax corrects Nesterov's moment otherwise
        np.testing.assert_allclose(found, p, rtol=2e-4, atol=1e-5)
