"""Operators in class form: `ops.ReduceSum(keep_dims=True)(x, 1)`. Classes of layers are in `primitives.nn`."""

import functools
from typing import Any

from msjax.core import dtype as dtypes
from msjax.ops.common.name_table import attach_classes
from msjax.ops.common.primitive_class import Primitive

ROWS = """
# arithmetic
math.arithmetic: Add=add Mul=mul RealDiv=real_div FloorDiv=floor_divide TruncateDiv=truncate_div FloorMod=floor_mod Pow=pow
    Neg=neg Abs=abs Sign=sign Square=square Reciprocal=reciprocal
primitive_impl.general: DivNoNan=div_no_nan MulNoNan=mul_no_nan SquaredDifference=squared_difference
    SquareSumAll=square_sum_all L2Loss=l2_loss
math.fused_arithmetic: Inv=inv AddN=addn AccumulateNV2=addn Addcmul=addcmul Addcdiv=addcdiv Lerp=lerp Hypot=hypot
    Xlogy=xlogy
TensorAdd(x: input, y: other) -> math.arithmetic.add
Sub(x: input, y: other) -> math.arithmetic.sub
Div(input, other) -> math.arithmetic.div
Mod(x: input, y: other) -> math.arithmetic.fmod
TruncateMod(x: input, y: other) -> math.arithmetic.fmod

# functions of one number
math.elementary: Exp=exp Expm1=expm1 Log=log Log1p=log1p Sqrt=sqrt Rsqrt=rsqrt Erf=erf Erfc=erfc Erfinv=erfinv
math.trigonometric: Sin=sin Cos=cos Asin=asin ACos=acos Atan=atan Atan2=atan2 Sinh=sinh Cosh=cosh Asinh=asinh Acosh=acosh
    Atanh=atanh Sinc=sinc
math.rounding: Floor=floor Ceil=ceil Trunc=trunc Maximum=maximum Minimum=minimum Fmax=fmax Fmin=fmin
math.complex_numbers: Real=real Imag=imag Conj=conj Angle=angle Complex=complex Polar=polar ComplexAbs=modulus
Tan(x: input) -> math.trigonometric.tan
Rint(input_x: input) -> math.rounding.round
Round(input, decimals=0) -> math.rounding.round
NanToNum(nan=None, posinf=None, neginf=None)(...) -> math.rounding.nan_to_num

# comparison and logic
math.comparison: Equal=eq NotEqual=ne Less=lt LessEqual=le Greater=gt GreaterEqual=ge LogicalXor=logical_xor
    LogicalNot=logical_not IsInf=isinf IsFinite=isfinite Select=where
math.bitwise: Invert=invert PopulationCount=population_count Gcd=gcd Lcm=lcm
ApproximateEqual(tolerance=1e-05)(...) -> math.comparison.approximate_equal
IsClose(rtol=1e-05, atol=1e-08, equal_nan=False)(...) -> math.comparison.isclose
LogicalAnd(x: input, y: other) -> math.comparison.logical_and
LogicalOr(x: input, y: other) -> math.comparison.logical_or
IsNan(x: input) -> math.comparison.isnan
BitwiseAnd(x: input, y: other) -> math.bitwise.bitwise_and
BitwiseOr(x: input, y: other) -> math.bitwise.bitwise_or
BitwiseXor(x: input, y: other) -> math.bitwise.bitwise_xor

# reductions
array.segments: UnsortedSegmentSum=unsorted_segment_sum UnsortedSegmentMax=unsorted_segment_max
    UnsortedSegmentMin=unsorted_segment_min UnsortedSegmentProd=unsorted_segment_prod
ReduceSum(keep_dims=False, skip_mode=False)(x, axis=()) -> reduction.reduction.reduce_sum
    if self.skip_mode and axis in ((), []): return x
ReduceMean(keep_dims=False)(x, axis=()) -> reduction.reduction.mean
ReduceMax(keep_dims: keepdims = False)(x: input, axis=()) -> reduction.min_max.amax
ReduceMin(keep_dims: keepdims = False)(x: input, axis=()) -> reduction.min_max.amin
ReduceProd(keep_dims=False)(x, axis=()) -> reduction.reduction.reduce_prod
ReduceAll(keep_dims=False)(input, axis=None) -> reduction.reduction.all
ReduceAny(keep_dims=False)(x: input, axis=()) -> reduction.reduction.any
ReduceStd(axis=(), unbiased=True, keep_dims=False)(...) -> primitive_impl.general.std_and_mean
CountNonZero(dims: axis = None)(x) -> reduction.reduction.count_nonzero
Argmax(axis=-1, output_type=int32)(...) -> primitive_impl.general.argmax_as
Argmin(axis=-1, output_type=int32)(...) -> primitive_impl.general.argmin_as
ArgMaxWithValue(axis=0, keep_dims=False)(...) -> primitive_impl.general.place_and_max
ArgMinWithValue(axis=0, keep_dims=False)(...) -> primitive_impl.general.place_and_min
Median(global_median=False, axis=0, keep_dims=False, ignore_nan=False)(x) -> reduction.min_max.median_of
CumSum(exclusive=False, reverse=False)(input: x, axis) -> reduction.cumulative.running_sum
CumProd(exclusive=False, reverse=False)(...) -> reduction.cumulative.running_prod
Cummax(axis)(...) -> reduction.cumulative.cummax
Cummin(axis)(...) -> reduction.cumulative.cummin
CumulativeLogsumexp(exclusive=False, reverse=False)(...) -> reduction.cumulative.running_logsumexp
LpNorm(axis, p=2, keep_dims=False, epsilon=1e-12)(...) -> primitive_impl.general.lp_norm

# shapes
array.shapes: Reshape=reshape ExpandDims=expand_dims
math.casts: TensorShape=dyn_shape
Transpose(input, dims) -> array.shapes.transpose
Unsqueeze(input: input_x, dim: axis) -> array.shapes.expand_dims
Squeeze(axis=())(...) -> array.shapes.squeeze
Flatten(input_x: input) -> array.shapes.flatten
BroadcastTo(shape)(...) -> array.shapes.broadcast_to
Tile(...) -> array.shapes.tile
    dims = tuple(dims) if isinstance(dims, list) else dims
ReverseV2(axis: dims)(input) -> array.flip_roll.flip
Roll(shifts, dims=None)(...) -> array.flip_roll.roll
Concat(axis=0)(...) -> array.joining.concat
Stack(axis=0)(value: tensors) -> array.joining.stack
Pack(axis=0)(value: tensors) -> array.joining.stack
Unstack(axis: dim = 0, num: _ = None)(input_x: input) -> array.joining.unbind
Unpack(axis: dim = 0, num: _ = None)(input_x: input) -> array.joining.unbind
Split(axis=0, output_num=1)(...) -> primitive_impl.general.split_evenly
SplitV(size_splits: split_size_or_sections, split_dim: axis, num_split: _)(input_x: tensor) -> array.joining.split
Meshgrid(indexing='xy')(inputs) -> array.creation.grid
    inputs = list(inputs)
Pad(paddings)(...) -> primitive_impl.general.pad_zeros
MirrorPad(mode='REFLECT')(...) -> primitive_impl.general.pad_mirrored
Shape(x: input_x) -> primitive_impl.python_scalars.shape
DynamicShape(dtype: _ = 9)(input: input_x) -> math.casts.dyn_shape
Size(x: input_x) -> math.casts.size
Rank(x: input_x) -> math.casts.rank

# elements by position
array.gathering: GatherNd=gather_nd
array.scattering: ScatterNd=scatter_nd TensorScatterUpdate=tensor_scatter_update TensorScatterAdd=tensor_scatter_add
    TensorScatterSub=tensor_scatter_sub TensorScatterMul=tensor_scatter_mul TensorScatterDiv=tensor_scatter_div
    TensorScatterMax=tensor_scatter_max TensorScatterMin=tensor_scatter_min MaskedFill=masked_fill
array.nonzero_unique: MaskedSelect=masked_select Unique=unique
Slice(input: input_x, begin, size) -> array.slicing.slice
StridedSlice(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)(...) ->
    array.slicing.strided_slice
Gather(batch_dims=0)(...) -> array.gathering.gather
GatherV2(input_params, input_indices, axis) -> array.gathering.gather
GatherD(x: input, dim, index) -> array.gathering.gather_elements
TensorScatterElements(axis=0, reduction='none')(data: input_x, indices, updates) -> array.scattering.tensor_scatter_elements
ScatterUpdate(use_locking: _ = True)(input_x, indices, updates) -> state.scatter_update.scatter_update
ScatterAdd(use_locking: _ = False)(input_x, indices, updates) -> state.scatter_update.scatter_add
ScatterMul(use_locking: _ = False)(input_x, indices, updates) -> state.scatter_update.scatter_mul
ScatterDiv(use_locking: _ = False)(input_x, indices, updates) -> state.scatter_update.scatter_div
ScatterMax(use_locking: _ = False)(input_x, indices, updates) -> state.scatter_update.scatter_max
ScatterMin(use_locking: _ = False)(input_x, indices, updates) -> state.scatter_update.scatter_min
ScatterNdUpdate(use_locking=True)(input_x, indices, updates) -> state.scatter_update.scatter_nd_update
ScatterNdAdd(use_locking=False)(input_x, indices, updates) -> state.scatter_update.scatter_nd_add
ScatterNdSub(use_locking=False)(input_x, indices, updates) -> state.scatter_update.scatter_nd_sub
ScatterNdMul(use_locking=False)(input_x, indices, updates) -> state.scatter_update.scatter_nd_mul
ScatterNdDiv(use_locking=False)(input_x, indices, updates) -> state.scatter_update.scatter_nd_div
ScatterNdMax(use_locking=False)(input_x, indices, updates) -> state.scatter_update.scatter_nd_max
ScatterNdMin(use_locking=False)(input_x, indices, updates) -> state.scatter_update.scatter_nd_min
IndexAdd(axis, use_lock=True, check_index_bound=True)(x, indices, y) -> state.scatter_update.index_add
IndexFill(x, dim: axis, index, value) -> array.scattering.index_fill
NonZero(input) -> array.nonzero_unique.nonzero
UniqueConsecutive(return_inverse=False, return_counts=False, dim=None)(...) -> array.nonzero_unique.unique_consecutive
Sort(axis=-1, descending=False)(x: input_x) -> array.sorting.sort
TopK(sorted=True)(input_x: input, k) -> array.sorting.topk
SearchSorted(dtype=int64, right=False)(sorted_sequence, values, sorter=None) -> array.sorting.searchsorted
    return _target(sorted_sequence, values, out_int32=self.dtype is not int64, right=self.right, sorter=sorter)

# new arrays
array.creation: Zeros=zeros Ones=ones Eye=eye
names.aliases: Fills=fills
ZerosLike(x: input) -> array.creation.zeros_like
OnesLike(x: input) -> array.creation.ones_like
Fill(type, shape, value) -> names.aliases.fill
FillV2(shape: size, value: fill_value) -> array.creation.full
    return _target(shape, value, dtype=value.dtype)
Range(maxlen=1000000)(start, end, step) -> array.creation.range
LinSpace(start, stop: end, num: steps) -> array.creation.linspace
LogSpace(steps=10, base=10, dtype=float32)(...) -> array.creation.logspace
OneHot(axis=-1)(indices, depth, on_value, off_value) -> nn.embeddings.one_hot
TrilIndices(row, col, offset=0, dtype=int32)(...) -> array.creation.tril_indices
TriuIndices(row, col, offset=0, dtype=int32)(...) -> array.creation.triu_indices

# matrices
array.triangles_diagonals: Trace=trace Diag=diag
MatMul(transpose_a=False, transpose_b=False)(input: x, mat2: y) -> linalg.products.matrix_product
BatchMatMul(transpose_a=False, transpose_b=False)(...) -> linalg.products.batch_product
Einsum(equation)(inputs: operands) -> linalg.products.sum_products
    inputs = list(inputs)
Ger(x1: input, x2: vec2) -> linalg.products.ger
Cross(dim=-65530)(...) -> linalg.products.cross
    dim = None if self.dim == -65530 else self.dim
    return _target(input, other, dim)
Tril(diagonal=0)(x: input) -> array.triangles_diagonals.tril
Triu(diagonal=0)(...) -> array.triangles_diagonals.triu
Cdist(p=2.0)(...) -> reduction.norms.cdist

# dtypes, state, effects
math.casts: ScalarCast=scalar_cast TupleToArray=tuple_to_array Identity=identity
msjax.core.autodiff.imperative: StopGradient=stop_gradient
state.assignment: Assign=assign AssignAdd=assign_add AssignSub=assign_sub
state.scatter_update: Depend=depend Print=print_
primitive_impl.general: InvertPermutation=invert_permutation
Cast(input_x: input, dtype) -> math.casts.cast
ScalarToTensor(x: input_x, dtype=float32) -> math.casts.scalar_to_tensor
"""

__getattr__, __dir__ = attach_classes(
    __name__, ROWS, int32=dtypes.int32, int64=dtypes.int64, float32=dtypes.float32
)


class Partial(Primitive):
    """A function with its first arguments given.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.Partial()(max, 3)(2)
        3
    """

    def __init__(self) -> None:
        super().__init__("Partial")

    def __call__(self, *args: Any) -> Any:
        """Return the function, its first arguments given."""
        return functools.partial(*args)
