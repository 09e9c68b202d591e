"""Questions about MindSpore's automatic differentiation, as small programs (see snippets.py)."""

# ruff: noqa
# pyright: basic, reportUndefinedVariable=false, reportAttributeAccessIssue=false

# %% grad/scalar
show(ms.grad(lambda x: x * x)(Tensor(3.0)))

# %% grad/second position
show(ms.grad(lambda x, y: x * x * y, 1)(Tensor(3.0), Tensor(2.0)))

# %% grad/tuple of positions
show(ms.grad(lambda x, y: x * x * y, (0, 1))(Tensor(3.0), Tensor(2.0)))

# %% grad/tuple of one position
show(ms.grad(lambda x, y: x * x * y, (1,))(Tensor(3.0), Tensor(2.0)))

# %% grad/positions in reverse order
show(ms.grad(lambda x, y: x * x * y, (1, 0))(Tensor(3.0), Tensor(2.0)))

# %% grad/list of positions
attempt(lambda: ms.grad(lambda x, y: x * y, [0, 1])(Tensor(3.0), Tensor(2.0)))

# %% grad/empty tuple of positions
attempt(lambda: ms.grad(lambda x, y: x * y, ())(Tensor(3.0), Tensor(2.0)))

# %% grad/empty tuple of positions with weights
w = Parameter(Tensor(2.0), name="w")
attempt(lambda: ms.grad(lambda x: x * w, (), w)(Tensor(3.0)))

# %% grad/position out of range
attempt(lambda: ms.grad(lambda x: x * x, 1)(Tensor(3.0)))

# %% grad/one of the positions out of range
attempt(lambda: ms.grad(lambda x: x * x, (0, 5))(Tensor(3.0)))

# %% grad/negative position
attempt(lambda: ms.grad(lambda x, y: x * x * y, -1)(Tensor(3.0), Tensor(2.0)))

# %% grad/negative position in a tuple
attempt(lambda: ms.grad(lambda x, y: x * x * y, (0, -1))(Tensor(3.0), Tensor(2.0)))

# %% grad/position twice
attempt(lambda: ms.grad(lambda x, y: x * x * y, (0, 0))(Tensor(3.0), Tensor(2.0)))

# %% grad/position is a bool
attempt(lambda: ms.grad(lambda x, y: x * x * y, True)(Tensor(3.0), Tensor(2.0)))

# %% grad/position is a float
attempt(lambda: ms.grad(lambda x: x * x, 0.0)(Tensor(3.0)))

# %% grad/position is a string
attempt(lambda: ms.grad(lambda x: x * x, "x")(Tensor(3.0)))

# %% grad/position None without weights
attempt(lambda: ms.grad(lambda x: x * x, None))

# %% grad/no arguments at all
attempt(lambda: ms.grad(lambda: Tensor(1.0))())

# %% grad/of something that is not callable
attempt(lambda: ms.grad(Tensor(1.0))(Tensor(3.0)))

# %% grad/has_aux is no bool
attempt(lambda: ms.grad(lambda x: (x, x), has_aux=1)(Tensor(3.0)))

# %% grad/return_ids is no bool
attempt(lambda: ms.grad(lambda x: x, return_ids=1)(Tensor(3.0)))

# %% grad/output with several elements is summed
show(ms.grad(lambda x: x * x)(Tensor([1.0, 2.0, 3.0])))

# %% grad/outputs are summed
show(ms.grad(lambda x: (x * x, 5 * x))(Tensor([1.0, 2.0])))

# %% grad/outputs of different shapes are summed
show(ms.grad(lambda x: ((x * x).sum(), 5 * x))(Tensor([1.0, 2.0])))

# %% grad/outputs of different dtypes are summed
show(ms.grad(lambda x: (x * x, ops.cast(5 * x, ms.float16)))(Tensor([1.0, 2.0])))

# %% grad/output is a list
attempt(lambda: ms.grad(lambda x: [x * x, 5 * x])(Tensor([1.0, 2.0])))

# %% grad/output is a dict
attempt(lambda: ms.grad(lambda x: {"a": x * x, "b": 5 * x})(Tensor([1.0, 2.0])))

# %% grad/outputs are nested
attempt(lambda: ms.grad(lambda x: (x * x, (5 * x, 7 * x)))(Tensor([1.0, 2.0])))

# %% grad/one output is None
attempt(lambda: ms.grad(lambda x: (x * x, None))(Tensor([1.0, 2.0])))

# %% grad/one output is a number
attempt(lambda: ms.grad(lambda x: (x * x, 3.0))(Tensor([1.0, 2.0])))

# %% grad/one output is a string
attempt(lambda: ms.grad(lambda x: (x * x, "s"))(Tensor([1.0, 2.0])))

# %% grad/output is a number
attempt(lambda: ms.grad(lambda x: 3.0)(Tensor([1.0, 2.0])))

# %% grad/output is None
attempt(lambda: ms.grad(lambda x: None)(Tensor([1.0, 2.0])))

# %% grad/output is a constant Tensor
c = Tensor([3.0])
show(ms.grad(lambda x: c * 2)(Tensor([1.0, 2.0])))

# %% grad/output is the input
show(ms.grad(lambda x: x)(Tensor([1.0, 2.0])))

# %% grad/outputs are the inputs
show(ms.grad(lambda x, y: (x, y, x), (0, 1))(Tensor([1.0, 2.0]), Tensor(3.0)))

# %% grad/unused input gives zeros
show(ms.grad(lambda x, y: x * x, (0, 1))(Tensor([1.0, 2.0]), Tensor([[3.0]])))

# %% grad/same Tensor twice
x = Tensor(3.0)
show(ms.grad(lambda a, b: a * a * b, (0, 1))(x, x))

# %% grad/same Tensor also in the closure
x = Tensor(3.0)
show(ms.grad(lambda a: a * x)(x))

# %% grad/integer input
attempt(lambda: ms.grad(lambda x: x * x)(Tensor(3)))

# %% grad/integer input int32
attempt(lambda: ms.grad(lambda x: x * x)(Tensor([3, 4], ms.int32)))

# %% grad/integer input with float output
attempt(lambda: ms.grad(lambda x: x * 2.5)(Tensor([3, 4], ms.int32)))

# %% grad/integer input cast to float
attempt(lambda: ms.grad(lambda x: ops.cast(x, ms.float32) * 2.5)(Tensor([3, 4], ms.int32)))

# %% grad/integer input beside a float
attempt(lambda: ms.grad(lambda x, y: x * y, (0, 1))(Tensor([3, 4], ms.int32), Tensor([2.0, 5.0])))

# %% grad/bool input
attempt(lambda: ms.grad(lambda x, y: ops.where(x, y, 2 * y), (0, 1))(Tensor([True, False]), Tensor([2.0, 5.0])))

# %% grad/bool input unused
attempt(lambda: ms.grad(lambda x, y: y * 2)(Tensor([True, False]), Tensor([2.0, 5.0])))

# %% grad/integer output
attempt(lambda: ms.grad(lambda x: ops.cast(x, ms.int32))(Tensor([1.5, 2.5])))

# %% grad/integer output beside a float output
attempt(lambda: ms.grad(lambda x: (x * x, ops.argmax(x)))(Tensor([1.5, 2.5])))

# %% grad/bool output
attempt(lambda: ms.grad(lambda x: x > 2)(Tensor([1.5, 2.5])))

# %% grad/float16
show(ms.grad(lambda x: x * x)(Tensor([1.5, 2.5], ms.float16)))

# %% grad/float64
show(ms.grad(lambda x: x * x)(Tensor([1.5, 2.5], ms.float64)))

# %% grad/bfloat16
attempt(lambda: ms.grad(lambda x: ops.cast(ops.cast(x, ms.float32) * 3, ms.bfloat16))(Tensor([1.5, 2.5], ms.bfloat16)))

# %% grad/through a cast to float16
show(ms.grad(lambda x: ops.cast(x, ms.float16) * 3)(Tensor([1.5, 2.5])))

# %% grad/promotion float16 and float32
show(ms.grad(lambda x, y: x * y, (0, 1))(Tensor([1.5, 2.5], ms.float16), Tensor([2.0, 3.0])))

# %% grad/broadcasting is summed back
show(ms.grad(lambda x, y: x * y, (0, 1))(Tensor([[1.0], [2.0]]), Tensor([3.0, 4.0, 5.0])))

# %% grad/complex input complex output
attempt(lambda: ms.grad(lambda x: x * x)(Tensor([1 + 2j], ms.complex64)))

# %% grad/complex times constant
attempt(lambda: ms.grad(lambda x: x * Tensor([3 + 4j], ms.complex64))(Tensor([1 + 2j], ms.complex64)))

# %% grad/complex real part
attempt(lambda: ms.grad(lambda x: ops.real(x))(Tensor([1 + 2j], ms.complex64)))

# %% grad/complex imaginary part
attempt(lambda: ms.grad(lambda x: ops.imag(x))(Tensor([1 + 2j], ms.complex64)))

# %% grad/complex modulus
attempt(lambda: ms.grad(lambda x: ops.abs(x))(Tensor([3 + 4j], ms.complex64)))

# %% grad/complex conjugate
attempt(lambda: ms.grad(lambda x: ops.conj(x))(Tensor([3 + 4j], ms.complex64)))

# %% grad/complex exp
attempt(lambda: ms.grad(lambda x: ops.exp(x))(Tensor([1 + 2j], ms.complex64)))

# %% grad/real input made complex
attempt(lambda: ms.grad(lambda x: ops.real(ops.Complex()(x, 2 * x) * Tensor([3 + 4j], ms.complex64)))(Tensor([1.0])))

# %% grad/argument is a number
attempt(lambda: ms.grad(lambda x, y: x * y)(Tensor(3.0), 2.0))

# %% grad/position of a number
attempt(lambda: ms.grad(lambda x, y: x * y, 1)(Tensor(3.0), 2.0))

# %% grad/position of an int
attempt(lambda: ms.grad(lambda x, y: x * y, 1)(Tensor(3.0), 2))

# %% grad/first position is a number
attempt(lambda: ms.grad(lambda x: x * 3)(2.0))

# %% grad/positions of a Tensor and a number
attempt(lambda: ms.grad(lambda x, y: x * y, (0, 1))(Tensor(3.0), 2.0))

# %% grad/position of None
attempt(lambda: ms.grad(lambda x, y: x * 2, 1)(Tensor(3.0), None))

# %% grad/None beside
attempt(lambda: ms.grad(lambda x, y: x * 2)(Tensor(3.0), None))

# %% grad/position of a string
attempt(lambda: ms.grad(lambda x, y: x * 2, (0, 1))(Tensor(3.0), "a"))

# %% grad/tuple input
attempt(lambda: ms.grad(lambda t: t[0] * t[1])((Tensor(3.0), Tensor(2.0))))

# %% grad/list input
attempt(lambda: ms.grad(lambda t: t[0] * t[1])([Tensor(3.0), Tensor(2.0)]))

# %% grad/dict input
attempt(lambda: ms.grad(lambda t: t["a"] * t["b"])({"a": Tensor(3.0), "b": Tensor(2.0)}))

# %% grad/nested tuple input
attempt(lambda: ms.grad(lambda t: t[0] * t[1][0])((Tensor(3.0), (Tensor(2.0), Tensor(5.0)))))

# %% grad/tuple input with a number
attempt(lambda: ms.grad(lambda t: t[0] * t[1])((Tensor(3.0), 2.0)))

# %% grad/tuple input with None
attempt(lambda: ms.grad(lambda t: t[0] * 2)((Tensor(3.0), None)))

# %% grad/tuple input and a Tensor
attempt(lambda: ms.grad(lambda t, y: t[0] * y, (0, 1))((Tensor(3.0), Tensor(2.0)), Tensor(7.0)))

# %% grad/mutable tuple
attempt(lambda: ms.grad(lambda t: t[0] * t[1])(ms.mutable((Tensor(3.0), Tensor(2.0)))))

# %% grad/NumPy input
attempt(lambda: ms.grad(lambda x: x * Tensor(2.0))(np.float32(3.0)))

# %% grad/keyword arguments
attempt(lambda: ms.grad(lambda x, y: x * x * y)(Tensor(3.0), y=Tensor(2.0)))

# %% grad/position of a keyword argument
attempt(lambda: ms.grad(lambda x, y: x * x * y, 1)(Tensor(3.0), y=Tensor(2.0)))

# %% grad/all arguments by keyword
attempt(lambda: ms.grad(lambda x, y: x * x * y)(x=Tensor(3.0), y=Tensor(2.0)))

# %% grad/default arguments
attempt(lambda: ms.grad(lambda x, k=Tensor(4.0): x * x * k)(Tensor(3.0)))

