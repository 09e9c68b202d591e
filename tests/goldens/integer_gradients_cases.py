"""Questions about gradients by integers, as small programs (see snippets.py)."""

# ruff: noqa
# pyright: basic, reportUndefinedVariable=false, reportAttributeAccessIssue=false

# %% numbers beside
def f0(x):
    return 3 * x
show(*everywhere(f0, whole([3, -2, 7])))
def f1(x):
    return x + 1
show(*everywhere(f1, whole([3, -2, 7])))
def f2(x):
    return 1 - x
show(*everywhere(f2, whole([3, -2, 7])))
def f3(x):
    return x * 2.5
show(*everywhere(f3, whole([3, -2, 7])))
def f4(x):
    return -x
show(*everywhere(f4, whole([3, -2, 7])))
def f5(x):
    return x ** 2
show(*everywhere(f5, whole([3, -2, 7])))
def f6(x):
    return x ** 3
show(*everywhere(f6, whole([3, -2, 7])))

# %% divided by a number
def f0(x):
    return x / 2
show(*everywhere(f0, whole([3, -2, 7])))
def f1(x):
    return x / 2.
show(*everywhere(f1, whole([3, -2, 7])))
def f2(x):
    return 2 / x
show(*everywhere(f2, whole([3, -2, 7])))
def f3(x):
    return x // 2
show(*everywhere(f3, whole([3, -2, 7])))
def f4(x):
    return x % 2
show(*everywhere(f4, whole([3, -2, 7])))
def f5(x):
    return x.reshape(3, 1) / 4
show(*everywhere(f5, whole([3, -2, 7])))
def f6(x):
    return (x * 2) / 4
show(*everywhere(f6, whole([3, -2, 7])))
def f7(x):
    return (x ** 2) / 8
show(*everywhere(f7, whole([3, -2, 7])))
def f8(x):
    return ops.abs(x) / 4
show(*everywhere(f8, whole([3, -2, 7])))

# %% two
def f0(x, y):
    return x * y
show(*everywhere(f0, whole([3, -2, 7]), whole([2, 5, -3])))
def f1(x, y):
    return x - y
show(*everywhere(f1, whole([3, -2, 7]), whole([2, 5, -3])))
def f2(x, y):
    return x / y
show(*everywhere(f2, whole([3, -2, 7]), whole([2, 5, -3])))
def f3(x, y):
    return x // y
show(*everywhere(f3, whole([3, -2, 7]), whole([2, 5, -3])))
def f4(x, y):
    return x % y
show(*everywhere(f4, whole([3, -2, 7]), whole([2, 5, -3])))
def f5(x, y):
    return 3 * x + y
show(*everywhere(f5, whole([3, -2, 7]), whole([2, 5, -3])))
def f6(x, y):
    return x * x * y
show(*everywhere(f6, whole([3, -2, 7]), whole([2, 5, -3])))
def f7(x, y):
    return ops.maximum(x, y)
show(*everywhere(f7, whole([3, -2, 7]), whole([2, 5, -3])))
def f8(x, y):
    return (x * y).sum()
show(*everywhere(f8, whole([3, -2, 7]), whole([2, 5, -3])))

# %% reductions
def f0(x):
    return x.sum()
show(*everywhere(f0, whole([3, -2, 7])))
def f1(x):
    return x.prod()
show(*everywhere(f1, whole([3, -2, 7])))
def f2(x):
    return x.max()
show(*everywhere(f2, whole([3, -2, 7])))
def f3(x):
    return x.min()
show(*everywhere(f3, whole([3, -2, 7])))
def f4(x):
    return ops.cumsum(x, 0)
show(*everywhere(f4, whole([3, -2, 7])))
def f5(x):
    return ops.cumprod(x, 0)
show(*everywhere(f5, whole([3, -2, 7])))
def f6(x):
    return ops.ReduceSum()(x, 0)
show(*everywhere(f6, whole([3, -2, 7])))

# %% rearranged
def f0(x):
    return x.reshape(3, 1) * 2
show(*everywhere(f0, whole([3, -2, 7])))
def f1(x):
    return ops.concat((x, x * 2))
