"""`parallel._auto_parallel_context`: the settings of `set_auto_parallel_context`, one method for each."""

from collections.abc import Callable
from typing import Any

from msjax.config import parallel_context as _settings


class _AutoParallelContext:
    """`get_parallel_mode()`, `set_parallel_mode(...)` and so on for every setting that there is."""

    def reset(self) -> None:
        """Reset every setting to its default."""
        _settings.reset_auto_parallel_context()

    def __getattr__(self, name: str) -> Callable:
        what, _, key = name.partition("_")
        if what == "get" and key:
            _settings.get_auto_parallel_context(key)  # an unknown one raises here
            return lambda: _settings.get_auto_parallel_context(key)
        if what == "set" and key:
            return lambda value: _settings.set_auto_parallel_context(**{key: value})
        raise AttributeError(name)


_context = _AutoParallelContext()


def auto_parallel_context() -> _AutoParallelContext:
    """Return the settings as an object.

    Examples:
        >>> from msjax.parallel._auto_parallel_context import auto_parallel_context
        >>> auto_parallel_context().get_parallel_mode()
        'stand_alone'
    """
    return _context


def _get_auto_parallel_context(attr_key: str) -> Any:
    return _settings.get_auto_parallel_context(attr_key)


def _set_auto_parallel_context(**kwargs: Any) -> None:
    _settings.set_auto_parallel_context(**kwargs)


def _reset_auto_parallel_context() -> None:
    _settings.reset_auto_parallel_context()
