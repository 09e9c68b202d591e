"""Contents of compiled functions besides control flow, as users write them for MindSpore (see snippets.py)."""

# ruff: noqa
# pyright: basic, reportUndefinedVariable=false, reportAttributeAccessIssue=false

# %% value/reshape by a Tensor
@ms.jit
def f(x, t):
    return ops.reshape(x, t)

show(f(Tensor(np.arange(6.0), ms.float32), Tensor([2, 3])))

# %% value/reshape by a Tensor in a tuple
@ms.jit
def f(x, n):
    return ops.reshape(x, (n, -1))

show(f(Tensor(np.arange(6.0), ms.float32), Tensor(2)))

# %% value/range of an int of a Tensor with list
@ms.jit
def f(x, n):
    out = []
    for i in range(n):
        out.append(x + i)
    return out

attempt(lambda: f(Tensor([1.0, 2.0]), Tensor(3)))

# %% value/asnumpy
@ms.jit
def f(x, t):
    return x + float(t.asnumpy().sum())

attempt(lambda: f(Tensor([1.0, 2.0]), Tensor([1, 2])))

# %% value/asnumpy of computed
@ms.jit
def f(x):
    y = x * 2
    return Tensor(np.exp(y.asnumpy()))

attempt(lambda: f(Tensor([1.0, 2.0])))

# %% value/returns numpy
@ms.jit
def f(x):
    return x.asnumpy()

attempt(lambda: f(Tensor([1.0, 2.0])))

# %% value/int as size
@ms.jit
def f(t):
    return ops.ones(int(t) + 1, ms.float32)

attempt(lambda: f(Tensor(2)))

# %% value/int as slice end
@ms.jit
def f(x, t):
    return x[:int(t)]

attempt(lambda: f(Tensor([1.0, 2.0, 3.0]), Tensor(2)))

# %% value/slice by Tensors
@ms.jit
def f(x, a, b):
    return x[a:b]

attempt(lambda: f(Tensor([1.0, 2.0, 3.0]), Tensor(1), Tensor(3)))

# %% value/item in condition
@ms.jit
def f(x, t):
    if t.item() > 3:
        return x
    return x * 2

attempt(lambda: f(Tensor([1.0, 2.0]), Tensor(2)))
attempt(lambda: f(Tensor([1.0, 2.0]), Tensor(5)))

# %% value/tile
@ms.jit
def f(x, t):
    return ops.tile(x, t)

attempt(lambda: f(Tensor([1.0, 2.0]), Tensor([2, 1])))
attempt(lambda: f(Tensor([1.0, 2.0]), (Tensor(2), 1)))

# %% value/nonzero
@ms.jit
def f(x):
    return ops.nonzero(x * 2)

attempt(lambda: f(Tensor([0.0, 1.0, 2.0])))

# %% value/masked_select
@ms.jit
def f(x):
    return ops.masked_select(x, x > 1).sum()

attempt(lambda: f(Tensor([0.0, 1.0, 2.0])))

# %% value/unique
@ms.jit
def f(x):
    return ops.unique(x)

attempt(lambda: f(Tensor([2, 1, 2])))

# %% value/boolean index
@ms.jit
def f(x):
    return x[x > 1]

attempt(lambda: f(Tensor([0.0, 1.0, 2.0])))

# %% value/axis Tensor
@ms.jit
def f(x, a):
    return ops.ReduceSum()(x, a)

attempt(lambda: f(Tensor([[0.0, 1.0, 2.0]]), Tensor(1)))

# %% value/broadcast_to
@ms.jit
def f(x, n):
    return ops.broadcast_to(x, (n, 2))

attempt(lambda: f(Tensor([1.0, 2.0]), Tensor(3)))

# %% value/shape of Tensor plus arithmetic
@ms.jit
def f(x):
    s = ops.TensorShape()(x)
    return ops.reshape(x, (s[0] * s[1],)) if False else s * 2

attempt(lambda: f(Tensor([[1.0, 2.0]])))

# %% value/mutable int
@ms.jit
def f(x, n):
    return ops.reshape(x, (n, -1))

attempt(lambda: f(Tensor(np.arange(6.0), ms.float32), ms.mutable(2)))

# %% value/list of numbers times Tensor
@ms.jit
def f(n):
    return [1, 2] * n

attempt(lambda: f(2))
attempt(lambda: f(Tensor(2)))

# %% value/arange of Tensor
@ms.jit
def f(n):
    return ops.arange(n)

attempt(lambda: f(Tensor(4)))

# %% builtin/sum
@ms.jit
def f(x, y):
    return sum([x, y]), sum((1, 2, 3)), sum(x), sum([x, y], 10)

attempt(lambda: f(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))

# %% builtin/max min
@ms.jit
def f(x, y):
    return max(x, y), min(x, y), max([1, 5, 3]), min(2, 1)

attempt(lambda: f(Tensor(1.0), Tensor(3.0)))

# %% builtin/max of list of Tensors
@ms.jit
def f(x, y):
    return max([x, y]), min((x, y))

attempt(lambda: f(Tensor(2.0), Tensor(5.0)))

# %% builtin/abs pow round
@ms.jit
def f(x):
    return abs(x), pow(x, 2), round(x), divmod(7, 2)

attempt(lambda: f(Tensor([-1.3, 2.7])))

# %% builtin/abs pow
@ms.jit
def f(x):
    return abs(x), pow(x, 2), abs(-3), pow(2, 3)

attempt(lambda: f(Tensor([-1.3, 2.7])))

# %% builtin/round
@ms.jit
def f(x):
    return round(x), round(2.7), round(2.345, 2)

attempt(lambda: f(Tensor([-1.3, 2.7])))

# %% builtin/str
@ms.jit
def f(x):
    return str(3), str((1, 2)), str("a")

attempt(lambda: f(Tensor(2.7)))

# %% builtin/len
@ms.jit
def f(x):
    return len(x), len([1, 2]), len({"a": 1}), len("abc")

attempt(lambda: f(Tensor([[1.0, 2.0], [3.0, 4.0]])))

# %% builtin/isinstance
@ms.jit
def f(x):
    return isinstance(x, Tensor), isinstance(1, int), isinstance(x, (int, Tensor)), isinstance([x], list), isinstance("a", str)

attempt(lambda: f(Tensor([1.0])))

# %% builtin/type
@ms.jit
def f(x):
    if type(x) == Tensor:
        return x + 1
    return x

