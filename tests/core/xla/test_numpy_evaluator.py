"""Where the evaluator lets large results lie: in the memory of operands, or in memory that programs read without a copy."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import msjax as ms
from msjax.core.xla import numpy_evaluator, numpy_primitives
from msjax.core.xla.numpy_evaluator import Evaluation
from msjax.core.xla.numpy_primitives import PRIMITIVES, WRITING, is_aligned

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 200)).astype(np.float32)
Y = rng.normal(size=(300, 200)).astype(np.float32)


def kept(x: Any, y: Any) -> Any:
    """Two steps read one result, and the program returns another one that a later step reads."""
    sum_ = x + y
    product = sum_ * y
    return product, jnp.exp(product) * sum_


def seen_through_views(x: Any, y: Any) -> Any:
    """A result is read through a view after the last step that reads the result itself."""
    turned = (x + y).T
    return jnp.sin(x + y) - turned.T, turned[:2] * 2


UNARY = {name for name, fn in PRIMITIVES.items() if getattr(fn, "nin", 1) == 1} - {"select_n"}

CHAINS: dict[str, tuple[Callable[..., Any], Any]] = {
    "softmax": (lambda x, y: jax.nn.softmax(x * y), 2),
    "a result that is read twice": (lambda x, y: (x - y) * (x - y) / (1 + (x - y)), 2),
    "results that are kept": (kept, 2),
    "views": (seen_through_views, 2),
    "choices": (lambda x, y: (jnp.where(x > 0, x + y, 3.0), jnp.where(x > 0, y, x * y)), 2),
    "the choice of both": (lambda x, y: lax.select(x > y, x + 1, y + 1) * 2, 2),
    "the choice of kept bools": (lambda x, y: (a := x > 0, b := y > 0, lax.select(x > y, a, b)), 2),
    "a number beside it": (lambda x, y: jnp.maximum(2.0 - jnp.exp(x * y), 0) + y, 2),
    "rows and columns": (lambda x, y: jnp.tanh((x + y) * y[0] - x[:, :1]), 2),
    "the same operand twice": (lambda x: jnp.square(x + 1) + (x + 2) * (x + 2), 1),
    "another order of axes": (lambda x, y: (x.T + y.T).sum(0) + (x.T * 2).sum(0), 2),
    "integers": (lambda x: (x.astype(np.int32) * 3 + 1) % 5, 1),
    "products of matrices": (lambda x, y: jnp.exp(x @ y.T / 10) + 1, 2),
    "a first power": (lambda x, y: lax.integer_pow(x + y, 1) * 2 + (x + y), 2),
}


@pytest.mark.parametrize("name", CHAINS)
def test_the_memory_of_operands_changes_no_bit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fn, count = CHAINS[name]
    given = [X, Y][:count]
    before = [x.copy() for x in given]
    evaluation = Evaluation(jax.make_jaxpr(fn)(*given))
    found = evaluation.run(given)
    again = evaluation.run(given)
    monkeypatch.setattr(numpy_evaluator, "LARGE", X.size * 10)
    plain = evaluation.run(given)
    for one, two, three in zip(found, again, plain, strict=True):
        assert one.tobytes() == two.tobytes() == three.tobytes()
        assert (one.shape, one.dtype) == (three.shape, three.dtype)
    assert all(np.array_equal(x, y) for x, y in zip(given, before, strict=True))
    assert not any(np.shares_memory(out, x) for out in found for x in [*given, *again])


def test_a_chain_takes_memory_once(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []

    def count(shape: Any, dtype: Any) -> np.ndarray:
        taken.append(shape)
        return numpy_primitives.allocate(shape, dtype)

    monkeypatch.setattr(numpy_evaluator, "allocate", count)
    Evaluation(jax.make_jaxpr(jax.nn.softmax)(X)).run([X])
    assert taken == [X.shape]


@pytest.mark.parametrize("name", sorted(n for n, fn in PRIMITIVES.items() if fn in WRITING))
def test_functions_write_where_they_are_told(name: str) -> None:
    """And large arrays of float32, which are computed in parts, get the bits of small ones."""
    fn = PRIMITIVES[name]
    x, y = rng.uniform(0.1, 0.9, (2, 70001)).astype(np.float32) + np.float32(name == "acosh")
    if name in ("and", "or", "xor", "not"):
        x, y = (x * 10).astype(np.int32), (y * 10).astype(np.int32)
    operands = [x > 0.5, x, y] if name == "select_n" else [x, y][: 1 if name in UNARY else 2]
    check_writing(fn, operands)


def test_a_choice_of_bools_is_written_where_the_condition_is() -> None:
    check_writing(PRIMITIVES["select_n"], list(rng.random((3, 70001)) > 0.5))


def check_writing(fn: Callable[..., Any], operands: list[np.ndarray]) -> None:
    x = operands[0]
    wanted = np.concatenate([fn(*[o[i : i + 5000] for o in operands]) for i in range(0, x.size, 5000)])
    assert fn(*operands).tobytes() == wanted.tobytes()
    for i, operand in enumerate(operands):
        if operand.dtype == wanted.dtype:
            given = [o.copy() for o in operands]
            assert fn(*given, out=given[i]) is given[i]
            assert given[i].tobytes() == wanted.tobytes()
    new = np.empty_like(wanted)
    assert fn(*operands, out=new) is new
    assert new.tobytes() == wanted.tobytes()


def test_large_results_stay_numpys_where_programs_read_them_without_a_copy() -> None:
    x = ms.Tensor(X)
    found = [ms.ops.add(ms.Tensor(np.ones((n, 300), np.float32)), 1.0) for n in (301, 302, 303)]
    large = [value._raw for value in (*found, ms.ops.exp(x + 1.0)) if type(value._raw) is np.ndarray]
    assert large
    assert all(map(is_aligned, large))
    assert all(not value.flags.writeable for value in large)
