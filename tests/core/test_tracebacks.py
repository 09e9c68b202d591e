"""An error in a compiled function shows the user's own frames, and no note of JAX's."""

import traceback

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
