"""Checks of constructor arguments of operator classes that MindSpore makes when the object is created."""

from collections.abc import Callable
from typing import Any

from msjax.ops.common import checks

Rule = Callable[[str, str, Any], None]


def _one_of(*options: str, typed: bool = False) -> Rule:
    def check(op: str, name: str, value: Any) -> None:
        if typed and not isinstance(value, str):
            checks.fail(TypeError, op, name, "be a str", f"{value!r} ({type(value).__name__})")
        if not isinstance(value, str) or value not in options:
            checks.fail(ValueError, op, name, f"be one of {list(options)}", repr(value))

    return check


def _at_least(low: int) -> Rule:
    def check(op: str, name: str, value: Any) -> None:
        _int(op, name, value)
        if value < low:
            checks.fail(ValueError, op, name, f"be at least {low}", value)

    return check


def _of(*kinds: type) -> Rule:
    def check(op: str, name: str, value: Any) -> None:
        if value is not None and not isinstance(value, kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            checks.fail(TypeError, op, name, f"be of type {wanted}", f"{value!r} ({type(value).__name__})")

    return check


def _int(op: str, name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        checks.fail(TypeError, op, name, "be an int", f"{value!r} ({type(value).__name__})")


def _window(op: str, name: str, value: Any) -> None:
    """Return a positive int or several."""
    if isinstance(value, bool) or not isinstance(value, int | tuple):
        checks.fail(TypeError, op, name, "be an int or a tuple", f"{value!r} ({type(value).__name__})")
    if value == () or any(
        isinstance(n, int) and n < 1 for n in (value if isinstance(value, tuple) else (value,))
    ):
        checks.fail(ValueError, op, name, "be positive", value)


_GROUP = {"group": _of(str)}
RULES: dict[str, dict[str, Rule]] = {
    "AllReduce": {"op": _of(str), **_GROUP},
    "ReduceScatter": {"op": _of(str), **_GROUP},
    "AllGather": _GROUP,
    "AlltoAll": {"split_count": _int, "split_dim": _int, "concat_dim": _int, **_GROUP},
    "AlltoAllV": _GROUP,
    "Broadcast": {"root_rank": _int, **_GROUP},
    "AvgPool": {"pad_mode": _of(str)},
    "BinaryCrossEntropy": {"reduction": _of(str)},
    "Conv2D": {"out_channel": _at_least(1), "kernel_size": _window},
    "Conv2DTranspose": {"kernel_size": _window},
    "DepthToSpace": {"block_size": _at_least(2)},
    "HShrink": {"lambd": _of(int, float)},
    "KLDivLoss": {"reduction": _one_of("none", "mean", "batchmean", "sum")},
    "L2Normalize": {"axis": _of(int, list, tuple)},
    "LRN": {"norm_region": _one_of("ACROSS_CHANNELS", typed=True)},
    "MaxPool": {
        "kernel_size": _window,
        "strides": _window,
        "pad_mode": _one_of("same", "valid", "SAME", "VALID", typed=True),
    },
    "MirrorPad": {"mode": _one_of("REFLECT", "SYMMETRIC")},
    "NLLLoss": {"reduction": _of(str)},
    "SmoothL1Loss": {"beta": _of(int, float)},
    "SoftShrink": {"lambd": _of(int, float)},
    "Softmax": {"axis": _of(int, tuple)},
    "SpaceToDepth": {"block_size": _at_least(2)},
}


def check_settings(op: str, settings: dict[str, Any]) -> None:
    """Raise for settings that break a rule.

    Raises:
        TypeError: if one is of another type.
        ValueError: if one is out of range.
    """
    for name, rule in RULES.get(op, {}).items():
        if name in settings:
            rule(op, name, settings[name])
    pad = settings.get("pad")
    padded = any(pad) if isinstance(pad, tuple) else pad
    if op == "Conv2D" and settings.get("pad_mode") in ("same", "valid") and padded:
        checks.fail(ValueError, op, "pad", f"be 0 with pad_mode={settings['pad_mode']!r}", pad)
