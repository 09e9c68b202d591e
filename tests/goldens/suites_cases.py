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
