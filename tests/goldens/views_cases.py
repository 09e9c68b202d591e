"""Which functions share memory with their argument.

`functions`: expression of x -> "same" (the result y is x itself), "copy", or which of these hold: "reads"
(`x.copy_` changes y, so they share memory), "set" (`y[...] = 50` changes x), "copy_" (`y.copy_` changes x).
`changes`: the values of x and y after statements that change one of them. `in_place`: what the methods with a
trailing underscore return, and what they leave in x.
"""

# ruff: noqa: F401 - the expressions use the imports
import copy
import pickle

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, mint, ops

FUNCTIONS = """
x[0]
x[-1]
x[0, 1]
x[0][1]
x[0, 1, 2]
x[...]
x[:]
x[()]
x[1:]
x[:, 0]
x[:, 1:]
x[..., 0]
x[..., :2]
x[0, ..., 1]
x[:, ::2]
x[:, :, ::3]
x[::-1]
x[None]
x[:, None]
x[0, None]
x[True]
x[[0, 1]]
x[[0]]
x[:, [0, 1]]
x[(0, 1)]
x[Tensor(0)]
x[Tensor([0, 1])]
x[x > 5]
x[Tensor([True, False])]
x[0:1, 0:1]
x[1:1]
list(x)[0]
x.view(-1)
x.view(6, 4)
x.view(2, 3, 4)
x.view(ms.int32)
x.view_as(x)
x.reshape(-1)
x.reshape(6, 4)
x.reshape(2, 3, 4)
x.reshape_as(x)
ops.reshape(x, (6, 4))
mint.reshape(x, (6, 4))
ms.numpy.reshape(x, (6, 4))
x.transpose(1, 0, 2)
x.transpose(0, 1)
x.transpose()
x.swapaxes(0, 1)
x.swapdims(0, 1)
x.T
x.mT
x[0].H
x.t()
x[0].t()
x[0].T
x.permute(1, 0, 2)
x.moveaxis(0, 1)
x.movedim(0, 1)
ops.transpose(x, (1, 0, 2))
ops.permute(x, (1, 0, 2))
ops.swapaxes(x, 0, 1)
ops.swapdims(x, 0, 1)
ops.movedim(x, 0, 1)
ops.moveaxis(x, 0, 1)
ops.t(x[0])
mint.transpose(x, 0, 1)
mint.permute(x, (1, 0, 2))
mint.swapaxes(x, 0, 1)
mint.t(x[0])
ms.numpy.transpose(x)
ms.numpy.swapaxes(x, 0, 1)
x.reshape(6, 4).transpose(0, 1).reshape(-1)
x.transpose(0, 1).view(-1)
x.squeeze()
x.squeeze(0)
x[None].squeeze(0)
ops.squeeze(x[None], 0)
mint.squeeze(x[None], 0)
x.unsqueeze(0)
x.expand_dims(0)
ops.unsqueeze(x, 0)
ops.expand_dims(x, 0)
mint.unsqueeze(x, 0)
x.expand(2, 3, 4)
x[:1].expand(2, 3, 4)
x.expand_as(x)
x.broadcast_to((2, 2, 3, 4))
x[:1].broadcast_to((2, 3, 4))
ops.broadcast_to(x, (2, 2, 3, 4))
mint.broadcast_to(x, (2, 2, 3, 4))
x.chunk(2)[0]
x.chunk(2, 2)[0]
ops.chunk(x, 2)[0]
mint.chunk(x, 2)[0]
x.split(1)[0]
x.split(2, axis=2)[0]
ops.split(x, 1)[0]
mint.split(x, 1)[0]
x.tensor_split(2)[0]
ops.tensor_split(x, 2)[0]
x.hsplit(3)[0]
x.vsplit(2)[0]
x.dsplit(2)[0]
x.unbind()[0]
x.unbind(1)[0]
ops.unbind(x)[0]
ops.unstack(x)[0]
mint.unbind(x)[0]
x.select(0, 1)
x.select(1, 1)
mint.select(x, 0, 1)
x.narrow(1, 0, 2)
ops.narrow(x, 1, 0, 2)
mint.narrow(x, 1, 0, 2)
ops.slice(x, (0, 0, 0), (1, 2, 2))
ops.strided_slice(x, (0, 0, 0), (1, 2, 2), (1, 1, 1))
x.diagonal()
x[0].diagonal()
x[0].diag()
ops.diagonal(x)
x.flatten()
x.flatten(start_dim=1)
x.ravel()
x[0].flatten()
x[0].ravel()
ops.flatten(x)
ops.ravel(x)
mint.flatten(x)
x.index_select(0, Tensor([0]))
x.gather(Tensor([0]), 0)
x.take(Tensor([0]))
x.masked_select(x > 5)
x.flip((0,))
x.roll(1, 0)
x.tile((1,))
x.repeat(1)
x.contiguous()
x.copy()
x.clone()
mint.clone(x)
ops.deepcopy(x)
copy.copy(x)
copy.deepcopy(x)
pickle.loads(pickle.dumps(x))
x.data
x.value()
x.detach()
ops.stop_gradient(x)
ops.identity(x)
ops.depend(x, x)
nn_identity(x)
mint_identity(x)
x.astype(ms.float32)
x.astype(ms.float64)
x.to(ms.float32)
x.to("CPU")
x.float()
x.type(ms.float32)
x.type_as(x)
ops.cast(x, ms.float32)
x.real()
x.positive()
+x
Tensor(x)
ms.tensor(x)
Tensor([x])
Parameter(x)
ms.mutable(x)
ops.atleast_1d(x)
ops.atleast_3d(x)
ops.concat((x,))
ops.stack((x,))
ops.meshgrid(x[0, 0], x[0, 0])[0]
ops.dropout(x, 0.5, training=False)
ops.dropout(x, 0.0)
ops.relu(x)
ops.clamp(x, -1e9, 1e9)
ops.broadcast_to(x, (2, 3, 4))
ops.reshape(ops.reshape(x, (24,)), (2, 3, 4))
x.reshape(-1)[3]
x[0][1][2]
x[0].T[1]
x[1:][0]
x.view(-1)[2:5]
x.permute(2, 1, 0)[0]
x.asnumpy()
x.numpy()
np.asarray(x)
Tensor.from_numpy(x.asnumpy())
ms.from_numpy(x.asnumpy())
ops.ones_like(x)
Tensor.from_dlpack(x.to_dlpack())
x.transpose(1, 0, 2).reshape(-1)
x.mT.reshape(-1)
x.mT.reshape(2, 2, 2, 3)
x.mT.mT.reshape(-1)
x.mT.flatten()
x[:, ::2].reshape(-1)
x[:, :2].reshape(2, 8)
x[:, :2].reshape(4, 4)
x[:, 1].reshape(2, 4, 1)
x[:, 1:].ravel()
x[..., 1:][..., :2].reshape(6, 2)
ops.reshape(x.mT, (-1,))
mint.flatten(x[..., 1:])
x.broadcast_to((2, 2, 3, 4)).reshape(-1)
""".strip().splitlines()

