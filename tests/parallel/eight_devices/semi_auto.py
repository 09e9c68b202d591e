"""Semi-automatic parallel programs in the manner of MindSpore's samples: losses of one device, expected collectives."""

import copy
import pickle
import re

import jax
import numpy as np
import pytest

import msjax as ms
from msjax import Layout, interop, mint, nn, ops
from msjax.parallel.auto_parallel import AutoParallel

WIDTH = 64


@pytest.fixture(autouse=True)
def alone():
    yield
    ms.reset_auto_parallel_context()


def _weight(rng, *shape):
    return ms.Parameter(ms.Tensor(rng.normal(0, 0.1, shape).astype("f")))


class Net(nn.Cell):
    """Three products, with operators as objects, that samples give strategies to."""

    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(1)
        self.fc1_weight, self.fc2_weight = _weight(rng, WIDTH, WIDTH), _weight(rng, WIDTH, WIDTH)
        self.fc3_weight = _weight(rng, WIDTH, 10)
        self.matmul1, self.matmul2, self.matmul3 = ops.MatMul(), ops.MatMul(), ops.MatMul()
        self.relu1, self.relu2 = ops.ReLU(), ops.ReLU()

    def construct(self, x):
        x = self.relu1(self.matmul1(x, self.fc1_weight))
        x = self.relu2(self.matmul2(x, self.fc2_weight))
        return self.matmul3(x, self.fc3_weight)


def _plain(net):
    pass


def _operators(net):
    net.matmul1.shard(((2, 4), (4, 1)))
    net.relu1.shard(((4, 1),))
    net.matmul2.shard(((1, 8), (8, 1)))
    net.relu2.shard(((8, 1),))


def _layouts(net):
    layout, line = Layout((2, 2, 2), ("dp", "sp", "mp")), Layout((8,), ("tp",))
    net.matmul1.shard((layout("mp", ("sp", "dp")), layout(("sp", "dp"), "None")))
    net.relu1.shard(((4, 1),))
    net.matmul2.shard((line("None", "tp"), line("tp", "None")))
    net.relu2.shard(((8, 1),))


def _functions(net):
    layout, line = Layout((2, 2, 2), ("dp", "sp", "mp")), Layout((8,), ("tp",))
    net.matmul1 = ms.parallel.shard(
        mint.matmul, in_strategy=(layout("mp", ("sp", "dp")), layout(("sp", "dp"), "None"))
    )
    net.relu1 = ms.parallel.shard(mint.nn.functional.relu, in_strategy=((4, 1),))
    net.matmul2 = ms.parallel.shard(mint.matmul, in_strategy=(line("None", "tp"), line("tp", "None")))
    net.relu2 = ms.parallel.shard(mint.nn.functional.relu, in_strategy=((8, 1),))


def _two_dimensional(net):
    layout = Layout((2, 4), ("x", "y"))
    for product, a, b in ((net.matmul1, "x", "y"), (net.matmul2, "y", "x")):
        product.add_prim_attr("enable_nd_tp", True)
        product.shard(in_strategy=(layout("None", (a, b)), layout(a, b)))
    net.relu1.shard(in_strategy=(layout("None", ("y", "x")),))


def _data_parallel(net):
    net.matmul1.shard(((8, 1), (1, 1)))
    net.matmul2.shard(((8, 1), (1, 1)))


def _tensor_parallel(net):
    net.matmul1.shard(((1, 1), (1, 8)))
    net.relu1.shard(((1, 8),))
    net.matmul2.shard(((1, 8), (8, 1)), ((1, 1),))


def _step(net, how="AutoParallel", configure=lambda parallel: None, pipeline=0):
    loss = nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), 1e-2)
    forward = (
        nn.PipelineCell(nn.WithLossCell(net, loss), pipeline) if pipeline else lambda x, y: loss(net(x), y)
    )
    gradients = ms.value_and_grad(forward, None, optimizer.parameters)

    def step(x, y):
        value, grads = gradients(x, y)
        optimizer(grads)
        return value

    if how == "AutoParallel":
        step = AutoParallel(step, parallel_mode="semi_auto")
        configure(step)
        return step, optimizer
    return (ms.jit(step) if how == "jit" else step), optimizer


