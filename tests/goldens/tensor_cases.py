"""Tensors as Python objects, in expressions over the names of this module and of `outcome`."""

# ruff: noqa: F401 - the expressions use the imports
import copy
import operator
import pickle

import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, mint, ops
from mindspore.common.initializer import One, initializer

CONSTRUCTION = """
Tensor(1)
Tensor(True)
Tensor(2.5)
Tensor(2j)
Tensor(2**31)
Tensor(2**63)
Tensor(2**64)
Tensor(-(2**63))
Tensor([1, 2])
Tensor([1, 2.5])
Tensor([True, 2])
Tensor([True, 2.5])
Tensor([1, 2j])
Tensor([])
Tensor([[]])
Tensor([[1, 2], [3, 4]])
Tensor([[1, 2], [3]])
Tensor((1, 2))
Tensor((1, [2, 3]))
Tensor(())
Tensor(range(3))
Tensor({1: 2})
Tensor({1, 2})
Tensor(None)
Tensor()
Tensor("a")
Tensor(["a", "b"])
Tensor(b"a")
Tensor(object())
Tensor(np.float64(1))
Tensor(np.float32(1))
Tensor(np.float16(1))
Tensor(np.int32(1))
Tensor(np.int64(1))
Tensor(np.uint8(1))
Tensor(np.bool_(True))
Tensor(np.complex64(1))
Tensor([np.float64(1), np.float64(2)])
Tensor([np.float32(1), np.float64(2)])
Tensor([np.float32(1), 2.0])
Tensor([np.float16(1)])
Tensor([np.int32(1), np.int32(2)])
Tensor([np.int32(1), 2])
Tensor((np.float64(1),))
Tensor([np.array([1.0, 2.0])])
Tensor([np.array([1, 2], np.int32)])
Tensor(np.array(1.5))
Tensor(np.array([1.5, 2]))
Tensor(np.array([1, 2]))
Tensor(np.array([1, 2], np.int32))
Tensor(np.array([1, 2], np.uint16))
Tensor(np.array([True]))
Tensor(np.array([], np.int32))
Tensor(np.zeros((0, 3)))
Tensor(np.array([1], ">f4"))
Tensor(np.array(["a"]))
Tensor(np.array([1, "a"], object))
Tensor(np.array([1], "M8[s]"))
Tensor(np.array([1], np.longdouble))
Tensor(np.arange(6).reshape(2, 3).T)
Tensor(Tensor([1, 2]))
Tensor(Tensor([1, 2]), ms.float32)
Tensor([Tensor(1), Tensor(2)])
Tensor([Tensor(1.0), 2])
Tensor([Tensor([1, 2]), Tensor([3, 4])])
Tensor((Tensor(1), Tensor(2.0)))
Tensor(1, ms.float32)
Tensor(1.7, ms.int32)
Tensor(-1, ms.uint8)
Tensor(300, ms.int8)
Tensor(2, ms.bool_)
Tensor([0, 1, 2], ms.bool_)
Tensor([1, 2], ms.float16)
Tensor([1, 2], ms.bfloat16)
Tensor([1, 2], ms.complex64)
Tensor(1.5, ms.float64)
Tensor(float("nan"), ms.int32)
Tensor(np.array([1.5]), ms.float32)
Tensor(np.array([1.5]), ms.int64)
Tensor(np.array([300]), ms.int8)
Tensor([1], dtype=np.float32)
Tensor([1], dtype="float32")
Tensor([1], dtype=int)
Tensor([1], dtype=1)
Tensor([1], dtype=ms.string)
Tensor([1], ms.int_)
Tensor([1, 2], shape=(2,))
Tensor([1, 2], shape=(1, 2))
Tensor([1, 2], shape=2)
Tensor(1, shape=(1,))
Tensor(shape=(2, 3), dtype=ms.float32)
Tensor(shape=(2, 3), dtype=ms.float32, init=One())
Tensor(shape=(2, 3), dtype=ms.float32, init=One()).init_data()
Tensor(shape=(2, 3), init=One())
Tensor(dtype=ms.float32, init=One())
Tensor(shape=2, dtype=ms.float32, init=One()).init_data()
Tensor(shape=[2, 3], dtype=ms.float32, init=One()).shape
Tensor(shape=(2, 3), dtype=ms.float32, init="ones")
Tensor(shape=(2, 3), dtype=ms.float32, init=1)
Tensor([1], init=One())
Tensor(input_data=[1, 2], dtype=ms.int8)
Tensor([1], ms.float32, (1,), None)
Tensor([1], const_arg=True)
Tensor([1], const_arg=True).const_arg
Tensor([1], const_arg=1)
Tensor([1], internal=True)
Tensor([1], device="CPU")
Tensor([1], device="GPU")
Tensor([1], device="cpu")
Tensor([1], foo=1)
ms.tensor([1, 2])
ms.tensor([1.5])
ms.tensor(np.array([1.5]))
ms.tensor([1, 2], dtype=ms.float16)
ms.tensor(Tensor([1]))
Tensor.from_numpy(np.array([1.5]))
Tensor.from_numpy([1.5])
ms.from_numpy(np.array([1.5]))
initializer("ones", [2], ms.float32)
initializer("ones", [2], ms.float32).init_data()
initializer(3, [2], ms.int32).init_data()
"""