attempt(lambda: f(Tensor([1.0])))

# %% builtin/hasattr getattr
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = 3

    def construct(self, x):
        y = getattr(self, "a") + getattr(self, "b", 10)
        if hasattr(self, "a") and not hasattr(self, "zz"):
            y = y + 1
        return x * y, getattr(x, "shape"), hasattr(x, "nothing")

ms.set_context(mode=ms.GRAPH_MODE)
attempt(lambda: Net()(Tensor([1.0])))

# %% builtin/getattr missing
class Net(nn.Cell):
    def construct(self, x):
        return getattr(self, "b")

ms.set_context(mode=ms.GRAPH_MODE)
attempt(lambda: Net()(Tensor([1.0])))

# %% builtin/zip enumerate map filter
@ms.jit
def f(x, y):
    out = []
    for i, (a, b) in enumerate(zip((x, y), (1, 2))):
        out.append(a * b + i)
    doubled = map(lambda v: v * 2, [1, 2, 3])
    kept = filter(lambda v: v > 1, [1, 2, 3])
    return out, tuple(doubled), list(kept)

attempt(lambda: f(Tensor([1.0]), Tensor([2.0])))

# %% builtin/map returned
@ms.jit
def f(x, y):
    return map(lambda a, b: a + b, [x, 1], [y, 2])

attempt(lambda: f(Tensor([1.0]), Tensor([2.0])))

# %% builtin/filter returned
@ms.jit
def f(x):
    return filter(lambda a: a > 1, [1, 2, 3])

attempt(lambda: f(Tensor([1.0])))

# %% builtin/zip returned
@ms.jit
def f(x):
    return zip((1, 2), (x, x))

attempt(lambda: f(Tensor([1.0])))

# %% builtin/enumerate returned
@ms.jit
def f(x):
    return enumerate((x, 2), start=1)

attempt(lambda: f(Tensor([1.0])))

# %% builtin/range returned
@ms.jit
def f(x):
    return range(3)

attempt(lambda: f(Tensor([1.0])))

# %% builtin/dict out
@ms.jit
def f(x):
    d = dict(a=x, b=2)
    return d, {"c": [x, (1, None)]}

attempt(lambda: f(Tensor([1.0])))

# %% builtin/dict keys and values
@ms.jit
def f(x):
    d = {"a": x, "b": 2}
    return list(d.keys()), tuple(d.values())

attempt(lambda: f(Tensor([1.0])))

# %% builtin/list clear
@ms.jit
def f(x):
    a = [1, 2]
    a.clear()
    return a

attempt(lambda: f(Tensor([1.0])))

# %% builtin/sorted reversed
@ms.jit
def f(x):
    return sorted([3, 1, 2]), list(reversed([1, 2]))

attempt(lambda: f(Tensor([1.0])))

# %% builtin/f-string
@ms.jit
def f(x):
    name = "a"
    return f"{name}_{1 + 1}", x

attempt(lambda: f(Tensor([1.0])))

# %% builtin/format and percent
@ms.jit
def f(x):
    return "{} {}".format(1, "b"), "%s-%d" % ("a", 3), x

attempt(lambda: f(Tensor([1.0])))

# %% builtin/string operations
@ms.jit
def f(x):
    s = "abc"
    return s[0], s + "d", s.upper(), s == "abc", "b" in s, x

attempt(lambda: f(Tensor([1.0])))

# %% builtin/in
@ms.jit
def f(x):
    return 1 in [1, 2], 3 not in (1, 2), "a" in {"a": 1}, x

attempt(lambda: f(Tensor([1.0])))

# %% builtin/comprehension
@ms.jit
def f(x):
    a = [x * i for i in range(3)]
    b = [i for i in range(6) if i % 2 == 0]
    c = {k: v for k, v in zip(("p", "q"), (1, 2))}
    return a, b, c

attempt(lambda: f(Tensor([1.0])))

# %% builtin/lambda
@ms.jit
def f(x):
    g = lambda a, b=2: a * b
    return g(x), g(x, 3), (lambda v: v + 1)(x)

attempt(lambda: f(Tensor([1.0])))

# %% builtin/unpack
@ms.jit
def f(*args, **kwargs):
    a, *b = args
    (c, d), e = (1, 2), 3
    return a, b, kwargs["k"] * c + d + e

attempt(lambda: f(Tensor([1.0]), Tensor([2.0]), Tensor([3.0]), k=Tensor([2.0])))

# %% builtin/star call
def g(a, b, c=1, *rest, d=2):
    return a + b + c + d + sum(rest)

@ms.jit
def f(x):
    args = (x, 2)
    return g(*args), g(*args, 3, 4, 5), g(*args, **{"d": 10})

attempt(lambda: f(Tensor([1.0])))

# %% out/dict views
@ms.jit
def f(x):
    d = {"a": x, "b": 2}
    return d.keys(), d.values()

attempt(lambda: f(Tensor([1.0])))

# %% out/dict items
@ms.jit
def f(x):
    d = {"a": x, "b": 2}
    return d.items()

attempt(lambda: f(Tensor([1.0])))

# %% out/none and nested
@ms.jit
def f(x):
    return None, (x, [None, "a", True, 1.5]), {"k": (x,)}

attempt(lambda: f(Tensor([1.0])))

# %% out/nothing
@ms.jit
def f(x):
    y = x + 1

attempt(lambda: f(Tensor([1.0])))

# %% out/dtype
@ms.jit
def f(x):
    return x.dtype, x.shape, x.ndim, x.size

attempt(lambda: f(Tensor([1.0])))

# %% out/list argument in place
@ms.jit
def f(x, a):
    a.append(x)
    return a

a = [Tensor([2.0])]
attempt(lambda: f(Tensor([1.0]), a))
show(a)

# %% out/list argument setitem
@ms.jit
def f(x, a):
    a[0] = x
    return a

a = [Tensor([2.0])]
attempt(lambda: f(Tensor([1.0]), a))
show(a)

# %% class/jit_class
@ms.jit_class
class Config:
    def __init__(self, k):
        self.k = k
        self.items = [1, 2]

    def scale(self, x):
        return x * self.k

    def __call__(self, x):
        return x + self.k

    @staticmethod
    def plus(x):
        return x + 1

    @property
    def double(self):
        return self.k * 2

config = Config(3)

@ms.jit
def f(x):
    return config.scale(x), config(x), Config.plus(x), config.double, config.items[1]

