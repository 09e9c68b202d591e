"""`x[index]` and `x[index] = value`: MindSpore's answers where it has one, NumPy's everywhere; views; programs compiled."""

import json
from pathlib import Path

import index_cases
import jax
import numpy as np
import pytest

import msjax as ms
from msjax import Tensor
from msjax.core.state import override_state
from msjax.ops.array import indexing as indexing

GOLDEN = json.loads((Path(__file__).parents[2] / "goldens" / "index.json").read_text())
MORE = {  # what is taken here and not by MindSpore
    "slice(None, None, -1)", "slice(2, 0, -1)", "(slice(None), slice(None, None, 2), slice(3, None, -2))", "[]",
    "np.array([0, 1])", "range(2)", "np.int64(1)", "(np.array([0, 1]), 0)",
}  # fmt: skip
GET, SET = 0, 1


def _index(code, make=Tensor):
    return eval(code, index_cases.names(make))


def _read(code):
    return Tensor(index_cases.values())[_index(code)]


def _written(code, value=50.0):
    x = Tensor(index_cases.values())
    x[_index(code)] = value
    return x


@pytest.mark.parametrize("code", GOLDEN)
@pytest.mark.parametrize("way", [GET, SET])
def test_as_mindspore(code, way):
    golden = GOLDEN[code][way]
    if code in MORE:
        pytest.skip("more than MindSpore takes")
    act = _written if way == SET else _read
    with jax.numpy_dtype_promotion("strict"):
        if isinstance(golden, str):
            with pytest.raises((IndexError, TypeError, ValueError)) as caught:
                act(code)
            assert caught.type.__name__ == golden
            return
        found = act(code).asnumpy()
    assert [list(found.shape), found.ravel().tolist()] == golden


@pytest.mark.parametrize("code", [c for c in GOLDEN if not isinstance(GOLDEN[c][GET], str) or c in MORE])
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_as_numpy(code, compiled):
    index = _index(code, np.asarray)
    if isinstance(index, list) and code not in ("[0, 1]", "[0]", "[1, 0, 1]", "[-1]", "[True, False]", "[]"):
        index = tuple(index)  # a list of more than numbers is a tuple
    expected = index_cases.values()[index]
    value = np.arange(expected.size).reshape(expected.shape).astype(np.float32) + 100
    written = index_cases.values()
    written[index] = value
    given = _index(code)

    def both(x, v):
        y = x * 1
        y[given] = v
        return x[given], y

    if compiled and any(mask in code for mask in ("M", "True,", "[True")) and "None, True" not in code:
        pytest.skip("a mask that is an input of a program has no values")
    if compiled and "slice(T" in code:
        pytest.skip("the end of a slice must be known, because it decides the shape")
    run = ms.jit(both) if compiled else both
    got, changed = run(Tensor(index_cases.values()), Tensor(value))
    np.testing.assert_array_equal(got.asnumpy(), expected)
    np.testing.assert_array_equal(changed.asnumpy(), written)


def test_gradient_of_both():
    def f(x, v):
        y = x * 2
        y[1, ::2] = v * v
        y[[0, 0], [1, 2]] = v[0, :1] * 3
        return (y[:, 1:] * y[:, 1:]).sum()

    x, v = Tensor(index_cases.values()[:, :, 0]), Tensor(np.array([[3.0, 5.0]], np.float32))
    dx, dv = ms.grad(f, (0, 1))(x, v)
    expected = jax.grad(
        lambda x, v: (
            (x * 2)
            .at[1, ::2]
            .set((v * v)[0])
            .at[jax.numpy.array([0, 0]), jax.numpy.array([1, 2])]
            .set(v[0, 0] * 3)[:, 1:]
            ** 2
        ).sum(),
        (0, 1),
    )(x.array, v.array)
    np.testing.assert_allclose(dx.asnumpy(), expected[0])
    np.testing.assert_allclose(dv.asnumpy(), expected[1])


@pytest.mark.parametrize(
    "code", ["0", "(slice(None), 1)", "slice(None, None, 2)", "(0, slice(3, None, -2))", "None", "..."]
)
def test_basic_indices_give_views(code):
    x = Tensor(index_cases.values())
    view = x[_index(code)]
    view[...] = -1.0
    expected = index_cases.values()
    expected[_index(code, np.asarray)] = -1.0
    np.testing.assert_array_equal(x.asnumpy(), expected)
    x[...] = 3.0
    assert (view.asnumpy() == 3.0).all()


def test_advanced_indices_give_copies():
    x = Tensor(index_cases.values())
    copy = x[[0, 1]]
    copy[...] = -1.0
    np.testing.assert_array_equal(x.asnumpy(), index_cases.values())


def test_views_of_views():
    x = Tensor(np.arange(6, dtype=np.float32))
    x.reshape(2, 3).T[1][0] = 50.0
    assert x.asnumpy().tolist() == [0, 50, 2, 3, 4, 5]