PARAMETERS = """
Parameter(1)
Parameter(1.5)
Parameter(True)
Parameter([1.0, 2.0])
Parameter((1, 2))
Parameter(np.ones(2))
Parameter(np.ones(2)).dtype
Parameter(np.float64(2.0)).dtype
Parameter(1.5).dtype
Parameter(1).dtype
Parameter(Tensor([1.0]), name="w").name
Parameter(Tensor([1.0])).name
Parameter(Tensor([1.0]), "w", False).requires_grad
Parameter(Tensor([1.0]), name=1)
Parameter(Tensor([1.0]), name="")
Parameter(Tensor([1.0]), requires_grad=1)
Parameter("a")
Parameter(None)
Parameter({})
Parameter(initializer("ones", [2], ms.float32), name="i")
Parameter(initializer("ones", [2], ms.float32), name="i").asnumpy().tolist()
type(Parameter(Tensor([1.0]))).__name__
isinstance(Parameter(Tensor([1.0])), Tensor)
isinstance(Parameter(Tensor([1.0])), Parameter)
isinstance(Tensor([1.0]), Parameter)
type(Parameter(Tensor([1.0])) + 1).__name__
type(Parameter(Tensor([1.0])).value()).__name__
type(Parameter(Tensor([1.0])).data).__name__
type(Parameter(Tensor([1.0])).copy()).__name__
Parameter(Tensor([1.0]), name="w").clone().name
Parameter(Tensor([1.0, 2.0]), name="w").clone("zeros").asnumpy().tolist()
type(copy.copy(Parameter(Tensor([1.0]), name="w"))).__name__
type(copy.deepcopy(Parameter(Tensor([1.0]), name="w"))).__name__
copy.deepcopy(Parameter(Tensor([1.0]), name="w")).name
pickle.loads(pickle.dumps(Parameter(Tensor([1.0]), name="w")))
hash(w) == id(w)
w == w
w in [w]
w.set_data(Tensor([3.0])).asnumpy().tolist()
w.set_data(Tensor([3.0, 4.0]))
w.set_data(Tensor([3.0, 4.0]), slice_shape=True).shape
w.set_data(Tensor([3], ms.int32)).dtype
w.set_data(Tensor([3], ms.float64))
w.set_data(3.0).asnumpy().tolist()
w.set_data([3.0])
w.set_data(np.array([3.0]))
w.set_data(None)
w.assign_value(Tensor([5.0])).asnumpy().tolist()
w.set_dtype(ms.float16).dtype
w.asnumpy().tolist()
w.requires_grad
w.layerwise_parallel
w.parallel_optimizer
w.inited_param
w.cache_enable
w.is_init
w.has_init
w.unique
w.key
w.sliced
w.comm_fusion
w.param_info is None
ParameterTuple((w,))
ParameterTuple([w, w])
ParameterTuple([w, Tensor(1)])
ParameterTuple(w)
len(ParameterTuple((w,)))
ParameterTuple((w,)).clone("p")[0].name
"""

