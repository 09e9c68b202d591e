"""Settings that steer MindSpore's backends: checked, and without effect, because XLA decides what they would."""

from collections.abc import Callable
from typing import Any


def without_effect(
    name: str, sentence: str, argument: str, kinds: Any, options: tuple = (), example: Any = None
) -> Callable:
    """Return a function of one setting that checks it and does nothing.

    Args:
        name: of the function, with its module: "ascend.op_debug.debug_option".
        sentence: what the setting steers in MindSpore.
        argument: its name.
        kinds: its type.
        options: its values, if they are few.
        example: a value.
    """
    short = name.rpartition(".")[2]

    def check(value: Any) -> None:
        if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is int):
            raise TypeError(
                f"`{short}`: argument `{argument}` must be a {kinds.__name__}. Received: {argument}={value!r}."
            )
        if (options and value not in options) or (kinds is int and value < 1):
            rule = f"one of {list(options)}" if options else "at least 1"
            raise ValueError(
                f"`{short}`: argument `{argument}` must be {rule}. Received: {argument}={value!r}."
            )

    namespace = {"_check": check}
    exec(f"def {short}({argument}):\n    _check({argument})", namespace)
    made: Callable = namespace[short]  # type: ignore[assignment]
    among = f", one of {list(options)}" if options else ""
    made.__module__ = "msjax.device_context." + name.rpartition(".")[0]
    made.__doc__ = f"""{sentence} Checked, and without effect: XLA decides.

    Args:
        {argument} ({kinds.__name__}): the setting{among}.

    Raises:
        TypeError: if it is of another type.
        ValueError: if it is none of the values.

    Examples:
        >>> import msjax as ms
        >>> ms.device_context.{name}({example!r})
    """
    return made
