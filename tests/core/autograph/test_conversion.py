"""Statements over Tensor values in traced functions: what MindSpore's programs (test_control_goldens) do not ask."""

# ruff: noqa: RET503, RUF034

import functools
import traceback

import jax
import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, nn, ops
from msjax.core.autograph import conversion
from msjax.core.state import override_state
from tests.trace_notes import TraceNotes


def t(*values, dtype=np.float32):
    return Tensor(np.asarray(values if len(values) > 1 else values[0], dtype))


def close(found, expected):
    found = jax.tree.map(
        lambda x: x.asnumpy() if isinstance(x, Tensor) else x, found, is_leaf=lambda x: isinstance(x, Tensor)
    )
    jax.tree.map(functools.partial(np.testing.assert_allclose, rtol=1e-5), found, expected)


def growing(x):
    while x < 100:
        x = x * 2
    return x


def triangle(x):
    if x > 1:
        return 2 - x
    return x


class TestTransformations:
    """All of them trace, so all of them rewrite."""

    def test_vmap(self):
        close(ms.vmap(growing)(t(1, 5, 200)), [128.0, 160.0, 200.0])
        close(ms.vmap(ms.grad(growing))(t(1, 5, 200)), [128.0, 32.0, 1.0])
        close(ms.vmap(ms.jit(triangle))(t(0.5, 1.5)), [0.5, 0.5])

    def test_forward_and_second_derivatives(self):
        close(ms.jvp(growing, t(3.0), t(1.0)), (192.0, 64.0))
        cube = ms.jit(lambda x: x**3 if x > 0 else x)
        close(ms.grad(ms.grad(cube))(t(2.0)), 12.0)

    def test_recompute(self):
        close(ms.grad(lambda x: ms.recompute(growing, x) * 2)(t(3.0)), 128.0)

    def test_jit_in_jit_and_grad_in_jit(self):
        inner = ms.jit(growing)
        close(ms.jit(lambda x: inner(x) + growing(x))(t(3.0)), 384.0)
        close(ms.jit(ms.grad(lambda x: inner(x) + triangle(x)))(t(3.0)), 63.0)

    def test_bodies_of_loop_operators(self):
        out = ms.jit(lambda x: ops.WhileLoop()(lambda s: s < 50, lambda s: s * 2 if s > 4 else s * 3, x))(
            t(1.0)
        )
        close(out, 72.0)

    def test_functions_that_the_library_calls(self):
        close(ms.jit(lambda x: ops.HyperMap()(triangle, (x, x + 1)))(t(0.5)), (0.5, 0.5))


