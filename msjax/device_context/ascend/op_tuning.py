"""Tuning of operators on Ascend."""

from typing import Any

from msjax.device_context._settings import without_effect

op_compile = without_effect(
    "ascend.op_tuning.op_compile", "Set whether operators are recompiled.", "value", bool, (), True
)
aoe_tune_mode = without_effect(
    "ascend.op_tuning.aoe_tune_mode",
    "Set when operators are tuned.",
    "tune_mode",
    str,
    ("online", "offline"),
    "online",
)
aoe_job_type = without_effect(
    "ascend.op_tuning.aoe_job_type", "Set the kind of tuning.", "config", str, ("1", "2"), "2"
)


def aclnn_cache(enable_global_cache: bool = False, cache_queue_length: Any = 10000) -> None:
    """Set how operators are cached. Checked, and without effect: XLA decides.

    Args:
        enable_global_cache: whether all networks share the cache.
        cache_queue_length: how many operators it holds.

    Raises:
        TypeError: if an argument is of another type.

    Examples:
        >>> import msjax as ms
        >>> ms.device_context.ascend.op_tuning.aclnn_cache(True, 10000)
    """
    for name, value, kind in (
        ("enable_global_cache", enable_global_cache, bool),
        ("cache_queue_length", cache_queue_length, int),
    ):
        if not isinstance(value, kind):
            raise TypeError(
                f"`aclnn_cache`: argument `{name}` must be a {kind.__name__}. Received: {name}={value!r}."
            )
