"""Operators of MindSpore's inner modules, against what MindSpore prints for tests/goldens/sparse_forms_cases.py."""

import numpy as np
import pytest
import scipy.sparse

import msjax as ms
from msjax import Parameter, Tensor, ops
from msjax.ops.primitive_impl import inner_forms
from msjax.ops.primitive_impl import python_sequences as Q
from msjax.ops.sparse import compressed_rows, coo_classes, sets
from tests.goldens.replaying import replayed

names, test_as_mindspore = replayed("sparse_forms", 5e-5)


def whole(values):
    return Tensor(np.array(values))


def lists(found):
    return [part.asnumpy().tolist() for part in found]


DENSE = np.array([[0, 2, 0, 1], [3, 0, 0, 0], [0, 0, 0, 4]], np.float32)
OTHER = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
COLUMNS = np.arange(1, 9, dtype=np.float32).reshape(4, 2)


class TestWithoutAKernelOfMindSpores:
    """Which MindSpore documents, and runs on other devices or not at all."""

    @pytest.mark.parametrize(
        ("form", "value", "slope"),
        {  # by the values of the sparse matrix: what it gives, and the derivative of its sum
            "product with a column": (
                lambda s: ops.csr_mv(s, Tensor(COLUMNS[:, :1])),
                DENSE @ COLUMNS[:, :1],
                COLUMNS[[1, 3, 0, 3], 0],
            ),
            "product": (
                lambda s: ops.csr_mm(s, Tensor(COLUMNS)),
                DENSE @ COLUMNS,
                COLUMNS[[1, 3, 0, 3]].sum(1),
            ),
            "times": (
                lambda s: ops.csr_mul(s, Tensor(OTHER)).values,
                (DENSE * OTHER)[DENSE != 0],
                OTHER[DENSE != 0],
            ),
            "sum of rows": (lambda s: ops.csr_reduce_sum(s, 1), DENSE.sum(1, keepdims=True), np.ones(4)),
        }.values(),
        ids=["mv", "mm", "mul", "reduce_sum"],
    )
    def test_compressed_rows(self, form, value, slope):
        rows = scipy.sparse.csr_matrix(DENSE)

        def of(values):
            return form(ms.CSRTensor(whole(rows.indptr), whole(rows.indices), values, rows.shape))

        np.testing.assert_allclose(of(whole(rows.data)).asnumpy(), value, rtol=1e-6)
        found = ms.grad(lambda values: of(values).sum())(whole(rows.data))
        np.testing.assert_allclose(found.asnumpy(), slope, rtol=1e-6)

    def test_places_of_compressed_rows(self):
        rows = scipy.sparse.csr_matrix(DENSE)
        indptr, indices = whole(rows.indptr), whole(rows.indices)
        assert lists([ops.csr2coo(indptr, 4), ops.coo2csr(whole([0, 0, 1, 2]), 3)]) == [
            [0, 0, 1, 2],
            [0, 2, 3, 4],
        ]
        gathered = ops.csr_gather(indptr, indices, whole(OTHER), rows.shape)
        np.testing.assert_array_equal(gathered.asnumpy(), OTHER[DENSE != 0])

    def test_elementwise(self):
        at, values, shape = whole([[0, 1], [1, 0]]), Tensor([3.0, 8.0]), whole([2, 2])
        found = coo_classes.SparseDenseCwiseDiv()(at, values, shape, Tensor([2.0, 3.0]))
        assert lists([found]) == [[1.0, 4.0]]

    def test_reshape(self):
        at, shape = whole([[0, 1], [2, 3]]), whole([3, 4])
        assert lists(coo_classes.SparseReshape()(at, shape, whole([-1, 6]))) == [[[0, 1], [1, 5]], [2, 6]]

    def test_split(self):
        at, values = whole([[0, 1], [0, 3], [2, 0]]), Tensor([1.0, 2.0, 3.0])
        where, what, shapes = coo_classes.SparseSplit(2)(whole(1), at, values, whole([3, 5]))
        assert lists(where) == [[[0, 1], [2, 0]], [[0, 0]]]
        assert lists(what) == [[1.0, 3.0], [2.0]]
        assert lists(shapes) == [[3, 3], [3, 2]]

    def test_sets(self):
        found = sets.DenseToSparseSetOperation("union")(
            whole([[1, 2], [3, 4]]), whole([[0, 0], [1, 0]]), whole([7, 3]), whole([2, 1])
        )
        assert lists(found) == [[[0, 0], [0, 1], [0, 2], [1, 0], [1, 1]], [1, 2, 7, 3, 4], [2, 3]]
        sizes = sets.SetSize()(whole([[0, 0], [0, 1], [1, 0]]), whole([2, 2, 3]), whole([3, 2]))
        assert sizes.asnumpy().tolist() == [1, 1, 0]

    def test_ragged(self):
        values, splits = Tensor(np.arange(1, 10)), whole([0, 3, 3, 7, 9])
        found = sets.RaggedTensorToTensor(["ROW_SPLITS"])(whole([4, 4]), values, whole(0), [splits])
        assert found.asnumpy().tolist() == [[1, 2, 3, 0], [0] * 4, [4, 5, 6, 7], [8, 9, 0, 0]]
        rows = sets.RaggedTensorToTensor(["FIRST_DIM_SIZE", "VALUE_ROWIDS"])
        found = rows(whole([3, 2]), Tensor([1.0, 2.0, 3.0]), Tensor(9.0), [whole(3), whole([0, 0, 2])])
        assert found.asnumpy().tolist() == [[1, 2], [9, 9], [3, 9]]

    @pytest.mark.parametrize("transpose", [False, True])
    def test_sparse_product(self, transpose):
        dense = np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0]])
        a = scipy.sparse.csr_matrix(dense)
        parts = [Tensor(np.array(p, np.int32)) for p in ((3, 3), (0, 3), (0, 2, 2, 3), (0, 2, 1))]
        parts.append(Tensor([1.0, 2.0, 3.0]))
        found = compressed_rows.SparseMatrixSparseMatMul(transpose_a=transpose)(*parts, *parts)
        wanted = scipy.sparse.csr_matrix((a.T if transpose else a) @ a)
        assert found[2].asnumpy().tolist() == wanted.indptr.tolist()
        assert (
            compressed_rows.CSRSparseMatrixToDense()(*found).asnumpy().tolist() == wanted.toarray().tolist()
        )

    def test_diagonals(self):
        eye = Tensor(np.eye(2, 3, dtype=np.float32))
        x = Tensor(np.arange(6.0, dtype=np.float32).reshape(2, 3))
        assert inner_forms.MatrixDiagPart()(x, eye).asnumpy().tolist() == [0, 4]
        set_ = inner_forms.MatrixSetDiag()(x, Tensor([7.0, 8.0]), eye)
        assert set_.asnumpy().tolist() == [[7, 1, 2], [3, 8, 5]]
        made = inner_forms.MatrixDiag()(Tensor([7.0, 8.0]), Tensor(np.eye(2, dtype=np.float32)))
        assert made.asnumpy().tolist() == [[7, 0], [0, 8]]

    def test_sequences(self):
        assert Q.SequenceSliceSetItem()((1, 2, 3), (7, 8), 0, 2, 1) == (7, 8, 3)
        assert Q.SequenceZerosLike()((1, (2, 3))) == (0, (0, 0))
        assert Q.SequenceMul()([1, 2], 2) == [1, 2, 1, 2]
        with pytest.raises(ValueError, match="`SequenceIndex`: argument `target` must be in"):
            Q.SequenceIndex()((1, 2), 5, 0, 2)


