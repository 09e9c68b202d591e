"""Communication in one process: ranks and groups, and collectives that change nothing."""

import datetime as dt
import json
import socket
import threading

import jax
import numpy as np
import pytest

import msjax as ms
from msjax import communication, ops, torch
from msjax.communication import comm_func
from msjax.communication.management import Backend
from msjax.communication.meeting import Meeting
from msjax.communication.roll_call import call_roll
from msjax.communication.world import Place, join
from msjax.core.xla.collectives import Calls, world


def test_the_default_sender_of_a_device():
    find = torch.distributed.get_default_backend_for_device
    assert [find(device) for device in ("cpu", torch.device("cuda:1"), "mps")] == ["gloo", "nccl", "gloo"]
    with pytest.raises(ValueError, match="not registered for device : meta"):
        find("meta")


def test_one_process_is_alone_in_the_world():
    communication.init("nccl")
    assert communication.GlobalComm.INITED
    assert (communication.get_rank(), communication.get_group_size()) == (0, 1)
    assert (communication.get_local_rank(), communication.get_local_rank_size()) == (0, 1)
    for _ in range(2):  # the same again is no mistake
        communication.create_group("mine", [0])
    assert (Backend("hccl"), Backend.NCCL) == ("hccl", "nccl")
    assert communication.get_group_rank_from_world_rank(0, "mine") == 0
    assert communication.get_world_rank_from_group_rank("mine", 0) == 0
    communication.release()
    assert not communication.GlobalComm.INITED


