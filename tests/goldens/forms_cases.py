"""Expressions over arrays in function, class and method form, recorded and tested."""

from collections.abc import Callable
from typing import Any

import numpy as np
from snippets import isolate

SPARSE = """
c | c.shape, c.dtype, c.size, c.itemsize, c.ndim | c.to_dense() | c.to_tuple() | c.abs() | c.astype(ms.float16) | -c
c + e | c - e | c.add(e, T(3.0)) | c.coalesce() | c * T(np.full((3, 4), 3, np.float32))
c / T(np.full((3, 4), 2, np.float32)) | c + T(np.ones((3, 4), np.float32)) | ms.COOTensor(coo_tensor=c)
ms.COOTensor(I, V, (3,)) | ms.COOTensor(I, T([1.0]), (3, 4)) | ms.COOTensor(I, V, [3, 4]) | ms.COOTensor(I, 2.0, (3, 4))
ms.COOTensor(I, V, (3, -4)) | ms.COOTensor(indices=I, values=V, shape=(3, 4), coo_tensor=c) | ms.COOTensor()
ms.COOTensor(T([[0, 1], [0, 1]]), V, (3, 4)).to_dense()
ms.COOTensor(T([[0, 1], [0, 1], [0, 0]]), T([1.0, 2.0, 3.0]), (3, 4)).coalesce() | s
s.shape, s.dtype, s.size, s.itemsize, s.ndim | s.to_dense() | s.to_tuple() | s.abs() | s.astype(ms.float16) | -s | s + s
s - s | s.add(s, T(1.0), T(2.0)) | s.sum(0) | s.sum(2) | ms.CSRTensor(csr_tensor=s)
ms.CSRTensor(s.indptr, s.indices, V, [3, 4]) | ms.CSRTensor(T([0, 1], ms.int32), s.indices, V, (3, 4))
ms.CSRTensor(s.indptr, T([1], ms.int32), V, (3, 4)) | ms.CSRTensor(s.indptr, s.indices, V, (3,))
ms.CSRTensor(T([0.0, 1.0, 2.0, 2.0]), s.indices, V, (3, 4))
ms.RowTensor(T([0], ms.int32), T([[1.0, 2.0]]), (3, 2)).dense_shape | ms.SparseTensor(I, V, (3, 4)).values
ops.coo_concat([c, c]) | ops.coo_concat([c, e], 1) | ops.coo_concat((c, c), -1) | ops.coo_concat([c], 0)
ops.coo_add(c, e, T(0.0)) | ops.csr_add(s, s, T(1.0), T(1.0)) | ops.coo_tensor_get_dense_shape(c)
ops.csr_tensor_get_indptr(s) | ops.coo_tensor_get_indices(c) | ops.csr_tensor_get_values(s) | ops.dense_to_sparse_coo(D)
ops.dense_to_sparse_csr(D) | D.to_coo() | D.to_csr() | ops.dense_to_sparse_coo(T(np.ones((1, 2, 2))))
ops.dense_to_sparse_csr(T([1.0])) | ops.dense_to_sparse_coo(1.0) | ops.csr_to_dense(s) | ops.csr_to_dense(c)
ops.csr_to_dense(ms.CSRTensor(s.indptr, s.indices, T([1, 2]), (3, 4))) | ops.coo_sin(c) | ops.coo_isnan(c)
ops.csr_exp(s) | ops.csr_isfinite(s) | ops.csr_softsign(s) | ops.coo_sigmoid(c) | ops.coo_sin(s) | ops.csr_sin(c)
ops.SparseTensorDenseMatmul()(I, V, (3, 4), T(np.arange(8.0).reshape(4, 2), ms.float32))
ops.SparseTensorDenseMatmul(adjoint_st=True)(I, V, (3, 4), T(np.arange(6.0).reshape(3, 2), ms.float32))
ops.SparseTensorDenseMatmul(False, True)(I, V, (3, 4), T(np.arange(8.0).reshape(2, 4), ms.float32))
ops.SparseTensorDenseAdd()(I, V, T([3, 4]), T(np.ones((3, 4), np.float32)))
ops.SparseTensorDenseAdd()(I, V, (3, 4), T(np.ones((3, 4), np.float32))) | ops.SparseToDense()(I, V, (3, 4))
ops.SparseSlice()(I, V, T([3, 4]), T([0, 1]), T([1, 3])) | ops.SparseSlice()(I, V, T([3, 4]), T([1, 1]), T([9, 9]))
ops.coalesce(T([[0, 0, 1], [1, 1, 2]]), T([1.0, 5.0, 4.0]), T([3, 3]))
ops.Coalesce()(T([[1, 0], [0, 0]]), T([1.0, 5.0]), T([3, 3]))
ops.sparse_segment_mean(x34, T([0, 2, 1], ms.int32), T([0, 0, 2], ms.int32))
"""

