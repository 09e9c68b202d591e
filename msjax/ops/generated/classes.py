"""Table of `ops.auto_generate` classes whose call differs from a function: one Python expression for each.

`ScatterValue()(x, dim, index, 2.0)` is `mint.scatter`, and `MaxDim()(x, 1)` the `mint.max` that has a dimension.
"""

from typing import Any

from msjax import mint, ops
from msjax.core.tensor.tensor import Tensor
from msjax.ops.common import checks
from msjax.ops.common.name_table import Table
from msjax.ops.generated.gradients_by_vjp import pulled_back

TABLE = Table(
    __name__,
    """
Scatter(input, dim, index, src, reduce='none') -> scattered(input, dim, index, src, reduce)
ScatterValue(input, dim, index, src, reduce='none') -> scattered(input, dim, index, src, reduce)
InplaceScatterAdd(input, dim, index, src) -> input.scatter_add_(dim, index, src)
InplaceScatterValue(input, dim, index, value) -> input.scatter_(dim, index, value)
InplaceScatterSrcReduce(input, dim, index, src, reduce) -> input.copy_(scattered(input, dim, index, src, reduce))
InplaceScatterValueReduce(input, dim, index, value, reduce) -> input.copy_(scattered(input, dim, index, value, reduce))
InplaceIndexAddExt(input, dim, index, source, alpha=1) -> input.index_add_(dim, index, source, alpha=alpha)
InplaceElu(input, alpha=1.0) -> F.elu_(input, alpha)
InplaceHardtanh(input, min_val=-1, max_val=1) -> F.hardtanh_(input, min_val, max_val)
InplaceReLU(input) -> F.relu_(input)
InplaceSiLU(input) -> input.copy_(F.silu(input))
InplaceThreshold(input, threshold, value) -> F.threshold_(input, threshold, value)
InplaceMatmulAdd(x, weight, C) -> C.add_(mint.matmul(x.T, weight))
InplaceAddr(input, vec1, vec2, beta=1, alpha=1) -> input.copy_(ops.addr(input, vec1, vec2, beta=beta, alpha=alpha))
TraceV2(input, offset=0, axis1=1, axis2=0, dtype=None) -> input.trace(offset, axis1, axis2, dtype)
SolveTriangular(a, b, trans=0, lower=False, unit_diagonal=False) -> solve_triangular(a, b, trans, lower, unit_diagonal)
ScalarBool(x) -> bool(x)
Max(input) -> mint.max(input)
Min(input) -> mint.min(input)
MaxDim(input, dim, keepdim=False) -> tuple(mint.max(input, dim, keepdim))
MinDim(input, dim, keepdim=False) -> tuple(mint.min(input, dim, keepdim))
MedianExt(input) -> mint.median(input)
MedianDim(input, dim=-1, keepdim=False) -> tuple(mint.median(input, dim, keepdim))
Muls(input, other) -> mint.mul(input, other)
Divs(input, other) -> mint.div(input, other)
DivMod(input, other, rounding_mode=None) -> mint.div(input, other, rounding_mode=rounded(rounding_mode))
DivMods(input, other, rounding_mode=None) -> mint.div(input, other, rounding_mode=rounded(rounding_mode))
PowScalarTensor(input, exponent) -> mint.pow(input, exponent)
PowTensorScalar(input, exponent) -> mint.pow(input, exponent)
RemainderScalarTensor(input, other) -> mint.remainder(input, other)
RemainderTensorScalar(input, other) -> mint.remainder(input, other)
RemainderTensorTensor(input, other) -> mint.remainder(input, other)
XLogYScalarOther(input, other) -> mint.xlogy(input, other)
XLogYScalarSelf(input, other) -> mint.xlogy(input, other)
MaskedFillScalar(input, mask, value) -> mint.masked_fill(input, mask, value)
IndexFillScalar(input, dim, index, value) -> input.index_fill(dim, index, value)
IndexFillTensor(input, dim, index, value) -> input.index_fill(dim, index, value)
SelectV2(condition, input, other) -> mint.where(condition, input, other)
BatchMatMulExt(input, mat2) -> mint.bmm(input, mat2)
NewEmpty(input, size, dtype=None, device=None) -> input.new_empty(size, dtype=dtype, device=device)
NewFull(input, size, fill_value, dtype=None) -> input.new_full(size, fill_value, dtype=dtype)
NewOnes(input, size, dtype=None) -> input.new_ones(size, dtype=dtype)
NewZeros(input, size, dtype=None) -> input.new_zeros(size, dtype=dtype)
FillScalar(size, fill_value, dtype=None) -> mint.full(size, fill_value, dtype=dtype)
FillTensor(size, fill_value, dtype=None) -> mint.full(size, fill_value, dtype=dtype)
NonZeroExt(input) -> mint.nonzero(input, as_tuple=True)
OneHotExt(axis=-1)(tensor, num_classes, on_value, off_value) ->
    ops.one_hot(tensor, int(num_classes), on_value, off_value, self.axis)
StackExt(dim=0)(tensors) -> mint.stack(tensors, self.dim)
EluExt(alpha=1.0)(input) -> F.elu(input, self.alpha)
Diagonal(offset=0, dim1=0, dim2=1)(input) -> ops.diagonal(input, self.offset, self.dim1, self.dim2)
Repeat(input, repeats) -> input.tile(repeats)
View(input, shape) -> input.view(shape)
ViewDtype(input, dtype) -> input.view(dtype)
Contiguous(input) -> input.contiguous()
Copy(input) -> input.copy()
ToDtype(input, dtype=None, non_blocking=False, copy=False) -> input.to(dtype=dtype, non_blocking=non_blocking, copy=copy)
ToOther(input, other, non_blocking=False, copy=False) -> input.to(other, non_blocking=non_blocking, copy=copy)
SliceExt(input, dim, start, end, step) -> sliced(input, dim, start, end, step)
SliceExtView(input, dim, start, end, step) -> sliced(input, dim, start, end, step)
SplitTensorView(input, split_size, dim=0) -> mint.split(input, split_size, dim)
SplitWithSizeView(input, split_size, dim=0) -> mint.split(input, split_size, dim)
UnstackExtView(input, dim=0) -> mint.unbind(input, dim)
Unique2(input, sorted=True, return_inverse=False, return_counts=False) ->
    mint.unique(input, sorted, return_inverse, return_counts)
UniqueDim(input, sorted, return_inverse, dim) -> mint.unique(input, sorted, return_inverse, True, dim)
LinalgQr(A, mode='reduced') -> tuple(mint.linalg.qr(A, mode))
LinalgVectorNorm(x, ord=2, dim=None, keepdim=False, dtype=None) ->
    mint.linalg.vector_norm(x, ord, dim, keepdim, dtype=dtype)
SoftmaxBackward(dout, out, dim=-1) -> (dout - (dout * out).sum(dim, keepdims=True)) * out
NLLLoss2d(input, target, weight, reduction='mean', ignore_index=-100) ->
    F.nll_loss(input, target, weight, ignore_index, reduction)
Im2ColExt(input, kernel_size, dilation=1, padding=0, stride=1) -> F.unfold(input, kernel_size, dilation, padding, stride)
Col2ImExt(input, output_size, kernel_size, dilation=1, padding=0, stride=1) ->
    F.fold(input, output_size, kernel_size, dilation, padding, stride)
AdaptiveMaxPool1D(input, output_size) -> F.adaptive_max_pool1d(input, output_size, True)
ConstantPadND(input, padding, value=0.0) -> F.pad(input, padding, 'constant', value)
ReflectionPad1D(input, padding) -> F.pad(input, padding, 'reflect')
ReflectionPad2D(input, padding) -> F.pad(input, padding, 'reflect')
ReflectionPad3D(input, padding) -> F.pad(input, padding, 'reflect')
ReplicationPad1D(input, padding) -> F.pad(input, padding, 'replicate')
ReplicationPad2D(input, padding) -> F.pad(input, padding, 'replicate')
ReplicationPad3D(input, padding) -> F.pad(input, padding, 'replicate')
UpsampleNearest1D(x, output_size=None, scales=None) -> F.interpolate(x, output_size, scales)
UpsampleNearest2D(x, output_size=None, scales=None) -> F.interpolate(x, output_size, scales)
UpsampleLinear1D(x, output_size=None, scales=None, align_corners=False) ->
    F.interpolate(x, output_size, scales, 'linear', align_corners)
UpsampleBilinear2D(x, output_size=None, scales=None, align_corners=False) ->
    F.interpolate(x, output_size, scales, 'bilinear', align_corners)
UpsampleBicubic2D(x, output_size=None, scales=None, align_corners=False) ->
    F.interpolate(x, output_size, scales, 'bicubic', align_corners)
ReflectionPad1DGrad(grad_output, input, padding) -> pulled_back(F.pad, [input, padding, 'reflect'], grad_output)
ReflectionPad2DGrad(grad_output, input, padding) -> pulled_back(F.pad, [input, padding, 'reflect'], grad_output)
ReflectionPad3DGrad(grad_output, input, padding) -> pulled_back(F.pad, [input, padding, 'reflect'], grad_output)
ReplicationPad1DGrad(grad_output, input, padding) -> pulled_back(F.pad, [input, padding, 'replicate'], grad_output)
ReplicationPad2DGrad(grad_output, input, padding) -> pulled_back(F.pad, [input, padding, 'replicate'], grad_output)
ReplicationPad3DGrad(grad_output, input, padding) -> pulled_back(F.pad, [input, padding, 'replicate'], grad_output)
""",
    public="msjax.ops.auto_generate",
    mint=mint,
    ops=ops,
    F="msjax.mint.nn.functional",
    scattered="scattered",
    rounded="rounded",
    sliced="sliced",
    solve_triangular="msjax.scipy.linalg.solve_triangular",
    pulled_back=pulled_back,
)