# %% grad/variable arguments
attempt(lambda: ms.grad(lambda *a: a[0] * a[1], (0, 1))(Tensor(3.0), Tensor(2.0)))

# %% grad/Parameter as input
p = Parameter(Tensor(3.0), name="p")
attempt(lambda: ms.grad(lambda x: x * x)(p))

# %% grad/Parameter as input and as weight
p = Parameter(Tensor(3.0), name="p")
attempt(lambda: ms.grad(lambda x: x * p, 0, p)(p))

# %% grad/Parameter with requires_grad False as input
p = Parameter(Tensor(3.0), name="p", requires_grad=False)
attempt(lambda: ms.grad(lambda x: x * x)(p))

# %% grad/of an operator
attempt(lambda: ms.grad(ops.sin)(Tensor(0.0)))

# %% grad/of a primitive
attempt(lambda: ms.grad(ops.Sin())(Tensor(0.0)))

# %% grad/of a builtin method
attempt(lambda: ms.grad(Tensor.sin)(Tensor(0.0)))

# %% grad/of a partial
import functools
attempt(lambda: ms.grad(functools.partial(lambda a, x: a * x * x, 5.0))(Tensor(3.0)))

# %% grad/of a bound method
class Thing:
    def f(self, x):
        return x * x

attempt(lambda: ms.grad(Thing().f)(Tensor(3.0)))

# %% grad/of a callable object
class Thing:
    def __call__(self, x):
        return x * x

attempt(lambda: ms.grad(Thing())(Tensor(3.0)))

# %% grad/control flow on values
def f(x):
    if x > 2:
        return x * x
    return 5 * x

show(ms.grad(f)(Tensor(3.0)), ms.grad(f)(Tensor(1.0)))

# %% grad/loop
def f(x):
    y = x
    for i in range(3):
        y = y * x
    return y

show(ms.grad(f)(Tensor(2.0)))

# %% grad/result is used after the function
def f(x):
    global y
    y = x * x
    return y

g = ms.grad(f)(Tensor(3.0))
show(g, y)

# %% grad/an exception inside leaves the outside alone
def f(x):
    raise KeyError("k")

attempt(lambda: ms.grad(f)(Tensor(3.0)))
show(ms.grad(lambda x: x * x)(Tensor(3.0)))

# %% grad/of a Cell
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")

    def construct(self, x):
        return x * x * self.w

net = Net()
show(ms.grad(net)(Tensor([1.0, 2.0])))
show(ms.grad(net, None, net.w)(Tensor([1.0, 2.0])))
show(ms.grad(net, 0, net.w)(Tensor([1.0, 2.0])))

# %% grad/argument is changed by nothing
x = Tensor([1.0, 2.0])
ms.grad(lambda a: a * a)(x)
show(x, x.dtype == ms.float32)

# %% weights/Parameter
w = Parameter(Tensor(2.0), name="w")
show(ms.grad(lambda x: x * w * w, None, w)(Tensor(3.0)))

# %% weights/Parameter and a position
w = Parameter(Tensor(2.0), name="w")
show(ms.grad(lambda x: x * w * w, 0, w)(Tensor(3.0)))

# %% weights/Parameter and positions
w = Parameter(Tensor(2.0), name="w")
show(ms.grad(lambda x, y: x * w * w * y, (0, 1), w)(Tensor(3.0), Tensor(1.0)))

# %% weights/list of one
w = Parameter(Tensor(2.0), name="w")
show(ms.grad(lambda x: x * w * w, None, [w])(Tensor(3.0)))

# %% weights/list
w, v = Parameter(Tensor(2.0), name="w"), Parameter(Tensor(5.0), name="v")
show(ms.grad(lambda x: x * w * v, None, [w, v])(Tensor(3.0)))

# %% weights/tuple
w, v = Parameter(Tensor(2.0), name="w"), Parameter(Tensor(5.0), name="v")
attempt(lambda: ms.grad(lambda x: x * w * v, None, (w, v))(Tensor(3.0)))

# %% weights/ParameterTuple
w, v = Parameter(Tensor(2.0), name="w"), Parameter(Tensor(5.0), name="v")
show(ms.grad(lambda x: x * w * v, 0, ParameterTuple([w, v]))(Tensor(3.0)))

# %% weights/in another order
w, v = Parameter(Tensor(2.0), name="w"), Parameter(Tensor(5.0), name="v")
show(ms.grad(lambda x: x * w * v, None, [v, w])(Tensor(3.0)))

# %% weights/twice
w = Parameter(Tensor(2.0), name="w")
attempt(lambda: ms.grad(lambda x: x * w * w, None, [w, w])(Tensor(3.0)))

# %% weights/empty list
attempt(lambda: ms.grad(lambda x: x * x, None, [])(Tensor(3.0)))

# %% weights/empty list and a position
attempt(lambda: ms.grad(lambda x: x * x, 0, [])(Tensor(3.0)))

# %% weights/empty ParameterTuple
attempt(lambda: ms.grad(lambda x: x * x, 0, ParameterTuple([]))(Tensor(3.0)))

# %% weights/unused
w = Parameter(Tensor([2.0, 1.0]), name="w")
show(ms.grad(lambda x: x * x, None, [w])(Tensor(3.0)))

# %% weights/a Tensor
w = Tensor(2.0)
attempt(lambda: ms.grad(lambda x: x * w, None, w)(Tensor(3.0)))

# %% weights/list of Tensors
w = Tensor(2.0)
attempt(lambda: ms.grad(lambda x: x * w, None, [w])(Tensor(3.0)))

# %% weights/a number
attempt(lambda: ms.grad(lambda x: x * x, None, 3)(Tensor(3.0)))

# %% weights/dict
w = Parameter(Tensor(2.0), name="w")
attempt(lambda: ms.grad(lambda x: x * w, None, {"w": w})(Tensor(3.0)))

# %% weights/requires_grad False
w = Parameter(Tensor(2.0), name="w", requires_grad=False)
attempt(lambda: ms.grad(lambda x: x * w * w, None, w)(Tensor(3.0)))

# %% weights/one of two frozen
w = Parameter(Tensor(2.0), name="w", requires_grad=False)
v = Parameter(Tensor(5.0), name="v")
attempt(lambda: ms.grad(lambda x: x * w * v, None, [w, v])(Tensor(3.0)))

# %% weights/generator
net = nn.Dense(2, 1)
attempt(lambda: ms.grad(net, None, net.get_parameters())(Tensor([[1.0, 2.0]])))

# %% weights/trainable_params of a Dense
net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
show(ms.grad(net, None, net.trainable_params())(Tensor([[1.0, 2.0]])))

# %% weights/with integer dtype
w = Parameter(Tensor(2), name="w")
attempt(lambda: ms.grad(lambda x: x * w, 0, w)(Tensor(3.0)))

# %% weights/float16
w = Parameter(Tensor(2.0, ms.float16), name="w")
show(ms.grad(lambda x: x * w, 0, w)(Tensor(3.0)))

# %% weights/without argument
w = Parameter(Tensor(2.0), name="w")
attempt(lambda: ms.grad(lambda: w * w, None, w)())

# %% weights/shared by two names
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = Parameter(Tensor(2.0), name="a")
        self.b = self.a

    def construct(self, x):
        return x * self.a * self.b

net = Net()
show(len(net.trainable_params()), ms.grad(net, None, net.trainable_params())(Tensor(3.0)))

# %% aux/two outputs
show(ms.grad(lambda x: (x * x, 5 * x), has_aux=True)(Tensor([1.0, 2.0])))

# %% aux/three outputs
show(ms.grad(lambda x: (x * x, 5 * x, 7 * x), has_aux=True)(Tensor([1.0, 2.0])))

# %% aux/one output
attempt(lambda: ms.grad(lambda x: x * x, has_aux=True)(Tensor([1.0, 2.0])))

# %% aux/one output in a tuple
attempt(lambda: ms.grad(lambda x: (x * x,), has_aux=True)(Tensor([1.0, 2.0])))

# %% aux/list of outputs
attempt(lambda: ms.grad(lambda x: [x * x, 5 * x], has_aux=True)(Tensor([1.0, 2.0])))

# %% aux/first output is a tuple
attempt(lambda: ms.grad(lambda x: ((x * x, 3 * x), 5 * x), has_aux=True)(Tensor([1.0, 2.0])))

# %% aux/a number
attempt(lambda: ms.grad(lambda x: (x * x, 3), has_aux=True)(Tensor([1.0, 2.0])))

# %% aux/a string and None
attempt(lambda: ms.grad(lambda x: (x * x, "s", None), has_aux=True)(Tensor([1.0, 2.0])))

# %% aux/a dict
attempt(lambda: ms.grad(lambda x: (x * x, {"a": x}), has_aux=True)(Tensor([1.0, 2.0])))

# %% aux/the input itself
show(ms.grad(lambda x: (x * x, x), has_aux=True)(Tensor([1.0, 2.0])))

# %% aux/with weights
w = Parameter(Tensor(2.0), name="w")
show(ms.grad(lambda x: (x * w, w, x + 1), 0, [w], has_aux=True)(Tensor(3.0)))

# %% aux/gradient of what was aux
def f(x):
    g, (a,) = ms.grad(lambda z: (z * z, z * z * z), has_aux=True)(x)
    return g + a

show(ms.grad(f)(Tensor(3.0)))

# %% value/scalar
show(ms.value_and_grad(lambda x: x * x)(Tensor(3.0)))

# %% value/several outputs
show(ms.value_and_grad(lambda x: (x * x, 5 * x))(Tensor([1.0, 2.0])))

# %% value/aux
show(ms.value_and_grad(lambda x: (x * x, 5 * x), has_aux=True)(Tensor([1.0, 2.0])))

# %% value/aux with one output
attempt(lambda: ms.value_and_grad(lambda x: x * x, has_aux=True)(Tensor([1.0, 2.0])))

# %% value/positions and weights
w = Parameter(Tensor(2.0), name="w")
show(ms.value_and_grad(lambda x, y: x * w * y, (0, 1), [w])(Tensor(3.0), Tensor(1.0)))

# %% value/weights only
w = Parameter(Tensor(2.0), name="w")
show(ms.value_and_grad(lambda x: x * w, None, w)(Tensor(3.0)))

# %% value/list output
attempt(lambda: ms.value_and_grad(lambda x: [x * x, 5 * x])(Tensor([1.0, 2.0])))

# %% value/dict output
attempt(lambda: ms.value_and_grad(lambda x: {"a": x * x})(Tensor([1.0, 2.0])))

# %% value/number among the outputs
attempt(lambda: ms.value_and_grad(lambda x: (x * x, 3))(Tensor([1.0, 2.0])))

# %% value/the input
show(ms.value_and_grad(lambda x: x)(Tensor([1.0, 2.0])))

# %% value/None without weights
attempt(lambda: ms.value_and_grad(lambda x: x, None, None))

# %% value/position out of range
attempt(lambda: ms.value_and_grad(lambda x: x, 3)(Tensor(1.0)))

# %% ids/one position
attempt(lambda: ms.grad(lambda x, y: x * x * y, 1, return_ids=True)(Tensor(3.0), Tensor(2.0)))

# %% ids/positions
show(ms.grad(lambda x, y: x * x * y, (0, 1), return_ids=True)(Tensor(3.0), Tensor(2.0)))

# %% ids/one Parameter
w = Parameter(Tensor(2.0), name="w")
show(ms.grad(lambda x: x * w, None, w, return_ids=True)(Tensor(3.0)))

# %% ids/Parameters
w, v = Parameter(Tensor(2.0), name="w"), Parameter(Tensor(5.0), name="v")
show(ms.grad(lambda x: x * w * v, None, [w, v], return_ids=True)(Tensor(3.0)))

# %% ids/positions and Parameters
w, v = Parameter(Tensor(2.0), name="w"), Parameter(Tensor(5.0), name="v")
show(ms.grad(lambda x, y: x * w * v * y, (0, 1), [w, v], return_ids=True)(Tensor(3.0), Tensor(1.0)))

# %% ids/position and Parameter
w = Parameter(Tensor(2.0), name="w")
show(ms.grad(lambda x: x * w, 0, w, return_ids=True)(Tensor(3.0)))

# %% ids/value_and_grad
show(ms.value_and_grad(lambda x, y: x * x * y, (0, 1), return_ids=True)(Tensor(3.0), Tensor(2.0)))

# %% ids/aux
show(ms.grad(lambda x: (x * x, x), has_aux=True, return_ids=True)(Tensor(3.0)))

