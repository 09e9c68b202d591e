"""XLA compiler options for programs on CPU; none elsewhere, nor where XLA does not know an option."""

import contextlib
import functools
import gc
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, Jaxpr

from msjax.core.xla import channels_last, jaxpr_queries

Options = dict[str, bool | int | str]

# What the older code generators do slowly: at 512 x 512 a transpose takes five times as long, a softmax 1.3 times, the
# others twice.
_SLOW_IF_QUICK = (("transpose",), ("scatter-add",), ("argmax",), ("argmin",), ("reduce_max", "exp"))
# They also compile many results slowly: 0.09 s for the 8 arrays of an optimizer's update either way, 2.0 s instead of
# 0.15 s for 200.
_MOST_RESULTS_IF_QUICK = 8
# Options that XLA has in every JAX that msjax may be used with: to ask takes as long as to compile a small operator.
_SURE = {
    "xla_cpu_parallel_codegen_split_count",
    "xla_cpu_scheduler_type",
}
if jax.__version_info__ < (0, 11):
    _SURE.add("xla_cpu_use_fusion_emitters")


def of_program(jaxpr: Jaxpr | ClosedJaxpr) -> Options | None:
    """Return the options for a compiled function.

    Programs that use `jax.checkpoint` get XLA's scheduler for little memory: the default one starts early whatever can
    start, recomputation included, and so keeps alive all that this frees.
    """
    return little_memory() if jaxpr_queries.contains(jaxpr, "remat") else None


@functools.cache
def little_memory() -> Options | None:
    """Return options that save memory, at the price of less parallelism."""
    return _known_options({"xla_cpu_scheduler_type": "CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED"})


@functools.cache
def keeping_barriers() -> Options | None:
    """Return options for programs with `lax.optimization_barrier`, which XLA's older code generators drop.

    Some environments choose these in XLA_FLAGS, because they compile quickly (`_quick`).
    """
    chosen = "xla_cpu_use_fusion_emitters=false" in os.environ.get("XLA_FLAGS", "").lower()
    return _known_options({"xla_cpu_use_fusion_emitters": True}) if chosen else None


def jit_operator(fn: Callable, general: Callable, arguments: Sequence[object]) -> Callable:
    """Return the program of one operator for calls outside of any trace, where it may be compiled in its own way.

    Args:
        fn: the operator.
        general: it, compiled so that it may be called anywhere.
        arguments: of the first call.

    Returns:
        `general`, or another compiled form of `fn`, which raises ValueError in a trace (see `is_inside_trace_error`).
    """
    options = _quick()
    if options is None:
        return general
    own = jax.jit(fn, compiler_options=options)
    closed = own.trace(*arguments).jaxpr
    slow = any(all(jaxpr_queries.contains(closed.jaxpr, name) for name in names) for names in _SLOW_IF_QUICK)
    if slow or len(closed.jaxpr.outvars) > _MOST_RESULTS_IF_QUICK:
        options = _in_one_thread()
        own = jax.jit(fn, compiler_options=options)
    if channels_last.pays_off(closed):
        own = jax.jit(channels_last.with_channels_last(fn), compiler_options=options)
    return own


def compile_ahead(fn: Callable, general: Callable, arguments: Sequence[object]) -> Callable:
    """Compile like `jit_operator`, for arguments of the same shapes, dtypes and places alone: others raise an error.

    For every function that it compiles, JAX keeps the MLIR module in a context of more than a megabyte, as long as the
    function lives. Here it is one that nobody keeps.
    """
    own: Any = jit_operator(lambda *given: fn(*given), general, arguments)
    return general if own is general else own.lower(*arguments).compile()


def is_inside_trace_error(error: BaseException) -> bool:
    """Return True if JAX raised it because what is compiled with options was called in a trace, where it takes none."""
    return isinstance(error, ValueError) and "compiler_options" in str(error)


@contextlib.contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Let Python's collector of cycles wait while a program is made.

    So much is allocated then that it looks through all there is several times, for a tenth of the time, and most of what
    it finds is still in use.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@functools.cache
def _quick() -> Options | None:
    """XLA's older code generators, where it has them, compile in half the time; what they make of few loops is as fast."""
    one = _in_one_thread()
    return one and (_known_options({"xla_cpu_use_fusion_emitters": False, **one}) or one)


@functools.cache
def _in_one_thread() -> Options | None:
    """Return options for one thread: one operator is too little for several, and each would keep memory of its own."""
    return _known_options({"xla_cpu_parallel_codegen_split_count": 1})


def _known_options(options: Options) -> Options | None:
    if jax.default_backend() != "cpu":
        return None
    if options.keys() <= _SURE:
        return options
    try:
        jax.jit(lambda: 0, compiler_options=options).lower().compile()
    except jax.errors.JaxRuntimeError:
        return None
    return options