attempt(lambda: f(Tensor([1.0])))

# %% class/jit_class made inside
@ms.jit_class
class Config:
    def __init__(self, k):
        self.k = k

    def scale(self, x):
        return x * self.k

@ms.jit
def f(x):
    return Config(4).scale(x)

attempt(lambda: f(Tensor([1.0])))

# %% class/tensor attribute assigned in construct
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.last = Tensor([0.0])

    def construct(self, x):
        self.last = x * 2
        return x

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
attempt(lambda: net(Tensor([1.0])))
attempt(lambda: net.last)

# %% class/inheritance and super
class Base(nn.Cell):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def helper(self, x):
        return x * self.k

    def construct(self, x):
        return self.helper(x)

class Net(Base):
    def __init__(self):
        super().__init__(3)

    def helper(self, x):
        return super().helper(x) + 1

ms.set_context(mode=ms.GRAPH_MODE)
attempt(lambda: Net()(Tensor([1.0])))

# %% class/sequential cell
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.seq = nn.SequentialCell([nn.ReLU(), nn.ReLU6()])

    def construct(self, x):
        return self.seq(x) + self.seq[1](x)

ms.set_context(mode=ms.GRAPH_MODE)
attempt(lambda: Net()(Tensor([1.0, -2.0, 9.0])))

# %% class/parameter tuple
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.ps = ms.ParameterTuple([Parameter(Tensor([1.0]), name="a"), Parameter(Tensor([2.0]), name="b")])

    def construct(self, x):
        for p in self.ps:
            x = x * p
        ops.assign(self.ps[0], x)
        return x, self.ps[1]

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
attempt(lambda: net(Tensor([3.0])))
show(net.ps[0].value())

# %% state/order of side effects
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0]), name="w")

    def construct(self, x):
        a = self.w * 1
        ops.assign(self.w, x)
        b = self.w * 1
        ops.assign_add(self.w, x)
        c = self.w * 1
        self.w = self.w + 1
        return a, b, c, self.w

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
attempt(lambda: net(Tensor([5.0])))
show(net.w.value())

# %% state/augmented
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0]), name="w")

    def construct(self, x):
        self.w += x
        self.w *= 2
        return self.w - 1

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
attempt(lambda: net(Tensor([5.0])))
show(net.w.value())

# %% state/depend
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0]), name="w")

    def construct(self, x):
        a = ops.assign(self.w, x)
        x = ops.depend(x, a)
        return x + self.w

ms.set_context(mode=ms.GRAPH_MODE)
attempt(lambda: Net()(Tensor([5.0])))

# %% state/setitem of a parameter
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]), name="w")

    def construct(self, x):
        self.w[0] = x
        return self.w * 2

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
attempt(lambda: net(Tensor(5.0)))
show(net.w.value())

# %% state/parameter argument
@ms.jit
def f(w, x):
    ops.assign(w, x)
    return w + 1

w = Parameter(Tensor([1.0]), name="w")
attempt(lambda: f(w, Tensor([4.0])))
show(w.value())

# %% const/constexpr
from mindspore.ops import constexpr

@constexpr
def size(n):
    return tuple(range(n))

@ms.jit
def f(x):
    return x.sum(size(x.ndim)), size(2)

attempt(lambda: f(Tensor([[1.0, 2.0]])))

# %% const/primexpr
from mindspore.ops.primitive import _primexpr, constexpr

@_primexpr
def size(shape):
    total = 1
    for s in shape:
        total *= s
    return total

@ms.jit
def f(x):
    return size(x.shape), x

attempt(lambda: f(Tensor([[1.0, 2.0]])))

# %% const/numpy
@ms.jit
def f(x):
    a = np.array([1.0, 2.0])
    b = np.arange(4).reshape(2, 2).sum(axis=0)
    return Tensor(a, ms.float32) + x, Tensor(b), a.shape, np.pi > 3

attempt(lambda: f(Tensor([1.0, 2.0])))

# %% const/numpy returned
@ms.jit
def f():
    return np.array([1.0, 2.0])

attempt(lambda: f())

# %% const/tensor constants
@ms.jit
def f():
    x = Tensor([1, 2, 3])
    y = Tensor(2)
    return x * y, x.asnumpy(), x.sum()

attempt(lambda: f())

# %% const/dtype and Tensor construction
@ms.jit
def f(x):
    a = Tensor([1, 2], ms.float32)
    b = ms.Tensor(np.ones((2,)), dtype=ms.int32)
    return a + b, Tensor(1.5), x.astype(ms.int32), x.astype("float16")

attempt(lambda: f(Tensor([1.0, 2.0])))

# %% const/Tensor of a Tensor
@ms.jit
def f(x):
    return Tensor([x, x + 1]) if False else ms.Tensor(x), Tensor((1, 2))

attempt(lambda: f(Tensor([1.0, 2.0])))

# %% const/Tensor of a list with Tensors
@ms.jit
def f(x):
    return Tensor([x, x + 1])

attempt(lambda: f(Tensor(1.0)))

# %% const/math
import math

@ms.jit
def f(x):
    return math.sqrt(4) * x, math.pi > 3, math.floor(2.5)

attempt(lambda: f(Tensor([1.0, 2.0])))

# %% const/reduce
from functools import reduce, partial

@ms.jit
def f(x):
    return reduce(lambda a, b: a * b, [x, 2, 3]), partial(lambda a, b: a - b, x)(1)

attempt(lambda: f(Tensor([1.0, 2.0])))

# %% const/slices
@ms.jit
def f(x):
    t = (1, 2, 3, 4)
    s = slice(1, 3)
    return t[s], t[::-1], x[s], x[..., None].shape, x[::-1] if False else 0

attempt(lambda: f(Tensor([1.0, 2.0, 3.0])))

# %% const/tuple operations
@ms.jit
def f(x):
    t = (1, 2) + (x,) + (3,) * 2
    return t, (1, 2) == (1, 2), (1, 2) < (1, 3), [1] + [2], [1, 2] == [1, 2]

attempt(lambda: f(Tensor([1.0])))

# %% const/number operations
@ms.jit
def f(x):
    return 7 // 2, 7 % 3, 2 ** 3, 7 / 2, -3 // 2, 5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 3, 16 >> 2, x

attempt(lambda: f(Tensor([1.0])))

# %% flow/raise constant
@ms.jit
def f(x, n):
    if n > 3:
        raise ValueError("too large", n)
    return x

