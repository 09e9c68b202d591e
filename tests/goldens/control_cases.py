"""Programs with control flow over Tensor values, as users compile them with MindSpore (see snippets.py)."""

# ruff: noqa
# pyright: basic, reportUndefinedVariable=false, reportAttributeAccessIssue=false

# %% if/else
@ms.jit
def f(x):
    if x > 0:
        y = x * 2
    else:
        y = -x
    return y

show(f(Tensor(3.0)), f(Tensor(-3.0)))
show(ms.grad(f)(Tensor(3.0)), ms.grad(f)(Tensor(-3.0)))

# %% if/without else
@ms.jit
def f(x):
    y = x * 3
    if x > 1:
        y = y + x * x
    return y

show(f(Tensor(2.0)), f(Tensor(0.5)))
show(ms.grad(f)(Tensor(2.0)), ms.grad(f)(Tensor(0.5)))

# %% if/elif chain
@ms.jit
def f(x):
    if x < 0:
        return x * 0
    elif x < 1:
        return x * x
    elif x < 2:
        return x * x * x
    else:
        return x * 5

show([f(Tensor(v)) for v in (-1.0, 0.5, 1.5, 4.0)])
show([ms.grad(f)(Tensor(v)) for v in (-1.0, 0.5, 1.5, 4.0)])

# %% if/nested
@ms.jit
def f(x, y):
    if x > 0:
        if y > 0:
            out = x * y
        else:
            out = x - y
    else:
        if y > 0:
            out = y
        else:
            out = x + y
    return out

show([f(Tensor(a), Tensor(b)) for a in (2.0, -2.0) for b in (3.0, -3.0)])
show([ms.grad(f, (0, 1))(Tensor(a), Tensor(b)) for a in (2.0, -2.0) for b in (3.0, -3.0)])

# %% if/early return
@ms.jit
def f(x):
    if x.sum() > 10:
        return x * 2
    x = x + 1
    if x.sum() > 5:
        return x * 3
    return x

show(f(Tensor([10.0, 1.0])), f(Tensor([3.0, 1.0])), f(Tensor([1.0, 0.0])))
show(ms.grad(f)(Tensor([10.0, 1.0])), ms.grad(f)(Tensor([3.0, 1.0])), ms.grad(f)(Tensor([1.0, 0.0])))

# %% if/several variables
@ms.jit
def f(x):
    a = x
    b = x * 2
    if x > 2:
        a, b = b, a
        c = a - b
    else:
        c = a + b
    return a, b, c

show(f(Tensor(3.0)), f(Tensor(1.0)))

# %% if/variable of one branch read after
@ms.jit
def f(x):
    if x > 0:
        y = x * 2
    return y

attempt(lambda: f(Tensor(3.0)))

# %% if/variable of one branch not read after
@ms.jit
def f(x):
    out = x
    if x > 0:
        y = x * 2
        out = y + 1
    return out

show(f(Tensor(3.0)), f(Tensor(-3.0)))

# %% if/different dtypes
@ms.jit
def f(x, y):
    if x > 0:
        out = x
    else:
        out = y
    return out

attempt(lambda: f(Tensor(3.0), Tensor(3, ms.int32)))

# %% if/number or number
@ms.jit
def f(x):
    if x > 0:
        n = 2
    else:
        n = 3
    return x * n

show(f(Tensor(3.0)), f(Tensor(-3.0)))
show(ms.grad(f)(Tensor(3.0)), ms.grad(f)(Tensor(-3.0)))

# %% if/python condition
@ms.jit
def f(x, flag):
    if flag:
        return x * 2
    return x * 3

show(f(Tensor(3.0), True), f(Tensor(3.0), False))

# %% if/shape condition
@ms.jit
def f(x):
    if x.ndim == 2 and x.shape[0] > 1:
        return x.sum(0)
    return x * 2

show(f(Tensor([[1.0, 2.0], [3.0, 4.0]])), f(Tensor([1.0])))

# %% if/is None
@ms.jit
def f(x, y=None):
    if y is None:
        y = x
    if (x > y).all():
        return x
    return y * 2

show(f(Tensor(3.0)), f(Tensor(3.0), Tensor(1.0)))