CHANGES = """
z = x; x += 50; y = z
z = x; x = x.copy_(x + 50); y = z
z = x; x[0] = 50; y = z
y = x[0]; y[0] = 50
y = x[0]; y[0, 0] = 50
y = x[0]; y[...] = 50
y = x[0]; y[:] = 50
y = x[0]; y[y > 0] = 50
y = x[0]; y[[0]] = 50
y = x[0]; y[Tensor([0])] = 50
y = x[0]; y += 50
y = x[0]; y -= 50
y = x[0]; y *= 50
y = x[0]; y /= 50
y = x[0]; y //= 2
y = x[0]; y %= 2
y = x[0]; y **= 2
y = x[0]; y += Tensor(50.0, ms.float64)
y = x[0]; y += Tensor(50, ms.int32)
y = x[0]; y.add_(50)
y = x[0]; y.fill_(50)
y = x[0]; y.zero_()
y = x[0]; y.copy_(Tensor(50.0))
y = x[0]; y.assign_value(Tensor(np.zeros((3, 4), np.float32)))
y = x[0]; ops.assign(y, Tensor(np.zeros((3, 4), np.float32)))
y = x[0]; ops.assign_add(y, Tensor(np.ones((3, 4), np.float32)))
y = x[0]; y.itemset(0, 50)
y = x[0]; y.asnumpy()[:] = 50
y = x[0]; x[0] = 50
y = x[0]; x[0, 0] = 50
y = x[0]; x += 50
y = x[0]; x.add_(50)
y = x[0]; x.fill_(50)
y = x[0]; x.zero_()
y = x[0]; x.copy_(x + 1)
y = x[0]; x.assign_value(x + 50)
y = x[0]; ops.assign(x, x + 50)
y = x[0]; x[x > 5] = 50
y = x[0]; x.masked_fill_(x > 5, 50)
y = x[0]; z = x[0]; z.copy_(z + 50)
y = x[0]; z = y[1]; z.copy_(z + 50)
y = x[0]; z = y[1]; x.copy_(x + 50); y = z
y = x[0]; x = x + 1; x.copy_(x + 50)
y = x.asnumpy(); x.copy_(x + 50)
y = x.asnumpy(); x[0] = 50
y = x.asnumpy(); y[:] = 50
n = np.ones((2, 3, 4), np.float32); x = Tensor(n); n[:] = 50; y = x
n = np.ones((2, 3, 4), np.float32); x = Tensor.from_numpy(n); n[:] = 50; y = x
n = np.ones((2, 3, 4), np.float32); x = Tensor.from_numpy(n); x.copy_(x + 49); y = Tensor(n)
p = Parameter(x); p.copy_(p + 50); y = p
p = Parameter(x); x.copy_(x + 50); y = p
p = Parameter(x); y = p[0]; y.copy_(y + 50); x = p
p = Parameter(x); y = p[0]; y[0] = 50; x = p
p = Parameter(x); y = p.value(); y.copy_(y + 50); x = p
p = Parameter(x); y = p.value(); p.set_data(x + 50); x = p
p = Parameter(x); y = p.value(); ops.assign(p, x + 50); x = p
p = Parameter(x); y = p.value(); ops.assign_add(p, x); x = p
p = Parameter(x); y = p.value(); p[0] = 50; x = p
p = Parameter(x); y = ops.assign(p, x + 50); ops.assign_add(p, x); x = p
p = Parameter(x); y = ops.assign_add(p, x); ops.assign_add(p, x); x = p
p = Parameter(x); y = ops.assign_sub(p, x); ops.assign_add(p, x); x = p
p = Parameter(x); p.set_data(x + 50); y = p
p = Parameter(x); y = p[0]; p.set_data(x + 50); x = p
p = Parameter(x); y = p[0]; ops.assign(p, x + 50); x = p
p = Parameter(x); p[0] = 50; y = p
x[0] = x[1]; y = x[0]; y.copy_(y + 50)
x[:, 0] = x[:, 1]; y = x
x[0], x[1] = x[1], x[0]; y = x
x[0] = 50; y = x
x[0, 0, 0] = 50.7; y = x
x[0] = Tensor([1.0, 2.0, 3.0, 4.0]); y = x
x[0] = [1.0, 2.0, 3.0, 4.0]; y = x
x[0] = np.ones(4); y = x
x[0] = Tensor([1.0, 2.0]); y = x
x[0] = Tensor(1, ms.int32); y = x
x[0] = Tensor(1.5, ms.float64); y = x
x[0] = True; y = x
x[0] = "a"; y = x
x[0] = None; y = x
x[5] = 1; y = x
x[0, :, 1] = 50; y = x
x[..., 0] = 50; y = x
x[None] = 50; y = x
x[[0, 1], [0, 1]] = 50; y = x
x[Tensor([0, 0])] = 50; y = x
x[::-1] = 50; y = x
x[0:0] = 50; y = x
x[x > 5] = Tensor(50.0); y = x
x[x > 5] = x[x > 5] * 2; y = x
x[True] = 50; y = x
x[()] = 50; y = x
x = Tensor(5.0); x[...] = 50; y = x
x = Tensor(5.0); x[()] = 50; y = x
x = Tensor([1, 2]); x[0] = 2.7; y = x
x = Tensor([1, 2]); x += 1.5; y = x
x = Tensor([1, 2]); x += 1; y = x
x = Tensor([1, 2]); x /= 2; y = x
x = Tensor([1, 2]); x.add_(1.5); y = x
x = Tensor([1, 2]); x.mul_(Tensor(1.5)); y = x
x = Tensor([1, 2], ms.int8); x += Tensor([1.0, 2.0]); y = x
x = Tensor([True, False]); x += 1; y = x
x = Tensor([1.0]); x += Tensor([1.0, 2.0]); y = x
x = Tensor([1.0]); x.add_(Tensor([1.0, 2.0])); y = x
x = Tensor([1.0], ms.float16); x += Tensor([1.0]); y = x
""".strip().splitlines()