attempt(lambda: f(Tensor([1.0]), 2))
attempt(lambda: f(Tensor([1.0]), 5))

# %% flow/assert
@ms.jit
def f(x, n):
    assert n > 1, "n must be large"
    assert x.ndim == 1
    return x

attempt(lambda: f(Tensor([1.0]), 2))
attempt(lambda: f(Tensor([1.0]), 1))

# %% flow/assert Tensor
@ms.jit
def f(x):
    assert x > 1, "small"
    return x

attempt(lambda: f(Tensor(2.0)))
attempt(lambda: f(Tensor(1.0)))

# %% flow/pass and del and global
counter = 5

@ms.jit
def f(x):
    global counter
    y = x + counter
    if x.ndim == 1:
        pass
    return y

attempt(lambda: f(Tensor([1.0])))

# %% flow/nonlocal and closures
def make():
    k = 2

    @ms.jit
    def f(x):
        def inner(y):
            return y * k + x

        def deeper(h, v):
            return h(v) + 1

        return deeper(inner, x)

    return f

attempt(lambda: make()(Tensor([1.0])))

# %% flow/recursion
@ms.jit
def fact(n):
    if n <= 1:
        return 1
    return n * fact(n - 1)

attempt(lambda: fact(5))

# %% flow/recursion on a Tensor
def fact(x, n):
    if n < 1:
        return x
    return fact(x * n, n - 1)

@ms.jit
def f(x):
    return fact(x, 4)

attempt(lambda: f(Tensor(1.0)))

# %% flow/for over dict zip range steps
@ms.jit
def f(x):
    for k, v in {"a": 1, "b": 2}.items():
        x = x + v
    for i in range(5, 0, -2):
        x = x * i
    for a, (b, c) in zip((1, 2), ((3, 4), (5, 6))):
        x = x + a * b - c
    return x

attempt(lambda: f(Tensor([1.0])))

# %% flow/for over Tensor rows and enumerate
@ms.jit
def f(x):
    out = x[0] * 0
    for i, row in enumerate(x):
        out = out + row * i
    return out

attempt(lambda: f(Tensor([[1.0, 2.0], [3.0, 4.0]])))

# %% flow/walrus and chained compare
@ms.jit
def f(x, n):
    if 1 < n < 5 and not n == 3:
        return x + n
    return x - n

attempt(lambda: f(Tensor([1.0]), 2))
attempt(lambda: f(Tensor([1.0]), 3))

# %% flow/ternary nested and or default
@ms.jit
def f(x, y=None, k=3):
    y = y or k
    z = x * 2 if y > 2 else x * 3 if y > 1 else x
    return z, y and 5, None or 7, 0 and x

attempt(lambda: f(Tensor([1.0])))
attempt(lambda: f(Tensor([1.0]), 1))
attempt(lambda: f(Tensor([1.0]), k=2))

# %% hyper/Map and Partial
@ms.jit
def f(x, y):
    double = ops.Partial()(lambda a, b: a * b, 2)
    return ops.Map()(lambda a: a + 1, (x, y)), double(x)

attempt(lambda: f(Tensor([1.0]), Tensor([2.0])))

# %% hyper/functional partial and map
from mindspore.ops import functional as F

@ms.jit
def f(x, y):
    return F.partial(lambda a, b: a - b, x)(y), tuple(map(lambda a: a * 2, (x, y)))

attempt(lambda: f(Tensor([1.0]), Tensor([2.0])))

# %% grad/GradOperation inside
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0]), name="w")

    def construct(self, x, y):
        return x * x * self.w + y

