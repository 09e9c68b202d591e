"""Operators in class form: `ops.ReduceSum(keep_dims=True)(x, 1)`.

One line makes one class: its name, the function that it calls, the signature of the constructor, that of a call, and
which parameter of the function is meant where names differ. Classes of layers are in `primitives.nn`.
"""

# fmt: off
import functools
from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.autodiff.imperative import stop_gradient
from msjax.ops.array import (
    creation,
    flip_roll,
    joining,
    nonzero_unique,
    scattering,
    segments,
    shapes,
    slicing,
    sorting,
    triangles_diagonals,
)
from msjax.ops.array.gathering import gather, gather_elements, gather_nd
from msjax.ops.common.adapters import Primitive, primitive
from msjax.ops.linalg import products
from msjax.ops.math import (
    arithmetic,
    bitwise,
    casts,
    comparison,
    complex_numbers,
    elementary,
    fused_arithmetic,
    rounding,
    trigonometric,
)
from msjax.ops.names import aliases
from msjax.ops.nn.embeddings import one_hot
from msjax.ops.primitive_impl import general
from msjax.ops.reduction import cumulative, min_max, norms, reduction
from msjax.ops.state import assignment, scatter_update

_p = functools.partial(primitive, module=__name__)
_XY = ("()", "(x, y)", "x=input y=other")
_X = ("()", "(x)", "x=input")

# ---------------------------------------------------------------------- arithmetic

Add = _p("Add", arithmetic.add)
TensorAdd = _p("TensorAdd", arithmetic.add, *_XY)
Sub = _p("Sub", arithmetic.sub, *_XY)
Mul = _p("Mul", arithmetic.mul)
Div = _p("Div", arithmetic.div, "()", "(input, other)")
RealDiv = _p("RealDiv", arithmetic.real_div)
DivNoNan = _p("DivNoNan", general.div_no_nan)
MulNoNan = _p("MulNoNan", general.mul_no_nan)
FloorDiv = _p("FloorDiv", arithmetic.floor_divide)
TruncateDiv = _p("TruncateDiv", arithmetic.truncate_div)
FloorMod = _p("FloorMod", arithmetic.floor_mod)
Mod = _p("Mod", arithmetic.fmod, *_XY)
TruncateMod = _p("TruncateMod", arithmetic.fmod, *_XY)
Pow = _p("Pow", arithmetic.pow)
Neg = _p("Neg", arithmetic.neg)
Abs = _p("Abs", arithmetic.abs)
Sign = _p("Sign", arithmetic.sign)
Square = _p("Square", arithmetic.square)
SquaredDifference = _p("SquaredDifference", general.squared_difference)
SquareSumAll = _p("SquareSumAll", general.square_sum_all)
Reciprocal = _p("Reciprocal", arithmetic.reciprocal)
Inv = _p("Inv", fused_arithmetic.inv)
AddN = _p("AddN", fused_arithmetic.addn)
AccumulateNV2 = _p("AccumulateNV2", fused_arithmetic.addn)
Addcmul = _p("Addcmul", fused_arithmetic.addcmul)
Addcdiv = _p("Addcdiv", fused_arithmetic.addcdiv)
Lerp = _p("Lerp", fused_arithmetic.lerp)
Hypot = _p("Hypot", fused_arithmetic.hypot)
Xlogy = _p("Xlogy", fused_arithmetic.xlogy)
L2Loss = _p("L2Loss", general.l2_loss)

# ---------------------------------------------------------------------- functions of one number