IN_PLACE = """
x.add_(2)
x.add_(2, alpha=3)
x.sub_(2)
x.sub_(2, alpha=3)
x.mul_(2)
x.div_(2)
x.div_(2, rounding_mode="floor")
x.floor_divide_(2)
x.remainder_(2)
x.pow_(2)
x.addmm_(Tensor(np.ones((2, 2), np.float32)), Tensor(np.ones((2, 3), np.float32)))
x.clamp_(1, 3)
x.clamp_(min=2)
x.copy_(Tensor(5.0))
x.erfinv_()
x.exp_()
x.log_()
x.sqrt_()
x.neg_()
x.abs_()
x.floor_()
x.sigmoid_()
x.tanh_()
x.relu_()
x.sign_()
x.fill_(5)
x.fill_(Tensor(5.0))
x.fill_diagonal_(5.0)
x.zero_()
x.index_add_(0, Tensor([0]), Tensor(np.ones((1, 3), np.float32)))
x.index_copy_(0, Tensor([0]), Tensor(np.ones((1, 3), np.float32)))
x.index_fill_(0, Tensor([0]), 7.0)
x.index_put_((Tensor([0]),), Tensor(7.0))
x.put_(Tensor([0]), Tensor([7.0]))
x.masked_fill_(x > 2, 7.0)
x.masked_scatter_(x > 4, Tensor([7.0, 8.0, 9.0]))
x.scatter_(0, Tensor([[0, 1, 0]]), Tensor([[7.0, 8.0, 9.0]]))
x.scatter_(0, Tensor([[0, 1, 0]]), 7.0)
x.scatter_add_(0, Tensor([[0, 1, 0]]), Tensor([[7.0, 8.0, 9.0]]))
x.bernoulli_(0.5).shape
x.exponential_().shape
x.normal_().shape
x.normal_(0.0, 1.0).shape
x.random_().shape
x.random_(0, 5).shape
x.uniform_().shape
x.uniform_(0.0, 1.0).shape
x.requires_grad_()
x.to_("CPU")
x.set_(Tensor([1.0]))
x.unsqueeze_(0)
x.squeeze_()
x.t_()
x.resize_(3, 2)
x.add_(2) is x
x.zero_() is x
mint.nn.functional.relu_(x)
mint.nn.functional.relu(x, inplace=True)
ops.assign(x, x + 1)
ops.assign_add(x, x)
ops.assign_sub(x, x)
""".strip().splitlines()

