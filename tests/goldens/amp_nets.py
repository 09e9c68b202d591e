"""Networks for mixed precision. A module of its own, in MindSpore's names, because level O1 reads their source."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

SEEN: list = []  # (tag, dtype) of what came by
ALMOST_ONE = np.float32(1 + 2**-12)  # float16 rounds it to 1


def eye() -> Tensor:
    return Tensor(np.eye(2, dtype=np.float32))


def dense() -> nn.Cell:
    return nn.Dense(2, 2, weight_init=eye(), has_bias=False)


class Spy(nn.Cell):
    """Notes the dtype of what goes through it."""

    def __init__(self, tag):
        super().__init__()
        self.tag = tag

    def construct(self, x):
        SEEN.append((self.tag, str(x.dtype)))
        return x


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, weight_init="ones")
        self.after_conv = Spy("conv")
        self.bn = nn.BatchNorm2d(2)
        self.after_bn = Spy("bn")
        self.relu = nn.ReLU()
        self.after_relu = Spy("relu")

    def construct(self, x):
        x = self.after_conv(self.conv(x))
        x = self.after_bn(self.bn(x))
        return self.after_relu(self.relu(x))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.body = nn.SequentialCell(nn.Flatten(), nn.Dense(32, 4, weight_init="ones"), Spy("dense"))
        self.norm = nn.LayerNorm((4,))
        self.after_norm = Spy("norm")
        self.w = Parameter(Tensor(np.ones((4, 4), np.float32)))

    def construct(self, x):
        x = self.body(self.block(x))
        x = self.after_norm(self.norm(x))
        x = ops.matmul(x, self.w)
        SEEN.append(("matmul", str(x.dtype)))
        x = x + 1.0
        SEEN.append(("add", str(x.dtype)))
        x = ops.exp(x)
        SEEN.append(("exp", str(x.dtype)))
        return x


class MatmulFunction(nn.Cell):
    def construct(self, x):
        return ops.matmul(x, eye())


class MatmulPrimitive(nn.Cell):
    def __init__(self):
        super().__init__()
        self.matmul = ops.MatMul()
        self.eye = eye()

    def construct(self, x):
        return self.matmul(x, self.eye)


class ReluPrimitive(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = ops.ReLU()

    def construct(self, x):
        return self.relu(x)


class ReluCell(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.relu(x)


class DenseCell(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = dense()

    def construct(self, x):
        return self.dense(x)


class MyDense(nn.Dense):
    pass


class DenseSubclass(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = MyDense(2, 2, weight_init=eye(), has_bias=False)

    def construct(self, x):
        return self.dense(x)


class DenseInSequence(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(dense(), dense())

    def construct(self, x):
        return self.body(x)


class DenseInList(nn.Cell):
    def __init__(self):
        super().__init__()
        self.parts = nn.CellList([dense(), dense()])

    def construct(self, x):
        for part in self.parts:
            x = part(x)
        return x


class DenseInFloat32(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = dense().to_float(ms.float32)

    def construct(self, x):
        return self.dense(x)


class Add(nn.Cell):
    def construct(self, x):
        return x + 0.0


class Exp(nn.Cell):
    def construct(self, x):
        return ops.exp(x) * 0 + x


class Identity(nn.Cell):
    def construct(self, x):
        return x


class Several(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = dense()

    def construct(self, x, flag=False):
        return self.dense(x), [x, 3], ops.cast(x, ms.int32), flag


class Norms(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm((2,))
        self.parts = nn.CellList([nn.BatchNorm1d(2)])
        self.body = nn.SequentialCell(nn.LayerNorm((2,)), dense())

    def construct(self, x):
        return self.body(self.parts[0](self.norm(x)))


class Dtypes(nn.Cell):
    """Return the dtypes that level "auto" makes of float16 inputs, operator by operator."""

    def construct(self, x, h):
        return {
            "add": ops.add(x, h),
            "exp": ops.exp(h),
            "concat": ops.concat((x, h)),
            "matmul": ops.matmul(h, h),
            "relu": ops.relu(h),
            "pow": ops.pow(h, 2),
            "softmax": ops.softmax(h),
            "log": ops.log(h),
            "sum": ops.sum(h),
            "cumsum": ops.cumsum(h, 0),
            "sqrt": ops.sqrt(h),
            "rsqrt": ops.rsqrt(h),
            "tan": ops.tan(h),
            "tanh": ops.tanh(h),
            "bias_add": ops.bias_add(x, h[0]),
            "matmul of float32": ops.matmul(x, x),
        }


SMALL = [
    MatmulFunction, MatmulPrimitive, ReluPrimitive, ReluCell, DenseCell, DenseSubclass, DenseInSequence, DenseInList,
    DenseInFloat32, Add, Exp, Identity, Several,
]  # fmt: skip
