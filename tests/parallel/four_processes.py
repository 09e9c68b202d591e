"""Named checks that four processes run side by side, one device each: `test_four_processes.py` starts them once.

Programs in the manner of MindSpore's samples of operator, mint operator, optimizer, pipeline, high-dimension tensor and
shard-function parallel: each process has its part of the batch, and the losses are those of one device.
"""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import msjax as ms
from msjax import Layout, communication, interop, mint, nn, ops
from msjax.core.tensor.box import write_joint
from msjax.core.xla.collectives import world
from msjax.parallel.auto_parallel import AutoParallel

sys.path.insert(0, str(Path(__file__).parents[1] / "communication"))
import collective_table
import several

check, CHECKS = several.check, several.CHECKS
CHECKS.clear()
WIDTH, ROWS = 16, 8


def batches(part=True, count=3):
    rng = np.random.default_rng(0)
    own = (
        slice(world.rank * ROWS // world.size, (world.rank + 1) * ROWS // world.size) if part else slice(None)
    )
    drawn = [
        (rng.normal(size=(ROWS, WIDTH)).astype("f"), rng.integers(0, 4, ROWS).astype("i"))
        for _ in range(count)
    ]
    return [tuple(ms.Tensor(values[own]) for values in pair) for pair in drawn]


class Net(nn.Cell):
    """Three products, with operators as objects, that samples give strategies to."""

    def __init__(self, seed=1):
        super().__init__()
        rng = np.random.default_rng(seed)
        weight = lambda *shape: ms.Parameter(ms.Tensor(rng.normal(0, 0.3, shape).astype("f")))  # noqa: E731
        self.fc1, self.fc2, self.fc3 = weight(WIDTH, WIDTH), weight(WIDTH, WIDTH), weight(WIDTH, 4)
        self.matmul1, self.matmul2, self.matmul3 = ops.MatMul(), ops.MatMul(), ops.MatMul()
        self.relu1, self.relu2 = ops.ReLU(), ops.ReLU()

    def construct(self, x):
        x = self.relu1(self.matmul1(x, self.fc1))
        x = self.relu2(self.matmul2(x, self.fc2))
        return self.matmul3(x, self.fc3)


def plain(net):
    pass


def operators(net):
    net.matmul1.shard(((2, 2), (2, 1)))
    net.relu1.shard(((4, 1),))
    net.matmul2.shard(((1, 4), (4, 1)))


def mint_operators(net):
    layout, line = Layout((2, 2), ("dp", "mp")), Layout((4,), ("tp",))
    net.matmul1 = ms.parallel.shard(mint.matmul, in_strategy=(layout("dp", "mp"), layout("mp", "None")))
    net.relu1 = ms.parallel.shard(mint.nn.functional.relu, in_strategy=((4, 1),))
    net.matmul2 = ms.parallel.shard(mint.matmul, in_strategy=(line("None", "tp"), line("tp", "None")))


def high_dimensional(net):
    layout = Layout((2, 2), ("x", "y"))
    for product, a, b in ((net.matmul1, "x", "y"), (net.matmul2, "y", "x")):
        product.add_prim_attr("enable_nd_tp", True)
        product.shard(in_strategy=(layout("None", (a, b)), layout(a, b)))


def tensor_parallel(net):
    net.matmul1.shard(((1, 1), (1, 4)))
    net.relu1.shard(((1, 4),))
    net.matmul2.shard(((1, 4), (4, 1)), ((1, 1),))


def make_step(net, configure=lambda parallel: None, pipeline=0, parallel=True):
    loss, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-2)
    forward = (
        nn.PipelineCell(nn.WithLossCell(net, loss), pipeline) if pipeline else lambda x, y: loss(net(x), y)
    )
    gradients = ms.value_and_grad(forward, None, optimizer.parameters)

    def step(x, y):
        value, grads = gradients(x, y)
        optimizer(grads)
        return value

    if not parallel:
        return ms.jit(step), optimizer
    step = AutoParallel(step, parallel_mode="semi_auto")
    configure(step)
    return step, optimizer


