"""Names of MindSpore's compiled extension that published networks import. Its other names raise when they are used."""

from typing import Any

import numpy as np

from msjax.core.autodiff.grad_node import pyboost_detach as pyboost_detach
from msjax.core.autodiff.grad_node import run_backward as run_backward
from msjax.core.jit.pijit import get_code_extra as get_code_extra
from msjax.core.tensor.tensor import Tensor as Tensor
from msjax.public_api import placeholders

_ABSENT = """ParamInfo swap_cache is_reboot_node
_framework_profiler_step_start _framework_profiler_step_end""".split()


def _random_normal(seed: int, arr: np.ndarray, mean: float, sigma: float) -> None:
    """Fill an array with normally distributed numbers.

    Examples:
        >>> import numpy as np
        >>> from msjax._c_expression import _random_normal
        >>> values = np.zeros(1000, np.float32)
        >>> _random_normal(1, values, 5.0, 0.1)
        >>> bool(abs(values.mean() - 5.0) < 0.05)
        True
    """
    arr[...] = np.random.default_rng(seed).normal(mean, sigma, arr.shape)


def _random_uniform(seed: int, arr: np.ndarray, a: float, b: float) -> None:
    """Fill an array with numbers that are uniformly distributed in [a, b)."""
    arr[...] = np.random.default_rng(seed).uniform(a, b, arr.shape)


class MSContext:
    """Device queries of MindSpore's `MSContext`. No device here is an Ascend.

    Examples:
        >>> from msjax._c_expression import MSContext
        >>> MSContext.get_instance().get_ascend_soc_version()
        ''
    """

    @staticmethod
    def get_instance() -> "MSContext":
        """Return the only object."""
        return _CONTEXT

    def get_ascend_soc_version(self) -> str:
        """Return the kind of Ascend: none."""
        return ""

    def is_ascend_plugin_loaded(self) -> bool:
        """Return False: MindSpore's Ascend plugin is not loaded."""
        return False

    def is_pkg_support_device(self, device: str) -> bool:
        """Return True if programs can run on a device, "CPU" or "GPU" (never "Ascend")."""
        return device in ("CPU", "GPU")


_CONTEXT = MSContext()


def __getattr__(name: str) -> Any:
    if name in _ABSENT:
        return placeholders.placeholder("mindspore._c_expression", name, tuple)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
