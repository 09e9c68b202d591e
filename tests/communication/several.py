"""Named checks that two processes run side by side; `test_several.py` starts them once and reads what they report."""

import copy
import json
import os
import re
import sys
import threading
import traceback

import numpy as np
import pytest

import msjax as ms
from msjax import communication, mint, nn, ops
from msjax.communication import comm_func, operators
from msjax.core.jit import execution
from msjax.core.xla import collectives
from msjax.core.xla.collectives import world

CHECKS = []


def check(fn):
    CHECKS.append(fn)
    return fn


def own(*shape):
    """An array that differs by process: 1, 2, ... in the first, ten times that in the second."""
    values = np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape)
    return values * (10.0 if world.rank else 1.0)


def of(rank, *shape):
    return np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape) * (10.0 if rank else 1.0)


def same(found, expected):
    np.testing.assert_array_equal(found.asnumpy() if isinstance(found, ms.Tensor) else found, expected)


@check
def ranks():
    communication.init()
    assert (communication.get_rank(), communication.get_group_size()) == (world.rank, 2)
    assert (communication.get_local_rank(), communication.get_local_rank_size()) == (world.rank, 2)
    assert communication.get_process_group_ranks() == [0, 1]


@check
def reductions():
    for op, expected in {
        "sum": of(0, 3) + of(1, 3), "max": of(1, 3), "min": of(0, 3), "prod": of(0, 3) * of(1, 3),
        "avg": (of(0, 3) + of(1, 3)) / 2,
    }.items():  # fmt: skip
        same(ops.AllReduce(op)(ms.Tensor(own(3))), expected)
        same(ms.jit(ops.AllReduce(op))(ms.Tensor(own(3))), expected)


@check
def dtypes():
    for dtype in (
        ms.float16,
        ms.bfloat16,
        ms.float64,
        ms.int8,
        ms.int32,
        ms.int64,
        ms.uint8,
        ms.bool_,
        ms.complex64,
    ):
        x = ms.Tensor(np.array([0, 1])).astype(dtype)
        total = ops.AllReduce()(x)
        assert total.dtype == dtype
        same(total.astype(ms.float32), [0, 1 if dtype == ms.bool_ else 2])
        spread = comm_func.broadcast(x if world.rank else ops.zeros_like(x), 1)
        assert spread.dtype == dtype
        same(spread.astype(ms.float32), [0, 1])


@check
def bits_of_a_broadcast():
    x = np.array([-0.0, np.nan, np.inf], np.float32) if world.rank else np.ones(3, np.float32)
    found = comm_func.broadcast(ms.Tensor(x), 1).asnumpy()
    assert np.signbit(found[0])
    assert np.isnan(found[1])
    assert found[2] == np.inf


@check
def gradients():
    """MindSpore's: AllReduce's is an AllReduce; 2 n x for the sum of squares."""
    x, total = ms.Tensor(own(4)), of(0, 4) + of(1, 4)
    square = lambda x: (ops.AllReduce()(x) ** 2).sum()  # noqa: E731
    for gradient in (ms.grad(square), ms.grad(ms.jit(square)), ms.jit(ms.grad(square))):
        same(gradient(x), 4 * total)
    same(ms.grad(lambda x: (ops.AllReduce("max")(x) * x).sum())(x), of(1, 4) + world.rank * total)
    product = ms.grad(lambda x: ops.AllReduce("prod")(x).sum())(x).asnumpy()
    np.testing.assert_allclose(product, 2 * of(1 - world.rank, 4), rtol=1e-6)
    same(ms.grad(lambda x: (ops.AllGather()(x) ** 2).sum())(x), 4 * own(4))
    half = slice(2 * world.rank, 2 * world.rank + 2)
    same(ops.ReduceScatter()(x), total[half])
    same(ms.grad(lambda x: (ops.ReduceScatter()(x) ** 2).sum())(x), 2 * total)
    weights = ms.Tensor(own(4))
    mixed = np.concatenate([of(0, 4)[half], of(1, 4)[half]])
    same(ops.AlltoAll(2, 0, 0)(x), mixed)
    same(ms.grad(lambda x: (ops.AlltoAll(2, 0, 0)(x) * weights).sum())(x), mixed)
    same(ms.grad(lambda x: (ops.Broadcast(1)((x,))[0] * weights).sum())(x), own(4))
    reduced = ms.grad(lambda x: (comm_func.reduce(x, 1) * 3.0).sum())(x)
    same(reduced, np.full(4, 3.0))


@check
def higher_derivatives():
    cube = lambda x: (ops.AllReduce()(x) ** 3).sum()  # noqa: E731
    x, total = ms.Tensor(own(2)), of(0, 2) + of(1, 2)
    for gradient in (
        ms.grad(lambda x: ms.grad(cube)(x).sum()),
        ms.jit(ms.grad(lambda x: ms.grad(cube)(x).sum())),
    ):
        same(gradient(x), 24 * total)


@check
def mapped():
    x = ms.Tensor(own(2, 3))
    same(ms.vmap(ops.AllReduce())(x), of(0, 2, 3) + of(1, 2, 3))
    same(ms.vmap(ops.AllGather())(x), np.concatenate([of(0, 2, 3), of(1, 2, 3)], 1))


@check
def a_rank_in_a_program_is_no_constant_of_all():
    same(ms.jit(lambda: ops.AllReduce()(ops.ones(2) * world.rank))(), [1.0, 1.0])


@check
def forms_in_place():
    dist = mint.distributed
    dist.init_process_group()
    assert (dist.get_rank(), dist.get_world_size()) == (world.rank, 2)
    x, total = ms.Tensor(own(4)), of(0, 4) + of(1, 4)
    dist.all_reduce(x)
    same(x, total)
    handle = dist.all_reduce(x, "max", async_op=True)
    handle.wait()
    assert handle.is_completed()
    out = [ops.zeros(4), ops.zeros(4)]
    dist.all_gather(out, ms.Tensor(own(4)))
    same(out[0], of(0, 4))
    same(out[1], of(1, 4))
    y = ms.Tensor(own(4))
    dist.reduce(y, 1)
    same(y, total if world.rank else of(0, 4))
    y = ms.Tensor(own(4))
    dist.broadcast(y, 1)
    same(y, of(1, 4))
    big = ops.zeros(8)
    dist.all_gather_into_tensor(big, ms.Tensor(own(4)))
    same(big, np.concatenate([of(0, 4), of(1, 4)]))
    uneven = ops.zeros(3)
    dist.all_gather_into_tensor_uneven(uneven, ms.Tensor(own(world.rank + 1)), [1, 2])
    same(uneven, [1.0, 10.0, 20.0])
    half = ops.zeros(2)
    dist.reduce_scatter_tensor(half, ms.Tensor(own(4)))
    same(half, total[2 * world.rank :][:2])
    part = ops.zeros(1 + world.rank)
    dist.reduce_scatter_tensor_uneven(part, ms.Tensor(own(3)), [1, 2])
    same(part, (of(0, 3) + of(1, 3))[world.rank :][: 1 + world.rank])
    two = ops.zeros(2)
    dist.reduce_scatter(two, [ms.Tensor(own(2)), ms.Tensor(own(2) + 1)])
    same(two, of(0, 2) + of(1, 2) + 2 * world.rank)
    lists = [ops.zeros(4), ops.zeros(4)] if world.rank == 0 else []
    dist.gather(ms.Tensor(own(4)), lists, 0)
    if world.rank == 0:
        same(lists[1], of(1, 4))
    dist.scatter(two, [ops.ones(2), ops.ones(2) * 2] if world.rank else [], 1)
    same(two, np.full(2, 1.0 + world.rank))
    dist.barrier()


@check
def parts_of_unequal_sizes():
    dist = mint.distributed
    rows = ms.Tensor(own(3))
    sent, come = ([1, 2], [1, 1]) if world.rank == 0 else ([1, 2], [2, 2])
    out = ops.zeros(sum(come))
    dist.all_to_all_single(out, rows, come, sent)
    same(out, [1.0, 10.0] if world.rank == 0 else [2.0, 3.0, 20.0, 30.0])
    outs = [ops.zeros(n) for n in come]
    dist.all_to_all(outs, [ms.Tensor(own(3)[:1]), ms.Tensor(own(3)[1:])])
    same(outs[0], of(0, 3)[1:] if world.rank else of(0, 3)[:1])
    found = ops.AlltoAllV()(rows, sent, come)
    same(found, out.asnumpy())
    same(ops.AlltoAllVC()(rows, [1, 2, 1, 2]), out.asnumpy())
    table = ops.zeros((len(out), 2))
    ops.communication.all_to_all_v_c(table, ops.stack([rows, -rows], 1), [1, 2, 1, 2])
    same(table, np.stack([out.asnumpy(), -out.asnumpy()], 1))
    fails(
        lambda: ops.communication.all_to_all_v_c(table, rows, [1, 2, 1, 2]),
        ValueError,
        f"must have {len(out)} rows of 1 elements",
    )
    fails(lambda: ops.communication.all_to_all_v_c(out, rows, [1, 1, 1, 1]), ValueError, "with the sum 3")
    same(ops.AllGatherV()(ms.Tensor(own(world.rank + 1)), [1, 2]), [1.0, 10.0, 20.0])


