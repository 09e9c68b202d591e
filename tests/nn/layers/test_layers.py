"""Every layer, against MindSpore's values, gradients, dtypes, parameters, printing and errors, eagerly and compiled."""

import pathlib
import re

import numpy as np
import pytest
from samples_layers import LAYERS, STARTS, Call

import msjax as ms
from tests.goldens.packing import unpack

GOLDENS = pathlib.Path(__file__).parents[2] / "goldens"
INITIALIZER = re.compile(r"(\w+)\((?:negative_slope|scale)=[^()]*\)")
TOLERANCE = {"float16": 2e-3, "float32": 2e-5, "float64": 1e-10}
ERRORS = {
    "ValueError": ValueError,
    "TypeError": TypeError,
    "RuntimeError": RuntimeError,
    "KeyError": KeyError,
}

# Where MindSpore's exception comes from deep inside and says little: what is raised here instead.
OTHER_ERRORS: dict[str, type[Exception]] = {
    "Conv2d(2, 3, 3)(normal:float32:1x3x5x6)": ValueError,
}


GOLDEN, START = unpack(GOLDENS / "nn_layers.npz").values()
WORKING = [call for call in LAYERS if not call.fails]
FAILING = [call for call in LAYERS if call.fails]


def leaves(value):
    return [leaf for v in value for leaf in leaves(v)] if isinstance(value, list | tuple) else [value]


def close(got: np.ndarray, want: np.ndarray, call: Call) -> None:
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    tol = call.tol or TOLERANCE.get(want.dtype.name, 0)
    np.testing.assert_allclose(got.astype("float64"), want.astype("float64"), rtol=tol, atol=tol)


class Run:
    """A layer with the values that the golden was recorded with, and what it is called with."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.golden = GOLDEN[call.id]
        self.cell = call.build(ms)
        self.parameters = list(self.cell.parameters_and_names())
        self.printed = INITIALIZER.sub(r"<\1>", str(self.cell))
        self.described = [
            [n, p.name, list(p.shape), str(p.dtype), p.requires_grad] for n, p in self.parameters
        ]
        for path, p in self.parameters:
            p.set_data(ms.Tensor(call.values(path, p.shape, p.asnumpy().dtype)))
        self.inputs = [ms.Tensor(x) if isinstance(x, np.ndarray) else x for x in call.inputs()]
        self.weights = [p for _, p in self.parameters if p.requires_grad]
        tensors = [i for i, x in enumerate(self.inputs) if isinstance(x, ms.Tensor)]
        self.at = [i for i in tensors if self.inputs[i].asnumpy().dtype.kind == "f"]

    def loss(self, *args):
        outs = leaves(self.cell(*args))
        sens = [ms.Tensor(self.call.cotangent(i, o)) for i, o in enumerate(self.golden["outputs"])]
        return sum(
            ((o * s).astype(ms.float32).sum() for o, s in zip(outs, sens, strict=True)), ms.Tensor(0.0)
        )


# A layer of each kind is enough to see that compiling changes nothing; the operators below are tested one by one.
COMPILED = list({(call.make.split("(")[0], call.train): call for call in WORKING}.values())


@pytest.mark.parametrize("call", WORKING, ids=lambda call: call.id)
def test_layer(call):
    """Eagerly; but the gradients of layers that another one of the same kind stands for are compiled as one program."""
    run = Run(call)
    assert run.printed == run.golden["tree"]
    assert run.described == run.golden["parameters"]
    for got, want in zip(leaves(run.cell(*run.inputs)), run.golden["outputs"], strict=True):
        close(got.asnumpy(), want, call)
    if call.train:
        state = [p for _, p in run.parameters if not p.requires_grad]
        for p, want in zip(state, run.golden["state"], strict=True):
            close(p.asnumpy(), want, call)
    if run.golden["grads"]:
        gradient = ms.grad(run.loss, tuple(run.at) or None, run.weights or None)
        found = (gradient if call in COMPILED else ms.jit(gradient))(*run.inputs)
        for got, want in zip(leaves(found), run.golden["grads"], strict=True):
            close(got.asnumpy(), want, call)


@pytest.mark.parametrize("call", COMPILED, ids=lambda call: call.id)
def test_compiled(call):
    run = Run(call)
    step = ms.jit(lambda *args: run.cell(*args))
    for got, want in zip(leaves(step(*run.inputs)), run.golden["outputs"], strict=True):
        close(got.asnumpy(), want, call)
    if run.golden["grads"]:
        gradient = ms.jit(ms.grad(run.loss, tuple(run.at) or None, run.weights or None))
        for got, want in zip(leaves(gradient(*run.inputs)), run.golden["grads"], strict=True):
            close(got.asnumpy(), want, call)


@pytest.mark.parametrize("call", FAILING, ids=lambda call: call.id)
def test_must_fail(call):
    error = OTHER_ERRORS.get(call.id, ERRORS[GOLDEN[call.id]["error"]])

    def attempt():
        call.build(ms)(*[ms.Tensor(x) if isinstance(x, np.ndarray) else x for x in call.inputs()])

    with pytest.raises(error) as caught:
        attempt()
    assert "`" in str(caught.value)


@pytest.mark.parametrize("make", STARTS)
def test_starting_values(make):
    """Mean and deviation within five standard errors of what MindSpore drew; bounds as close as samples get."""
    cell = Call(make, ()).build(ms)
    assert {name for name, _ in cell.parameters_and_names()} == set(START[make])
    for name, parameter in cell.parameters_and_names():
        values = parameter.asnumpy()
        mean, deviation, least, greatest = START[make][name]
        error = 5 * deviation / np.sqrt(values.size) + 1e-6
        assert abs(values.mean() - mean) < 2 * error, name
        assert abs(values.std() - deviation) < 2 * error, name
        drawn_far_out = "ormal" in make or "Embedding" in make or values.size < 1000
        span = (greatest - least) * (0.4 if drawn_far_out else 0.05) + 1e-6
        assert abs(values.min() - least) < span, name
        assert abs(values.max() - greatest) < span, name