nn_identity = ms.nn.Identity()
mint_identity = mint.nn.Identity()


def short(error):
    """The exception's type and the first line of its message."""
    lines = [line for line in str(error).splitlines() if line.strip(" -")]
    return f"{type(error).__name__}: {' '.join(lines[0].split())[:160] if lines else ''}"


def fresh(shape=(2, 3, 4)):
    """A float32 tensor 1, 2, 3 ... that is the result of an operator."""
    return Tensor(np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)) * 1


def array(value):
    """The values now."""
    return np.array(value.asnumpy() if isinstance(value, Tensor) else value)


def y_changes(code, change):
    """Whether the change of y = f(x) is seen in x; the error if there is one."""
    x = fresh()
    y = eval(code, globals() | {"x": x})
    before = array(x)
    try:
        change(y)
    except Exception as error:
        return short(error)
    return not np.array_equal(before, array(x))


def shared(code):
    """Return which of y = f(x) and x shows in the other when one is changed in place."""
    x = fresh()
    try:
        y = eval(code, globals() | {"x": x})
    except Exception as error:
        return short(error)
    if y is x:
        return "same"
    before = array(y)
    x.copy_(x + 100)
    found = ["reads"] if not np.array_equal(before, array(y)) else []
    for name, change in CHANGERS.items():
        if y_changes(code, change) is True:
            found.append(name)
    return " ".join(found) or "copy"


def set_all(y):
    """`y[...] = 50`."""
    y[...] = 50


def copy_in(y):
    """Only a value that must be broadcast: `copy_` of a contiguous one fails on views with an offset."""
    if isinstance(y, Tensor):
        y.copy_(Tensor([50.0]) if y.ndim else Tensor(50.0))


CHANGERS = {"set": set_all, "copy_": copy_in}


def changed(code):
    """The first values of x and of y after the statements."""
    names = globals() | {"x": fresh()}
    try:
        exec(code, names)
    except Exception as error:
        return short(error)
    return {name: f"{names[name].dtype!s} {array(names[name]).ravel()[:7].tolist()}" for name in "xy"}


def in_place(code):
    """The repr of the result and the values of x afterwards."""
    x = fresh((2, 3))
    try:
        result = eval(code, globals() | {"x": x})
    except Exception as error:
        return short(error)
    described = "itself" if result is x else repr(result).replace("\n", " ")
    random = ".shape" in code
    return [described, "random" if random else f"{x.dtype} {array(x).tolist()}"]


def outcomes():
    return {
        "functions": {code: shared(code) for code in FUNCTIONS},
        "changes": {code: changed(code) for code in CHANGES},
        "in_place": {code: in_place(code) for code in IN_PLACE},
    }
