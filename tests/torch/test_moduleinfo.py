"""PyTorch's own samples of its modules and optimizers: state, outputs, gradients, steps, and what has to raise."""

import warnings
from pathlib import Path

import pytest

from tests.goldens.packing import unpack
from tests.torch.module_replay import module_differences, optimizer_differences

RECORDED = unpack(Path(__file__).parents[1] / "goldens" / "moduleinfo.npz")
# A module or optimizer, or one of its samples by the beginning of its name: why it is not as in PyTorch.
_FOREACH = (
    "`foreach` says how PyTorch computes: it is taken without effect, with a Tensor as rate or beta too"
)
EXCEPTIONS: dict[str, str] = {
    "nn.LinearCrossEntropyLoss": "not there; `functional.linear_cross_entropy` is",
    "Muon": "it computes in bfloat16, whose sums each library rounds in its own way",
    "SGD 6": "with dampening it keeps whether it has begun",
    "Adam error 8": _FOREACH,
    "Adam error 11": _FOREACH,
    "AdamW error 8": _FOREACH,
    "AdamW error 11": _FOREACH,
}


def found(differences, name, sample):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PyTorch's, that something is old or of no effect
        return list(differences(name, sample))


def short(name, key):
    words = key.split()
    return " ".join([name, *words[: 2 if words[0] == "error" else 1]])


def check(differences, name, samples):
    lines = {key: found(differences, name, sample) for key, sample in samples.items()}
    if name in EXCEPTIONS:
        assert any(lines.values()), f"{name} is as in PyTorch: take it from the exceptions"
        return
    needless = [key for key, each in lines.items() if short(name, key) in EXCEPTIONS and not each]
    assert not needless, f"{needless} of {name} are as in PyTorch: take them from the exceptions"
    wrong = [
        f"{key}: {line}" for key, each in lines.items() if short(name, key) not in EXCEPTIONS for line in each
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", RECORDED["modules"])
def test_modules(name):
    check(module_differences, name, RECORDED["modules"][name])


@pytest.mark.parametrize("name", RECORDED["optimizers"])
def test_optimizers(name):
    check(optimizer_differences, name, RECORDED["optimizers"][name])
