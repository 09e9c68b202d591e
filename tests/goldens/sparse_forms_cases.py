# %% segments
x, at, ids, n = wave(5, 3), whole([0, 2, 4, 4], np.int32), whole([0, 0, 1, 3], np.int32), whole(5, np.int32)
attempt(lambda: S.SparseSegmentSum()(x, at, ids))
attempt(lambda: M.SparseSegmentMean()(x, at, ids))
attempt(lambda: S.SparseSegmentSqrtN()(x, at, ids))
attempt(lambda: S.SparseSegmentSumWithNumSegments()(x, at, ids, n))
attempt(lambda: S.SparseSegmentMeanWithNumSegments()(x, at, ids, n))
attempt(lambda: S.SparseSegmentSqrtNWithNumSegments()(x, at, ids, n))

# %% segments of other dtypes
at, ids = whole([0, 2]), whole([1, 1])
attempt(lambda: S.SparseSegmentSum()(wave(3, 2, dtype=np.float64), at, ids))
attempt(lambda: S.SparseSegmentSum()(wave(3, 2, dtype=np.float16), at, ids))
attempt(lambda: S.SparseSegmentSum()(whole([[1, 2], [3, 4], [5, 6]]), at, ids))
attempt(lambda: M.SparseSegmentMean()(wave(3, 2, dtype=np.float64), at, ids))
attempt(lambda: S.SparseSegmentSum()(wave(3, 2), at, whole([1, 0])))
attempt(lambda: S.SparseSegmentSum()(wave(3, 2), whole([0, 7]), ids))
attempt(lambda: S.SparseSegmentSum()(wave(3, 2), at, whole([1])))

# %% elementwise with a dense array
a = coo([0, 1], [2, 0])
attempt(lambda: S.SparseDenseCwiseAdd()(*a, real([1, 2, 3, 4])))
attempt(lambda: S.SparseDenseCwiseMul()(*a, wave(3, 4)))
attempt(lambda: S.SparseDenseCwiseAdd()(whole([[0, 1]]), whole([3]), whole([2, 2]), whole([5, 6])))

# %% largest and smallest
a, b = coo([0, 1], [1, 1], [2, 0]), coo([0, 1], [0, 2], [2, 0])
attempt(lambda: S.SparseSparseMaximum()(*a, b[0], b[1] - 3, b[2]))
attempt(lambda: S.SparseSparseMinimum()(*a, b[0], b[1] - 3, b[2]))

# %% sums
a, b = coo([0, 1], [1, 1], [2, 0]), coo([0, 1], [0, 2], [2, 0])
attempt(lambda: S.SparseAdd()(*a, *b, real(0)))
attempt(lambda: S.SparseAdd()(*a, *b, real(2.5)))
attempt(lambda: S.SparseAdd()(*a, b[0], -b[1], b[2], real(0.5)))

# %% order
i, v, s = coo([2, 1], [0, 3], [2, 0])
attempt(lambda: S.SparseReorder()(i, v, s))
attempt(lambda: S.SparseReshape()(whole([[0, 1], [2, 3]]), whole([3, 4]), whole([5, 2])))
attempt(lambda: S.SparseReshape()(whole([[0, 1], [2, 3]]), whole([3, 4]), whole([12])))

# %% softmax
attempt(lambda: S.SparseSoftmax()(*coo([0, 1], [0, 3], [2, 0])))
attempt(lambda: S.SparseSoftmax()(*coo([0, 0, 0], [0, 0, 1], [0, 1, 1], shape=(1, 2, 2))))

# %% joined
a, b = coo([0, 1], [2, 0]), coo([0, 0], [1, 3])
attempt(lambda: S.SparseConcat(0)((a[0], b[0]), (a[1], b[1]), (a[2], b[2])))
attempt(lambda: S.SparseConcat(1)((a[0], b[0]), (a[1], b[1]), (a[2], b[2])))
attempt(lambda: S.SparseConcat(-1)((a[0], b[0]), (a[1], b[1]), (a[2], b[2])))

# %% empty rows
attempt(lambda: S.SparseFillEmptyRows()(whole([[1, 0], [1, 2]]), real([1, 2]), whole([3, 3]), real(9)))

