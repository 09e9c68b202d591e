"""`MsDispatchMode`: intercept operators before they run."""

import contextlib
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Self

from msjax.core.state import override_state, state

# MindSpore's names where they are not the function's with a capital at each word.
_NAMES = {
    "add": "AddExt", "sub": "SubExt", "matmul": "MatMulExt", "matrix_product": "MatMulExt", "floor_divide": "FloorDiv",
    "remainder": "FloorMod", "gt": "Greater", "ge": "GreaterEqual", "lt": "Less", "le": "LessEqual", "eq": "Equal",
    "ne": "NotEqual", "relu": "ReLU", "gelu": "GeLU", "elu": "Elu", "silu": "SiLU", "sum": "SumExt", "mean": "MeanExt",
    "astype": "Cast", "where": "Select", "bmm": "BatchMatMul", "asin": "Asin", "acos": "ACos", "bias_add": "BiasAdd",
    "conv2d": "Conv2D", "cumsum": "CumsumExt", "integer_pow": "Pow", "converted": "Cast", "reversed_axes": "Transpose",
}  # fmt: skip
_WITH_NUMBERS = {"mul": "Muls", "div": "Divs"}


class OpFunc:
    """An operator that is about to run; calling it with the arguments runs it.

    Args:
        call: the operator, of (arrays, statics).
        record: its description.
        arguments: those of this call, by their names.
    """

    def __init__(
        self, call: Callable[[tuple, tuple], Any], record: Any, arguments: dict[str, object]
    ) -> None:
        self._call = call
        self._record = record
        self.name = _show_arguments(record.name, list(arguments.values()))

    def __call__(self, *args: Any) -> Any:
        """Run the operator; arguments that are left out have their defaults."""
        record = self._record
        parameters = _parameters(record.pure, record.random)
        given = {p.name: p.default for p in parameters} | dict(
            zip([p.name for p in parameters], args, strict=False)
        )
        return self._call(
            tuple(given[name] for name in record.arrays), tuple(given[name] for name in record.static)
        )

    def __repr__(self) -> str:
        return f"<operator {self.name}>"


class MsDispatchMode(contextlib.ContextDecorator):
    """Context manager: inside, operators are passed to `__ms_dispatch__` instead of being run.

    Of several, the innermost gets the operator first; operators that it runs go to the next one. Names of operators are
    MindSpore's where programs often meet them, and otherwise made of the function's: `Softmax` of `softmax`. Operators of a
    compiled function are seen while it is being compiled.

    Examples:
        >>> import msjax as ms
        >>> class Log(ms.MsDispatchMode):
        ...     def __ms_dispatch__(self, func, args, kwargs=None):
        ...         print(func.name, len(args))
        ...         return func(*args)
        >>> with Log():
        ...     x = ms.Tensor(2.0) * 3
        ...     y = x.exp()
        Muls 2
        Exp 1
    """

    _entered: Sequence[Any] = ()  # subclasses may have an `__init__` that does not call this one's

    def __enter__(self) -> Self:
        entered = override_state(dispatch=functools.partial(_hand_over, self, state.dispatch))
        entered.__enter__()
        self._entered = [*self._entered, entered]
        return self

    def __exit__(self, *error: object) -> bool:
        *self._entered, last = self._entered
        last.__exit__(None, None, None)
        return False

    def __ms_dispatch__(self, func: Callable, args: tuple, kwargs: dict | None = None) -> Any:
        """Handle an operator that is about to run; to run it, call `func`.

        Args:
            func (OpFunc): the operator, with its `name`.
            args (tuple): its arguments.
            kwargs (dict, None): None.

        Returns:
            The result.
        """
        return func(*args)


def _hand_over(
    mode: MsDispatchMode, outer: Any, call: Callable, record: Any, arrays: tuple, statics: tuple
) -> Any:
    given = dict(zip(record.arrays, arrays, strict=True)) | dict(zip(record.static, statics, strict=True))
    arguments = {p.name: given[p.name] for p in _parameters(record.pure, record.random)}
    # While the handler runs the mode is off, or an operator in it would come back to it for ever.
    with override_state(dispatch=outer):
        return mode.__ms_dispatch__(OpFunc(call, record, arguments), tuple(arguments.values()), None)


@functools.cache
def _parameters(fn: Callable, random: bool) -> list[inspect.Parameter]:
    return list(inspect.signature(fn).parameters.values())[1 if random else 0 :]


def _show_arguments(name: str, arguments: Sequence[object]) -> str:
    if name in _WITH_NUMBERS and any(isinstance(a, bool | int | float) for a in arguments):
        return _WITH_NUMBERS[name]
    return _NAMES.get(name) or "".join(word[:1].upper() + word[1:] for word in name.split("_"))