def losses_of(step, part=True):
    return [float(step(x, y).asnumpy()) for x, y in batches(part)]


def train(shard, part=True, **how):
    net = Net()
    shard(net)
    step, optimizer = make_step(net, **how)
    return losses_of(step, part), net, optimizer, step


ALONE = {}


def alone(pipeline=0):
    """The losses of one device with the whole batch."""
    if pipeline not in ALONE:
        ALONE[pipeline] = train(plain, part=False, parallel=False, pipeline=pipeline)[0]
    return ALONE[pipeline]


def collectives(step, *args):
    text = interop.lower(step, *args).compile().as_text()
    return set(
        re.findall(
            r"\b(all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)(?:-start)?\(", text
        )
    )


def part_of(parameter):
    return parameter._joint.addressable_data(0).shape


close = np.testing.assert_allclose
FULL = lambda parallel: parallel.dataset_strategy("full_batch")  # noqa: E731


@check
def operator_parallel():
    communication.init()
    losses, net, optimizer, step = train(operators)
    close(losses, alone(), rtol=1e-5)
    assert part_of(net.fc1) == part_of(optimizer.moment1[0]) == (WIDTH // 2, WIDTH)
    assert part_of(net.fc2) == (WIDTH // 4, WIDTH)
    assert [
        entry.run.program._cache_size() for kept in step._compiled._entries.values() for entry in kept
    ] == [1]
    assert (net.fc1.shape, net.fc1.dtype) == ((WIDTH, WIDTH), ms.float32)
    assert net.fc1._joint is not None  # its shape is known without a gathering
    again = [p.asnumpy() for p in net.trainable_params()]
    trained = train(plain, part=False, parallel=False)[1]
    for found, wanted in zip(again, trained.trainable_params(), strict=True):
        close(found, wanted.asnumpy(), rtol=1e-4, atol=1e-6)
    # A value that was read goes back into the step, and eager code and programs of one process have it whole.
    rows = batches(part=False)[0][0]
    close(net(rows).asnumpy(), trained(rows).asnumpy(), rtol=1e-4, atol=1e-5)
    close(ms.jit(net)(rows).asnumpy(), trained(rows).asnumpy(), rtol=1e-4, atol=1e-5)


@check
def mint_operator_parallel():
    close(train(mint_operators)[0], alone(), rtol=1e-5)


@check
def high_dimension_tensor_parallel():
    close(train(high_dimensional, part=False, configure=FULL)[0], alone(), rtol=1e-5)


@check
def what_tensor_parallel_compiles_to():
    losses, _, _, step = train(tensor_parallel, part=False, configure=FULL)
    close(losses, alone(), rtol=1e-5)
    assert collectives(step, *batches(part=False)[0]) == {"all-reduce"}


@check
def optimizer_parallel():
    losses, net, optimizer, step = train(plain, configure=lambda parallel: parallel.hsdp(threshold=0))
    close(losses, alone(), rtol=1e-5)
    assert part_of(net.fc3) == part_of(optimizer.moment2[2]) == (WIDTH // 4, 4)
    assert collectives(step, *batches()[0]) == {"all-reduce", "all-gather"}


@check
def pipelines():
    losses, net, *_ = train(plain, configure=lambda parallel: parallel.pipeline(stages=2), pipeline=2)
    close(losses, alone(pipeline=2), rtol=1e-5)
    assert part_of(net.fc1) == (WIDTH // 2, WIDTH)


@check
def batches_in_strategies_and_layouts():
    """A process gives what it holds: with 2 x 2 parts of a batch, a half of the rows and a half of the columns."""
    x, y = batches(part=False)[0]
    row, column = divmod(world.rank, 2)
    part = x[row * ROWS // 2 :][: ROWS // 2, column * WIDTH // 2 :][:, : WIDTH // 2]
    label = y[row * ROWS // 2 :][: ROWS // 2]
    for strategy in (((2, 2), (2,)), (Layout((2, 2), ("a", "b"))("a", "b"), Layout((2, 2), ("a", "b"))("a"))):
        step, _ = make_step(
            Net(), configure=lambda parallel, strategy=strategy: parallel.dataset_strategy(strategy)
        )
        close(float(step(part, label).asnumpy()), alone()[0], rtol=1e-5)
    step, _ = make_step(Net(), configure=lambda parallel: parallel.dataset_strategy(((3, 1), (3,))))
    with pytest.raises(ValueError, match="3 parts, and there are 4 devices"):
        step(x, y)


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense1, self.dense2 = nn.Dense(WIDTH, 2 * WIDTH), nn.Dense(2 * WIDTH, WIDTH)

    def construct(self, x):
        return self.dense2(ops.gelu(self.dense1(x)))


@check
def shard_function_parallel_in_the_mode_of_all_programs():
    """Processes that draw other numbers start with those of the first; outputs are the rows of this process's batch."""
    ms.set_seed(1)
    wanted = Block()
    x = ms.Tensor(np.random.default_rng(0).normal(size=(ROWS, WIDTH)).astype("f"))
    expected = ms.jit(wanted)(x).asnumpy()
    ms.set_auto_parallel_context(
        parallel_mode="auto_parallel", search_mode="sharding_propagation", device_num=4
    )
    try:
        ms.set_seed(1 + world.rank)
        net = Block()
        sharded = net.shard(in_strategy=((4, 1),), parameter_plan={"self.dense2.weight": (4, 1)})
        run = ms.jit(lambda x: (sharded(x), sharded(x).sum()))
        rows = slice(world.rank * 2, world.rank * 2 + 2)
        out, total = run(x[rows])
        close(out.asnumpy(), expected[rows], rtol=1e-5, atol=1e-6)
        close(float(total.asnumpy()), expected.sum(), rtol=1e-4)
        close(net.dense1.weight.asnumpy(), wanted.dense1.weight.asnumpy())
        product = ms.jit(lambda x: ops.AllReduce()(x))
        with pytest.raises(NotImplementedError, match="the compiler spreads arrays"):
            product(x[rows])
        with pytest.raises(NotImplementedError, match="Compile the whole training step"):
            ms.grad(ms.jit(lambda x: net(x).sum()))(x[rows])
    finally:
        ms.reset_auto_parallel_context()
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=2)
    try:
        with pytest.raises(ValueError, match="programs of several processes have all of their 4 devices"):
            ms.jit(ops.sin)(x)
    finally:
        ms.reset_auto_parallel_context()


@check
def gradients_outside_of_a_compiled_step():
    """In graph mode `value_and_grad` alone is compiled, as in MindSpore; its gradients are no batch for the optimizer."""
    columns = slice(world.rank * WIDTH // 4, (world.rank + 1) * WIDTH // 4)
    alone()  # before the mode is that of all programs
    for strategy, part, cut in (
        ("data_parallel", True, slice(None)),
        ("full_batch", False, slice(None)),
        (((1, 4), (1,)), False, columns),
    ):
        ms.set_context(mode=ms.GRAPH_MODE)
        ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", dataset_strategy=strategy)
        net, loss = Net(), nn.CrossEntropyLoss()
        optimizer = nn.Adam(net.trainable_params(), 1e-2)
        forward = lambda x, y, net=net, loss=loss: loss(net(x), y)  # noqa: E731
        gradients = ms.value_and_grad(forward, None, optimizer.parameters)
        found = []
        try:
            for x, y in batches(part):
                value, grads = gradients(ms.Tensor(np.ascontiguousarray(x.asnumpy()[:, cut])), y)
                optimizer(grads)
                found.append(float(value.asnumpy()))
        finally:
            ms.reset_auto_parallel_context()
            ms.set_context(mode=ms.PYNATIVE_MODE)
        close(found, alone(), rtol=1e-5)


@check
def models_and_their_data():
    net, seen = Net(), []

    class Losses(ms.train.Callback):
        def on_train_step_end(self, run_context):
            seen.append(float(run_context.original_args().net_outputs.asnumpy()))

    operators(net)
    parallel = AutoParallel(nn.WithLossCell(net, nn.CrossEntropyLoss()))
    columns = tuple(np.concatenate([b[i].asnumpy() for b in batches()]) for i in range(2))
    data = ms.dataset.NumpySlicesDataset(columns, shuffle=False).batch(ROWS // world.size)
    model = ms.train.Model(parallel, optimizer=nn.Adam(net.trainable_params(), 1e-2))
    model.train(1, data, callbacks=[Losses()])
    close(seen, alone(), rtol=1e-5)


@check
def several_groups_in_one_program():
    """Rows and columns of a mesh of 2 x 2 processes, and all of them."""
    at = divmod(world.rank, 2)
    row, column = (2 * at[0], 2 * at[0] + 1), (at[1], at[1] + 2)
    for name, ranks in (("row", row), ("column", column)):
        communication.create_group(f"{name}_{ranks[0]}", [*ranks])
    row_name, column_name = f"row_{row[0]}", f"column_{column[0]}"
    of = lambda rank: np.arange(1.0, 5.0, dtype="f") * 10**rank  # noqa: E731
    x = ms.Tensor(of(world.rank))

    @ms.jit
    def run(x):
        summed = ops.AllReduce(group=row_name)(x)
        gathered = ops.AllGather(group=column_name)(summed)
        spread = ops.Broadcast(column[1], column_name)((x,))[0]
        return summed, gathered, spread, ops.AllReduce("max")(x), ops.ReduceScatter(group=row_name)(x)

    rows = [sum(of(rank) for rank in ranks) for ranks in ((0, 1), (2, 3))]
    summed, gathered, spread, greatest, part = (out.asnumpy() for out in run(x))
    close(summed, rows[world.rank // 2])
    close(gathered, np.concatenate(rows))
    close(spread, of(column[1]))
    close(greatest, of(3))
    close(part, rows[world.rank // 2][2 * (world.rank % 2) :][:2])
    # As tensor and data parallel on a mesh: activations are summed in rows, gradients in columns.
    square = lambda x: (ops.AllReduce(group=row_name)(x) ** 2).sum()  # noqa: E731
    gradient = ms.jit(lambda x: ops.AllReduce(group=column_name)(ms.grad(square)(x)))(x)
    close(gradient.asnumpy(), sum(4 * each for each in rows))
    swap = ms.jit(lambda x: ops.AllReduce(group=column_name)(ops.AlltoAll(2, 0, 0, row_name)(x)))
    half = 2 * (world.rank % 2)
    close(
        swap(x).asnumpy(),
        sum(np.concatenate([of(r)[half : half + 2] for r in ranks]) for ranks in ((0, 1), (2, 3))),
    )

    @ms.jit
    def different(x):
        first, second = (row_name, column_name) if world.rank else (column_name, row_name)
        return ops.AllReduce(group=first)(x) + ops.AllReduce(group=second)(x)

    with pytest.raises(RuntimeError, match="must have no process in common"):
        different(x)
    with pytest.raises(RuntimeError, match="the same collectives in the same order"):
        ms.jit(
            lambda x: ops.AllReduce(group=row_name)(
                ops.AllReduce("max" if world.rank else "sum", column_name)(x)
            )
        )(x)


@check
def each_collective():
    """Of all processes, and of two groups side by side in which a process has another number than in the world."""
    mint.distributed.init_process_group()
    half = [world.rank % 2, world.rank % 2 + 2]
    communication.create_group(f"half_{half[0]}", half)
    for group, ranks in (
        (communication.GlobalComm.WORLD_COMM_GROUP, [0, 1, 2, 3]),
        (f"half_{half[0]}", half),
    ):
        for rows in (collective_table.ROWS, collective_table.IN_PLACE):
            collective_table.check(rows, group, ranks, world.rank)


@check
def checkpoints():
    """All processes gather and save; a run goes on bit for bit, whether its values were read or not."""
    folder = sys.argv[1]
    net = Net()
    operators(net)
    step, optimizer = make_step(net)
    first = losses_of(step)
    ms.save_checkpoint(optimizer, f"{folder}/{world.rank}.ckpt")
    later = losses_of(step)
    untouched = Net()
    operators(untouched)
    other, _ = make_step(untouched)
    assert losses_of(other) == first
    assert losses_of(other) == later
    resumed = Net(seed=2)
    operators(resumed)
    step, optimizer = make_step(resumed)
    losses_of(step)
    ms.load_param_into_net(optimizer, ms.load_checkpoint(f"{folder}/{world.rank}.ckpt"))
    assert losses_of(step) == later
    assert part_of(resumed.fc1) == (WIDTH // 2, WIDTH)
    whole, optimizer = make_step(Net(seed=2), parallel=False)
    ms.load_param_into_net(optimizer, ms.load_checkpoint(f"{folder}/{(world.rank + 1) % 4}.ckpt"))
    close(losses_of(whole, part=False), later, rtol=1e-5)


@check
def checkpoints_in_parts():
    """Each process saves what it holds; a run goes on bit for bit from that, and others from the same cut otherwise."""
    folder = f"{sys.argv[1]}/parts"
    for kind in ("four", "read"):
        Path(folder, kind, f"rank_{world.rank}").mkdir(parents=True)
    net = Net()
    operators(net)
    step, optimizer = make_step(net, configure=lambda parallel: parallel.hsdp(threshold=0))
    step.save_param_strategy_file(f"{folder}/four.ckpt")
    losses_of(step)
    ms.save_checkpoint(optimizer, f"{folder}/four/rank_{world.rank}/net.ckpt", integrated_save=False)
    whole = {p.name: p.asnumpy() for p in optimizer.get_parameters()}
    # Whether somebody has read all of it or not.
    ms.save_checkpoint(optimizer, f"{folder}/read/rank_{world.rank}/net.ckpt", integrated_save=False)
    later = losses_of(step)
    layouts = ms.parallel.build_searched_strategy(f"{folder}/four.ckpt")
    for kind in ("four", "read"):
        saved = ms.load_checkpoint(f"{folder}/{kind}/rank_{world.rank}/net.ckpt")
        assert saved["fc2"].shape == (WIDTH // 4, WIDTH)
        for name, part in saved.items():
            cut = layouts[name].cuts.slices(world.rank, whole[name].shape)
            np.testing.assert_array_equal(part.asnumpy(), whole[name][cut])

    resumed = Net(seed=2)
    operators(resumed)
    again, optimizer = make_step(resumed)
    again.load_param_strategy_file(f"{folder}/four.ckpt")
    with pytest.raises(RuntimeError, match="must have been compiled before"):
        ms.load_param_into_net(optimizer, saved)
    again.compile(*batches()[0])
    assert part_of(resumed.fc1) == saved["fc1"].shape == (WIDTH // 4, WIDTH)
    assert ms.load_param_into_net(optimizer, saved) == ([], [])
    assert losses_of(again) == later

    if world.rank == 0:
        ms.transform_checkpoints(f"{folder}/four", f"{folder}/one", "net", f"{folder}/four.ckpt")
        found = ms.load_checkpoint(f"{folder}/one/rank_0/net0.ckpt")
        for name, value in whole.items():
            np.testing.assert_array_equal(found[name].asnumpy(), value)
        alone, optimizer = make_step(Net(seed=2), parallel=False)
        ms.load_param_into_net(optimizer, found)
        close(losses_of(alone, part=False), later, rtol=1e-5)


@check
def what_one_process_has_loaded():
    net = Net(seed=10 + world.rank)
    ms.parallel.parameter_broadcast(net, {"fc1": (), "fc3": ()}, world.rank, 1)
    for name, wanted in Net(seed=11).parameters_dict().items():
        if name != "fc2":
            np.testing.assert_array_equal(net.parameters_dict()[name].asnumpy(), wanted.asnumpy())
    np.testing.assert_array_equal(net.fc2.asnumpy(), Net(seed=10 + world.rank).fc2.asnumpy())
    with pytest.raises(ValueError, match=f"`cur_rank` must be {world.rank}"):
        ms.parallel.parameter_broadcast(net, {}, world.rank + 1)


@check
def models_tell_their_layouts():
    net = Net()
    tensor_parallel(net)
    parallel = AutoParallel(nn.WithLossCell(net, nn.CrossEntropyLoss()))
    optimizer = nn.Momentum(net.trainable_params(), 1e-2, 0.9)
    columns = tuple(np.concatenate([b[i].asnumpy() for b in batches()]) for i in range(2))
    data = ms.dataset.NumpySlicesDataset(columns, shuffle=False).batch(ROWS // world.size)
    before = net.fc1.asnumpy()
    layouts = ms.train.Model(parallel, optimizer=optimizer).infer_train_layout(data)
    assert layouts["fc1"] == [[4], [-1, 0], [WIDTH, WIDTH // 4], 0, True, "", [WIDTH, WIDTH]]
    assert layouts["moments.fc2"][:3] == [[4], [0, -1], [WIDTH // 4, WIDTH]]
    assert part_of(net.fc1) == (WIDTH, WIDTH // 4)
    np.testing.assert_array_equal(net.fc1.asnumpy(), before)
    with pytest.raises(RuntimeError, match="only supports semi auto parallel"):
        ms.train.Model(Net(), nn.CrossEntropyLoss(), optimizer).infer_train_layout(data)


@check
def who_reads_parts_alone_hears_of_it():
    """A process that reads what others do not raises instead of waiting: here they take the next step."""
    net = Net()
    tensor_parallel(net)
    step, optimizer = make_step(net, configure=FULL)
    x, y = batches(part=False)[0]
    step(x, y)
    meet = world.meet
    for reader in (0, 1):
        told = []

        def refused(*what, told=told):
            try:
                meet(*what)
            except RuntimeError as error:
                told.append(str(error))
                raise

        world.meet = refused
        if world.rank == reader:
            with pytest.raises(RuntimeError, match=r"Process \d called the compiled function `AutoParallel`"):
                net.fc1.asnumpy()
            assert "reading the value of fc1 (float32[16, 16])" in told[0]
            world.calls.count -= 1  # as if it had not begun to
            step(x, y)
        else:
            step(x, y)
        world.meet = meet
    read = net.fc1.asnumpy()  # by all
    assert read.shape == (WIDTH, WIDTH)
    step(x, y)
    assert optimizer.global_step.asnumpy() == [4]


@check
def who_writes_alone_hears_of_it():
    """New values of a Parameter in one process would be mixed with the old parts of others."""
    net = Net()
    tensor_parallel(net)
    step, optimizer = make_step(net, configure=FULL)
    x, y = batches(part=False)[0]
    step(x, y)
    part = ms.Parameter(ms.Tensor(np.zeros(part_of(net.fc1), "f")), name="fc1")
    rate = optimizer.learning_rate
    for writer, box in (
        (0, net.fc3),
        (3, net.fc3),
        (1, rate),
    ):  # whole on all of them; the step only reads the last
        if world.rank == writer:
            joint, value = box._joint, None if box._joint is not None else box.array
            with pytest.raises(
                RuntimeError, match="each process has other parts, so all of them must load theirs"
            ):
                ms.load_param_into_net(net, {"fc1": part})
            world.calls.count -= 1  # as if it had not begun to
            ms.load_param_into_net(optimizer, {box.name: ms.Parameter(ops.ones(box.shape))})
            with pytest.raises(
                RuntimeError, match=f"with new values of {box.name}: all processes must write"
            ):
                step(x, y)
            world.calls.count -= 1
            if value is None:
                write_joint(box, joint)
            else:
                box._value, box._agreed = value, box._version
        step(x, y)
    # Where all write, the values of the first process hold, as at the beginning.
    net.fc1.set_data(ms.Tensor(np.full((WIDTH, WIDTH), float(world.rank), "f")))
    rate.set_data(ms.Tensor(0.0))
    step(x, y)
    close(net.fc1.asnumpy(), np.zeros((WIDTH, WIDTH)))
    ms.load_param_into_net(net, {"fc1": ms.Parameter(part + 1.0)})
    step(x, y)
    close(net.fc1.asnumpy(), np.ones((WIDTH, WIDTH)))


# Of PyTorch 2.13 with gloo: losses of each process, norms of the gradients, and which rows a process has.
MESH_LOSSES = [
    [1.825920, 2.533439, 1.882589, 1.177890],
    [5.505785, 4.993495, 4.126687, 3.083627],
    [1.619086, 1.451033, 1.430030, 1.420183],
    [6.283290, 2.954244, 2.280363, 2.211119],
]  # fmt: skip
MESH_NORMS = [6.591351, 4.702614, 3.728338, 1.788142]
MESH_ROWS = [[(3, 6), (3,), (2, 5), (1, 3), (1,)], [(2, 6), (2,), (1, 5), (0, 3), (0,)]]


@check
def parts_of_parameters_on_a_mesh_of_pytorch():
    """Rows are shared along the second dimension, and the same along the first."""
    from msjax import torch
    from msjax.torch import distributed as dist
    from msjax.torch.distributed import fsdp

    dist.init_process_group("gloo")
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
    row, column = divmod(world.rank, 2)
    assert mesh.get_coordinate() == (row, column) == (mesh.get_local_rank(0), mesh.get_local_rank("shard"))
    assert mesh.get_group("replicate").ranks() == [column, column + 2]
    assert mesh["shard"].mesh.tolist() == [2 * row, 2 * row + 1]
    assert mesh["shard", "replicate"].mesh.tolist() == [[0, 2], [1, 3]]
    assert repr(mesh) == "DeviceMesh((replicate=2, shard=2), 'cpu')"
    draw = np.random.RandomState(0)
    x, y = (
        torch.tensor(draw.randn(*shape).astype("f")[4 * world.rank :][:4]) for shape in ((16, 6), (16, 1))
    )
    inner, outer = several.sharded_net(torch), several.sharded_net(torch)
    fsdp.fully_shard(inner[0], mesh=mesh)
    nets = (
        fsdp.fully_shard(inner, mesh=mesh),
        fsdp.FSDP(outer, sharding_strategy=fsdp.ShardingStrategy.HYBRID_SHARD, device_mesh=mesh),
    )
    for net in nets:
        optimizer = torch.optim.AdamW(net.parameters(), lr=0.05)
        losses, norms = [], []
        for _ in range(4):
            optimizer.zero_grad()
            loss = ((net(x) - y) ** 2).mean()
            loss.backward()
            norms.append(torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0).item())
            optimizer.step()
            losses.append(loss.item())
        close(losses, MESH_LOSSES[world.rank], rtol=1e-5)
        close(norms, MESH_NORMS, rtol=1e-5)
        assert [tuple(p.to_local().shape) for p in net.parameters()] == MESH_ROWS[column]
    with pytest.raises(KeyError, match="Invalid mesh_dim_name 'x'"):
        mesh["x"]
    with pytest.raises(RuntimeError, match="must make up 4 processes"):
        dist.init_device_mesh("cpu", (3,))
    dist.destroy_process_group()


@check
def layers_and_parameters_in_parts_of_pytorch():
    """Layers in columns of a mesh, Parameters in its rows; the backward pass, compiled at last, has both groups."""
    from msjax import torch
    from msjax.torch import distributed as dist
    from msjax.torch.distributed import fsdp
    from msjax.torch.distributed import tensor_parallel as tp
    from msjax.torch.distributed.placements import Replicate

    dist.init_process_group("gloo")
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "model"))

    def losses(net, ids):
        optimizer, found = torch.optim.SGD(net.parameters(), 0.1), []
        for _ in range(6):
            optimizer.zero_grad()
            loss = (net(ids) ** 2).mean()
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        return found

    def net():
        torch.manual_seed(5)
        layers = torch.nn.Embedding(8, 4), torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 4)
        return torch.nn.Sequential(*layers, torch.nn.Linear(4, 8))

    ids = torch.tensor([[0, 1, 2, 3], [7, 6, 5, 4]])
    expected = losses(net(), ids)
    plan = {
        "1": tp.ColwiseParallel(),
        "3": tp.RowwiseParallel(),
        "4": tp.ColwiseParallel(output_layouts=Replicate()),
    }
    divided = fsdp.fully_shard(tp.parallelize_module(net(), mesh["model"], plan), mesh=mesh["data"])
    row = mesh.get_local_rank("data")
    found = torch.tensor(losses(divided, ids[row : row + 1]))
    dist.all_reduce(found, group=mesh.get_group("data"))
    close(found.numpy() / 2, expected, rtol=1e-5)
    dist.destroy_process_group()


@check
def tensors_on_a_mesh_of_pytorch():
    """Parts are those of PyTorch 2.13 (torch.chunk, later dimensions of the mesh cut what earlier ones left)."""
    from msjax import torch
    from msjax.torch import distributed as dist
    from msjax.torch.distributed.dtensor import DTensor, distribute_tensor
    from msjax.torch.distributed.placements import Partial, Replicate, Shard

    dist.init_process_group("gloo")
    mesh = dist.init_device_mesh("cpu", (2, 2))
    row, column = divmod(world.rank, 2)
    values = np.arange(35.0, dtype="f").reshape(7, 5)
    given = torch.tensor(values + 100 * world.rank)  # the first process's count
    parts = [
        ([Shard(0), Shard(1)], values[4 * row :][:4, 3 * column :][:, :3]),
        ([Shard(0), Shard(0)], values[4 * row :][:4][2 * column :][:2]),
        ([Shard(1), Replicate()], values[:, 3 * row :][:, :3]),
        ([Replicate(), Shard(-2)], values[4 * column :][:4]),
        ([Replicate(), Replicate()], values),
    ]
    for placements, part in parts:
        made = distribute_tensor(given, mesh, placements)
        assert (tuple(made.shape), made.ndim, made.size(0), made.numel()) == ((7, 5), 2, 7, 35)
        np.testing.assert_array_equal(made.to_local().numpy(), part)
        np.testing.assert_array_equal(made.full_tensor().numpy(), values)
    for placements, part in parts:
        np.testing.assert_array_equal(made.redistribute(placements=placements).to_local().numpy(), part)
    terms = DTensor.from_local(torch.ones(3, 2) * (world.rank + 1), mesh, [Partial(), Shard(1)])
    np.testing.assert_array_equal(terms.full_tensor().numpy(), [[4, 4, 6, 6]] * 3)
    kept = terms.redistribute(placements=[Partial(), Replicate()])
    np.testing.assert_array_equal(kept.to_local().numpy(), np.array([[1, 1, 2, 2]] * 3) + 2 * row)
    most = DTensor.from_local(torch.ones(2) * world.rank, mesh, [Partial("max"), Partial("max")])
    np.testing.assert_array_equal(most.full_tensor().numpy(), [3, 3])
    for call, error, text in (
        (lambda: distribute_tensor(given, mesh, [Shard(0)]), ValueError, "must be 2, one for each dimension"),
        (lambda: distribute_tensor(given, mesh, [Shard(2), Shard(0)]), ValueError, "no dimension 2 of 2"),
        (
            lambda: distribute_tensor(given, mesh, [Partial(), Shard(0)]),
            RuntimeError,
            "must be Shard or Replicate",
        ),
        (
            lambda: made.redistribute(placements=[Partial(), Replicate()]),
            ValueError,
            "does not become Partial",
        ),
        (
            lambda: DTensor.from_local(given, mesh, [Shard(0), Shard(0)], shape=(9, 5)),
            ValueError,
            "this process has",
        ),
        (lambda: made.sum(), NotImplementedError, "`DTensor.sum` is not there"),
    ):
        with pytest.raises(error, match=re.escape(text)):
            call()
    dist.destroy_process_group()


@check
def an_inner_network_is_not_overlooked():
    net = AutoParallel(Net())
    inputs = batches()[0][0]
    with pytest.raises(NotImplementedError, match="must be what is called"):
        ms.jit(lambda x: net(x))(inputs)
    rows = net(inputs)
    close(rows.asnumpy(), Net()(inputs).asnumpy(), rtol=1e-5, atol=1e-6)


if __name__ == "__main__":
    several.main()