show(*everywhere(f1, whole([3, -2, 7])))
def f2(x):
    return ops.stack((x, x * 2))
show(*everywhere(f2, whole([3, -2, 7])))
def f3(x):
    return x[0] * x[1]
show(*everywhere(f3, whole([3, -2, 7])))
def f4(x):
    return x[1:] * x[:-1]
show(*everywhere(f4, whole([3, -2, 7])))
def f5(x):
    return ops.tile(x, (2,)) * 3
show(*everywhere(f5, whole([3, -2, 7])))
def f6(x):
    return ops.broadcast_to(x, (2, 3))
show(*everywhere(f6, whole([3, -2, 7])))
def f7(x):
    return ops.split(x, 1)[0] * 2
show(*everywhere(f7, whole([3, -2, 7])))
def f8(x):
    return ops.sort(x)[0] * 2
show(*everywhere(f8, whole([3, -2, 7])))
def f9(x):
    return ops.topk(x, 2)[0]
show(*everywhere(f9, whole([3, -2, 7])))
def f10(x):
    return ops.flip(x, (0,)) * x
show(*everywhere(f10, whole([3, -2, 7])))
def f11(x):
    return x.unsqueeze(0).squeeze(0) * 2
show(*everywhere(f11, whole([3, -2, 7])))
def f12(x):
    return ops.gather(x, Tensor([0, 2]), 0) * 3
show(*everywhere(f12, whole([3, -2, 7])))

# %% chosen
def f0(x):
    return ops.where(x > 0, x * 2, x * 5)
show(*everywhere(f0, whole([3, -2, 7])))
def f1(x):
    return ops.clamp(x, 0, 5)
show(*everywhere(f1, whole([3, -2, 7])))
def f2(x):
    return ops.masked_fill(x, x > 0, 0) * 2
show(*everywhere(f2, whole([3, -2, 7])))
def f3(x):
    return ops.relu(x) * 2
show(*everywhere(f3, whole([3, -2, 7])))
def f4(x):
    return ops.abs(x)
show(*everywhere(f4, whole([3, -2, 7])))
def f5(x):
    return ops.sign(x)
show(*everywhere(f5, whole([3, -2, 7])))

# %% constant
def f0(x):
    return x > 1
show(*everywhere(f0, whole([3, -2, 7])))
def f1(x):
    return x == x
show(*everywhere(f1, whole([3, -2, 7])))
def f2(x):
    return ops.argmax(x)
show(*everywhere(f2, whole([3, -2, 7])))
def f3(x):
    return ops.bitwise_and(x, x)
show(*everywhere(f3, whole([3, -2, 7])))
def f4(x):
    return ops.stop_gradient(x) * x
show(*everywhere(f4, whole([3, -2, 7])))
def f5(x):
    return ops.zeros_like(x) + x
show(*everywhere(f5, whole([3, -2, 7])))
def f6(x):
    return ops.one_hot(ops.abs(x), 8)
show(*everywhere(f6, whole([3, -2, 7])))
def f7(x):
    return Tensor([1.0, 2.0, 3.0])
show(*everywhere(f7, whole([3, -2, 7])))

# %% floating results
def f0(x):
    return ops.reciprocal(x)
show(*everywhere(f0, whole([3, -2, 7])))
def f1(x):
    return ops.sqrt(ops.abs(x))
show(*everywhere(f1, whole([3, -2, 7])))
def f2(x):
    return mint.div(x, 2)
show(*everywhere(f2, whole([3, -2, 7])))

# %% converted
def f0(x):
    return x.astype(ms.float32) * 2.5
show(*everywhere(f0, whole([3, -2, 7])))
def f1(x):
    return ops.square(x.astype(ms.float32))
show(*everywhere(f1, whole([3, -2, 7])))
def f2(x):
    return x.astype(ms.int64) * 2
show(*everywhere(f2, whole([3, -2, 7])))
def f3(x):
    return x.astype(ms.float32).astype(ms.int32).astype(ms.float32) * 2
show(*everywhere(f3, whole([3, -2, 7])))
def f4(x):
    return x.astype(ms.bool_).astype(ms.float32) * 2