class TestValues:
    @pytest.mark.parametrize(
        ("fn", "expected"),
        [
            (lambda x: map(ops.square, (x, x)), (9.0, 9.0)),
            (lambda x: map(ops.square, [x, x]), [9.0, 9.0]),
            (lambda x: (v * 2 for v in (x, 1)), [6.0, 2]),
        ],
    )
    def test_what_iterators_become(self, fn, expected):
        found = ms.jit(fn)(t(3.0))
        assert type(found) is type(expected)
        close(found, expected)

    def test_a_list_times_a_number_is_a_longer_list(self):
        repeated = ms.jit(lambda items, n: (items * n, n * (1, 2)))
        for n in (3, 2):
            found, numbers = repeated([t(1.0), t(2.0)], ms.mutable(n))
            close(found, [1.0, 2.0] * n)
            assert numbers == (1, 2) * n

    def test_numbers_that_differ_are_numbers_again(self):
        step = ms.jit(
            lambda x: (1 if x > 0 else 2, 1.5 if x > 0 else 2, 7 if x > 0 else 7, True if x > 0 else x < -5)
        )
        found = step(t(1.0))
        assert [getattr(v, "dtype", type(v)) for v in found] == [int, float, int, ms.bool_]
        close(step(t(-1.0)), (2, 2.0, 7, False))

    @pytest.mark.parametrize(
        "dtype", ["float16", "bfloat16", "float32", "float64", "int32", "int8", "complex64"]
    )
    def test_a_loop_keeps_the_dtype_of_tensors_that_meet_numbers(self, dtype):
        @ms.jit
        def total(x, n):
            s = 0
            i = 0
            while i < n:
                s = s + x * 2
                i += 1
            return s, i

        s, i = total(Tensor(3.0).astype(getattr(ms, dtype)), Tensor(4))
        assert (s.dtype, i) == (getattr(ms, dtype), 4)
        assert type(i) is int
        assert complex(s.asnumpy() if dtype != "bfloat16" else s.astype(ms.float32).asnumpy()) == 24

    def test_empty_and_long_loops_over_rows(self):
        @ms.jit
        def signed(x, rows):
            s = 0
            for row in rows:
                if row > x:
                    s = s + row
                    continue
                s = s - row
            return s

        rows = np.arange(100, dtype=np.float32)
        close(signed(t(1.0), Tensor(rows)), 4948.0)
        close(ms.grad(signed, 1)(t(1.0), Tensor(rows)), np.where(rows > 1, 1.0, -1.0))
        assert signed(t(1.0), Tensor(rows[:0])) == 0
        assert signed.programs == 2

    def test_a_long_loop_with_break_is_one_loop(self):
        counted = TraceNotes()

        def tick(x):
            counted.append(1)
            return x

        @ms.jit
        def f(x):
            for i in range(1000):
                x = tick(x) + i
                if x > 50:
                    break
            else:
                x = x * 0
            return x

        close((f(t(1.0)), f(t(-1e6))), (56.0, 0.0))
        assert len(counted) < 10

    def test_range_of_tensors(self):
        @ms.jit
        def f(a, b, c):
            s = 0
            for i in range(a, b, c):
                s += i
            return s

        for ends in ((0, 10, 3), (10, 0, -3), (5, 5, 1), (7, 2, 1)):
            assert f(*map(Tensor, ends)) == sum(range(*ends))

    def test_return_from_nested_loops(self):
        @ms.jit
        def find(x, wanted):
            for i in range(3):
                for j in range(3):
                    if x[i, j] == wanted:
                        return i, j
            return -1, -1

        x = Tensor(np.arange(9).reshape(3, 3))
        close((find(x, Tensor(5)), find(x, Tensor(0)), find(x, Tensor(11))), ((1, 2), (0, 0), (-1, -1)))

    def test_comparisons_and_truth_values(self):
        step = ms.jit(
            lambda x, y: [x and y, x or y, not x, 0 < x < y, x > 0 and y > 0 and x < y, x == 1 or y == 1]
        )
        for x, y in ((1.0, 2.0), (0.0, 3.0), (-2.0, 1.0), (5.0, 0.0)):
            expected = [x and y, x or y, not x, 0 < x < y, x > 0 and y > 0 and x < y, x == 1 or y == 1]
            close(step(t(x), t(y)), expected)

    def test_builtin_functions(self):
        @ms.jit
        def f(x, y):
            return (
                max(x, y, 2),
                min([x, y]),
                any([x > 3, y > 3]),
                all((x > 0, y > 0)),
                int(x),
                float(x > 1),
                bool(y),
            )

        for x, y in ((1.5, 4.0), (-1.0, 0.0)):
            expected = max(x, y, 2), min(x, y), x > 3 or y > 3, x > 0 and y > 0, int(x), float(x > 1), bool(y)
            close(f(t(x), t(y)), expected)

    def test_print_in_rewritten_code(self, capfd):
        @ms.jit
        def f(x):
            if x > 3:
                print("big:", x)
            return x * 2

        for value in (1.0, 5.0):
            f(t(value)).asnumpy()
        jax.effects_barrier()
        assert capfd.readouterr().out == "big:\n5\n"