def _batches(count=3):
    rng = np.random.default_rng(0)
    return [
        (ms.Tensor(rng.normal(size=(32, WIDTH)).astype("f")), ms.Tensor(rng.integers(0, 10, 32).astype("i")))
        for _ in range(count)
    ]


def _train(shard, **how):
    net = Net()
    shard(net)
    step, optimizer = _step(net, **how)
    losses = [float(step(x, y).asnumpy()) for x, y in _batches()]
    return losses, net, optimizer, step


@pytest.fixture(scope="module")
def expected():
    return _train(_plain, how="jit")[0]


def _collectives(step, *args):
    text = interop.lower(step, *(args or _batches(1)[0])).compile().as_text()
    return set(re.findall(COLLECTIVES, text))


COLLECTIVES = r"\b(all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)(?:-start)?\("
REDUCE, GATHER = "all-reduce", "all-gather"
STRATEGIES = [_plain, _operators, _layouts, _functions, _two_dimensional, _data_parallel, _tensor_parallel]


@pytest.mark.parametrize("shard", STRATEGIES)
def test_losses_are_those_of_one_device(shard, expected):
    losses, net, _, step = _train(shard)
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    assert len(net.fc1_weight._value.sharding.device_set) == 8
    assert [entry.run._cache_size() for kept in step._compiled._entries.values() for entry in kept] == [1]


@pytest.mark.parametrize("mode", ["semi_auto_parallel", "auto_parallel"])
@pytest.mark.parametrize("how", ["jit", "eager"])
def test_the_mode_of_all_programs(mode, how, expected):
    ms.set_auto_parallel_context(parallel_mode=mode, device_num=8)
    losses, net, *_ = _train(_operators, how=how)
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    assert len(net.fc1_weight._value.sharding.device_set) == 8