JOINING = """
ops.column_stack((v, v)) | ops.column_stack([x, x]) | ops.column_stack((T(1.0), T(2.0))) | ops.column_stack(x)
ops.column_stack([]) | ops.dstack([v, v]) | ops.dstack([x, x]) | ops.dstack((T(1.0), T(2.0))) | ops.dstack(v)
ops.row_stack([v, v]) | ops.row_stack([x, x]) | ops.hsplit(x, 3) | ops.hsplit(x, (1, 2)) | ops.hsplit(v, 3)
ops.vsplit(x, 2) | ops.vsplit(x, [1]) | ops.vsplit(v, 3) | ops.dsplit(z, 2) | ops.dsplit(z, (1, 3)) | ops.dsplit(x, 2)
ops.hsplit(x, 2) | ops.ParallelConcat()([x[:1], x[1:]]) | ops.IdentityN()((x, v)) | ops.TensorToTuple()(v)
ops.reverse(x, [1]) | ops.reverse(x, 0) | x.reverse([0, 1]) | ops.reverse(x, (2,)) | ops.reverse_sequence(z, T([1, 2]), 1)
ops.reverse_sequence(z, T([2, 3]), 1, 0) | ops.reverse_sequence(z, T([0, 4, 2]), 2, 1)
ops.ReverseSequence(1)(z, T([1, 2], ms.int32)) | ops.reverse_sequence(z, T([1, 2, 3]), 1)
ops.reverse_sequence(x, T([1, 2]), 0, 0) | ops.reverse_sequence(i, T([1, 2]), 1) | x.reverse_sequence(T([1, 2, 0]), 0, 1)
ops.reverse_sequence(z, T([1.0, 2.0]), 1) | ops.sequence_mask(T([1, 3])) | ops.sequence_mask(T([1, 3]), 4)
ops.sequence_mask(T([[1, 3], [2, 0]])) | ops.sequence_mask(T([1, 3], ms.int32), 2) | ops.sequence_mask(T([1.5]))
ops.sequence_mask(T([1, 2]), 2.5) | ops.sequence_mask(T([1, 2]), -1)
"""

DIAGONALS = """
ops.diagflat(v) | ops.diagflat(v, 1) | ops.diagflat(x, -1) | ops.diagflat(T(2.0)) | v.diagflat(2) | ops.diagflat(v, 1.5)
ops.diagonal_scatter(q, v) | ops.diagonal_scatter(q, v[:2], 1) | ops.diagonal_scatter(q, v[:2], -1)
ops.diagonal_scatter(q, v, 1) | ops.diagonal_scatter(z, T(np.ones((4, 2), np.float32)))
ops.diagonal_scatter(z, T(np.ones((2, 3), np.float32)), 0, 1, 2) | q.diagonal_scatter(v, 0, 1, 0)
ops.slice_scatter(q, T(np.ones((1, 3), np.float32)), 0, 1, 2)
ops.slice_scatter(q, T(np.ones((3, 2), np.float32)), 1, 0, 3, 2) | ops.slice_scatter(q, q * 2)
ops.slice_scatter(q, T(np.ones((3, 1), np.float32)), -1, -1) | q.slice_scatter(T(np.ones((2, 3), np.float32)), start=1)
ops.slice_scatter(q, v, 0, 1, 2) | ops.slice_scatter(q, q, 0, 0, 3, -1)
ops.slice_scatter(q, T(np.ones((2, 3), np.float32)), 0, 0, 9, 2) | ops.slice_scatter(q, i[:, :3], 0, 0, 2)
ops.DiagPart()(q) | ops.DiagPart()(T(np.arange(16.0).reshape(2, 2, 2, 2))) | ops.DiagPart()(x) | ops.FillDiagonal(9.0)(q)
ops.FillDiagonal(9.0, True)(T(np.zeros((5, 2), np.float32))) | ops.FillDiagonal(9.0)(v) | ops.TransposeView()(x, (1, 0))
ops.TransposeExtView()(z, 0, 1) | ops.SelectView()(x, 1, 0)
"""