class TestState:
    def test_lists_and_dicts_keep_their_identity(self):
        @ms.jit
        def f(x, known):
            items = alias = [x]
            if x > 0:
                items.append(x * 2)
                known["a"] += 1
            else:
                items.append(-x)
                known["b"] = x
            return alias, known

        close(f(t(3.0), {"a": t(1.0), "b": 2.0}), ([3.0, 6.0], {"a": 2.0, "b": 2.0}))
        close(f(t(-3.0), {"a": t(1.0), "b": 2.0}), ([-3.0, 3.0], {"a": 1.0, "b": -3.0}))

    def test_attributes_of_objects(self):
        class Counter:
            def __init__(self):
                self.total = 0.0

            def add(self, x):
                if x > 0:
                    self.total = self.total + x
                return self

        @ms.jit
        def f(x):
            return Counter().add(x).add(x - 1).total

        close((f(t(3.0)), f(t(0.5)), f(t(-1.0))), (5.0, 0.5, 0.0))

    def test_in_place_changes_reach_arguments_and_views(self):
        @ms.jit
        def f(x):
            row, same = x[0], x
            while x.sum() < 10:
                row.add_(1)
            if x.sum() > 10:
                row[1].fill_(-1)
            x.mul_(2)
            return same

        x = t([1.0, 2.0], [3.0, 3.5])
        close(f(x), [[4.0, -2.0], [6.0, 7.0]])
        close(x, [[4.0, -2.0], [6.0, 7.0]])

    def test_loops_over_a_view_and_its_base(self):
        @ms.jit
        def f(x, n):
            row = x[0]
            while n > 0:
                row.add_(1)
                x.mul_(2)
                n = n - 1
            return row

        x = t([1.0, 2.0], [3.0, 3.5])
        close(f(x, Tensor(2)), [10.0, 14.0])
        close(x, [[10.0, 14.0], [12.0, 14.0]])

    def test_a_condition_sees_what_the_body_writes(self):
        w = ms.Parameter(t(1.0), name="w")

        @ms.jit
        def f(x):
            while w < x:
                w.set_data(w * 2)
            return w + 0

        close((f(t(5.0)), w), (8.0, 8.0))

    def test_an_exception_leaves_parameters_as_they_were(self):
        w = ms.Parameter(t(1.0), name="w")

        @ms.jit
        def f(x):
            if x > 0:
                w.set_data(x)
                y = x
            else:
                y = ops.stack((x, x))
            return y

        with (
            pytest.raises(TypeError, match="`y` must come out of both branches"),
            override_state(specializes=False),
        ):
            f(t(3.0))
        assert w == 1.0

    def test_random_draws_in_branches(self):
        drop = nn.Dropout(p=0.5).set_train()
        step = ms.jit(lambda x: drop(x) if x.sum() > 0 else x)
        ms.set_seed(1)
        first, second = step(ops.ones(64)), step(ops.ones(64))
        ms.set_seed(1)
        again = step(ops.ones(64))
        assert (first == again).all()
        assert not (first == second).all()


