"""Signature hints in tracebacks: notes on functions that were called with arguments they do not take."""

import pytest

from msjax import Tensor, mint, nn, ops
from msjax.cli.argument_hints import add_argument_hint

X = Tensor([[1.0, 2.0]])


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda: ops.mean(X, dim=1), "`ops.mean` takes (x, axis=None, keep_dims=False)"),
        (lambda: mint.softmax(X, axis=1), "`mint.softmax` takes (input, dim, *, dtype=None)"),
        (lambda: mint.softmax(mint.exp(X), axis=1), "`mint.softmax` takes (input, dim, *, dtype=None)"),
        (lambda: nn.Softmax(dim=1), "`nn.Softmax` takes (axis=-1)"),
        (
            lambda: ops.concat(
                (X, X),
                dim=1,
            ),
            "`ops.concat` takes (tensors, axis=0)",
        ),
        (lambda: ops.Gather(dim=1), "`ops.Gather` takes (batch_dims=0)"),
    ],
)
def test_the_signature_follows_the_refusal(call, hint):
    with pytest.raises(TypeError) as raised:
        call()
    add_argument_hint(raised.value)
    assert raised.value.__notes__ == [hint]


@pytest.mark.parametrize(
    "call",
    [
        lambda: (lambda a: a)(b=1),  # the program's own function
        lambda: ops.relu("a"),  # not about names or numbers of arguments
        lambda: int("a"),
        lambda: [nn.Dense][0](bias=1),  # finding the function would run part of the program again
    ],
)
def test_other_errors_stay_as_they_are(call):
    with pytest.raises((TypeError, ValueError)) as raised:
        call()
    add_argument_hint(raised.value)
    assert not hasattr(raised.value, "__notes__")