class Grad(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.all = ops.GradOperation(get_all=True)
        self.by = ops.GradOperation(get_by_list=True, sens_param=True)
        self.params = ms.ParameterTuple(net.trainable_params())

    def construct(self, x, y):
        return self.all(self.net)(x, y), self.by(self.net, self.params)(x, y, Tensor([3.0]))

ms.set_context(mode=ms.GRAPH_MODE)
attempt(lambda: Grad(Net())(Tensor([3.0]), Tensor([1.0])))

# %% grad/inside functions
@ms.jit
def f(x):
    g = ms.grad(lambda v: v ** 3)
    vg = ms.value_and_grad(lambda a, b: a * b, (0, 1))
    return g(x), ms.grad(g)(x), vg(x, x + 1)

attempt(lambda: f(Tensor([2.0])))

# %% grad/with number argument
@ms.jit
def f(x, n):
    return x ** n

show(ms.grad(f)(Tensor([2.0]), 3))

# %% grad/through containers
@ms.jit
def f(x):
    d = {"a": x, "b": [x * 2, (x * 3,)]}
    return d["a"] + d["b"][0] + d["b"][1][0]

show(ms.grad(f)(Tensor([2.0])))

# %% grad/dict out
@ms.jit
def f(x):
    return {"a": x * 2, "b": x * 3}

attempt(lambda: ms.grad(f)(Tensor([2.0])))

# %% args/dict and list
@ms.jit
def f(d, items, t):
    return d["a"] + items[0] * t[1], len(d), list(d.keys())

attempt(lambda: f({"a": Tensor([1.0]), "b": 2}, [Tensor([2.0]), 3], (1, Tensor([4.0]))))

# %% args/defaults and keyword only
@ms.jit
def f(x, *, k=2, **more):
    return x * k + more.get("b", 0)

attempt(lambda: f(Tensor([1.0])))
attempt(lambda: f(Tensor([1.0]), k=3, b=1))

# %% args/cell with kwargs
class Net(nn.Cell):
    def construct(self, x, y=2, *args, z=3, **kwargs):
        return x * y + z, args, kwargs

ms.set_context(mode=ms.GRAPH_MODE)
attempt(lambda: Net()(Tensor([1.0])))
attempt(lambda: Net()(Tensor([1.0]), 3, 4, z=5, w=6))

# %% args/string number bool None
@ms.jit
def f(x, mode, flag, n, none):
    if mode == "a" and flag and none is None:
        return x * n
    return x

attempt(lambda: f(Tensor([1.0]), "a", True, 3, None))
attempt(lambda: f(Tensor([1.0]), "b", True, 3, None))

# %% args/numpy array
@ms.jit
def f(x, a):
    return x

attempt(lambda: f(Tensor([1.0]), np.array([1.0])))

# %% args/cell as argument
@ms.jit
def f(x, cell):
    return cell(x)

attempt(lambda: f(Tensor([-1.0]), nn.ReLU()))

# %% args/function as argument
@ms.jit
def f(x, g):
    return g(x)

attempt(lambda: f(Tensor([-1.0]), ops.abs))

# %% args/wrong count
@ms.jit
def f(x, y):
    return x

attempt(lambda: f(Tensor([-1.0])))

# %% args/undefined name
@ms.jit
def f(x):
    return x + undefined_thing

attempt(lambda: f(Tensor([-1.0])))

# %% args/missing attribute
@ms.jit
def f(x):
    return x.nothing_here

attempt(lambda: f(Tensor([-1.0])))

# %% attr/counter
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count = 0

    def construct(self, x):
        self.count = self.count + 1
        return x + self.count

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
show([net(Tensor([1.0])) for i in range(5)])
show(net.count == 5)

# %% attr/tensor
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.last = Tensor([0.0])

    def construct(self, x):
        old = self.last
        self.last = x * 2
        return old, self.last

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
for i in range(3):
    show(net(Tensor([1.0 + i])), net.last)

# %% attr/tensor returned old
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = Tensor([1.0])
        self.b = Tensor([2.0])

    def construct(self, x):
        self.a, self.b = self.b, self.a + x
        return self.a, self.b

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
for i in range(3):
    show(net(Tensor([1.0])), net.a, net.b)

# %% attr/in a branch
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.last = Tensor([0.0])

    def construct(self, x):
        if x.sum() > 2:
            self.last = x * 2
        else:
            self.last = x
        return x

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
for i in range(3):
    net(Tensor([1.0 + i]))
    show(net.last)

# %% attr/flag
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = True

    def construct(self, x):
        if self.first:
            self.first = False
            return x * 10
        return x

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
show([net(Tensor([1.0])) for i in range(3)], net.first)

# %% attr/None then tensor
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cache = None

    def construct(self, x):
        if self.cache is None:
            self.cache = x
        else:
            self.cache = self.cache + x
        return self.cache

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
show([net(Tensor([1.0])) for i in range(4)])

# %% attr/child
class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.seen = Tensor([0.0])

    def construct(self, x):
        self.seen = self.seen + x
        return x * 2

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def construct(self, x):
        return self.inner(x) + self.inner(x)

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
show([net(Tensor([1.0])) for i in range(2)], net.inner.seen)

# %% attr/list of tensors
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.kept = [Tensor([0.0]), Tensor([1.0])]

    def construct(self, x):
        self.kept = [x, self.kept[0]]
        return self.kept[1]

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
show([net(Tensor([1.0 + i])) for i in range(3)], net.kept)

# %% attr/under grad
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.last = Tensor([0.0])

    def construct(self, x):
        self.last = x * 3
        return x * x

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
show(ms.grad(net)(Tensor([2.0])), net.last)

# %% np/tensor function
@ms.jit
def f(x):
    x = ms.tensor(x.asnumpy(), x.dtype)
    return ops.Abs()(x)

attempt(lambda: f(Tensor([-1.0, 2.0])))

# %% np/mutable shape to tensor
@ms.jit
def f(x):
    s = ms.tensor(ms.mutable(ops.shape(x)), ms.int32)
    return ops.FillV2()(s, Tensor(1, ms.int32))

attempt(lambda: f(Tensor([[2, 2]])))

# %% np/map over numpy
@ms.jit
def f(x, y):
    return tuple(map(lambda a, b: a + b, x.asnumpy(), y.asnumpy()))

attempt(lambda: f(Tensor([1, 2, 3]), Tensor([4, 5, 6])))

# %% np/raise by shape in helper
def check(data, index):
    if data.shape[: index.ndim] == index.shape[:]:
        raise IndexError(f"The shape of index {index.shape} does not match {data.shape}")

class Net(nn.Cell):
    def construct(self, x):
        idx1 = Tensor([[True, False], [False, True], [True, True]])
        idx2 = Tensor([True, True, True, False])
        x1 = ops.gather_nd(x, idx1.nonzero())
        check(x1, idx2)
        return x1

ms.set_context(mode=ms.GRAPH_MODE)
attempt(lambda: Net()(Tensor(np.arange(6).reshape(3, 2).astype(np.float32))))

# %% np/list indexed by Tensors
class Net(nn.Cell):
    def construct(self):
        x = [Tensor([11]), Tensor([22]), Tensor([33])]
        return x[Tensor([0])] + x[Tensor([1])] + x[Tensor([2])]

ms.set_context(mode=ms.GRAPH_MODE)
attempt(lambda: Net()())

# %% np/method by class
class Net(nn.Cell):
    def construct(self, x, y):
        return Net.func(self, x, y)

    def func(self, x, y):
        return x + y

ms.set_context(mode=ms.GRAPH_MODE)
attempt(lambda: Net()(Tensor([1.0]), Tensor([2.0])))

# %% np/dtype as condition
@ms.jit
def f(x):
    d = x.dtype
    if d:
        return 0
    return 1

attempt(lambda: f(Tensor(True)))

# %% set/object attribute
class Target:
    def __init__(self):
        self.x = 1

obj = Target()

@ms.jit
def f():
    obj.x = 99
    return obj.x

attempt(lambda: f())
show(obj.x)

# %% set/nested object augmented
class Inner:
    def __init__(self):
        self.i = 3

class Outer:
    def __init__(self):
        self.inner = Inner()

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.outer = Outer()

    def construct(self):
        self.outer.inner.i += 10
        return self.outer.inner.i

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
attempt(lambda: net())
attempt(lambda: net())
show(net.outer.inner.i)

# %% set/in while
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.x = 5

    def construct(self):
        while self.x > 0:
            self.x = -2
        return self.x

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
attempt(lambda: net())
show(net.x)

# %% set/numpy attribute
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = np.array([1, 2, 3])

    def construct(self):
        self.a = self.a + 1
        return self.a

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
show(net(), net(), net())

# %% set/list attribute assigned
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.data = 1

    def construct(self):
        self.data = [1, 2, 3, 4]
        return self.data

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
attempt(lambda: net())
show(net.data)

# %% set/setattr function
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.data = 1

    def construct(self, x):
        setattr(self, "data", 3)
        return x + self.data

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
attempt(lambda: net(Tensor([1.0])))

# %% set/element of attribute list
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.data = [1, 2]

    def construct(self, x):
        self.data[0] = 7
        return self.data, x

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
attempt(lambda: net(Tensor([1.0])))

# %% dict/order and update
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.para = Parameter(Tensor(2, dtype=ms.float32), name="para")

    def construct(self, x):
        out = x * self.para
        x = {"a": Tensor(1.0), "b": Tensor(2.0)}
        self.para = x.get("a") + out
        out = x.get("b") - self.para
        y = {"c": 3, "b": 4, "d": self.para + 1}
        x.update(y)
        return self.para + out, x

ms.set_context(mode=ms.GRAPH_MODE)
attempt(lambda: Net()(Tensor(10.0)))

# %% dict/alias of a parameter in a dict
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.para = Parameter(Tensor(2, dtype=ms.float32), name="para")

    def construct(self, v):
        self.para = v + 1
        x = {"a": Tensor(1.0), "b": self.para}
        self.para = x.get("a") * 2
        y = x.get("b") + self.para * 2
        self.para = self.para + 10
        return x.get("b") + 1, y, {"c": 3, "b": self.para * 2, "d": self.para + 1}

ms.set_context(mode=ms.GRAPH_MODE)
attempt(lambda: Net()(Tensor(10.0)))

# %% control/while for break
def foo(x, y, b, w):
    while b > w:
        for i in range(2):
            b = x + i
            x = i * w
            if b > 3:
                break
    return x + y

ms.set_context(mode=ms.GRAPH_MODE)
args = [Tensor([5.0]) for _ in range(4)]
show(ms.grad(foo, (0, 1))(*args))

# %% control/closures in tuples
@ms.jit
def net(x, y):
    def function_h():
        pow_res = x ** x

        def function_g(p):
            return pow(pow_res, p)

        return ops.make_tuple(pow_res, function_g) if hasattr(ops, "make_tuple") else (pow_res, function_g)

    def function_f():
        h_out = function_h()
        forward, g = h_out[0], h_out[1]

        def function_k():
            return ops.depend(g(x), g(y))

        return forward, function_k

    out = function_f()
    return out[0] + out[1]()

attempt(lambda: net(Tensor([1], ms.int32), Tensor([1, 2], ms.int32)))

# %% control/function chosen by Tensor
@ms.jit
def f(x):
    def double(v):
        return v * 2

    def triple(v):
        return v * 3

    if x > 0:
        g = double
    else:
        g = triple
    return g(x)

attempt(lambda: f(Tensor(2.0)))
attempt(lambda: f(Tensor(-2.0)))

# %% control/recursion by Tensor
@ms.jit
def f(x):
    if x < 10:
        return f(x * 2)
    return x

attempt(lambda: f(Tensor(1.0)))

# %% control/while with list of Tensors
@ms.jit
def f(x, n):
    xs = [x, x + 1]
    i = 0
    while i < n:
        xs[0] = xs[0] + xs[1]
        i += 1
    return xs

attempt(lambda: f(Tensor([1.0]), Tensor(3)))

# %% control/while on python counters
@ms.jit
def f(x):
    i = 0
    while i < 3:
        j = 0
        while j < 2:
            x = x + i * j
            j += 1
        i += 1
    return x

attempt(lambda: f(Tensor([1.0])))

# %% control/constant Tensors loop
@ms.jit
def f():
    x = Tensor(7).astype("int32")
    y = Tensor(0).astype("int32")
    while x >= y:
        y += x
    return y

attempt(lambda: f())

# %% control/constant Tensors and
@ms.jit
def f():
    x = Tensor(1)
    y = Tensor(8)
    z = Tensor(12)
    while x < y and x + y <= z:
        y = x + y + z
    x += Tensor(3)
    return x + y

attempt(lambda: f())

# %% control/numpy condition
@ms.jit
def f():
    x = np.array([1, 2, 3, 4, 5])
    y = x % 2
    z = Tensor(y)
    for _ in range(3):
        if (x < y).any():
            z = Tensor(x)
    return z

attempt(lambda: f())

# %% control/abs and max in while
@ms.jit
def f():
    x = Tensor(-11, ms.float32)
    y = Tensor(0)
    while abs(x) > Tensor(2):
        x += Tensor(4)
        y += Tensor(1)
    return x, y

attempt(lambda: f())

# %% control/for over tensors list with if
@ms.jit
def f(x):
    out = Tensor(0.0)
    for v in [Tensor(1.0), x, Tensor(3.0)]:
        if v > 1.5:
            out += v
        else:
            out -= v
    return out

attempt(lambda: f(Tensor(2.0)))

# %% control/param in while
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.param_a = Parameter(Tensor([1], ms.float32), name="name_a")

    def construct(self):
        x = Tensor(7).astype("int32")
        y = Tensor(0).astype("int32")
        while x >= self.param_a:
            y += x
            x -= Tensor(-2).astype("int32")
            self.param_a += y
        return self.param_a

ms.set_context(mode=ms.GRAPH_MODE)
attempt(lambda: Net()())

# %% ops/shape rank and dynamic
@ms.jit
def f(x):
    return ops.shape(x), ops.rank(x), ops.dyn_shape(x), ops.size(x)

attempt(lambda: f(Tensor([[1.0, 2.0]])))

# %% ops/make list of Tensors
@ms.jit
def f(x):
    return ops.stack([x for _ in range(2)]), ops.concat((x, x)), ops.addn([x, x])

attempt(lambda: f(Tensor([1.0])))

# %% ops/primitive in construct
class Net(nn.Cell):
    def construct(self, x):
        return ops.ReLU()(x), ops.Cast()(x, ms.int32), ops.ReduceSum(keep_dims=True)(x, 0), ops.Concat(axis=0)((x, x))

ms.set_context(mode=ms.GRAPH_MODE)
attempt(lambda: Net()(Tensor([-1.0, 2.0])))

# %% ops/isinstance of mstype and issubclass
@ms.jit
def f(x):
    return ops.is_tensor(x), ms.dtype.float32 == x.dtype, x.dtype in (ms.float32, ms.float16)

attempt(lambda: f(Tensor([-1.0, 2.0])))

# %% custom/object with call and Tensors
class Scale:
    def __init__(self):
        self.value = Tensor(2.0)

    def __call__(self, x):
        return self.value * x, 100

class Net(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x):
        return self.net(x)

ms.set_context(mode=ms.GRAPH_MODE)
attempt(lambda: Net(Scale())(Tensor([10.0])))

# %% custom/class made with a Tensor
class Inner:
    def __init__(self, number):
        self.number = number

    def act(self, x, y):
        return self.number * (x + y)

class Net(nn.Cell):
    def construct(self, x, y):
        return Inner(x).act(x, y)

ms.set_context(mode=ms.GRAPH_MODE)
attempt(lambda: Net()(Tensor(2), Tensor(4)))

# %% custom/jit_class parameter
@ms.jit_class
class Inner:
    def __init__(self):
        self.para = Parameter(Tensor(2.0), name="para")

    def renew(self, x):
        self.para = x
        return self.para

inner = Inner()

@ms.jit
def f(x):
    return inner.renew(x) + 1

attempt(lambda: f(Tensor(5.0)))
attempt(lambda: inner.para)

# %% custom/named tuple and dataclass
from collections import namedtuple

Point = namedtuple("Point", ["x", "y"])

@ms.jit
def f(p):
    return p.x + p.y

attempt(lambda: f(Point(Tensor([1.0]), Tensor([2.0]))))

# %% more/jit of a method and input signature
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.k = 3

    @ms.jit
    def helper(self, x):
        return x * self.k

    def construct(self, x):
        return self.helper(x) + 1

attempt(lambda: Net()(Tensor([1.0])))

# %% more/two jit functions
@ms.jit
def g(x, n=2):
    return x * n

@ms.jit
def f(x):
    return g(x) + g(x, 3) + g(x, n=4)

attempt(lambda: f(Tensor([1.0])))

# %% more/nonzero then gather
@ms.jit
def f(x):
    i = ops.nonzero(x > 2)
    return ops.gather_nd(x, i), i.shape[0] + 1

attempt(lambda: f(Tensor([1.0, 3.0, 5.0])))

# %% more/tensor_split chunks
@ms.jit
def f(x):
    a, b = ops.chunk(x, 2)
    return [t * 2 for t in ops.split(x, 1)], a, b, x.split(2)

attempt(lambda: f(Tensor([1.0, 3.0, 5.0, 7.0])))

# %% more/setitem forms
@ms.jit
def f(x, i):
    y = x * 1
    y[0, 1] = 5
    y[i] = y[i] + 1
    y[:, 0] = Tensor([7.0, 8.0])
    y[y > 7] = 0
    y[-1] += 1
    return y

attempt(lambda: f(Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), Tensor(1)))

