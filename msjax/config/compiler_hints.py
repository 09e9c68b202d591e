"""Hints to MindSpore's compiler: arguments are checked, and there is no effect, because XLA decides."""

import functools
import gc
from collections.abc import Callable
from typing import Any

# Levels of Python syntax that MindSpore's compiler accepts; msjax accepts the same under each.
STRICT, COMPATIBLE, LAX = 0, 1, 2


def lazy_inline(fn: Callable | None = None, attrs: Any = None, policy: Any = None) -> Any:
    """Mark a Cell's `__init__` so that MindSpore compiles the Cell once. It has no effect here.

    Args:
        fn: the `__init__`.
        attrs: names of attributes to set; has no effect.
        policy: None or "front".

    Returns:
        `fn`.

    Raises:
        ValueError: if `policy` is neither.

    Examples:
        >>> import msjax as ms
        >>> class Net(ms.nn.Cell):
        ...     @ms.lazy_inline
        ...     def __init__(self):
        ...         super().__init__()
        >>> isinstance(Net(), ms.nn.Cell)
        True
    """
    if policy not in (None, "front"):
        raise ValueError(
            f"`lazy_inline`: argument `policy` must be None or 'front'. Received: policy={policy!r}."
        )
    return functools.partial(lazy_inline, attrs=attrs, policy=policy) if fn is None else fn


def no_inline(fn: Callable | None = None) -> Any:
    """Mark a function that MindSpore must not inline. It has no effect here: XLA decides.

    Args:
        fn: the function.

    Returns:
        `fn`.

    Raises:
        ValueError: if it is None.

    Examples:
        >>> import msjax as ms
        >>> @ms.no_inline
        ... def f(x):
        ...     return x + 1
        >>> f(1)
        2
    """
    if fn is None:
        raise ValueError("`no_inline`: argument `fn` must be a function. Received: fn=None.")
    return fn


def enable_dynamic(**kwargs: Any) -> Callable:
    """Declare which sizes of a compiled function's arguments vary. Here each size compiles a program of its own.

    Args:
        kwargs: for arguments, Tensors with None in their shape. An argument of another dtype raises TypeError when the
            function is called, one of another shape ValueError.

    Returns:
        A decorator that gives back its function.

    Examples:
        >>> import msjax as ms
        >>> @ms.enable_dynamic(x=ms.Tensor(shape=(None, 2), dtype=ms.float32))  # doctest: +SKIP
        ... def f(x):
        ...     return x + 1
    """
    if not kwargs:
        raise ValueError("`enable_dynamic`: name an argument. Received: none.")

    def declare(fn: Callable) -> Callable:
        fn._declared = kwargs  # type: ignore[attr-defined]
        return fn

    return declare


def set_recursion_limit(recursion_limit: int = 1000) -> None:
    """Accept MindSpore's limit of nested calls while compiling. Python's own limit holds here: `sys.setrecursionlimit`.

    Args:
        recursion_limit: at least 1.

    Raises:
        ValueError: if it is no int, or less.

    Examples:
        >>> import msjax as ms
        >>> ms.set_recursion_limit(10000)
    """
    if isinstance(recursion_limit, bool) or not isinstance(recursion_limit, int) or recursion_limit < 1:
        raise ValueError(
            f"`set_recursion_limit`: argument `recursion_limit` must be an int of at least 1. Received: {recursion_limit!r}."
        )


def ms_memory_recycle() -> None:
    """Run Python's garbage collector.

    Examples:
        >>> import msjax as ms
        >>> ms.ms_memory_recycle()
    """
    gc.collect()


def set_dump(target: Any, enabled: bool = True) -> None:
    """Mark a Cell or Primitive whose results MindSpore writes to files on Ascend. There is no such file here.

    Args:
        target: the Cell or Primitive.
        enabled: accepted for MindSpore's signature.

    Raises:
        NotImplementedError: always.

    Examples:
        >>> import msjax as ms
        >>> ms.set_dump(ms.nn.ReLU())
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    raise NotImplementedError(
        "`set_dump` works on Ascend devices only. To look at a Cell's results use `Cell.register_forward_hook`."
    )


def forbid_reuse(fn: Callable) -> Callable:
    """Mark a function whose compiled graph MindSpore must not use elsewhere; it has no effect here.

    Examples:
        >>> from msjax.config.compiler_hints import forbid_reuse
        >>> forbid_reuse(abs)(-1)
        1
    """
    return fn
