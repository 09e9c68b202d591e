"""`ops.primitive`: Primitive classes and the functions that make them."""

from typing import Any

from msjax import ops


def _run_op(obj: Any, op_name: str, args: tuple) -> Any:
    """Call a Primitive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive import _run_op
        >>> print(_run_op(ms.ops.Add(), "Add", (ms.Tensor(1), 2)))
        3
    """
    return obj(*args)


def __getattr__(name: str) -> Any:
    return getattr(ops, "constexpr" if name == "_primexpr" else name)
