"""Settings of `torch` that are remembered and have no effect, since JAX decides; and the version."""

from typing import Any

from packaging.version import InvalidVersion, Version

_MODES = ("default", "warn", "error")
_PRECISIONS = ("highest", "high", "medium")
NAMES = """are_deterministic_algorithms_enabled get_deterministic_debug_mode get_float32_matmul_precision
get_num_interop_threads get_num_threads is_deterministic_algorithms_warn_only_enabled set_deterministic_debug_mode
set_float32_matmul_precision set_num_interop_threads set_num_threads use_deterministic_algorithms""".split()


class TorchVersion(str):
    """A version in print, which compares as a version with others, with strings and with tuples of numbers.

    Examples:
        >>> from msjax import torch
        >>> torch.__version__ >= "2.9", torch.__version__ > (2, 12), torch.__version__
        (True, True, '2.13.0')
    """

    __slots__ = ()

    def _parts(self, other: Any) -> tuple[Any, Any]:
        if isinstance(other, tuple | list):
            other = ".".join(map(str, other))
        try:
            return Version(self), Version(str(other))
        except InvalidVersion:  # compared as the strings that they are
            return str(self), str(other)

    def __lt__(self, other: Any) -> bool:
        own, theirs = self._parts(other)
        return own < theirs

    def __le__(self, other: Any) -> bool:
        own, theirs = self._parts(other)
        return own <= theirs

    def __gt__(self, other: Any) -> bool:
        own, theirs = self._parts(other)
        return own > theirs

    def __ge__(self, other: Any) -> bool:
        own, theirs = self._parts(other)
        return own >= theirs

    def __eq__(self, other: object) -> bool:
        own, theirs = self._parts(other)
        return own == theirs

    def __hash__(self) -> int:
        return str.__hash__(self)


VERSION = TorchVersion("2.13.0")
_settings: dict[str, Any] = {"mode": "default", "precision": "highest", "threads": 1, "interop_threads": 1}


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Remember whether operators must be deterministic; XLA's on CPU are."""
    _settings["mode"] = "default" if not mode else "warn" if warn_only else "error"


def are_deterministic_algorithms_enabled() -> bool:
    """Return True after :func:`use_deterministic_algorithms`."""
    return _settings["mode"] != "default"


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Return True after `use_deterministic_algorithms(True, warn_only=True)`."""
    return _settings["mode"] == "warn"


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Remember the mode: 0 or "default", 1 or "warn", 2 or "error"."""
    if isinstance(debug_mode, str):
        if debug_mode not in _MODES:
            raise RuntimeError(
                "invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got "
                + debug_mode
            )
        debug_mode = _MODES.index(debug_mode)
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    _settings["mode"] = _MODES[debug_mode]


def get_deterministic_debug_mode() -> int:
    """Return 0, 1 or 2; see :func:`set_deterministic_debug_mode`."""
    return _MODES.index(_settings["mode"])


def set_float32_matmul_precision(precision: str) -> None:
    """Remember the precision; JAX's is chosen by `jax.config.update("jax_default_matmul_precision", ...)`."""
    if precision not in _PRECISIONS:
        raise RuntimeError(
            f"Invalid float32 matmul precision {precision!r}: it is one of {', '.join(_PRECISIONS)}."
        )
    _settings["precision"] = precision


def get_float32_matmul_precision() -> str:
    """Return the precision that was set, "highest" before."""
    return _settings["precision"]


def set_num_threads(num: int) -> None:
    """Remember the number of threads, which XLA chooses."""
    _set_threads("threads", "set_num_threads", num)


def get_num_threads() -> int:
    """Return the number that was set, 1 before."""
    return _settings["threads"]


def set_num_interop_threads(num: int) -> None:
    """Remember the number of threads, which XLA chooses."""
    _set_threads("interop_threads", "set_num_interop_threads", num)


def get_num_interop_threads() -> int:
    """Return the number that was set, 1 before."""
    return _settings["interop_threads"]


def _set_threads(setting: str, name: str, num: Any) -> None:
    if not isinstance(num, int) or isinstance(num, bool):
        raise TypeError(f"{name} expects an int, but got {type(num).__name__}")
    if num <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    _settings[setting] = num