def test_what_is_wrong():
    for call, error in [
        (lambda: communication.init("x"), RuntimeError),
        (lambda: communication.init(1), TypeError),
        (lambda: communication.get_rank(1), TypeError),
        # Recorded from MindSpore 2.10 with two processes.
        (lambda: communication.get_rank("none"), RuntimeError),
        (lambda: communication.get_group_size("none"), RuntimeError),
        (lambda: communication.get_process_group_ranks("none"), RuntimeError),
        (lambda: communication.create_group("two", [0, 1]), RuntimeError),
        (lambda: communication.create_group("two", [-1]), TypeError),
        (lambda: communication.create_group("two", ["0"]), TypeError),
        (lambda: communication.create_group("two", [0.0]), TypeError),
        (lambda: communication.create_group("two", [0, 0]), ValueError),
        (lambda: communication.destroy_group("none"), KeyError),
        (lambda: communication.get_world_rank_from_group_rank("hccl_world_group", -1), TypeError),
        (lambda: communication.get_group_rank_from_world_rank(-1, "hccl_world_group"), TypeError),
        (lambda: Backend(123), TypeError),
        (lambda: Backend("foo"), ValueError),
        (lambda: ops.AllReduce(1), TypeError),
        (lambda: ops.AllReduce("sum", 1), TypeError),
        (lambda: ops.AllGather(1), TypeError),
        (lambda: ops.ReduceScatter(1), TypeError),
        (lambda: ops.Broadcast("0"), TypeError),
        (lambda: ops.Broadcast(0, 1), TypeError),
        (lambda: ops.Broadcast(True), TypeError),
        (lambda: ops.AlltoAll("1", 0, 1), TypeError),
        (lambda: ops.AlltoAll(1, "0", 1), TypeError),
        (lambda: ops.AlltoAllV(1), TypeError),
        (lambda: communication.destroy_group("hccl_world_group"), ValueError),
        (lambda: communication.get_world_rank_from_group_rank("hccl_world_group", 1), RuntimeError),
        (lambda: communication.get_group_rank_from_world_rank(1, "hccl_world_group"), RuntimeError),
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


X = ms.Tensor([[1.0, 2.0]])
COLLECTIVES = [
    (ops.AllReduce(), (X,)),
    (ops.AllReduce(ops.ReduceOp.MAX), (X,)),
    (ops.ReduceScatter(), (X,)),
    (ops.Reduce(0), (X,)),
    (ops.AllGather(), (X,)),
    (ops.CollectiveGather(0), (X,)),
    (ops.CollectiveScatter(), (X,)),
    (ops.AlltoAll(1, 0, 1), (X,)),
    (ops.AllGatherV(), (X, [2])),
    (ops.ReduceScatterV(), (X, ms.Tensor([2]))),
    (ops.AlltoAllV(), (X, [2], [2])),
    (ops.AlltoAllVC(), (X, [2])),
    (ops.Broadcast(0), (X,)),
]


@pytest.mark.parametrize(("collective", "inputs"), COLLECTIVES, ids=lambda c: getattr(c, "name", None))
def test_collectives_of_one(collective, inputs):
    x, *rest = inputs
    found = collective(*inputs)
    assert found is not x
    assert found.reshape(-1).asnumpy().tolist() == [1.0, 2.0]
    gradient = ms.grad(lambda x: (collective(x, *rest) * ms.Tensor([3.0, 4.0])).sum())(x)
    assert gradient.asnumpy().tolist() == [[3.0, 4.0]]
    assert ms.jit(lambda x: collective(x, *rest))(x).reshape(-1).asnumpy().tolist() == [1.0, 2.0]


def test_collectives_for_others():
    for call, error in [
        (lambda: ops.AllReduce("mean")(X), ValueError),
        (lambda: ops.AllReduce(group="none")(X), ValueError),
        (lambda: ops.AllReduce()(1), TypeError),
        (lambda: ops.Broadcast(1)((X,)), ValueError),
        (lambda: ops.AlltoAll(2, 0, 0)(X), ValueError),
        (lambda: ops.AllGatherV()(X, [1, 1]), ValueError),
        (lambda: ops.AlltoAllV()(X, [1], [2]), ValueError),
        (lambda: comm_func.all_to_all_with_output_shape([(2,), (2,)], [X, X]), ValueError),
        (lambda: comm_func.all_to_all_single_with_output_shape((3,), X), ValueError),
    ]:
        with pytest.raises(error, match="Received"):
            call()
    for call in (
        lambda: ops.Send(0, 1)(X),
        lambda: ops.Receive(0, 1, [2], ms.float32)(),
        lambda: ops.NeighborExchange([1], [1], [], [], ms.float32)((X,)),
        lambda: comm_func.isend(X, 1),
    ):
        with pytest.raises(NotImplementedError, match="no other process"):
            call()


def test_inside_shard_map():
    """The devices of a mesh are no processes: nothing is reduced in silence."""
    mesh = jax.make_mesh((1,), ("a",), axis_types=(jax.sharding.AxisType.Auto,))
    ops.communication.init_process_group()
    for collective in (ops.AllReduce(), lambda x: comm_func.all_reduce(x)[0], ops.communication.all_reduce):

        def inside(a, collective=collective):
            collective(ms.Tensor.from_array(a))
            return a

        with pytest.raises(NotImplementedError, match=r"inside jax\.shard_map"):
            jax.shard_map(inside, mesh=mesh, in_specs=jax.P("a"), out_specs=jax.P("a"))(np.ones(2))
    ops.communication.destroy_process_group()
    assert ms.vmap(ops.AllReduce())(X).asnumpy().tolist() == [[1.0, 2.0]]


def test_ops_communication():
    assert ops.all_reduce is ops.communication.all_reduce is ms.mint.distributed.all_reduce
    assert ops.gather is not ops.communication.gather
    ops.communication.init_process_group()
    out = ops.zeros(2)
    for call in (
        lambda x: ops.communication.gather_into_tensor(out, x),
        lambda x: ops.communication.scatter_tensor(out, x),
        lambda x: ops.communication.all_to_all_v_c(out, x, [2]),
    ):
        call(ms.Tensor([1.0, 2.0]))
        assert out.asnumpy().tolist() == [1.0, 2.0]
        out.zero_()
    ops.communication.set_comm_ops_inplace(True)
    with pytest.raises(NotImplementedError, match="comm_func"):
        ops.communication.set_comm_ops_inplace(False)
    ops.communication.destroy_process_group()


def test_batches_of_sends():
    sends, receives = comm_func.P2POp(comm_func.isend, X, 0), comm_func.P2POp("irecv", X, 0)
    assert comm_func.batch_isend_irecv([sends, receives])[1].asnumpy().tolist() == [[1.0, 2.0]]
    for call, error in [
        (lambda: comm_func.P2POp("x", X, 0), ValueError),
        (lambda: comm_func.P2POp("isend", 1, 0), TypeError),
        (lambda: comm_func.P2POp("isend", X, "a"), TypeError),
        (lambda: comm_func.P2POp("isend", X, 0, None, 1), NotImplementedError),
        (lambda: comm_func.batch_isend_irecv([sends]), ValueError),
        (lambda: comm_func.batch_isend_irecv([1]), TypeError),
        (lambda: comm_func.batch_isend_irecv([sends, comm_func.P2POp("irecv", (1, 2), 1)]), ValueError),
    ]:
        with pytest.raises(error, match="Received"):
            call()


def test_a_store_of_one_process():
    short = dt.timedelta(seconds=0.1)
    store = ms.mint.distributed.TCPStore("127.0.0.1", 0, is_master=True, timeout=short)
    store.set("a", "x")
    with pytest.raises(RuntimeError, match="Received: b'x'"):
        store.add("a", 1)
    with pytest.raises(RuntimeError, match="nothing was set"):
        store.get("b")
    with pytest.raises(TypeError, match="`key` must be of type str"):
        store.get(3)
    with pytest.raises(RuntimeError, match="of 2 processes, 1 came"):
        ms.mint.distributed.TCPStore("127.0.0.1", 0, world_size=2, is_master=True, timeout=short)
    with pytest.raises(RuntimeError, match="nobody holds a store"):
        ms.mint.distributed.TCPStore("127.0.0.1", 1, timeout=short)
    with pytest.raises(RuntimeError, match="cannot be listened at"):
        ms.mint.distributed.TCPStore("127.0.0.1", store.port, is_master=True)
    with pytest.raises(ValueError, match="from 0 to 65535"):
        ms.mint.distributed.TCPStore("127.0.0.1", 70000, is_master=True)


def stores_of(folder):
    master = torch.distributed.TCPStore("127.0.0.1", 0, 2, True, wait_for_workers=False)
    other = torch.distributed.TCPStore("127.0.0.1", master.port, 2)
    file = str(folder / "store")
    hashed = torch.distributed.HashStore()
    return {
        "TCPStore": (master, other, 1),
        "FileStore": (torch.distributed.FileStore(file, 2), torch.distributed.FileStore(file, 2), 1),
        "HashStore": (hashed, hashed, 0),
        "PrefixStore": (
            torch.distributed.PrefixStore("p", hashed),
            torch.distributed.PrefixStore("p", hashed),
            0,
        ),
    }


@pytest.mark.parametrize("kind", ["TCPStore", "FileStore", "HashStore", "PrefixStore"])
def test_stores_of_several(kind, tmp_path):
    """Check that one reads what another writes; results are PyTorch 2.13's."""
    one, two, own = stores_of(tmp_path)[kind]
    one.set("a", "1")
    assert (two.get("a"), two.add("n", 3), one.add("n", 2), two.get("n")) == (b"1", 3, 5, b"5")
    assert (two.check(["a", "zz"]), two.check(["a"]), one.num_keys()) == (False, True, 2 + own)
    assert (two.delete_key("a"), one.delete_key("a"), one.check(["a"])) == (True, False, False)
    swaps = [("k", "", "first"), ("k", "first", "second"), ("k", "x", "third"), ("m", "x", "y")]
    assert [one.compare_set(*swap) for swap in swaps] == [b"first", b"second", b"second", b"x"]
    one.append("text", "x")
    two.append("text", b"\xff\n")
    assert one.get("text") == b"x\xff\n"
    one.multi_set(["q", "w"], ["1", "2"])
    assert two.multi_get(["q", "w"]) == [b"1", b"2"]
    with pytest.raises(
        torch.distributed.DistStoreError, match=r"nothing was set at \['zz'\] within 0.1 seconds"
    ):
        one.wait(["q", "zz"], dt.timedelta(seconds=0.1))
    waiting = threading.Thread(target=lambda: two.set("late", two.get("soon")))
    waiting.start()
    one.set("soon", "now")
    waiting.join()
    assert one.get("late") == b"now"
    with pytest.raises(TypeError, match="`key` must be of type str"):
        one.set(1, "x")
    with pytest.raises(RuntimeError, match="must be a number"):
        one.add("text", 1)


class Peer:
    """The other end of a `Meeting`, that answers what it was told to."""

    def __init__(self, *answers):
        own, other = socket.socketpair()
        self.meeting = Meeting({1: own})

        def answer():
            with other, other.makefile("r") as lines:
                for reply in answers:
                    lines.readline()
                    other.sendall(json.dumps(reply).encode() + b"\n")

        threading.Thread(target=answer, daemon=True).start()


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        ([{"count": 0, "what": "", "ended": False}, {"count": 1, "what": "reading", "ended": False}], None),
        ([{"count": 1, "what": "a step", "ended": False}], "Process 1 called a step"),
        ([{"count": 300, "what": "", "ended": False}], "Process 1 called programs since"),
        ([{"count": 0, "what": "", "ended": True}], "Process 1 has come to its end"),
        ([], "Process 1 has come to its end"),
    ],
    ids=["comes later", "does something else", "is far ahead", "ends", "is gone"],
)
def test_a_meeting(answers, text, monkeypatch):
    monkeypatch.setattr(world, "calls", Calls())
    world.calls.note("reading")
    meeting = Peer(*answers).meeting
    if text is None:
        meeting.meet("reading", "all must")
        return
    with pytest.raises(RuntimeError, match=text):
        meeting.meet("reading", "all must")


def test_calls_are_remembered_for_a_while():
    calls = Calls()
    for i in range(1, 301):
        calls.note(f"call {i}")
    assert (calls.count, calls.what(300), calls.what(45)) == (300, "call 300", "call 45")
    assert calls.what(44) == calls.what(301) == ""


def test_a_port_that_is_taken():
    with socket.create_server(("", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(RuntimeError, match=f"listens at the port {port} of this machine.*--master_port"):
            call_roll(f"localhost:{port}", 0, 2, 5)


def test_a_machine_whose_name_has_no_address(monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: "no-such-name.invalid")
    place = Place(rank=0, size=2, address="localhost:1", local_rank=0, local_size=2, seconds=5)
    with pytest.raises(RuntimeError, match=r"'no-such-name\.invalid' has none.*/etc/hosts"):
        join(place)
