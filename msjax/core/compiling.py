"""How XLA is asked to compile what, on CPU. Elsewhere, and where XLA does not know an option, it is asked nothing."""

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax

# What the older code generators do slowly: at 512 x 512 a transpose takes five times as long, a softmax 1.3 times, the
# others twice.
_SLOW_IF_QUICK = (("transpose",), ("scatter-add",), ("argmax",), ("argmin",), ("reduce_max", "exp"))


@functools.cache
def little_memory() -> dict[str, Any] | None:
    """For a program that recomputes: memory matters more than what could run side by side.

    XLA's default order of operations starts early whatever can start, and so keeps all that recomputation frees.
    """
    return _known({"xla_cpu_scheduler_type": "CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED"})


def by_itself(fn: Callable, general: Callable, arguments: Sequence[Any]) -> Callable:
    """The program of one operator for calls outside of any trace, where it may be compiled in its own way.

    Args:
        fn: the operator.
        general: it, compiled so that it may be called anywhere.
        arguments: of the first call.

    Returns:
        `general`, or another compiled form of `fn`, which raises ValueError in a trace (see `nested`).
    """
    options = _quick()
    if options is None:
        return general
    own = jax.jit(fn, compiler_options=options)
    jaxpr = own.trace(*arguments).jaxpr.jaxpr
    slow = any(all(contains(jaxpr, name) for name in names) for names in _SLOW_IF_QUICK)
    return general if slow else own


def contains(jaxpr: Any, name: str) -> bool:
    """Whether a primitive whose name has `name` in it occurs anywhere in a jaxpr."""
    for eqn in jaxpr.eqns:
        if name in eqn.primitive.name:
            return True
        for value in eqn.params.values():
            for inner in value if isinstance(value, list | tuple) else (value,):
                inner = getattr(inner, "jaxpr", inner)
                if hasattr(inner, "eqns") and contains(inner, name):
                    return True
    return False


def nested(error: ValueError) -> bool:
    """Whether JAX raised it because what is compiled with options was called in a trace, where it takes none."""
    return "compiler_options" in str(error)


def give_back_memory() -> None:
    """Return freed memory to the system, where the C library keeps it: before much is compiled, after much was traced."""
    trim = _trim()
    if trim is not None:
        trim(0)


@functools.cache
def _trim() -> Callable | None:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # not glibc
        return None


@functools.cache
def _quick() -> dict[str, Any] | None:
    """XLA's older code generators compile in half the time, and what they make of few loops is as fast.

    One operator is too little to be compiled in several threads, each of which would keep memory of its own.
    """
    return _known({"xla_cpu_use_fusion_emitters": False, "xla_cpu_parallel_codegen_split_count": 1})


def _known(options: dict[str, Any]) -> dict[str, Any] | None:
    if jax.default_backend() != "cpu":
        return None
    try:
        jax.jit(lambda: 0, compiler_options=options).lower().compile()
    except jax.errors.JaxRuntimeError:
        return None
    return options