def test_where_parameters_and_their_moments_lie():
    _, net, optimizer, _ = _train(_tensor_parallel)
    shapes = lambda p: p._value.addressable_shards[0].data.shape  # noqa: E731
    assert shapes(net.fc1_weight) == shapes(optimizer.moment1[0]) == (WIDTH, WIDTH // 8)
    assert shapes(net.fc2_weight) == shapes(optimizer.moment2[1]) == (WIDTH // 8, WIDTH)
    assert shapes(net.fc3_weight) == (WIDTH, 10)


def _rows(net):
    """Each product is cut along its inner axis: the parts of its result are summed."""
    net.matmul1.shard(((1, 8), (8, 1)), ((1, 1),))
    net.matmul2.shard(((1, 8), (8, 1)), ((1, 1),))


def _columns(net):
    """Each product is cut along the columns of its weight: what it gives is gathered for the next."""
    net.matmul1.shard(((1, 1), (1, 8)), ((1, 1),))
    net.matmul2.shard(((1, 1), (1, 8)), ((1, 1),))


def _sequence(net):
    """Columns, then rows; after them each device has some rows (tokens) of the activations."""
    net.matmul1.shard(((1, 1), (1, 8)))
    net.relu1.shard(((1, 8),))
    net.matmul2.shard(((1, 8), (8, 1)))
    net.relu2.shard(((8, 1),))


def _full(parallel):
    parallel.dataset_strategy("full_batch")


def _stages(parallel):
    parallel.pipeline(stages=2)
    _full(parallel)


@pytest.mark.parametrize(
    ("shard", "configure", "pipeline", "wanted"),
    [
        (_plain, lambda p: None, 0, {REDUCE}),
        (_data_parallel, lambda p: None, 0, {REDUCE}),
        (_rows, _full, 0, {REDUCE, GATHER}),  # gathered: gradients of their inputs
        (_columns, _full, 0, {GATHER, REDUCE}),  # summed: gradients of their inputs
        (_tensor_parallel, _full, 0, {REDUCE}),
        (_sequence, _full, 0, {REDUCE, GATHER}),
        (_plain, lambda p: p.hsdp(threshold=0), 0, {REDUCE, GATHER}),
        (_plain, lambda p: p.hsdp(shard_size=2, threshold=0), 0, {REDUCE, GATHER}),
        (_plain, _full, 0, set()),
        (
            _plain,
            _stages,
            4,
            {GATHER, "collective-permute"},
        ),  # weights and gradients in parts, of each micro-batch
    ],
    ids=[
        "plain",
        "data",
        "rows",
        "columns",
        "tensor",
        "sequence",
        "optimizer",
        "optimizer of 2",
        "full batch",
        "pipeline",
    ],
)
def test_what_a_strategy_compiles_to(shard, configure, pipeline, wanted):
    net = Net()
    shard(net)
    assert _collectives(_step(net, configure=configure, pipeline=pipeline)[0]) == wanted


MOVE = {"all-to-all", "collective-permute"}  # from rows to columns


@pytest.mark.parametrize(
    ("shard", "wanted"),
    [
        (_operators, {REDUCE} | MOVE),  # sums of two products, and their operands in other parts
        (_layouts, {REDUCE, GATHER} | MOVE),
        (_functions, {REDUCE, GATHER} | MOVE),
        (_two_dimensional, {REDUCE, GATHER, "all-to-all"}),
    ],
    ids=["operators", "layouts", "mint", "high dimension"],
)
def test_what_the_strategies_of_samples_compile_to(shard, wanted):
    net = Net()
    shard(net)
    forward = AutoParallel(net, parallel_mode="semi_auto")
    _full(forward)
    assert _collectives(forward, _batches(1)[0][0]) == wanted


def test_what_accumulated_gradients_compile_to():
    """Weights are gathered and gradients summed once; rows of the batch move, since each part lies on all devices."""
    net = Net()
    cell = nn.GradAccumulationCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), 4)
    step = nn.TrainOneStepCell(cell, nn.Adam(net.trainable_params(), 1e-2))
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel",
        enable_parallel_optimizer=True,
        parallel_optimizer_config={"parallel_optimizer_threshold": 0},
    )
    text = interop.lower(step, *_batches(1)[0]).compile().as_text()
    found = re.findall(COLLECTIVES, text)
    assert set(found) == {REDUCE, GATHER, "collective-permute"}
    assert found.count(GATHER) == 3


def test_what_experts_and_a_shard_function_compile_to():
    assert _collectives(_step(Experts((8, 1, 1)), configure=_full)[0]) == {REDUCE, GATHER}
    ms.set_auto_parallel_context(parallel_mode="auto_parallel", dataset_strategy="full_batch")
    assert _collectives(ms.jit(Blocks(shards=True)), ops.ones((8, 16))) == {REDUCE}


@pytest.mark.parametrize(
    ("strategy", "wanted"),
    [
        (((8, 1), (1, 1)), set()),
        (((1, 8), (8, 1)), {REDUCE}),
        (((2, 4), (4, 1)), {REDUCE}),
        (((2, 1), (1, 4)), set()),
        (((1, 1), (1, 8)), set()),
    ],
)
def test_what_a_product_compiles_to(strategy, wanted):
    product = ops.MatMul().shard(strategy)
    x, weight = ops.ones((16, 32)), ms.Parameter(ops.ones((32, 24)))
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", dataset_strategy=strategy[:1])
    apply = ms.jit(lambda x: product(x, weight))
    assert _collectives(apply, x) == wanted
    np.testing.assert_allclose(apply(x).asnumpy(), np.full((16, 24), 32.0))


@pytest.mark.parametrize(
    "configure",
    [
        lambda p: p.hsdp(threshold=0),
        lambda p: p.hsdp(shard_size=2, threshold=0),
        lambda p: p.dataset_strategy("full_batch"),
        lambda p: p.dataset_strategy(((2, 4), (8,))),
        lambda p: p.dataset_strategy((Layout((2, 4), ("a", "b"))("b", "a"), Layout((8,), ("a",))("a"))),
    ],
    ids=["hsdp", "hsdp of 2", "full batch", "numbers", "layouts"],
)
def test_settings_change_no_loss(configure, expected):
    np.testing.assert_allclose(_train(_operators, configure=configure)[0], expected, rtol=1e-5)


