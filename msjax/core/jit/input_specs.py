"""Input specifications of `Cell.set_inputs` and `enable_dynamic`, against which calls of compiled functions are checked."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from msjax.core.tensor import scalar_inputs
from msjax.core.tensor.tensor import Tensor
from msjax.core.trace.stateful import Stateful, is_forward_of

_ANY_RANK = -2


def check_call(fn: Any, owner: object, args: tuple, kwargs: dict[str, object]) -> None:
    """Check the arguments of a call that is about to be compiled.

    Args:
        fn: the function, method or Cell to compile.
        owner: its compiled form, which may have the specification.
        args: the arguments; the Cell is the first one of a function that is its method.
        kwargs: the keyword arguments.

    Raises:
        TypeError: for another dtype, or if one is a Tensor and the other is not.
        ValueError: for another shape, or another value of an argument that is no Tensor.
    """
    said = getattr(owner, "_declared", None) or getattr(fn, "_declared", None)
    if said is not None:
        return _check("enable_dynamic", inspect.signature(fn), said, args, kwargs)
    cell, given = _cell_of(fn, args)
    said = None if cell is None else cell._input_specs()
    if cell is not None and said:
        _check("set_inputs", cell._forward_signature(), said, given, kwargs)
    return None


def _cell_of(fn: object, args: tuple) -> tuple[Stateful | None, tuple]:
    """Return the Cell whose forward pass is compiled, if there is one, and the arguments without the Cell itself."""
    if isinstance(fn, Stateful):
        return fn, args
    bound = getattr(fn, "__self__", None)
    if is_forward_of(fn, bound):
        return bound, args
    if args and is_forward_of(fn, args[0]):
        return args[0], args[1:]
    return None, args


def _check(
    what: str,
    signature: inspect.Signature,
    said: Sequence[object] | Mapping[str, object],
    args: tuple,
    kwargs: dict[str, object],
) -> None:
    try:
        given = signature.bind(*args, **kwargs).arguments
        wanted = said if isinstance(said, Mapping) else signature.bind(*said).arguments
    except TypeError:  # the call itself will tell
        return
    for name, one in wanted.items():
        if name in given:
            check_fit(what, name, one, given[name])


def check_fit(what: str, name: str, said: Any, given: Any) -> None:
    """Check one argument against its specification.

    Raises:
        TypeError: for another dtype, or if one is a Tensor and the other is not.
        ValueError: for another shape, structure or value.
    """
    if isinstance(said, list | tuple) and isinstance(given, list | tuple):
        other_kind = type(said) is not type(given) and type(said) not in scalar_inputs.MARKED
        if other_kind or len(said) != len(given):
            raise ValueError(f"`{what}`: argument `{name}` must be like {said!r}. Received: {given!r}.")
        for i, (one, other) in enumerate(zip(said, given, strict=True)):
            check_fit(what, f"{name}[{i}]", one, other)
        return
    if isinstance(said, Tensor) != isinstance(given, Tensor):
        # A number marked `mutable` is a Tensor inside, so either description fits it.
        if type(given) not in scalar_inputs.KINDS and type(given) is not scalar_inputs.Number:
            raise TypeError(f"`{what}`: argument `{name}` must be like {said!r}. Received: {given!r}.")
        return
    if not isinstance(said, Tensor):
        if not isinstance(said, dict) and (type(said) is not type(given) or said != given):
            raise ValueError(f"`{what}`: argument `{name}` must be {said!r}. Received: {given!r}.")
        return
    if said.dtype != given.dtype:
        raise TypeError(
            f"`{what}`: argument `{name}` must have the dtype {said.dtype}. Received: {given.dtype}."
        )
    shape, other = tuple(said.shape), tuple(given.shape)
    if _ANY_RANK not in shape and (
        len(shape) != len(other) or any(n not in (-1, m) for n, m in zip(shape, other, strict=True))
    ):
        raise ValueError(
            f"`{what}`: argument `{name}` must have the shape {list(shape)}, -1 for any size. Received: {list(other)}."
        )
