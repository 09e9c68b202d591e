"""Array operators in class form: slices, blocks, segments, sparse, sampling, effects."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.ops.common.name_table import attach_classes
from msjax.ops.math import casts

ROWS = """
# joined, reversed, compared
array.stacking: ParallelConcat=concat_parallel
IdentityN(...) -> _identities
math.casts: Reusing=identity
TensorToTuple(x: input_tensor) -> array.stacking.to_tuple
ReverseSequence(seq_dim, batch_dim=0)(...) -> array.sequence_mask.reverse_sequence
RaggedRange(Tsplits)(...) -> array.sequence_mask.ragged_range
ListDiff(out_idx=int32)(...) -> array.sequence_mask.list_diff
EditDistance(normalize=True)(...) -> array.sequence_mask.edit_distance
NoRepeatNGram(ngram_size=1)(...) -> array.sequence_mask.no_repeat_ngram
Expand(x: input, shape) -> array.shapes.broadcast_to
TransposeView(input, input_perm: dims) -> array.shapes.transpose
TransposeExtView(input, dim0: axis0, dim1: axis1) -> array.shapes.swapaxes
SelectView(input_tensor: input, input_indices: index, axis: dim) -> array.slicing.selected

# blocks and margins
array.space_to_depth: BatchToSpaceNDV2=batch_to_space_nd
SpaceToBatchND(block_shape: block_size, paddings)(input_x) -> array.space_to_depth.space_to_batch_nd
BatchToSpaceND(block_shape, crops)(...) -> array.space_to_depth.batch_to_space_nd
SpaceToBatch(block_size, paddings)(x: input_x) -> array.space_to_depth.space_to_batch_nd
BatchToSpace(block_size: block_shape, crops)(x: input_x) -> array.space_to_depth.batch_to_space_nd
SpaceToDepth(block_size)(...) -> array.space_to_depth.space_to_depth
DepthToSpace(block_size)(...) -> array.space_to_depth.depth_to_space
ChannelShuffle(group: groups)(x) -> array.space_to_depth.channel_shuffle
DataFormatDimMap(src_format='NHWC', dst_format='NCHW')(...) -> array.space_to_depth.dim_map
DataFormatVecPermute(src_format='NHWC', dst_format='NCHW')(...) -> array.space_to_depth.vec_permute
Padding(pad_dim_size=8)(...) -> array.space_to_depth.padding
PadV3(mode='constant', paddings_contiguous=True)(...) -> array.space_to_depth.continued

# slices replaced, elements found
array.scattering: MaskedScatter=masked_scatter
state.scatter_update: CopyWithSlice=copy_slice
array.scattering_slices: DiagPart=diag_part
array.searching: UnravelIndex=unravel_index UniqueWithPad=unique_with_pad SubAndFilter=sub_and_filter MapUniform=map_uniform
ScatterSub(use_locking: _ = False)(...) -> state.scatter_update.scatter_sub
ScatterAddWithAxis(axis=0)(...) -> state.scatter_update.scatter_add_with_axis
ScatterNonAliasingAdd(input_x, indices, updates) -> state.scatter_update.scatter_nd_add
InplaceAdd(indices)(x, v) -> array.scattering_slices.inplace_add
InplaceSub(indices)(x, v) -> array.scattering_slices.inplace_sub
InplaceUpdate(indices)(x, v) -> array.scattering_slices.inplace_update
InplaceUpdateV2(x, indices, v) -> array.scattering_slices.inplace_update
InplaceIndexAdd(axis)(...) -> state.scatter_update.inplace_index_add
IndexPut(accumulate=0)(...) -> array.scattering_slices.index_put
FillDiagonal(fill_value, wrap=False)(input_x: input) -> array.scattering.fill_diagonal
InTopK(k)(...) -> array.searching.intopk
ComputeAccidentalHits(num_true=1)(...) -> array.searching.accidental_hits
SparseGatherV2(params: input_params, indices: input_indices, axis) -> array.gathering.gather

# segments and sparse arrays
sparse.coo: Coalesce=coalesce SparseTensorDenseAdd=sparse_dense_add SparseSlice=sparse_slice
SegmentSum(input_x, segment_ids) -> array.segments_sorted.segment_sum
SegmentProd(input_x, segment_ids) -> array.segments_sorted.segment_prod
SegmentMean(input_x, segment_ids) -> array.segments_sorted.segment_mean
SegmentMax(input_x, segment_ids) -> array.segments_sorted.segment_max
SegmentMin(input_x, segment_ids) -> array.segments_sorted.segment_min
SparseToDense(indices, values, dense_shape: shape) -> sparse.coo.filled
SparseTensorDenseMatmul(adjoint_st=False, adjoint_dt=False)(indices, values, sparse_shape, dense) ->
    sparse.coo.sparse_matmul

# random
nn.dropout_masks: DropoutDoMask=masked_by_bits
DropoutGenMask(Seed0: _ = 0, Seed1: _ = 0)(shape, keep_prob) -> nn.dropout_masks.mask_of_bits
Cauchy(size, median=0.0, sigma=1.0)(...) -> random.fill.cauchy
LogNormalReverse(mean=1.0, std=2.0)(input) -> random.fill.log_normal_like
MultinomialWithReplacement(numsamples, replacement=False)(x, seed, offset) ->
    random.distributions.multinomial_with_replacement
    seed, offset = int(seed), int(offset)
    with self.drawing(seed, offset): return _target(x, seed, offset, self.numsamples, self.replacement)
NonDeterministicInts(dtype=int64)(...) -> nn.candidate_sampling.any_integers
ParameterizedTruncatedNormal(seed: _ = 0, seed2: _ = 0)(...) -> nn.candidate_sampling.parameterized_truncated_normal
RandomChoiceWithMask(count=256, seed: _ = 0, seed2: _ = 0)(input_x) -> nn.candidate_sampling.choice_with_mask
Randperm(max_length=1, pad=-1, dtype=int32)(n) -> nn.candidate_sampling.permuted
UniformCandidateSampler(num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits=False)(...) ->
    nn.candidate_sampling.uniform_candidate_sampler
LogUniformCandidateSampler(num_true=1, num_sampled=5, unique=True, range_max=5, seed=0)(...) ->
    nn.candidate_sampling.log_uniform_candidate_sampler
    with self.drawing(self.seed, fixed=True):
        return _target(true_classes, self.num_true, self.num_sampled, self.unique, self.range_max, self.seed)

# plain values and effects
primitive_impl.python_scalars: DType=dtype ScalarToArray=scalar_to_array
state.summaries: ScalarSummary=scalar_summary TensorSummary=tensor_summary ImageSummary=image_summary
    HistogramSummary=histogram_summary
Assert(summarize=3)(...) -> state.side_effects.check
TensorDump(input_output: mode = 'out')(file: file_name, input_x: tensor) -> state.side_effects.tensordump
UpdateState(*args) -> state.side_effects.update_state
MoveTo(input, to='CPU', blocking=True) -> state.side_effects.move_to
"""

__getattr__, __dir__ = attach_classes(__name__, ROWS, int32=dtypes.int32, int64=dtypes.int64)


def _identities(x: Any) -> tuple:
    """Return the Tensors of a tuple, each copied."""
    return tuple(map(casts.identity, x))