def test_the_optimizer_in_parts(expected):
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel",
        enable_parallel_optimizer=True,
        parallel_optimizer_config={"parallel_optimizer_threshold": 1},
    )
    losses, net, optimizer, _ = _train(_plain, how="jit")
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    parts = [
        p._value.addressable_shards[0].data.shape
        for p in (net.fc1_weight, optimizer.moment1[0], net.fc3_weight)
    ]
    assert parts == [(8, WIDTH), (8, WIDTH), (8, 10)]


def test_pipelines_run_in_turn(expected):
    parallel = lambda p: p.pipeline(stages=2)  # noqa: E731
    losses, net, optimizer, _ = _train(_plain, configure=parallel, pipeline=4)
    sums = _train(_plain, how="jit", pipeline=4)[0]
    np.testing.assert_allclose(losses, sums, rtol=1e-5)
    np.testing.assert_allclose(losses[0], 4 * expected[0], rtol=1e-5)
    # A stage's devices hold a half of everything, as they would hold the Parameters of a half of the layers.
    for p in (net.fc1_weight, optimizer.moment1[0]):
        assert p._value.addressable_shards[0].data.shape == (WIDTH // 2, WIDTH)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", pipeline_stages=2)
    np.testing.assert_allclose(_train(_plain, how="jit", pipeline=4)[0], sums, rtol=1e-5)


def test_a_model_of_a_parallel_network(expected):
    net, seen = Net(), []

    class Losses(ms.train.Callback):
        def on_train_step_end(self, run_context):
            seen.append(float(run_context.original_args().net_outputs.asnumpy()))

    _operators(net)
    optimizer = nn.Adam(net.trainable_params(), 1e-2)
    parallel = AutoParallel(nn.WithLossCell(net, nn.CrossEntropyLoss()))
    parallel.hsdp(threshold=0)
    data = ms.dataset.NumpySlicesDataset(
        tuple(np.concatenate([b[i].asnumpy() for b in _batches()]) for i in range(2)), shuffle=False
    ).batch(32)
    ms.train.Model(parallel, optimizer=optimizer).train(1, data, callbacks=[Losses()])
    np.testing.assert_allclose(seen, expected, rtol=1e-5)
    assert len(net.fc1_weight._value.sharding.device_set) == 8


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense1, self.gelu, self.dense2 = nn.Dense(16, 32), nn.GELU(), nn.Dense(32, 16)

    def construct(self, x):
        return self.dense2(self.gelu(self.dense1(x)))


class Blocks(nn.Cell):
    def __init__(self, shards):
        super().__init__()
        self.block1, self.block2 = Block(), Block()
        plan = {"self.block1.dense2.weight": (8, 1)}
        self.shards = self.block1.shard(in_strategy=((1, 8),), parameter_plan=plan) if shards else None

    def construct(self, x):
        return self.block2((self.shards or self.block1)(x)).sum()


def test_a_cell_with_a_plan_of_its_parameters():
    x = ms.Tensor(np.random.default_rng(0).normal(size=(8, 16)).astype("f"))
    ms.set_seed(1)
    net = Blocks(shards=False)
    wanted = ms.jit(ms.value_and_grad(net, None, net.trainable_params()))(x)
    ms.set_auto_parallel_context(
        parallel_mode="auto_parallel", search_mode="sharding_propagation", device_num=8
    )
    for compile_it in (ms.jit, lambda fn: fn):
        ms.set_seed(1)
        net = Blocks(shards=True)
        found = compile_it(ms.value_and_grad(net, None, net.trainable_params()))(x)
        np.testing.assert_allclose(found[0].asnumpy(), wanted[0].asnumpy(), rtol=1e-5)
        for a, b in zip(found[1], wanted[1], strict=True):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-4, atol=1e-5)
    ms.jit(net)(x)
    assert net.block1.dense2.weight._value.addressable_shards[0].data.shape == (2, 32)
    with pytest.warns(UserWarning, match="no Parameter has the name 'nothing'"):
        net.block1.shard(((1, 8),), parameter_plan={"nothing": (1,)})
    with pytest.raises(
        ValueError, match=r"\(3, 1\) does not fit the shape \(16, 32\) of Parameter 'block1.dense2.weight'"
    ):
        net.block1.shard(((1, 8),), parameter_plan={"block1.dense2.weight": (3, 1)})


