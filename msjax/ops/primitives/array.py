"""Array operators in class form: slices, blocks, segments, sparse, sampling, effects."""

# fmt: off
import functools
from typing import Any

from msjax.core import dtype as dtypes
from msjax.ops.array import (
    scattering,
    scattering_slices,
    searching,
    segments_sorted,
    sequence_mask,
    shapes,
    slicing,
    space_to_depth,
    stacking,
)
from msjax.ops.array.gathering import gather
from msjax.ops.common.adapters import primitive
from msjax.ops.math import casts
from msjax.ops.nn import candidate_sampling, dropout_masks
from msjax.ops.primitive_impl import python_scalars
from msjax.ops.random import distributions, fill
from msjax.ops.sparse import coo
from msjax.ops.state import scatter_update, side_effects, summaries

_p = functools.partial(primitive, module=__name__)

# ---------------------------------------------------------------------- joined, reversed, compared

ParallelConcat = _p("ParallelConcat", stacking.concat_parallel)
TensorToTuple = _p("TensorToTuple", stacking.to_tuple, "()", "(x)", "x=input_tensor")
ReverseSequence = _p("ReverseSequence", sequence_mask.reverse_sequence, "(seq_dim, batch_dim=0)")
RaggedRange = _p("RaggedRange", sequence_mask.ragged_range, "(Tsplits)")
ListDiff = _p("ListDiff", sequence_mask.list_diff, "(out_idx=int32)", int32=dtypes.int32)
EditDistance = _p("EditDistance", sequence_mask.edit_distance, "(normalize=True)")
NoRepeatNGram = _p("NoRepeatNGram", sequence_mask.no_repeat_ngram, "(ngram_size=1)")


def _identities(x: Any) -> tuple:
    """The Tensors of a tuple, each copied."""
    return tuple(map(casts.identity, x))


IdentityN = _p("IdentityN", _identities)
Reusing = _p("Reusing", casts.identity)
Expand = _p("Expand", shapes.broadcast_to, "()", "(x, shape)", "x=input")
TransposeView = _p("TransposeView", shapes.transpose, "()", "(input, input_perm)", "input_perm=dims")
TransposeExtView = _p("TransposeExtView", shapes.swapaxes, "()", "(input, dim0, dim1)", "dim0=axis0 dim1=axis1")
SelectView = _p("SelectView", slicing.selected, "()", "(input_tensor, input_indices, axis)",
                "input_tensor=input input_indices=index axis=dim")


# ---------------------------------------------------------------------- blocks and margins

SpaceToBatchND = _p("SpaceToBatchND", space_to_depth.space_to_batch_nd, "(block_shape, paddings)", "(input_x)",
                    "block_shape=block_size")
BatchToSpaceND = _p("BatchToSpaceND", space_to_depth.batch_to_space_nd, "(block_shape, crops)")
BatchToSpaceNDV2 = _p("BatchToSpaceNDV2", space_to_depth.batch_to_space_nd)
SpaceToBatch = _p("SpaceToBatch", space_to_depth.space_to_batch_nd, "(block_size, paddings)", "(x)", "x=input_x")
BatchToSpace = _p("BatchToSpace", space_to_depth.batch_to_space_nd, "(block_size, crops)", "(x)",
                  "block_size=block_shape x=input_x")
SpaceToDepth = _p("SpaceToDepth", space_to_depth.space_to_depth, "(block_size)")
DepthToSpace = _p("DepthToSpace", space_to_depth.depth_to_space, "(block_size)")
ChannelShuffle = _p("ChannelShuffle", space_to_depth.channel_shuffle, "(group)", "(x)", "group=groups")
DataFormatDimMap = _p("DataFormatDimMap", space_to_depth.dim_map, '(src_format="NHWC", dst_format="NCHW")')
DataFormatVecPermute = _p("DataFormatVecPermute", space_to_depth.vec_permute, '(src_format="NHWC", dst_format="NCHW")')
Padding = _p("Padding", space_to_depth.padding, "(pad_dim_size=8)")
PadV3 = _p("PadV3", space_to_depth.continued, '(mode="constant", paddings_contiguous=True)')

# ---------------------------------------------------------------------- slices replaced, elements found

