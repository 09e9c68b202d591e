"""Communication in one process: ranks and groups, and collectives that change nothing."""

import pytest

import msjax as ms
from msjax import communication
from msjax.communication import comm_func


def test_one_process_is_alone_in_the_world():
    communication.init("nccl")
    assert communication.GlobalComm.INITED
    assert (communication.get_rank(), communication.get_group_size()) == (0, 1)
    assert (communication.get_local_rank(), communication.get_local_rank_size()) == (0, 1)
    communication.create_group("mine", [0])
    assert communication.get_group_rank_from_world_rank(0, "mine") == 0
    assert communication.get_world_rank_from_group_rank("mine", 0) == 0
    communication.release()
    assert not communication.GlobalComm.INITED


def test_what_is_wrong():
    for call, error in [
        (lambda: communication.init("x"), RuntimeError),
        (lambda: communication.init(1), TypeError),
        (lambda: communication.get_rank(1), TypeError),
        (lambda: communication.get_rank("none"), ValueError),
        (lambda: communication.create_group("two", [0, 1]), ValueError),
        (lambda: communication.destroy_group("hccl_world_group"), ValueError),
        (lambda: communication.get_world_rank_from_group_rank("hccl_world_group", 1), ValueError),
        (lambda: communication.get_group_rank_from_world_rank(1, "hccl_world_group"), ValueError),
        (lambda: comm_func.all_reduce(1), TypeError),
        (lambda: comm_func.all_reduce(ms.Tensor(1), "mean"), ValueError),
        (lambda: comm_func.broadcast(ms.Tensor(1), 1), ValueError),
    ]:
        with pytest.raises(error, match="Received"):
            call()


def test_collectives_give_new_tensors():
    x = ms.Tensor([1.0, 2.0])
    y, handle = comm_func.all_reduce(x)
    y[0] = 5
    assert handle is None
    assert x.asnumpy().tolist() == [1.0, 2.0]
    assert ms.grad(lambda t: comm_func.all_reduce(t)[0].sum())(x).asnumpy().tolist() == [1.0, 1.0]
