"""Programs evaluated with their images channels-last compute what they computed."""

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import msjax as ms
from msjax import nn, ops
from msjax.core.xla import channels_last, jaxpr_queries

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 4, 8, 8)).astype(np.float32)
W = (RNG.normal(size=(4, 4, 3, 3)) / 4).astype(np.float32)


def conv(x, w, strides=(1, 1), padding="SAME", **options):
    return lax.conv_general_dilated(x, w, strides, padding, **options)


def normalized(x):
    mean = x.mean((0, 2, 3), keepdims=True)
    return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean((0, 2, 3), keepdims=True) + 1e-5)


def pooled(x, compute=lax.max, start=-jnp.inf, size=2):
    return lax.reduce_window(x, start, compute, (1, 1, size, size), (1, 1, 2, 2), "VALID")


def block(x, w):
    return conv(jax.nn.relu(normalized(conv(x, w))), w)


# Each is a function of an image and a kernel; all of a group are one program.
GROUPS = {
    "convolutions": {
        "strided": lambda x, w: conv(conv(x, w, (2, 2), "VALID"), w),
        "padded": lambda x, w: conv(conv(x, w, padding=((1, 2), (0, 3))), w),
        "grouped": lambda x, w: conv(
            conv(x, w[:, :2], feature_group_count=2), w[:, :1], feature_group_count=4
        ),
        "dilated": lambda x, w: conv(
            conv(x, w, rhs_dilation=(2, 1)), w, padding=((0, 1), (1, 0)), lhs_dilation=(2, 2)
        ),
        "batches": lambda x, w: conv(x, conv(w, w), batch_group_count=2),
        "last": lambda x, w: conv(
            conv(x, w).transpose(0, 2, 3, 1),
            w.transpose(2, 3, 1, 0),
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
        ),
        "one axis": lambda x, w: conv(conv(x[:, :, 0], w[..., 0], (1,)), w[..., 1], (2,)),
        "three axes": lambda x, w: conv(
            jax.nn.relu(conv(x[:, :, None], w[:, :, None], (1, 1, 1))), w[..., None], (1, 1, 2)
        ),
    },
    "windows and sums": {
        "block": block,
        "largest": lambda x, w: conv(pooled(jnp.sin(conv(x, w))), w),
        "mean": lambda x, w: conv(pooled(conv(x, w), lax.add, 0.0, 3), w),
        "over channels": lambda x, w: conv(x, w).sum(1) * conv(x, w).max(2).mean(1)[:, None],
        "softmax": lambda x, w: conv(jax.nn.softmax(conv(x, w), 1), w),
        "squeezed": lambda x, w: conv(x, w[:1])[:, 0] + conv(x, w).mean((0, 1)),
        "scaled": lambda x, w: conv(x, w) * jax.nn.sigmoid(conv(x, w).mean((2, 3), keepdims=True)),
        "global": lambda x, w: conv(x, w).mean((2, 3)) @ w[:, :, 0, 0],
        "positions": lambda x, w: (
            conv(x, w) + jnp.argmax(conv(x, w), 1)[:, None] + jnp.arange(4.0)[:, None, None]
        ),
    },
    "shapes": {
        "flat": lambda x, w: conv(x, w).reshape(2, -1) @ jnp.ones((256, 3)),
        "joined": lambda x, w: conv(jnp.concatenate([conv(x, w), x], 1), jnp.concatenate([w, w], 1)),
        "joined batches": lambda x, w: jnp.concatenate([x, conv(x, w)], 0),
        "cut": lambda x, w: conv(conv(x, w)[:, 1:3, ::2, 1:5], w[:, :2]),
        "padding": lambda x, w: conv(
            jnp.pad(conv(x, w), ((0, 0), (0, 0), (1, 2), (3, 0)), constant_values=2), w
        ),
        "reflected": lambda x, w: conv(jnp.pad(conv(x, w), ((0, 0), (0, 0), (1, 2), (3, 0)), "reflect"), w),
        "turned": lambda x, w: conv(conv(x, w).transpose(0, 3, 2, 1).transpose(0, 3, 1, 2), w),
        "flipped": lambda x, w: conv(jnp.flip(conv(x, w), 2), w),
        "shuffled": lambda x, w: conv(
            conv(x, w).reshape(2, 2, 2, 8, 8).swapaxes(1, 2).reshape(2, 4, 8, 8), w
        ),
        "split": lambda x, w: conv(sum(jnp.split(conv(x, w), 2, 1)), w[:, :2]),
        "product": lambda x, w: jnp.matmul(conv(x, w), conv(x, w)),
        "chosen": lambda x, w: jnp.where(conv(x, w) > 0, x, 2 * conv(x, w)),
        "clipped": lambda x, w: jnp.clip(conv(x, w), -0.1, 0.2) ** 3,
        "whole": lambda x, w: conv(x, w).astype(jnp.int32).astype(jnp.float32),
        "half": lambda x, w: conv(conv(x, w).astype(jnp.bfloat16), w.astype(jnp.bfloat16)).astype(
            jnp.float32
        ),
        "set": lambda x, w: conv(conv(x, w).at[:, 1].set(0.5).at[0, :, 2:4].multiply(2), w),
    },
    "control": {
        "again": lambda x, w: jax.checkpoint(block)(x, w),
        "scan": lambda x, w: lax.scan(lambda c, _: (block(c, w), None), x, None, length=2)[0],
        "branches": lambda x, w: lax.cond(x.sum() > 0, lambda y: block(y, w), lambda y: y * 2, conv(x, w)),
        "loop": lambda x, w: lax.fori_loop(0, 2, lambda i, y: block(y, w) * (i + 1), x),
        "inner": lambda x, w: jax.jit(block)(conv(x, w), w),
        "numbers": lambda x, w: jax.nn.relu(conv(x, w)) + jax.random.normal(jax.random.key(0), X.shape),
        "nothing": lambda x, w: x * w.sum(),
    },
}