# %% if/tensor of one element
@ms.jit
def f(x):
    if x:
        return x * 2
    return x - 1

show(f(Tensor([3.0])), f(Tensor([0.0])))
show(f(Tensor([True])) if False else "")

# %% if/and or not
@ms.jit
def f(x, y):
    if x > 0 and y > 0:
        out = x + y
    elif x > 0 or y > 0:
        out = x - y
    elif not x > -5:
        out = x * y
    else:
        out = x / y
    return out

show([f(Tensor(a), Tensor(b)) for a in (2.0, -2.0, -8.0) for b in (4.0, -4.0)])

# %% if/comparison chain
@ms.jit
def f(x):
    if 0 < x < 10:
        return x
    return -x

show([f(Tensor(v)) for v in (-3.0, 5.0, 12.0)])

# %% if/ternary
@ms.jit
def f(x):
    y = x * 2 if x > 1 else x * 3
    return y + (x if x < 0 else 0 * x)

show([f(Tensor(v)) for v in (-3.0, 0.5, 12.0)])
show([ms.grad(f)(Tensor(v)) for v in (-3.0, 0.5, 12.0)])

# %% if/calls functions
def double(x):
    return x * 2

def square(x):
    if x > 3:
        return x * x
    return double(x)

@ms.jit
def f(x):
    if x < 0:
        return double(x)
    return square(x)

show([f(Tensor(v)) for v in (-3.0, 2.0, 4.0)])
show([ms.grad(f)(Tensor(v)) for v in (-3.0, 2.0, 4.0)])

# %% if/choose a function
def double(x):
    return x * 2

def square(x):
    return x * x

@ms.jit
def f(x):
    if x.shape == ():
        g = double
    else:
        g = square
    return g(x)

show(f(Tensor(3.0)), f(Tensor([3.0])))

# %% if/Cell
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")
        self.relu = nn.ReLU()

    def construct(self, x):
        y = x * self.w
        if y.sum() > 0:
            y = self.relu(y)
        else:
            y = y * y
        return y

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
show(net(Tensor([1.0, 2.0])), net(Tensor([-1.0, -2.0])))
show(ms.grad(net, 0, net.trainable_params())(Tensor([-1.0, -2.0])))
show(ms.value_and_grad(net, None, net.trainable_params())(Tensor([1.0, 2.0])))

# %% if/Parameter assigned in a branch
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count = Parameter(Tensor(0.0), name="count", requires_grad=False)

    def construct(self, x):
        if x > 0:
            self.count = self.count + 1
            y = x
        else:
            y = -x
        return y

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
for v in (1.0, -1.0, 2.0):
    show(net(Tensor(v)), net.count.value())

# %% if/assign in a branch
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.total = Parameter(Tensor([0.0, 0.0]), name="total")

    def construct(self, x):
        if x.sum() > 1:
            ops.assign_add(self.total, x)
        return self.total * 2

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
show(net(Tensor([1.0, 2.0])), net(Tensor([0.0, 0.5])), net.total.value())

# %% if/method with a Tensor condition
class Net(nn.Cell):
    def helper(self, x):
        if x > 1:
            return x + 1
        return x - 1

    def construct(self, x):
        return self.helper(self.helper(x))

ms.set_context(mode=ms.GRAPH_MODE)
show(Net()(Tensor(1.5)), Net()(Tensor(0.5)))

# %% if/super
class Base(nn.Cell):
    def construct(self, x):
        if x > 0:
            return x * 2
        return x

class Net(Base):
    def construct(self, x):
        y = super().construct(x)
        if y > 3:
            y = y + 1
        return y

ms.set_context(mode=ms.GRAPH_MODE)
show(Net()(Tensor(1.5)), Net()(Tensor(3.5)), Net()(Tensor(-1.0)))

# %% if/decorated jit method
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.k = 2.0

    @ms.jit
    def construct(self, x):
        if x > self.k:
            return x - self.k
        return self.k - x

show(Net()(Tensor(1.5)), Net()(Tensor(3.5)))

# %% if/closure
def make(k):
    @ms.jit
    def f(x):
        if x > k:
            return x * k
        return x + k
    return f