PROTOCOL = """
bool(Tensor(1))
bool(Tensor(0.0))
bool(Tensor([1]))
bool(Tensor([[0]]))
bool(Tensor([1, 2]))
bool(Tensor([]))
bool(Tensor(float("nan")))
not Tensor([0])
int(Tensor(1.7))
int(Tensor([3]))
int(Tensor([1, 2]))
int(Tensor(True))
int(Tensor(2j))
float(Tensor(1))
float(Tensor([[2.5]]))
float(Tensor([1, 2]))
complex(Tensor(1))
complex(Tensor(1 + 2j))
[10, 20, 30][Tensor(1)]
[10, 20, 30][Tensor(True)]
[10, 20, 30][Tensor([1])]
[10, 20, 30][Tensor(1.0)]
range(Tensor(3))
operator.index(Tensor(3, ms.int8))
operator.index(Tensor([1, 2]))
round(Tensor(1.6))
round(Tensor([1.64]), 1)
abs(Tensor(-1))
+Tensor(-1)
-Tensor([1, 2], ms.uint8)
~Tensor([True])
~Tensor([1])
~Tensor([1.0])
len(Tensor([1, 2]))
len(Tensor(1))
len(Tensor(np.zeros((0, 3))))
list(Tensor([1, 2]))
list(Tensor([[1, 2], [3, 4]]))
list(Tensor(1))
list(Tensor([]))
[*map(type, Tensor([1, 2]))][0].__name__
a, b = Tensor([1, 2])
tuple(Tensor([1, 2]))
sum(Tensor([1, 2]))
max(Tensor([1, 3, 2]))
sorted(Tensor([3, 1]))
Tensor([1, 2]).item()
Tensor(1).item()
type(Tensor(1).item()).__name__
type(Tensor(1.5).item()).__name__
type(Tensor(True).item()).__name__
Tensor(1.1, ms.float16).item()
Tensor(1.1, ms.bfloat16).item()
Tensor([[5]]).item()
Tensor([1, 2]).item(1)
Tensor([[1, 2]]).item((0, 1))
Tensor([[1, 2]]).item(0, 1)
Tensor([1, 2]).item(5)
Tensor([]).item()
Tensor([[1.5, 2]]).tolist()
Tensor(1.5).tolist()
Tensor([True]).tolist()
Tensor([1.1], ms.bfloat16).tolist()
Tensor([]).tolist()
Tensor([1j]).tolist()
type(Tensor([1, 2]).asnumpy()).__name__
Tensor([1, 2]).asnumpy().flags.writeable
Tensor([1.5], ms.bfloat16).asnumpy().dtype
Tensor(1).asnumpy()
np.asarray(Tensor([1, 2])).dtype
np.array(Tensor([1, 2]), np.float32).dtype
np.sin(Tensor([0.0]))
np.add(Tensor([1.0]), 1)
np.ones(1) + Tensor([1.0])
np.float32(1) + Tensor([1.0])
type(np.ones(1) * Tensor([1.0])).__name__
np.sum(Tensor([1, 2]))
np.concatenate([Tensor([1]), Tensor([2])])
np.ones(1) == Tensor([1.0])
hash(t) == id(t)
hash(t) == hash(t)
t in {t}
t == t
t == [1, 2]
t == (1, 2)
t == 1
t == 1.0
t == None
t == "a"
t == object()
t == np.array([1, 2])
t != None
t != "a"
t is None
None == t
1 == t
t == Tensor([1, 2, 3])
t == Tensor(1)
t < None
t < "a"
t in [t]
t in [Tensor([1, 2])]
t in [Tensor([3, 4]), t]
Tensor(1) in [Tensor(1)]
[t].index(t)
[Tensor([5, 6]), t].index(t)
1 in t
5 in t
Tensor(1) in t
"a" in t
Tensor([1, 2]) in Tensor([[1, 2], [3, 4]])
copy.copy(t)
copy.copy(t) is t
copy.deepcopy(t)
copy.deepcopy(t) is t
pickle.loads(pickle.dumps(t))
pickle.loads(pickle.dumps(Tensor([1.5], ms.bfloat16)))
pickle.loads(pickle.dumps(Tensor(1))).shape
f"{Tensor(1.5)}"
f"{Tensor(1.5):.2f}"
f"{Tensor([1.5]):.2f}"
f"{Tensor(3):d}"
f"{Tensor(3):>5}"
"%d" % Tensor(3)
"%.1f" % Tensor(2.55)
"%s" % Tensor([1])
str((Tensor(1),))
t.shape
type(t.shape).__name__
t.size
type(t.size).__name__
t.ndim
t.dtype
t.itemsize
t.nbytes
t.strides
Tensor(np.zeros((2, 3), np.float32)).strides
t.stride()
Tensor(np.zeros((2, 3), np.float32)).stride()
t.dim()
t.numel()
t.nelement()
t.ndimension()
t.has_init
t.T
Tensor(np.zeros((2, 3, 4))).T.shape
Tensor(np.zeros((2, 3))).mT.shape
Tensor([1, 2]).mT
Tensor(np.zeros((2, 3))).H.shape
t.data
t.data is t
t.value()
t.value() is t
t.device
t.is_contiguous()
t.contiguous() is t
t.copy() is t
t.clone() is t
t.type()
t.type(ms.float32)
t.is_floating_point()
t.is_complex()
t.is_signed()
t.real
t.imag
Tensor([1 + 2j]).imag
t.numpy()
t.foo
t.name
t.grad
t.requires_grad
t.requires_grad_()
t.requires_grad_().requires_grad
t.is_leaf
t.grad_fn
t.detach()
t.cpu()
t.cuda()
t.to("cpu")
t.to("CPU")
t.to(ms.float16)
t.backward()
t.register_hook(lambda g: g)
t.view(-1)
t.view(2, 1)
t.view((2, 1))
t.view(ms.float32)
t.reshape(2, 1).shape
t.reshape((2, 1)).shape
t.reshape([2, 1]).shape
t.reshape(3)
t.view(3)
t.astype(ms.float32) is t
t.astype(ms.int64) is t
t.asnumpy() is t.asnumpy()
t.int()
t.long().dtype
t.float().dtype
t.half().dtype
t.bool()
t.double().dtype
t.byte().dtype
t.short().dtype
t.bfloat16().dtype
t.set_dtype(ms.float32).dtype
t.assign_value(Tensor([7, 8]))
t.assign_value(Tensor([7, 8, 9]))
t.assign_value(Tensor([7.0, 8.0]))
t.set_data(Tensor([7, 8]))
t.itemset(0, 9)
t.itemset(9)
"""

