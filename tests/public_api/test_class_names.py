"""Classes print under MindSpore's name, and are pickled, inspected and found as before."""

import copy
import importlib
import inspect
import pickle
import subprocess
import sys

import pytest

import msjax as ms
from msjax import amp, nn, ops
from msjax.public_api import class_names

# As MindSpore 2.10 prints them.
PRINTED = {
    "mindspore.common.tensor.Tensor": lambda: ms.Tensor,
    "mindspore.common.parameter.Parameter": lambda: ms.Parameter,
    "mindspore.common.sparse_tensor.COOTensor": lambda: ms.COOTensor,
    "mindspore._c_expression.typing.Float": lambda: type(ms.float32),
    "mindspore.nn.cell.Cell": lambda: nn.Cell,
    "mindspore.nn.layer.basic.Dense": lambda: nn.Dense,
    "mindspore.nn.layer.container.SequentialCell": lambda: nn.SequentialCell,
    "mindspore.nn.optim.adam.Adam": lambda: nn.Adam,
    "mindspore.experimental.optim.adam.Adam": lambda: ms.experimental.optim.Adam,
    "mindspore.train.model.Model": lambda: ms.train.Model,
    "mindspore.ops.primitive.Primitive": lambda: ops.Primitive,
    "mindspore.ops.auto_generate.gen_ops_prim.Add": lambda: ops.Add,
    "mindspore.ops.operations.nn_ops.Conv2D": lambda: ops.Conv2D,
    "mindspore.dataset.engine.datasets_user_defined.GeneratorDataset": lambda: ms.dataset.GeneratorDataset,
}


# As PyTorch 2.13 prints them.
PRINTED_BY_TORCH = """
torch.nn.modules.linear.Linear torch.nn.modules.container.Sequential torch.nn.modules.loss.CrossEntropyLoss
torch.nn.modules.transformer.TransformerEncoderLayer torch.nn.parameter.Parameter torch.optim.adam.Adam
torch.optim.lr_scheduler.StepLR torch.utils.data.dataloader.DataLoader torch.distributions.normal.Normal
torch.autograd.function.Function torch.nn.parallel.distributed.DistributedDataParallel torch.nn.utils.rnn.PackedSequence
""".split()


@pytest.mark.parametrize("printed", PRINTED_BY_TORCH)
def test_public_classes_print_as_pytorchs_do(printed):
    with ms.install_as("torch"):
        home, _, name = printed.rpartition(".")
        found = getattr(importlib.import_module(home), name)
        assert repr(found) == f"<class '{printed}'>"
        assert pickle.loads(pickle.dumps(found)) is found
        assert pickle.loads(pickle._dumps(found, 2)) is found
    assert found.__module__.startswith("msjax.torch.")


@pytest.fixture
def installed():
    with ms.install_as("mindspore"):
        yield


@pytest.mark.parametrize("printed", PRINTED)
@pytest.mark.usefixtures("installed")
def test_public_classes_print_as_mindspores_do(printed):
    assert repr(PRINTED[printed]()) == f"<class '{printed}'>"


def test_they_print_as_msjaxs_own_without_it():
    with ms.install_as("mindspore"):
        assert f"{nn.Dense.__module__}.x" == "mindspore.nn.layer.basic.x"
    assert repr(nn.Dense) == "<class 'msjax.nn.layers.linear.Dense'>"
    assert type(nn.Dense.__module__) is str


@pytest.mark.usefixtures("installed")
def test_classes_that_nobody_asked_for_by_name():
    shown = "BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm".split()
    listed = ", ".join(f"<class 'mindspore.nn.layer.normalization.{name}'>" for name in shown)
    assert str(amp.get_black_list()) == f"[{listed}]"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_and_unpickled(protocol):
    for dumps in (pickle.dumps, pickle._dumps):
        assert pickle.loads(dumps(nn.Dense, protocol)) is nn.Dense
        assert type(pickle.loads(dumps(nn.Dense(2, 3), protocol))) is nn.Dense
    assert type(copy.deepcopy(ops.Add())) is ops.Add


@pytest.mark.usefixtures("installed")
def test_a_file_is_read_where_the_name_is_not_installed():
    written = pickle.dumps([nn.Dense(2, 3), ms.Tensor([1, 2]), ms.float32, ops.Add])
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer)[0])"
    read = subprocess.run([sys.executable, "-c", code], input=written, capture_output=True, check=True)
    assert read.stdout.decode().startswith("Dense(input_channels=2")


@pytest.mark.usefixtures("installed")
def test_found_where_they_are():
    assert inspect.getsource(nn.Dense).startswith("class Dense(Cell)")
    assert inspect.getmodule(nn.Cell) is sys.modules["msjax.nn.cell.cell"]
    assert class_names.own_module(nn.Dense) == nn.Dense.__module__ == "msjax.nn.layers.linear"
    assert nn.Dense.__module__ == "mindspore.nn.layer.basic"
    assert nn.Dense.__module__ != "mindspore.nn"


@pytest.mark.usefixtures("installed")
def test_classes_of_a_program_keep_their_own_module():
    class Net(nn.Dense):
        pass

    assert Net.__module__ == __name__
    assert type(Net(2, 2).weight).__module__ == "mindspore.common.parameter"


def test_parameters_of_pytorch_print_as_tensors():
    with ms.install_as("torch") as torch:
        parameter = torch.nn.Parameter(torch.ones(1))
        assert repr(parameter) == "Parameter containing:\ntensor([1.], requires_grad=True)"
