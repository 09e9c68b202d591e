"""Settings of operators of a wrong type: the message names the operator, the argument and what was given."""

import re

import jax.numpy as jnp
import pytest

import msjax as ms
from msjax import Tensor, ops
from msjax.core.op.op import op

BOTH = pytest.mark.parametrize("transform", [lambda f: f, ms.jit], ids=["eager", "jit"])


@BOTH
@pytest.mark.parametrize(
    ("code", "name", "argument"),
    [
        ("ops.batch_norm(x, m, m, m, m, eps='a')", "batch_norm", "eps='a'"),
        ("ops.batch_norm(x, m, m, m, m, momentum='a')", "batch_norm", "momentum='a'"),
        ("ops.layer_norm(x, (3,), eps='a')", "layer_norm", "eps='a'"),
        ("ops.cumsum(x, [0])", "cumsum", "axis=(0,)"),
        ("ops.norm(x, 'fro', dim=0)", "norm", "ord='fro'"),
        ("ops.softmax(x, {})", "softmax", "axis={}"),
        ("ops.sum(x, {0: 1})", "sum", "dim={0: 1}"),
    ],
)
def test_a_text_for_a_number(transform, code, name, argument):
    """TypeError, as in MindSpore 2.10."""
    x, m = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), Tensor([1.0, 2.0, 3.0])

    def f(x, m):
        return eval(code, {"ops": ops, "x": x, "m": m})

    setting = argument.partition("=")[0]
    with pytest.raises(TypeError, match=f"`{name}`: argument `{setting}` must be .*{re.escape(argument)}"):
        transform(f)(x, m)


@BOTH
@pytest.mark.parametrize("given", ["text", [1], {}])
def test_of_an_operator_that_does_not_look(transform, given):
    """What Python or JAX says where the value is used is not the message."""

    @op(static="by times")
    def raised(x, by: float = 1.0, times: int | None = None):
        return jnp.power(x, by) * times

    with pytest.raises(TypeError, match=r"`raised`: argument `by` must be a number. Received: by="):
        transform(lambda x: raised(x, given, 2))(Tensor([1.0]))
    with pytest.raises(TypeError, match=r"`raised`: argument `times` must be an int. Received: times="):
        transform(lambda x: raised(x, 2.0, given))(Tensor([1.0]))


@pytest.mark.parametrize("order", ["a", 3])
def test_no_norm_of_matrices(order):
    """ValueError, where a number may be a norm."""
    with pytest.raises(ValueError, match=r"`norm`: argument `ord` must be one of .* for matrices"):
        ops.norm(Tensor([[1.0, 2.0]]), order)