Exp = _p("Exp", elementary.exp)
Expm1 = _p("Expm1", elementary.expm1)
Log = _p("Log", elementary.log)
Log1p = _p("Log1p", elementary.log1p)
Sqrt = _p("Sqrt", elementary.sqrt)
Rsqrt = _p("Rsqrt", elementary.rsqrt)
Erf = _p("Erf", elementary.erf)
Erfc = _p("Erfc", elementary.erfc)
Erfinv = _p("Erfinv", elementary.erfinv)
Sin = _p("Sin", trigonometric.sin)
Cos = _p("Cos", trigonometric.cos)
Tan = _p("Tan", trigonometric.tan, *_X)
Asin = _p("Asin", trigonometric.asin)
ACos = _p("ACos", trigonometric.acos)
Atan = _p("Atan", trigonometric.atan)
Atan2 = _p("Atan2", trigonometric.atan2)
Sinh = _p("Sinh", trigonometric.sinh)
Cosh = _p("Cosh", trigonometric.cosh)
Asinh = _p("Asinh", trigonometric.asinh)
Acosh = _p("Acosh", trigonometric.acosh)
Atanh = _p("Atanh", trigonometric.atanh)
Sinc = _p("Sinc", trigonometric.sinc)
Floor = _p("Floor", rounding.floor)
Ceil = _p("Ceil", rounding.ceil)
Rint = _p("Rint", rounding.round, "()", "(input_x)", "input_x=input")
Round = _p("Round", rounding.round, "()", "(input, decimals=0)")
Trunc = _p("Trunc", rounding.trunc)
Maximum = _p("Maximum", rounding.maximum)
Minimum = _p("Minimum", rounding.minimum)
Fmax = _p("Fmax", rounding.fmax)
Fmin = _p("Fmin", rounding.fmin)
NanToNum = _p("NanToNum", rounding.nan_to_num, "(nan=None, posinf=None, neginf=None)")
Real = _p("Real", complex_numbers.real)
Imag = _p("Imag", complex_numbers.imag)
Conj = _p("Conj", complex_numbers.conj)
Angle = _p("Angle", complex_numbers.angle)
Complex = _p("Complex", complex_numbers.complex)
Polar = _p("Polar", complex_numbers.polar)
ComplexAbs = _p("ComplexAbs", complex_numbers.modulus)

# ---------------------------------------------------------------------- comparison and logic

Equal = _p("Equal", comparison.eq)
NotEqual = _p("NotEqual", comparison.ne)
Less = _p("Less", comparison.lt)
LessEqual = _p("LessEqual", comparison.le)
Greater = _p("Greater", comparison.gt)
GreaterEqual = _p("GreaterEqual", comparison.ge)
ApproximateEqual = _p("ApproximateEqual", comparison.approximate_equal, "(tolerance=1e-05)")
IsClose = _p("IsClose", comparison.isclose, "(rtol=1e-05, atol=1e-08, equal_nan=False)")
LogicalAnd = _p("LogicalAnd", comparison.logical_and, *_XY)
LogicalOr = _p("LogicalOr", comparison.logical_or, *_XY)
LogicalXor = _p("LogicalXor", comparison.logical_xor)
LogicalNot = _p("LogicalNot", comparison.logical_not)
IsNan = _p("IsNan", comparison.isnan, *_X)
IsInf = _p("IsInf", comparison.isinf)
IsFinite = _p("IsFinite", comparison.isfinite)
Select = _p("Select", comparison.where)
BitwiseAnd = _p("BitwiseAnd", bitwise.bitwise_and, *_XY)
BitwiseOr = _p("BitwiseOr", bitwise.bitwise_or, *_XY)
BitwiseXor = _p("BitwiseXor", bitwise.bitwise_xor, *_XY)
Invert = _p("Invert", bitwise.invert)
PopulationCount = _p("PopulationCount", bitwise.population_count)
Gcd = _p("Gcd", bitwise.gcd)
Lcm = _p("Lcm", bitwise.lcm)

# ---------------------------------------------------------------------- reductions

ReduceSum = _p("ReduceSum", reduction.reduce_sum, "(keep_dims=False, skip_mode=False)", "(x, axis=())",
               fix="if self.skip_mode and axis in ((), []): return x")
