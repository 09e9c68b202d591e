"""`torch.autograd.detect_anomaly`: raise where a backward pass computes NaN."""

import warnings
from typing import Any, Self

import jax.numpy as jnp

from msjax.core.state import state
from msjax.core.tape import nodes
from msjax.torch.tensors import grad_fn


class _Check:
    """Value of `state.checking` while anomalies are looked for."""

    def __init__(self, check_nan: bool) -> None:
        self.check_nan = check_nan

    def __call__(self, node: nodes.Node, gradients: list[nodes.Var | None]) -> None:
        if not self.check_nan:
            return
        refs = getattr(node, "refs", node.inputs)  # what gets no gradient counts, too
        places = [i for i, ref in enumerate(refs) if ref is not None]
        for place, gradient in zip(places, gradients, strict=True):
            if gradient is not None and jnp.isnan(gradient[0]).any():
                name = grad_fn.name_node(node)
                raise RuntimeError(f"Function '{name}' returned nan values in its {place}th output.")


def is_anomaly_enabled() -> bool:
    """Return True if anomalies are looked for."""
    return state.checking is not None


def is_anomaly_check_nan_enabled() -> bool:
    """Return True if NaN counts as one."""
    return state.checking is None or state.checking.check_nan  # type: ignore[attr-defined]


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Look for anomalies from here on, in this thread, or no longer."""
    state.checking = _Check(check_nan) if enabled else None


class set_detect_anomaly:  # noqa: N801
    """Look for anomalies from here on; as a context manager, for that extent only.

    Args:
        mode: False to look for none.
        check_nan: raise RuntimeError where an operator's backward pass gives NaN.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = state.checking
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> Any:
        return None

    def __exit__(self, *error: object) -> None:
        state.checking = self._before


class detect_anomaly(set_detect_anomaly):  # noqa: N801
    """Raise RuntimeError, inside of this context, where an operator's backward pass gives NaN.

    Backward passes are walked operator by operator then, and each result is looked at. Where the operator was called is not
    recorded.

    Args:
        check_nan: False to look for nothing.

    Examples:
        >>> from msjax import torch
        >>> x = torch.tensor([0.0], requires_grad=True)
        >>> with torch.autograd.set_detect_anomaly(True):
        ...     (x / x).backward()
        Traceback (most recent call last):
        ...
        RuntimeError: Function 'DivBackward0' returned nan values in its 1th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self._check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> Self:
        super().__init__(True, self._check_nan)
        return self
