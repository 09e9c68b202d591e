"""`common._decorator`: `deprecated`, a decorator that warns."""

import functools
import warnings
from collections.abc import Callable


def deprecated(
    version: str, substitute: str, use_substitute_name: bool = False, module_prefix: str = ""
) -> Callable:
    """Decorate a deprecated function: every call warns.

    Args:
        version: since which a function is deprecated.
        substitute: what to use instead.
        use_substitute_name: name the substitute in place of the function.
        module_prefix: what the name is to begin with.

    Examples:
        >>> import warnings
        >>> from msjax.common._decorator import deprecated
        >>> @deprecated("2.0", "new")
        ... def old():
        ...     return 1
        >>> with warnings.catch_warnings(record=True, action="always") as met:
        ...     old()
        1
        >>> print(met[0].message)
        'old' is deprecated from version 2.0 and will be removed in a future version, use 'new' instead.
    """

    def mark(fn: Callable) -> Callable:
        name = module_prefix + (substitute if use_substitute_name else fn.__name__)

        @functools.wraps(fn)
        def called(*args: object, **kwargs: object) -> object:
            warnings.warn(
                f"'{name}' is deprecated from version {version} and will be removed in a future version, "
                f"use '{substitute}' instead.",
                DeprecationWarning,
                stacklevel=2,
            )
            return fn(*args, **kwargs)

        return called

    return mark