show(make(2)(Tensor(3.0)), make(5)(Tensor(3.0)))

# %% if/lambda
g = lambda x: x * 2 if x > 0 else x * 3

@ms.jit
def f(x):
    return g(x) + 1

show(f(Tensor(3.0)), f(Tensor(-3.0)))

# %% if/tuple out
@ms.jit
def f(x):
    if x > 0:
        return x, (x * 2, x * 3)
    return -x, (x, x)

show(f(Tensor(3.0)), f(Tensor(-3.0)))

# %% while/condition of a Tensor
@ms.jit
def f(x):
    while x < 100:
        x = x * 2
    return x

show(f(Tensor(1.0)), f(Tensor(30.0)), f(Tensor(300.0)))
show(ms.grad(f)(Tensor(1.0)), ms.grad(f)(Tensor(30.0)), ms.grad(f)(Tensor(300.0)))

# %% while/counter
@ms.jit
def f(x, n):
    i = 0
    out = x
    while i < n:
        out = out * x
        i = i + 1
    return out

show(f(Tensor(2.0), Tensor(3)), f(Tensor(2.0), 4))
show(ms.grad(f)(Tensor(2.0), Tensor(3)), ms.grad(f)(Tensor(2.0), 4))

# %% while/tutorial
@ms.jit
def f(m, n):
    n = n + 1
    while m < n:
        m = m + 1
    return m

show(f(Tensor(8), Tensor(20)))

# %% while/sum with numbers
@ms.jit
def f(x, y):
    while x < y:
        x = x * x
        y = y + x / 2
        y = y - 1
    return x, y

show(f(Tensor(2.0), Tensor(6.0)), f(Tensor(9.0), Tensor(6.0)))

# %% while/break
@ms.jit
def f(x):
    total = x * 0
    while x < 100:
        x = x + 3
        if x > 20:
            break
        total = total + x
    return total

show(f(Tensor(1.0)), f(Tensor(18.0)), f(Tensor(200.0)))
show(ms.grad(f)(Tensor(1.0)), ms.grad(f)(Tensor(18.0)))

# %% while/continue
@ms.jit
def f(x):
    total = x * 0
    while x < 10:
        x = x + 1
        if x == 4:
            continue
        total = total + x * x
    return total

show(f(Tensor(1.0)), f(Tensor(8.0)))
show(ms.grad(f)(Tensor(1.0)))

# %% while/return inside
@ms.jit
def f(x):
    while x < 100:
        x = x * 3
        if x > 50:
            return x
    return -x

show(f(Tensor(1.0)), f(Tensor(40.0)), f(Tensor(100.0)))

# %% while/nested
@ms.jit
def f(x, n):
    i = Tensor(0)
    while i < n:
        j = Tensor(0)
        while j < i:
            x = x + j
            j = j + 1
        i = i + 1
    return x

show(f(Tensor(0.5), Tensor(5)))
show(ms.grad(f)(Tensor(0.5), Tensor(5)))

# %% while/if inside
@ms.jit
def f(x, n):
    i = Tensor(0)
    while i < n:
        if i % 2 == 0:
            x = x * 2
        else:
            x = x + 1
        i = i + 1
    return x

show([f(Tensor(1.0), Tensor(n)) for n in (0, 1, 4)])
show([ms.grad(f)(Tensor(1.0), Tensor(n)) for n in (0, 1, 4)])

# %% while/counter in place
@ms.jit
def f(x, n):
    i = Tensor(0)
    while i < n:
        if i % 2 == 0:
            x = x * 2
        else:
            x = x + 1
        i += 1
    return x

show([f(Tensor(1.0), Tensor(n)) for n in (0, 1, 4)])

# %% while/True with break
@ms.jit
def f(x):
    while True:
        x = x * 2
        if x > 10:
            break
    return x

attempt(lambda: (f(Tensor(1.0)), f(Tensor(20.0))))

# %% while/python condition
@ms.jit
def f(x, n):
    i = 0
    while i < n:
        x = x + i
        i += 1
    return x

show(f(Tensor(1.0), 4))

# %% while/Cell with Parameter
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w")

    def construct(self, x):
        i = Tensor(0)
        while i < 3:
            x = x * self.w
            i = i + 1
        return x

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
show(net(Tensor(3.0)))
show(ms.grad(net, 0, net.trainable_params())(Tensor(3.0)))