ScatterSub = _p("ScatterSub", scatter_update.scatter_sub, "(use_locking=False)", fix="self.use_locking")
ScatterAddWithAxis = _p("ScatterAddWithAxis", scatter_update.scatter_add_with_axis, "(axis=0)")
ScatterNonAliasingAdd = _p("ScatterNonAliasingAdd", scatter_update.scatter_nd_add, "()", "(input_x, indices, updates)")
InplaceAdd = _p("InplaceAdd", scattering_slices.inplace_add, "(indices)", "(x, v)")
InplaceSub = _p("InplaceSub", scattering_slices.inplace_sub, "(indices)", "(x, v)")
InplaceUpdate = _p("InplaceUpdate", scattering_slices.inplace_update, "(indices)", "(x, v)")
InplaceUpdateV2 = _p("InplaceUpdateV2", scattering_slices.inplace_update, "()", "(x, indices, v)")
InplaceIndexAdd = _p("InplaceIndexAdd", scatter_update.inplace_index_add, "(axis)")
IndexPut = _p("IndexPut", scattering_slices.index_put, "(accumulate=0)")
MaskedScatter = _p("MaskedScatter", scattering.masked_scatter)
CopyWithSlice = _p("CopyWithSlice", scatter_update.copy_slice)
FillDiagonal = _p("FillDiagonal", scattering.fill_diagonal, "(fill_value, wrap=False)", "(input_x)", "input_x=input")
DiagPart = _p("DiagPart", scattering_slices.diag_part)
UnravelIndex = _p("UnravelIndex", searching.unravel_index)
UniqueWithPad = _p("UniqueWithPad", searching.unique_with_pad)
InTopK = _p("InTopK", searching.intopk, "(k)")
SubAndFilter = _p("SubAndFilter", searching.sub_and_filter)
MapUniform = _p("MapUniform", searching.map_uniform)
ComputeAccidentalHits = _p("ComputeAccidentalHits", searching.accidental_hits, "(num_true=1)")
SparseGatherV2 = _p("SparseGatherV2", gather, "()", "(params, indices, axis)", "params=input_params indices=input_indices")

# ---------------------------------------------------------------------- segments and sparse arrays

_XS = "()", "(input_x, segment_ids)"
SegmentSum = _p("SegmentSum", segments_sorted.segment_sum, *_XS)
SegmentProd = _p("SegmentProd", segments_sorted.segment_prod, *_XS)
SegmentMean = _p("SegmentMean", segments_sorted.segment_mean, *_XS)
SegmentMax = _p("SegmentMax", segments_sorted.segment_max, *_XS)
SegmentMin = _p("SegmentMin", segments_sorted.segment_min, *_XS)
Coalesce = _p("Coalesce", coo.coalesce)
SparseToDense = _p("SparseToDense", coo.filled, "()", "(indices, values, dense_shape)", "dense_shape=shape")
SparseTensorDenseMatmul = _p("SparseTensorDenseMatmul", coo.sparse_matmul, "(adjoint_st=False, adjoint_dt=False)",
                             "(indices, values, sparse_shape, dense)")
SparseTensorDenseAdd = _p("SparseTensorDenseAdd", coo.sparse_dense_add)
SparseSlice = _p("SparseSlice", coo.sparse_slice)

# ---------------------------------------------------------------------- random

DropoutGenMask = _p("DropoutGenMask", dropout_masks.mask_of_bits, "(Seed0=0, Seed1=0)", "(shape, keep_prob)")
DropoutDoMask = _p("DropoutDoMask", dropout_masks.masked_by_bits)
Cauchy = _p("Cauchy", fill.cauchy, "(size, median=0.0, sigma=1.0)")
LogNormalReverse = _p("LogNormalReverse", fill.log_normal_like, "(mean=1.0, std=2.0)", "(input)")
MultinomialWithReplacement = _p("MultinomialWithReplacement", distributions.multinomial_with_replacement,
                                "(numsamples, replacement=False)", "(x, seed, offset)")
NonDeterministicInts = _p("NonDeterministicInts", candidate_sampling.any_integers, "(dtype=int64)", int64=dtypes.int64)
ParameterizedTruncatedNormal = _p("ParameterizedTruncatedNormal", candidate_sampling.parameterized_truncated_normal,
                                  "(seed=0, seed2=0)")
RandomChoiceWithMask = _p("RandomChoiceWithMask", candidate_sampling.choice_with_mask, "(count=256, seed=0, seed2=0)",
                          "(input_x)", fix="self.seed2")
Randperm = _p("Randperm", candidate_sampling.permuted, "(max_length=1, pad=-1, dtype=int32)", "(n)", int32=dtypes.int32)
UniformCandidateSampler = _p("UniformCandidateSampler", candidate_sampling.uniform_candidate_sampler,
                             "(num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits=False)")
LogUniformCandidateSampler = _p("LogUniformCandidateSampler", candidate_sampling.log_uniform_candidate_sampler,
                                "(num_true=1, num_sampled=5, unique=True, range_max=5, seed=0)")

# ---------------------------------------------------------------------- plain values and effects

DType = _p("DType", python_scalars.dtype)
ScalarToArray = _p("ScalarToArray", python_scalars.scalar_to_array)
Assert = _p("Assert", side_effects.check, "(summarize=3)")
ScalarSummary = _p("ScalarSummary", summaries.scalar_summary)
TensorSummary = _p("TensorSummary", summaries.tensor_summary)
ImageSummary = _p("ImageSummary", summaries.image_summary)
HistogramSummary = _p("HistogramSummary", summaries.histogram_summary)
TensorDump = _p("TensorDump", side_effects.tensordump, '(input_output="out")', "(file, input_x)",
                "input_output=mode file=file_name input_x=tensor")
UpdateState = _p("UpdateState", side_effects.update_state, "()", "(*args)")
MoveTo = _p("MoveTo", side_effects.move_to, "()", '(input, to="CPU", blocking=True)')
