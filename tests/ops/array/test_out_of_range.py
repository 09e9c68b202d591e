"""Positions outside of an array: an eager call on CPU raises, as MindSpore 2.10 does; a compiled one leaves them out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import msjax as ms
from msjax import Parameter, Tensor, mint, nn, ops
from msjax.ops import operations as P

X = Tensor(np.arange(1, 9, dtype=np.float32).reshape(2, 4))
ROW = Tensor(np.full((1, 4), 10, np.float32))


def _i(*values: Any, dtype: ms.dtype.Type = ms.int32) -> Tensor:
    return Tensor(np.array(values), dtype)


def _written(name: str, nested: bool) -> Callable:
    def call(at: int) -> Any:
        p = Parameter(X)
        try:
            return getattr(P, name)()(p, _i([at]) if nested else _i(at), ROW)
        except RuntimeError:
            assert p.tolist() == X.tolist()
            raise

    return call


# By name of what was called: the call with a position along an axis of two, and the least that it takes. MindSpore 2.10
# raises a RuntimeError for all others; for ScatterNdUpdate, TensorScatterUpdate and SparseToDense a ValueError.
WAYS = "Update Add Sub Mul Div Max Min".split()
CALLS: dict[str, tuple[Callable[[int], Any], int | None]] = {
    **{f"Scatter{way}": (_written(f"Scatter{way}", False), 0) for way in WAYS},
    **{f"ScatterNd{way}": (_written(f"ScatterNd{way}", True), 0) for way in WAYS},
    **{
        f"tensor_scatter_{way}": (lambda k, way=way: getattr(ops, f"tensor_scatter_{way}")(X, _i([k]), ROW), 0)
        for way in "add sub mul div max min".split()
    },
    "TensorScatterUpdate": (lambda k: P.TensorScatterUpdate()(X, _i([k]), ROW), 0),
    "scatter_nd": (lambda k: ops.scatter_nd(_i([k]), ROW, (2, 4)), 0),
    "scatter_add": (lambda k: X.scatter_add(0, _i([k] * 4, dtype=ms.int64), ROW), 0),
    # Here MindSpore 2.10 gives the array as it was, also where other positions are inside.
    "scatter": (lambda k: X.scatter(0, _i([k] * 4, dtype=ms.int64), ROW), -2),
    "`scatter`": (lambda k: X.scatter(0, _i([k] * 4, dtype=ms.int64), 3.0), -2),
    "tensor_scatter_elements": (lambda k: ops.tensor_scatter_elements(X, _i([k] * 4), ROW, 0, "add"), -2),
    "index_add": (lambda k: ops.index_add(Parameter(X), _i(k), ROW, 0), -2),
    "index_fill": (lambda k: ops.index_fill(X, 0, _i(k), 9.0), -2),
    "index_select": (lambda k: ops.index_select(X, 0, _i(k)), -2),
    "gather": (lambda k: ops.gather(X, _i(k), 0), -2),
    "gather_elements": (lambda k: ops.gather_elements(X, 0, _i([k] * 4, dtype=ms.int64)), -2),
    "gather_nd": (lambda k: ops.gather_nd(X, _i([k])), 0),
    "embedding": (lambda k: mint.nn.functional.embedding(_i(k), X), -2),
    "one_hot": (lambda k: mint.nn.functional.one_hot(_i(k, dtype=ms.int64), 2), 0),
    **{
        f"unsorted_segment_{way}": (lambda k, way=way: getattr(ops, f"unsorted_segment_{way}")(X, _i(0, k), 2), None)
        for way in "sum min max prod".split()
    },
    "SparseToDense": (lambda k: P.SparseToDense()(_i([k, 0]), Tensor([1.0]), (2, 4)), 0),
    "nll_loss": (lambda k: ops.nll_loss(X[:, :2], _i(0, k)), -2),
    "cross_entropy": (lambda k: ops.cross_entropy(X[:, :2], _i(0, k)), -2),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_eager_calls_raise(name: str) -> None:
    call, least = CALLS[name]
    inside = [1, 0] if least is None else range(least, 2)
    for k in inside:  # the third call takes the fast path
        call(k)
    for k in (2, 7, *(() if least is None else (least - 1,))):
        with pytest.raises(RuntimeError, match=rf"{name}.*Received: .*{k}") as caught:
            call(k)
        assert isinstance(caught.value, ValueError)
        assert isinstance(caught.value, IndexError)
    call(1)


@pytest.mark.parametrize("name", ["gather", "ScatterNdUpdate", "unsorted_segment_sum", "nll_loss"])
def test_gradients_look_too_and_compiled_calls_do_not(name: str) -> None:
    call, _ = CALLS[name]
    ms.jit(lambda: call(7))()
    if name in ("gather", "nll_loss"):
        with pytest.raises(RuntimeError, match=name):
            ms.grad(lambda x: (x * call(7).sum()).sum())(Tensor(1.0))


def test_what_is_ignored_may_be_anywhere() -> None:
    x = X[:, :2]
    assert float(ops.cross_entropy(x, _i(0, -100))) == pytest.approx(float(ops.cross_entropy(x[:1], _i(0))))
    assert float(ops.nll_loss(x, _i(0, 9), ignore_index=9)) == float(ops.nll_loss(x[:1], _i(0)))
    with pytest.raises(RuntimeError, match=r"cross_entropy.*target.*Received: .*5"):
        ops.cross_entropy(x, _i(5, -100))


def test_lookups_that_give_zeros() -> None:
    """MindSpore's EmbeddingLookup refuses nothing."""
    table = nn.EmbeddingLookup(2, 4, "ones")
    assert table(_i(7, 1, -1)).tolist() == [[0] * 4, [1] * 4, [0] * 4]
    assert P.EmbeddingLookup()(X, _i(7), 0).tolist() == [[0] * 4]
    assert ops.one_hot(_i(7), 2).tolist() == [[0, 0]]