# %% while/Parameter assigned
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.seen = Parameter(Tensor(0.0), name="seen")

    def construct(self, x, n):
        i = Tensor(0)
        while i < n:
            self.seen = self.seen + x
            i = i + 1
        return self.seen + 0

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
show(net(Tensor(3.0), Tensor(2)), net.seen.value())

# %% while/variable only inside
@ms.jit
def f(x):
    while x < 10:
        y = x * 2
        x = x + y
    return x

show(f(Tensor(1.0)))

# %% while/variable only inside read after
@ms.jit
def f(x):
    while x < 10:
        y = x * 2
        x = x + y
    return y

attempt(lambda: f(Tensor(1.0)))

# %% while/newton
@ms.jit
def root(a):
    x = a
    while ops.abs(x * x - a) > 1e-4:
        x = 0.5 * (x + a / x)
    return x

show(root(Tensor(2.0)), root(Tensor(9.0)))

# %% while/shape changes
@ms.jit
def f(x, n):
    i = Tensor(0)
    while i < n:
        x = ops.concat((x, x))
        i = i + 1
    return x.sum()

attempt(lambda: f(Tensor([1.0]), Tensor(2)) if False else None)

# %% for/range of a number
@ms.jit
def f(x):
    for i in range(4):
        if x > 5:
            x = x + i
        else:
            x = x * 2
    return x

show(f(Tensor(1.0)), f(Tensor(6.0)))
show(ms.grad(f)(Tensor(1.0)), ms.grad(f)(Tensor(6.0)))

# %% for/break over a Tensor condition
@ms.jit
def f(x):
    for i in range(10):
        x = x + i
        if x > 12:
            break
    return x

show(f(Tensor(1.0)), f(Tensor(11.0)), f(Tensor(-100.0)))
show(ms.grad(f)(Tensor(1.0)))

# %% for/continue over a Tensor condition
@ms.jit
def f(x):
    total = x * 0
    for i in range(5):
        if x * i > 6:
            continue
        total = total + x * i
    return total

show(f(Tensor(1.0)), f(Tensor(3.0)))
show(ms.grad(f)(Tensor(3.0)))

# %% for/return inside
@ms.jit
def f(x):
    for i in range(5):
        x = x + i
        if x > 5:
            return x * 10
    return x

show(f(Tensor(0.0)), f(Tensor(-20.0)))

# %% for/over a Tensor
@ms.jit
def f(x):
    total = x[0] * 0
    for row in x:
        if row.sum() > 0:
            total = total + row
        else:
            total = total - row * 2
    return total

show(f(Tensor([[1.0, 2.0], [-3.0, 1.0], [0.5, 0.5]])))
show(ms.grad(f)(Tensor([[1.0, 2.0], [-3.0, 1.0], [0.5, 0.5]])))

# %% for/over a tuple
@ms.jit
def f(x, y, z):
    out = x * 0
    for v in (x, y, z):
        if v > 1:
            out = out + v
    return out

show(f(Tensor(1.0), Tensor(2.0), Tensor(3.0)))
show(ms.grad(f, (0, 1, 2))(Tensor(1.0), Tensor(2.0), Tensor(3.0)))

# %% for/enumerate and zip
@ms.jit
def f(x, y):
    out = 0
    for i, (a, b) in enumerate(zip(x, y)):
        if a > b:
            out = out + a * i
        else:
            out = out + b * i
    return out

show(f((Tensor(1.0), Tensor(2.0)), (Tensor(0.0), Tensor(5.0))))

# %% for/list append
@ms.jit
def f(x):
    out = []
    for i in range(3):
        if x > i:
            y = x * i
        else:
            y = -x
        out.append(y)
    return ops.stack(out)

show(f(Tensor(1.5)))
show(ms.grad(f)(Tensor(1.5)))

# %% for/list comprehension
@ms.jit
def f(x):
    if x.sum() > 0:
        parts = [v * 2 for v in (x, x + 1)]
    else:
        parts = [v * 3 for v in (x, x - 1)]
    return parts[0] + parts[1]