@pytest.mark.parametrize("group", GROUPS)
def test_values_and_gradients_are_the_same(group):
    def total(x, w):
        found = {name: fn(x, w) for name, fn in GROUPS[group].items()}
        return sum(jnp.sin(y.astype(jnp.float32)).sum() for y in found.values()), found

    whole = jax.value_and_grad(total, (0, 1), has_aux=True)
    closed, shape = jax.make_jaxpr(whole, return_shape=True)(X, W)
    results = [
        jax.tree.unflatten(jax.tree.structure(shape), jax.jit(fn)(X, W))
        for fn in (jax.extend.core.jaxpr_as_fun(closed), channels_last.channels_last(closed))
    ]
    for (path, expected), found in zip(
        jax.tree_util.tree_leaves_with_path(results[0]), jax.tree.leaves(results[1]), strict=True
    ):
        assert found.dtype == expected.dtype, path
        np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-5, err_msg=str(path))


def steps(jaxpr):
    """All steps, those within others too."""
    for eqn in jaxpr.eqns:
        yield eqn
        for value in eqn.params.values():
            for inner in value if isinstance(value, tuple) else (value,):
                inner = getattr(inner, "jaxpr", inner)
                if hasattr(inner, "eqns"):
                    yield from steps(inner)


def images_turned(fn, *values):
    """How many images the program transposes, and how many convolutions take images channels-last."""
    closed = jax.make_jaxpr(fn)(*values)
    closed = jax.make_jaxpr(channels_last.channels_last(closed))(*values)
    every = list(steps(closed.jaxpr))
    last = [
        e
        for e in every
        if e.primitive.name == "conv_general_dilated" and e.params["dimension_numbers"].lhs_spec[1] == 3
    ]
    turned = [e for e in every if e.primitive.name == "transpose" and e.invars[0].aval.size >= X.size]
    return len(turned), len(last)


def deep(x, w):
    for _ in range(5):
        x = x + pooled(jnp.pad(block(x, w), ((0, 0), (0, 0), (4, 4), (4, 4))))
    return x.mean((2, 3)).sum()


def test_images_are_turned_no_more_than_once():
    assert images_turned(deep, X, W) == (1, 9)  # the image; the first convolution takes it as it is
    turned, last = images_turned(jax.grad(deep, (0, 1)), X, W)
    assert turned == 2  # its gradient besides
    assert last >= 19


def test_only_programs_with_convolutions_on_cpu(monkeypatch):
    with_one, without = jax.make_jaxpr(conv)(X, W), jax.make_jaxpr(jnp.add)(X, X)
    assert channels_last.pays_off(with_one) == (jax.default_backend() == "cpu")
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert not channels_last.pays_off(with_one)
    monkeypatch.setattr(jax, "default_backend", lambda: "cpu")
    assert not channels_last.pays_off(without)


def test_compiled_functions_go_this_way(monkeypatch):
    net = nn.SequentialCell(
        nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Conv2d(4, 2, 3)
    )
    weights = net.trainable_params()
    start = [p.asnumpy() for p in net.get_parameters()]

    def results(on):
        for p, value in zip(net.get_parameters(), start, strict=True):
            p.set_data(ms.Tensor(value))
        monkeypatch.setattr(
            channels_last,
            "pays_off",
            lambda closed: on and jaxpr_queries.contains(closed.jaxpr, "conv_general"),
        )
        seen = []
        whole = channels_last.channels_last
        monkeypatch.setattr(
            channels_last, "channels_last", lambda closed: seen.append(closed) or whole(closed)
        )
        net.set_train()
        step = ms.jit(ms.value_and_grad(lambda x: ops.sin(net(x)).sum(), 0, weights))
        value, (of_x, of_weights) = step(ms.Tensor(X))
        monkeypatch.setattr(channels_last, "channels_last", whole)
        assert len(seen) == on
        return [value, of_x, *of_weights, *net.get_parameters()]

    for one, other in zip(results(True), results(False), strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-4, atol=1e-5)