show(*everywhere(f4, whole([3, -2, 7])))
def f5(x):
    return x.astype(ms.int64) / 4
show(*everywhere(f5, whole([3, -2, 7])))

# %% floating numbers through integers
def f0(x):
    return x.astype(ms.int32).astype(ms.float32) * 2
show(*everywhere(f0, Tensor([1.5, 2.0])))
def f1(x):
    return x.astype(ms.int32) * 3
show(*everywhere(f1, Tensor([1.5, 2.0])))
def f2(x):
    return x.astype(ms.int32) / 4
show(*everywhere(f2, Tensor([1.5, 2.0])))
def f3(x):
    return x.astype(ms.int32) * 2.5
show(*everywhere(f3, Tensor([1.5, 2.0])))
def f4(x):
    return x.astype(ms.bool_).astype(ms.float32) * 3
show(*everywhere(f4, Tensor([1.5, 2.0])))

# %% other dtypes
def f0(x):
    return 3 * x
show(*everywhere(f0, whole([3, 2, 7], ms.uint8)))
def f1(x):
    return 1 - x
show(*everywhere(f1, whole([3, 2, 7], ms.uint8)))
def f2(x):
    return x * x
show(*everywhere(f2, whole([3, 2, 7], ms.uint8)))
def f3(x):
    return x / 2
show(*everywhere(f3, whole([3, 2, 7], ms.uint8)))
def f4(x):
    return x.sum()
show(*everywhere(f4, whole([3, 2, 7], ms.uint8)))

# %% int64
def f0(x):
    return 3 * x
show(*everywhere(f0, whole([3, -2, 7], ms.int64)))
def f1(x):
    return x * x
show(*everywhere(f1, whole([3, -2, 7], ms.int64)))
def f2(x):
    return x / 2
show(*everywhere(f2, whole([3, -2, 7], ms.int64)))
def f3(x):
    return x * 2.5
show(*everywhere(f3, whole([3, -2, 7], ms.int64)))

# %% bools
def f0(x):
    return 3 * x
show(*everywhere(f0, Tensor([True, False])))
def f1(x):
    return x * 2.5
show(*everywhere(f1, Tensor([True, False])))
def f2(x):
    return x + 1
show(*everywhere(f2, Tensor([True, False])))
def f3(x):
    return x / 2
show(*everywhere(f3, Tensor([True, False])))
def f4(x):
    return x.sum()
show(*everywhere(f4, Tensor([True, False])))

# %% large
def f0(x):
    return x * x + x
show(*everywhere(f0, whole([16777217, 20000001])))
def f1(x):
    return x.astype(ms.int64) * x
show(*everywhere(f1, whole([16777217, 20000001])))
def f2(x):
    return (x + 1).sum()
show(*everywhere(f2, whole([16777217, 20000001])))

# %% beside floats
def f0(x, y):
    return x * y
show(*everywhere(f0, whole([0, 1, 2]), Tensor([1.5, 2.5, 3.5])))
def f1(x, y):
    return x + y
show(*everywhere(f1, whole([0, 1, 2]), Tensor([1.5, 2.5, 3.5])))
def f2(x, y):
    return ops.gather(y, x, 0) * x
show(*everywhere(f2, whole([0, 1, 2]), Tensor([1.5, 2.5, 3.5])))

# %% in place
def f(x, y):
    x //= y
    return x
show(*everywhere(f, whole([3, -2, 7]), whole([2, 5, -3])))

# %% in place product
def f(x, y):
    x *= y
    return x * 2
show(*everywhere(f, whole([3, -2, 7]), whole([2, 5, -3])))

# %% while over an integer
def f(x, n):
    while n > 0:
        x = x * 2
        n = n - 1
    return x
show(*everywhere(f, whole([2]), whole(3)))

# %% while between integers
def f(i, end, x):
    while i < end:
        x = x * 2
        i = i + 1
    return x
show(*everywhere(f, whole(1), whole(4), Tensor([1.0, 2.0])))

# %% while of products
def f(x, y):
    while x < y:
        x = x * x + 1
    return x + y
show(*everywhere(f, whole(1), whole(30)))