BLOCKS = """
ops.space_to_batch_nd(img, [2, 2], [[0, 0], [0, 0]]) | ops.space_to_batch_nd(img, [2, 2], [[1, 1], [0, 2]])
ops.space_to_batch_nd(img, 2, [[0, 0], [0, 0]]) | ops.space_to_batch_nd(img, [2], [[0, 0]])
ops.space_to_batch_nd(img, [3, 2], [[0, 0], [0, 0]]) | ops.space_to_batch_nd(img, [2, 2], [[0, 0]])
ops.batch_to_space_nd(b4, [2, 2], [[0, 0], [0, 0]]) | ops.batch_to_space_nd(b4, [2, 2], [[1, 0], [0, 1]])
ops.batch_to_space_nd(b4, 2, [[0, 0], [0, 0]]) | ops.batch_to_space_nd(b4, [3, 2], [[0, 0], [0, 0]])
ops.SpaceToBatchND([2, 2], [[0, 0], [0, 0]])(img) | ops.BatchToSpaceND([2, 2], [[0, 0], [0, 0]])(b4)
ops.BatchToSpaceNDV2()(b4, T([2, 2]), T([[0, 0], [0, 1]])) | ops.SpaceToBatch(2, [[0, 0], [0, 0]])(img)
ops.BatchToSpace(2, [[0, 0], [0, 0]])(b4) | ops.BatchToSpace(2, [[0, 1], [1, 0]])(b4)
ops.SpaceToBatch(3, [[0, 0], [0, 0]])(img) | ops.SpaceToDepth(2)(img)
ops.DepthToSpace(2)(T(np.arange(16.0).reshape(1, 4, 2, 2), ms.float32)) | ops.SpaceToDepth(3)(img)
ops.DepthToSpace(2)(img) | ops.SpaceToDepth(2)(x) | ops.SpaceToDepth(1)(img) | ops.DepthToSpace(2.5)(img)
ops.pixel_shuffle(T(np.arange(16.0).reshape(1, 4, 2, 2), ms.float32), 2) | ops.pixel_unshuffle(img, 2)
ops.pixel_shuffle(img, 3) | ops.pixel_unshuffle(img, 3) | ops.pixel_shuffle(v, 2) | ops.channel_shuffle(b4, 1)
ops.channel_shuffle(T(np.arange(16.0).reshape(1, 4, 2, 2), ms.float32), 2) | ops.channel_shuffle(img, 3)
ops.DataFormatDimMap()(T([0, 1, 2, 3], ms.int32)) | ops.DataFormatDimMap()(T([-4, -1], ms.int32))
ops.DataFormatDimMap("NCHW", "NHWC")(T([0, 1, 2, 3], ms.int32)) | ops.DataFormatVecPermute()(T([1, 2, 3, 4], ms.int32))
ops.DataFormatVecPermute("NCHW", "NHWC")(T([[1, 2], [3, 4], [5, 6], [7, 8]], ms.int32))
ops.DataFormatVecPermute()(T([1, 2], ms.int32)) | ops.DataFormatVecPermute("HWNC", "NCHW")(T([1, 2, 3, 4], ms.int32))
ops.Padding(4)(T([[1.0], [2.0]])) | ops.padding(T([[1.0], [2.0]]), 3) | ops.padding(v, 3)
ops.padding(T([[1.0], [2.0]]), 0) | ops.padding(T([[1.0], [2.0]])) | ops.PadV3()(x, T([1, 1]), T(9.0))
ops.PadV3()(x, (1, 0, 0, 2)) | ops.PadV3()(x, T([1, 0, 0, 2]), T(9.0)) | ops.PadV3(mode="reflect")(z, T([1, 2]))
ops.PadV3(mode="edge")(z, T([1, 2])) | ops.PadV3(mode="reflect", paddings_contiguous=False)(img, T([1, 0, 2, 1]))
ops.PadV3(mode="circular")(z, T([1, 2])) | ops.PadV3("edge")(img, T([1, 0, 2, 1])) | ops.Expand()(v, T([2, 3]))
ops.Expand()(T([[1.0], [2.0]]), T([2, 4])) | ops.Expand()(v, T([2, 4])) | ops.BroadcastTo((2, 3))(v)
"""

