"""Operators defined by rows of a table, for those that differ from another in one function."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from jax import Array

from msjax.core.op.op import op
from msjax.ops.common.docstrings import documented_by


def define_family(
    module: str,
    define: Callable[[Callable], Callable],
    prepare: Callable,
    parameters: Sequence[inspect.Parameter],
    path: str,
) -> Callable[..., Callable]:
    """Return what makes the functions of one family from the rows of a table.

    Args:
        module: where they stand.
        define: makes the public function of one over arrays.
        prepare: takes the name of a function and its arrays; gives the arrays to compute with, or the one.
        parameters: of the functions.
        path: how examples call them: "ms.ops".

    Returns:
        A function of a name, what computes the result, the first line of the documentation, arguments of an example
        and what the example prints. `names` are the parameters, where they are called otherwise.
    """

    def row(
        name: str, compute: Callable, sentence: str, given: str, printed: str, names: str = ""
    ) -> Callable:
        taken = [
            p.replace(name=n)
            for p, n in zip(parameters, names.split() or [p.name for p in parameters], strict=True)
        ]

        def fn(*arrays: Array, **named: Array) -> Array:
            values = [*arrays, *(named[p.name] for p in taken if p.name in named)]
            prepared = prepare(name, *values)
            return compute(*prepared) if len(values) > 1 else compute(prepared)

        fn.__name__ = fn.__qualname__ = name
        fn.__module__ = module
        fn.__signature__ = inspect.Signature(taken, return_annotation=Array)  # type: ignore[attr-defined]
        fn.__annotations__ = {**{p.name: p.annotation for p in taken}, "return": Array}
        example = f">>> import msjax as ms\n    >>> print({path}.{name}({given}))\n    {printed}"
        fn.__doc__ = f"{sentence}\n\nExamples:\n    {example}\n"
        return define(fn)

    return row


def define_like(model: Any, prepare: Callable) -> Callable[..., Callable]:
    """Return what makes operators with the parameters, the settings and the documentation of another one.

    Args:
        model: the operator, which stands in the same file.
        prepare: takes the name of an operator and its arrays; gives the arrays to compute with, or the one.

    Returns:
        A function of a row, see :func:`define_family`.

    Examples:
        >>> import jax.numpy as jnp
        >>> from msjax import ops
        >>> from msjax.ops.common.function_families import define_like
        >>> rounded = define_like(ops.floor, lambda name, input: input)
        >>> nearest = rounded("nearest", jnp.rint, "Elementwise nearest whole number.", "ms.Tensor([1.6])", "[2.]")
        >>> print(nearest(ops.arange(3.0) / 2), nearest.__doc__.splitlines()[0])
        [0. 0. 1.] Elementwise nearest whole number.
    """

    def define(fn: Callable) -> Callable:
        return op(documented_by(model)(fn), promotes=model.record.promotes)

    parameters = list(inspect.signature(model.pure).parameters.values())
    return define_family(model.__module__, define, prepare, parameters, "ms.ops")