@check
def objects():
    dist = mint.distributed
    found = [None, None]
    dist.all_gather_object(found, {"rank": world.rank, "text": "x" * (1 + 5 * world.rank)})
    assert found == [{"rank": 0, "text": "x"}, {"rank": 1, "text": "xxxxxx"}]
    given = [1, "a"] if world.rank == 0 else [None, None]
    dist.broadcast_object_list(given, 0)
    assert given == [1, "a"]
    out = [None]
    dist.scatter_object_list(out, ["p", "q"] if world.rank == 1 else None, 1)
    assert out == ["pq"[world.rank]]
    lists = [None, None] if world.rank == 0 else None
    dist.gather_object(world.rank, lists, 0)
    assert lists in ([0, 1], None)
    if world.rank == 0:
        dist.send_object_list(["hello", 3], 1)
    else:
        got = [None, None]
        dist.recv_object_list(got, 0)
        assert got == ["hello", 3]


@check
def from_one_to_another():
    dist, other = mint.distributed, 1 - world.rank
    if world.rank == 0:
        dist.send(ms.Tensor(own(3)), 1)
    else:
        x = ops.zeros(3)
        dist.recv(x, 0)
        same(x, of(0, 3))
    # Both send first: a ring.
    box, sent = ops.zeros(2), ms.Tensor(own(2))
    handles = [dist.isend(sent, other), dist.irecv(box, other)]
    sent += 1.0  # what was sent is sent
    for handle in handles:
        handle.wait()
    same(box, of(other, 2))
    box = ops.zeros(2)
    moves = [dist.P2POp("isend", ms.Tensor(own(2)), other), dist.P2POp("irecv", box, other)]
    for handle in dist.batch_isend_irecv(moves):
        handle.wait()
    same(box, of(other, 2))
    exchange = ops.NeighborExchange([other], [other], [[2]], [[2]], ms.float32)
    same(exchange((ms.Tensor(own(2)),))[0], of(other, 2))
    if world.rank == 0:
        ops.Send(0, 1)(ms.Tensor(own(2)))
    else:
        same(ops.Receive(0, 0, [2], ms.float32)(), of(0, 2))


@check
def groups():
    communication.create_group("both", [0, 1])
    same(ops.AllReduce(group="both")(ms.Tensor(own(2))), of(0, 2) + of(1, 2))
    communication.create_group(f"alone_{world.rank}", [world.rank])
    same(ops.AllReduce(group=f"alone_{world.rank}")(ms.Tensor(own(2))), own(2))
    communication.create_group("first", [0])
    if world.rank == 1:
        fails(lambda: ops.AllReduce(group="first")(ms.Tensor(own(2))), ValueError, "not in the group")


@check
def several_groups_in_one_program():
    """With one process in each group, and all in the third, as rows and columns of a mesh would be."""
    communication.create_group(f"row_{world.rank}", [world.rank])
    communication.create_group("column", [0, 1])

    def norm(x):
        inner = ops.AllReduce(group=f"row_{world.rank}")(x * x)
        return ops.AllReduce(group="column")(inner)

    same(ms.jit(norm)(ms.Tensor(own(2))), of(0, 2) ** 2 + of(1, 2) ** 2)


def fails(call, error, text):
    with pytest.raises(error, match=re.escape(text)):
        call()


@check
def errors_before_anything_hangs():
    x = ms.Tensor(own(3))
    fails(lambda: comm_func.broadcast(x, 2), ValueError, "processes of the group are [0, 1]")
    fails(lambda: ops.ReduceScatter()(x), ValueError, "a multiple of 2")
    fails(lambda: ops.AlltoAll(3, 0, 0)(x), ValueError, "split_count must be 2")
    fails(lambda: communication.create_group("three", [0, 2]), ValueError, "in [0, 2)")
    fails(lambda: mint.distributed.send(x, world.rank), ValueError, "does not send to itself")
    fails(lambda: mint.distributed.all_gather([ops.zeros(2)], x), TypeError, "a list of 2")


@check
def calls_are_compared():
    from msjax.communication import comparison

    comparison.turn_on()
    try:
        same(ops.AllReduce()(ms.Tensor(own(2))), of(0, 2) + of(1, 2))
        fails(
            lambda: ops.AllReduce()(ms.Tensor(own(2 + world.rank))),
            RuntimeError,
            "process 1: sum of float32[3]",
        )
        wrong = ops.AllReduce("max") if world.rank else ops.AllGather()
        fails(
            lambda: wrong(ms.Tensor(own(2))), RuntimeError, "process 0: gather of float32[2]; process 1: max"
        )
        fails(
            lambda: comm_func.broadcast(ms.Tensor(own(2)), world.rank),
            RuntimeError,
            "process 0: broadcast from 0 of float32[2]; process 1: broadcast from 1",
        )
        many = [ops.zeros(2)] * 60 + [ops.zeros(2 + world.rank)]
        each = operators.all_reduce_each
        fails(
            lambda: each(many, "sum", (0, 1)), RuntimeError, "process 1: sum of 60 x float32[2], float32[3]"
        )
        same(each(many[:60], "sum", (0, 1))[59], np.zeros(2))
        twice = ms.jit(lambda x: ops.AllReduce()(ops.AllReduce()(x)))
        fails(
            lambda: (twice if world.rank else ms.jit(ops.AllReduce()))(ms.Tensor(own(2))),
            RuntimeError,
            "(2 x sum) of float32[2]",
        )
        long = "x" * 600 + str(world.rank)  # what is left out of the message counts too
        fails(lambda: comparison.compare((0, 1), long), RuntimeError, "process 1: xxx")
    finally:
        comparison.turn_off()


def data():
    values = np.random.default_rng(3).normal(size=(16, 4)).astype(np.float32)
    return values, values[:, :1] * 2 - values[:, 1:2]


def net_and_optimizer():
    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 1))
    return net, nn.Momentum(net.trainable_params(), 0.05, 0.9)


def expected_weights(steps):
    """The same on one process, with the whole batch."""
    net, optimizer = net_and_optimizer()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    x, y = data()
    for _ in range(steps):
        step(ms.Tensor(x), ms.Tensor(y))
    return [p.asnumpy() for p in net.trainable_params()]


def agree(net, steps):
    for found, expected in zip(net.trainable_params(), expected_weights(steps), strict=True):
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5, atol=1e-6)


def share():
    x, y = data()
    return ms.Tensor(x[world.rank :: 2]), ms.Tensor(y[world.rank :: 2])


@check
def functions_with_a_reducer():
    for compiled in (False, True):
        net, optimizer = net_and_optimizer()
        gradients = ms.value_and_grad(
            lambda x, y, net=net: nn.MSELoss()(net(x), y), None, optimizer.parameters
        )
        reducer = nn.DistributedGradReducer(optimizer.parameters, mean=True)

        def step(x, y, gradients=gradients, reducer=reducer, optimizer=optimizer):
            loss, grads = gradients(x, y)
            optimizer(reducer(grads))
            return loss

        step = ms.jit(step) if compiled else step
        for _ in range(4):
            step(*share())
        agree(net, 4)


@check
def steps_of_a_mode():
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
        net, optimizer = net_and_optimizer()
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
        ms.reset_auto_parallel_context()
        for _ in range(3):
            step(*share())
        ms.set_context(mode=ms.PYNATIVE_MODE)
        agree(net, 3)


