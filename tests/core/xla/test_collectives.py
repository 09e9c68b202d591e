"""The order of programs that communicate, and what becomes of one that fails; `tests/communication` runs real ones."""

import threading

import jax
import numpy as np
import pytest

from msjax.core.xla import collectives


@jax.jit
def work(x):
    """Compute for a tenth of a second, in a thread of XLA's."""
    return jax.lax.fori_loop(0, 100, lambda i, x: jax.numpy.tanh(x @ x), x).sum()


class Failed:
    """The result of a program that has failed, as a process is gone."""

    size, dtype = 1, np.dtype(np.float32)

    def is_deleted(self):
        return False

    def is_ready(self):
        return True

    def block_until_ready(self):
        raise jax.errors.JaxRuntimeError("Connection closed by peer")


@pytest.fixture
def last(monkeypatch):
    monkeypatch.setattr(collectives, "_keeps_calls_in_order", lambda: True)
    return collectives._LastCall()


def test_a_failed_program_is_reported_by_the_next_call_and_only_once(last):
    last.note(Failed())
    with pytest.raises(jax.errors.JaxRuntimeError, match="closed by peer"):
        last.check()
    last.check()


def test_another_thread_waits_for_the_last_call(last):
    found = []
    result = work(jax.numpy.ones((300, 300)))
    last.note(result)
    last.check()  # the same thread goes on
    other = threading.Thread(target=lambda: (last.check(), found.append(result.is_ready())))
    other.start()
    other.join(10)
    assert found == [True]


@pytest.mark.parametrize("in_order", [True, False])
def test_results_are_waited_for_at_once_where_nothing_else_keeps_the_order(in_order, last, monkeypatch):
    monkeypatch.setattr(collectives, "_keeps_calls_in_order", lambda: in_order)
    last.note(jax.numpy.ones(4))
    assert (last.result is not None) == in_order
    last.note(jax.numpy.ones(1 << 19))  # 2 MB
    assert last.result is None


def test_a_result_whose_memory_was_reused_is_waited_for_too(last):
    result = jax.numpy.ones(4)
    last.note(result)
    later = jax.jit(lambda x: x + 1, donate_argnums=0)(result)
    assert result.is_deleted()
    last.check()
    last.wait()
    assert last.result is None
    assert later.is_ready()
