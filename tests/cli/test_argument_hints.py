"""Signature hints in tracebacks: notes on functions that were called with arguments they do not take."""

import pytest

from msjax import Tensor, mint, nn, ops
from msjax.cli.argument_hints import add_argument_hint, add_name_hint

X = Tensor([[1.0, 2.0]])
NOTHING = "in MindSpore nothing takes its place, leave it out."


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


def import_torch():
    # Raised here, because where PyTorch is installed its import does not.
    raise ModuleNotFoundError("No module named 'torch'", name="torch")


def import_misspelt():
    from msjax.nn import Denze  # noqa: F401


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda: nn.Dense(1, 1).train(), "`train` is PyTorch's: in MindSpore it is `set_train()`."),
        (lambda: nn.Dense(1, 1).parameters(), "`parameters` is PyTorch's: in MindSpore it is `get_parameters()`."),
        (lambda: nn.Module, "`Module` is PyTorch's: in MindSpore it is `nn.Cell`."),
        (lambda: nn.ModuleList, "`ModuleList` is PyTorch's: in MindSpore it is `nn.CellList`."),
        (lambda: nn.Dense(1, 1).children(), "`children` is PyTorch's: in MindSpore it is `cells()`."),
        (lambda: nn.Dense(1, 1).zero_grad(), f"`zero_grad` is PyTorch's: {NOTHING}"),
        (lambda: X.cuda(), f"`cuda` is PyTorch's: {NOTHING}"),
        (import_torch, "A program for PyTorch: `msjax run --as torch` runs it, `msjax port` rewrites it for MindSpore."),
        (import_misspelt, "Did you mean Dense, BiDense?"),
    ],
)  # fmt: skip
def test_a_name_that_is_not_there_leads_to_the_one_that_is(call, hint):
    with pytest.raises((AttributeError, ImportError)) as raised:
        call()
    add_name_hint(raised.value)
    assert raised.value.__notes__ == [hint]


@pytest.mark.parametrize(
    "call",
    [
        lambda: nn.Dense(1, 1).whatever,
        lambda: [].train(),  # no Cell
        lambda: __import__("nowhere"),
        lambda: __import__("math").sinn,
    ],
)
def test_other_names_stay_as_they_are(call):
    with pytest.raises((AttributeError, ImportError)) as raised:
        call()
    add_name_hint(raised.value)
    assert not hasattr(raised.value, "__notes__")


def test_a_cell_with_forward_is_told_the_name_it_needs():
    class Net(nn.Cell):
        def forward(self, x):
            return x

    with pytest.raises(AttributeError, match="Its `forward` should have that name"):
        Net()(X)