PICKING = """
ops.scatter_add(P0, T([1, 0, 1], ms.int32), T(np.ones((3, 3), np.float32)))
after(P0, ops.ScatterSub()(P0, T([1, 0, 1], ms.int32), T(np.ones((3, 3), np.float32))))
ops.ScatterSub()(P0, T([1.0]), x[:1]) | ops.ScatterSub()(P0, T([1], ms.int32), x)
after(P0, ops.ScatterAddWithAxis()(P0, T([[1, 0, 1]], ms.int32), T([[1.0, 2.0, 3.0]])))
after(P0, ops.ScatterAddWithAxis(1)(P0, T([[2], [0]], ms.int32), T([[1.0], [2.0]])))
after(PV, ops.ScatterNonAliasingAdd()(PV, T([[1], [2]], ms.int32), T([5.0, 6.0])))
ops.inplace_add(x, T([[1.0, 1.0, 1.0]]), 1) | ops.inplace_add(x, x, (1, 0))
ops.inplace_sub(x, T([[1.0, 1.0, 1.0]]), (0,)) | ops.inplace_update(x, T([[9.0, 9.0, 9.0]]), (1,))
ops.inplace_update(x, T([[9.0, 9.0, 9.0]]), 0) | ops.inplace_add(x, v, 1) | ops.inplace_add(x, x, (0, 5))
ops.inplace_update(x, i, (0, 1)) | after(x, ops.inplace_update(x, T([[9.0, 9.0, 9.0]]), (1,)))
ops.InplaceAdd((0, 1))(x, x) | ops.InplaceSub((0, 1))(x, x) | ops.InplaceUpdate((0, 1))(x, -x)
ops.InplaceUpdateV2()(x, (0, 1), -x)
after(P0, ops.inplace_index_add(P0, T([1, 1], ms.int32), T(np.ones((2, 3), np.float32)), 0))
after(P0, ops.inplace_index_add(P0, T([2, 0], ms.int32), T(np.ones((2, 2), np.float32)), 1))
after(P0, ops.InplaceIndexAdd(1)(P0, T([2], ms.int32), T([[5.0], [6.0]]))) | x.inplace_update(T([[9.0, 9.0, 9.0]]), (1,))
ops.IndexPut()(x, T([5.0]), [T([0, 1]), T([1, 2])]) | ops.IndexPut(1)(x, T([5.0]), [T([0, 0]), T([1, 1])])
ops.IndexPut()(x, T([5.0, 6.0, 7.0]), [T([1])]) | ops.MaskedScatter()(x, x > 2, T([7.0, 8.0, 9.0]))
ops.UnravelIndex()(T([3, 5]), T([2, 3])) | ops.UnravelIndex()(T(4), T([2, 3])) | ops.UnravelIndex()(T([9]), T([2, 3]))
ops.ListDiff()(T([1, 2, 3, 4, 5]), T([1, 3])) | ops.ListDiff(out_idx=ms.int64)(T([1.0, 2.0, 1.0]), T([3.0]))
ops.ListDiff()(x, v) | ops.unique_with_pad(T([1, 2, 2, 3]), 0) | ops.unique_with_pad(T([3.0, 1.0, 3.0]), T(9.0))
ops.UniqueWithPad()(T([1, 1]), 8) | T([5, 5, 4]).unique_with_pad(0) | ops.unique_with_pad(x, 0.0) | ops.top_k(x, 2)
ops.top_k(v, 1, False) | x.top_k(2) | ops.top_k(x, 2.5) | ops.top_k(x, 4)
ops.SparseGatherV2()(x, T([1, 0], ms.int32), 1) | ops.SubAndFilter()(T([1, 3, 5, 8, 2]), 9, 4)
ops.MapUniform()(T([0, 1, 2, 3, 4, 5, 6, 7], ms.int32), T(4, ms.int32), T(2, ms.int32))
ops.SegmentSum()(x34, T([0, 0, 2, 2], ms.int32)) | ops.SegmentMean()(x34, T([0, 0, 2, 2], ms.int32))
ops.SegmentMax()(x34, T([0, 0, 2, 2], ms.int32)) | ops.SegmentMin()(x34, T([0, 0, 2, 2], ms.int32))
ops.SegmentProd()(x34, T([0, 0, 2, 2], ms.int32)) | ops.SegmentSum()(x34, T([0, 1], ms.int32))
ops.SegmentSum()(x34, T([1, 0, 0, 0], ms.int32)) | ops.SegmentMax()(T([3, 1, 2], ms.int32), T([0, 1, 1]))
ops.RaggedRange(Tsplits=ms.int64)(T([2, 5, 8], ms.int32), T([3, 5, 12], ms.int32), T([1, 1, 1], ms.int32))
ops.RaggedRange(ms.int32)(T([0.0, 5.0]), T([1.0, 3.0]), T([0.5, -1.0]))
ops.EditDistance()(T([[0, 0, 0], [1, 0, 1], [1, 1, 1]]), T([1.0, 2.0, 3.0]), T([2, 2, 2]), T([[0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1]]), T([1.0, 2.0, 3.0, 1.0]), T([2, 2, 2]))
ops.EditDistance(normalize=False)(T([[0, 0, 0], [1, 0, 1], [1, 1, 1]]), T([1.0, 2.0, 3.0]), T([2, 2, 2]), T([[0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1]]), T([1.0, 2.0, 3.0, 1.0]), T([2, 2, 2]))
ops.EditDistance()(T([[0, 0], [0, 1], [0, 2], [1, 0]]), T([1, 2, 3, 4]), T([2, 3]), T([[0, 0], [0, 1], [1, 0]]), T([1, 3, 4]), T([2, 3]))
ops.CopyWithSlice()(P0, x)
ops.NoRepeatNGram(2)(T([[[1, 2, 1, 2, 5, 1, 2]]], ms.int32), T(np.ones((1, 1, 7), np.float32)))
ops.ComputeAccidentalHits()(T([[1], [2]]), T([2, 1, 5]))
ops.ComputeAccidentalHits(2)(T([[1, 2], [0, 4], [3, 3]]), T([0, 1, 2, 3, 4]))
x.scatter_sub(T([[0, 1]], ms.int32), T([1.0])) | x.scatter_mul(T([[0], [1]], ms.int32), T(np.full((2, 3), 2, np.float32)))
x.scatter_div(T([[0]], ms.int32), T([[2.0, 2.0, 2.0]])) | x.scatter_max(T([[0, 0]], ms.int32), T([9.0]))
x.scatter_min(T([[1, 1]], ms.int32), T([-1.0])) | x34.unsorted_segment_max(T([0, 0, 2, 1], ms.int32), 3)
x34.unsorted_segment_min(T([0, 0, 2, 1], ms.int32), 3) | x34.unsorted_segment_prod(T([0, 0, 2, 1], ms.int32), 3)
"""

