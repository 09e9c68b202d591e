"""Programs that must fail well, and lose nothing."""

import _thread
import signal
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from msjax.core.autodiff import imperative
from msjax.core.autodiff.grad import grad, value_and_grad
from msjax.core.autodiff.jvp_vjp_jacobian import jvp, recompute
from msjax.core.autodiff.vmap import vmap
from msjax.core.control import control_flow
from msjax.core.jit import execution
from msjax.core.jit.jit import jit
from msjax.core.op.op import op
from msjax.core.tensor import random_state
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.core.trace.stateful import Stateful
from tests.core.compositions import add, assign, less, mul, sin, total, uniform
from tests.trace_notes import TraceNotes


def tensor(*values):
    return Tensor(jnp.asarray(values, jnp.float32))


def parameter(*values, name="w"):
    return Parameter(tensor(*values), name=name)


WAYS = {
    "grad": lambda f, x: grad(f)(x),
    "value_and_grad": lambda f, x: value_and_grad(f)(x),
    "jit": lambda f, x: jit(f)(x),
    "jit grad": lambda f, x: jit(grad(f))(x),
    "grad jit": lambda f, x: grad(jit(f))(x),
    "vmap": lambda f, x: vmap(f)(x),
    "jvp": lambda f, x: jvp(f, x, x),
    "recompute": lambda f, x: recompute(f, x),
    "grad recompute": lambda f, x: grad(lambda v: recompute(f, v))(x),
    "grad grad": lambda f, x: grad(lambda v: total(grad(f)(v)))(x),
}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt], ids=lambda e: e.__name__)
@pytest.mark.parametrize("way", WAYS)
def test_an_exception_leaves_everything_as_it_was(way, error):
    w, buffer = parameter(1.0, 2.0), tensor(5.0, 6.0)
    random_state.set_seed(1)
    before = np.asarray(random_state.get_rng_state().array)

    def step(x):
        assign(buffer, mul(buffer, 2.0))
        w.set_data(tensor(8.0, 9.0))
        uniform(x)
        raise error("stop")

    with pytest.raises(error, match="stop"):
        WAYS[way](step, tensor(1.0, 1.0))
    np.testing.assert_array_equal(w.asnumpy(), [1.0, 2.0])
    np.testing.assert_array_equal(buffer.asnumpy(), [5.0, 6.0])
    np.testing.assert_array_equal(np.asarray(random_state.get_rng_state().array), before)


def test_an_exception_in_a_hook_leaves_gradients_as_they_were():
    x = tensor(1.0, 2.0)
    x.requires_grad = True
    total(mul(x, x)).backward()
    before = x.grad.asnumpy()
    y = mul(x, 3.0)
    y.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        total(mul(y, x)).backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), before)


def test_a_later_call_works_after_an_exception():
    w = parameter(1.0, 2.0)
    fail = True

    def step(x):
        w.set_data(mul(w, 2.0))
        if fail:
            raise ValueError("stop")
        return mul(x, w)

    compiled = jit(step)
    with pytest.raises(ValueError, match="stop"):
        compiled(tensor(1.0, 1.0))
    fail = False
    np.testing.assert_array_equal(compiled(tensor(1.0, 1.0)).asnumpy(), [2.0, 4.0])


