"""Methods and class forms give what MindSpore's gave when they were recorded, but for the departures listed here."""

import importlib.util
import json
import re
from pathlib import Path

import numpy as np
import pytest
from snippets import same

import msjax as ms
from msjax import ops
from msjax.public_api import import_hook

GOLDENS = Path(__file__).parents[2] / "goldens"
GOLDEN = json.loads((GOLDENS / "methods.json").read_text())

DIFFERENT = {
    "x.prod(axis=0, keep_dims=True)": "the spelling of `ops.prod` is taken too",
    "x.any(0)": "MindSpore's CPU kernel says that no number is true",
    "P.BatchNorm()(x, one, nil, nil, one)": "MindSpore leaves the statistics that it returns uninitialised",
    "P.SmoothL1Loss()(x, v)": "shapes broadcast, as in the function",
    "P.BinaryCrossEntropy()(Tensor([0.2]), Tensor([0.3]), Tensor([1.0]))": "MindSpore's is twice the formula's",
    "P.Argmax(output_type=ms.int64)": "the dtype is printed by name",
}


def _names():
    with import_hook.install_as("mindspore"):
        spec = importlib.util.spec_from_file_location("methods_cases", GOLDENS / "methods_cases.py")
        cases = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(cases)
    return cases.names


NAMES = _names()


def _plain(text):
    return re.sub(r"\s+", "", text.replace("mindspore.", ""))


@pytest.mark.parametrize("code", GOLDEN)
def test_as_mindspore(code):
    golden = GOLDEN[code]
    error = re.match(r"(\w+Error): ", golden)
    if code in DIFFERENT:
        pytest.skip(DIFFERENT[code])
    if error:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the type is compared by its name
            eval(code, NAMES())
        assert error[1] in [base.__name__ for base in type(caught.value).__mro__]
        return
    found = repr(eval(code, NAMES()))
    assert same(_plain(golden), _plain(found), 2e-4), f"expected {golden}\nfound {found}"


def test_every_method_is_documented():
    from msjax.ops.tensor_methods import table

    assert not [
        name for name in table.MAKERS if not name.startswith("__") and not getattr(ms.Tensor, name).__doc__
    ]
    assert isinstance(ops.Primitive("x"), ops.Primitive)


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda x: x.squeeze(axis=0), (2, 3)),
        (lambda x: x.squeeze(dim=0), (2, 3)),
        (lambda x: x.squeeze(axis=None), (2, 3)),
        (lambda x: x.squeeze(axis=[0]), (2, 3)),
        (lambda x: x.permute(dims=(0, 2, 1)), (1, 3, 2)),
        (lambda x: x.permute(axis=[0, 2, 1]), (1, 3, 2)),
        (lambda x: x.reshape(shape=(3, 2)), (3, 2)),
        (lambda x: x.reshape(shape=[6]), (6,)),
        (lambda x: x.view(shape=(3, 2)), (3, 2)),
        (lambda x: x.broadcast_to(shape=(4, 2, 3)), (4, 2, 3)),
        (lambda x: x.flip(dims=(1,)), (1, 2, 3)),
        (lambda x: x.tile(dims=(2, 1, 1)), (2, 2, 3)),
        (lambda x: x.tile(reps=(2, 1, 1)), (2, 2, 3)),
    ],
)
def test_several_values_may_be_given_by_the_name_of_the_parameter(call, shape):
    x = ms.ops.ones((1, 2, 3))
    assert call(x).shape == shape
    assert ms.jit(call)(x).shape == shape


def test_extremes_by_position_in_compiled_functions():
    x = ms.Tensor([[1.0, 5.0], [7.0, 0.0]])
    for call in (lambda v: v.max(1), lambda v: v.max(1, True), lambda v: v.min(-1)):
        values, _ = call(x)
        np.testing.assert_array_equal(ms.jit(call)(x).asnumpy(), values.asnumpy())
    for call in (lambda v: v.max(dim=1), lambda v: v.min(1, keepdim=True), lambda v: ms.ops.max(v, 1)):
        for got, want in zip(ms.jit(call)(x), call(x), strict=True):
            np.testing.assert_array_equal(got.asnumpy(), want.asnumpy())
    np.testing.assert_array_equal(ms.jit(ms.grad(lambda v: v.max(1).sum()))(x).asnumpy(), [[0, 1], [1, 0]])
