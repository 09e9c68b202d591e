"""Files of `torch.save`: safe to read by default; whole modules and other objects where the caller trusts the file."""

import importlib
import io
import pickle
from collections import Counter

import numpy as np
import pytest

import msjax
from msjax import torch
from msjax.torch import serialization


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
        self.second.weight = self.first.weight
        self.register_buffer("shift", torch.ones(2))

    def forward(self, x):
        return self.second(self.first(x)) + self.shift


def written(thing):
    file = io.BytesIO()
    torch.save(thing, file)
    return file


def test_a_module_is_read_on_demand_only():
    net = Net()
    file = written(net)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(file)
    read = torch.load(file, weights_only=False)
    x = torch.ones(1, 2)
    assert torch.equal(read(x), net(x))
    assert read.second.weight is read.first.weight
    assert list(read.state_dict()) == list(net.state_dict())


def test_an_array_is_read_on_demand_only():
    file = written({"a": np.arange(3)})
    with pytest.raises(pickle.UnpicklingError, match="weights_only=False"):
        torch.load(file)
    assert torch.load(file, weights_only=False)["a"].tolist() == [0, 1, 2]


def test_what_is_declared_safe_is_read():
    file = written({"net": Net})
    with pytest.raises(pickle.UnpicklingError):
        torch.load(file)
    with serialization.safe_globals([Net]):
        assert torch.load(file)["net"] is Net
    with pytest.raises(pickle.UnpicklingError):
        torch.load(file)
    assert serialization.get_safe_globals() == []


def test_dtypes_devices_and_shapes_are_safe():
    given = {"d": torch.float32, "b": torch.bool, "at": torch.device("cuda", 1), "s": torch.ones(2, 3).shape}
    read = torch.load(written(given))
    assert read == given
    assert read["d"] is torch.float32
    assert type(read["s"]) is torch.Size


def test_a_module_of_safe_classes_is_read():
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.5), torch.nn.LSTM(2, 3))
    modules = torch.nn.modules
    safe = [modules.container.Sequential, modules.linear.Linear, modules.dropout.Dropout, modules.rnn.LSTM]
    file = written(net.eval())
    with serialization.safe_globals(safe[:3]), pytest.raises(pickle.UnpicklingError, match="LSTM"):
        torch.load(file)
    with serialization.safe_globals(safe):
        read = torch.load(file)
    x = torch.ones(4, 2)
    assert torch.equal(read(x)[0], net(x)[0])


def test_plain_python_is_safe():
    given = {"s": {1, 2}, "c": Counter("aab"), "z": 1 + 2j, "b": bytearray(b"xy")}
    assert torch.load(written(given)) == given


def test_code_of_a_file_does_not_run(tmp_path):
    class Evil:
        def __reduce__(self):
            return open, (str(tmp_path / "made"), "w")

    file = written(Evil())
    with pytest.raises(pickle.UnpicklingError, match="open"):
        torch.load(file)
    assert not (tmp_path / "made").exists()


def test_from_file(tmp_path):
    """Expected values: PyTorch 2.13."""
    path = tmp_path / "numbers.bin"
    np.arange(6, dtype="float32").tofile(path)
    assert torch.from_file(str(path), size=4).tolist() == [0.0, 1.0, 2.0, 3.0]
    assert torch.from_file(str(path), False, 3, dtype=torch.int32).tolist() == [0, 1065353216, 1073741824]
    with pytest.raises(RuntimeError, match="size <24> is smaller than the required mapping size <160>"):
        torch.from_file(str(path), size=40)
    with pytest.raises(
        RuntimeError, match=r"unable to open file .* in read-only mode: No such file or directory \(2\)"
    ):
        torch.from_file(str(tmp_path / "none"), size=1)
    with pytest.raises(NotImplementedError, match="share no memory with files"):
        torch.from_file(str(path), True, 1)


def test_scripted_modules_are_saved_and_read(tmp_path):
    net = torch.jit.script(torch.nn.Linear(2, 1))
    torch.jit.save(net, str(tmp_path / "net.pt"))
    assert torch.equal(
        torch.jit.load(str(tmp_path / "net.pt"), map_location="cpu")(torch.ones(2)), net(torch.ones(2))
    )


def test_names_of_launchers():
    with msjax.install_as("torch"):
        errors = importlib.import_module("torch.distributed.elastic.multiprocessing.errors")
    assert errors.record(len) is len
    assert torch.get_device_module("cpu").is_available()
