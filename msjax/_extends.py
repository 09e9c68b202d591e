"""`cell_attr_register`, under the path that published networks import it from."""

import functools
import inspect
from collections.abc import Callable
from typing import Any


def cell_attr_register(fn: Callable | None = None, attrs: list[str] | str | None = None) -> Callable:
    """Decorates the `__init__` of a Cell: `cell_init_args` then says with what the Cell was made.

    Args:
        fn: the `__init__`.
        attrs: names of attributes whose values are kept. Default: the arguments of the call.

    Raises:
        ValueError: when the Cell is made, if `attrs` is not a string or a list of them.

    Examples:
        >>> from msjax import nn
        >>> from msjax._extends import cell_attr_register
        >>> class Scale(nn.Cell):
        ...     @cell_attr_register(attrs=["factor"])
        ...     def __init__(self, factor):
        ...         super().__init__()
        ...         self.factor = factor
        >>> Scale(3).cell_init_args
        'Scale[3]'
    """
    if fn is None:
        return functools.partial(cell_attr_register, attrs=attrs)
    named = [attrs] if isinstance(attrs, str) else attrs
    if not (named is None or (isinstance(named, list) and all(isinstance(name, str) for name in named))):
        raise ValueError(
            f"`cell_attr_register`: argument `attrs` must be a string or a list of strings. Received: {attrs!r}."
        )

    @functools.wraps(fn)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        fn(self, *args, **kwargs)
        if named is None:
            kept = [*inspect.signature(fn).bind(self, *args, **kwargs).arguments.values()][1:]
        else:
            kept = [getattr(self, name) for name in named if hasattr(self, name)]
        shown = kept[0] if isinstance(attrs, str) and kept else kept
        self.cell_init_args = f"{type(self).__name__}{shown}"

    return init