# %% more/index forms
@ms.jit
def f(x, i):
    return x[i], x[i, i], x[..., -1], x[None], x[[0, 1]], x[Tensor([1, 0])], x[1:, ::2], x[True] if False else 0

attempt(lambda: f(Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), Tensor(1)))

# %% more/for range of shape
@ms.jit
def f(x):
    out = x[0] * 0
    for i in range(x.shape[0]):
        for j in range(len(x[i])):
            out = out + x[i, j] * (i + j)
    return out

attempt(lambda: f(Tensor([[1.0, 2.0], [4.0, 5.0]])))

# %% more/while on shape
@ms.jit
def f(x):
    while x.shape[0] < 5:
        x = ops.concat((x, x))
    return x.shape

attempt(lambda: f(Tensor([1.0])))

# %% more/return in for
@ms.jit
def f(x):
    for i in range(5):
        if x > i * 2:
            x = x - 1
        else:
            return x * 100 + i
    return x

attempt(lambda: [f(Tensor(v)) for v in (0.0, 3.0, 20.0)])

# %% more/tuple of tensors compare
@ms.jit
def f(x, y):
    a, b = (x, y) if x.sum() > y.sum() else (y, x)
    return a - b

attempt(lambda: f(Tensor([1.0]), Tensor([3.0])))