def held_between_steps(step, net):
    """After three steps the boxes are empty (`joint_state.py`): whatever looks at one, or interrupts, finds its content."""
    weight, bias = net[0].weight, net[0].bias
    view, commit = bias.view(2, 4), execution._commit_plain

    def run_steps():
        for _ in range(4):
            step(*share())

    def interrupt(*args):
        execution._commit_plain = commit
        raise KeyboardInterrupt

    def fail(x):
        weight.set_data(weight * 0)
        raise ZeroDivisionError

    run_steps()
    assert step._last.entry.joint._holds_all
    agree(net, 15)
    run_steps()
    same(view.reshape(-1), bias.asnumpy())
    run_steps()
    fails(lambda: ms.grad(fail)(ms.Tensor(1.0)), ZeroDivisionError, "")
    run_steps()
    execution._commit_plain = interrupt
    fails(lambda: step(*share()), KeyboardInterrupt, "")
    agree(net, 28)


@check
def state_stays_joint_between_steps():
    """Only the batch is made joint in a step, and what is read, written or held between steps has its value."""
    net, optimizer = net_and_optimizer()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    step = ms.jit(nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer))
    ms.reset_auto_parallel_context()
    entered, enter = [], collectives.JointProgram.enter

    def count(program, value):
        entered.append(value.shape)
        return enter(program, value)

    collectives.JointProgram.enter = count
    try:
        for _ in range(2):
            step(*share())
        entered.clear()
        step(*share())
        assert entered == [(8, 4), (8, 1)]
        agree(net, 3)  # each Parameter is read
        held, view = net[0].weight.array, net[0].bias.view(2, 4)
        before, seen = np.array(held), view.asnumpy()
        ms.jit(net)(share()[0])  # a program of this process alone
        step(*share())
        same(np.array(held), before)
        assert (view.asnumpy() != seen).any()
        same(view.reshape(-1), net[0].bias.asnumpy())
        copy = net[2].weight.clone()
        step(*share())
        assert (copy.asnumpy() != net[2].weight.asnumpy()).any()
        step(*share())
        same(net[0].bias, view.reshape(-1).asnumpy())  # the view is one still
        # Steps after which nobody looks take their own results; another program with the same boxes is no exception.
        twin = ms.jit(lambda x, y: step(x, y))
        for each in (step, step, twin, step, step):
            each(*share())
        agree(net, 11)
        held_between_steps(step, net)
        optimizer.learning_rate.set_data(ms.Tensor(0.0))
        net[0].weight.set_data(ms.Tensor(before))
        frozen = [before, *(p.asnumpy() for p in net.trainable_params()[1:])]
        step(*share())
        for parameter, value in zip(net.trainable_params(), frozen, strict=True):
            same(parameter, value)
        fails(lambda: net[0].weight.no_such_name, AttributeError, "no_such_name")
    finally:
        collectives.JointProgram.enter = enter


@check
def models():
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, parameter_broadcast=True)
    net, optimizer = net_and_optimizer()
    if world.rank == 1:
        net[0].weight.set_data(ops.zeros_like(net[0].weight))  # the first process's are taken
    rows = ms.dataset.NumpySlicesDataset(data(), ["x", "y"], shuffle=False, num_shards=2, shard_id=world.rank)
    ms.Model(net, nn.MSELoss(), optimizer).train(2, rows.batch(8))
    ms.reset_auto_parallel_context()
    agree(net, 2)


# Recorded from PyTorch 2.13 with gloo: the losses of each process, then gradients and running means at the end.
LOSSES = (
    (1.987205, 2.425802, 0.427929, 0.979715, 0.804317, 1.780567, 0.723203, 0.549382, 0.846071, 1.216389, 1.057972, 0.750583),
    (1.933841, 0.510551, 1.566702, 0.631262, 1.67005, 0.303691, 1.571564, 0.524838, 1.351416, 0.412333, 1.651053, 0.415557),
)  # fmt: skip
OWN, AVERAGED = (0.315975219, 0.400597662), 0.716572881
MEANS = ((0.0509604849, 0.0107478090, -0.5131958723), (0.0949855447, -0.0097791962, -0.5662223697))


