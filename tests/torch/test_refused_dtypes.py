"""Dtypes of results, and the errors for dtypes that PyTorch 2.13 has no kernel for."""

import builtins
import json
from pathlib import Path

import pytest

from msjax import torch
from tests.goldens import refused_dtypes_cases as refused_cases

GOLDENS = json.loads((Path(__file__).parents[1] / "goldens" / "refused_dtypes.json").read_text())


@pytest.fixture(scope="module")
def outcomes():
    return refused_cases.outcomes(torch)


def agree(found: str, expected: str) -> bool:
    """An error of a narrower type than PyTorch's is caught by the same programs."""
    raised, wanted = (getattr(builtins, each, int) for each in (found, expected))
    return found == expected or (wanted is not int and issubclass(raised, wanted))


@pytest.mark.parametrize("case", GOLDENS)
def test_as_recorded(case, outcomes):
    found, expected = outcomes[case], GOLDENS[case]
    assert not {k: (found[k], v) for k, v in expected.items() if not agree(found[k], v)}


def test_errors_say_what_would_do():
    with pytest.raises(NotImplementedError, match=r"`hypot`.*torch.int64.*float32"):
        torch.hypot(torch.tensor([3]), torch.tensor([4]))
    with pytest.raises(TypeError, match=r"`dot`.*2"):
        torch.dot(torch.ones(2), 2)
    with pytest.raises(RuntimeError, match="bool tensor"):
        torch.sub(torch.ones(2), True)


def test_values_keep_their_dtype():
    x = torch.tensor([1, 2], dtype=torch.uint8)
    assert torch.rsub(x, 2.5).tolist() == [1.5, 0.5]
    assert torch.add(x, torch.tensor([True, False]), alpha=2).tolist() == [3, 2]
    assert torch.dot(x, x).item() == 5
    assert torch.ldexp(torch.ones(2, dtype=torch.float16), torch.tensor([1, 2])).dtype == torch.float16
    assert torch.nansum(x).dtype == torch.int64


WHOLE, FLOAT, PLACES = torch.zeros(2, dtype=torch.int64), torch.ones(2), torch.tensor([0, 1])
F = torch.nn.functional


@pytest.mark.parametrize(
    "call",
    [
        lambda: WHOLE.index_put((PLACES,), FLOAT),
        lambda: FLOAT.index_put((PLACES,), FLOAT.double(), accumulate=True),
        lambda: WHOLE.index_copy(0, PLACES, FLOAT),
        lambda: WHOLE.index_add(0, PLACES, FLOAT),
        lambda: WHOLE.put(PLACES, FLOAT),
        lambda: WHOLE.clone().__setitem__(PLACES, FLOAT),
        lambda: FLOAT.clone().__setitem__([0], WHOLE[:1]),
        lambda: WHOLE.clone().__setitem__(WHOLE == 0, FLOAT),
        lambda: F.cross_entropy(FLOAT[None], torch.tensor([0], dtype=torch.int32)),
        lambda: F.embedding(PLACES.to(torch.int16), FLOAT[:, None]),
        lambda: F.layer_norm(FLOAT.double(), (2,), FLOAT),
        lambda: F.layer_norm(FLOAT, (2,), FLOAT.half()),
        lambda: FLOAT.lerp(FLOAT.double(), 0.5),
        lambda: torch.einsum("i,i->", FLOAT, FLOAT.double()),
        lambda: WHOLE.fill_(float("nan")),
        lambda: WHOLE.masked_fill(WHOLE == 0, float("-inf")),
        lambda: FLOAT.half().masked_fill(FLOAT > 0, -1e9),
        lambda: torch.full((2,), float("inf"), dtype=torch.int64),
        lambda: torch.tensor(300, dtype=torch.int8),
        lambda: torch.zeros(2, dtype=torch.int8).clamp(max=300),
        lambda: WHOLE.clone().__setitem__(0, 1e30),
        lambda: F.pad(WHOLE, (1, 1), value=1e30),
        lambda: WHOLE.clone().normal_(),
        lambda: FLOAT.clone().uniform_(1, 0),
        lambda: FLOAT.clone().normal_(0, -1),
        lambda: FLOAT.clone().exponential_(0),
        lambda: torch.multinomial(torch.tensor([0.5, float("nan")]), 1),
        lambda: torch.multinomial(torch.tensor([[1.0, 1.0], [0.0, 0.0]]), 1),
        lambda: torch.bincount(FLOAT),
        lambda: FLOAT.quantile(1.5),
        lambda: torch.outer(FLOAT, FLOAT[None]),
        lambda: F.multi_margin_loss(FLOAT[None], torch.tensor([2])),
    ],
)
def test_elements_and_numbers_that_do_not_fit(call):
    with pytest.raises(RuntimeError):
        call()


def test_what_is_converted():
    x = WHOLE.clone()
    x[WHOLE == 0] = torch.tensor(1.9)  # one element is put as a number is
    assert x.tolist() == [1, 1]
    x[0], x[1:] = torch.tensor(2.9), FLOAT[1:] * 3
    assert x.tolist() == [2, 3]
    assert WHOLE.slice_scatter(FLOAT).tolist() == [1, 1]
    assert WHOLE.clamp(max=float("inf")).dtype == torch.float32
    assert torch.zeros(2, dtype=torch.uint8).fill_(-1).tolist() == [255, 255]
    assert F.layer_norm(FLOAT.half(), (2,), FLOAT).dtype == torch.float16


def test_other_refusals():
    with pytest.raises(IndexError, match="tried to access index 2 on a tensor of 2 elements"):
        torch.take(FLOAT, torch.tensor([-2, 2]))
    with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' object to parameter 'w'"):
        torch.nn.Module().register_parameter("w", FLOAT)
    assert F.one_hot(input=PLACES).dtype == torch.int64


@pytest.mark.parametrize(("zero_infinity", "expected"), [(False, float("inf")), (True, 0.0)])
def test_more_labels_than_steps_have_no_alignment(zero_infinity, expected):
    x = torch.zeros(3, 2, 4, requires_grad=True)
    targets, steps, labels = (
        torch.tensor([[1, 2, 3, 1], [1, 0, 0, 0]]),
        torch.tensor([3, 3]),
        torch.tensor([4, 1]),
    )
    loss = F.ctc_loss(x.log_softmax(2), targets, steps, labels, reduction="none", zero_infinity=zero_infinity)
    assert loss[0] == expected
    loss[1].backward()
    assert x.grad[:, 1].abs().sum() > 0
    assert torch.equal(x.grad[:, 0], torch.zeros(3, 4))


def test_rms_norm_of_half_precision_is_computed_in_float32():
    x = torch.tensor([0.0718, 0.2158, 0.3574], dtype=torch.bfloat16)
    out = F.rms_norm(x, (3,), torch.tensor([1.0, 1.0, 2.0]))
    assert (out.dtype, out.tolist()) == (torch.bfloat16, [0.29296875, 0.8828125, 2.921875])