X, Y = np.ones((16, 24), "f"), np.ones((24, 8), "f")
IMAGES, KERNEL = np.ones((8, 4, 4, 4), "f"), np.ones((8, 4, 2, 2), "f")
GRID = Layout((2, 4), ("a", "b"))
WRONG = [
    (ops.Conv2D(8, 2), ((1, 4, 1, 1), (1, 2, 1, 1)), (IMAGES, KERNEL), "`Conv2D`.*axes that belong together"),
    (ops.Select(), ((2, 1), (4, 1), (4, 1)), (X > 0, X, X), "`Select`.*axes that belong together"),
    (ops.SquaredDifference(), ((2, 1), (4, 1)), (X, X), "`SquaredDifference`.*axes that belong together"),
    (ops.LayerNorm(), ((1, 2), (4,), (2,)), (X, X[0], X[0]), "`LayerNorm`.*axes that belong together"),
    (
        ops.MatMul(),
        ((3, 1), (1, 1)),
        (X, Y),
        r"`MatMul`: strategy \(3, 1\) does not fit the shape \(16, 24\): .* 16 .* 3 ",
    ),
    (ops.MatMul(), ((2,), (1, 1)), (X, Y), r"`MatMul`: strategy \(2,\) .*\(16, 24\): it must have 2 numbers"),
    (ops.MatMul(), ((2, 4), (2, 1)), (X, Y), "`MatMul`.*axes that belong together"),
    (ops.MatMul(), ((2, 8), (8, 1)), (X, Y), "`MatMul`.*16 parts, and there are 8 devices"),
    (ops.MatMul(), ((1, 3), (3, 1)), (X, Y), "`MatMul`.*3 parts, and there are 8 devices"),
    (ops.MatMul(), ((0, 1), (1, 1)), (X, Y), "`MatMul`.*positive"),
    (ops.MatMul(), ((1, 1),), (X, Y), "`MatMul`.*each of the 2 inputs"),
    (ops.Add(), ((2, 1), (4, 1)), (X, X), "`Add`.*axes that belong together"),
    (ops.Add(), (GRID("a", "b"), GRID("b", "a")), (X, X), "`Add`.*must be cut alike"),
    (ops.MatMul(), (GRID("a", "b"), GRID("a", "None")), (X, Y), "`MatMul`.*must be cut alike"),
    (ops.ReLU(), (Layout((16,), ("a",))("a", "None"),), (X,), "`ReLU`.*16 parts|`ReLU`.*grid must divide"),
    (ops.ReLU(), (Layout((8,), ("a",))("None", "a", "None"),), (X,), "`ReLU`.*it must have 2 numbers"),
]


@pytest.mark.parametrize(("primitive", "strategy", "args", "message"), WRONG)
def test_strategies_that_do_not_fit(primitive, strategy, args, message):
    primitive = copy.deepcopy(primitive).shard(strategy)
    args = [ms.Tensor(a) for a in args]
    primitive(*args)  # without the mode it says nothing, as in MindSpore
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    for call in (primitive, ms.jit(primitive)):
        with pytest.raises(RuntimeError, match=message) as raised:
            call(*args)
        assert isinstance(raised.value, ValueError)  # which msjax raised before


def test_settings_that_do_not_fit():
    x = ms.Tensor(X)
    for settings, message in (
        ({"device_num": 16}, "16 devices were asked for, and there are 8"),
        ({"pipeline_stages": 3}, "3 stages must divide the 8 devices"),
        ({"dataset_strategy": ((1, 1), (1, 1))}, "dataset_strategy.*each of the 1 inputs"),
        ({"dataset_strategy": ((5, 1),)}, "dataset_strategy.*16 cannot be cut into 5"),
    ):
        ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", **settings)
        with pytest.raises(ValueError, match=message):
            ms.jit(ops.sin)(x)
        ms.reset_auto_parallel_context()
    with pytest.raises(NotImplementedError, match="hybrid"):
        ms.set_auto_parallel_context(parallel_mode="hybrid_parallel")


