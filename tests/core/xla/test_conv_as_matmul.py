"""Convolutions that are not computed as such on CPU give what convolutions give, and so do their gradients."""

import jax
import jax.extend.core
import numpy as np
import pytest
from jax import lax

from msjax.core.xla import channels_last
from tests.core.xla.test_channels_last import steps

RNG = np.random.default_rng(0)
# Images, kernel, and options; then how many convolutions are left in the value and both gradients.
CASES = {
    "one place": ((2, 3, 5, 6), (4, 3, 1, 1), {}, 0),
    "one place in steps": ((2, 3, 5, 6), (4, 3, 1, 1), {"window_strides": (2, 3)}, 0),
    "one place in steps that fit": ((2, 3, 5, 7), (4, 3, 1, 1), {"window_strides": (2, 3)}, 0),
    "one place and zeros around": ((2, 3, 5, 6), (4, 3, 1, 1), {"padding": ((1, 2), (0, 3))}, 1),
    "one place and zeros between": (
        (2, 3, 5, 6),
        (4, 3, 1, 1),
        {"lhs_dilation": (2, 1), "padding": ((0, 1), (2, 0))},
        1,
    ),
    "between and in steps": (
        (2, 3, 5, 6),
        (4, 3, 1, 1),
        {"lhs_dilation": (3, 1), "window_strides": (2, 1)},
        3,
    ),
    "the whole image": ((2, 3, 5, 6), (4, 3, 5, 6), {}, 1),
    "each channel": ((2, 3, 7, 6), (3, 1, 3, 3), {"feature_group_count": 3}, 0),
    "each channel in steps": (
        (2, 3, 7, 6),
        (3, 1, 3, 2),
        {"feature_group_count": 3, "window_strides": (2, 3), "padding": ((1, 1), (1, 0))},
        0,
    ),
    "each channel, far apart": (
        (2, 3, 9, 8),
        (3, 1, 3, 3),
        {"feature_group_count": 3, "rhs_dilation": (2, 3), "padding": ((2, 2), (3, 3))},
        0,
    ),
    "each channel, zeros between": (
        (2, 3, 4, 5),
        (3, 1, 2, 3),
        {"feature_group_count": 3, "lhs_dilation": (2, 2), "padding": ((1, 0), (2, 2))},
        0,
    ),
    "each channel of one place": ((2, 3, 7, 6), (3, 1, 1, 1), {"feature_group_count": 3}, 0),
    "two of each channel": ((2, 3, 7, 6), (6, 1, 3, 3), {"feature_group_count": 3}, 2),
    "groups": ((2, 6, 7, 6), (4, 3, 3, 3), {"feature_group_count": 2, "padding": ((1, 1), (1, 1))}, 2),
    "groups in steps": (
        (2, 6, 7, 6),
        (9, 2, 3, 3),
        {"feature_group_count": 3, "padding": ((1, 1), (1, 1)), "window_strides": (2, 2)},
        2,
    ),
    "one axis": ((2, 3, 9), (3, 1, 3), {"feature_group_count": 3, "window_strides": (2,)}, 0),
    "three axes": ((2, 3, 4, 3, 5), (3, 1, 3, 2, 3), {"feature_group_count": 3}, 0),
    "a large kernel": ((1, 2, 12, 12), (2, 1, 9, 9), {"feature_group_count": 2}, 3),
    "as they are": ((2, 3, 5, 6), (4, 3, 3, 3), {}, 3),
}


def call(options):
    options = dict(options)
    sizes = options.pop("window_strides", None), options.pop("padding", None)

    def convolved(x, w):
        rank = x.ndim - 2
        return lax.conv_general_dilated(
            x, w, sizes[0] or (1,) * rank, sizes[1] or ((0, 0),) * rank, **options
        )

    return convolved


def with_gradients(options):
    convolved = call(options)

    def whole(x, w, g):
        y, back = jax.vjp(convolved, x, w)
        return [y, *back(g)]

    return whole


def arrays(name, dtype=np.float32):
    images, kernel, options, _ = CASES[name]
    x, w = (RNG.normal(size=shape).astype(dtype) for shape in (images, kernel))
    g = RNG.normal(size=jax.eval_shape(call(options), x, w).shape).astype(dtype)
    return x, w, g


@pytest.mark.parametrize("batch", range(0, len(CASES), 5))
def test_values_and_gradients_are_the_same(batch):
    names = list(CASES)[batch : batch + 5]
    given = {name: arrays(name) for name in names}

    def whole(given):
        return {name: with_gradients(CASES[name][2])(*given[name]) for name in names}

    expected, found = jax.jit(whole)(given), jax.jit(channels_last.with_channels_last(whole))(given)
    for name in names:
        for one, other in zip(found[name], expected[name], strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4, err_msg=name)


@pytest.mark.parametrize("name", CASES)
def test_which_are_left(name):
    given = arrays(name)
    jaxpr = jax.make_jaxpr(channels_last.with_channels_last(with_gradients(CASES[name][2])))(*given).jaxpr
    left = [eqn for eqn in steps(jaxpr) if eqn.primitive.name == "conv_general_dilated"]
    assert len(left) == CASES[name][3]


def test_numbers_of_16_bits_are_summed_in_32():
    names = ["each channel", "groups", "one place"]
    given = {name: arrays(name, np.float16) for name in names}

    def whole(given):
        return {name: with_gradients(CASES[name][2])(*given[name]) for name in names}

    found = jax.jit(channels_last.with_channels_last(whole))(given)
    expected = jax.jit(whole)(jax.tree.map(lambda a: a.astype(np.float32), given))
    for name in names:
        for one, other in zip(found[name], expected[name], strict=True):
            assert one.dtype == np.float16
            np.testing.assert_allclose(one, other, rtol=2e-3, atol=1e-2, err_msg=name)


def test_whole_numbers_stay_convolutions():
    x, w = np.ones((1, 3, 4, 4), np.int32), np.ones((3, 1, 2, 2), np.int32)
    convolved = call({"feature_group_count": 3})
    np.testing.assert_array_equal(channels_last.with_channels_last(convolved)(x, w), convolved(x, w))
