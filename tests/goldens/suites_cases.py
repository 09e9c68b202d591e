# ruff: noqa
# %% written in place/dtypes
for held in (ms.float16, ms.int32):
    for given in (ms.float32, ms.float16, ms.int8, ms.int64):
        attempt(lambda: show(P.ScatterAdd()(kept(2, 2, of=held), Tensor([1], ms.int32), ones(1, 2, of=given))))
        attempt(lambda: show(P.ScatterNdUpdate()(kept(2, 2, of=held), Tensor([[1]], ms.int32), ones(1, 2, of=given))))
        attempt(lambda: show(P.Assign()(kept(1, 2, of=held), ones(1, 2, of=given))))
        attempt(lambda: show(P.AssignAdd()(kept(1, 2, of=held), ones(1, 2, of=given))))
attempt(lambda: show(ops.index_add(kept(3, 2), Tensor([1], ms.int32), ones(1, 2, of=ms.float16), 0)))
attempt(lambda: show(ops.index_add(kept(3, 2), Tensor([1], ms.int32), ones(1, 2, of=ms.float64), 0)))

# %% written in place/numbers
for held, number in ((ms.float32, 2), (ms.int64, 2.5), (ms.int32, 2), (ms.int32, True)):
    attempt(lambda: show(ops.assign(Parameter(Tensor(1, held)), number)))
    attempt(lambda: show(ops.assign_add(Parameter(Tensor(1, held)), number)))
attempt(lambda: show(ops.assign_add(Parameter(Tensor(1, ms.float16)), 2.5)))

# %% written in place/messages
index = Tensor([1], ms.int32)
said = "Data type conversion is not supported for a 'Parameter', nor for the input tensor of an in-place operator, "
told = "the argument[x]'s data type of primitive[ScatterDiv] is Int8, which cannot be converted to data type Float32 automatically."
holds(lambda: P.ScatterDiv()(kept(2, 2, of=ms.int8), index, ones(1, 2)), said + told)
holds(lambda: P.ScatterNdUpdate()(kept(2, 2), index, ones(2)), "must be greater than or equal to 2")
holds(lambda: P.ScatterNdAdd()(kept(2, 2), index, ones(2)), "the dimension of 'indices'")

# %% dtypes that do not meet/products
for a, b in ((ms.float32, ms.int32), (ms.float32, ms.float16), (ms.float32, ms.float64)):
    for product in (ops.matmul, ops.mm, mint.matmul, lambda x, y: x @ y, P.MatMul()):
        attempt(lambda: product(ones(2, 2, of=a), ones(2, 2, of=b)))
    for product in (ops.bmm, mint.bmm, P.BatchMatMul(), lambda x, y: ops.baddbmm(x, x, y)):
        attempt(lambda: product(ones(1, 2, 2, of=a), ones(1, 2, 2, of=b)))
    attempt(lambda: ops.mv(ones(2, 2, of=a), ones(2, of=b)))
    attempt(lambda: ops.tensor_dot(ones(2, 2, of=a), ones(2, 2, of=b), 1))
    attempt(lambda: ops.addmm(ones(2, 2, of=a), ones(2, 2, of=a), ones(2, 2, of=b)))
    attempt(lambda: ops.addmv(ones(2, of=a), ones(2, 2, of=a), ones(2, of=b)))
    attempt(lambda: ops.inner(ones(2, of=a), ones(2, of=b)))
    attempt(lambda: ops.ger(ones(2, of=a), ones(2, of=b)))
    attempt(lambda: ops.cdist(ones(2, 2, of=a), ones(2, 2, of=b)))

# %% dtypes that do not meet/others
x, at = ones(3, 2), Tensor([[1, 1]], ms.int32)
for given in (ms.float16, ms.int32, ms.float64):
    y = ones(1, 2, of=given)
    for scatter in (
        lambda: ops.tensor_scatter_elements(x, at, y, 0), lambda: P.TensorScatterElements(0)(x, at, y),
        lambda: x.scatter(0, at, y), lambda: x.scatter_add(0, at, y), lambda: mint.scatter(x, 0, at, y),
        lambda: ops.addn([x, ones(3, 2, of=given)]), lambda: ops.accumulate_n([x, ones(3, 2, of=given)]),
        lambda: ops.binary_cross_entropy(x, ones(3, 2, of=given)),
    ):
        attempt(scatter)

