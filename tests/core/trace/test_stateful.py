"""Compiled functions know Cells and PyTorch modules by one base class, the same for both."""

import logging
from typing import Any

import pytest

import msjax as ms
from msjax import torch
from msjax.core.trace.stateful import Stateful


class Cell(ms.nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[int] = []

    def construct(self, x: Any) -> Any:
        self.seen.append(len(self.seen))
        return x * 2.0 if self.training else x * 3.0


class CellAround(ms.nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Cell()

    def construct(self, x: Any) -> Any:
        return self.inner(x)


class Module(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[int] = []

    def forward(self, x: Any) -> Any:
        self.seen.append(len(self.seen))
        return x * 2.0 if self.training else x * 3.0


class ModuleAround(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Module()

    def forward(self, x: Any) -> Any:
        return self.inner(x)


def train(net: Any, mode: bool) -> None:
    net.set_train(mode) if isinstance(net, ms.nn.Cell) else net.train(mode)


@pytest.mark.parametrize("kind", [CellAround, ModuleAround])
def test_a_program_in_a_program_depends_on_the_train_mode_too(kind: Any) -> None:
    net, x = kind(), ms.Tensor([1.0])
    train(net, True)
    inner = ms.jit(lambda x: net(x))
    outer = ms.jit(lambda x: inner(x) + 1.0)
    assert outer(x).asnumpy() == 3.0
    train(net, False)
    assert outer(x).asnumpy() == 4.0
    assert len(net.inner.seen) == 2  # the list of the inner one, at each call


@pytest.mark.parametrize("kind", [CellAround, ModuleAround])
def test_an_argument_is_told_by_its_settings(kind: Any) -> None:
    net, x = kind(), ms.Tensor([1.0])
    train(net, True)
    asks = ms.jit(lambda net, x: x * 2.0 if net.inner.training else x * 3.0)
    assert [asks(net, x).asnumpy() for _ in range(3)] == [2.0] * 3
    train(net, False)
    assert [asks(net, x).asnumpy() for _ in range(3)] == [3.0] * 3


@pytest.mark.parametrize("kind", [CellAround, ModuleAround])
def test_the_log_says_which_setting_changed(kind: Any, caplog: pytest.LogCaptureFixture) -> None:
    net, x = kind(), ms.Tensor([1.0])
    train(net, True)
    compiled = ms.jit(lambda x: net(x))
    with caplog.at_level(logging.DEBUG, "msjax.jit"):
        compiled(x)
        train(net, False)
        compiled(x)
    assert f"{kind.__name__}.training is False, not True" in caplog.text


def test_both_kinds_of_network_are_stateful_and_other_objects_are_not() -> None:
    assert isinstance(ms.nn.ReLU(), Stateful)
    assert isinstance(torch.nn.ReLU(), Stateful)
    assert not isinstance(ms.Tensor(1.0), Stateful)
    with pytest.raises(TypeError, match="jit_class"):
        ms.jit_class(ms.nn.ReLU)
