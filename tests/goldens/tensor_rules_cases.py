# %% two axes of a matrix
x, z = T([[1, 2, 3], [4, 5, 6]]), T(np.arange(24).reshape(2, 3, 4))
for a, b in ((0, 1), (1, 0), (-2, -1), (0, -1), (1, 1)):
    show(x.transpose(a, b).shape, z.transpose(a, b).shape)
show(x.transpose((0, 1)), x.transpose([1, 0]).shape, x.transpose(dim0=0, dim1=1))

# %% masks of another shape
x = T(np.ones((3, 4)))
attempt(lambda: x[T(np.ones(4), bool)])
attempt(lambda: x[T(np.ones((3, 3)), bool)])
attempt(lambda: x[[True, False]])
attempt(lambda: x[0, [True, False]])

# %% indices of a Tensor without axes
x = T(1.0)
for index in (slice(None), slice(0, 1), Tensor([0]), [0], [True], 0, (0, 0), (slice(None), 0), (1, ...)):
    attempt(lambda index=index: x[index])
show(x[None], x[...], x[True])

# %% below zero
show(ops.signbit(T([-0.0, 0.0, -1.0, 1.0, np.nan, np.inf, -np.inf])), T([-0.0, -1.0], np.float64).signbit())
show(ops.signbit(T([-1, 0, 3], np.int32)), ops.signbit(T([-0.0, -2.0], np.float16)))

# %% powers of complex zero
zero = T([0, 0, 1], np.complex64)
for found in (ops.pow(zero, T([1 + 2j, 2, 0], np.complex64)), 0 ** T([1, 2 + 1j], np.complex64), zero**2):
    show(ops.real(found), ops.abs(ops.imag(found)))

# %% sizes that do not fit
a = T(np.ones((2, 3)))
attempt(lambda: a @ T(np.ones(4)))
attempt(lambda: T(np.ones((2, 2, 3))) @ T(np.ones(4)))
attempt(lambda: ops.matmul(a, T(np.ones(4))))
attempt(lambda: mint.matmul(a, T(np.ones(4))))
attempt(lambda: a @ T(np.ones((4, 2))))
attempt(lambda: T(np.ones(4)) @ a)
attempt(lambda: T(np.ones((2, 2, 3))) @ T(np.ones((4, 3, 2))))
attempt(lambda: ops.matmul(T(np.ones((3, 2, 2, 3))), T(np.ones((4, 3, 2)))))
attempt(lambda: ops.BatchMatMul()(T(np.ones((3, 2, 3))), T(np.ones((4, 3, 2)))))
show(ops.mv(T([[1, 2], [3, 4]]), T([[1], [2]])))

# %% dtypes of cross entropy
x, loss = T([[1, 2], [3, 1]]), nn.CrossEntropyLoss()
for dtype in (np.int32, np.int64, np.int8, np.uint8, np.bool_, np.float32, np.float16):
    attempt(lambda dtype=dtype: loss(x, T([0, 1], dtype)))
for dtype in (np.float32, np.float16, np.float64, np.int32):
    attempt(lambda dtype=dtype: loss(x, T([[0, 1], [1, 0]], dtype)))
for dtype in (np.float16, np.float64):
    attempt(lambda dtype=dtype: loss(T([[1, 2], [3, 1]], dtype), T([0, 1], np.int32)))
attempt(lambda: loss(x, T([[0], [1]], np.int32)))
attempt(lambda: loss(T([1, 2]), T(0, np.int32)))
attempt(lambda: loss(T([1, 2]), T(0, np.int64)))
attempt(lambda: loss(x, [0, 1]))
show(ops.cross_entropy(T([[1, 2], [3, 1]], np.float16), T([[0, 1], [1, 0]])).dtype)

# %% classes of sparse softmax cross entropy
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
for dtype in (np.int32, np.int64, np.uint8, np.float32):
    attempt(lambda dtype=dtype: loss(T([[1, 2], [3, 1]]), T([0, 1], dtype)))

# %% cuts that go back
x = T(np.arange(6).reshape(3, 2))
show(x.tensor_split((1, 0)), ops.tensor_split(x, (2, 1, 3), 0), ops.vsplit(x, [2, -2]), x.tensor_split((0, 5)))

# %% methods without arguments
x = T([[1, 2, 3], [4, 5, 6]])
show(x.permute(), x.resize(), T(np.ones((2, 3, 4))).permute().shape, x.permute(1, 0).shape, x.permute((1, 0)).shape)
for method in (x.index_add, x.index_add_, x.scatter_add):
    attempt(method)
attempt(lambda: x.index_add(0))
attempt(lambda: x.index_add(0, Tensor([0])))

# %% bools as axes
x = T([[1, 2, 3], [4, 5, 6]])
show(x.swapaxes(0, True).shape, ops.swapaxes(x, True, False).shape)

# %% one element
x = T([[1, 2, 3], [4, 5, 6]])
show(x.itemset(-1, 9), x.itemset(5, 9), x.itemset((0, -1), 9))
attempt(lambda: x.itemset(6, 9))

# %% nearly equal integers
x, y = Tensor([1, 2, 3]), Tensor([1, 3, 3])
show(x.approximate_equal(y), ops.approximate_equal(T([1, 2]), T([1, 2.1]), 0.2))