ReduceMean = _p("ReduceMean", reduction.mean, "(keep_dims=False)", "(x, axis=())")
ReduceMax = _p("ReduceMax", min_max.amax, "(keep_dims=False)", "(x, axis=())", "x=input keep_dims=keepdims")
ReduceMin = _p("ReduceMin", min_max.amin, "(keep_dims=False)", "(x, axis=())", "x=input keep_dims=keepdims")
ReduceProd = _p("ReduceProd", reduction.reduce_prod, "(keep_dims=False)", "(x, axis=())")
ReduceAll = _p("ReduceAll", reduction.all, "(keep_dims=False)", "(input, axis=None)")
ReduceAny = _p("ReduceAny", reduction.any, "(keep_dims=False)", "(x, axis=())", "x=input")
ReduceStd = _p("ReduceStd", general.std_and_mean, "(axis=(), unbiased=True, keep_dims=False)")
CountNonZero = _p("CountNonZero", reduction.count_nonzero, "(dims=None)", "(x)", "dims=axis")
Argmax = _p("Argmax", general.argmax_as, "(axis=-1, output_type=int32)", int32=dtypes.int32)
Argmin = _p("Argmin", general.argmin_as, "(axis=-1, output_type=int32)", int32=dtypes.int32)
ArgMaxWithValue = _p("ArgMaxWithValue", general.place_and_max, "(axis=0, keep_dims=False)")
ArgMinWithValue = _p("ArgMinWithValue", general.place_and_min, "(axis=0, keep_dims=False)")
Median = _p("Median", min_max.median_of, "(global_median=False, axis=0, keep_dims=False, ignore_nan=False)", "(x)")
CumSum = _p("CumSum", cumulative.running_sum, "(exclusive=False, reverse=False)", "(input, axis)", "input=x")
CumProd = _p("CumProd", cumulative.running_prod, "(exclusive=False, reverse=False)")
Cummax = _p("Cummax", cumulative.cummax, "(axis)")
Cummin = _p("Cummin", cumulative.cummin, "(axis)")
CumulativeLogsumexp = _p("CumulativeLogsumexp", cumulative.running_logsumexp, "(exclusive=False, reverse=False)")
LpNorm = _p("LpNorm", general.lp_norm, "(axis, p=2, keep_dims=False, epsilon=1e-12)")
UnsortedSegmentSum = _p("UnsortedSegmentSum", segments.unsorted_segment_sum)
UnsortedSegmentMax = _p("UnsortedSegmentMax", segments.unsorted_segment_max)
UnsortedSegmentMin = _p("UnsortedSegmentMin", segments.unsorted_segment_min)
UnsortedSegmentProd = _p("UnsortedSegmentProd", segments.unsorted_segment_prod)

# ---------------------------------------------------------------------- shapes

Reshape = _p("Reshape", shapes.reshape)
Transpose = _p("Transpose", shapes.transpose, "()", "(input, dims)")
ExpandDims = _p("ExpandDims", shapes.expand_dims)
Unsqueeze = _p("Unsqueeze", shapes.expand_dims, "()", "(input, dim)", "input=input_x dim=axis")
Squeeze = _p("Squeeze", shapes.squeeze, "(axis=())")
Flatten = _p("Flatten", shapes.flatten, "()", "(input_x)", "input_x=input")
BroadcastTo = _p("BroadcastTo", shapes.broadcast_to, "(shape)")
Tile = _p("Tile", shapes.tile, fix="dims = tuple(dims) if isinstance(dims, list) else dims")
ReverseV2 = _p("ReverseV2", flip_roll.flip, "(axis)", "(input)", "axis=dims")
Roll = _p("Roll", flip_roll.roll, "(shifts, dims=None)")
Concat = _p("Concat", joining.concat, "(axis=0)")
Stack = _p("Stack", joining.stack, "(axis=0)", "(value)", "value=tensors")
Pack = _p("Pack", joining.stack, "(axis=0)", "(value)", "value=tensors")
Unstack = _p("Unstack", joining.unbind, "(axis=0, num=None)", "(input_x)", "input_x=input axis=dim", fix="self.num")
Unpack = _p("Unpack", joining.unbind, "(axis=0, num=None)", "(input_x)", "input_x=input axis=dim", fix="self.num")
Split = _p("Split", general.split_evenly, "(axis=0, output_num=1)")
SplitV = _p("SplitV", joining.split, "(size_splits, split_dim, num_split)", "(input_x)",
            "input_x=tensor size_splits=split_size_or_sections split_dim=axis", fix="self.num_split")