PLAIN = """
ops.intopk(K, T([2, 1, 1, 0], ms.int32), 2) | ops.intopk(K, T([1, 0, 0, 4]), 3) | ops.InTopK(2)(K, T([0, 1, 9, 1])) | ops.intopk(K, T([0, 1]), 2)
ops.intopk(K, T([0.0, 1.0, 1.0, 1.0]), 2) | ops.tuple_div((4, 6), (2, 3)) | ops.hyper_add((1, 2), (3, 4)) | ops.augassign_add(1, 2) | ops.switch(True, 1, 2)
ops.DType()(x) | ops.dtype(x) | ops.dtype(i) | ops.dtype(2) | ops.shape_(x) | ops.scalar_to_array(2.0)
ops.ScalarToArray()(3) | ops.identity(x) | ops.identity(2) | ops.Identity()(x) | ops.reshape_(x, (3, 2))
ops.Reusing()(x) | ops.tensor_slice(x, (0, 1), (2, 1)) | ops.tensor_range(T(0), T(4), T(2)) | ops.stop_gradient_(x)
ops.zero_(x) | ops.tanh_(x) | ops.clamp_(x, 1, 3) | ops.isconstant(2) | ops.mixed_precision_cast(ms.float16, x)
ops.mixed_precision_cast(ms.float16, (x, i)) | ops.shape_mul((2, 3)) | ops.scalar_add(1, 2.5) | ops.scalar_log(1.0)
ops.scalar_sub(5, 2) | ops.scalar_mul(3, 2) | ops.scalar_div(3, 2) | ops.scalar_floordiv(7, 2) | ops.scalar_mod(7, 3)
ops.scalar_pow(2, 3) | ops.scalar_eq(1, 1.0) | ops.scalar_lt(1, 2) | ops.scalar_uadd(3) | ops.scalar_usub(3)
ops.scalar_max(3, 4) | ops.scalar_min(3, 4) | ops.Assert()(T(True), [x]) | ops.Assert()(True, [x])
ops.Assert()(T(False), [x]) | ops.UpdateState()(x) | ops.ScalarSummary()("s", T(1.0)) | ops.TensorSummary()("t", x)
ops.ImageSummary()("i", img) | ops.HistogramSummary()("h", x) | ops.ScalarSummary()("s", x) | ops.TensorSummary()(1, x)
ops.TupleToArray()((1, 2, 3)) | ops.move_to(x) | ops.move_to(x, "CPU") | ops.MoveTo()(x, "CPU", True)
ops.PyFunc(np.sin, (x.dtype,), (x.shape,), (x.dtype,), (x.shape,))(x) | x.H | z.mT | v.H
T(np.array([[1 + 1j, 2], [3, 4j]], np.complex64)).H | T(np.array([[1 + 1j, 2], [3, 4j]], np.complex64)).mH
T(np.array([[1 + 1j, 2], [3, 4j]], np.complex64)).adjoint() | x.adjoint() | x.view(ms.int32) | i.view(ms.float32)
h.view(ms.int16) | x.view(ms.float16) | x.view(ms.int64) | x.view(dtype=ms.int32) | B - B | B + B | B * B | -B | ~B
B & B | x @ 2 | 2 @ x | x @ "a" | x & x | i & x | i & T([1, 2]) | x & T([True]) | i | B | B ^ 1 | B & 1 | i ^ True
B << 1 | i >> 1 | x << 1 | i & 1.5 | x % None | x + None | x + "a" | x * (1, 2, 3) | x + [1, 2, 3] | x == [1] | x < None
B < B | B // B | B % B | B ** 2 | B / B | abs(B) | i // 0.0 | x.data_ptr() != 0 | x.is_meta | x.is_pinned()
x.is_shared() | x.is_init() | x.init_flag | x.virtual_flag | x.param_info | x.hooks() | x.storage().size()
x.untyped_storage().size() | x.delta_seed | x.index_of_parent_ | x.parent_tensor_ | x.init_finished | x.symbolic_shape
x.data_sync() | x.flush_from_cache() | x.offload() | x.offload_file_path() | x.move_to("CPU") | x.pin_memory()
x.wait_pipeline() | x.set_const_arg() | x.set_cast_dtype() | x.is_contiguous() | x.stride() | x.strides | x.nbytes
x.itemsize | x.tolist() | x.storage_offset() | x.contiguous() | x.ndimension() | x.dim() | x.numel() | x.nelement()
x.device | x.get_bytes() | x.has_init
ms.Tensor.convert_bytes_to_tensor(x.get_bytes(), x.shape, x.dtype).asnumpy().tolist() | x.approximate_equal(x)
x.soft_shrink() | x.hardshrink() | v.ger(v) | x.xdivy(x) | x.inv() | x.logit() | x.log_normal().shape
v.multinomial(4).shape | x.uniform().shape | x.random_categorical(3).shape | T([0.5]).bernoulli().shape
after(x, x.set_(v)).shape | after(x, x.normal_()).shape | after(x, x.uniform_()).shape | after(x, x.random_()).shape
after(x, x.bernoulli_(1.0)) | after(x, x.exponential_()).shape | x.cauchy().shape | after(x, x.addmm_(x @ x.T, x))
x.copysign(-x) | x.heaviside(v) | x.index(0) | x.diff() | x.to_("CPU")
"""

