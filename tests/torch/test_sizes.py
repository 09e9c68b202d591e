"""Shapes as PyTorch has them, what is made of them, and the order of ParameterDicts. The outcomes are PyTorch 2.13's."""

import collections
import copy
import pickle
from operator import add

import pytest

import msjax as ms
from msjax import torch

SHAPE = torch.zeros(2, 3, 4).shape


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: SHAPE[1:], (3, 4)),
        (lambda: SHAPE[::2], (2, 4)),
        (lambda: SHAPE[:], (2, 3, 4)),
        (lambda: add((), SHAPE), (2, 3, 4)),
        (lambda: add(SHAPE, (1,)), (2, 3, 4, 1)),
        (lambda: add((1,), SHAPE), (1, 2, 3, 4)),
        (lambda: SHAPE + SHAPE[:1], (2, 3, 4, 2)),
        (lambda: SHAPE[:2] * 2, (2, 3, 2, 3)),
        (lambda: 2 * SHAPE[:1], (2, 2)),
        (lambda: torch.Size((torch.tensor(2), True)), (2, 1)),
        (lambda: torch.Size(i for i in range(2)), (0, 1)),
        (lambda: copy.deepcopy(SHAPE), (2, 3, 4)),
        (lambda: pickle.loads(pickle.dumps(SHAPE)), (2, 3, 4)),
    ],
)
def test_what_is_made_of_a_shape_is_one(make, expected):
    found = make()
    assert type(found) is torch.Size
    assert found == expected
    assert repr(found) == f"torch.Size({list(expected)})"
    assert all(type(each) is int for each in found)


def test_elements_are_numbers_and_hashes_those_of_tuples():
    assert SHAPE[0] == 2
    assert type(SHAPE[-1]) is int
    assert hash(SHAPE) == hash((2, 3, 4))
    assert {(2, 3, 4): 1}[SHAPE] == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: add(SHAPE, [1]), r"can only concatenate tuple \(not list\) to torch\.Size"),
        (lambda: torch.Size([2.5]), r"takes an iterable of 'int' \(item 0 is 'float'\)"),
        (lambda: torch.Size([1, "a"]), r"takes an iterable of 'int' \(item 1 is 'str'\)"),
    ],
)
def test_what_is_no_shape_is_refused(make, message):
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize(
    "name", ["Tensor", "FloatTensor", "LongTensor", "BoolTensor", "DoubleTensor", "ByteTensor"]
)
def test_tensors_of_a_shape(name):
    """`BoolTensor(x.size())` is a tensor of that size, `BoolTensor((2, 3))` one of two elements."""
    make = getattr(torch, name)
    shapes = [make(given).shape for given in (SHAPE, SHAPE[1:], torch.Size([]), (2, 3), [2, 3])]
    assert shapes == [(2, 3, 4), (3, 4), (), (2,), (2,)]
    assert make(2, 3).dtype == make(SHAPE).dtype


def test_shapes_in_compiled_functions():
    @ms.jit
    def double(x):
        return x.reshape(add(x.shape[:1], (-1,))).reshape(add((1,), x.shape)) * 2

    assert double(torch.ones(2, 3, 4)).shape == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("wrap", "order"),
    [(dict, "ab"), (collections.OrderedDict, "ba"), (list, "ba"), (torch.nn.ParameterDict, "ba")],
)
def test_the_order_of_a_parameter_dict(wrap, order):
    """Names of a plain dict are sorted, of all else they are as they come."""
    held = torch.nn.ParameterDict(wrap([("b", torch.ones(1)), ("a", torch.ones(2))]))
    assert (
        "".join(held) == "".join(held.copy()) == "".join(name for name, _ in held.named_parameters()) == order
    )
    held.update({"z": torch.ones(1), "c": torch.ones(1)})
    assert "".join(held) == order + "cz"
    assert "".join(held.fromkeys(["z", "c"])) == "zc"
