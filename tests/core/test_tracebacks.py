"""An error in a compiled function shows the user's own frames, and no note of JAX's."""

import traceback

import jax
import pytest

import msjax as ms


def halve(x):
    raise LookupError("no half")


@pytest.mark.parametrize("transform", [ms.jit, ms.grad, ms.vmap, lambda fn: ms.jit(ms.grad(fn))])
def test_the_text_is_the_users(transform):
    with pytest.raises(LookupError, match="no half") as caught:
        transform(halve)(ms.Tensor([1.0, 2.0]))
    text = "".join(traceback.format_exception(caught.value))
    assert "halve" in text
    assert "internal frames" not in text
    assert "JAX_TRACEBACK_FILTERING" not in text


@pytest.fixture(params=[True, False])
def filtered(request):
    before = jax.config.jax_traceback_filtering
    jax.config.update("jax_traceback_filtering", "auto" if request.param else "off")
    yield request.param
    jax.config.update("jax_traceback_filtering", before)


@pytest.mark.parametrize("transform", [lambda fn: fn, ms.jit])
def test_an_operators_error_shows_the_call_and_the_operator(transform, filtered):
    def call(x):
        return ms.ops.dense(x, ms.ops.ones((8, 4)))

    with pytest.raises(ValueError, match="`dense`: argument `input` must") as caught:
        transform(call)(ms.ops.ones((3, 5)))
    text = "".join(traceback.format_exception(caught.value))
    assert "in call\n" in text
    assert "ops/nn/linear.py" in text
    assert text.count("`dense` was called with input: Tensor(shape=[3, 5]") == 1
    assert ("/core/op/op.py" not in text and "internal frames" not in text) == filtered


@pytest.mark.parametrize("convert", [lambda y: y.item(), lambda y: float(y.asnumpy()), lambda y: y.asnumpy()])
def test_a_result_without_a_gradient_is_told_at_the_line_of_the_program(convert):
    with pytest.warns(UserWarning, match="which carries no gradient: all gradients are 0") as told:
        assert ms.grad(lambda x: convert((x * x).sum()))(ms.Tensor([1.0, 2.0])).asnumpy().tolist() == [0, 0]
    assert [warning.filename for warning in told] == [__file__]


def test_backward_in_mindspores_dialect_names_value_and_grad():
    with pytest.raises(RuntimeError, match="does not require grad") as raised:
        ms.ops.ones((2,)).sum().backward()
    assert "`value_and_grad`" in raised.value.__notes__[0]
    with pytest.raises(RuntimeError, match="does not require grad") as raised:
        ms.torch.ones(2).sum().backward()
    assert not hasattr(raised.value, "__notes__")
