"""Methods and class forms, as expressions over `names()`; the framework is imported as `mindspore` before."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, ops
from mindspore.ops import operations as P

METHODS = """
x.max() | x.max(1) | x.max(axis=1) | x.max(0, True) | x.max(axis=0, keepdims=True) | x.max(dim=0)
x.max(axis=1, return_indices=True) | x.max(axis=(0, 1)) | x.min() | x.min(1) | x.min(axis=-1) | x.min(dim=1, keepdim=True)
x.max(keepdims=True) | x.min(None, True) | i.max(axis=None, keepdims=True) | x.max(axis=None, keepdims=True, return_indices=True)
x.min(axis=(0, 1), keepdims=True) | x.max(axis=(), keepdims=True) | x.max(axis=(0, 1), initial=9.0, keepdims=True)
x.sum() | x.sum(1) | x.sum((0, 1)) | x.sum(axis=[0, 1]) | x.sum(0, True) | x.sum(0, ms.float16) | x.sum(dim=0, keepdim=True)
x.sum(axis=0, keepdims=True) | i.sum() | x.sum(axis=0, dtype=ms.float64) | x.sum(5) | x.sum(0, initial=1.0) | x.sum(dtype=ms.bool_, initial=12)
x.sum(0, dtype=ms.bool_, initial=2.5) | i.sum(dtype=ms.bool_, initial=0)
x.mean() | x.mean(0) | x.mean(0, True) | x.mean((0, 1)) | x.mean(dim=0) | x.mean(axis=0, keep_dims=True)
x.std() | x.std(0) | x.std(0, 1) | x.var() | x.var(0, 1, True) | x.argmax() | x.argmax(1) | x.argmax(axis=1)
x.argmax(dim=1, keepdim=True) | x.argmin() | x.argmin(1) | x.argmin(axis=0, keepdims=True)
x.prod() | x.prod(0) | x.prod(axis=0, keep_dims=True) | x.all() | x.any(0) | x.all(axis=1) | x.all(dim=1, keepdim=True)
x.amax(1) | x.amin(axis=0, keepdims=True) | x.cumsum() | x.cumsum(0) | x.cumsum(axis=1) | x.cumprod(0)
x.norm() | x.norm(2, 0) | x.norm(dim=1) | x.logsumexp(1) | x.logsumexp(0, True) | x.median() | x.ptp() | x.ptp(0)
x.count_nonzero() | x.count_nonzero(axis=0) | x.cummax(0) | x.logcumsumexp(0) | x.aminmax() | x.aminmax(axis=1)
x.reshape(3, 2) | x.reshape((3, 2)) | x.reshape([3, -1]) | x.reshape(-1) | x.view(3, 2) | x.view((3, 2)) | x.view(-1)
x.transpose() | x.transpose(1, 0) | x.transpose((1, 0)) | z.transpose(0, 1) | z.transpose(2, 0, 1) | z.transpose() | x.T | z.T
x.permute(1, 0) | x.permute((1, 0)) | x.swapaxes(0, 1) | x.swapdims(0, 1) | x.movedim(0, 1) | x.moveaxis(0, 1) | x.t()
x.flatten() | z.flatten(start_dim=1) | x.flatten("F") | x.ravel() | y.squeeze() | y.squeeze(0) | y.squeeze((0, 2)) | y.squeeze(1)
x.unsqueeze(0) | x.expand_dims(1) | x.tile((2, 1)) | x.tile(2, 1) | x.repeat_interleave(2, 0) | x.repeat_interleave(2)
x.split(1) | x.split([1, 2], 1) | x.split(2, axis=1) | x.chunk(2) | x.chunk(2, axis=1) | x.unbind(1) | x.hsplit(3) | x.vsplit(2)
x.expand(4, 2, 3) | x.expand((4, 2, 3)) | x.broadcast_to((4, 2, 3)) | x.expand_as(z34) | x.view_as(v32) | x.reshape_as(v32)
x.flip((0, 1)) | x.rot90(1, (0, 1)) | x.narrow(1, 0, 2) | x.diagonal() | x.resize(3, 3) | x.resize((2, 2)) | x.select(0, 1)
x.take(Tensor([0, 2])) | x.take(Tensor([0, 2]), 1) | x.gather(Tensor([0, 1]), 1) | x.gather(0, Tensor([[0, 1]]))
x.gather_elements(1, Tensor([[0], [2]])) | x.gather_nd(Tensor([[0, 1]])) | x.index_select(0, Tensor([1]))
x.where(x > 2, 0.0) | x.where(x > 2, x) | x.masked_fill(x > 2, 9.0) | x.masked_select(x > 2) | x.nonzero() | x.argwhere()
x.scatter(0, Tensor([[0, 1, 1]]), x[:1]) | x.scatter_add(Tensor([[0]]), Tensor(np.ones((1, 3), np.float32)))
x.index_fill(0, Tensor([0], ms.int32), 5.0) | x.sort() | x.sort(0, True) | x.sort(dim=0) | x.argsort() | x.argsort(0, True)
x.topk(2) | x.topk(1, 0) | x.clamp(1, 3) | x.clip(1, 3) | x.clamp(min=1) | x.clip(max=Tensor(2.0))
x.astype("float16") | x.astype(np.int32) | x.astype(int) | x.astype(ms.bool_) | x.to(ms.int32) | x.int() | x.float() | x.half()
x.long() | x.bool() | x.short() | x.byte() | x.double() | x.type() | x.type(ms.int32) | x.type_as(i) | x.to(dtype=ms.float16)
x.matmul(x.T) | x.mm(x.T) | x.dot(x.T) | x.inner(x) | x.outer(x) | v.outer(v) | x.tril() | x.triu(1) | x.trace() | v.diag()
x.new_zeros((2,)) | x.new_ones(2) | x.new_zeros(2, dtype=ms.int32) | x.copy() | x.fill(2.0)
x.add(1) | x.add(x, alpha=2) | x.sub(x, alpha=2) | x.sub(1) | x.mul(2) | x.div(2) | x.pow(2) | x.lerp(x + 1, 0.5)
x.remainder(2) | x.fmod(2) | x.float_power(2) | x.logical_and(x) | x.negative() | x.neg() | x.absolute() | x.abs() | x.square()
x.floor() | x.ceil() | x.round() | x.trunc() | x.exp() | x.log1p() | x.sqrt() | x.sin() | x.tanh() | x.sigmoid() | x.erf()
x.softmax(1) | x.isnan() | x.isfinite() | x.allclose(x) | x.isclose(x) | x.equal(x) | x.eq(1) | x.ne(1) | x.gt(1) | x.le(1)
x.greater(x) | x.less_equal(x) | x.not_equal(x) | x.maximum(v) | x.minimum(v) | x.atan2(x + 1) | x.hypot(x) | x.addcmul(x, x)
x.real() | x.conj() | x.mT | x.H | x.unique_consecutive() | x.cross(x) | x.bitwise_and(x) | i.bitwise_and(i) | x.deg2rad()
-i | +x | ~i | ~x | abs(x) | round(x) | x @ x.T | x // 2 | i / 2 | i // 2 | i % 2 | 2**i | i**2 | i**2.5 | x**2 | 2 - x | 7 % (x + 1)
i & 1 | i | x < 2 | x == None | x != None | x == "a" | x > v | v > x | x - v | x * True | i * 2.5 | h * 2.5 | h + x | h + i
""".replace("\n", " | ")

CLASSES = """
P.Argmax()(x) | P.Argmax(0, ms.int64)(x) | P.Argmin()(x) | P.ArgMaxWithValue(1)(x) | P.ArgMinWithValue(0, True)(x)
P.Div()(i, i + 1) | P.Div()(x, 2) | P.RealDiv()(i, i + 1) | P.Mod()(x, 2.0) | P.FloorMod()(x, 2.0) | P.DivNoNan()(x, x)
P.MulNoNan()(x, x) | P.SquaredDifference()(x, 1.0) | P.L2Loss()(x) | P.SquareSumAll()(x, x) | P.Rint()(x + 0.5)
P.Split(1, 3)(x) | P.TopK()(x, 2) | P.Sort()(x) | P.Unique()(Tensor([1, 1, 2])) | P.Eye()(2, 3, ms.float32)
P.OneHot()(Tensor([0, 1], ms.int32), 3, Tensor(1.0), Tensor(0.0)) | P.Fill()(ms.float32, (2, 2), 1)
P.LinSpace()(Tensor(0.0, ms.float32), Tensor(1.0, ms.float32), 5) | P.ReduceStd(0)(x) | P.ReduceStd()(x)
P.Range()(Tensor(0, ms.int32), Tensor(5, ms.int32), Tensor(2, ms.int32)) | P.CumSum(True)(x, 1) | P.CumSum(False, True)(x, 1)
P.Shape()(x) | P.Size()(x) | P.Rank()(x) | P.LpNorm(1)(x) | P.LpNorm(0, 60)(x * 0.3) | P.LpNorm(1, 3)(x * 0) | P.LpNorm(1, 2, False, 0.5)(x * 0.01) | P.L2Normalize(1)(x) | P.Softmax()(x) | P.LogSoftmax()(x)
P.LayerNorm(1, 1)(x, one, nil) | P.BatchNorm()(x, one, nil, nil, one) | P.MaxPool(2, 2)(img) | P.AvgPool(2, 2)(img)
P.MaxPool((2, 2), (1, 1), "same")(img) | P.AvgPool(2, 1, "same")(img) | P.BiasAdd()(x, one) | P.Conv2D(3, 2)(img, k)
P.Conv2D(3, 2, pad_mode="pad", pad=1, stride=2)(img, k) | P.SoftmaxCrossEntropyWithLogits()(x, x)
P.SparseSoftmaxCrossEntropyWithLogits()(x, Tensor([0, 1], ms.int32)) | P.SigmoidCrossEntropyWithLogits()(x, x)
P.SparseSoftmaxCrossEntropyWithLogits(True)(x, Tensor([0, 1], ms.int32)) | P.SmoothL1Loss()(x, v)
P.NLLLoss()(x, Tensor([0, 1], ms.int32), one) | P.BCEWithLogitsLoss()(x, x, x, x)
P.BinaryCrossEntropy()(Tensor([0.2]), Tensor([0.3]), Tensor([1.0])) | P.Gather()(x, Tensor([0]), 0) | P.Select()(x > 2, x, x)
P.StridedSlice()(x, (0, 0), (2, 2), (1, 1)) | P.Slice()(x, (0, 0), (2, 2)) | P.Concat(1)((x, x)) | P.Stack()([x, x])
P.Pack()((x, x)) | P.Unstack(1)(x) | P.AddN()([x, x]) | P.Squeeze()(y) | P.ReverseV2([0])(x) | P.Tile()(x, (2, 1))
P.BroadcastTo((2, 2, 3))(x) | P.Meshgrid()((Tensor([1, 2]), Tensor([3]))) | P.Transpose()(x, (1, 0)) | P.Cast()(x, ms.int32)
P.Cast()(3, ms.float32) | P.ZerosLike()(x) | P.Ones()((2,), ms.float32) | P.MatMul()(x, x.T) | P.MatMul(False, True)(x, x)
P.ExpandDims()(x, 0) | P.TensorAdd()(x, x) | P.NonZero()(x) | P.UnsortedSegmentSum()(x, Tensor([0, 0], ms.int32), 2)
P.Depend()(x, x) | P.Elu()(x) | P.Softplus()(x) | P.PReLU()(x, Tensor([0.5])) | P.InvertPermutation()((1, 0))
P.Pad(((1, 1), (0, 0)))(x) | P.MirrorPad()(x, Tensor([[1, 1], [0, 0]])) | P.Add()(1, 2) | P.Mul()(x, 2) | P.HSwish()(x)
P.ScalarCast()(1.5, ms.int64) | P.Flatten()(x) | P.GeLU()(x) | P.ReLU()(x) | P.Sub()(x, v) | P.Maximum()(x, v) | P.Equal()(x, x)
P.ReduceSum()(x) | P.ReduceSum(True)(x, 1) | P.ReduceMean()(x, 0) | P.ReduceMax()(x, (0, 1)) | P.ReduceMin(True)(x, 0)
P.ReduceProd()(x, 0) | P.ReduceAll()(x > 2) | P.ReduceAny()(x > 2, 1) | P.Reshape()(x, (3, 2)) | P.GatherNd()(x, Tensor([[0, 1]]))
P.ScatterNd()(Tensor([[0]], ms.int32), Tensor([1.0]), (3,)) | P.TensorScatterUpdate()(x, Tensor([[0, 1]]), Tensor([9.0]))
P.ReLU() | P.ReduceSum(keep_dims=True) | P.MatMul(True) | P.Concat(1) | P.Concat(1).name | P.Cast() | P.Concat(axis=1).axis
P.Dropout(0.5).keep_prob | P.MatMul(True).transpose_a | isinstance(P.Add(), ops.Primitive) | P.Argmax(output_type=ms.int64)
""".replace("\n", " | ")


def names() -> dict:
    """Return the values that the expressions are made of, anew for each."""
    generator = np.random.RandomState(0)
    return {
        "ms": ms, "np": np, "ops": ops, "P": P, "Tensor": Tensor,
        "x": Tensor(np.arange(6).reshape(2, 3).astype(np.float32)),
        "i": Tensor(np.arange(6).reshape(2, 3).astype(np.int32)),
        "h": Tensor(np.arange(3).astype(np.float16)),
        "v": Tensor(np.array([2.0, 1.0, 3.0], np.float32)),
        "y": Tensor(np.ones((1, 2, 1), np.float32)),
        "z": Tensor(np.arange(24).reshape(2, 3, 4).astype(np.float32)),
        "z34": Tensor(np.zeros((4, 2, 3), np.float32)),
        "v32": Tensor(np.zeros((3, 2), np.float32)),
        "one": Tensor(np.ones(3, np.float32)),
        "nil": Tensor(np.zeros(3, np.float32)),
        "img": Tensor(generator.randn(1, 2, 4, 4).astype(np.float32)),
        "k": Tensor(generator.randn(3, 2, 2, 2).astype(np.float32)),
    }  # fmt: skip


def outcomes() -> dict[str, str]:
    """The repr of what each expression gives, or the exception's type and message."""
    found = {}
    for code in (METHODS + CLASSES).split(" | "):
        code = code.strip()
        if not code or code in found:
            continue
        try:
            found[code] = repr(eval(code, names()))
        except Exception as error:
            found[code] = f"{type(error).__name__}: {str(error).strip().splitlines()[0][:100]}"
    return found