# %% ids/get_grad by position
r = ms.grad(lambda x, y: x * x * y, (0, 1), return_ids=True)(Tensor(3.0), Tensor(2.0))
show(ms.get_grad(r, 0), ms.get_grad(r, 1))
attempt(lambda: ms.get_grad(r, 2))

# %% ids/get_grad of one position
r = ms.value_and_grad(lambda x, y: x * x * y, 1, return_ids=True)(Tensor([3.0]), Tensor([2.0]))
attempt(lambda: r)
attempt(lambda: ms.get_grad(r[1], 1))
attempt(lambda: ms.get_grad(r[1], 0))

# %% ids/get_grad by Parameter
w, v = Parameter(Tensor(2.0), name="w"), Parameter(Tensor(5.0), name="v")
r = ms.grad(lambda x: x * w * v, 0, [w, v], return_ids=True)(Tensor(3.0))
attempt(lambda: ms.get_grad(r, w))
attempt(lambda: ms.get_grad(r, v))
attempt(lambda: ms.get_grad(r, 0))
attempt(lambda: ms.get_grad(r, Parameter(Tensor(1.0), name="other")))

# %% ids/get_grad with one Parameter
w = Parameter(Tensor(2.0), name="w")
r = ms.grad(lambda x: x * w, None, w, return_ids=True)(Tensor(3.0))
attempt(lambda: ms.get_grad(r, w))

# %% ids/get_grad misuse
r = ms.grad(lambda x, y: x * x * y, (0, 1), return_ids=True)(Tensor(3.0), Tensor(2.0))
attempt(lambda: ms.get_grad(r, "x"))
attempt(lambda: ms.get_grad(r, 1.0))
attempt(lambda: ms.get_grad(r, Tensor(0)))
attempt(lambda: ms.get_grad(Tensor(3.0), 0))

# %% GradOperation/plain
attempt(lambda: ops.GradOperation()(lambda x, y: x * x * y)(Tensor(3.0), Tensor(2.0)))

# %% GradOperation/get_all
attempt(lambda: ops.GradOperation(get_all=True)(lambda x, y: x * x * y)(Tensor(3.0), Tensor(2.0)))

# %% GradOperation/get_all with one input
attempt(lambda: ops.GradOperation(get_all=True)(lambda x: x * x)(Tensor(3.0)))

# %% GradOperation/get_by_list
w, v = Parameter(Tensor(2.0), name="w"), Parameter(Tensor(5.0), name="v")
attempt(lambda: ops.GradOperation(get_by_list=True)(lambda x: x * w * v, ParameterTuple([w, v]))(Tensor(3.0)))

# %% GradOperation/get_by_list with a list
w, v = Parameter(Tensor(2.0), name="w"), Parameter(Tensor(5.0), name="v")
attempt(lambda: ops.GradOperation(get_by_list=True)(lambda x: x * w * v, [w, v])(Tensor(3.0)))

# %% GradOperation/get_by_list with one Parameter
w = Parameter(Tensor(2.0), name="w")
attempt(lambda: ops.GradOperation(get_by_list=True)(lambda x: x * w, w)(Tensor(3.0)))

# %% GradOperation/get_by_list without weights
attempt(lambda: ops.GradOperation(get_by_list=True)(lambda x: x * x)(Tensor(3.0)))

# %% GradOperation/get_by_list of a Cell without weights
net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
attempt(lambda: ops.GradOperation(get_by_list=True)(net)(Tensor([[1.0, 2.0]])))

# %% GradOperation/get_all and get_by_list
w = Parameter(Tensor(2.0), name="w")
op = ops.GradOperation(get_all=True, get_by_list=True)
attempt(lambda: op(lambda x, y: x * y * w, ParameterTuple([w]))(Tensor(3.0), Tensor(7.0)))

# %% GradOperation/sens scalar
attempt(lambda: ops.GradOperation(sens_param=True)(lambda x, y: x * x * y)(Tensor(3.0), Tensor(2.0), Tensor(10.0)))

# %% GradOperation/sens tensor
op = ops.GradOperation(sens_param=True)
attempt(lambda: op(lambda x: x * x)(Tensor([1.0, 2.0]), Tensor([1.0, 10.0])))

# %% GradOperation/sens number
attempt(lambda: ops.GradOperation(sens_param=True)(lambda x: x * x)(Tensor(3.0), 10.0))

# %% GradOperation/sens missing
attempt(lambda: ops.GradOperation(sens_param=True)(lambda x: x * x)(Tensor(3.0)))

# %% GradOperation/sens of the wrong shape
attempt(lambda: ops.GradOperation(sens_param=True)(lambda x: x * x)(Tensor([3.0, 1.0]), Tensor([1.0, 2.0, 3.0])))

# %% GradOperation/sens of a shape that broadcasts
attempt(lambda: ops.GradOperation(sens_param=True)(lambda x: x * x)(Tensor([3.0, 1.0]), Tensor(2.0)))

# %% GradOperation/sens of another dtype
attempt(lambda: ops.GradOperation(sens_param=True)(lambda x: x * x)(Tensor([3.0]), Tensor([2.0], ms.float16)))

# %% GradOperation/sens tuple for two outputs
op = ops.GradOperation(sens_param=True)
attempt(lambda: op(lambda x: (x * x, 5 * x))(Tensor(3.0), (Tensor(1.0), Tensor(10.0))))

# %% GradOperation/sens two arguments for two outputs
op = ops.GradOperation(sens_param=True)
attempt(lambda: op(lambda x: (x * x, 5 * x))(Tensor(3.0), Tensor(1.0), Tensor(10.0)))

# %% GradOperation/sens by keyword
op = ops.GradOperation(sens_param=True)
attempt(lambda: op(lambda x: x * x)(Tensor(3.0), sens=Tensor(10.0)))

# %% GradOperation/get_all and sens
op = ops.GradOperation(get_all=True, sens_param=True)
attempt(lambda: op(lambda x, y: x * x * y)(Tensor(3.0), Tensor(2.0), Tensor(10.0)))

# %% GradOperation/get_by_list and sens
w = Parameter(Tensor(2.0), name="w")
op = ops.GradOperation(get_by_list=True, sens_param=True)
attempt(lambda: op(lambda x: x * w, ParameterTuple([w]))(Tensor(3.0), Tensor(10.0)))

# %% GradOperation/all three
w = Parameter(Tensor(2.0), name="w")
op = ops.GradOperation(get_all=True, get_by_list=True, sens_param=True)
attempt(lambda: op(lambda x, y: x * y * w, ParameterTuple([w]))(Tensor(3.0), Tensor(7.0), Tensor(10.0)))

# %% GradOperation/on a Cell in all ways
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")

    def construct(self, x, y):
        return x * y * self.w

net, x, y, s = Net(), Tensor([1.0, 2.0]), Tensor([5.0, 7.0]), Tensor([1.0, 10.0])
for get_all in (False, True):
    for get_by_list in (False, True):
        for sens_param in (False, True):
            op = ops.GradOperation(get_all, get_by_list, sens_param)
            gradient = op(net, ParameterTuple(net.trainable_params())) if get_by_list else op(net)
            args = (x, y, s) if sens_param else (x, y)
            show(get_all, get_by_list, sens_param, gradient(*args))

# %% GradOperation/with a number among the inputs
attempt(lambda: ops.GradOperation(get_all=True)(lambda x, y: x * x * y)(Tensor(3.0), 2.0))

# %% GradOperation/with a list among the inputs
attempt(lambda: ops.GradOperation(get_all=True)(lambda x, y: x * y[0])(Tensor(3.0), [Tensor(2.0), Tensor(1.0)]))

# %% GradOperation/with an integer input
attempt(lambda: ops.GradOperation(get_all=True)(lambda x, y: x * y)(Tensor(3.0), Tensor(2)))

# %% GradOperation/of several outputs
attempt(lambda: ops.GradOperation()(lambda x: (x * x, 5 * x))(Tensor(3.0)))

# %% GradOperation/arguments are no bools
attempt(lambda: ops.GradOperation(get_all=1))
attempt(lambda: ops.GradOperation(get_by_list="yes"))
attempt(lambda: ops.GradOperation(sens_param=None))

# %% GradOperation/no inputs with get_all
w = Parameter(Tensor(2.0), name="w")
attempt(lambda: ops.GradOperation(get_all=True)(lambda: w * w)())

# %% GradOperation/of something else
attempt(lambda: ops.GradOperation()(3)(Tensor(1.0)))

# %% GradOperation/twice
attempt(lambda: ops.GradOperation()(ops.GradOperation()(lambda x: x * x * x))(Tensor(2.0)))

# %% GradOperation/inside construct
class Net(nn.Cell):
    def construct(self, x, y):
        return x * x * y