# Each with the values at which it is asked: inside of what it is defined for.
SMALL, ABOVE, SIGNED = "0.25, -0.5", "1.5, 3.25", "-1.75, 2.5"
ELEMENTWISE = {
    "abs": SIGNED, "acos": SMALL, "acosh": ABOVE, "asin": SMALL, "asinh": SIGNED, "atan": SIGNED, "atanh": SMALL,
    "ceil": SIGNED, "cos": SIGNED, "cosh": SIGNED, "exp": SIGNED, "expm1": SIGNED, "floor": SIGNED, "inv": SIGNED,
    "isfinite": "np.inf, 1.0", "isinf": "np.inf, 1.0", "isnan": "np.nan, 1.0", "log": ABOVE, "log1p": ABOVE, "neg": SIGNED,
    "relu": SIGNED, "relu6": "-1.0, 7.5", "round": "-1.5, 2.5", "sigmoid": SIGNED, "sin": SIGNED, "sinh": SIGNED,
    "softsign": SIGNED, "sqrt": ABOVE, "square": SIGNED, "tan": SMALL, "tanh": SIGNED,
}  # fmt: skip
SPARSE_NAMES = " | ".join(
    f"through_{kind}(ops.{kind}_{name}, {values})"
    for kind in ("coo", "csr")
    for name, values in ELEMENTWISE.items()
) + """
ops.coo_tensor_get_values(c) | ops.csr_tensor_get_dense_shape(s) | ops.csr_tensor_get_indices(s) | ops.csr_to_coo(s)
"""