show(f(Tensor([1.0, 2.0])), f(Tensor([-1.0, -2.0])))

# %% for/dict values
@ms.jit
def f(x):
    d = {"a": x, "b": x * 2}
    if x > 0:
        d["a"] = x * 10
    else:
        d["b"] = x
    return d["a"] + d["b"]

attempt(lambda: (f(Tensor(1.0)), f(Tensor(-1.0))))

# %% for/cells
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.ReLU(), nn.Sigmoid(), nn.Tanh()])

    def construct(self, x):
        for layer in self.layers:
            y = layer(x)
            if y.sum() > 0.5:
                x = y
        return x

ms.set_context(mode=ms.GRAPH_MODE)
show(Net()(Tensor([-1.0, 1.5])))
show(ms.grad(Net())(Tensor([-1.0, 1.5])))

# %% index/assignment in a branch
@ms.jit
def f(x):
    if x.sum() > 3:
        x[0] = 10
    else:
        x[1] = -1
    return x * 2

show(f(Tensor([1.0, 5.0])), f(Tensor([1.0, 1.0])))

# %% index/assignment in a loop
@ms.jit
def f(x, n):
    i = Tensor(0)
    while i < n:
        x[i] = x[i] * 2
        i = i + 1
    return x

attempt(lambda: f(Tensor([1.0, 5.0, 7.0]), Tensor(2)))

# %% index/tuple and list by a Tensor
@ms.jit
def f(i, x):
    xs = (x, x * x, x * x * x)
    ys = [x, x + 1]
    return xs[i] + ys[i - 1]

show(f(Tensor(1), Tensor(2.0)), f(Tensor(2), Tensor(2.0)))
show(ms.grad(f, 1)(Tensor(1), Tensor(2.0)), ms.grad(f, 1)(Tensor(2), Tensor(2.0)))

# %% index/cells by a Tensor
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.ReLU(), nn.Sigmoid(), nn.Tanh()])

    def construct(self, i, x):
        return self.layers[i](x)

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
show([net(Tensor(i, ms.int32), Tensor([2.0, -1.0])) for i in (0, 1, 2, -1)])
show(ms.grad(net, 1)(Tensor(1, ms.int32), Tensor([2.0, -1.0])))

# %% recursion/number
def fact(n, x):
    if n <= 1:
        return x
    return n * fact(n - 1, x)

@ms.jit
def f(x):
    if x > 0:
        return fact(4, x)
    return fact(3, x)

show(f(Tensor(2.0)), f(Tensor(-2.0)))

# %% builtin/int float bool
@ms.jit
def f(x):
    if bool(x > 2):
        return x * 2
    return x

show(f(Tensor(3.0)), f(Tensor(1.0)))

# %% builtin/max min
@ms.jit
def f(x, y):
    return max(x, y) - min(x, y)

attempt(lambda: (f(Tensor(3.0), Tensor(5.0)), f(Tensor(7.0), Tensor(5.0))))

# %% builtin/len and range
@ms.jit
def f(x):
    total = x[0] * 0
    for i in range(len(x)):
        if x[i] > 1:
            total = total + x[i]
    return total

show(f(Tensor([1.0, 2.0, 3.0])))

# %% raise/python condition
@ms.jit
def f(x, n):
    if n < 0:
        raise ValueError("n must not be negative")
    return x * n

show(f(Tensor(1.0), 2))
attempt(lambda: f(Tensor(1.0), -2))

# %% raise/Tensor condition
@ms.jit
def f(x):
    if x < 0:
        raise ValueError("x must not be negative")
    return x * 2

attempt(lambda: f(Tensor(1.0)))

# %% assert/python condition
@ms.jit
def f(x):
    assert x.ndim == 1, "one axis"
    return x * 2

show(f(Tensor([1.0])))

# %% grad/inside jit
def loss(x, w):
    if x > 0:
        return x * w * w
    return w

@ms.jit
def step(x, w):
    return ms.grad(loss, 1)(x, w)

show(step(Tensor(3.0), Tensor(2.0)), step(Tensor(-3.0), Tensor(2.0)))

# %% grad/second order
@ms.jit
def f(x):
    if x > 1:
        return x * x * x
    return x * x