Meshgrid = _p("Meshgrid", creation.grid, "(indexing='xy')", "(inputs)", fix="inputs = list(inputs)")
Pad = _p("Pad", general.padded, "(paddings)")
MirrorPad = _p("MirrorPad", general.mirrored, "(mode='REFLECT')")
Shape = _p("Shape", casts.shape, "()", "(x)", "x=input_x")
TensorShape = _p("TensorShape", casts.dyn_shape)
DynamicShape = _p("DynamicShape", casts.dyn_shape, "(dtype=9)", "(input)", "input=input_x", fix="self.dtype")
Size = _p("Size", casts.size, "()", "(x)", "x=input_x")
Rank = _p("Rank", casts.rank, "()", "(x)", "x=input_x")

# ---------------------------------------------------------------------- elements by position

Slice = _p("Slice", slicing.slice, "()", "(input, begin, size)", "input=input_x")
_MASKS = "begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0"
StridedSlice = _p("StridedSlice", slicing.strided_slice, f"({_MASKS})")
Gather = _p("Gather", gather, "(batch_dims=0)")
GatherV2 = _p("GatherV2", gather, "()", "(input_params, input_indices, axis)")
GatherD = _p("GatherD", gather_elements, "()", "(x, dim, index)", "x=input")
GatherNd = _p("GatherNd", gather_nd)
ScatterNd = _p("ScatterNd", scattering.scatter_nd)
TensorScatterUpdate = _p("TensorScatterUpdate", scattering.tensor_scatter_update)
TensorScatterAdd = _p("TensorScatterAdd", scattering.tensor_scatter_add)
TensorScatterSub = _p("TensorScatterSub", scattering.tensor_scatter_sub)
TensorScatterMul = _p("TensorScatterMul", scattering.tensor_scatter_mul)
TensorScatterDiv = _p("TensorScatterDiv", scattering.tensor_scatter_div)
TensorScatterMax = _p("TensorScatterMax", scattering.tensor_scatter_max)
TensorScatterMin = _p("TensorScatterMin", scattering.tensor_scatter_min)
TensorScatterElements = _p("TensorScatterElements", scattering.tensor_scatter_elements, "(axis=0, reduction='none')",
                           "(data, indices, updates)", "data=input_x")
_LOCK = {"init": "(use_locking=False)", "call": "(input_x, indices, updates)", "fix": "self.use_locking"}
ScatterUpdate = _p("ScatterUpdate", scatter_update.scatter_update, **_LOCK | {"init": "(use_locking=True)"})
ScatterAdd = _p("ScatterAdd", scatter_update.scatter_add, **_LOCK)
ScatterMul = _p("ScatterMul", scatter_update.scatter_mul, **_LOCK)
ScatterDiv = _p("ScatterDiv", scatter_update.scatter_div, **_LOCK)
ScatterMax = _p("ScatterMax", scatter_update.scatter_max, **_LOCK)
ScatterMin = _p("ScatterMin", scatter_update.scatter_min, **_LOCK)
ScatterNdUpdate = _p("ScatterNdUpdate", scatter_update.scatter_nd_update, **_LOCK | {"init": "(use_locking=True)"})
ScatterNdAdd = _p("ScatterNdAdd", scatter_update.scatter_nd_add, **_LOCK)
ScatterNdSub = _p("ScatterNdSub", scatter_update.scatter_nd_sub, **_LOCK)
ScatterNdMul = _p("ScatterNdMul", scatter_update.scatter_nd_mul, **_LOCK)
ScatterNdDiv = _p("ScatterNdDiv", scatter_update.scatter_nd_div, **_LOCK)
ScatterNdMax = _p("ScatterNdMax", scatter_update.scatter_nd_max, **_LOCK)
ScatterNdMin = _p("ScatterNdMin", scatter_update.scatter_nd_min, **_LOCK)
IndexAdd = _p("IndexAdd", scatter_update.index_add, "(axis, use_lock=True, check_index_bound=True)", "(x, indices, y)")
IndexFill = _p("IndexFill", scattering.index_fill, "()", "(x, dim, index, value)", "dim=axis")
MaskedFill = _p("MaskedFill", scattering.masked_fill)
MaskedSelect = _p("MaskedSelect", nonzero_unique.masked_select)
NonZero = _p("NonZero", nonzero_unique.nonzero, "()", "(input)")
Unique = _p("Unique", nonzero_unique.unique)
UniqueConsecutive = _p("UniqueConsecutive", nonzero_unique.unique_consecutive,
                       "(return_inverse=False, return_counts=False, dim=None)")