@pytest.mark.parametrize(
    ("make", "args", "strategy"),
    [
        (ops.Add, ((16, 24), (24,)), ((4, 2), (2,))),
        (ops.Mul, ((16, 24), (16, 1)), ((4, 2), (4, 1))),
        (ops.BiasAdd, ((16, 24), (24,)), ((2, 4), (4,))),
        (ops.BatchMatMul, ((4, 16, 24), (4, 24, 8)), ((2, 2, 2), (2, 2, 1))),
        (lambda: ops.BatchMatMul(transpose_b=True), ((4, 16, 24), (4, 8, 24)), ((2, 2, 2), (2, 1, 2))),
        (lambda: ops.MatMul(transpose_a=True), ((24, 16), (24, 8)), ((4, 2), (4, 1))),
        (ops.Softmax, ((16, 24),), ((8, 1),)),
        (lambda: ops.LayerNorm(begin_norm_axis=1), ((16, 24), (24,), (24,)), ((8, 1), (1,), (1,))),
        (ops.Sub, ((16, 24),), ((8, 1), ())),
        (lambda: ops.BatchNorm(is_training=True), ((8, 4, 2), *((4,),) * 4), ((4, 2, 1), *((2,),) * 4)),
        (ops.PReLU, ((4, 16, 8), (16,)), ((2, 4, 1), (4,))),
        (ops.Gather, ((16, 8), [[3, 1], [0, 2]], 0), ((4, 1), (2, 1))),
        (ops.UnsortedSegmentSum, ((8, 24), [0, 2, 1, 1, 3, 0, 2, 2], 4), ((4, 2), (4,))),
        (ops.ScatterUpdate, (None, [0, 2], (2, 24)), ((1, 8), (1,), (1, 8))),
        (ops.OneHot, ([1, 0, 2, 1], 8, 2.0, 1.0), ((2, 4), (), ())),
        (ops.Tile, ((4, 8), (2, 1, 3)), ((1, 4, 2),)),
        (ops.Range, (0.0, 16.0, 1.0), ((8,),)),
        (ops.SoftmaxCrossEntropyWithLogits, ((16, 8), (16, 8)), ((8, 1), (8, 1))),
    ],
)
def test_operators(make, args, strategy):
    rng = np.random.default_rng(0)

    def tensor(i, given):
        if given is None:
            return ms.Parameter(ms.Tensor(np.zeros((4, 24), "f")))
        if isinstance(given, float):
            return ms.Tensor(given)
        if isinstance(given, list):
            return ms.Tensor(given, ms.int32)
        floats = isinstance(given, tuple) and not (make is ops.Tile and i)
        return ms.Tensor(rng.normal(size=given).astype("f")) if floats else given

    given = [tensor(i, one) for i, one in enumerate(args)]
    if make is ops.Sub:
        given.append(2.0)
    wanted, primitive = make()(*given), make().shard(strategy)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", dataset_strategy="full_batch")
    for call in (
        primitive,
        ms.jit(primitive),
        pickle.loads(pickle.dumps(primitive)),
        copy.deepcopy(primitive),
    ):
        found = call(*given)
        for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (found, wanted)), strict=True):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-6)
            assert len(a._value.sharding.device_set) == 8


CONVOLUTIONS = [
    # stride, padding, group, strategies of the convolution, and of what reads its result
    (2, "same", 1, ((1, 2, 1, 2), (2, 2, 1, 1)), ((8, 1, 1, 1),)),  # wrong values of XLA's
    (1, "same", 1, ((1, 2, 2, 1), (2, 2, 1, 1)), ((2, 1, 4, 1),)),
    (1, "valid", 1, ((2, 1, 1, 2), (1, 1, 1, 1)), ((2, 1, 2, 1),)),  # wrong gradients by the kernel
    (1, "same", 2, ((2, 1, 2, 2), (1, 1, 1, 1)), ((8, 1, 1, 1),)),
    (1, "same", 1, None, ((2, 1, 2, 2),)),  # cut by its neighbour alone
]