GROUPS = {
    "sparse": SPARSE, "sparse names": SPARSE_NAMES, "joining": JOINING, "diagonals": DIAGONALS, "blocks": BLOCKS, "picking": PICKING, "plain": PLAIN,
}  # fmt: skip


def expressions(group: str) -> list[str]:
    """The expressions of a group, each once."""
    parts = (code.strip() for code in GROUPS[group].replace("\n", " | ").split(" | "))
    return list(dict.fromkeys(code for code in parts if code))


def names(ms: Any) -> dict[str, Any]:
    """Return the values that the expressions are made of, anew for each; `ms` is the framework."""

    def tensor(value: Any, dtype: Any = None) -> Any:
        made = np.array(value)
        made = made.astype(np.float32) if made.dtype == np.float64 else made
        return ms.Tensor(made) if dtype is None else ms.Tensor(made, dtype)

    def after(box: Any, result: Any) -> Any:
        return result, box

    def through(make: Callable) -> Callable:
        """The result of an operator on a sparse Tensor, its dtype for float16, and the gradient by its values."""

        def give(f: Callable, *numbers: float) -> Any:
            values = tensor(numbers)
            found = [f(make(values)), f(make(values.astype(ms.float16))).dtype]
            if found[0].values.dtype == ms.float32:
                found.append(ms.grad(lambda v: f(make(v)).values.sum())(values))
            return found

        return give

    order: Callable = np.arange
    x = tensor(order(6.0).reshape(2, 3))
    I, V = tensor([[0, 1], [1, 2]]), tensor([1.0, 2.0])  # noqa: E741
    return {
        "ms": ms, "np": np, "ops": ms.ops, "T": tensor, "after": after, "x": x, "v": tensor([1.0, 2.0, 3.0]), "I": I, "V": V,
        "i": ms.Tensor(order(6).reshape(2, 3).astype(np.int32)), "h": ms.Tensor(order(4).astype(np.float16)),
        "B": tensor([True, False]), "q": tensor(order(9.0).reshape(3, 3)), "z": tensor(order(24.0).reshape(2, 3, 4)),
        "x34": tensor(order(12.0).reshape(4, 3)), "img": tensor(order(16.0).reshape(1, 1, 4, 4)),
        "b4": tensor(order(16.0).reshape(4, 1, 2, 2)), "D": tensor([[1.0, 0.0], [0.0, -2.0]]),
        "K": tensor([[1, 8, 5, 5, 7.0], [4, 4, 4, 4, 5], [np.nan, 1, 2, 3, 4], [np.inf, 1, 2, 3, 4]]),
        "P0": ms.Parameter(tensor(order(6.0).reshape(2, 3)), name="p"), "PV": ms.Parameter(tensor([1.0, 2.0, 3.0]), name="w"),
        "c": ms.COOTensor(I, V, (3, 4)), "e": ms.COOTensor(tensor([[0, 1], [2, 0]]), tensor([-1.0, 5.0]), (3, 4)),
        "s": ms.CSRTensor(tensor([0, 1, 2, 2], ms.int32), tensor([1, 2], ms.int32), V, (3, 4)),
        "through_coo": through(lambda v: ms.COOTensor(I, v, (3, 4))),
        "through_csr": through(
            lambda v: ms.CSRTensor(tensor([0, 1, 2, 2], ms.int32), tensor([1, 2], ms.int32), v, (3, 4))
        ),
    }  # fmt: skip


def outcome(code: str, ms: Any) -> str:
    """The repr of what an expression gives, or the exception's type."""
    try:
        return repr(eval(code, names(ms)))
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        return f"{type(error).__name__}: {lines[0][:60]}"


def outcomes(ms: Any) -> dict[str, dict[str, str]]:
    """Return the outcomes of all, each in a process of its own, which some kernels end."""

    def apart(code: str) -> str:
        return isolate(lambda: outcome(code, ms))[0] or "CrashError: the process ended"

    return {group: {code: apart(code) for code in expressions(group)} for group in GROUPS}