def test_parts_of_a_split_are_views():
    x = Tensor(np.arange(6, dtype=np.float32))
    for part, start in zip(x.split(2), (0, 2, 4), strict=True):
        part[0] = -start
    assert x.asnumpy().tolist() == [0, 1, -2, 3, -4, 5]
    rows = x.reshape(2, 3).unbind()
    x[5] = 9.0
    assert rows[1].asnumpy().tolist() == [3, -4, 9]


def test_a_loop_over_positions_compiles_few_programs(monkeypatch):
    traced, picked = [], indexing._pick
    monkeypatch.setattr(indexing, "_pick", lambda block, plan: traced.append(plan) or picked(block, plan))
    x = Tensor(np.arange(1001.0, dtype=np.float32).reshape(7, 11, 13))
    for i in range(7):
        assert float(x[i, 0, 0]) == 143 * i
        assert float(x[i : i + 1].sum()) == float(x[i].sum())
        x[i, 1:3] = 0.0
    # Depending on what other tests left, a program is traced once or twice.
    assert len(set(map(repr, traced))) <= 3, f"one program for each kind of index; traced for {traced}"
    assert len(traced) <= 6


@pytest.mark.parametrize(
    ("index", "value", "error", "words"),
    [
        (5, 1.0, IndexError, "index 5 is out of bounds for axis 0 of size 2"),
        ((0, 0, 0, 0), 1.0, IndexError, "too many indices"),
        ("a", 1.0, IndexError, "Received: 'a' \\(str\\)"),
        (0, [1.0, 2.0], ValueError, r"broadcasts to \(3, 4\).*Received: array of shape \(2,\)"),
        (0, "a", IndexError, "must be a Tensor, a number or a list"),
        ([[True, False, True]], 1.0, IndexError, "a mask must have the shape of what it picks from"),
    ],
)
def test_errors_say_what_was_received(index, value, error, words):
    with pytest.raises(error, match=words):
        Tensor(index_cases.values())[index] = value


def test_nothing_picked_takes_any_value():
    x = Tensor(index_cases.values())
    for index in (slice(5, None), Tensor(False), (Tensor(False), 0), x > 100):
        x[index] = [1.0, 2.0, 3.0]
    assert (x.asnumpy() == index_cases.values()).all()


def test_an_axis_for_a_bool_has_gradients():
    def picked(x):
        return x[Tensor(True), 0].sum() + x[[0, 1], True].sum()

    assert ms.grad(picked)(Tensor(np.ones((2, 2), np.float32))).asnumpy().tolist() == [[2, 2], [1, 1]]


def test_an_array_without_axes_is_not_counted():
    with pytest.raises(TypeError, match="without axes"):
        Tensor(1.0)[0]


def test_mask_under_jit():
    x, mask = Tensor([1.0, -2.0, 3.0]), Tensor([True, False, True])

    def write(x, mask):
        x = x * 1
        x[mask] = 0.0
        return x

    assert ms.jit(write)(x, mask).asnumpy().tolist() == [0, -2, 0]
    pick = ms.jit(lambda x, mask: x[mask])
    with (
        pytest.raises(RuntimeError, match="`getitem` needs the value of a Tensor"),
        override_state(specializes=False),
    ):
        pick(x, mask)
    assert pick(x, mask).asnumpy().tolist() == [1, 3]  # few elements: a program for each value


def test_index_of_traced_positions():
    x = Tensor(np.arange(12, dtype=np.float32).reshape(4, 3))
    rows = ms.vmap(lambda i: x[i], 0)(Tensor([2, 0]))
    np.testing.assert_array_equal(rows.asnumpy(), x.asnumpy()[[2, 0]])


@pytest.mark.parametrize("index", [[3], [-4], [[0, 1], [2, 5]]])
def test_positions_outside_are_refused_where_they_are_known(index):
    x, where = Tensor(np.arange(6.0).reshape(3, 2)), Tensor(index)
    before = x.asnumpy()
    for error in (IndexError, RuntimeError):
        with pytest.raises(error, match=r"`getitem`: index .* is out of bounds for axis 0 of size 3"):
            x[where]
    for error in (IndexError, ValueError):
        with pytest.raises(error, match=r"`setitem`: index .* is out of bounds for axis 0 of size 3"):
            x[where] = 1.0
    with pytest.raises(IndexError, match="axis 1 of size 2"):
        x[:, Tensor([2])]
    np.testing.assert_array_equal(x.asnumpy(), before)
    assert ms.jit(lambda x, i: x[i])(x, where).shape == (*np.shape(index), 2)


@pytest.mark.parametrize("transform", [lambda f: f, ms.jit], ids=["eager", "jit"])
def test_the_counter_of_a_loop_gives_views(transform):
    """As a number does: the loop may be a compiled one."""

    def f(a, n):
        a = a * 2
        for i in range(n):
            row = a[i]
            row.add_(1)
            a[i, 0:1].mul_(3)
        return a

    assert transform(f)(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor(2)).tolist() == [[9.0, 5.0], [21.0, 9.0]]