# %% while with branches
def f(x, y, z):
    out = z
    while x < y:
        if x > 2:
            out = out + x * y
        else:
            out = out + z
        x = x + 1
    return out
show(*everywhere(f, whole(1), whole(5), whole(2)))

# %% branches
def f(x, y):
    if x > y:
        z = x * y
    else:
        z = x - y
    return z * 3
show(*everywhere(f, whole(3), whole(2)))

# %% the other branch
def f(x, y):
    if x > y:
        z = x * y
    else:
        z = x - y
    return z * 3
show(*everywhere(f, whole(1), whole(2)))

# %% for over numbers
def f(x):
    for i in range(3):
        x = x * 2 + i
    return x
show(*everywhere(f, whole([3, -2, 7])))

# %% a long for
def f(x, y):
    for i in range(40):
        x = x + y * i
    return x
show(*everywhere(f, whole([3, -2, 7]), whole([2, 5, -3])))

# %% lists
def f(x, y):
    parts = [x, y, x * y]
    return parts[0] + parts[2]
show(*everywhere(f, whole([3, -2, 7]), whole([2, 5, -3])))

# %% conditional expression
def f(x):
    return x * 2 if x.sum() > 0 else x
show(*everywhere(f, whole([3, -2, 7])))

# %% bprop
class Net(nn.Cell):
    def construct(self, x):
        return x * x
    def bprop(self, x, out, dout):
        return (x * 7,)
show(*of_cell(Net, whole([2])), *of_cell(Net, Tensor([2.0])))

# %% bprop of two
class Net(nn.Cell):
    def construct(self, x, y):
        return x * y
    def bprop(self, x, y, out, dout):
        return (dout * 3 + out, x + y)
class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = Net()
    def construct(self, x, y):
        return 2 * self.net(x + 1, y * 2) + x
show(*of_cell(Net, whole([2]), whole([5])))
show(*of_cell(Outer, whole([2]), whole([5])), *of_cell(Outer, Tensor([2.0]), whole([5])))

# %% weights
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2, 3], ms.int32), name="w")
    def construct(self, x):
        return x * self.w + 1
for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
    ms.set_context(mode=mode)
    net = Net()
    show(ms.grad(net, 0, net.trainable_params())(whole([5, 7])))
    show(ops.GradOperation(get_by_list=True)(net, ParameterTuple(net.trainable_params()))(whole([5, 7])))
ms.set_context(mode=ms.PYNATIVE_MODE)

# %% sens
def f(x):
    return x * x + x
show(ops.GradOperation(sens_param=True)(f)(whole([2, 3]), whole([10, 100])))
show(ops.GradOperation(sens_param=True)(ms.jit(f))(whole([2, 3]), whole([10, 100])))

# %% value_and_grad
def f(x, y):
    return x * y, x + 1
show(ms.value_and_grad(f, (0, 1))(whole([2]), whole([5])), ms.value_and_grad(ms.jit(f), (0, 1))(whole([2]), whole([5])))

# %% vjp and jvp
def f(x):
    return x * x + x
def g(x):
    return x.astype(ms.int32) * 2.5
for fn in (f, ms.jit(f)):
    out, pull = ms.vjp(fn, whole([2]))
    show(out, pull(whole([10])), ms.jvp(fn, whole([2]), whole([1])))
show(ms.jvp(g, whole([2]), whole([1])))

# %% Jacobians
def f(x):
    return x * x + x
def g(x):
    return x * 2.5
attempt(lambda: ms.jacfwd(f)(whole([2, 3])))
attempt(lambda: ms.jacrev(f)(whole([2, 3])))
attempt(lambda: ms.jacfwd(g)(whole([2, 3])))
attempt(lambda: ms.jacrev(g)(whole([2, 3])))

# %% second order
def f(x):
    return x * x * x
show(ms.grad(ms.grad(f))(whole([2])), ms.grad(ms.grad(ms.jit(f)))(whole([2])))

# %% hooks
seen = []
def double(g):
    seen.append(g)
    return g * 2
def f(x):
    y = x * 3
    y.register_hook(double)
    return y * x
show(ms.grad(f)(whole([5])), seen)