# %% to dense
attempt(lambda: S.SparseToDenseV2()(whole([[0, 1], [1, 2]]), whole([3, 4]), real([1, 2]), real(7)))
attempt(lambda: S.SparseToDenseV2()(whole([1, 3]), whole([5]), real([1, 2]), real(7)))
attempt(lambda: S.SparseToDenseV2()(whole([[0, 9], [1, 2]]), whole([3, 4]), real([1, 2]), real(7)))

# %% products
a = coo([0, 1], [2, 0], shape=(3, 2))
attempt(lambda: S.SparseAddmm()(*a, wave(2, 4), wave(3, 4), real([2]), real([3])))

# %% sets
a, b = whole([[1, 2, 2], [3, 4, 5]]), whole([[2, 7], [3, 8]])
for kind in ("a-b", "b-a", "intersection", "union"):
    attempt(lambda: S.DenseToDenseSetOperation(kind)(a, b))
attempt(lambda: S.DenseToDenseSetOperation("c")(a, b))

# %% counts
i, v, s = whole([[0, 0], [0, 1], [1, 0], [1, 2]]), whole([2, 2, 0, 5]), whole([2, 3])
w = real([1, 2, 3, 4])
attempt(lambda: S.SparseCountSparseOutput()(i, v, s, w))
attempt(lambda: S.SparseCountSparseOutput(binary_output=True)(i, v, s, w))
attempt(lambda: S.SparseCountSparseOutput(minlength=8)(i, v, s, w))
attempt(lambda: S.SparseCountSparseOutput(maxlength=3)(i, v, s, w))

# %% ragged
attempt(lambda: S.RaggedTensorToSparse(ms.int64)([whole([0, 3, 3, 5, 6])], whole([1, 2, 3, 4, 5, 6])))
attempt(lambda: S.RaggedTensorToSparse(ms.int64)([whole([0, 1, 3]), whole([0, 2, 2, 3])], real([1, 2, 3])))

# %% compressed rows
attempt(lambda: S.CSRSparseMatrixToDense()(*csr()))
attempt(lambda: S.CSRSparseMatrixToSparseTensor()(*csr()))
attempt(lambda: S.DenseToCSRSparseMatrix()(real([[0, 1], [2, 0]]), whole([[0, 1], [1, 0]], np.int32)))
attempt(lambda: S.SparseTensorToCSRSparseMatrix()(whole([[0, 1], [1, 0]], np.int32), real([1, 2]), whole([2, 2], np.int32)))
attempt(lambda: S.SparseMatrixNNZ()(*csr()))
attempt(lambda: S.SparseMatrixTranspose()(*csr()))
attempt(lambda: S.SparseMatrixTranspose(True)(*csr(np.complex64)))
attempt(lambda: S.SparseMatrixSoftmax(ms.float32)(*csr()))
attempt(lambda: S.SparseMatrixAdd()(*csr(), *csr(), real(2), real(3)))

# %% products of compressed rows
attempt(lambda: S.SparseMatrixMatMul()(*csr(), wave(3, 2)))
attempt(lambda: S.SparseMatrixMatMul(transpose_x1=True)(*csr(), wave(3, 2)))
attempt(lambda: S.SparseMatrixMatMul(transpose_x2=True, transpose_output=True)(*csr(), wave(2, 3)))

# %% batches of compressed rows
i = whole([[0, 0, 1], [0, 1, 0], [1, 0, 0]], np.int32)
parts = S.SparseTensorToCSRSparseMatrix()(i, real([1, 2, 3]), whole([2, 2, 2], np.int32))
show(parts)
attempt(lambda: S.CSRSparseMatrixToDense()(*parts))
attempt(lambda: S.CSRSparseMatrixToSparseTensor()(*parts))
attempt(lambda: S.SparseMatrixTranspose()(*parts))
attempt(lambda: S.SparseMatrixNNZ()(*parts))
attempt(lambda: S.SparseMatrixMatMul()(*parts, wave(2, 2, 3)))

# %% tridiagonal
d = real([[1, 2, 3], [2, 3, 4], [3, 4, 5]])
attempt(lambda: M.TridiagonalSolve()(d, real([[1], [2], [3]])))
attempt(lambda: M.TridiagonalSolve(partial_pivoting=False)(d, real([[1], [2], [3]])))
attempt(lambda: M.TridiagonalSolve()(wave(2, 3, 3) + 3, wave(2, 3, 2)))
attempt(lambda: M.TridiagonalSolve()(wave(2, 2, 3), wave(2, 3, 2)))
attempt(lambda: M.TridiagonalSolve()(d, real([1, 2, 3])))
attempt(lambda: M.TridiagonalSolve()(d, whole([[1], [2], [3]])))