# %% more/if with None
@ms.jit
def f(x, flag):
    y = None
    if flag:
        y = x
    if y is not None:
        return y * 2
    return x

attempt(lambda: f(Tensor([1.0]), True))
attempt(lambda: f(Tensor([1.0]), False))

# %% more/if with None by a Tensor
@ms.jit
def f(x):
    y = None
    if x > 0:
        y = x
    return y

attempt(lambda: f(Tensor(1.0)))

# %% more/different shapes in branches
@ms.jit
def f(x):
    if x.sum() > 0:
        return x
    return x[:1]

attempt(lambda: f(Tensor([1.0, 2.0])))
attempt(lambda: f(Tensor([-1.0, -2.0])))

# %% more/shape number in branches
@ms.jit
def f(x):
    if x.sum() > 0:
        y = x
    else:
        y = 0
    return y * 2

attempt(lambda: f(Tensor([1.0, 2.0])))

# %% more/list in branch of a Tensor
@ms.jit
def f(x):
    out = [x]
    if x > 0:
        out.append(x * 2)
    else:
        out.append(x * 3)
    return out

attempt(lambda: f(Tensor(1.0)))
attempt(lambda: f(Tensor(-1.0)))

# %% more/dict in branch of a Tensor
@ms.jit
def f(x):
    d = {"a": x}
    if x > 0:
        d["a"] = x * 2
    return d

attempt(lambda: f(Tensor(1.0)))
attempt(lambda: f(Tensor(-1.0)))

# %% more/float item arithmetic
@ms.jit
def f(x):
    return x.item() * 2, x.tolist() if x.ndim else 0

attempt(lambda: f(Tensor(1.5)))

# %% more/astype chain and type
@ms.jit
def f(x):
    return x.int(), x.float(), x.bool(), x.to(ms.float16), x.type_as(Tensor([1])) if hasattr(x, "type_as") else 0

attempt(lambda: f(Tensor([1.5])))

# %% more/random repeatable in graph
@ms.jit
def f(x):
    return ops.dropout(x, 0.0), ops.rand(2).shape

attempt(lambda: f(Tensor([1.0])))

# %% more/cast by number types
@ms.jit
def f(x):
    return x + 1, x + 1.5, x * True, x / 2, x // 2, x ** 2, 1 - x

attempt(lambda: f(Tensor([3], ms.int32)))

# %% more/value_and_grad in construct with has_aux
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0]), name="w")

    def construct(self, x):
        return (x * self.w).sum(), x + 1