def test_an_interrupt_waits_until_state_is_put_back(monkeypatch):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in background processes
    w = parameter(1.0)
    step = jit(lambda *, x: assign(w, add(w, x)))
    step(x=tensor(1.0))
    entry = next(iter(step._entries.values()))[0]
    run = entry.run

    def interrupted(*args):
        results = run(*args)
        signal.raise_signal(signal.SIGINT)
        return results

    monkeypatch.setattr(entry, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        step(x=tensor(1.0))
    np.testing.assert_array_equal(w.asnumpy(), [3.0])


def test_interrupts_at_any_time_leave_all_of_the_state_or_none():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    weights = [parameter(0.0), parameter(0.0), parameter(0.0)]
    step = jit(lambda x: [assign(w, add(w, x)) for w in weights] and None)
    one = tensor(1.0)
    step(one)
    assert step._last is not None
    for n in range(40):
        rung = threading.Event()
        thread = threading.Timer(n * 1e-5, lambda rung=rung: (_thread.interrupt_main(), rung.set()))
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012
            thread.start()
            while not rung.is_set():
                step(one)
            step(one)
        thread.join()
        assert len({w.asnumpy().item() for w in weights}) == 1
    assert weights[0].asnumpy() > 1.0


def test_a_handler_that_could_not_be_put_back_is_left_alone(monkeypatch):
    handler = execution._signal.getsignal
    before = handler(signal.SIGINT)
    monkeypatch.setattr(execution._signal, "getsignal", lambda number: None)
    with execution.interrupts_deferred():
        assert handler(signal.SIGINT) is before
    assert handler(signal.SIGINT) is before


def test_a_failing_device_says_that_state_is_gone(monkeypatch):
    w = parameter(1.0)
    step = jit(lambda x: assign(w, add(w, x)))
    step(tensor(1.0))
    step(tensor(1.0))
    entry = next(iter(step._entries.values()))[0]

    def failing(given, rest, arguments):
        for value in given:
            value.delete()
        raise jax.errors.JaxRuntimeError("out of memory")

    monkeypatch.setattr(entry, "run", failing)
    with pytest.raises(RuntimeError, match=r"state is gone.*load_checkpoint"):
        step(tensor(1.0))


@pytest.mark.parametrize("way", ["jit", "vmap", "jvp", "recompute"])
def test_a_tensor_that_leaks_says_so(way):
    kept = TraceNotes()
    WAYS[way](lambda x: kept.append(mul(x, 2.0)) or mul(x, 3.0), tensor(1.0, 2.0))
    with pytest.raises(RuntimeError, match=r"shape .*made inside a function.*Return it"):
        add(kept[0], 1.0)
    with pytest.raises(RuntimeError, match="made inside a function"):
        kept[0].asnumpy()


def test_a_tensor_kept_from_grad_is_an_ordinary_one():
    kept = []
    grad(lambda x: kept.append(mul(x, 2.0)) or mul(x, 3.0))(tensor(1.0, 2.0))
    np.testing.assert_array_equal(add(kept[0], 1.0).asnumpy(), [3.0, 5.0])
    assert not kept[0].requires_grad


@pytest.mark.parametrize(
    "use",
    [
        lambda x: [1 for _ in range(2) if x > 0],
        lambda x: x.item(),
        lambda x: x.asnumpy(),
        lambda x: range(3)[x],
        lambda x: x.reshape(x),
    ],
    ids=range(5),
)
def test_a_value_needed_in_a_trace_names_the_line_and_the_way_out(use):
    def step(x):
        y = total(x)
        use(y)
        return y

    with pytest.raises(RuntimeError, match=r"not known while.*test_deferred_errors\.py.*ops\.where"):
        jit(step)(tensor(*range(2000)))


def test_writing_under_somebody_elses_jit_names_functional_call():
    w = parameter(1.0)
    with pytest.raises(RuntimeError, match="functional_call"):
        jax.jit(lambda a: w.set_data(Tensor.from_array(a * 2)))(jnp.ones(1, jnp.float32))
    np.testing.assert_array_equal(w.asnumpy(), [1.0])


def test_a_batched_write_under_vmap_raises():
    w = parameter(1.0, 2.0)
    with pytest.raises(ValueError, match="differs from lane to lane"):
        vmap(lambda x: assign(w, mul(w, x)))(Tensor(jnp.ones((3, 2), jnp.float32)))
    np.testing.assert_array_equal(w.asnumpy(), [1.0, 2.0])


def test_operators_say_what_they_were_called_with():
    @op
    def halves(x):
        raise ValueError("`halves`: argument `x` must have an even size.")

    with pytest.raises(ValueError, match="even size") as info:
        halves(tensor(1.0, 2.0, 3.0))
    assert "`halves` was called with x: Tensor(shape=[3], dtype=Float32)." in info.value.__notes__


@pytest.mark.parametrize("argument", ["a", object(), {1, 2}], ids=["str", "object", "set"])
def test_what_is_no_tensor_is_refused(argument):
    with pytest.raises(TypeError, match="Received"):
        add(tensor(1.0), argument)


def test_loops_refuse_a_state_that_changes_its_type():
    def step(x):
        return control_flow.while_loop(lambda s: less(total(s), 10.0), lambda s: total(s), x)

    with pytest.raises(TypeError, match=r"keep its shapes"):
        jit(step)(tensor(1.0, 2.0))


def test_two_threads_differentiate_one_net_at_once():
    w = parameter(1.0, 2.0)
    found, wrong = {}, []

    def loss(x):
        return total(mul(sin(mul(x, w)), x))

    expected = [float(grad(loss, None, w)(tensor(float(i), 1.0)).asnumpy()[0]) for i in range(4)]
    compiled = jit(loss)
    compiled(tensor(0.0, 1.0))

    def work(i):
        try:
            for _ in range(50):
                both = [grad(loss, None, w), grad(compiled, None, w)][_ % 2]
                found[i] = float(both(tensor(float(i), 1.0)).asnumpy()[0])
                if abs(found[i] - expected[i]) > 1e-6:
                    wrong.append((i, found[i], expected[i]))
        except Exception as error:  # noqa: BLE001  for the main thread
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(found) == 4
    assert imperative.is_grad_enabled()


def test_ten_switches_of_train_mode_make_two_programs():
    class Flagged(Stateful):
        training = True

        def _flags(self):
            return (("training", self.training),)

        def _reachable(self):
            return []

        def __call__(self, x):
            self._record_use()
            return mul(x, 2.0) if self.training else mul(x, 3.0)

    from msjax.core.state import invalidate_guards

    net = Flagged()
    compiled = jit(lambda x: net(x))
    for i in range(10):
        net.training = i % 2 == 0
        invalidate_guards()
        assert compiled(tensor(1.0)).asnumpy()[0] == (2.0 if net.training else 3.0)
    assert compiled.programs == 2


@pytest.mark.parametrize(
    ("first", "second", "programs"),
    [
        (1, True, 2),
        (1, 1.0, 2),
        (1, 1, 1),
        ((1, 2), (1, 2), 1),
        ((1,), (True,), 2),
        ("a", "b", 2),
        (None, None, 1),
    ],
)
def test_static_arguments_are_told_apart_by_value_and_type(first, second, programs):
    compiled = jit(lambda x, s: (x, repr(s)))
    assert [compiled(tensor(1.0), s)[1] for s in (first, second)] == [repr(first), repr(second)]
    assert compiled.programs == programs


@pytest.mark.parametrize("recorded", [False, True], ids=["alone", "recorded"])
def test_a_step_that_raises_when_it_runs_leaves_its_state(recorded):
    w, total = parameter(1.0), tensor(0.0)
    seen = parameter(5.0)

    @jit
    def step(x):
        assign(w, add(w, x))
        assign(total, x)
        assign(seen, x)
        if w.sum() > 10:
            raise ValueError("too large")
        return mul(w, 2.0)

    def run(x):
        return grad(step)(x) if recorded else step(x)

    run(tensor(2.0))
    before = [box.asnumpy().tolist() for box in (w, total, seen)]
    assert before == [[3.0], [2.0], [2.0]]
    for _ in range(2):
        with pytest.raises(ValueError, match="too large"):
            run(tensor(20.0))
        assert [box.asnumpy().tolist() for box in (w, total, seen)] == before
    run(tensor(1.0))
    assert w.asnumpy().tolist() == [4.0]


def test_a_key_that_a_dict_lacks_is_both_of_pythons_and_of_mindspores_kind():
    @jit
    def f(x, key):
        return {"a": x}[key]

    assert f(Tensor(1), "a") == 1
    for kind in (KeyError, ValueError):
        with pytest.raises(kind, match="z"):
            f(Tensor(1), "z")


def test_division_of_a_number_by_0_is_both_of_pythons_and_of_mindspores_kind():
    @jit
    def f(x, n):
        return x + 1 // n

    assert f(Tensor(1), 1) == 2
    for kind in (ZeroDivisionError, ValueError):
        with pytest.raises(kind, match="zero"):
            f(Tensor(1), 0)


def test_an_exception_that_tells_tensors_of_the_function_can_be_read():
    @jit
    def f(x):
        y = [Tensor(1), (x, Tensor(2))]
        if x > 10:
            raise ValueError("seen", y[0])
        if x < 0:
            raise TypeError(y)
        return x

    assert f(Tensor(5)) == 5
    for x, kind, text in (
        (11, ValueError, "('seen', Tensor(shape=[], dtype=Int64, value= 1))"),
        (
            -3,
            TypeError,
            (
                "[Tensor(shape=[], dtype=Int64, value= 1), (Tensor(shape=[], dtype=Int64, value= -3), "
                "Tensor(shape=[], dtype=Int64, value= 2))]"
            ),
        ),
    ):
        with pytest.raises(kind) as caught:
            f(Tensor(x))
        assert str(caught.value) == text


def test_branches_that_do_not_join_say_so_in_mindspores_words():
    @jit
    def f(x):
        while x < 10:
            return Tensor([1, 2, 3])
        return 0

    @jit
    def g(x):
        return Tensor([1, 2, 3]) if x < 10 else 0

    for function in (f, g):
        with pytest.raises(TypeError, match="Cannot join the return values of different branches"):
            function(tensor(2.0))


def test_a_loop_whose_turn_raises_in_any_case():
    @jit
    def f(x):
        turns = Tensor(0)
        if x > 0:
            while turns < 2 and x > 3:
                turns = turns + 1
                raise ValueError(f"turn {turns} of {x}")
        for i in range(x - x):
            raise TypeError(f"{i}")
        return x, turns

    @jit
    def rows(x):
        for row in x:
            if row < 0:
                break
            raise ValueError("row")
        return x

    assert [t.asnumpy().tolist() for t in f(Tensor(1))] == [1, 0]
    with pytest.raises(ValueError, match="turn 1 of 5"):
        f(Tensor(5))
    assert rows(tensor(*[-1.0] * 40)).shape == (40,)
    with pytest.raises(ValueError, match="row"):
        rows(tensor(*[1.0] * 40))


def test_what_a_branch_after_a_return_assigns_and_nobody_reads():
    @jit
    def f(x, n):
        a, b = add(x, 1.0), mul(x, 2.0)
        if x > 1:
            if a <= 5 and b == 6:
                return a, b
            if n > 1:
                a = add(a, b)
            else:
                raise ValueError("small")
            return a, a
        return a, x

    found = [[t.asnumpy().item() for t in f(Tensor(x), 2)] for x in (0.0, 3.0, 4.0, 9.0)]
    assert found == [[1.0, 0.0], [4.0, 6.0], [13.0, 13.0], [28.0, 28.0]]
    with pytest.raises(ValueError, match="small"):
        f(Tensor(9.0), 1)