# %% tensors from what holds no numbers
for data in ([[3], [[4]]], [[3], [4, 5]], [[], [4]], [[], None], [None, []], [1, "a"], ((1,), (2, 3))):
    holds(lambda: Tensor(data), f"For Tensor, the input_data is {data} that contain unsupported element.")
records = np.array([("x", 1), ("y", 2)], dtype=[("name", "<U10"), ("value", "<i4")])
holds(lambda: Tensor(records), "initializing tensor by numpy array failed", "<class 'numpy.void'>")
holds(lambda: Tensor(np.array([1, Tensor(5)], object)), "initializing tensor by numpy array failed")
holds(lambda: Tensor("abc"), "but got type 'str'")

# %% dtypes by short names
for holder in (ms, ms.common.dtype):
    for name in ("int", "long", "float", "bool", "cfloat", "cdouble", "double", "half", "short"):
        print(name, repr(getattr(holder, name)))
print([name for name in ("coo_tensor", "csr_tensor", "function", "undetermined") if hasattr(ms.common.dtype, name)])
print(repr(ms.hifloat8.to_real()), Tensor(1, ms.int).dtype, Tensor(1, ms.float).dtype)

# %% parameters of one name
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.one, self.two = kept(2), kept(2)

    def construct(self):
        return self.one + self.two

show(Net()())
holds(lambda: ms.common.api._cell_graph_executor.compile(Net()), "its name 'kept' already exists")
check = ms._checkparam.check_str_by_regular
print([check(name) for name in ("12_sf.asdf_", "x12_sf.asdf.", "_x12_sf.asdf")])
for name in (".12_sf.asdf", "12_sf.a$sdf.", "12+sf.asdf"):
    attempt(lambda: check(name))

# %% gradients by bools
x, b, s = Tensor([1.0, 2.0]), Tensor([True, False]), Tensor([1.5, 0.0])
for fn in (lambda a, c: a + c, lambda a, c: a * c, lambda a, c: ops.maximum(a, c), lambda a, c: a * c.astype(ms.float32)):
    show(ops.GradOperation(get_all=True, sens_param=True)(fn)(x, b, s))
    show(ms.grad(fn, (0, 1))(x, b))

# %% indices that do not meet
x = Tensor(np.arange(120).reshape(2, 3, 4, 5), ms.float32)
class Picked(nn.Cell):
    def __init__(self, index):
        super().__init__()
        self.index = index

    def construct(self, x):
        return x[self.index]

show(Picked((1, [2, 1], True, (3, 2)))(x).sum())
attempt(lambda: Picked((1, [2, 1], [1, 2, 3]))(x))
attempt(lambda: Picked((1, [2, 1], (3, 2), False))(x))

# %% metrics of one batch
from mindspore.train import Accuracy, MAE
x = Tensor(np.array([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]))
metric = Accuracy("classification")
metric.update(x, Tensor(np.array([1, 0, 0])))
print(round(metric(x, Tensor(np.array([[0, 1], [1, 0], [0, 1]]))), 6), MAE()([1.0, 2.0], [1.0, 4.0]))
for indexes in (0, [0.0, 2.0], ["1"]):
    holds(lambda: metric.set_indexes(indexes), "must be a list and all its elements must be int")

# %% files of checkpoints
import os, tempfile
from unittest import mock
from mindspore.train.callback import _checkpoint_cb_for_save_op, _CheckpointManager, _set_cur_net, Callback, _CallbackManager
from mindspore.train.callback._checkpoint import _chg_ckpt_file_name_if_same_exist as free
folder = tempfile.mkdtemp()
for name in ("net-1_10.ckpt", "net-2_10.ckpt", "net-3_10.ckpt", "net_4-1_1.ckpt", "network-1_1.ckpt", "a-1_1.txt"):
    open(os.path.join(folder, name), "w").close()
