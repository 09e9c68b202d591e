"""`common.api`: compilation (`core.jit`), and the executors that programs and test suites use."""

from collections.abc import Callable
from typing import Any

from msjax.config import compiler_hints as _settings
from msjax.config.compiler_hints import ms_memory_recycle as ms_memory_recycle
from msjax.core.autodiff.imperative import no_grad as _no_grad  # noqa: F401
from msjax.core.autodiff.imperative import set_grad_enabled as _set_grad_enabled
from msjax.core.jit import jit as _compilation
from msjax.core.jit.jit import jit as jit
from msjax.core.jit.jit import jit_class as jit_class
from msjax.core.state import NO_GRAD, state
from msjax.core.tensor.parameter import check_unique as _check_unique
from msjax.hal.stream import synchronize

__all__ = ["jit", "jit_class", "ms_memory_recycle"]


class _PyNativeExecutor:
    """Eager execution queries, as MindSpore's `_pynative_executor`.

    Examples:
        >>> from msjax.common.api import _pynative_executor
        >>> _pynative_executor.sync()
        >>> _pynative_executor.enable_grad()
        True
    """

    def sync(self) -> None:
        """Wait until everything that was begun is computed; raise what failed there."""
        synchronize()

    def enable_grad(self) -> bool:
        """Return True if operations are recorded for gradients."""
        return state.mode is not NO_GRAD

    def set_enable_grad(self, flag: bool) -> None:
        """Switch recording for gradients on or off."""
        _set_grad_enabled(flag)

    def set_grad_flag(self, flag: bool) -> None:
        """Set whether operations will be differentiated. They are recorded in any case, so this has no effect."""

    def requires_grad(self) -> bool:
        """Return True if operations are recorded for gradients."""
        return self.enable_grad()

    def __getattr__(self, name: str) -> Callable:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotImplementedError(
            f"`_pynative_executor.{name}` belongs to MindSpore's own engine; msjax has `sync`, `enable_grad` and"
            " `set_enable_grad`."
        )


class _CellGraphExecutor:
    """Ahead-of-time compilation of a network, as MindSpore's `_cell_graph_executor`.

    Examples:
        >>> import msjax as ms
        >>> from msjax.common.api import _cell_graph_executor
        >>> _cell_graph_executor.compile(ms.nn.ReLU(), ms.Tensor([1.0]))[1]
        True
    """

    def compile(
        self, obj: Any, *args: Any, phase: str = "predict", do_convert: bool = True, jit_config_dict: Any = None,
        **kwargs: Any,
    ) -> tuple[str, bool]:  # fmt: skip
        """Compile a Cell or function for arguments like these.

        Returns:
            A name for the program, and True.

        Raises:
            ValueError: if two Parameters of a Cell have one name.
        """
        if hasattr(obj, "parameters_and_names"):
            _check_unique(parameter for _, parameter in obj.parameters_and_names())
        getattr(obj, "compile", _compilation.jit(obj))(*args, **kwargs)
        return f"{phase}.{type(obj).__name__}.{id(obj)}", True

    def __call__(self, obj: Any, *args: Any, phase: str = "predict") -> Any:
        """Call it, compiled."""
        return _compilation.jit(obj)(*args)

    run = __call__

    def __getattr__(self, name: str) -> Callable:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotImplementedError(
            f"`_cell_graph_executor.{name}` belongs to MindSpore's own graphs; msjax has `compile` and `run`."
        )


_pynative_executor = _PyNativeExecutor()
_cell_graph_executor = _executor = _CellGraphExecutor()


def __getattr__(name: str) -> Any:
    return getattr(_compilation if hasattr(_compilation, name) else _settings, name)