@check
def data_parallel_of_pytorch():
    from msjax import torch
    from msjax.torch import distributed as dist

    dist.init_process_group("gloo")
    draw = np.random.RandomState(0)
    x, y, first, last = (
        torch.tensor(draw.randn(*shape).astype(np.float32)) for shape in ((64, 6), (64, 1), (8, 6), (1, 8))
    )
    net = torch.nn.Sequential(
        torch.nn.Linear(6, 8), torch.nn.BatchNorm1d(8), torch.nn.ReLU(), torch.nn.Linear(8, 1)
    )
    with torch.no_grad():
        net[0].weight.copy_(first * (1 - world.rank))  # that of the first process counts
        net[3].weight.copy_(last)
        net[0].bias.zero_()
        net[3].bias.zero_()
    model = torch.nn.parallel.DistributedDataParallel(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    rows = torch.utils.data.TensorDataset(x, y)
    sampler = torch.utils.data.distributed.DistributedSampler(rows, shuffle=False)
    losses = []
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for given, wanted in torch.utils.data.DataLoader(rows, batch_size=8, sampler=sampler):
            optimizer.zero_grad()
            loss = ((model(given) - wanted) ** 2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    np.testing.assert_allclose(losses, LOSSES[world.rank], rtol=1e-5, atol=1e-6)

    def backward():
        ((model(x[8 * world.rank :][:8]) - y[:8]) ** 2).mean().backward()

    with model.no_sync():
        optimizer.zero_grad()
        backward()
    np.testing.assert_allclose(net[3].bias.grad.item(), OWN[world.rank], rtol=1e-5)
    backward()
    np.testing.assert_allclose(net[3].bias.grad.item(), AVERAGED, rtol=1e-5)
    np.testing.assert_allclose(net[1].running_mean.numpy()[:3], MEANS[world.rank], rtol=1e-4)
    dist.destroy_process_group()


# Recorded from PyTorch 2.13 with gloo: losses of each process, norms of the gradients, sums of the weights at the end.
SHARDED_LOSSES = (
    (3.6658523082733154, 3.7634668350219727, 3.0046379566192627, 2.130758285522461),
    (3.951188325881958, 2.2026383876800537, 1.855196475982666, 1.8156510591506958),
)
NORMS = (6.591350555419922, 4.702613830566406, 3.728336811065674, 1.788142442703247)
SUMS = (
    -2.4461991786956787,
    -3.884575605392456,
    3.4884350299835205,
    -0.9208846092224121,
    -0.16452999413013458,
)
ROWS = (((3, 6), (3,), (2, 5), (1, 3), (1,)), ((2, 6), (2,), (1, 5), (0, 3), (0,)))
GRADIENT = (0.048271600157022476, 0.31611189246177673, -0.13767598569393158, -0.13624607026576996)


def sharded_net(torch):
    draw = np.random.RandomState(1)
    net = torch.nn.Sequential(
        torch.nn.Linear(6, 5), torch.nn.ReLU(), torch.nn.Linear(5, 3, bias=False), torch.nn.Linear(3, 1)
    )
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(torch.tensor(draw.randn(*p.shape).astype(np.float32)))
    return net


def train_step(net, optimizer, x, y):
    optimizer.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss.item()


def sharded_batch(torch):
    draw = np.random.RandomState(0)
    x, y = (torch.tensor(draw.randn(*shape).astype(np.float32)) for shape in ((16, 6), (16, 1)))
    return x[8 * world.rank :][:8], y[8 * world.rank :][:8]


@check
def parameters_of_which_each_process_keeps_a_part():
    from msjax import torch
    from msjax.torch import distributed as dist
    from msjax.torch.distributed import fsdp

    with pytest.raises(ValueError, match="has not been initialized"):
        fsdp.fully_shard(torch.nn.Linear(2, 2))
    dist.init_process_group("gloo")
    inner = sharded_net(torch)
    fsdp.fully_shard(inner[0])
    outer = fsdp.FullyShardedDataParallel(sharded_net(torch), sync_module_states=True)
    x, y = sharded_batch(torch)
    for net in (fsdp.fully_shard(inner), outer):
        optimizer = torch.optim.AdamW(net.parameters(), lr=0.05)
        losses, norms = [], []
        for _ in range(4):
            optimizer.zero_grad()
            loss = ((net(x) - y) ** 2).mean()
            loss.backward()
            norms.append(torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0).item())
            optimizer.step()
            losses.append(loss.item())
        np.testing.assert_allclose(losses, SHARDED_LOSSES[world.rank], rtol=1e-5)
        np.testing.assert_allclose(norms, NORMS, rtol=1e-5)
        assert tuple(tuple(p.to_local().shape) for p in net.parameters()) == ROWS[world.rank]
        np.testing.assert_allclose([p.full_tensor().sum().item() for p in net.parameters()], SUMS, rtol=1e-4)
        if world.rank == 0:
            np.testing.assert_allclose(net[0].weight.grad.numpy()[0, :4], GRADIENT, rtol=1e-4)
    state = outer.state_dict()
    assert [tuple(value.shape) for value in state.values()] == [(5, 6), (5,), (3, 5), (1, 3), (1,)]
    plain = sharded_net(torch)
    plain.load_state_dict(state)
    np.testing.assert_allclose(plain(x).detach().numpy(), outer(x).detach().numpy(), rtol=1e-5, atol=1e-6)
    again = fsdp.FSDP(sharded_net(torch))
    again.load_state_dict(state)
    np.testing.assert_allclose(again(x).detach().numpy(), outer(x).detach().numpy(), rtol=1e-5, atol=1e-6)
    fails(lambda: fsdp.fully_shard(inner), AssertionError, "can only be applied to a module once")
    scalar = torch.nn.Module()
    scalar.a = torch.nn.Parameter(torch.tensor(1.0))
    fails(
        lambda: fsdp.fully_shard(scalar),
        ValueError,
        "doesn't support scalar parameters. Change a to a 1D tensor",
    )
    fails(lambda: fsdp.fully_shard(plain, mp_policy=1), TypeError, "must be a MixedPrecisionPolicy")
    fails(lambda: fsdp.fully_shard(plain, mesh=1), ValueError, "a DeviceMesh of one or two dimensions")
    fails(lambda: inner.set_requires_all_reduce(False), NotImplementedError, "must be True")
    strategy = fsdp.ShardingStrategy.NO_SHARD
    fails(lambda: fsdp.FSDP(plain, sharding_strategy=strategy), NotImplementedError, "FULL_SHARD")
    dist.destroy_process_group()


@check
def gradients_that_add_up_before_they_are_averaged():
    """As one backward pass of the sum of the losses; in bfloat16 they add up in float32, as in PyTorch."""
    from msjax import torch
    from msjax.torch import distributed as dist
    from msjax.torch.distributed import fsdp

    dist.init_process_group("gloo")
    plain = sharded_net(torch)
    for i, (x, y) in enumerate(all_parts(torch)):
        ((plain(x * (1 + i)) - y) ** 2).mean().backward()
        ((plain(x) - y) ** 2).mean().backward()
    x, y = sharded_batch(torch)
    inner = sharded_net(torch)
    fsdp.fully_shard(inner[0])
    outer = fsdp.FSDP(sharded_net(torch))
    inner = fsdp.fully_shard(inner)

    def backward(net, x):
        ((net(x) - y) ** 2).mean().backward()

    inner.set_requires_gradient_sync(False)
    backward(inner, x * (1 + world.rank))
    assert all(p.grad is None for p in inner.parameters())
    inner.set_requires_gradient_sync(True)
    with outer.no_sync():
        backward(outer, x * (1 + world.rank))
    for net in (inner, outer):
        backward(net, x)
        for parameter, wanted in zip(net.parameters(), plain.parameters(), strict=True):
            found = fsdp.with_rows_of(parameter, parameter.grad).numpy()
            np.testing.assert_allclose(found, wanted.grad.numpy() / 2, rtol=1e-5, atol=1e-6)
            assert parameter.pending is None
    for before in (True, False):  # it is decided in the forward pass
        inner.set_requires_gradient_sync(before)
        loss = ((inner(x) - y) ** 2).mean()
        inner.set_requires_gradient_sync(not before)
        fails(
            loss.backward,
            RuntimeError,
            f"Received: {before} before the forward pass, {not before} in the backward",
        )
    half = fsdp.MixedPrecisionPolicy(torch.bfloat16, torch.float32)
    net = fsdp.fully_shard(sharded_net(torch), mp_policy=half)
    net.set_requires_gradient_sync(False)
    backward(net, x)
    assert net[0].weight.pending.dtype == torch.float32
    # Weights are whole from `unshard` on, until the forward pass is over.
    handle = net.unshard(async_op=True)
    handle.wait()
    assert (tuple(net[0].weight.shape), net[0].weight.dtype) == ((5, 6), torch.bfloat16)
    net(x)
    assert (tuple(net[0].weight.shape), net[0].weight.dtype) == ((3, 6), torch.float32)
    net.unshard()
    net.reshard()
    assert tuple(net[0].weight.shape) == (3, 6)
    dist.destroy_process_group()


@check
def parts_are_initialized_as_the_whole():
    """Each process draws all rows, and keeps its own: with one seed the network is that of one process."""
    from msjax import torch
    from msjax.torch import distributed as dist
    from msjax.torch.distributed import fsdp

    dist.init_process_group("gloo")
    init = torch.nn.init
    net = fsdp.fully_shard(sharded_net(torch).to_empty(device="cpu"))
    plain = sharded_net(torch)
    for fill in (
        init.uniform_, init.normal_, init.trunc_normal_, init.xavier_uniform_, init.kaiming_normal_, init.orthogonal_,
        init.eye_, lambda w: init.sparse_(w, 0.4), lambda w: init.constant_(w, 2.0),
    ):  # fmt: skip
        for each in (net, plain):
            torch.manual_seed(3)
            fill(each[0].weight)
        np.testing.assert_array_equal(net[0].weight.full_tensor().numpy(), plain[0].weight.detach().numpy())
    for each in (net, plain):
        torch.manual_seed(4)
        each[0].reset_parameters()
    np.testing.assert_array_equal(net[0].bias.full_tensor().numpy(), plain[0].bias.detach().numpy())
    table, cut = (torch.nn.Embedding(7, 3, padding_idx=5) for _ in range(2))
    fsdp.fully_shard(cut)
    for each in (table, cut):
        torch.manual_seed(5)
        each.reset_parameters()
    assert not table.weight[5].any()
    np.testing.assert_array_equal(cut.weight.full_tensor().numpy(), table.weight.detach().numpy())
    dist.destroy_process_group()


@check
def parts_of_parameters_in_low_precision():
    """Gradients are the mean of those of a network of bfloat16, in float32."""
    from msjax import torch
    from msjax.torch import distributed as dist
    from msjax.torch.distributed import fsdp

    dist.init_process_group("gloo")
    half = fsdp.MixedPrecisionPolicy(torch.bfloat16, torch.float32, output_dtype=torch.float32)
    old = fsdp.MixedPrecision(torch.bfloat16, torch.float32, buffer_dtype=torch.bfloat16)
    plain = sharded_net(torch).to(torch.bfloat16)
    wanted, outputs = [0.0] * 5, []
    x, y = (
        torch.cat([part[0] for part in all_parts(torch)]),
        torch.cat([part[1] for part in all_parts(torch)]),
    )
    for i in range(2):
        plain.zero_grad()
        out = plain(x[8 * i :][:8].to(torch.bfloat16)).float()
        ((out - y[8 * i :][:8]) ** 2).mean().backward()
        wanted = [w + p.grad.float().numpy() / 2 for w, p in zip(wanted, plain.parameters(), strict=True)]
        outputs.append(out.detach().numpy())
    given = torch.nn.Sequential(sharded_net(torch))
    given.register_buffer("seen", torch.ones(2))
    nets = (
        fsdp.fully_shard(sharded_net(torch), mp_policy=half, offload_policy=fsdp.OffloadPolicy()),
        fsdp.FSDP(given, mixed_precision=old),
    )
    assert given.seen.dtype == torch.bfloat16
    x, y = sharded_batch(torch)
    for net, kind in zip(nets, (torch.float32, torch.bfloat16), strict=True):
        out = net(x)
        assert out.dtype == kind
        np.testing.assert_array_equal(out.detach().float().numpy(), outputs[world.rank])
        ((out.float() - y) ** 2).mean().backward()
        for parameter, gradient in zip(net.parameters(), wanted, strict=True):
            assert (parameter.dtype, parameter.grad.dtype) == (torch.float32, torch.float32)
            found = fsdp.with_rows_of(parameter, parameter.grad).numpy()
            np.testing.assert_allclose(found, gradient, rtol=1e-6, atol=1e-7)
    dist.destroy_process_group()


def all_parts(torch):
    draw = np.random.RandomState(0)
    x, y = (torch.tensor(draw.randn(*shape).astype(np.float32)) for shape in ((16, 6), (16, 1)))
    return [(x[:8], y[:8]), (x[8:], y[8:])]


@check
def state_dicts_of_parts():
    from msjax import torch
    from msjax.torch import distributed as dist
    from msjax.torch.distributed import fsdp
    from msjax.torch.distributed.checkpoint import state_dict as saving

    dist.init_process_group("gloo")
    x, y = sharded_batch(torch)

    def make(seed):
        net = sharded_net(torch)
        with torch.no_grad():
            net[0].weight.mul_(seed)
        fsdp.fully_shard(net)
        return net, torch.optim.AdamW(net.parameters(), lr=0.05)

    net, optimizer = make(1.0)
    train_step(net, optimizer, x, y)
    whole = saving.StateDictOptions(full_state_dict=True)
    model = saving.get_model_state_dict(net, options=whole)
    state = copy.deepcopy(
        saving.get_optimizer_state_dict(net, optimizer, options=whole)
    )  # `step` is changed in place
    assert [tuple(value.shape) for value in model.values()] == [(5, 6), (5,), (3, 5), (1, 3), (1,)]
    assert tuple(state["state"]["0.weight"]["exp_avg"].shape) == (5, 6)
    assert state["param_groups"][0]["params"] == list(model)
    own = saving.get_optimizer_state_dict(net, optimizer)["state"]["0.weight"]["exp_avg"]
    assert tuple(own.shape) == tuple(saving.get_model_state_dict(net)["0.weight"].shape) == (3, 6)
    later = [train_step(net, optimizer, x, y) for _ in range(2)]
    again, optimizer = make(2.0)
    train_step(again, optimizer, x, y)
    saving.set_model_state_dict(again, model, options=whole)
    saving.set_optimizer_state_dict(again, optimizer, copy.deepcopy(state), options=whole)
    assert [train_step(again, optimizer, x, y) for _ in range(2)] == later
    again, optimizer = make(2.0)
    train_step(again, optimizer, x, y)
    options = saving.StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    saving.set_model_state_dict(again, model if world.rank == 0 else {}, options=options)
    saving.set_optimizer_state_dict(again, optimizer, state if world.rank == 0 else {}, options=options)
    assert [train_step(again, optimizer, x, y) for _ in range(2)] == later
    # Only the first process has it.
    first = saving.StateDictOptions(full_state_dict=True, cpu_offload=True)
    model = saving.get_model_state_dict(net, options=first)
    assert len(model) == (0 if world.rank else 5)
    again, _ = make(2.0)
    saving.set_model_state_dict(again, model, options=options)
    for a, b in zip(again.parameters(), net.parameters(), strict=True):
        np.testing.assert_array_equal(a.detach().numpy(), b.detach().numpy())
    outer = fsdp.FSDP(sharded_net(torch))
    with fsdp.FSDP.state_dict_type(outer, fsdp.StateDictType.SHARDED_STATE_DICT):
        assert tuple(outer.state_dict()["0.weight"].shape) == (3, 6)
    config = fsdp.FullStateDictConfig(rank0_only=True)
    with fsdp.FSDP.state_dict_type(outer, fsdp.StateDictType.FULL_STATE_DICT, config):
        assert len(outer.state_dict()) == (0 if world.rank else 5)
    assert tuple(outer.state_dict()["0.weight"].shape) == (5, 6)
    dist.destroy_process_group()


@check
def state_dicts_whose_values_are_dtensors():
    """As pytorch/examples' FSDP2 saves and loads: whole tensors of what the dicts have, parts of what is loaded."""
    from msjax import torch
    from msjax.torch import distributed as dist
    from msjax.torch.distributed import dtensor, fsdp, placements
    from msjax.torch.distributed.checkpoint import state_dict as saving

    dist.init_process_group("gloo")
    x, y = sharded_batch(torch)

    def make(device=None):
        with torch.device(device or "cpu"):
            net = sharded_net(torch)
        return fsdp.fully_shard(net)

    net = make()
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.05)
    train_step(net, optimizer, x, y)
    saved, kept = net.state_dict(), copy.deepcopy(optimizer.state_dict())
    assert all(isinstance(value, dtensor.DTensor) for value in [*saved.values(), *net.parameters()])
    assert saved["0.weight"].placements == (placements.Shard(0),)
    model = {name: value.full_tensor() for name, value in saved.items()}
    assert [tuple(value.shape) for value in model.values()] == [(5, 6), (5,), (3, 5), (1, 3), (1,)]
    assert tuple(saved["0.weight"].to_local().shape) == ((2, 6) if world.rank else (3, 6))
    assert not isinstance(kept["state"][0]["step"], dtensor.DTensor)
    whole = {
        number: {
            name: value.full_tensor() if isinstance(value, dtensor.DTensor) else value
            for name, value in slots.items()
        }
        for number, slots in kept["state"].items()
    }
    assert tuple(whole[0]["exp_avg"].shape) == (5, 6)
    later = [train_step(net, optimizer, x, y) for _ in range(2)]

    for device in ("cpu", "meta"):
        again = make(device)
        own = again.state_dict()
        parts = {
            name: torch.nn.Parameter(
                dtensor.distribute_tensor(value, own[name].device_mesh, own[name].placements)
            )
            for name, value in model.items()
        }
        again.load_state_dict(parts, assign=True)
        optimizer = torch.optim.AdamW(again.parameters(), lr=0.05)
        saving._init_optim_state(optimizer)
        for name, parameter in again.named_parameters():
            same(parameter.full_tensor(), model[name].numpy())
        state = optimizer.state_dict()
        for number, slots in state["state"].items():
            for name, value in slots.items():
                given = whole[number][name]
                if isinstance(value, dtensor.DTensor):
                    given = dtensor.distribute_tensor(given, value.device_mesh, value.placements)
                slots[name] = given
        optimizer.load_state_dict(state)
        assert [train_step(again, optimizer, x, y) for _ in range(2)] == later
    again = make("meta")
    options = saving.StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    saving.set_model_state_dict(again, model, options=options)
    for name, parameter in again.named_parameters():
        same(parameter.full_tensor(), model[name].numpy())
        double = dtensor.distribute_tensor(model[name] * 2, parameter.device_mesh, parameter.placements)
        with torch.no_grad():
            assert parameter.copy_(double) is parameter
        same(parameter.full_tensor(), model[name].numpy() * 2)
    dist.destroy_process_group()