class Train(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.opt = nn.SGD(net.trainable_params(), 0.1)
        self.grad = ms.value_and_grad(net, None, net.trainable_params(), has_aux=True)

    def construct(self, x):
        (loss, aux), grads = self.grad(x)
        self.opt(grads)
        return loss, aux

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
train = Train(net)
attempt(lambda: train(Tensor([1.0])))
attempt(lambda: train(Tensor([1.0])))
show(net.w.value())

# %% number/int, float and bool of a Tensor
@ms.jit
def f(x, h, i):
    n, r = int(x), float(x)
    return n, r, bool(x), n + 1, r * 2, n * 1.5, n / 2, 2 ** n, n > 2, n * x, (n, [n]), {"n": n}, r * h, n * i, h - r, h > n, n * h

attempt(lambda: f(Tensor(3), Tensor([1.0], ms.float16), Tensor([1], ms.int8)))

# %% number/chosen by branches
@ms.jit
def f(x, h):
    y = 1
    if x > 0:
        y = int(x)
    a = 1.5 if x > 0 else 2.5
    if x > 1:
        b = True
    else:
        b = False
    return y, y * x, a, a * h, b, [y, (a,)]

attempt(lambda: (f(Tensor(4), Tensor([1.0], ms.float16)), f(Tensor(-4), Tensor([1.0], ms.float16))))

# %% number/of loops
@ms.jit
def f(x, h):
    n, r, k = 0, 1.0, -1
    for i in range(5):
        if x == i:
            k = i
            break
    while x > 0:
        x = x - 1
        n = n + 1
        r = r * 0.5
    return n, x * n, r, h * r, k

attempt(lambda: (f(Tensor(3), Tensor([1.0], ms.float16)), f(Tensor(9), Tensor([1.0], ms.float16))))

# %% number/its type and its gradient
@ms.jit
def f(x):
    n = float(x)
    if isinstance(n, float) and not isinstance(n, Tensor):
        return x * n
    return x

show(ms.grad(f)(Tensor(3.0)))

# %% number/any and all
@ms.jit
def f(x):
    return all(x), any(x), all([x.any(), True]), any([x.all(), False])

attempt(lambda: f(Tensor([True, False])))

# %% number/given to another compiled function
@ms.jit
def g(n):
    return n + 1

@ms.jit
def f(x):
    return g(int(x)), g(x)

attempt(lambda: f(Tensor(3)))

# %% outside/a dict argument
@ms.jit
def f(table, x):
    table["n"] = x + 1
    return table

table = {"a": Tensor([1.0])}
show(f(table, Tensor([2.0])) is table, table)

# %% outside/reversed twice
kept = [1, 2, 3]

@ms.jit
def f():
    kept.reverse()
    return kept

f()
show(f(), kept)

# %% text/of Tensors
@ms.jit
def f(x):
    return f"v {x} {x.shape}", str(x + 1), "a %s b" % x, "a {} {}".format(x, 2), [f"{x}"], "x" + str(x), str(int(x[0]))

show(f(Tensor([1, 2])))

# %% dict/keys of several types
@ms.jit
def f(x):
    if x > 0:
        d = {"z": x, 1: x + 1}
    else:
        d = {"z": x - 1, 1: x}
    return d, {(1, 2): x, 2.5: [x]}, d.has_key("z"), d.has_key(2)

show(f(Tensor(1)), f(Tensor(-1)))

# %% in/a list of Tensors
@ms.jit
def f(x):
    if x in [Tensor(1), Tensor(2)]:
        x = x * 10
    return x, x in (x, 1), x not in [Tensor(5)], 3 in [1, 3], iter([1, x])

show(f(Tensor(1)), f(Tensor(5)))

# %% numbers marked mutable beside Tensors, in functions
class Net(nn.Cell):
    def construct(self, x, a):
        return ops.mul(x, a), ops.maximum(x, a), ops.pow(x, a), ops.floor_mod(x, a), ops.clamp(x, a, a), ops.select(x > 2, x, a)

ms.set_context(mode=ms.GRAPH_MODE)
for x, a in ((Tensor([1, 2, 3], ms.int32), 2), (Tensor([1.0, 2.0, 3.0], ms.float16), 1.5)):
    show(Net()(x, ms.mutable(a)))
ms.set_context(mode=ms.PYNATIVE_MODE)

# %% augmented/in place
@ms.jit
def f(x, t):
    a = b = x * 1
    a += 1; a *= 2; a -= t; a /= 2; a //= 0.5; a %= 7
    c = d = x
    c **= 2
    c @= t
    e = x
    if t.sum() > 0:
        e += 10
    for i in range(2):
        e -= i
    return a, b, c, d, e

x = Tensor([1.0, 2.0])
show(f(x, Tensor([3.0, 4.0])), x)

# %% augmented/dtypes
@ms.jit
def f(n, h, flag):
    a, b, c, d = n, n * 1, h, flag
    a += 1.5; b /= 2; c += Tensor([1.0, 2.0]); d *= True; flag &= False
    return a, b, c, d, flag

n, h, flag = Tensor([6, 7]), Tensor(np.ones(2, np.float16)), Tensor([True, False])
show(f(n, h, flag), n, h, flag)

# %% augmented/gradients
@ms.jit
def f(x):
    y = x * x
    x *= 3
    z = y
    z += x
    return (x * y).sum()

show(ms.grad(f)(Tensor([1.0, 2.0])))

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]), name="w")
    def construct(self, x):
        self.w += x
        w = self.w
        w += 1
        return (self.w * self.w).sum()

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
show(ms.value_and_grad(net, 0, net.trainable_params())(Tensor([1.0, 1.0])), net.w)
ms.set_context(mode=ms.PYNATIVE_MODE)

# %% augmented/eager
def f(x):
    y = x
    y += 1
    return x, y

show(f(Tensor([1.0])))

# %% methods/argmax without an axis
@ms.jit
def f(x):
    return x.argmax(), x.argmax(keepdims=True), x.argmax(None, True), x.argmin(), x.argmax(axis=0), ops.argmax(x)

x = Tensor([[1.0, 5.0, 2.0], [7.0, 1.0, 3.0]])
show(f(x), x.argmax())

# %% number/not, and, or
@ms.jit
def f(x, y):
    return not x, x > 1 and y > 1, x > 9 or y > 9, not (x > y), (x > 1) and True

show(f(ms.mutable(6), ms.mutable(4.0)), f(ms.mutable(0), ms.mutable(4.0)))

# %% flow/a list that grows while a Tensor is small
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.addn = ops.AddN()
    def construct(self, x):
        y = []
        for _ in range(3):
            while x < 10:
                y.append(x)
                x = self.addn(y)
        return x

ms.set_context(mode=ms.GRAPH_MODE)
show(Net()(Tensor([1.0])))
ms.set_context(mode=ms.PYNATIVE_MODE)
