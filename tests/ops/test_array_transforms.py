"""Array operators in eager code, under `ms.jit` and under `vmap` agree, have right derivatives to second order, and lower.

All of them are one program, so that they are compiled a few times together and not a hundred times apart.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

import msjax as ms
from msjax import ops
from msjax.core.state import override_state

AT = ms.Tensor([[0, 1], [2, 0]])
ROWS, COLS = ms.Tensor([0, 1, 2, 2], ms.int32), ms.Tensor([1, 0], ms.int32)
IDS = ms.Tensor([0, 0, 2])


def coo(x):
    return ms.COOTensor(AT, x[:2, 0], (3, 4))


def csr(x):
    return ms.CSRTensor(ROWS, COLS, x[:2, 0], (3, 4))


# Functions of a (3, 4) matrix and a (4, 4, 2, 2) stack of pictures, whose shapes do not depend on values.
CASES = {
    "column_stack": lambda x, p: ops.column_stack((x[:, 0], x)),
    "dstack": lambda x, p: ops.dstack((x, x * 2)),
    "hsplit": lambda x, p: ops.hsplit(x, 2)[1],
    "reverse": lambda x, p: ops.reverse(x, (0, 1)),
    "reverse_sequence": lambda x, p: ops.reverse_sequence(x, ms.Tensor([1, 4, 2]), 1),
    "diagflat": lambda x, p: ops.diagflat(x[0], -1),
    "diagonal_scatter": lambda x, p: ops.diagonal_scatter(x, x[0, :3] * x[1, :3], 1),
    "slice_scatter": lambda x, p: ops.slice_scatter(x, x[:, :2] * x[:, 2:], 1, 0, 4, 2),
    "inplace_add": lambda x, p: ops.inplace_add(x, x[:2] * 3, (2, 0)),
    "inplace_update": lambda x, p: ops.inplace_update(x, x[:1] * x[1:2], 2),
    "index_put": lambda x, p: ops.IndexPut(1)(x, x[0, :2], (ms.Tensor([0, 0]), ms.Tensor([1, 1]))),
    "diag_part": lambda x, p: ops.DiagPart()(x[:, :3]),
    "space_to_batch_nd": lambda x, p: ops.space_to_batch_nd(p, [2, 2], [[1, 1], [0, 2]]),
    "batch_to_space_nd": lambda x, p: ops.batch_to_space_nd(p, 2, [[1, 0], [0, 1]]),
    "space_to_depth": lambda x, p: ops.SpaceToDepth(2)(p),
    "depth_to_space": lambda x, p: ops.DepthToSpace(2)(p),
    "pixel_shuffle": lambda x, p: ops.pixel_shuffle(p, 2),
    "pixel_unshuffle": lambda x, p: ops.pixel_unshuffle(p, 2),
    "channel_shuffle": lambda x, p: ops.channel_shuffle(p, 2),
    "padding": lambda x, p: ops.padding(x[:, :1], 3),
    "PadV3": lambda x, p: ops.PadV3("reflect")(x, (1, 2)),
    "top_k": lambda x, p: ops.top_k(x, 2)[0],
    "kthvalue": lambda x, p: x.kthvalue(2, 0)[0],
    "unique_with_pad": lambda x, p: ops.unique_with_pad(x[0], 0)[0],
    "coo_to_dense": lambda x, p: coo(x * x).to_dense(),
    "coo_to_csr": lambda x, p: coo(x).to_csr().values,
    "coo_concat": lambda x, p: ops.coo_concat((coo(x), coo(x * 2)), 1).to_dense(),
    "coo_sin": lambda x, p: ops.coo_sin(coo(x)).values,
    "coo_times": lambda x, p: (coo(x) * x).values,
    "csr_to_dense": lambda x, p: csr(x * x).to_dense(),
    "csr_to_coo": lambda x, p: csr(x).to_coo().to_dense(),
    "csr_mv": lambda x, p: csr(x).mv(x[0].reshape(4, 1)),
    "csr_mm": lambda x, p: csr(x).mm(x.T),
    "csr_mm turned": lambda x, p: ops.csr_mm(csr(x), x, trans_a=True),
    "csr_sum": lambda x, p: csr(x).sum(1),
    "csr_div": lambda x, p: ops.csr_div(csr(x), x * x + 1),
    "csr_softmax": lambda x, p: ops.csr_softmax(csr(x), x.dtype).values,
    "SparseToDense": lambda x, p: ops.SparseToDense()(AT, x[0, :2], (3, 4)),
    "SparseTensorDenseMatmul": lambda x, p: ops.SparseTensorDenseMatmul(True)(AT, x[0, :2], (3, 4), x),
    "SparseTensorDenseAdd": lambda x, p: ops.SparseTensorDenseAdd()(AT, x[0, :2], ms.Tensor([3, 4]), x),
    "map_uniform": lambda x, p: ops.MapUniform()(ms.Tensor([0, 1, 2, 3]), 2, 2),
    "sequence_mask": lambda x, p: ops.sequence_mask(ms.Tensor([1, 3]), 4),
    "adjoint": lambda x, p: x.adjoint() + x.H,
    "view": lambda x, p: x.astype(ms.float32).view(ms.int16),
}
X = np.random.RandomState(0).permutation(12).reshape(3, 4) / 4 - 1.3
P = np.random.RandomState(1).standard_normal((4, 4, 2, 2))


def everything(x, p):
    return tuple(case(x, p) for case in CASES.values())


def given(dtype=np.float32):
    return ms.Tensor(X.astype(dtype)), ms.Tensor(P.astype(dtype))


def pure(x, p):
    out = everything(ms.Tensor.from_array(x), ms.Tensor.from_array(p))
    return [o.array for o in out if jnp.issubdtype(o.array.dtype, jnp.floating)]


# What is not one rearrangement: its derivative is checked against finite differences.
CURVED = """reverse_sequence diagonal_scatter slice_scatter inplace_update index_put space_to_batch_nd kthvalue csr_mm
coo_to_csr coo_times csr_div csr_softmax SparseTensorDenseMatmul""".split()


def curved(x, p):
    return [CASES[name](ms.Tensor.from_array(x), ms.Tensor.from_array(p)).array for name in CURVED]


def test_compiled_and_mapped_as_eager():
    x, p = given()
    eager = everything(x, p)
    compiled = ms.jit(everything)(x, p)
    mapped = ms.vmap(everything)(ops.stack((x, x)), ops.stack((p, p)))
    for name, one, other, both in zip(CASES, eager, compiled, mapped, strict=True):
        assert one.dtype == other.dtype == both.dtype, name
        np.testing.assert_allclose(other.asnumpy(), one.asnumpy(), 1e-5, 1e-6, err_msg=name)
        np.testing.assert_allclose(both.asnumpy()[1], one.asnumpy(), 1e-5, 1e-6, err_msg=name)


def test_derivatives_to_second_order():
    # Elements that change places with the smallest steps would not be differentiable; X has none.
    check_grads(jax.jit(curved), (jnp.asarray(X), jnp.asarray(P)), 2, ["rev"], atol=1e-4, rtol=1e-4)


def test_lowers_for_accelerators_without_float64():
    x, p = given()
    program = jax.export.export(jax.jit(pure), platforms=("cuda", "tpu"))(x.array, p.array)
    assert "f64" not in program.mlir_module()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: ops.SegmentSum()(x, IDS),
        lambda x: x.to_coo(),
        lambda x: (coo(x) + coo(x)).values,
        lambda x: ops.ListDiff()(x[0], x[1]),
        lambda x: ops.sequence_mask(x[0].astype(ms.int32)),
    ],
    ids=["segments", "to_coo", "sum of sparse", "list_diff", "sequence_mask"],
)
def test_what_depends_on_values_says_so_under_jit(call):
    with pytest.raises(Exception, match="value"), override_state(specializes=False):
        ms.jit(lambda x, at: call(x + at))(ms.Tensor(X.astype(np.float32)), ms.Tensor(1.0))


def test_segments_have_gradients():
    x = ms.Tensor([[1.0, 2.0], [3.0, 5.0], [6.0, 4.0]])
    assert ms.grad(lambda x: ops.SegmentMax()(x, IDS).sum())(x).tolist() == [[0, 0], [1, 1], [1, 1]]
    assert ms.grad(lambda x: ops.SegmentMean()(x, IDS).sum())(x).tolist() == [[0.5] * 2, [0.5] * 2, [1, 1]]
    pick = ms.Tensor([0, 0, 2])
    grad = ms.grad(lambda x: ops.sparse_segment_mean(x, pick, IDS).sum())(x)
    assert grad.tolist() == [[1, 1], [0, 0], [1, 1]]


def test_sums_of_sparse_matrices_have_gradients():
    def total(v):
        a, b = ms.COOTensor(AT, v * v, (3, 4)), ms.COOTensor(AT[:1], v[:1] * 3, (3, 4))
        return (a + b).to_dense().sum() + a.to_csr().mm(a.to_csr().to_coo().to_csr().to_dense().T).sum()

    v = ms.Tensor([2.0, 3.0])
    assert ms.grad(total)(v).tolist() == [4 + 3 + 4 * 8, 6 + 4 * 27]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int8", "uint8", "bool", "complex64"])
def test_dtypes_are_kept(dtype):
    """Rearranging takes every dtype, empty arrays included."""
    kind = getattr(ms, "bool_" if dtype == "bool" else dtype)
    x, p = ms.Tensor(np.arange(12).reshape(3, 4) % 2).astype(kind), ops.ones((4, 4, 2, 2), kind)
    for name in (
        "column_stack",
        "reverse",
        "reverse_sequence",
        "diagflat",
        "pixel_shuffle",
        "padding",
        "PadV3",
    ):
        assert CASES[name](x, p).dtype == kind, name
    assert ops.diagflat(ops.zeros((0,), kind)).shape == (0, 0)
    assert ops.reverse(ops.zeros((0, 3), kind), (1,)).shape == (0, 3)
    assert ops.column_stack((x[:0], x[:0])).shape == (0, 8)


def test_functions_in_place():
    x = ms.Tensor([-2.0, 0.5])
    assert ops.clamp_(x, -1, 1) is x
    assert x.tolist() == [-1, 0.5]
    np.testing.assert_allclose(ops.tanh_(x).asnumpy(), np.tanh([-1, 0.5]), 1e-6)
    assert ops.put_(x, ms.Tensor([0]), ms.Tensor([7.0])).tolist()[0] == 7
    assert ops.zero_(x).tolist() == x.tolist() == [0, 0]
    with pytest.raises(TypeError, match="zero_"):
        ops.zero_(1.0)


def test_memory_of_a_tensor(tmp_path):
    x = ms.Tensor([1.0, 2.0])
    storage = x.untyped_storage()
    assert (storage.size(), storage.element_size(), storage.is_shared()) == (8, 1, False)
    assert storage.data_ptr() == x.data_ptr()
    storage.copy_(ms.Tensor([3.0, 4.0]).storage())
    assert x.tolist() == [3, 4]
    with pytest.raises(ValueError, match="copy_"):
        storage.copy_(ms.Tensor(1.0).storage())
    assert x.offload(str(tmp_path / "x.bin"))
    assert x.offload_file_path() == str(tmp_path / "x.bin")
    assert np.fromfile(tmp_path / "x.bin", np.float32).tolist() == [3, 4]
    assert x.set_(ms.Tensor([[5]])).tolist() == [[5]]
    assert x.to_("CPU") is x