print(free(folder, "net"), free(folder, "other"), free(folder, "network"))
manager = _CheckpointManager()
manager.update_ckpoint_filelist(folder, "net")
print(manager.ckpoint_num)
manager.remove_oldest_ckpoint_file()
manager.keep_one_ckpoint_per_minutes(1, __import__("time").time())
manager.update_ckpoint_filelist(folder, "net")
print(manager.ckpoint_num, len(os.listdir(folder)))
net = nn.Dense(2, 2)
_set_cur_net(net)
_checkpoint_cb_for_save_op([{"name": "weight", "data": ones(2, 2)}])
show(net.weight)
with mock.patch.object(Callback, "__exit__", return_value=None) as leaving:
    with _CallbackManager([Callback(), Callback()]):
        pass
print(leaving.call_args_list == [mock.call(mock.ANY, None, None, None)] * 2)
path = os.path.join(folder, "dense.ckpt")
ms.save_checkpoint(net, path)
attempt(lambda: ms.load_checkpoint(path, choice_func=lambda name: name.startswith(123)))
_ = ms.train.ModelCheckpoint(directory=os.path.join(folder, "made"))
print(os.path.isdir(os.path.join(folder, "made")))

# %% what SummaryCollector refuses
import tempfile
from mindspore.train import SummaryCollector
folder = tempfile.mkdtemp()
open(folder + "/file", "w").close()
attempt(lambda: SummaryCollector(folder + "/file"))
attempt(lambda: SummaryCollector(""))
said = "the type should be a valid type of "
for given, phrase in (
    ({"collect_freq": None}, said + "['int'], but got NoneType"), ({"keep_default_action": "x"}, said + "['bool'], but got str"),
    ({"collect_specified_data": 1}, said + "['dict', 'NoneType'], but got int"), ({"collect_freq": 0}, "should be greater than 0"),
    ({"collect_specified_data": {1: 2}}, said + "['str']"), ({"collect_specified_data": {"histogram_regular": "*"}}, "regular expression"),
    ({"collect_specified_data": {"odd": True}}, "the keys {'odd'} of `collect_specified_data` are unsupported"),
    ({"custom_lineage_data": {"a": {}}}, "`the value of custom_lineage_data -> a`"), ({"export_options": {"odd": "v"}}, "the keys {'odd'}"),
    ({"export_options": {"tensor_format": "npz"}}, "the export_format {'npz'}"), ({"custom_lineage_data": {1: "a"}}, "`custom_lineage_data -> 1`"),
):
    holds(lambda: SummaryCollector(folder, **given), phrase)

# %% check_bprop
x, s, given = ones(2, 3), ones(2, 3), ones(2, 3) * 3
def net(back):
    class Net(nn.Cell):
        def construct(self, *a):
            return a[0] * 2

        def bprop(self, *a):
            return back(*a)

    return Net()

for checked in (False, True):
    ms.set_context(check_bprop=checked)
    for back in (
        lambda x, o, d: (given,), lambda x, o, d: (ones(2, 2),), lambda x, o, d: (ones(3),), lambda x, o, d: given,
        lambda x, o, d: (given.astype(ms.float16),), lambda x, o, d: (d, d), lambda x, o, d: (3,), lambda x, o, d: (None,),
    ):
        attempt(lambda: show(ops.GradOperation(get_all=True, sens_param=True)(net(back))(x, s)))
    attempt(lambda: ops.GradOperation(get_all=True, sens_param=True)(net(lambda x, y, o, d: (d,)))(x, x, s))
ms.set_context(check_bprop=False)

# %% classes of operators given what they cannot take
attempt(lambda: P.Conv2D(2, (5, 5))(5.0, 5.0))
attempt(lambda: P.Conv2D(2, (5, 5))(ones(5, of=ms.bool_), ones(5, of=ms.bool_)))
attempt(lambda: P.L2Loss()(ones(5, of=ms.int32)))

# %% gradients of outputs
class Net(nn.Cell):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def construct(self, x):
        return self.fn(x)

x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
gradient = ops.GradOperation(get_all=True, sens_param=True)
for sens in (Tensor([1.0]), Tensor([[2.0]]), Tensor([1.0, 2.0]), x, Tensor(2.0), Tensor([1, 2, 3])):
    show(gradient(Net(lambda x: (x * 2)[0][0]))(x, sens))
    attempt(lambda: show(gradient(Net(lambda x: x * 2))(x, sens)))
    attempt(lambda: show(gradient(Net(lambda x: (x * 2).sum(0, keepdims=True)))(x, sens)))