def test_values_have_gradients():
    at, shape = whole([[1, 0], [0, 1], [0, 3]]), whole([2, 4])
    weights = Tensor([1.0, 2.0, 4.0])

    def total(values):
        ordered = coo_classes.SparseReorder()(at, values, shape)[1]
        return (
            coo_classes.SparseSoftmax()(*coo_classes.SparseReorder()(at, values, shape), shape) * ordered
        ).sum()

    def plainly(values):
        row = ms.ops.softmax(values[1:])
        return (row * values[1:]).sum() + values[0]

    np.testing.assert_allclose(
        ms.grad(total)(weights).asnumpy(), ms.grad(plainly)(weights).asnumpy(), rtol=1e-5
    )


def test_what_must_fail():
    with pytest.raises(ValueError, match="`TridiagonalSolve`: argument `diagonals` must have shape"):
        inner_forms.TridiagonalSolve()(Tensor([[1.0, 2.0]]), Tensor([[1.0], [2.0]]))
    with pytest.raises(ValueError, match="`DynamicStitch`: argument `data` must have 1 elements"):
        inner_forms.DynamicStitch()([whole([0])], [])
    from msjax.ops.optim.sparse_steps_with_rates import SparseApplyMomentum

    w = Parameter(Tensor([[1.0]]))
    with pytest.raises(ValueError, match="indices"):
        SparseApplyMomentum()(w, w, 0.1, Tensor([[1.0, 2.0]]), whole([0, 1]), 0.9)