@check
def checkpoints_that_all_write():
    from msjax import torch
    from msjax.torch import distributed as dist
    from msjax.torch.distributed import checkpoint as dcp
    from msjax.torch.distributed import dtensor, fsdp, placements
    from msjax.torch.distributed.checkpoint import state_dict as saving

    dist.init_process_group("gloo")
    folder = f"{sys.argv[1]}/checkpoint"
    x, y = sharded_batch(torch)

    def make():
        net = fsdp.fully_shard(sharded_net(torch))
        return net, torch.optim.AdamW(net.parameters(), lr=0.05)

    net, optimizer = make()
    train_step(net, optimizer, x, y)
    model, slots = saving.get_state_dict(net, optimizer)
    found = dcp.save({"model": model, "optim": slots, "step": 1}, checkpoint_id=folder)
    for name in ("model.0.weight", "optim.state.0.weight.exp_avg"):
        assert [tuple(part.sizes) for part in found.state_dict_metadata[name].chunks] == [(3, 6), (2, 6)]
    assert sorted(os.listdir(folder)) == [".metadata", "__0_0.distcp", "__1_0.distcp"]
    whole = net[0].weight.full_tensor()
    later = train_step(net, optimizer, x, y)
    net, optimizer = make()
    state = dict(zip(("model", "optim"), saving.get_state_dict(net, optimizer), strict=True)) | {"step": 0}
    dcp.load(state, checkpoint_id=folder)
    assert state["step"] == 1
    saving.set_state_dict(net, optimizer, model_state_dict=state["model"], optim_state_dict=state["optim"])
    assert train_step(net, optimizer, x, y) == later
    # Into one process, and into other parts than were written.
    other = {"0.weight": torch.zeros(5, 6)}
    dcp.load({"model": other}, checkpoint_id=folder, no_dist=True)
    same(other["0.weight"], whole.numpy())
    columns = dtensor.distribute_tensor(torch.zeros(5, 6), placements=[placements.Shard(1)])
    dcp.load({"model": {"0.weight": columns}}, checkpoint_id=folder)
    same(columns.to_local(), whole.numpy()[:, 3 * world.rank :][:, :3])
    # Whole in DistributedDataParallel, whose prefix names do not have.
    plain = torch.nn.parallel.DistributedDataParallel(sharded_net(torch))
    own = saving.get_model_state_dict(plain)
    dcp.load({"model": own}, checkpoint_id=folder)
    same(plain.module[0].weight.detach(), whole.numpy())
    with pytest.raises(dcp.CheckpointException, match="Missing key") as caught:
        dcp.load({"no" if world.rank else "step": 0}, checkpoint_id=folder)
    assert list(caught.value.failures) == [1]
    dist.destroy_process_group()