Sort = _p("Sort", sorting.sort, "(axis=-1, descending=False)", "(x)", "x=input_x")
TopK = _p("TopK", sorting.topk, "(sorted=True)", "(input_x, k)", "input_x=input")
SearchSorted = _p("SearchSorted", sorting.searchsorted, "(dtype=int64, right=False)",
                  "(sorted_sequence, values, sorter=None)", int64=dtypes.int64,
                  fix="out_int32 = self.dtype is not _int64\nreturn _target(sorted_sequence, values, "
                  "out_int32=out_int32, right=self.right, sorter=sorter)", _int64=dtypes.int64)

# ---------------------------------------------------------------------- new arrays

Zeros = _p("Zeros", creation.zeros)
Ones = _p("Ones", creation.ones)
ZerosLike = _p("ZerosLike", creation.zeros_like, *_X)
OnesLike = _p("OnesLike", creation.ones_like, *_X)
Eye = _p("Eye", creation.eye)
Fill = _p("Fill", aliases.fill, "()", "(type, shape, value)")
FillV2 = _p("FillV2", creation.full, "()", "(shape, value)", "shape=size value=fill_value",
            fix="return _target(shape, value, dtype=value.dtype)")
Fills = _p("Fills", aliases.fills)
Range = _p("Range", creation.range, "(maxlen=1000000)", "(start, end, step)")
LinSpace = _p("LinSpace", creation.linspace, "()", "(start, stop, num)", "stop=end num=steps")
LogSpace = _p("LogSpace", creation.logspace, "(steps=10, base=10, dtype=float32)", float32=dtypes.float32)
OneHot = _p("OneHot", one_hot, "(axis=-1)", "(indices, depth, on_value, off_value)")
TrilIndices = _p("TrilIndices", creation.tril_indices, "(row, col, offset=0, dtype=int32)", int32=dtypes.int32)
TriuIndices = _p("TriuIndices", creation.triu_indices, "(row, col, offset=0, dtype=int32)", int32=dtypes.int32)

# ---------------------------------------------------------------------- matrices

MatMul = _p("MatMul", products.matrix_product, "(transpose_a=False, transpose_b=False)", "(input, mat2)",
            "input=x mat2=y")
BatchMatMul = _p("BatchMatMul", products.batch_product, "(transpose_a=False, transpose_b=False)")
Einsum = _p("Einsum", products.summed, "(equation)", "(inputs)", "inputs=operands", fix="inputs = list(inputs)")
Ger = _p("Ger", products.ger, "()", "(x1, x2)", "x1=input x2=vec2")
Cross = _p("Cross", products.cross, "(dim=-65530)", fix="dim = None if self.dim == -65530 else self.dim\n"
           "return _target(input, other, dim)")
Tril = _p("Tril", triangles_diagonals.tril, "(diagonal=0)", "(x)", "x=input")
Triu = _p("Triu", triangles_diagonals.triu, "(diagonal=0)")
Trace = _p("Trace", triangles_diagonals.trace)
Diag = _p("Diag", triangles_diagonals.diag)
Cdist = _p("Cdist", norms.cdist, "(p=2.0)")

# ---------------------------------------------------------------------- dtypes, state, effects

Cast = _p("Cast", casts.cast, "()", "(input_x, dtype)", "input_x=input")
ScalarCast = _p("ScalarCast", casts.scalar_cast)
ScalarToTensor = _p("ScalarToTensor", casts.scalar_to_tensor, "()", "(x, dtype=float32)", "x=input_x",
                    float32=dtypes.float32)
TupleToArray = _p("TupleToArray", casts.tuple_to_array)
Identity = _p("Identity", casts.identity)
StopGradient = _p("StopGradient", stop_gradient)
Assign = _p("Assign", assignment.assign)
AssignAdd = _p("AssignAdd", assignment.assign_add)
AssignSub = _p("AssignSub", assignment.assign_sub)
Depend = _p("Depend", scatter_update.depend)
Print = _p("Print", scatter_update.print_)
InvertPermutation = _p("InvertPermutation", general.invert_permutation)


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
        """The function, its first arguments given."""
        return functools.partial(*args)