show(ms.grad(ms.grad(f))(Tensor(3.0)), ms.grad(ms.grad(f))(Tensor(0.5)))

# %% grad/value_and_grad of a Cell with a loss
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")

    def construct(self, x):
        y = self.dense(x)
        if y.mean() > 1:
            y = y / y.mean()
        return y

net = Net()

def forward(x):
    return net(x).sum()

gradient = ms.value_and_grad(forward, None, net.trainable_params())

@ms.jit
def step(x):
    return gradient(x)

show(step(Tensor([[1.0, 2.0], [3.0, 4.0]])), step(Tensor([[0.1, 0.2], [0.3, 0.4]])))

# %% grad/leapfrog of jits
@ms.jit
def inner(x):
    if x > 2:
        return x * x
    return x

@ms.jit
def outer(x):
    y = inner(x)
    while y < 50:
        y = inner(y) + 1
    return y

show(outer(Tensor(3.0)), outer(Tensor(1.5)))
show(ms.grad(outer)(Tensor(3.0)))

# %% for/collatz
@ms.jit
def collatz(n):
    steps = Tensor(0)
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps = steps + 1
    return steps

show(collatz(Tensor(6)), collatz(Tensor(27)))

# %% while/power iteration
@ms.jit
def largest(a, v):
    previous = Tensor(0.0)
    value = Tensor(1.0)
    while ops.abs(value - previous) > 1e-5:
        previous = value
        v = ops.matmul(a, v)
        value = ops.sqrt((v * v).sum())
        v = v / value
    return value

show(largest(Tensor([[2.0, 1.0], [1.0, 3.0]]), Tensor([[1.0], [1.0]])))

# %% jump/a variable of one branch after a return in the other
@ms.jit
def f(x):
    if x > 5:
        if x > 8:
            return x
        z = x * 3
    else:
        z = x
        if x < 2:
            return z - 1
        w = z + 1
        z = w * 2
    return z

for v in (1, 3, 6, 9):
    attempt(lambda: f(Tensor(v)))

# %% jump/a variable of one branch after break and continue in others
@ms.jit
def f(x):
    i = 0
    while i < 3:
        i += 1
        if x > 6:
            break
        elif x > 3:
            t = x * 2
            continue
        else:
            t = x + 1
        x = t
    return x

for v in (-1, 3, 4, 9):
    attempt(lambda: f(Tensor(v)))

# %% jump/return out of a while
@ms.jit
def f(x):
    while x < 10:
        if x > 5:
            return x
        y = x + 3
        x = y
    return x * 100

for v in (1, 6, 11):
    attempt(lambda: f(Tensor(v)))

# %% while/a list that grows
@ms.jit
def f(x, n):
    out = [x]
    i = 0
    while i < n:
        out.append(out[-1] * 2)
        i = i + 1
    return out

attempt(lambda: f(Tensor([1.0]), Tensor(2)))

@ms.jit
def g(x):
    l = [x]
    while len(l) < 3:
        l.append(l[-1] + 1)
    while l[-1] < 5:
        l.append(l[-1] + 1)
    return l

attempt(lambda: g(Tensor(1)))

# %% while/None and then a Tensor
@ms.jit
def f(x):
    y = None
    while x < 5:
        x = x + 1
        y = x if y is None else y + x
    return y

attempt(lambda: f(Tensor(1)))

# %% if/one expression in another
@ms.jit
def f(x, y):
    a = x if (x > y).any() else y if x.sum() > 3 else x * y
    return a if a.sum() > 5 else (-a if a.sum() < 2 else a + (1 if a.max() > 2 else 2))

for v in (0.0, 1.0, 2.0, 5.0):
    attempt(lambda: f(Tensor(np.full(2000, v), ms.float32), Tensor(np.full(2000, 1.5), ms.float32)).sum())

# %% jump/a number out of a while
@ms.jit
def prime(n):
    if n < 2:
        return False
    i = 2
    while i * i <= n:
        if n % i == 0:
            return False
        i += 1
    return True

show([type(prime(Tensor(n))).__name__ for n in (1, 7, 9)])
show([prime(Tensor(n)) for n in (1, 7, 9)])