@pytest.mark.parametrize(("stride", "padding", "group", "strategy", "after"), CONVOLUTIONS)
def test_convolutions_of_images_in_parts(stride, padding, group, strategy, after):
    rng = np.random.default_rng(0)
    x, w = (ms.Tensor(rng.normal(size=n).astype("f")) for n in ((8, 8, 8, 8), (8, 8 // group, 3, 3)))
    convolution = ops.Conv2D(8, 3, pad_mode=padding, stride=stride, group=group)
    before, sine = ops.ReLU(), ops.Sin()
    weight = ms.Parameter(w)
    gradients = ms.value_and_grad(lambda x: sine(convolution(before(x), weight)).sum(), 0, [weight])
    wanted = [np.asarray(v) for v in jax.tree.leaves(gradients(x))]
    if strategy:
        convolution.shard(strategy)
    before.shard(((2, 1, 2, 2),))
    sine.shard(after)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", dataset_strategy="full_batch")
    for call in (ms.jit(gradients), gradients):
        found = [np.asarray(v) for v in jax.tree.leaves(call(x))]
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-3)


def test_interleaved_parts_of_one_device():
    grid = Layout((2, 4, 2), ("data", "model", "interleaved_parallel"))  # 16 parts on 8 devices
    x, y = ms.Tensor(X), ms.Tensor(Y)
    product = ops.MatMul().shard((grid(("data", "interleaved_parallel"), "model"), grid("model", "None")))
    wanted = product(x, y).asnumpy()
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    out = ms.jit(product)(x, y)
    np.testing.assert_allclose(out.asnumpy(), wanted)
    assert len(out._value.sharding.device_set) == 8


def test_a_change_of_layout():
    x = ms.Tensor(X)
    layout = Layout((2, 4), ("a", "b"))
    assert ms.reshard(x, layout("a", "b")) is x
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    for fn in (ms.reshard, ms.jit(lambda x, at: ms.reshard(x, at))):
        out = fn(x, layout("b", "a"))
        assert out._value.addressable_shards[0].data.shape == (4, 12)
    with pytest.raises(ValueError, match=r"`reshard`: .*\(16, 24\)"):
        ms.reshard(x, layout("a"))
    with pytest.raises(TypeError, match=r"`reshard`: argument `layout`"):
        ms.reshard(x, (1, 1))


def test_recomputation_and_accumulation(expected):
    net = Net()
    _operators(net)
    net.recompute()
    step, _ = _step(net)
    np.testing.assert_allclose([float(step(x, y).asnumpy()) for x, y in _batches()], expected, rtol=1e-5)
    net = Net()
    _operators(net)
    parallel = AutoParallel(nn.GradAccumulationCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), 4))
    loss = parallel(*_batches()[0])
    np.testing.assert_allclose(float(loss.asnumpy()), 4 * expected[0], rtol=1e-5)


class Experts(nn.Cell):
    """A mixture of eight experts, one on each device: tokens go to the best of them, as far as it has room."""

    def __init__(self, parts=()):
        super().__init__()
        rng = np.random.default_rng(3)
        self.gate, self.up, self.down = (
            _weight(rng, WIDTH, 8),
            _weight(rng, 8, WIDTH, 32),
            _weight(rng, 8, 32, WIDTH),
        )
        self.head = _weight(rng, WIDTH, 10)
        self.matmul1, self.matmul2, self.relu = ops.BatchMatMul(), ops.BatchMatMul(), ops.ReLU()
        if parts:
            self.matmul1.shard((parts, parts))
            self.relu.shard((parts,))
            self.matmul2.shard((parts, parts))

    def construct(self, x):
        scores = ops.softmax(ops.matmul(x, self.gate))
        chosen = ops.one_hot(scores.argmax(-1), 8)
        place = (ops.cumsum(chosen, 0) - 1) * chosen
        dispatch = ops.one_hot(place.sum(-1).astype(ms.int32), 4).expand_dims(1) * chosen.expand_dims(2)
        tokens = ops.einsum("tec,td->ecd", dispatch, x)  # what XLA sends to the experts, and back
        out = self.matmul2(self.relu(self.matmul1(tokens, self.up)), self.down)
        out = ops.einsum("tec,ecd->td", dispatch * (scores * chosen).sum(-1).reshape(-1, 1, 1), out)
        return ops.matmul(x + out, self.head)


