"""XLA compiler options for programs on CPU; none elsewhere, nor where XLA does not know an option."""

import contextlib
import ctypes
import functools
import gc
import itertools
import mmap
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax

from msjax.core.xla import channels_last, jaxpr_queries

# What the older code generators do slowly: at 512 x 512 a transpose takes five times as long, a softmax 1.3 times, the
# others twice.
_SLOW_IF_QUICK = (("transpose",), ("scatter-add",), ("argmax",), ("argmin",), ("reduce_max", "exp"))
# Options that XLA has in every JAX that msjax may be used with: to ask takes as long as to compile a small operator.
_SURE = {
    "xla_cpu_copy_insertion_use_region_analysis",
    "xla_cpu_parallel_codegen_split_count",
    "xla_cpu_scheduler_type",
}
if jax.__version_info__ < (0, 11):
    _SURE.add("xla_cpu_use_fusion_emitters")
# Primitives of which XLA makes neither loops nor branches nor calls.
_STRAIGHT = jaxpr_queries.ELEMENTWISE | set(
    """
    argmax argmin broadcast_in_dim concatenate conv_general_dilated custom_jvp_call custom_vjp_call dot_general gather iota
    jit pad reduce_and reduce_max reduce_min reduce_or reduce_sum reshape rev slice split squeeze transpose
    """.split()
)
_MADE_BEFORE_FORGETTING = 8
_GROWN = 1.15

_made = itertools.count(1).__next__
_least = [0]  # bytes that the process held when it last gave some back


def of_program(jaxpr: Any, replaces: bool) -> dict[str, Any] | None:
    """For a compiled function.

    A program that overwrites state lets what reads the old state run before what overwrites it. XLA's default is to copy
    whatever is read and overwritten by operations of which neither needs the other: nearly every matrix of weights, which
    the gradient by the layer's input reads and the update overwrites. This is for programs without loops and branches,
    those that XLA makes of other primitives included, for in loops XLA's analysis finds too little in use: gradients came
    out wrong.

    One that computes again what would take memory is compiled for little memory: XLA's default order of operations
    starts early whatever can start, and so keeps all that this frees.

    Args:
        jaxpr: the function.
        replaces: whether it overwrites state.
    """
    used = set(jaxpr_queries.names(jaxpr))
    options = {}
    if replaces and used <= _STRAIGHT:
        options |= in_place() or {}
    if any("remat" in name for name in used):
        options |= little_memory() or {}
    return options or None


@functools.cache
def in_place() -> dict[str, Any] | None:
    """For a program without loops and branches that overwrites state."""
    return _known({"xla_cpu_copy_insertion_use_region_analysis": True})


@functools.cache
def little_memory() -> dict[str, Any] | None:
    """For a program that must take little memory, at the price of what could run side by side."""
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
    closed = own.trace(*arguments).jaxpr
    if any(all(jaxpr_queries.contains(closed.jaxpr, name) for name in names) for names in _SLOW_IF_QUICK):
        options = _in_one_thread()
        own = jax.jit(fn, compiler_options=options)
    if channels_last.wanted(closed):
        own = jax.jit(channels_last.laid(fn), compiler_options=options)
    if _made() % _MADE_BEFORE_FORGETTING == 0:
        forget_modules()
    return own


def nested(error: BaseException) -> bool:
    """Whether JAX raised it because what is compiled with options was called in a trace, where it takes none."""
    return isinstance(error, ValueError) and "compiler_options" in str(error)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
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


def forget_modules() -> None:
    """Let JAX forget what operators by themselves were compiled from.

    It keeps the MLIR module of every program, each in a context of more than a megabyte, for calls that differ from the
    first in nothing but where their arguments are. Such a call then compiles once more.
    """
    ours = {tuple(options.items()) for options in (_quick(), _in_one_thread()) if options}
    # A JAX that keeps them otherwise is left alone.
    with contextlib.suppress(AttributeError, ImportError, IndexError, TypeError):
        from jax._src import pjit
        from jax._src.interpreters import pxla

        for weak, _, arguments, _ in pjit._pjit_lower.cache_keys():
            if not ours.isdisjoint([a for a in arguments if type(a) is tuple]):
                pjit._pjit_lower.evict_weakref(weak())
        pxla._cached_lowering_to_hlo.cache_clear()  # what is compiled is found by the other one


def forget_module(jaxpr: Any) -> None:
    """The same for the program of one closed jaxpr."""
    with contextlib.suppress(AttributeError, ImportError):
        from jax._src import pjit

        pjit._pjit_lower.evict_weakref(jaxpr)


def give_back_memory() -> None:
    """Return freed memory to the system, where the C library keeps it: before much is compiled, after much was traced."""
    forget_modules()
    trim = _trim()
    if trim is not None:
        trim(0)
        _least[0] = _resident()


def give_back_much() -> None:
    """The same, if what the process holds has grown by much since; for it takes as long as some operators."""
    if _resident() > _least[0] * _GROWN:
        give_back_memory()


def _resident() -> int:
    """Bytes of memory that the process holds; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * mmap.PAGESIZE
    except OSError:
        return 0


@functools.cache
def _trim() -> Callable | None:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # not glibc
        return None


@functools.cache
def _quick() -> dict[str, Any] | None:
    """XLA's older code generators, where it has them, compile in half the time; what they make of few loops is as fast."""
    one = _in_one_thread()
    return one and (_known({"xla_cpu_use_fusion_emitters": False, **one}) or one)


@functools.cache
def _in_one_thread() -> dict[str, Any] | None:
    """One operator is too little to be compiled in several threads, each of which would keep memory of its own."""
    return _known({"xla_cpu_parallel_codegen_split_count": 1})


def _known(options: dict[str, Any]) -> dict[str, Any] | None:
    if jax.default_backend() != "cpu":
        return None
    if options.keys() <= _SURE:
        return options
    try:
        jax.jit(lambda: 0, compiler_options=options).lower().compile()
    except jax.errors.JaxRuntimeError:
        return None
    return options
