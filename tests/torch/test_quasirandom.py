"""`torch.quasirandom`: the points of PyTorch 2.13."""

import pytest

from msjax import torch

FIRST = [[0, 0, 0], [0.5, 0.5, 0.5], [0.75, 0.25, 0.25], [0.25, 0.75, 0.75], [0.375, 0.375, 0.625]]
NEXT = [[0.875, 0.875, 0.125], [0.625, 0.125, 0.875], [0.125, 0.625, 0.375]]


def test_points():
    engine = torch.quasirandom.SobolEngine(3)
    assert engine.draw(5).tolist() == FIRST
    assert engine.draw(2, dtype=torch.float64).tolist() == NEXT[:2]
    assert engine.num_generated == 7
    assert engine.reset().fast_forward(5).draw().tolist() == NEXT[:1]
    assert engine.reset().draw_base2(3).tolist() == FIRST + NEXT
    assert engine.draw(0).shape == (0, 3)
    assert repr(engine) == "SobolEngine(dimension=3)"
    out = torch.empty(2, 3)
    assert engine.reset().draw(2, out=out) is out
    assert out.tolist() == FIRST[:2]


def test_scrambled_points_repeat_with_the_seed():
    one, two = (torch.quasirandom.SobolEngine(2, scramble=True, seed=7).draw(8) for _ in range(2))
    assert one.tolist() == two.tolist()
    assert sorted(int(8 * x) for x in one[:, 0].tolist()) == list(range(8))
    torch.manual_seed(3)
    first = torch.quasirandom.SobolEngine(2, scramble=True).draw(4)
    torch.manual_seed(3)
    assert torch.quasirandom.SobolEngine(2, scramble=True).draw(4).tolist() == first.tolist()


def test_refusals():
    for dimension in (0, 30000):
        with pytest.raises(ValueError, match=r"\[1, 21201\]"):
            torch.quasirandom.SobolEngine(dimension)
    engine = torch.quasirandom.SobolEngine(2)
    engine.draw(3)
    with pytest.raises(ValueError, match="power of 2"):
        engine.draw_base2(2)
    with pytest.raises(NotImplementedError, match="must be floating"):
        engine.draw(dtype=torch.int64)
