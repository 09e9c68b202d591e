"""The package around the tensors: PyTorch's modules and names can be imported, and what is missing says so."""

import importlib

import pytest

import msjax
from msjax.public_api import torch_api


@pytest.fixture
def torch():
    with msjax.install_as("torch") as torch:
        yield torch


def test_every_module_of_pytorch_can_be_imported_with_its_names(torch):
    for module, names in torch_api.recorded().items():
        found = importlib.import_module(module)
        for name in names:
            getattr(found, name)  # raises AttributeError if nobody knows it


def test_a_name_elsewhere_is_the_same_object(torch):
    for module, name, same in (
        ("torch.nn.modules.conv", "Conv2d", torch.nn.Conv2d),
        ("torch.nn.utils.clip_grad", "clip_grad_norm_", torch.nn.utils.clip_grad_norm_),
        ("torch.utils.data.sampler", "RandomSampler", torch.utils.data.RandomSampler),
        ("torch.optim.sgd", "SGD", torch.optim.SGD),
        ("torch.functional", "einsum", torch.einsum),
    ):
        assert getattr(importlib.import_module(module), name) is same
    assert importlib.import_module("torch.nn.parallel") is torch.nn.parallel
    assert importlib.import_module("torch.distributed") is torch.distributed


def test_what_is_missing_raises_when_it_is_used(torch):
    with pytest.raises(
        NotImplementedError, match=r"`torch\.fx\.replace_pattern` of PyTorch is not implemented"
    ):
        torch.fx.replace_pattern(torch.nn.Linear(1, 1), abs, abs)
    assert not isinstance(torch.nn.Linear(1, 1), torch.nn.parallel.DistributedDataParallel)
    with pytest.raises(AttributeError, match="Did you mean"):
        _ = torch.accelerator.is_availble
    with pytest.raises(AttributeError):
        _ = torch.nn.Lineer
    with pytest.raises(ModuleNotFoundError, match=r"torch\.onxx"):
        importlib.import_module("torch.onxx")


def test_bars_count(torch):
    with torch.hub.tqdm(total=3, disable=True) as bar:
        bar.update(2)
    assert list(torch.hub.tqdm([1, 2], disable=True)) == [1, 2]


def test_one_process_on_one_device(torch):
    assert torch.distributed.is_available() is True
    assert torch.distributed.is_initialized() is False
    assert torch.backends.mkldnn.is_available() is False
    torch.backends.cudnn.benchmark = True
    with torch.backends.cudnn.flags(enabled=False):
        assert torch.backends.cudnn.benchmark is True


def test_without_cuda(torch):
    assert not torch.cuda.is_available()
    assert not isinstance(torch.ones(1), torch.cuda.FloatTensor)
    for name in (
        "current_device",
        "get_device_name",
        "get_device_properties",
        "current_stream",
        "mem_get_info",
    ):
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            getattr(torch.cuda, name)()
    with pytest.raises(TypeError, match=r"type torch.cuda.LongTensor not available"):
        torch.cuda.LongTensor(3)
    with pytest.raises(RuntimeError, match=r"torch.cuda.Stream requires CUDA support"):
        torch.cuda.Stream()