# %% instance normalization
x, one = wave(2, 3, 2, 2), [real(np.full((2, 3, 1, 1), v)) for v in (1.5, 0.5, 0.25, 2)]
attempt(lambda: N.InstanceNormV2()(x, *one))
attempt(lambda: N.InstanceNormV2(is_training=False, momentum=0.3, epsilon=1e-3)(x, *one))
attempt(lambda: N.InstanceNormV2(momentum=0.3)(x.astype(ms.float16), *one))

# %% rows of a step
def given(n):
    return [Parameter(real(np.arange(4).reshape(2, 2) / 4 + k), name=f"p{k}") for k in range(n)]
g, at = real([[0.5, 0.25]]), whole([1], np.int32)
f = lambda v: real(v)
attempt(lambda: N.SparseApplyMomentum()(*given(2), f(0.1), g, at, f(0.9)))
attempt(lambda: N.SparseApplyMomentum(use_nesterov=True)(*given(2), f(0.1), g, at, f(0.9)))
attempt(lambda: N.SparseApplyProximalGradientDescent()(*given(1), f(0.1), f(0.2), f(0.3), g, at))
attempt(lambda: N.SparseApplyCenteredRMSProp()(*given(4), f(0.1), f(0.9), f(0.5), f(1.0), g, at))
attempt(lambda: N.SparseApplyAdagradDA()(*given(3), g, at, f(0.1), f(0.2), f(0.3), whole(2)))

# %% stitched
x = [whole([6], np.int32), whole([4, 1], np.int32), whole([[5, 2], [0, 3]], np.int32)]
y = [whole([[6, 1]], np.int32), whole([[41, 42], [11, 12]], np.int32), whole([[[51, 52], [21, 22]], [[1, 2], [31, 32]]], np.int32)]
attempt(lambda: I.DynamicStitch()(x, y))

# %% diagonals
attempt(lambda: M.SelfAdjointEig()(real([[1, 0], [0, 2]])))
attempt(lambda: A.RangeV2()(whole(1), whole(7), whole(2)))

# %% sequences
t, u = (Tensor([1]), Tensor([2])), (1, 2, 3)
m = ms.mutable
attempt(lambda: Q.SequenceAdd()((1, 2), (3,)))
attempt(lambda: Q.SequenceCount()(u, 2))
attempt(lambda: Q.SequenceIndex()(u, 2, 0, 3))
attempt(lambda: Q.SequenceMax()(u))
attempt(lambda: Q.SequenceMin()(u))
attempt(lambda: Q.SequenceSlice()(u, 0, 3, 2))
attempt(lambda: Q.SequenceUnstack(0)(t))
attempt(lambda: Q.InSequence()(2, u))
attempt(lambda: Q.TupleToTensor()(u, ms.float32))
attempt(lambda: Q.ListToTensor()([1, 2], ms.int64))
attempt(lambda: Q.TensorToTuple()(Tensor([1, 2])))
attempt(lambda: Q.TensorToList()(Tensor([1, 2])))
attempt(lambda: Q.TensorToScalar()(Tensor(3)))
attempt(lambda: Q.tuple_equal()((1, 2), (1, 2)))
attempt(lambda: Q.tuple_lt()((1, 2), (1, 3)))
attempt(lambda: Q.sequence_len()(u))

# %% sequences compiled
class Net(ms.nn.Cell):
    def __init__(self, op, *more):
        super().__init__()
        self.op, self.more = op, more
    def construct(self, *args):
        return self.op(*args, *self.more)
ms.set_context(mode=ms.GRAPH_MODE)
u, t, m = (1, 2, 3), (Tensor([1]), Tensor([2])), ms.mutable
attempt(lambda: Net(Q.SequenceAdd())(m(u, True), m(u, True)))
attempt(lambda: Net(Q.SequenceCount())(m(u, True), 2))
attempt(lambda: Net(Q.SequenceSlice())(m(u, True), m(1), m(3), m(1)))
attempt(lambda: Net(Q.ListInsert())(m([1, 2], True), m(0), m(3)))
attempt(lambda: Net(Q.TupleToTensor())(m(u, True), ms.float32))
attempt(lambda: Net(Q.tuple_lt())(m(u, True), m((1, 2, 4), True)))
attempt(lambda: Net(Q.sequence_len())(m(u, True)))
