# ruff: noqa
# %% written in place/dtypes
for held in (ms.float16, ms.int32, ms.int8):
    for given in (ms.float32, ms.float16, ms.int32, ms.int8, ms.int64, ms.bool_):
        value = ones(1, 2, of=given) * 1
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