@check
def optimizers_whose_state_is_divided():
    from msjax import torch
    from msjax.torch import distributed as dist
    from msjax.torch.distributed.optim import ZeroRedundancyOptimizer

    dist.init_process_group("gloo")
    x, y = sharded_batch(torch)

    def make(kind, *args, **settings):
        net = torch.nn.parallel.DistributedDataParallel(sharded_net(torch))
        params = list(net.parameters())
        groups = [{"params": params[:2], "lr": 0.1}, {"params": params[2:]}]
        return net, kind(groups, *args, **settings)

    net, plain = make(torch.optim.Adam, lr=0.05)
    divided_net, optimizer = make(ZeroRedundancyOptimizer, torch.optim.Adam, lr=0.05)
    for _ in range(2):
        for group in (plain.param_groups[0], optimizer.param_groups[0]):
            group["lr"] *= 0.5
        np.testing.assert_allclose(
            train_step(divided_net, optimizer, x, y), train_step(net, plain, x, y), rtol=1e-5
        )
    held = [[tuple(p.shape) for p in group["params"]] for group in optimizer.optim.param_groups]
    assert held == ([[(5,)], [(3, 5), (1, 3), (1,)]] if world.rank else [[(5, 6)], []])
    assert {tuple(p.shape) for p in optimizer.optim.state} == {shape for shapes in held for shape in shapes}
    fails(optimizer.state_dict, RuntimeError, "has not been consolidated on this rank")
    optimizer.consolidate_state_dict(to=1)
    state = [optimizer.state_dict() if world.rank else None]
    if world.rank == 0:
        fails(optimizer.state_dict, RuntimeError, "has not been consolidated on this rank")
    dist.broadcast_object_list(state, 1)
    for number, slots in plain.state_dict()["state"].items():
        for name, value in slots.items():
            np.testing.assert_allclose(state[0]["state"][number][name].numpy(), value.numpy(), rtol=1e-4)
    again, second = make(ZeroRedundancyOptimizer, torch.optim.Adam, lr=0.3)
    again.load_state_dict(divided_net.state_dict())
    second.load_state_dict(state[0])
    for _ in range(2):
        assert train_step(again, second, x, y) == train_step(divided_net, optimizer, x, y)
    p = torch.nn.Parameter(torch.ones(2))
    fails(lambda: ZeroRedundancyOptimizer(p, torch.optim.SGD), TypeError, "should be an iterable of Tensors")
    fails(lambda: ZeroRedundancyOptimizer([], torch.optim.SGD), ValueError, "empty parameter list")
    dist.destroy_process_group()


@check
def unused_parameters_of_pytorch():
    """Recorded from PyTorch 2.13: what one process uses is averaged, what none does gets no gradient, and does not decay."""
    from msjax import torch
    from msjax.torch import distributed as dist

    class Parts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = (torch.nn.Linear(2, 1, bias=False) for _ in range(3))
            with torch.no_grad():
                for p in self.parameters():
                    p.fill_(0.5)

        def forward(self, x, more):
            return {"out": [self.a(x) + (self.b(x) if more else 0)]}

    dist.init_process_group("gloo")
    net = torch.nn.parallel.DistributedDataParallel(Parts(), find_unused_parameters=True)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        net(torch.ones(3, 2) * (world.rank + 1), world.rank == 0)["out"][0].sum().backward()
        optimizer.step()
    a, b, c = net.parameters()
    same(a.grad, [[4.5, 4.5]])
    same(b.grad, [[1.5, 1.5]])
    assert c.grad is None
    same(c.detach(), [[0.5, 0.5]])
    np.testing.assert_allclose(a.detach().numpy(), [[-0.8149501085281372] * 2], rtol=1e-6)
    np.testing.assert_allclose(b.detach().numpy(), [[0.05205000936985016] * 2], rtol=1e-5)
    fails(lambda: net.register_comm_hook(None, print), NotImplementedError, "averaged as they are")
    dist.destroy_process_group()


# Recorded from PyTorch 2.13 with gloo: numbers of batches, settings; weights, bias and buffer at the end.
JOINED = (
    (2, 4, {}, (0.53993124, 0.59393996, 0.58810639, -0.00768608, -3.53743505)),
    (
        4,
        2,
        {"divide_by_initial_world_size": False},
        (0.57269031, 0.59518349, 0.64741445, -0.0113841, -3.76924205),
    ),
)