BINARY_ERRORS = (
    [
        f"{left} {op} {right}"
        for op in "+ - * / // % ** @ < <= > >= == != & | ^".split()
        for left, right in [
            ("x", "Tensor([1.0, 2.0])"),
            ("x", "None"),
            ("None", "x"),
            ("x", "'a'"),
            ("x", "[1.0, 2.0, 3.0]"),
            ("x", "(1.0, 2.0, 3.0)"),
            ("x", "np.ones(3, np.float32)"),
            ("x", "{}"),
            ("x", "object()"),
            ("x", "2j"),
            ("x", "True"),
            ("x", "2"),
            ("b", "b"),
            ("b", "True"),
            ("i", "i"),
            ("i", "0"),
            ("i", "-2"),
            ("2", "i"),
            ("2.0", "i"),
        ]
    ]
    + """
x @ x
x @ Tensor(np.ones((3, 2), np.float32))
x @ Tensor(np.ones((2, 2), np.float32))
x @ Tensor(np.ones((3, 2), np.float64))
i @ i
x @ 2
Tensor(2.0) @ x
x[5]
x[-4]
x[0, 0]
x[1.0]
x["a"]
x[None, 0]
x[Tensor(5)]
x[Tensor([0, 5])]
x[[0, 5]]
x[Tensor([True, False])]
x[True]
x[False]
x[()]
x[...]
x[..., ...]
x[::0]
x[::-1]
x[5:]
x[slice(None, None, 2)]
x[Tensor(1.0)]
x[[1.0]]
x[[]]
x[np.array([0, 1])]
x[np.int64(1)]
x[[True, False, True]]
x[(0,)]
x[[0], [1]]
Tensor(1.0)[0]
Tensor(1.0)[...]
Tensor(1.0)[()]
Tensor(1.0)[None]
""".strip().splitlines()
)


def shown(value):
    """The repr, without what changes from run to run."""
    return f"<{type(value).__name__}>" if " at 0x" in repr(value) else repr(value)


def outcome(code):
    """The repr of the result, or the type and the first line of the message of the exception."""
    names = globals() | {
        "t": Tensor([1, 2]),
        "w": Parameter(Tensor([1.0]), name="w"),
        "x": Tensor(np.array([1.0, 2.0, 3.0], np.float32)),
        "i": Tensor([7, -8, 9]),
        "b": Tensor([True, False]),
    }
    try:
        if code.startswith("a, b"):
            exec(code, names)
            return shown((names["a"], names["b"]))
        return shown(eval(code, names))
    except Exception as error:
        lines = [line for line in str(error).splitlines() if line.strip(" -")]
        return f"{type(error).__name__}: {' '.join(lines[0].split()) if lines else ''}"


def outcomes():
    sections = {
        "construction": CONSTRUCTION.strip().splitlines(),
        "parameters": PARAMETERS.strip().splitlines(),
        "protocol": PROTOCOL.strip().splitlines(),
        "operators": BINARY_ERRORS,
    }
    return {name: {code: outcome(code) for code in codes} for name, codes in sections.items()}