def rounded(mode: Any) -> str | None:
    """MindSpore's modes of rounding by their names or numbers."""
    return {1: "trunc", 2: "floor"}.get(mode, mode)


def sliced(input: Tensor, dim: int, start: int, end: int, step: int) -> Tensor:
    """Every so many of the positions along a dimension, as a view."""
    return input[(slice(None),) * (dim % input.ndim) + (slice(start, end, step),)]


def scattered(input: Any, dim: int, index: Tensor, src: Any, reduce: Any = "none") -> Tensor:
    """Elements replaced along a dimension, or something added to them, or a factor multiplied.

    Args:
        input (Tensor): of any dtype.
        dim (int): the dimension that `index` counts along.
        index (Tensor): positions, of an integer dtype and `input`'s rank.
        src (Tensor, number): what goes there, in `index`'s shape or a larger one.
        reduce (str, int): "none", "add" or "multiply", or MindSpore's numbers for them: 0, 1, 2.

    Raises:
        ValueError: for another `reduce`.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.classes import scattered
        >>> print(scattered(ms.Tensor([1.0, 2.0]), 0, ms.Tensor([0, 0]), 3.0, "multiply"))
        [9. 2.]
    """
    kind = {0: "none", 1: "add", 2: "mul", "multiply": "mul"}.get(reduce, reduce)
    if kind not in ("none", "add", "mul"):
        checks.fail(ValueError, "scatter", "reduce", "be none, add or multiply", repr(reduce))
    src = src if isinstance(src, Tensor) else Tensor(src, input.dtype)
    return ops.tensor_scatter_elements(input, index, src, dim, kind)