def decorated(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        y = fn(*args, **kwargs)
        if y > 10:
            y = y * 0
        return y

    return wrapper


class TestFunctions:
    def test_decorators(self):
        step = ms.jit(decorated(lambda x: x * 3 if x > 0 else x))
        close([step(t(v)) for v in (1.0, 5.0, -1.0)], [3.0, 0.0, -1.0])

    def test_lambdas_on_one_line(self):
        f, g = (lambda x: x if x > 0 else -x), (lambda x: x * 3 if x > 0 else x * 5)
        close((ms.jit(f)(t(-2.0)), ms.jit(g)(t(-2.0))), (2.0, -10.0))

    def test_values_asked_for_in_a_try(self):
        @ms.jit
        def f(x):
            try:
                n = int(x)
                if x > 2:
                    return x * n
            except RuntimeError:
                return x * 100
            return x

        close((f(t(3.0)), f(t(1.0))), (9.0, 1.0))

    def test_lambdas_of_one_instruction(self):
        same, seven = (lambda x: x), (lambda: 7)
        close(ms.jit(lambda x: same(x) * seven() if x > 0 else x)(t(2.0)), 14.0)

    def test_methods_partials_and_callable_objects(self):
        class Scale:
            def __init__(self, k):
                self.__k = k

            def __call__(self, x, y=1):
                return x * self.__k if x > y else x

        close(ms.jit(functools.partial(Scale(3.0), y=2))(t(4.0)), 12.0)
        close(ms.jit(Scale(3.0).__call__)(t(4.0)), 12.0)
        close(ms.jit(lambda x: functools.reduce(lambda a, b: max(b, a), (x, x * 2)))(t(4.0)), 8.0)

    def test_signatures_closures_and_inner_functions(self):
        k = 10.0

        @ms.jit
        def f(x: Tensor, n: int = 3, *rest: Tensor, flag: bool = True, **more: Tensor) -> Tensor:
            m: int = n

            def inner(y):
                nonlocal m
                m += 1
                if y > k:
                    return y - m
                return y + m

            return inner(x) if flag else -inner(x)

        close((f(t(11.0)), f(t(5.0), 1), f(t(5.0), 1, flag=False)), (7.0, 7.0, -7.0))
        k = 0.0
        close(ms.jit(f._fn)(t(5.0), 1), 3.0)

    def test_recursion(self):
        @ms.jit
        def f(x, n):
            if n == 0 or x.ndim > 3:
                return x
            if x > 100:
                return -x
            return f(x * 2, n - 1)

        close((f(t(1.0), 3), f(t(60.0), 3)), (8.0, -120.0))

    def test_what_is_not_rewritten_runs_as_it_is(self):
        assert conversion.convert_callable(np.mean) is np.mean
        assert conversion.convert_callable(ops.norm) is ops.norm
        assert conversion.convert_callable(functools.cmp_to_key) is functools.cmp_to_key
        dense = nn.Dense(2, 2)
        assert conversion.convert_callable(dense) is dense
        assert conversion.convert_callable(dense.construct) == dense.construct

    def test_a_plain_function_is_never_rewritten(self, monkeypatch):
        monkeypatch.setattr(conversion, "_factory", None)
        close(ms.jit(lambda x: x * 2 if x.ndim else x)(t(1.0, 2.0)), [2.0, 4.0])

    def test_a_function_is_rewritten_once(self, monkeypatch):
        made = []
        factory = conversion._factory
        monkeypatch.setattr(conversion, "_factory", lambda fn: made.append(fn.__name__) or factory(fn))

        def chosen(x):
            return x if x.sum() > 0 else -x

        step = ms.jit(lambda x: chosen(x))
        for shape in ((1,), (2,), (3,)):
            for _ in range(2):
                step(ops.ones(shape))
        assert made == ["<lambda>", "chosen"]


def fails(fn, *args, error=TypeError):
    """The message of the error that a function raises where the values of its arguments are not known."""
    with pytest.raises(error) as info, override_state(specializes=False):
        ms.jit(fn)(*args)
    return str(info.value), "".join(traceback.format_exception(info.value))


class TestErrors:
    def test_a_branch_with_another_shape(self):
        def f(x):
            y = x[:1]
            if x.sum() > 0:
                y = x
            return y

        message, _ = fails(f, t(1.0, 2.0))
        assert "`y` must come out" in message
        assert f"test_conversion.py, line {f.__code__.co_firstlineno + 2}" in message
        assert "shape [2] and dtype Float32 and a Tensor of shape [1]" in message
        assert "ops.where" in message

    def test_nothing_returned_on_one_way(self):
        def f(x):
            if x > 0:
                return x

        assert "`what the function returns` must come out" in fails(f, t(1.0))[0]

    def test_a_list_that_grows_on_one_way(self):
        def f(x):
            out = []
            if x > 0:
                out.append(x)
            return out

        assert "`out` must come out" in fails(f, t(1.0))[0]

    def test_a_loop_that_changes_a_dtype(self):
        def f(x):
            while x < 10:
                x = x * 1.5
            return x

        message, _ = fails(f, Tensor(1))
        assert "`x` must keep its type" in message
        assert "Int64 going in, a Tensor of shape [] and dtype Float32 coming out" in message

    def test_a_variable_without_a_value(self):
        def f(x):
            while x < 10:
                y = x
                x = x * 2
            return y

        message, text = fails(f, t(1.0), error=UnboundLocalError)
        assert "'y' is used before it has a value" in message
        assert "Give it one before" in message
        assert "return y" in text

    def test_several_elements(self):
        assert ".any() or .all()" in fails(lambda x: 1 if x > 0 else 2, t(1.0, 2.0), error=ValueError)[0]

    def test_errors_in_rewritten_code_show_the_source(self):
        def f(x):
            if x.sum() > 0:
                x = x @ ops.ones((7, 7))  # the line that fails
            return x

        _, text = fails(f, t(1.0, 2.0), error=RuntimeError)
        assert "# the line that fails" in text
        assert "test_conversion.py" in text

    def test_what_cannot_be_rewritten_says_why(self):
        namespace = {}
        exec("def f(x):\n    return x if x.sum() > 0 else -x", namespace)  # noqa: S102
        with pytest.raises(RuntimeError, match="not known while") as info:
            ms.jit(namespace["f"])(ops.ones(2000))
        assert any("`f` (<string>) was not converted: its source" in note for note in info.value.__notes__)

    def test_raise_and_assert(self):
        w = ms.Parameter(t(0.0), name="w")

        @ms.jit
        def f(x):
            assert x > -10, "too small"
            if x < 0:
                raise ValueError(f"negative, of shape {x.shape}")
            w.set_data(w + x)
            while x < 10:
                if x == 7:
                    raise KeyError("seven")
                x = x + 1
            return x

        close(f(t(8.0)), 10.0)
        for value, error, message in (
            (-1.0, ValueError, "of shape"),
            (-20.0, AssertionError, "small"),
            (5.0, KeyError, "seven"),
        ):
            for way in (f, ms.grad(f)):
                with pytest.raises(error, match=message):
                    way(t(value))
        close(f(t(8.0)), 10.0)

    def test_exceptions_that_are_caught_stay_python(self):
        def f(x):
            try:
                raise ValueError("no")
            except ValueError:
                y = x
            if y > 0:
                y = -y
            return y

        close(ms.jit(f)(t(1.0)), -1.0)


class TestFunctionsByTensors:
    """Functions that a branch chooses, and functions that call themselves."""

    def test_a_function_that_branches_choose(self):
        scale = nn.ReLU()

        @ms.jit
        def f(x):
            k = x * 10
            if x > 1:
                g = scale
            elif x > 0:

                def g(v):
                    return v + k
            else:
                g = ops.neg
            return g(x), g(x) * 2

        for value, expected in ((2.0, 2.0), (0.5, 5.5), (-3.0, 3.0)):
            close(f(t(value)), (expected, 2 * expected))
        close(ms.grad(lambda x: f(x)[0])(t(0.5)), 11.0)

    def test_recursion_ends_by_the_value_of_an_argument(self):
        @ms.jit
        def f(x):
            if x < 10:
                return f(x * 2) + 0
            return x

        close(f(t(1.0)), 16.0)
        close(f(t(3.0)), 12.0)
        close(f(t(1.0)), 16.0)


def test_loop_operators_over_nothing_and_over_numbers():
    assert ops.Scan()(lambda c, x: (c + x, x), Tensor(3), []) == (3, [])
    last = ops.WhileLoop()(lambda n: n < 5, lambda n: n + 2, 1)
    assert (type(last), last) == (int, 5)