@check
def unequal_numbers_of_batches():
    from msjax import torch
    from msjax.torch import distributed as dist

    class Seeing(torch.nn.Linear):
        def __init__(self):
            super().__init__(3, 1)
            self.register_buffer("seen", torch.zeros(1))
            with torch.no_grad():
                self.weight.fill_(0.5)
                self.bias.zero_()

        def forward(self, x):
            with torch.no_grad():
                self.seen += x.sum()
            return super().forward(x)

    dist.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(Seeing(), find_unused_parameters=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    def step(i):
        x = torch.sin(torch.arange(15.0).reshape(5, 3) * (i + 1 + world.rank * 3))
        train_step(model, optimizer, x, x.sum(1, keepdim=True))

    for first, second, settings, expected in JOINED:
        with model.join(**settings):
            for i in range((first, second)[world.rank]):
                step(i)
        net = model.module
        found = [*net.weight[0].tolist(), net.bias.item(), net.seen.item()]
        np.testing.assert_allclose(found, expected, atol=1e-6)

    def stop():
        with model.join(throw_on_early_termination=True):
            for i in range(1 + world.rank):
                step(i)

    fails(stop, RuntimeError, "exhausted inputs" if world.rank else "Rank 0 exhausted all inputs")
    with pytest.raises(NotImplementedError, match="`no_sync` within it"), model.join(), model.no_sync():
        step(0)
    dist.destroy_process_group()


@check
def functions_of_pytorch():
    from msjax import torch
    from msjax.torch import distributed as dist

    with pytest.raises(ValueError, match="has not been initialized"):
        dist.get_rank()
    dist.init_process_group("gloo")
    both = dist.new_group([0, 1])
    assert (dist.get_rank(both), dist.get_world_size(), dist.get_backend()) == (world.rank, 2, "gloo")
    first = dist.new_group([0])
    x = torch.arange(3.0) + world.rank
    dist.all_reduce(x, group=first)
    same(x, np.arange(3.0) + world.rank)
    if world.rank == 1:
        assert first == dist.GroupMember.NON_GROUP_MEMBER
    dist.all_reduce(x, op=dist.ReduceOp.MAX, group=both)
    same(x, [1.0, 2.0, 3.0])
    parts = [torch.zeros(1), torch.zeros(1)]
    dist.all_gather(parts, torch.full((1,), float(world.rank)))
    same(torch.cat(parts), [0.0, 1.0])
    stacked = torch.zeros(2, 1)
    dist.all_gather_into_tensor(stacked, torch.full((1,), float(world.rank)))
    same(stacked, [[0.0], [1.0]])
    mine = torch.zeros(1)
    dist.scatter(mine, [torch.ones(1), torch.full((1,), 2.0)] if world.rank == 0 else None, src=0)
    same(mine, [1.0 + world.rank])
    dist.broadcast(mine, group_src=1, group=both)
    same(mine, [2.0])
    weight = torch.nn.Parameter(torch.ones(2))
    dist.all_reduce(weight)  # without a gradient
    same(weight.detach(), [2.0, 2.0])
    handle = dist.all_reduce(torch.ones(1), async_op=True)
    assert isinstance(handle, dist.Work)
    assert handle.wait() is True
    dist.barrier()
    x, other = torch.arange(4.0), 1 - world.rank
    for call, error, text in (  # types are PyTorch's; raised before anything is sent
        (lambda: dist.all_reduce([x]), TypeError, "parameter `tensor` of type torch.Tensor"),
        (lambda: dist.all_reduce(x, op="sum"), TypeError, "ReduceOp"),
        (lambda: dist.all_gather(x, x), TypeError, "parameter `tensor_list` of type List"),
        (lambda: dist.all_gather([x], x), RuntimeError, "a tensor for each process"),
        (lambda: dist.all_gather([x.double()] * 2, x), ValueError, "torch.float64 and  torch.float32"),
        (lambda: dist.all_gather_into_tensor(torch.zeros(8), [x]), TypeError, "`input_tensor`"),
        (lambda: dist.reduce_scatter_tensor([x], x), TypeError, "parameter `output`"),
        (lambda: dist.all_to_all_single(x, x, [4], [4]), RuntimeError, "the parts must be 2"),
        (lambda: dist.all_to_all_single(x.double(), x), ValueError, "different dtypes"),
        (lambda: dist.broadcast(x, 9), RuntimeError, "Received: 9"),
        (lambda: dist.broadcast(x), ValueError, "Must specify"),
        (lambda: dist.broadcast(x, 0, group_src=0), ValueError, "Can't specify both"),
        (lambda: dist.gather(x, dst=world.rank), ValueError, "must be specified on destination rank"),
        (lambda: dist.gather(x, [x, x], dst=other), ValueError, "must NOT be specified"),
        (lambda: dist.scatter(x, src=world.rank), ValueError, "must be specified on source rank"),
        (lambda: dist.send(x, world.rank), ValueError, "Invalid destination rank"),
        (lambda: dist.P2POp(dist.isend, 3, 0), TypeError, "parameter `tensor`"),
        (lambda: dist.batch_isend_irecv([1]), ValueError, "p2p_op_list"),
    ):
        with pytest.raises(error, match=re.escape(text)) as caught:
            call()
        assert type(caught.value) is error
    dist.destroy_process_group()
    assert not dist.is_initialized()


@check
def programs_that_differ():
    """What is sent comes in the order of the program, whatever a process computes around it."""
    first = world.rank == 0
    x, y = ms.Tensor(of(world.rank, 2, 2)), ms.Tensor(of(world.rank, 2, 2) * 100)
    summed = of(0, 2, 2) + of(1, 2, 2)

    def later(t):
        for _ in range(4):
            t = ops.sin(ops.matmul(t, t))
        return t * 0

    @ms.jit
    def equal_kinds(x, y):
        a = ops.AllReduce()(x)
        waits = 0 if first else later(a)
        b = ops.AllReduce()(y + waits * 0)
        return (a, b + later(b)) if first else (a, b)

    for found in (equal_kinds(x, y), equal_kinds(x, y)):
        same(found[0], summed)
        same(found[1], summed * 100)

    @ms.jit
    def unlike_kinds(x, y):
        a = ops.AllGather()(x)
        b = ops.AllReduce("max")(y if first else y + later(y))
        c = ops.ReduceScatter()(x + later(b)) if first else ops.ReduceScatter()(x)
        return a, b, c

    gathered, most, part = unlike_kinds(x, y)
    same(gathered, np.concatenate([of(0, 2, 2), of(1, 2, 2)]))
    same(most, of(1, 2, 2) * 100)
    same(part, summed[world.rank : world.rank + 1])

    @ms.jit
    def scattered(x, y):
        box = ops.zeros(2)
        comm_func.scatter_tensor(x, 0) if first else None
        got = None if first else comm_func.scatter_tensor(ops.zeros((2, 2)), 0)
        a, b = ops.AllReduce()(x), ops.AllReduce()(y)
        return (b + box, a) if first else (b, a + 0 * got.sum())

    b, a = scattered(x, y)
    same(a, summed)
    same(b, summed * 100)


def divided_net(torch):
    nn = torch.nn
    draw = np.random.RandomState(2)
    net = nn.ModuleDict(
        {
            "tokens": nn.Embedding(6, 4, padding_idx=5), "norm": nn.LayerNorm(4), "up": nn.Linear(4, 8),
            "down": nn.Linear(8, 4), "out": nn.Linear(4, 6),
        }
    )  # fmt: skip
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(torch.tensor(draw.randn(*p.shape).astype(np.float32)))

    def compute(ids):
        x = net["tokens"](ids)
        return net["out"](x + net["down"](net["up"](net["norm"](x)).tanh()))

    ids = torch.tensor([[0, 1, 5, 3], [2, 4, 5, 0]])
    target = torch.tensor([[1, 2, 3, -100], [0, 5, 4, 1]])
    return net, compute, ids, target


@check
def layers_of_which_each_process_has_a_part():
    """Losses, norms, gradients and steps are those of one process, however the layers are divided."""
    from msjax import torch
    from msjax.torch import distributed as dist
    from msjax.torch.distributed import tensor_parallel as tp
    from msjax.torch.distributed.dtensor import DTensor
    from msjax.torch.distributed.placements import Replicate, Shard

    F = torch.nn.functional
    dist.init_process_group("gloo")
    mesh = dist.init_device_mesh("cpu", (2,))
    column, row, whole, rows = tp.ColwiseParallel, tp.RowwiseParallel, Replicate(), Shard(1)

    def wanted():
        net, compute, ids, target = divided_net(torch)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        loss = F.cross_entropy(compute(ids).transpose(1, 2), target)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        return loss.item(), norm.item(), net

    expected = wanted()
    plans = {
        "tensor": {
            "tokens": column(output_layouts=whole), "up": column(), "down": row(), "out": column(output_layouts=whole),
        },
        "sequence": {
            "tokens": row(input_layouts=whole, output_layouts=rows), "norm": tp.SequenceParallel(),
            "up": column(input_layouts=rows), "down": row(output_layouts=rows),
            "out": column(input_layouts=rows, use_local_output=False),
        },
    }  # fmt: skip
    for name, plan in plans.items():
        net, compute, ids, target = divided_net(torch)
        if name == "tensor" and world.rank:  # the first process's are taken
            for layer in ("tokens", "up", "down", "out"):
                torch.nn.init.zeros_(net[layer].weight)
        tp.parallelize_module(net, mesh, plan)
        assert net["up"].weight.shape == (4, 4)
        assert net["up"].weight.whole_shape == (8, 4)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        logits = compute(ids)
        if name == "tensor":
            loss = F.cross_entropy(logits.transpose(1, 2), target)
            loss.backward()
        else:
            assert logits.placements == (Shard(2),)
            assert logits.shape == (2, 4, 6)
            logits = DTensor.from_local(logits.to_local().transpose(1, 2), mesh, [Shard(1)])
            with tp.loss_parallel():
                loss = F.cross_entropy(logits, target)
                fails(lambda given=logits: F.relu(given), NotImplementedError, "takes no DTensor")
                loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        np.testing.assert_allclose((loss.item(), norm.item()), expected[:2], rtol=1e-5)
        for (key, p), q in zip(net.named_parameters(), expected[2].parameters(), strict=True):
            found = p.full_tensor() if isinstance(p, tp.PartParameter) else p
            np.testing.assert_allclose(
                found.detach().numpy(), q.detach().numpy(), rtol=1e-4, atol=1e-5, err_msg=key
            )
    fails(lambda: torch.nn.parallel.DistributedDataParallel(net), RuntimeError, "would average them")
    fails(lambda: tp.parallelize_module(net["up"], mesh, column()), NotImplementedError, "Received")
    fails(
        lambda: tp.parallelize_module(torch.nn.Linear(4, 3), mesh, column()),
        NotImplementedError,
        "2 processes must divide dimension 0 of a Parameter. Received: the shape (3, 4)",
    )
    fails(
        lambda: tp.parallelize_module(torch.nn.ReLU(), mesh, row()),
        NotImplementedError,
        "nn.Linear and nn.Embedding",
    )
    fails(lambda: tp.parallelize_module(net, mesh, 1), TypeError, "parallelize_plan")
    dist.destroy_process_group()


@check
def gradients_of_tensors_in_parts():
    from msjax import torch
    from msjax.torch import distributed as dist
    from msjax.torch.distributed.dtensor import DTensor
    from msjax.torch.distributed.placements import Partial, Replicate, Shard

    dist.init_process_group("gloo")
    mesh = dist.init_device_mesh("cpu", (2,))
    factor = torch.tensor(of(0, 4, 2))
    own_rows = factor[2 * world.rank :][:2]
    for before, after in (
        ([Shard(0)], [Replicate()]), ([Replicate()], [Shard(0)]), ([Shard(0)], [Shard(1)]), ([Partial()], [Shard(0)]),
        ([Partial()], [Replicate()]),
    ):  # fmt: skip
        cut = isinstance(before[0], Shard)
        x = torch.tensor(own(2, 2) if cut else of(0, 4, 2), requires_grad=True)
        moved = DTensor.from_local(x, mesh, before).redistribute(placements=after)
        weights = DTensor.from_local(factor, mesh, [Replicate()]).redistribute(placements=after)
        (moved.to_local() * weights.to_local()).sum().backward()
        same(x.grad, (own_rows if cut else factor).numpy())
    x = torch.tensor(of(0, 2), requires_grad=True)
    given = DTensor.from_local(x, mesh, [Replicate()]).to_local(grad_placements=[Partial()])
    (given * (1 + world.rank)).sum().backward()
    same(x.grad, np.full(2, 3, np.float32))
    largest = DTensor.from_local(x, mesh, [Partial("max")])
    fails(largest.full_tensor, NotImplementedError, "terms of which a gradient is wanted must be added")
    dist.destroy_process_group()


@check
def collectives_with_pytorchs_gradients():
    """The sum of losses of all processes has these gradients; PyTorch 2.13 with gloo gives the same numbers.

    Its `reduce` leaves parts of sums at the other processes.
    """
    from msjax import torch
    from msjax.torch import distributed as dist
    from msjax.torch.distributed import autograd_collectives as found

    dist.init_process_group("gloo")
    scale = 1.0 + world.rank
    x = torch.tensor(own(2, 2), requires_grad=True)

    def gradient(y, wanted, slope):
        same(y.detach(), wanted)
        x.grad = None
        (y * scale).sum().backward()
        same(x.grad, np.asarray(slope, np.float32) * np.ones((2, 2), np.float32))

    first, second = of(0, 2, 2), of(1, 2, 2)
    gradient(found.all_reduce(x), first + second, 3)
    gradient(found.all_reduce(x, dist.ReduceOp.AVG), (first + second) / 2, 1.5)
    gradient(torch.stack(found.all_gather(x)), np.stack([first, second]), 3)
    gradient(found.broadcast(x, 1), second, [0, 3][world.rank])
    exchanged, out = np.stack([first, second])[:, world.rank], torch.zeros(2, 2)
    gradient(found.all_to_all_single(out, x), exchanged, [[1], [2]])
    same(out, exchanged)
    gradient(torch.stack(found.all_to_all([out[0], out[1]], [x[0], x[1]])), exchanged, [[1], [2]])
    gradient(found.reduce_scatter(out[1], [x[0], x[1]]), (first + second)[world.rank], [[1], [2]])
    same(out, [exchanged[0], (first + second)[world.rank]])
    gathered = np.stack([first, second]) * (world.rank == 1)
    gradient(torch.stack(found.gather(x, 1)), gathered, 2)
    gradient(found.reduce(x, 1), gathered.sum(0), 2)
    slope = [[1], [2]] if world.rank else 0
    gradient(found.scatter([x[0], x[1]], 1), second[world.rank], slope)
    fails(
        lambda: found.all_reduce(x, dist.ReduceOp.MAX),
        NotImplementedError,
        "must be SUM or AVG for a gradient",
    )
    fails(lambda: found.reduce_scatter(torch.zeros(2), [x]), ValueError, "tensors of shapes [(2,), (2,)]")
    fails(lambda: found.reduce(x, 0, dist.ReduceOp.AVG), NotImplementedError, "must be SUM")
    fails(lambda: found.scatter([x], 0), ValueError, "argument `tensors` must have tensors of shapes")
    fails(lambda: found.broadcast(x, 2), ValueError, "must be one of (0, 1). Received: 2")
    alone = dist.new_group([1])
    place = (dist.get_rank(alone), dist.get_world_size(alone))
    assert place == ((0, 1) if world.rank else (-1, -1))
    dist.destroy_process_group()


@check
def collectives_nobody_needs():
    """A collective whose result one process does not use runs all the same: the other one uses it."""
    first = world.rank == 0
    x, n = ms.Tensor(own(4)), ms.Tensor(2)
    summed = of(0, 4) + of(1, 4)

    @ms.jit
    def once(x):
        y = ops.AllReduce()(x)
        return x + y if first else x * 2

    for _ in range(2):
        same(once(x), own(4) + summed if first else own(4) * 2)

    @ms.jit
    def between_others(x):
        a = ops.AllReduce()(x)
        b = ops.AllReduce("max")(x * 3)
        nothing = ops.AllReduce()(x[:0]).sum()
        c = ops.AllGather()(x + nothing)
        return (b, c) if first else (a, c)

    found, gathered = between_others(x)
    same(found, of(1, 4) * 3 if first else summed)
    same(gathered, np.concatenate([of(0, 4), of(1, 4)]))

    @ms.jit
    def in_a_loop(x, n):
        i, kept, total = ms.Tensor(0), x, x
        while i < n:
            summed = ops.AllReduce()(total)
            total = summed if first else kept * 1
            i = i + 1
        last = ops.AllReduce("max")(ops.sin(ops.sin(x)) * 0 + x if first else x)
        return total, last

    total, last = in_a_loop(x, n)
    same(total, of(0, 4) + of(1, 4) + of(1, 4) if first else own(4))
    same(last, of(1, 4))

    @ms.jit
    def choices(x):
        """A slice and a choice that have nothing of the collective, for all that they are made from it."""
        a = ops.AllReduce()(x)
        shifted = x if first else ops.concat([x, a])[:4]
        b = ops.AllReduce("max")(ops.where(ms.Tensor([True] * 4), shifted, a))
        return (a, b) if first else (b * 0 + x, b)

    a, b = choices(x)
    same(a, summed if first else own(4))
    same(b, of(1, 4))


@check
def loops_and_recomputed_parts_that_differ():
    """Collectives in loops, branches and what the backward pass computes again, beside others."""
    first = world.rank == 0
    x = ms.Tensor(of(world.rank, 2, 2))
    summed = of(0, 2, 2) + of(1, 2, 2)

    class Summed(nn.Cell):
        def construct(self, t):
            return ops.tanh(ops.AllReduce()(t) * 0.01)

    part = Summed()
    part.recompute()

    def loss(t):
        return (part(t) * (part(t * 2) + 1)).sum() + ops.AllReduce("max")(t).sum() * 0

    @ms.jit
    def run(x):
        a = ops.AllReduce()(x * 3)
        gradient = ms.grad(loss)(x)
        total = x * 0
        for _ in ops.arange(3):
            total = total + ops.AllReduce()(x)
        b = ops.AllGather()(x)
        return (gradient, total, b + 0 * ops.matmul(b.T, b).sum(), a) if first else (gradient, total, b, a)

    gradient, total, b, a = run(x)
    same(a, summed * 3)
    same(total, summed * 3)
    same(b, np.concatenate([of(0, 2, 2), of(1, 2, 2)]))
    one, two = np.tanh(summed * 0.01), np.tanh(summed * 0.02)
    slope = (1 - one**2) * 0.01 * (two + 1) + one * (1 - two**2) * 0.02
    np.testing.assert_allclose(gradient.asnumpy(), 2 * slope, rtol=1e-5)


@check
def calls_that_follow_each_other():
    """None waits for the one before, nor needs what it gave; the first process is late with each, and a thread goes on."""

    @ms.jit
    def late(x, n):
        i, busy = ms.Tensor(0), ops.ones((100, 100))
        while i < n:
            busy, i = ops.tanh(ops.matmul(busy, busy)), i + 1
        return ops.AllReduce()(x), busy.sum()

    times = ms.Tensor(0 if world.rank else 50)
    late(ms.Tensor(own(4)), times)
    results = []

    def call(number):
        results.append(late(ms.Tensor(own(4)) + number, times)[0])
        results.append(ops.AllReduce()(ms.Tensor(own(4)) * number))

    for number in range(0, 20, 2):
        call(number)
        thread = threading.Thread(target=call, args=(number + 1,))
        thread.start()
        thread.join()
    for number in range(20):
        same(results[2 * number], of(0, 4) + of(1, 4) + 2 * number)
        same(results[2 * number + 1], (of(0, 4) + of(1, 4)) * number)


@check
def one_process_works_alone_between():
    if world.rank == 0:
        net, _ = net_and_optimizer()
        assert ms.jit(net)(ms.Tensor(data()[0])).shape == (16, 1)


def main():
    report, names = {}, sys.argv[2:]  # only these, if there are any
    for fn in [fn for fn in CHECKS if fn.__name__ in names or not names]:
        try:
            fn()
            report[fn.__name__] = "ok"
        except BaseException:  # noqa: BLE001 (whatever it is, the other process waits)
            report[fn.__name__] = traceback.format_exc()
            break
    with open(f"{sys.argv[1]}/{world.rank}.json", "w") as file:
        json.dump(report, file)
    if report[fn.__name__] != "ok":
        sys.exit(3)


if __name__ == "__main__":
    main()