attempt(lambda: ms.vjp(Net(lambda x: x.sum(0)), x)[1](Tensor([[1.0, 2.0, 3.0]])))

# %% gradients by containers
class Net(nn.Cell):
    def construct(self, x, things, k, z):
        a, b = (things["a"], things["b"]) if isinstance(things, dict) else things
        return x * a * k + b * z * 5
class All(nn.Cell):
    def __init__(self, position=None):
        super().__init__()
        self.net, self.position = Net(), position
    def construct(self, x, things, k, z):
        if self.position is None:
            return ops.GradOperation(get_all=True)(self.net)(x, things, k, z)
        return ms.grad(self.net, self.position)(x, things, k, z)
class Made(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = Net()
    def construct(self, x, z):
        return ops.GradOperation(get_all=True)(self.net)(x, (x * 2, z), 2, z)
one, two = Tensor(1.0), Tensor(2.0)
for mode in (0, 1):
    ms.set_context(mode=mode)
    for things in ((one, two), [one, two], {"a": one, "b": two}):
        for given in (things, ms.mutable(things)):
            attempt(lambda: ops.GradOperation(get_all=True)(Net())(one, given, 2, two))
            attempt(lambda: ops.GradOperation()(lambda things: Net()(one, things, 2, two))(given) if mode else None)
            attempt(lambda: ms.grad(Net(), 1)(one, given, 2, two))
            attempt(lambda: ms.grad(Net(), (0, 1, 3))(one, given, 2, two))
            attempt(lambda: All()(one, given, 2, two))
            attempt(lambda: All((0, 1))(one, given, 2, two))
            attempt(lambda: All(1)(one, given, 2, two))
    attempt(lambda: Made()(one, two))
    for number in (ms.mutable(2), ms.mutable(2.5)):
        attempt(lambda: ops.GradOperation(get_all=True)(Net())(one, (one, two), number, two))
    constant = Tensor(2.0, const_arg=True)
    attempt(lambda: ops.GradOperation(get_all=True)(Net())(one, (one, two), 2, constant))
    attempt(lambda: ms.grad(Net(), (0, 3))(one, (one, two), 2, constant))

# %% gradients by the Parameters that are used
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = (Parameter(Tensor([v, v]), name=n) for n, v in (("a", 1.0), ("b", 2.0), ("c", 3.0)))
    def construct(self, x):
        return self.c * x * 3 + self.a * self.c
for mode in (1, 0):
    ms.set_context(mode=mode)
    attempt(lambda: ops.GradOperation(get_by_list=True)(Net())(Tensor([1.0, 2.0])))
    attempt(lambda: ops.GradOperation(get_all=True, get_by_list=True)(Net())(Tensor([1.0, 2.0])))

# %% is between numbers of Tensors
@ms.jit
def of_int(x):
    return int(x) is 3, int(x) is not 3, int(x) is 4, float(x) is 3.0, bool(x) is True
@ms.jit
def branch(x):
    if int(x) is 3:
        return x + 1
    return x
attempt(lambda: of_int(Tensor(3, ms.int32)))
attempt(lambda: (branch(Tensor(3, ms.int32)), branch(Tensor(5, ms.int32))))

# %% sparse Tensors in branches
@ms.jit
def chosen(x, s, t):
    if x.sum() > 0:
        u = s
    else:
        u = t
    return u
@ms.jit
def expression(x, s):
    return s if x.sum() > 0 else ms.COOTensor(s.indices, s.values * 2, s.shape)
@ms.jit
def early(x, s):
    if x.sum() > 0:
        return s
    return ms.COOTensor(s.indices, s.values * 2, s.shape)
places = Tensor([[0, 0], [1, 1]], ms.int32)
s, t = ms.COOTensor(places, Tensor([1.0, 2.0]), (2, 2)), ms.COOTensor(places + 0, Tensor([5.0, 6.0]), (2, 2))
for sign in (3.0, -3.0):
    attempt(lambda: (chosen(Tensor(sign), s, t).values, chosen(Tensor(sign), s, t).indices))
    attempt(lambda: expression(Tensor(sign), s).values)
    attempt(lambda: early(Tensor(sign), s).values)

# %% gradients by sparse Tensors
class Net(nn.Cell):
    def construct(self, x, s):
        return x * s.values
csr = ms.CSRTensor(Tensor([0, 1, 2], ms.int32), Tensor([0, 1], ms.int32), Tensor([2.0, 3.0]), (2, 2))
coo = ms.COOTensor(Tensor([[0, 0], [1, 1]], ms.int32), Tensor([2.0, 3.0]), (2, 2))
for mode in (0, 1):
    ms.set_context(mode=mode)
    for s in (csr, coo):
        found = ops.GradOperation(get_all=True)(Net())(Tensor([1.0, 2.0]), s)
        show(len(found), found[0], found[1] if mode else found[1].values)
        show(type(found[1]).__name__)

# %% hooks with branches
def hook(g):
    if g[0] < 100:
        return g * 4
    return g
def of_cell(cell, inputs, outputs):
    if outputs[0].sum() < 100:
        return (inputs[0] * 4,)
    return inputs
class OnResult(nn.Cell):
    def construct(self, x):
        y = x * 3
        y.register_hook(hook)
        return y * 1
class OnInput(nn.Cell):
    def construct(self, x):
        x.register_hook(hook)
        return x * 3
class OnCell(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()
        self.relu.register_backward_hook(of_cell)
    def construct(self, x):
        return self.relu(x) * 3
for mode in (0, 1):
    ms.set_context(mode=mode)
    for net in (OnResult, OnInput, OnCell):
        attempt(lambda: ms.grad(net())(Tensor([1.0, 2.0])))
        attempt(lambda: ops.GradOperation(sens_param=True)(net())(Tensor([1.0, 2.0]), Tensor([200.0, 1.0])))

# %% derivatives of construct
class Net(nn.Cell):
    def construct(self, x):
        return x * 3
    def bprop(self, x, out, dout):
        return (dout * 7,)
class Around(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = Net()
        self.net.construct = ms.jit(self.net.construct)
    def construct(self, x):
        return self.net(x) * 2
x, net = Tensor([1.0, 2.0]), Net()
attempt(lambda: ms.grad(ms.jit(net.construct))(x))
attempt(lambda: ms.grad(net.construct)(x))
attempt(lambda: ms.grad(Around())(x))
def twice(x):
    return ms.jit(net.construct)(x) * 2
attempt(lambda: ms.grad(twice)(x))
from mindspore.ops.function.grad.grad_func import custom_vjp
@custom_vjp
def product(x, y):
    return x * y
def backward(x, y, out, dout):
    return dout * 5 + out, dout * 7
show(product(x, x))
product.defbwd(backward)
def whole(x, y):
    return product(x, y) * 2
for mode in (0, 1):
    ms.set_context(mode=mode)
    attempt(lambda: ms.grad(whole, (0, 1))(x, x + 1))

# %% outputs that are no Tensors
class Net(nn.Cell):
    def construct(self, x):
        return ops.shape(x)
for mode in (0, 1):
    ms.set_context(mode=mode)
    attempt(lambda: ops.GradOperation(get_all=True, sens_param=True)(Net())(ones(1, 2), (3,)))
    attempt(lambda: ops.GradOperation(sens_param=True)(Net())(ones(1, 2), (3,)))

# %% inputs set as containers
class Net(nn.Cell):
    def construct(self, t):
        return t[0] + t[1]
d = Tensor(shape=(None, 2), dtype=ms.float32)
for mode in (0, 1):
    ms.set_context(mode=mode)
    for said in ((d, d), [d, d]):
        net = Net()
        net.set_inputs(ms.mutable(said))
        attempt(lambda: net(ms.mutable((ones(1, 2), ones(1, 2)))))
        attempt(lambda: net(ms.mutable([ones(1, 2), ones(1, 2)])))

# %% devices that are not there
for device in ("CPU", "cpu", "GPU", "cuda", "cpu:0", "", 0):
    attempt(lambda: show(ones(1).to(device)))
    attempt(lambda: show(ones(1).to(device, ms.float16)))
    attempt(lambda: show(nn.Dense(1, 1, ms.Tensor([[2.0]])).to(device).weight))
    attempt(lambda: show(nn.Dense(1, 1, ms.Tensor([[2.0]])).to(device=device, dtype=ms.float16).weight))
    attempt(lambda: show(mint.empty((1,), device=device).shape))
attempt(lambda: nn.Dense(1, 1).to(bias=1))
attempt(lambda: nn.Dense(1, 1).to(1.5))
attempt(lambda: show(nn.Dense(1, 1).to("cpu", ms.float16, True).weight.dtype))

# %% numbers among Tensors
for join in (ops.stack, mint.stack, P.Stack()):
    attempt(lambda: join([1, 2]))
for join in (ops.concat, ops.hstack, ops.vstack, ops.dstack, ops.column_stack, ops.addn, mint.cat, P.Concat(), P.AddN()):
    for given in ([ones(1), 2], [1, 2], [ones(1), np.ones(1)], [ones(1), [2.0]]):
        attempt(lambda: join(given))
for given in (ones(2), (), 3, None):
    attempt(lambda: ops.addn(given))

# %% operators on numbers
F = ops.functional
for name in ("add", "sub", "mul", "div", "floordiv", "mod", "pow", "eq", "gt", "max", "min"):
    f = getattr(F, "scalar_" + name)
    for given in ((7, 2), (ms.Tensor(7), 2), (7, ms.Tensor(2)), (ms.Tensor(7.5), ms.Tensor(2.0)), (7,)):
        attempt(lambda: show(f(*given)))
for f in (F.scalar_uadd, F.scalar_usub, F.scalar_log):
    for given in (2.0, ms.Tensor(2.0)):
        attempt(lambda: show(f(given)))
for kind in (ms.bool_, ms.int64, ms.float64, ms.int32, ms.float32, ms.number, 2):
    for given in (3, 3.7, True, ms.Tensor(3), "a", None):
        attempt(lambda: show(ops.scalar_cast(given, kind)))

# %% padding that is changed
x = ms.Tensor(np.arange(6.0, dtype=np.float32).reshape(1, 1, 2, 3))
for layer, sides in (
    (nn.ZeroPad2d(1), (0, 1, 2, 0)), (nn.ConstantPad2d((1, 1), 5.0), (0, 1)), (nn.ReplicationPad2d(1), (0, 1, 2, 0)),
    (nn.ReflectionPad2d(1), ((1, 0), (0, 2))),
):
    show(list(layer.padding), layer(x[0]))
    layer.padding = sides
    show(layer(x[0]))
    layer.value = 3
    show(layer(x[0]))

# %% operators of the generated modules
import mindspore.ops.auto_generate as generated
from mindspore.ops.operations.sparse_ops import Sspaddmm

x = ms.Tensor(np.arange(24).reshape(2, 3, 4), ms.int32)
for settings in ((), (-1, 0, 1, None), (0, -1, 1, ms.int64), (9,)):
    attempt(lambda: show(generated.TraceV2()(x, *settings)))
show(ms.grad(lambda x: generated.TraceV2()(x, 1, 0, 2, None).sum())(x.astype(ms.float32)))
a, b = ms.Tensor([[2.0, 0.0], [1.0, 3.0]]), ms.Tensor([[1.0], [2.0]])
for settings in ((), (0, True), (1, True), (2, True, True), (3,)):
    attempt(lambda: show(generated.SolveTriangular()(a, b, *settings)))
show(*ms.grad(lambda a, b: generated.SolveTriangular()(a, b, 0, True).sum(), (0, 1))(a, b))
at, shape, dense = ms.Tensor([[2, 0, 2, 0], [1, 2, 1, 0]]), ms.Tensor([3, 3]), ms.Tensor(np.arange(9.0, dtype=np.float32).reshape(3, 3))
one = ms.Tensor([[0, 1], [0, 1]]), ms.Tensor([1.0, 2.0]), shape
other = at, ms.Tensor([3.0, 4.0, 1.0, 2.0]), shape
show(*Sspaddmm()(*one, *other, dense, ms.Tensor(2.0), ms.Tensor([10.0])))
show(*Sspaddmm()(*one, *other, dense, ms.Tensor(2), ms.Tensor(10)))
attempt(lambda: Sspaddmm()(ms.Tensor([[0, 5], [0, 1]]), *one[1:], *other, dense, ms.Tensor(2.0), ms.Tensor(10.0)))
attempt(lambda: Sspaddmm()(*one, *other, dense[:2], ms.Tensor(2.0), ms.Tensor(10.0)))