class Grad(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.op = ops.GradOperation(get_all=True)

    def construct(self, x, y):
        return self.op(self.net)(x, y)

show(Grad(Net())(Tensor(3.0), Tensor(2.0)))

# %% higher/second
show(ms.grad(ms.grad(lambda x: x * x * x))(Tensor(2.0)))

# %% higher/third
show(ms.grad(ms.grad(ms.grad(lambda x: x**4)))(Tensor(2.0)))

# %% higher/second of sin
show(ms.grad(ms.grad(ops.sin))(Tensor([0.0, 0.5, 1.0])))

# %% higher/mixed
show(ms.grad(ms.grad(lambda x, y: x * x * y * y * y, 0), 1)(Tensor(2.0), Tensor(3.0)))

# %% higher/of a tuple of gradients
show(ms.grad(ms.grad(lambda x, y: x * x * y, (0, 1)), (0, 1))(Tensor(2.0), Tensor(3.0)))

# %% higher/with weights
w = Parameter(Tensor(2.0), name="w")
show(ms.grad(ms.grad(lambda x: x * w * w, 0), None, w)(Tensor(3.0)))
show(ms.grad(ms.grad(lambda x: x * w * w, None, w), None, w)(Tensor(3.0)))
show(ms.grad(ms.grad(lambda x: x * w * w, None, [w]), 0)(Tensor(3.0)))

# %% higher/value_and_grad of value_and_grad
show(ms.value_and_grad(ms.value_and_grad(lambda x: x * x * x))(Tensor(2.0)))

# %% higher/value_and_grad inside
def f(x):
    v, g = ms.value_and_grad(lambda z: z * z * z)(x)
    return v + g

show(ms.grad(f)(Tensor(2.0)))

# %% higher/inner closes over outer
show(ms.grad(lambda x: x * ms.grad(lambda y: x * y * y)(Tensor(3.0)))(Tensor(2.0)))

# %% higher/perturbations are told apart
show(ms.grad(lambda x: x * ms.grad(lambda y: x + y)(Tensor(1.0)))(Tensor(1.0)))

# %% higher/linear
show(ms.grad(ms.grad(lambda x: 3 * x))(Tensor(2.0)))

# %% higher/gradient penalty
w = Parameter(Tensor([[1.0, 2.0]]), name="w")

def loss(x):
    g = ms.grad(lambda z: ops.tanh(z * w).sum())(x)
    return (g * g).sum()

show(ms.grad(loss, 0, w)(Tensor([[0.5, 0.25]])))

# %% higher/inside construct
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w")

    def construct(self, x):
        return x * x * x * self.w

class Grad(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x):
        return ms.grad(self.net)(x)

net = Grad(Net())
show(net(Tensor(2.0)), ms.grad(net)(Tensor(2.0)), ms.grad(net, None, net.trainable_params())(Tensor(2.0)))

# %% jit/function
@ms.jit
def f(x):
    return x * x * x

show(f(Tensor(2.0)), f(Tensor([1.0, 2.0])))

# %% jit/grad of jit
@ms.jit
def f(x):
    return x * x * x

show(ms.grad(f)(Tensor(2.0)))

# %% jit/jit of grad
def f(x):
    return x * x * x

@ms.jit
def g(x):
    return ms.grad(f)(x)

show(g(Tensor(2.0)))

# %% jit/grad of jit of grad
def f(x):
    return x * x * x

@ms.jit
def g(x):
    return ms.grad(f)(x)

show(ms.grad(g)(Tensor(2.0)))

# %% jit/grad of jit with weights
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")

    @ms.jit
    def construct(self, x):
        return x * x * self.w

net = Net()
show(ms.grad(net, 0, net.w)(Tensor([1.0, 2.0])))

# %% jit/called as a function
def f(x):
    return x * x

attempt(lambda: ms.jit(f)(Tensor(3.0)))
attempt(lambda: ms.jit(fn=f)(Tensor(3.0)))
attempt(lambda: ms.jit(function=f)(Tensor(3.0)))

# %% jit/with options
@ms.jit(jit_level="O0", backend="ms_backend")
def f(x):
    return x * x

show(f(Tensor(3.0)))

# %% jit/capture_mode trace
@ms.jit(capture_mode="trace")
def f(x):
    return x * x

attempt(lambda: f(Tensor(3.0)))

# %% jit/unknown options
attempt(lambda: ms.jit(capture_mode="nothing"))
attempt(lambda: ms.jit(jit_level="O9"))
attempt(lambda: ms.jit(dynamic=7))

# %% jit/updates a Parameter
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = Parameter(Tensor(0.0), name="n", requires_grad=False)

    @ms.jit
    def construct(self, x):
        ops.assign_add(self.n, x)
        return x * self.n

net = Net()
show(net(Tensor(2.0)), net(Tensor(3.0)), net.n)

# %% jit/value_and_grad compiled step
net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")

def forward(x, y):
    return ((net(x) - y) ** 2).mean()

step = ms.jit(ms.value_and_grad(forward, None, net.trainable_params()))
attempt(lambda: step(Tensor([[1.0, 2.0]]), Tensor([[1.0]])))

# %% jit/control flow over values
@ms.jit
def f(x):
    if x > 2:
        y = x * x
    else:
        y = 5 * x
    return y

show(f(Tensor(3.0)), f(Tensor(1.0)), ms.grad(f)(Tensor(3.0)), ms.grad(f)(Tensor(1.0)))

# %% jit/while over values
@ms.jit
def f(x):
    y = x
    while y < 100:
        y = y * x
    return y

show(f(Tensor(3.0)))
attempt(lambda: ms.grad(f)(Tensor(3.0)))

# %% jit/graph mode
ms.set_context(mode=ms.GRAPH_MODE)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")

    def construct(self, x):
        return x * x * self.w

net = Net()
show(net(Tensor([1.0, 2.0])), ms.grad(net, 0, net.w)(Tensor([1.0, 2.0])))
show(ms.value_and_grad(net, None, [net.w])(Tensor([1.0, 2.0])))

# %% jit/graph mode integer input
ms.set_context(mode=ms.GRAPH_MODE)
def f(x, y):
    return x * y

attempt(lambda: ms.grad(f, (0, 1))(Tensor([3, 4], ms.int32), Tensor([2.0, 5.0])))

# %% jit/graph mode number input
ms.set_context(mode=ms.GRAPH_MODE)
def f(x, y):
    return x * y
attempt(lambda: ms.grad(f, 1)(Tensor(3.0), 2.0))

# %% jit/graph mode tuple input
ms.set_context(mode=ms.GRAPH_MODE)
def f(t):
    return t[0] * t[1]
attempt(lambda: ms.grad(f)((Tensor(3.0), Tensor(2.0))))

# %% jit/graph mode list input
ms.set_context(mode=ms.GRAPH_MODE)
def f(t):
    return t[0] * t[1]
attempt(lambda: ms.grad(f)([Tensor(3.0), Tensor(2.0)]))

# %% jit/graph mode mutable tuple
ms.set_context(mode=ms.GRAPH_MODE)
def f(t):
    return t[0] * t[1]
attempt(lambda: ms.grad(f)(ms.mutable((Tensor(3.0), Tensor(2.0)))))

# %% jit/graph mode mutable list
ms.set_context(mode=ms.GRAPH_MODE)
def f(t):
    return t[0] * t[1]
attempt(lambda: ms.grad(f)(ms.mutable([Tensor(3.0), Tensor(2.0)])))

# %% jit/graph mode mutable dict
ms.set_context(mode=ms.GRAPH_MODE)
def f(t):
    return t["a"] * t["b"]
attempt(lambda: ms.grad(f)(ms.mutable({"a": Tensor(3.0), "b": Tensor(2.0)})))

# %% jit/graph mode mutable nested tuple
ms.set_context(mode=ms.GRAPH_MODE)
def f(t):
    return t[0] * t[1][0]
attempt(lambda: ms.grad(f)(ms.mutable((Tensor(3.0), (Tensor(2.0), Tensor(5.0))))))

# %% jit/graph mode mutable tuple with a number
ms.set_context(mode=ms.GRAPH_MODE)
def f(t):
    return t[0] * t[1]
attempt(lambda: ms.grad(f)(ms.mutable((Tensor(3.0), 2.0))))

# %% jit/graph mode mutable number
ms.set_context(mode=ms.GRAPH_MODE)
def f(t):
    return t * Tensor(3.0)
attempt(lambda: ms.grad(f)(ms.mutable(2.0)))

# %% jit/graph mode list output
ms.set_context(mode=ms.GRAPH_MODE)
def f(x):
    return [x * x, 5 * x]
attempt(lambda: ms.grad(f)(Tensor([1.0, 2.0])))

# %% jit/graph mode dict output
ms.set_context(mode=ms.GRAPH_MODE)
def f(x):
    return {"a": x * x, "b": 5 * x}
attempt(lambda: ms.grad(f)(Tensor([1.0, 2.0])))

# %% jit/graph mode integer output
ms.set_context(mode=ms.GRAPH_MODE)
def f(x):
    return ops.cast(x, ms.int32)
attempt(lambda: ms.grad(f)(Tensor([1.0, 2.0])))

# %% jit/graph mode same Tensor twice
ms.set_context(mode=ms.GRAPH_MODE)
def f(a, b):
    return a * a * b
x = Tensor(3.0)
attempt(lambda: ms.grad(f, (0, 1))(x, x))

# %% jit/graph mode tuple of one position
ms.set_context(mode=ms.GRAPH_MODE)
def f(a, b):
    return a * a * b
attempt(lambda: ms.grad(f, (1,))(Tensor(3.0), Tensor(2.0)))
attempt(lambda: ms.grad(f, (0, 1))(Tensor(3.0), 2.0))

# %% jit/graph mode frozen weight
ms.set_context(mode=ms.GRAPH_MODE)
w = Parameter(Tensor(2.0), name="w", requires_grad=False)
def f(x):
    return x * w * w
attempt(lambda: ms.grad(f, None, w)(Tensor(3.0)))

# %% jit/graph mode assign
ms.set_context(mode=ms.GRAPH_MODE)
p = Parameter(Tensor(2.0), name="p")
def f(x):
    ops.assign(p, x * x)
    return p * x
attempt(lambda: ms.value_and_grad(f, 0, p)(Tensor(3.0)))
show(p)

# %% jit/graph mode return_ids
ms.set_context(mode=ms.GRAPH_MODE)
def f(a, b):
    return a * a * b
attempt(lambda: ms.grad(f, 1, return_ids=True)(Tensor([3.0]), Tensor([2.0])))

# %% jit/graph mode complex
ms.set_context(mode=ms.GRAPH_MODE)
def f(x):
    return x * x
attempt(lambda: ms.grad(f)(Tensor([1 + 2j], ms.complex64)))

# %% jit/graph mode aux with one output
ms.set_context(mode=ms.GRAPH_MODE)
def f(x):
    return x * x
attempt(lambda: ms.grad(f, has_aux=True)(Tensor([1.0])))

# %% jit/graph mode position out of range
ms.set_context(mode=ms.GRAPH_MODE)
def f(x):
    return x * x
attempt(lambda: ms.grad(f, 3)(Tensor([1.0])))

# %% jit/two shapes and two dtypes
@ms.jit
def f(x):
    return x + x

show(f(Tensor([1.0])), f(Tensor([1.0, 2.0])), f(Tensor(1, ms.int32)), f(Tensor(1, ms.int32)))

# %% jit/numbers as arguments
@ms.jit
def f(x, k):
    return x * k

show(f(Tensor(2.0), 3), f(Tensor(2.0), 4), f(Tensor(2.0), 0.5))

# %% jit/returns None, numbers, nested
@ms.jit
def f(x):
    return x, None, 3, (x + 1, "s"), [x]

attempt(lambda: f(Tensor(2.0)))

# %% jit/jit of a Cell
net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
attempt(lambda: ms.jit(net)(Tensor([[1.0, 2.0]])))

# %% jit/jit_class
@ms.jit_class
class Scale:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return x * self.k

scale = Scale(3.0)

@ms.jit
def f(x):
    return scale(x)

show(f(Tensor(2.0)))

# %% stop/function
show(ms.grad(lambda x: x * ops.stop_gradient(x * x))(Tensor(3.0)))

# %% stop/the input
show(ms.grad(lambda x: ops.stop_gradient(x))(Tensor(3.0)))

# %% stop/class form
show(ms.grad(lambda x: x * ops.StopGradient()(x))(Tensor(3.0)))

# %% stop/tuple
attempt(lambda: ms.grad(lambda x: x * ops.stop_gradient((x, x))[0])(Tensor(3.0)))

# %% stop/number
attempt(lambda: ops.stop_gradient(3.0))

# %% stop/second derivative
show(ms.grad(ms.grad(lambda x: x * x * ops.stop_gradient(x)))(Tensor(3.0)))

# %% stop/weights
w = Parameter(Tensor(2.0), name="w")
show(ms.grad(lambda x: x * ops.stop_gradient(w), 0, w)(Tensor(3.0)))

# %% stop/detach
attempt(lambda: ms.grad(lambda x: x * x.detach())(Tensor(3.0)))

# %% stop/result shares memory
x = Tensor([1.0, 2.0])
y = ops.stop_gradient(x)
y[0] = 9.0
show(x, y)

# %% stop/asnumpy cuts
show(ms.grad(lambda x: x * Tensor(x.asnumpy()))(Tensor(3.0)))

# %% place/index assignment
def f(x):
    y = ops.zeros(3, ms.float32)
    y[0] = x * 2
    return y.sum()

show(ms.grad(f)(Tensor(3.0)))

# %% place/index assignment into a function of the input
def f(x):
    y = x * 1
    y[0] = x[1] * 10
    return (y * y).sum()

show(ms.value_and_grad(f)(Tensor([1.0, 2.0, 3.0])))

# %% place/index assignment of a constant
def f(x):
    y = x * x
    y[0] = 7.0
    return y

show(ms.value_and_grad(f)(Tensor([1.0, 2.0, 3.0])))

# %% place/index assignment into the input
x = Tensor([1.0, 2.0, 3.0])

def f(x):
    x[0] = 10.0
    return x * x

attempt(lambda: ms.value_and_grad(f)(x))
show(x)

# %% place/index assignment with a slice
def f(x):
    y = ops.ones((2, 3), ms.float32)
    y[:, 1:] = x
    return (y * y).sum()

show(ms.grad(f)(Tensor([2.0, 3.0])))

# %% place/index assignment with a mask
def f(x):
    y = x * 2
    y[x > 1.5] = 0.0
    return y * y

show(ms.grad(f)(Tensor([1.0, 2.0, 3.0])))

# %% place/iadd
def f(x):
    y = x * x
    y += x
    return y

show(ms.grad(f)(Tensor(3.0)))

# %% place/imul
def f(x):
    y = x + 0
    y *= x
    y *= x
    return y

show(ms.grad(f)(Tensor(3.0)))

# %% place/iadd is in place
x = Tensor([1.0, 2.0])
y = x
y += 1
show(x, y, x is y)

# %% place/iadd on the input
x = Tensor([1.0, 2.0])

def f(x):
    x += 1
    return x * x

attempt(lambda: ms.value_and_grad(f)(x))
show(x)

# %% place/value used before it is changed
def f(x):
    y = x * 2
    z = y * y
    y[:] = y * 10
    return z + y

attempt(lambda: ms.value_and_grad(f)(Tensor([1.0, 2.0])))

# %% place/view changed
def f(x):
    y = x * 1
    v = y[0]
    v[:] = v * 10
    return y * y

attempt(lambda: ms.value_and_grad(f)(Tensor([[1.0, 2.0], [3.0, 4.0]])))

# %% place/view of a view changed
def f(x):
    y = x * 1
    v = y[0][1:]
    v[:] = v * x[1, 1]
    return y * y

attempt(lambda: ms.value_and_grad(f)(Tensor([[1.0, 2.0], [3.0, 4.0]])))

# %% place/base changed, view read
def f(x):
    y = x * 1
    v = y.view(-1)
    y[:] = y * 3
    return v * v

attempt(lambda: ms.value_and_grad(f)(Tensor([[1.0, 2.0], [3.0, 4.0]])))

# %% place/index assignment through a view
def f(x):
    y = x * 1
    v = y[0]
    v[1] = x[1, 0] * 5
    return y * y

attempt(lambda: ms.value_and_grad(f)(Tensor([[1.0, 2.0], [3.0, 4.0]])))

# %% place/assign a Parameter
p = Parameter(Tensor(2.0), name="p")

def f(x):
    ops.assign(p, x * x)
    return p * x

attempt(lambda: ms.value_and_grad(f, 0, p)(Tensor(3.0)))
show(p)

# %% place/assign_add a Parameter
p = Parameter(Tensor(2.0), name="p")

def f(x):
    ops.assign_add(p, x)
    return p * p

attempt(lambda: ms.value_and_grad(f, 0, p)(Tensor(3.0)))
show(p)

# %% place/assign_add returns
p = Parameter(Tensor(2.0), name="p")

def f(x):
    q = ops.assign_add(p, x)
    return q * q

attempt(lambda: ms.value_and_grad(f, 0, p)(Tensor(3.0)))
show(p)

# %% place/iadd a Parameter
p = Parameter(Tensor(2.0), name="p")

def f(x):
    global p
    p += x
    return p * p

attempt(lambda: ms.value_and_grad(f, 0, p)(Tensor(3.0)))
show(type(p).__name__, p)

# %% place/set_data a Parameter
p = Parameter(Tensor(2.0), name="p")

def f(x):
    p.set_data(x * x)
    return p * x

attempt(lambda: ms.value_and_grad(f, 0, p)(Tensor(3.0)))
show(p)

# %% place/assign_value a Tensor
y = Tensor(2.0)

def f(x):
    y.assign_value(x * x)
    return y * x

attempt(lambda: ms.value_and_grad(f)(Tensor(3.0)))

# %% place/attribute set to a Tensor
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = Parameter(Tensor(2.0), name="p")

    def construct(self, x):
        self.p = x * x
        return self.p * x

net = Net()
attempt(lambda: ms.value_and_grad(net, 0)(Tensor(3.0)))
show(type(net.p).__name__, net.p)

# %% place/Parameter counts and stays out of the gradient
n = Parameter(Tensor(0.0), name="n", requires_grad=False)

def f(x):
    ops.assign_add(n, Tensor(1.0))
    return x * n

attempt(lambda: ms.value_and_grad(f)(Tensor(3.0)))
attempt(lambda: ms.value_and_grad(f)(Tensor(3.0)))
show(n)

# %% place/Parameter index assignment
p = Parameter(Tensor([1.0, 2.0]), name="p")

def f(x):
    p[0] = x * 3
    return p * p

attempt(lambda: ms.value_and_grad(f, 0, p)(Tensor(2.0)))
show(p)

# %% place/inside jit
@ms.jit
def f(x):
    y = ops.zeros(3, ms.float32)
    y[1] = x * x
    return y.sum()

attempt(lambda: ms.value_and_grad(f)(Tensor(3.0)))

# %% place/exception after a change
p = Parameter(Tensor(2.0), name="p")

def f(x):
    ops.assign(p, x)
    raise ValueError("no")

attempt(lambda: ms.grad(f)(Tensor(3.0)))
show(p)

# %% bprop/replaces the derivative
class Net(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * 100,)

show(ms.value_and_grad(Net())(Tensor([1.0, 2.0])))

# %% bprop/what it is given
class Net(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        show(x, y, out, dout)
        return x * 10, y * 100

net = Net()
show(ms.grad(lambda a, b: net(a, b) * 3, (0, 1))(Tensor(2.0), Tensor(5.0)))

# %% bprop/returns a Tensor instead of a tuple
class Net(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return dout * 100

attempt(lambda: ms.grad(Net())(Tensor([1.0, 2.0])))

# %% bprop/returns too few
class Net(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return (dout,)

attempt(lambda: ms.grad(Net(), (0, 1))(Tensor(1.0), Tensor(2.0)))

# %% bprop/returns too many
class Net(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return dout, dout

attempt(lambda: ms.grad(Net())(Tensor(1.0)))

# %% bprop/wrong signature
class Net(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, dout):
        return (dout,)

attempt(lambda: ms.grad(Net())(Tensor(1.0)))

# %% bprop/returns None
class Net(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return dout * 3, None

attempt(lambda: ms.grad(Net(), (0, 1))(Tensor(1.0), Tensor(2.0)))

# %% bprop/returns a wrong shape
class Net(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout.sum(),)

attempt(lambda: ms.grad(Net())(Tensor([1.0, 2.0])))

# %% bprop/returns a wrong dtype
class Net(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (ops.cast(dout, ms.float16),)

attempt(lambda: ms.grad(Net())(Tensor([1.0, 2.0])))

# %% bprop/several outputs
class Net(nn.Cell):
    def construct(self, x):
        return x * x, x * 5

    def bprop(self, x, out, dout):
        show(type(out).__name__, out, type(dout).__name__, dout)
        return (dout[0] * 10 + dout[1],)

net = Net()
show(ms.grad(net)(Tensor(3.0)))

# %% bprop/several outputs of which one is used
class Net(nn.Cell):
    def construct(self, x):
        return x * x, x * 5

    def bprop(self, x, out, dout):
        show(dout)
        return (dout[0] * 10,)

net = Net()
show(ms.grad(lambda x: net(x)[0])(Tensor(3.0)))

# %% bprop/inside a larger function
class Net(nn.Cell):
    def construct(self, x):
        return ops.sin(x)

    def bprop(self, x, out, dout):
        return (dout * 7,)

net = Net()
show(ms.grad(lambda x: net(x * x) * 2)(Tensor(3.0)))

# %% bprop/second derivative
class Net(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * x * x * x,)

show(ms.grad(ms.grad(Net()))(Tensor(2.0)))

# %% bprop/second derivative through out
class Net(nn.Cell):
    def construct(self, x):
        return ops.exp(x)

    def bprop(self, x, out, dout):
        return (dout * out,)

show(ms.grad(ms.grad(Net()))(Tensor(1.0)))

# %% bprop/of a Cell with parameters
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(4.0), name="w")

    def construct(self, x):
        return x * self.w

    def bprop(self, x, out, dout):
        return (dout * 100,)

net = Net()
attempt(lambda: ms.grad(net)(Tensor(3.0)))
attempt(lambda: ms.grad(net, 0, net.w)(Tensor(3.0)))

# %% bprop/with gradients of parameters
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(4.0), name="w")
        self.internal_params = [self.w]

    def construct(self, x):
        return x * self.w

    def bprop(self, x, out, dout):
        return (dout * 100,), {self.w: dout * 1000}

net = Net()
attempt(lambda: ms.grad(net, 0, net.w)(Tensor(3.0)))

# %% bprop/keyword argument
class Net(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return dout * 10, dout * 100

net = Net()
attempt(lambda: ms.grad(lambda a, b: net(a, y=b), (0, 1))(Tensor(1.0), Tensor(2.0)))

# %% bprop/number argument
class Net(nn.Cell):
    def construct(self, x, k):
        return x * k

    def bprop(self, x, k, out, dout):
        return dout * 10, k

net = Net()
attempt(lambda: ms.grad(net)(Tensor(1.0), 2.0))
attempt(lambda: ms.grad(net, (0, 1))(Tensor(1.0), 2.0))

# %% bprop/nested Cell is not differentiated
class Inner(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        print("inner")
        return (dout,)

class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def construct(self, x):
        return self.inner(x) * 3

    def bprop(self, x, out, dout):
        print("outer")
        return (dout * 5,)

show(ms.grad(Outer())(Tensor(2.0)))

# %% bprop/forward without grad does not call it
class Net(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        print("bprop")
        return (dout,)

show(Net()(Tensor(3.0)))

# %% bprop/under jit
class Net(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * 100,)

net = Net()

@ms.jit
def f(x):
    return net(x) * 2

attempt(lambda: ms.grad(f)(Tensor(3.0)))

# %% bprop/graph mode
ms.set_context(mode=ms.GRAPH_MODE)

class Net(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * 100,)

attempt(lambda: ms.grad(Net())(Tensor(3.0)))

# %% hook/tensor in a function
def double(g):
    show("hook", g)
    return g * 2

def f(x):
    y = x * x
    y.register_hook(double)
    return y * 3

show(ms.grad(f)(Tensor([1.0, 2.0])))

# %% hook/tensor returns None
def look(g):
    show("hook", g)

def f(x):
    y = x * x
    y.register_hook(look)
    return y * 3

show(ms.grad(f)(Tensor([1.0, 2.0])))

# %% hook/tensor several hooks in order
def f(x):
    y = x * x
    y.register_hook(lambda g: g + 1)
    y.register_hook(lambda g: g * 10)
    return y

show(ms.grad(f)(Tensor([1.0, 2.0])))

# %% hook/tensor removed
def f(x):
    y = x * x
    handle = y.register_hook(lambda g: g * 10)
    handle.remove()
    return y

show(ms.grad(f)(Tensor([1.0, 2.0])))

# %% hook/tensor handle
def f(x):
    y = x * x
    print(hasattr(y.register_hook(lambda g: g * 10), "remove"))
    return y

ms.grad(f)(Tensor([1.0, 2.0]))

# %% hook/input of the function
x = Tensor([1.0, 2.0])
x.register_hook(lambda g: g * 10)
attempt(lambda: ms.grad(lambda x: x * x)(x))

# %% hook/input inside the function
def f(x):
    x.register_hook(lambda g: g * 10)
    return x * x

attempt(lambda: ms.grad(f)(Tensor([1.0, 2.0])))

# %% hook/output used twice
def f(x):
    y = x * x
    y.register_hook(lambda g: show("hook", g))
    return y * 3 + y * 4

show(ms.grad(f)(Tensor(1.0)))

# %% hook/unused tensor
def f(x):
    y = x * x
    y.register_hook(lambda g: show("hook", g))
    return x * 3

show(ms.grad(f)(Tensor(1.0)))

# %% hook/not callable
attempt(lambda: Tensor([1.0]).register_hook(3))

# %% hook/returns something else
def f(x):
    y = x * x
    y.register_hook(lambda g: 3)
    return y

attempt(lambda: ms.grad(f)(Tensor([1.0, 2.0])))

# %% hook/returns another shape
def f(x):
    y = x * x
    y.register_hook(lambda g: g.sum())
    return y

attempt(lambda: ms.grad(f)(Tensor([1.0, 2.0])))

# %% hook/without grad
y = Tensor([1.0]) * 2
attempt(lambda: hasattr(y.register_hook(lambda g: g), "remove"))

# %% hook/Parameter
p = Parameter(Tensor([1.0, 2.0]), name="p")
handle = p.register_hook(lambda g: g * 10)
attempt(lambda: ms.grad(lambda x: x * p, 0, p)(Tensor(3.0)))
handle.remove()
attempt(lambda: ms.grad(lambda x: x * p, 0, p)(Tensor(3.0)))

# %% hook/Parameter used twice
p = Parameter(Tensor(2.0), name="p")
p.register_hook(lambda g: show("hook", g))
show(ms.grad(lambda x: x * p * p, None, p)(Tensor(3.0)))

# %% hook/Parameter that is not asked for
p = Parameter(Tensor(2.0), name="p")
p.register_hook(lambda g: show("hook", g))
show(ms.grad(lambda x: x * p)(Tensor(3.0)))

# %% hook/Parameter in an optimizer step
net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
net.weight.register_hook(lambda g: g * 0)
opt = nn.SGD(net.trainable_params(), 0.1)
g = ms.grad(net, None, opt.parameters)(Tensor([[1.0, 2.0]]))
opt(g)
show(g, net.weight, net.bias)

# %% hook/second derivative
def f(x):
    y = x * x * x
    y.register_hook(lambda g: g * 2)
    return y

attempt(lambda: ms.grad(ms.grad(f))(Tensor(2.0)))

# %% hook/forward pre
class Net(nn.Cell):
    def construct(self, x):
        return x * x

net = Net()
handle = net.register_forward_pre_hook(lambda cell, args: show("pre", type(cell).__name__, args))
show(net(Tensor(3.0)))
handle.remove()
show(net(Tensor(3.0)))

# %% hook/forward pre replaces
class Net(nn.Cell):
    def construct(self, x):
        return x * x

net = Net()
net.register_forward_pre_hook(lambda cell, args: args[0] + 1)
show(net(Tensor(3.0)), ms.grad(net)(Tensor(3.0)))

# %% hook/forward pre replaces with a tuple
class Net(nn.Cell):
    def construct(self, x, y):
        return x * y

net = Net()
net.register_forward_pre_hook(lambda cell, args: (args[1], args[1]))
show(net(Tensor(3.0), Tensor(5.0)))

# %% hook/forward pre with kwargs
class Net(nn.Cell):
    def construct(self, x, y):
        return x * y

net = Net()
def hook(cell, args, kwargs):
    show(args, kwargs)
    return args, {"y": Tensor(100.0)}
attempt(lambda: net.register_forward_pre_hook(hook, with_kwargs=True) and None)
attempt(lambda: net(Tensor(3.0), y=Tensor(5.0)))

# %% hook/forward pre wrong result
class Net(nn.Cell):
    def construct(self, x):
        return x * 2

net = Net()
net.register_forward_pre_hook(lambda cell, args: (args[0], args[0]))
attempt(lambda: net(Tensor(3.0)))

# %% hook/forward
class Net(nn.Cell):
    def construct(self, x):
        return x * x

net = Net()
handle = net.register_forward_hook(lambda cell, args, out: show("forward", type(cell).__name__, args, out))
show(net(Tensor(3.0)))
handle.remove()
show(net(Tensor(3.0)))

# %% hook/forward replaces
class Net(nn.Cell):
    def construct(self, x):
        return x * x

net = Net()
net.register_forward_hook(lambda cell, args, out: out * 10)
show(net(Tensor(3.0)), ms.grad(net)(Tensor(3.0)))

# %% hook/forward of several outputs
class Net(nn.Cell):
    def construct(self, x):
        return x * x, x

net = Net()
net.register_forward_hook(lambda cell, args, out: show(type(out).__name__, out))
show(net(Tensor(3.0)))

# %% hook/forward several hooks in order
class Net(nn.Cell):
    def construct(self, x):
        return x * x

net = Net()
net.register_forward_hook(lambda cell, args, out: out + 1)
net.register_forward_hook(lambda cell, args, out: out * 10)
show(net(Tensor(3.0)))

# %% hook/forward with kwargs
class Net(nn.Cell):
    def construct(self, x, y):
        return x * y

net = Net()
attempt(lambda: net.register_forward_hook(lambda c, a, k, o: show(a, k, o), with_kwargs=True) and None)
attempt(lambda: net(Tensor(3.0), y=Tensor(5.0)))

# %% hook/forward not callable
attempt(lambda: nn.ReLU().register_forward_hook(3))
attempt(lambda: nn.ReLU().register_forward_pre_hook("x"))
attempt(lambda: nn.ReLU().register_backward_hook(None))
attempt(lambda: nn.ReLU().register_backward_pre_hook(None))

# %% hook/backward
class Net(nn.Cell):
    def construct(self, x):
        return x * x

net = Net()

def hook(cell, grad_input, grad_output):
    show("backward", type(cell).__name__, grad_input, grad_output)

handle = net.register_backward_hook(hook)
show(ms.grad(lambda x: net(x) * 5)(Tensor(3.0)))
handle.remove()
show(ms.grad(lambda x: net(x) * 5)(Tensor(3.0)))

# %% hook/backward replaces
class Net(nn.Cell):
    def construct(self, x):
        return x * x

net = Net()
net.register_backward_hook(lambda cell, gi, go: (gi[0] * 100,))
attempt(lambda: ms.grad(lambda x: net(x) * 5)(Tensor(3.0)))

# %% hook/backward replaces with a Tensor
class Net(nn.Cell):
    def construct(self, x):
        return x * x

net = Net()
net.register_backward_hook(lambda cell, gi, go: gi[0] * 100)
attempt(lambda: ms.grad(lambda x: net(x) * 5)(Tensor(3.0)))

# %% hook/backward two inputs
class Net(nn.Cell):
    def construct(self, x, y):
        return x * y

net = Net()
net.register_backward_hook(lambda cell, gi, go: show(gi, go))
show(ms.grad(net, (0, 1))(Tensor(3.0), Tensor(5.0)))
show(ms.grad(net, 0)(Tensor(3.0), Tensor(5.0)))

# %% hook/backward two outputs
class Net(nn.Cell):
    def construct(self, x):
        return x * x, x * 5

net = Net()
net.register_backward_hook(lambda cell, gi, go: show(gi, go))
show(ms.grad(net)(Tensor(3.0)))
show(ms.grad(lambda x: net(x)[0])(Tensor(3.0)))

# %% hook/backward with parameters
net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
net.register_backward_hook(lambda cell, gi, go: show(gi, go))
show(ms.grad(net, 0, net.trainable_params())(Tensor([[1.0, 2.0]])))

# %% hook/backward when only weights are asked for
net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
net.register_backward_hook(lambda cell, gi, go: show(gi, go))
show(ms.grad(net, None, net.trainable_params())(Tensor([[1.0, 2.0]])))

# %% hook/backward wrong number
class Net(nn.Cell):
    def construct(self, x):
        return x * x

net = Net()
net.register_backward_hook(lambda cell, gi, go: (gi[0], gi[0]))
attempt(lambda: ms.grad(net)(Tensor(3.0)))

# %% hook/backward pre
class Net(nn.Cell):
    def construct(self, x):
        return x * x

net = Net()
handle = net.register_backward_pre_hook(lambda cell, go: show("pre", type(cell).__name__, go))
show(ms.grad(lambda x: net(x) * 5)(Tensor(3.0)))
handle.remove()
show(ms.grad(lambda x: net(x) * 5)(Tensor(3.0)))

# %% hook/backward pre replaces
class Net(nn.Cell):
    def construct(self, x):
        return x * x

net = Net()
net.register_backward_pre_hook(lambda cell, go: (go[0] * 100,))
attempt(lambda: ms.grad(lambda x: net(x) * 5)(Tensor(3.0)))

# %% hook/backward pre replaces with a Tensor
class Net(nn.Cell):
    def construct(self, x):
        return x * x

net = Net()
net.register_backward_pre_hook(lambda cell, go: go[0] * 100)
attempt(lambda: ms.grad(lambda x: net(x) * 5)(Tensor(3.0)))

# %% hook/backward and backward pre together
class Net(nn.Cell):
    def construct(self, x):
        return x * x

net = Net()
net.register_backward_hook(lambda cell, gi, go: show("backward", gi, go))
net.register_backward_pre_hook(lambda cell, go: (go[0] * 10,))
attempt(lambda: ms.grad(net)(Tensor(3.0)))

# %% hook/on an inner layer of a network
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()
        self.handle = self.relu.register_backward_hook(self.hook)

    def hook(self, cell, grad_input, grad_output):
        show(grad_input, grad_output)

    def construct(self, x):
        return self.relu(x + x) * 3

show(ms.grad(Net())(Tensor([1.0, -1.0])))

# %% hook/forward under jit
net = nn.ReLU()

def hook(cell, args, out):
    return out * 10

net.register_forward_hook(hook)

@ms.jit
def f(x):
    return net(x)

attempt(lambda: f(Tensor([1.0])))

# %% hook/all in order
class Net(nn.Cell):
    def construct(self, x):
        print("construct")
        return x * x

net = Net()
net.register_forward_pre_hook(lambda *a: print("forward pre"))
net.register_forward_hook(lambda *a: print("forward"))
net.register_backward_pre_hook(lambda *a: print("backward pre"))
net.register_backward_hook(lambda *a: print("backward"))
show(ms.grad(net)(Tensor(3.0)))

# %% vjp/value and function
out, pull = ms.vjp(lambda x: x * x, Tensor([1.0, 2.0]))
show(out, pull(Tensor([1.0, 10.0])))

# %% vjp/two inputs
out, pull = ms.vjp(lambda x, y: x * y, Tensor(3.0), Tensor(2.0))
show(out, pull(Tensor(1.0)))

# %% vjp/two outputs
out, pull = ms.vjp(lambda x: (x * x, 5 * x), Tensor(3.0))
attempt(lambda: pull(Tensor(1.0), Tensor(10.0)))
attempt(lambda: pull((Tensor(1.0), Tensor(10.0))))
show(out)

# %% vjp/weights
w = Parameter(Tensor(2.0), name="w")
attempt(lambda: ms.vjp(lambda x: x * w, Tensor(3.0), weights=w)[1](Tensor(1.0)))
attempt(lambda: ms.vjp(lambda x: x * w, Tensor(3.0), weights=[w])[1](Tensor(1.0)))

# %% vjp/aux
attempt(lambda: len(ms.vjp(lambda x: (x * x, 5 * x), Tensor(3.0), has_aux=True)))
out = ms.vjp(lambda x: (x * x, 5 * x), Tensor(3.0), has_aux=True)
attempt(lambda: (out[0], out[1](Tensor(1.0))))
attempt(lambda: out[2])

# %% vjp/called twice
out, pull = ms.vjp(lambda x: x * x, Tensor(3.0))
show(pull(Tensor(1.0)), pull(Tensor(10.0)))

# %% vjp/misuse
attempt(lambda: ms.vjp(3, Tensor(1.0)))
attempt(lambda: ms.vjp(lambda x: x * x))
attempt(lambda: ms.vjp(lambda x: x * x, Tensor([1.0, 2.0]))[1]())
attempt(lambda: ms.vjp(lambda x: x * x, 3.0))

# %% jvp/value and tangent
def f(x):
    return x * x

show(ms.jvp(f, Tensor([1.0, 2.0]), Tensor([1.0, 10.0])))

# %% jvp/two inputs
def f(x, y):
    return x * y

show(ms.jvp(f, (Tensor(3.0), Tensor(2.0)), (Tensor(1.0), Tensor(10.0))))

# %% jvp/two outputs
def f(x):
    return (x * x, 5 * x)

show(ms.jvp(f, Tensor(3.0), Tensor(10.0)))

# %% jvp/aux
def f(x):
    return (x * x, 5 * x)

attempt(lambda: ms.jvp(f, Tensor(3.0), Tensor(1.0), has_aux=True))

# %% jvp/input in a tuple
def f(x):
    return x * x

attempt(lambda: ms.jvp(f, (Tensor(3.0),), (Tensor(1.0),)))

# %% jvp/misuse
def f(x):
    return x * x

attempt(lambda: ms.jvp(f, Tensor([3.0, 1.0]), Tensor([1.0, 1.0, 1.0])))
def g(x, y):
    return x * y

attempt(lambda: ms.jvp(g, (Tensor(3.0), Tensor(2.0)), (Tensor(1.0),)))
attempt(lambda: ms.jvp(f, 3.0, 1.0))
attempt(lambda: ms.jvp(f, Tensor(3.0), Tensor(1)))

# %% jvp/list inputs
def f(x, y):
    return x * y

attempt(lambda: ms.jvp(f, [Tensor(3.0), Tensor(2.0)], [Tensor(1.0), Tensor(10.0)]))

# %% jac/jacfwd
def f(x):
    return x * x

show(ms.jacfwd(f)(Tensor([1.0, 2.0])))

# %% jac/jacrev
def f(x):
    return x * x

show(ms.jacrev(f)(Tensor([1.0, 2.0])))

# %% jac/jacfwd scalar
def f(x):
    return x * x

attempt(lambda: ms.jacfwd(f)(Tensor(3.0)))
attempt(lambda: ms.jacrev(f)(Tensor(3.0)))

# %% jac/jacrev reduces a dimension
def f(x):
    return (x * x).sum(axis=1)

show(ms.jacrev(f)(Tensor([[1.0, 2.0], [3.0, 4.0]])))
show(ms.jacfwd(f)(Tensor([[1.0, 2.0], [3.0, 4.0]])))

# %% jac/two positions
def f(x, y):
    return x * y

attempt(lambda: ms.jacfwd(f, (0, 1))(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
attempt(lambda: ms.jacrev(f, (0, 1))(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))

# %% jac/second position
def f(x, y):
    return x * y

attempt(lambda: ms.jacfwd(f, 1)(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
attempt(lambda: ms.jacrev(f, 1)(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))

# %% jac/aux
def f(x):
    return (x * x, 5 * x)

attempt(lambda: ms.jacfwd(f, has_aux=True)(Tensor([1.0, 2.0])))
attempt(lambda: ms.jacrev(f, has_aux=True)(Tensor([1.0, 2.0])))

# %% jac/two outputs
def f(x):
    return (x * x, 5 * x)

attempt(lambda: ms.jacfwd(f)(Tensor([1.0, 2.0])))
attempt(lambda: ms.jacrev(f)(Tensor([1.0, 2.0])))

# %% jac/two outputs and two positions
def f(x, y):
    return (x * y, x + y)

attempt(lambda: ms.jacfwd(f, (0, 1))(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
attempt(lambda: ms.jacrev(f, (0, 1))(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))

# %% jac/hessian
def f(x):
    return (x * x * x).sum()

attempt(lambda: ms.jacfwd(ms.jacrev(f))(Tensor([1.0, 2.0])))
attempt(lambda: ms.jacrev(ms.grad(f))(Tensor([1.0, 2.0])))
attempt(lambda: ms.jacfwd(ms.grad(f))(Tensor([1.0, 2.0])))

# %% jac/jacfwd of what has only a reverse mode
class Net(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (x * 5 * dout,)

x = Tensor([0.5, 1.0])
attempt(lambda: ms.jacfwd(Net())(x))

# %% jac/misuse
def f(x):
    return x * x

attempt(lambda: ms.jacfwd(f, 4)(Tensor([1.0, 2.0])))
attempt(lambda: ms.jacrev(f, -1)(Tensor([1.0, 2.0])))
attempt(lambda: ms.jacfwd(f, None)(Tensor([1.0, 2.0])))
attempt(lambda: ms.jacrev(3)(Tensor([1.0, 2.0])))

# %% jac/integer input
def f(x):
    return x * 2

attempt(lambda: ms.jacrev(f)(Tensor([1, 2])))

# %% vmap/plain
def f(x):
    return x.sum()

show(ms.vmap(f)(Tensor([[1.0, 2.0], [3.0, 4.0]])))

# %% vmap/two inputs
def f(x, y):
    return (x * y).sum()

show(ms.vmap(f)(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[1.0, 1.0], [2.0, 2.0]])))

# %% vmap/in_axes None
def f(x, y):
    return x * y

show(ms.vmap(f, (0, None))(Tensor([1.0, 2.0]), Tensor([3.0, 4.0, 5.0])))

# %% vmap/in_axes 1
def f(x):
    return x.sum()

show(ms.vmap(f, 1)(Tensor([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]])))

# %% vmap/in_axes negative
def f(x):
    return x.sum()

show(ms.vmap(f, -1)(Tensor([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]])))

# %% vmap/out_axes
def f(x):
    return x * 2

show(ms.vmap(f, 0, 1)(Tensor([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]])))
show(ms.vmap(f, 0, -1)(Tensor([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]])))

# %% vmap/out_axes None
def f(x, y):
    return (x * y, y * 2)

attempt(lambda: ms.vmap(f, (0, None), (0, None))(Tensor([1.0, 2.0]), Tensor(3.0)))
def g(x):
    return x * 2

attempt(lambda: ms.vmap(g, 0, None)(Tensor([1.0, 2.0])))

# %% vmap/nested in_axes
def funf(t, z):
    return t[0] * t[1] + z

f = ms.vmap(funf, ((0, None), 0))
attempt(lambda: f((Tensor([1.0, 2.0]), Tensor(3.0)), Tensor([10.0, 20.0])))

# %% vmap/list in_axes
def f(x, y):
    return x * y

attempt(lambda: ms.vmap(f, [0, None])(Tensor([1.0, 2.0]), Tensor(3.0)))

# %% vmap/nested vmap
def funf(x, y):
    return x * y

f = ms.vmap(ms.vmap(funf, (None, 0)), (0, None))
show(f(Tensor([1.0, 2.0]), Tensor([3.0, 4.0, 5.0])))

# %% vmap/several outputs
def f(x):
    return (x.sum(), x * 2)

show(ms.vmap(f)(Tensor([[1.0, 2.0], [3.0, 4.0]])))

# %% vmap/number argument
def f(x, k):
    return x * k

attempt(lambda: ms.vmap(f, (0, None))(Tensor([1.0, 2.0]), 3.0))
attempt(lambda: ms.vmap(f)(Tensor([1.0, 2.0]), 3.0))

# %% vmap/of grad
def f(x):
    return x * x * x

show(ms.vmap(ms.grad(f))(Tensor([1.0, 2.0, 3.0])))

# %% vmap/grad of vmap
def f(x):
    return x * x * x

show(ms.grad(ms.vmap(f))(Tensor([1.0, 2.0, 3.0])))

# %% vmap/per-sample gradients of weights
w = Parameter(Tensor([1.0, 2.0]), name="w")
def f(x):
    return (x * w * w).sum()

attempt(lambda: ms.vmap(ms.grad(f, None, w))(Tensor([[1.0, 2.0], [3.0, 4.0]])))

# %% vmap/of a Cell
net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
attempt(lambda: ms.vmap(net)(Tensor([[[1.0, 2.0]], [[3.0, 4.0]]])))

# %% vmap/sizes differ
def f(x, y):
    return x * y

attempt(lambda: ms.vmap(f)(Tensor([1.0, 2.0]), Tensor([1.0, 2.0, 3.0])))

# %% vmap/misuse
attempt(lambda: ms.vmap(3)(Tensor([1.0])))
def f(x):
    return x

attempt(lambda: ms.vmap(f, "0")(Tensor([1.0])))
attempt(lambda: ms.vmap(f, None)(Tensor([1.0])))
attempt(lambda: ms.vmap(f, 3)(Tensor([1.0])))
attempt(lambda: ms.vmap(f, (0, 0))(Tensor([1.0])))
attempt(lambda: ms.vmap(f, 0, 5)(Tensor([1.0])))
attempt(lambda: ms.vmap(f)(Tensor(1.0)))

# %% vmap/list of Cells
class Net(nn.Cell):
    def __init__(self, k):
        super().__init__()
        self.w = Parameter(Tensor(k), name="w")

    def construct(self, x):
        return x * self.w
nets = nn.CellList([Net(2.0), Net(5.0)])
attempt(lambda: ms.vmap(nets, in_axes=0)(Tensor([3.0, 4.0])))

# %% vmap/numbers and lists returned
def numbers(x):
    return x.sum(), 1.5, (True, x, 3)
def pair(x):
    return [x, x * 2]

x = Tensor([[1.0, 2.0], [3.0, 4.0]])
show(ms.vmap(numbers)(x))
show(ms.vmap(numbers, 0, (0, None, (None, 1, 0)))(x))
show(ms.vmap(pair, 0, [0, 1])(x))
def same(x):
    return 2.0

show(ms.vmap(same, -1)(x))

# %% vmap/too few arguments, and none mapped
def f(x, y):
    return x * y

x = Tensor([[1.0, 2.0], [3.0, 4.0]])
attempt(lambda: ms.vmap(f, (0, 0))(x))
attempt(lambda: ms.vmap(f, (0, 0, 0))(x, x))
attempt(lambda: ms.vmap(f, (None, None))(x, x))
attempt(lambda: ms.vmap(f, (0, -3))(x, x))
attempt(lambda: ms.vmap(f, 0, -3)(x, x))
attempt(lambda: ms.vmap(f, 0, (0, 0))(x, x))

# %% vmap/list of Cells, inputs for all
class Net(nn.Cell):
    def __init__(self, k):
        super().__init__()
        self.w = Parameter(Tensor([k, -k]), name="w")

    def construct(self, x, y):
        return x * self.w + y
nets = nn.CellList([Net(2.0), Net(5.0), Net(7.0)])
x = Tensor([3.0, 4.0])
y = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
show(ms.vmap(nets, None)(x, x))
show(ms.vmap(nets, (None, 0), 1)(x, y))
attempt(lambda: ms.vmap(nets, 0)(y[:2], y[:2]))
attempt(lambda: ms.vmap(nn.CellList([Net(1.0)]), 0)(y[:1], y[:1]))

# %% vmap/list of Cells, each writes its own
class Counter(nn.Cell):
    def __init__(self, k):
        super().__init__()
        self.w = Parameter(Tensor([k, k + 1.0]), name="w")
        self.n = Parameter(Tensor([0.0, 0.0]), name="n", requires_grad=False)
        self.add = ops.AssignAdd()

    def construct(self, x):
        self.add(self.n, x * self.w)
        return x * self.w
nets = nn.CellList([Counter(1.0), Counter(5.0)])
x = Tensor([[1.0, 2.0], [3.0, 4.0]])
show(ms.vmap(nets, 0)(x))
show(ms.vmap(nets, None)(x[0]))
show([p for p in nets.get_parameters()])

# %% vmap/layers in a row
net = nn.SequentialCell([nn.ReLU(), nn.Tanh()])
show(ms.vmap(net)(Tensor([[1.0, -2.0], [3.0, 4.0]])))

# %% map/HyperMap
square = ops.MultitypeFuncGraph("square")

@square.register("Tensor")
def square_tensor(x):
    return x * x

attempt(lambda: ops.HyperMap()(square, (Tensor(2.0), (Tensor(3.0), Tensor(4.0)))))
attempt(lambda: ops.HyperMap(square)((Tensor(2.0), [Tensor(3.0), Tensor(4.0)])))

# %% map/Map
square = ops.MultitypeFuncGraph("square")

@square.register("Tensor")
def square_tensor(x):
    return x * x

attempt(lambda: ops.Map()(square, (Tensor(2.0), Tensor(3.0))))
attempt(lambda: ops.Map(square)([Tensor(2.0), Tensor(3.0)]))

# %% map/several arguments
add = ops.MultitypeFuncGraph("add")

@add.register("Tensor", "Tensor")
def add_tensors(x, y):
    return x + y

@add.register("Number", "Number")
def add_numbers(x, y):
    return x + y + 100

@add.register("Number", "Tensor")
def add_mixed(x, y):
    return y + x + 1000

attempt(lambda: ops.HyperMap(add)((Tensor(2.0), 1, 1.5), (Tensor(3.0), 5, Tensor(1.0))))
attempt(lambda: ops.HyperMap()(ops.partial(add, Tensor(7.0)), (Tensor(3.0), Tensor(4.0))))
attempt(lambda: add(Tensor(1.0), Tensor(2.0)))
attempt(lambda: add(1, 2))
attempt(lambda: add("a", "b"))

# %% map/lengths differ
add = ops.MultitypeFuncGraph("add")

@add.register("Tensor", "Tensor")
def add_tensors(x, y):
    return x + y

attempt(lambda: ops.HyperMap(add)((Tensor(2.0),), (Tensor(3.0), Tensor(1.0))))
attempt(lambda: ops.Map(add)((Tensor(2.0),), (Tensor(3.0), Tensor(1.0))))

# %% map/with an ordinary function
attempt(lambda: ops.HyperMap()(lambda x: x * 2, (Tensor(2.0), Tensor(3.0))))
attempt(lambda: ops.Map()(lambda x: x * 2, (Tensor(2.0), Tensor(3.0))))

# %% map/gradient
square = ops.MultitypeFuncGraph("square")

@square.register("Tensor")
def square_tensor(x):
    return x * x

def f(x, y):
    return ops.HyperMap()(square, (x, y))

attempt(lambda: ms.grad(f, (0, 1))(Tensor(2.0), Tensor(3.0)))

# %% map/clip gradients
clip = ops.MultitypeFuncGraph("clip")

@clip.register("Number", "Tensor")
def clip_one(limit, g):
    return ops.clip_by_value(g, -limit, limit)

attempt(lambda: ops.HyperMap()(ops.partial(clip, 1.0), (Tensor([0.5, 3.0]), Tensor([-7.0]))))

# %% mutable/inputs
attempt(lambda: ms.mutable((Tensor(1.0), Tensor(2.0))))
attempt(lambda: ms.mutable([Tensor(1.0), 2.0]))
attempt(lambda: ms.mutable(3))
attempt(lambda: ms.mutable(Tensor(3.0)))
attempt(lambda: ms.mutable("s"))
attempt(lambda: ms.mutable({"a": Tensor(1.0)}))
attempt(lambda: ms.mutable((Tensor(1.0), "s")))
attempt(lambda: ms.mutable([Tensor(1.0), Tensor(2.0)], dynamic_len=True))

# %% mutable/gradient
attempt(lambda: ms.grad(lambda t: t[0] * t[1])(ms.mutable([Tensor(3.0), Tensor(2.0)])))
attempt(lambda: ms.grad(lambda t: t["a"] * t["b"])(ms.mutable({"a": Tensor(3.0), "b": Tensor(2.0)})))
attempt(lambda: ms.grad(lambda x, k: x * k, (0, 1))(Tensor(3.0), ms.mutable(2.0)))

# %% loop/WhileLoop
loop = ops.WhileLoop()
attempt(lambda: loop(lambda v: v < 100, lambda v: v * 3, Tensor(2.0)))

# %% loop/WhileLoop of a tuple
loop = ops.WhileLoop()
attempt(lambda: loop(lambda v: v[0] < 3, lambda v: (v[0] + 1, v[1] * 2), (Tensor(0), Tensor(1.5))))
attempt(lambda: loop(lambda v: v[0] < 3, lambda v: [v[0] + 1, v[1] * 2], [Tensor(0), Tensor(1.5)]))

# %% loop/WhileLoop gradient
loop = ops.WhileLoop()
attempt(lambda: ms.grad(lambda x: loop(lambda v: v < 100, lambda v: v * x, x))(Tensor(3.0)))

# %% loop/ForiLoop
attempt(lambda: ops.ForiLoop()(0, 5, lambda i, v: v + i, Tensor(1)))
attempt(lambda: ops.ForiLoop()(2, 4, lambda i, v: v * 2, Tensor(1.0)))
attempt(lambda: ops.ForiLoop()(4, 2, lambda i, v: v * 2, Tensor(1.0)))
attempt(lambda: ops.ForiLoop()(0, 3, lambda i, v: v * 2, Tensor(1.0), False))

# %% loop/ForiLoop gradient
attempt(lambda: ms.grad(lambda x: ops.ForiLoop()(0, 3, lambda i, v: v * x, x))(Tensor(2.0)))

# %% loop/Scan
def f(carry, x):
    return carry + x, carry * x

attempt(lambda: ops.Scan()(f, Tensor(1.0), [Tensor(1.0), Tensor(2.0), Tensor(3.0)], 3))
attempt(lambda: ops.Scan()(f, Tensor(1.0), Tensor([1.0, 2.0, 3.0]), 3))
attempt(lambda: ops.Scan()(f, Tensor(1.0), [Tensor(1.0), Tensor(2.0), Tensor(3.0)]))
attempt(lambda: ops.Scan()(f, 1, [1, 2, 3, 4], None))
attempt(lambda: ops.Scan()(f, Tensor(1.0), [Tensor(1.0), Tensor(2.0)], 3))
attempt(lambda: ops.Scan()(f, Tensor(1.0), None, 3))

# %% loop/Scan without inputs
attempt(lambda: ops.Scan()(lambda c, x: (c * 2, c), Tensor(1.0), None, 4))

# %% loop/Scan gradient
def f(carry, x):
    return carry * x, carry + x

def g(x):
    last, ys = ops.Scan()(f, x, [x, x, x], 3)
    return last

attempt(lambda: ms.grad(g)(Tensor(2.0)))

# %% loop/misuse
attempt(lambda: ops.WhileLoop()(3, lambda v: v, Tensor(1.0)))
attempt(lambda: ops.WhileLoop()(lambda v: v < 1, 3, Tensor(1.0)))
attempt(lambda: ops.ForiLoop()(0.0, 3, lambda i, v: v, Tensor(1.0)))
attempt(lambda: ops.ForiLoop()(0, 3, 7, Tensor(1.0)))
attempt(lambda: ops.Scan()(3, Tensor(1.0), [Tensor(1.0)]))

# %% recompute/function
def f(x, w):
    return ops.sin(x * w)

attempt(lambda: ms.recompute(f, Tensor([1.0, 2.0]), Tensor(3.0)))
attempt(lambda: ms.recompute(nn.ReLU(), Tensor([1.0, -2.0])))
attempt(lambda: ms.recompute(f))
attempt(lambda: ms.recompute(f, x=Tensor([1.0, 2.0]), w=Tensor(3.0)))

# %% recompute/gradient
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")

    def construct(self, x):
        return ops.sin(x * self.w)

net = Net()

def f(x):
    return ms.recompute(net, x) * 2

attempt(lambda: ms.grad(f, 0, net.w)(Tensor([1.0, 2.0])))

# %% recompute/method
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")

    def construct(self, x):
        return ops.sin(x * self.w)

net = Net()
attempt(lambda: net.recompute())
attempt(lambda: ms.grad(net, 0, net.w)(Tensor([1.0, 2.0])))
attempt(lambda: Net().recompute(mode=True))
attempt(lambda: Net().recompute(parallel_optimizer_comm_recompute=False))

# %% recompute/runs the function again
class Net(nn.Cell):
    def construct(self, x):
        print("construct")
        return x * x

net = Net()
attempt(lambda: ms.grad(lambda x: ms.recompute(net, x))(Tensor(3.0)))

# %% imperative/what exists
x = Tensor(3.0)
for name in ("backward", "grad", "requires_grad", "requires_grad_", "is_leaf", "retain_grad", "grad_fn", "detach", "register_hook"):
    print(name, hasattr(x, name))
for name in ("no_grad", "enable_grad", "set_grad_enabled", "autograd"):
    print(name, hasattr(ms, name))

# %% imperative/backward
x = Tensor(3.0)
attempt(lambda: x.backward())

# %% imperative/Parameter flags
p = Parameter(Tensor(3.0), name="p")
show(p.requires_grad)
p.requires_grad = False
show(p.requires_grad)
attempt(lambda: setattr(p, "requires_grad", 1))
show(hasattr(p, "grad"))

# %% imperative/result of a Parameter
p = Parameter(Tensor(3.0), name="p")
y = p * 2
show(type(y).__name__, hasattr(y, "requires_grad"))

# %% imperative/set_grad
net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
show(net.requires_grad, net.set_grad() is net, net.requires_grad, net.set_grad(False).requires_grad)
attempt(lambda: net.set_grad(3))
show(ms.grad(net, None, net.trainable_params())(Tensor([[1.0, 2.0]])))

# %% imperative/freeze by requires_grad
net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
net.bias.requires_grad = False
show([p.name for p in net.trainable_params()], [p.name for p in net.untrainable_params()])
show(ms.grad(net, None, net.trainable_params())(Tensor([[1.0, 2.0]])))

# %% imperative/ops.grad and friends
for name in ("grad", "value_and_grad", "get_grad", "vjp", "jvp", "jacfwd", "jacrev", "vmap", "stop_gradient"):
    print(name, hasattr(ops, name))

# %% step/optimizer
net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
opt = nn.SGD(net.trainable_params(), learning_rate=0.1)

def forward(x, y):
    out = net(x)
    return ((out - y) ** 2).mean(), out

step = ms.value_and_grad(forward, None, opt.parameters, has_aux=True)
for _ in range(3):
    (loss, out), grads = step(Tensor([[1.0, 2.0]]), Tensor([[1.0]]))
    opt(grads)
    show(loss, out, grads)
show(net.weight, net.bias)

# %% step/TrainOneStepCell
net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
train = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
attempt(lambda: train(Tensor([[1.0, 2.0]]), Tensor([[1.0]])))
attempt(lambda: train(Tensor([[1.0, 2.0]]), Tensor([[1.0]])))

# %% step/ForwardValueAndGrad
net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
with_loss = nn.WithLossCell(net, nn.MSELoss())
step = nn.ForwardValueAndGrad(with_loss, weights=net.trainable_params(), get_by_list=True)
attempt(lambda: step(Tensor([[1.0, 2.0]]), Tensor([[1.0]])))

# %% step/accumulation
net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
total = net.trainable_params()[0].clone(init="zeros")
f = ms.grad(lambda x: net(x).sum(), None, [net.weight])
for k in range(3):
    ops.assign_add(total, f(Tensor([[1.0, k]], ms.float32))[0])
show(total)

# %% step/loss scale
from mindspore.amp import DynamicLossScaler, StaticLossScaler, all_finite

net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
scaler = StaticLossScaler(1024.0)
value, grads = ms.value_and_grad(lambda x: scaler.scale(net(x).sum()), None, net.trainable_params())(Tensor([[1.0, 2.0]]))
show(value, grads, scaler.unscale(grads), all_finite(grads))

# %% step/overflow
from mindspore.amp import DynamicLossScaler, all_finite

scaler = DynamicLossScaler(1024, 2, 2)
for finite in (False, True, True, True, False):
    attempt(lambda: (scaler.adjust(Tensor(finite)), scaler.scale_value, scaler.counter))
show(all_finite((Tensor([1.0, float("inf")]),)), all_finite([Tensor([float("nan")])]), all_finite((Tensor([1.0]),)))

# %% step/clip_by_global_norm
attempt(lambda: ops.clip_by_global_norm((Tensor([3.0, 4.0]), Tensor([[12.0]]))))
attempt(lambda: ops.clip_by_global_norm([Tensor([3.0, 4.0]), Tensor([[12.0]])], clip_norm=26.0))
attempt(lambda: ops.clip_by_global_norm((Tensor([3.0, 4.0]),), use_norm=Tensor(10.0)))
attempt(lambda: ops.clip_by_global_norm(Tensor([3.0, 4.0])))

# %% step/clip_by_value and clip_by_norm
attempt(lambda: ops.clip_by_value(Tensor([-3.0, 0.5, 4.0]), -1, 1))
attempt(lambda: ops.clip_by_value([Tensor([-3.0]), Tensor([0.5])], -1, 1))
attempt(lambda: ops.clip_by_norm(Tensor([3.0, 4.0]), 1.0))
attempt(lambda: ops.clip_by_norm([Tensor([3.0, 4.0]), Tensor([12.0])], 1.0))
show(ms.grad(lambda x: ops.clip_by_value(x, -1, 1))(Tensor([-3.0, 0.5, 4.0, 1.0])))

# %% point/abs at zero
show(ms.grad(ops.abs)(Tensor([-1.0, 0.0, 2.0])))

# %% point/relu at zero
show(ms.grad(ops.relu)(Tensor([-1.0, 0.0, 2.0])))

# %% point/sqrt at zero
show(ms.grad(ops.sqrt)(Tensor([0.0, 4.0])))

# %% point/maximum of equals
show(ms.grad(ops.maximum, (0, 1))(Tensor([1.0, 2.0]), Tensor([1.0, 3.0])))

# %% point/max of equals
attempt(lambda: ms.grad(lambda x: x.max())(Tensor([2.0, 1.0, 2.0])))

# %% point/norm at zero
attempt(lambda: ms.grad(lambda x: ops.norm(x))(Tensor([0.0, 0.0])))

# %% point/pow at zero
attempt(lambda: ms.grad(lambda x: x**2)(Tensor([0.0])))
attempt(lambda: ms.grad(ops.pow, (0, 1))(Tensor([0.0, 2.0]), Tensor([2.0, 0.0])))

# %% point/where hides nan
attempt(lambda: ms.grad(lambda x: ops.where(x > 0, ops.sqrt(x), x * 0))(Tensor([0.0, 4.0])))

# %% point/sort and indexing
attempt(lambda: ms.grad(lambda x: (ops.sort(x)[0] * Tensor([1.0, 10.0, 100.0])).sum())(Tensor([3.0, 1.0, 2.0])))
attempt(lambda: ms.grad(lambda x: x[Tensor([0, 0, 1])].sum())(Tensor([3.0, 1.0, 2.0])))

# %% point/sign and floor have zero gradient
show(ms.grad(ops.sign)(Tensor([1.5])), ms.grad(ops.floor)(Tensor([1.5])), ms.grad(ops.round)(Tensor([1.5])))

# %% grad/sens_param
f = lambda x, y: x * y
x, y, sens = Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([1.0, 10.0])
show(ms.grad(f, sens_param=True)(x, y, sens))
show(ms.grad(f, (0, 1), sens_param=True)(x, y, sens))
show(ms.value_and_grad(f, sens_param=True)(x, y, sens))
show(ms.grad(f, sens_param=True)(x, y, sens=sens))
show(ms.grad(lambda x, y: (x * y, x + y), sens_param=True)(x, y, (sens, sens)))

# %% grad/sens_param with has_aux
x, y, sens = Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([1.0, 10.0])
show(ms.grad(lambda x, y: (x * y, x + y), sens_param=True, has_aux=True)(x, y, sens))

# %% grad/sens_param that is no bool
attempt(lambda: ms.grad(lambda x: x, sens_param=1)(Tensor(1.0), Tensor(1.0)))

# %% grad/indices among the positions
x, i, j = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), Tensor([0, 2], ms.int32), Tensor([[1, 0], [0, 0]], ms.int64)
every = ops.GradOperation(get_all=True)
for f in (lambda x, i: ops.gather(x, i, 0), lambda x, i: x[i], lambda x, i: ops.index_select(x, 0, i)):
    show(every(f)(x, i)[0], ms.grad(f, (0, 1))(x, i)[0])
show(every(lambda x, i: ops.gather_d(x, 1, i))(x, j)[0], every(lambda x, i: ops.gather_nd(x, i))(x, j)[0])
show(every(lambda x, i: ops.cross_entropy(x * x, i))(x[:2], Tensor([1, 0], ms.int32))[0])

# %% vmap/writes a mapped Parameter
def scattered(p, i, u):
    return ops.ScatterAdd()(p, i, u)
w = Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="w")
i, u = Tensor([[0], [1]], ms.int32), Tensor([[1.0], [5.0]])
show(ops.vmap(scattered, (0, 0, 0), 0)(w, i, u), w)
show(ops.vmap(ops.assign_add, (1, 0), 0)(w, Tensor([[1.0, 2.0], [3.0, 4.0]])), w)

# %% jit/graph mode compiles plain functions
ms.set_context(mode=ms.GRAPH_MODE)
def set_item(x, y):
    x[0] = y
    return (x * x).sum()
def add(x, y):
    x += y
    return (x * x).sum()
for f in (set_item, add):
    for transformed in (ms.grad(f), ms.value_and_grad(f, (0, 1)), ops.GradOperation(get_all=True)(f)):
        x = Tensor([1.0, 2.0])
        show(transformed(x, Tensor(5.0)), x)
        show(transformed(Tensor([1.0, 2.0, 3.0]), Tensor(5.0)))