def test_experts_on_devices_of_their_own():
    alone, *_ = _step(Experts(), how="jit")
    net = Experts((8, 1, 1))
    step, *_ = _step(net)
    for x, y in _batches():
        wanted = float(alone(x, y).asnumpy())
        np.testing.assert_allclose(float(step(x, y).asnumpy()), wanted, rtol=1e-5)
    assert net.up._value.addressable_shards[0].data.shape == (1, WIDTH, 32)


class Layers(nn.Cell):
    def __init__(self):
        super().__init__()
        ms.set_seed(1)
        self.norm, self.fc1, self.fc2 = nn.LayerNorm((WIDTH,)), nn.Dense(WIDTH, 128), nn.Dense(128, 10)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.fc2(self.relu(self.fc1(self.norm(x))))


def test_operators_inside_of_layers():
    alone, *_ = _step(Layers(), how="jit")
    wanted = [float(alone(x, y).asnumpy()) for x, y in _batches()]
    net = Layers()
    net.norm.layer_norm.shard(((2, 1), (1,), (1,)))
    net.fc1.matmul.shard(((2, 1), (4, 1)))
    net.relu.relu.shard(((2, 4),))
    net.fc2.matmul.shard(((2, 4), (1, 4)), ((2, 1),))
    step, optimizer = _step(net)
    np.testing.assert_allclose([float(step(x, y).asnumpy()) for x, y in _batches()], wanted, rtol=1e-5)
    shapes = [
        p._value.addressable_shards[0].data.shape
        for p in (net.fc1.weight, net.fc2.weight, optimizer.moment1[2])
    ]
    assert shapes == [(32, WIDTH), (10, 32), (32, WIDTH)]
    assert _collectives(step) <= {REDUCE, GATHER}
    with pytest.raises(NotImplementedError, match=r"Dense\.bias_add\.shard"):
        net.fc1.bias_add.shard(((2, 4), (4,)))
    assert copy.deepcopy(net)(_batches()[0][0]).shape == (32, 10)


class Images(nn.Cell):
    def __init__(self, parts=0):
        super().__init__()
        ms.set_seed(1)
        self.conv, self.norm, self.head = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Dense(8, 16)
        self.loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        if parts:
            self.conv.conv2d.shard(((2, 1, 2, 1), (parts, 1, 1, 1)))
            self.norm.bn_train.shard(((2, parts, 1, 1), *((parts,),) * 4))
            self.loss.softmax_cross_entropy.shard(((8, 1), (8, 1)))
            self.loss.one_hot.shard(((8, 1), (), ()))

    def construct(self, x, y):
        return self.loss(self.head(self.norm(self.conv(x)).mean((2, 3))), y)


def test_operators_inside_of_layers_of_images():
    x = ms.Tensor(np.random.default_rng(0).normal(size=(8, 3, 8, 8)).astype("f"))
    y = ms.Tensor(np.arange(8), ms.int32)
    wanted = _losses_of_images(Images(), x, y)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    net = Images(parts=2)
    np.testing.assert_allclose(_losses_of_images(net, x, y), wanted, rtol=1e-5)
    for p in (net.conv.weight, net.norm.gamma, net.norm.moving_mean):
        assert p._value.addressable_shards[0].data.shape[0] == 4


def _losses_of_images(net, x, y):
    step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9)).set_train()
    compiled = ms.jit(step)
    return [float(compiled(x, y).asnumpy()) for _ in range(3)]
