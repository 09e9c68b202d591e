"""`parallel._auto_parallel_context`: the settings of `set_auto_parallel_context`, one method for each.

Training steps of model collections ask it, `auto_parallel_context().get_device_num_is_set()` above all.
"""

from collections.abc import Callable
from typing import Any

from msjax.config import parallel_context as _settings

# What MindSpore's settings know beside those of `set_auto_parallel_context`: how its runtime joins communications. Kept.
_FUSION: dict[str, Any] = {
    "all_reduce_fusion_split_sizes": [],
    "enable_all_reduce_fusion": False,
    "enable_all_gather_fusion": False,
    "enable_reduce_scatter_fusion": False,
    "enable_fold_pipeline": False,
}
_OTHER_NAMES = {
    "strategy_search_mode": "search_mode",
    "all_reduce_fusion_split_indices": "all_reduce_fusion_config",
}
_OF_THE_OPTIMIZER = {
    "grad_accumulation_shard": ("gradient_accumulation_shard", False),
    "parallel_optimizer_threshold": ("parallel_optimizer_threshold", -1),
}


class _AutoParallelContext:
    """`get_parallel_mode()`, `set_parallel_mode(...)` and so on for every setting, `get_device_num_is_set()` for four."""

    def __init__(self) -> None:
        self._fusion = dict(_FUSION)

    def reset(self) -> None:
        """Reset every setting to its default."""
        self._fusion = dict(_FUSION)
        _settings.reset_auto_parallel_context()

    def get_device_num_is_set(self) -> bool:
        """Tell whether the number of devices was set."""
        return _settings.is_set("device_num")

    def get_global_rank_is_set(self) -> bool:
        """Tell whether the rank was set."""
        return _settings.is_set("global_rank")

    def get_parameter_broadcast_is_set(self) -> bool:
        """Tell whether `parameter_broadcast` was set."""
        return _settings.is_set("parameter_broadcast")

    def set_all_reduce_fusion_split_indices(self, indices: list[int], group: str = "") -> None:
        """Set after which gradients MindSpore's runtime starts another communication; kept."""
        _settings.set_auto_parallel_context(all_reduce_fusion_config=indices)

    def get_all_reduce_fusion_split_indices(self, group: str = "") -> list[int]:
        """Return after which gradients MindSpore's runtime would start another communication."""
        how = _settings.get_auto_parallel_context("comm_fusion")["allreduce"]
        given = _settings.get_auto_parallel_context("all_reduce_fusion_config")
        return how["config"] if how["mode"] == "index" and not given else given

    def fusion_threshold_mb(self) -> int:
        """Return how many MB of gradients MindSpore's runtime would sum at once."""
        return self._threshold("allreduce")

    def allgather_fusion_threshold_mb(self) -> int:
        """Return how many MB of Parameters MindSpore's runtime would gather at once."""
        return self._threshold("allgather")

    def reducescatter_fusion_threshold_mb(self) -> int:
        """Return how many MB of gradients MindSpore's runtime would sum and scatter at once."""
        return self._threshold("reducescatter")

    def _threshold(self, collective: str) -> int:
        how = _settings.get_auto_parallel_context("comm_fusion")[collective]
        return how["config"] if how["mode"] == "size" else 64

    def get_enable_all_reduce_fusion(self) -> bool:
        """Tell whether MindSpore's runtime would join communications."""
        return self._fusion["enable_all_reduce_fusion"] or _settings.is_set("all_reduce_fusion_config")

    def __getattr__(self, name: str) -> Callable:
        what, _, key = name.partition("_")
        key = _OTHER_NAMES.get(key, key)
        if what not in ("get", "set") or not (
            key in _FUSION or key in _OF_THE_OPTIMIZER or _settings.is_known(key)
        ):
            raise AttributeError(f"`auto_parallel_context`: there is no setting for {name!r}.")
        if key in _FUSION:
            return self._get_fusion(key) if what == "get" else self._set_fusion(key)
        if what == "get" and key in _OF_THE_OPTIMIZER:
            setting, default = _OF_THE_OPTIMIZER[key]
            return lambda: _settings.get_auto_parallel_context("parallel_optimizer_config").get(
                setting, default
            )
        if what == "get":
            return lambda: _settings.get_auto_parallel_context(key)
        return lambda value: _settings.set_auto_parallel_context(**{key: value})

    def _get_fusion(self, key: str) -> Callable[..., Any]:
        return lambda group="": self._fusion[key]

    def _set_fusion(self, key: str) -> Callable[..., None]:
        return lambda value, group="": self._fusion.update({key: value})


_context = _AutoParallelContext()


def auto_parallel_context() -> _AutoParallelContext:
    """Return the settings as an object.

    Examples:
        >>> from msjax.parallel._auto_parallel_context import auto_parallel_context
        >>> auto_parallel_context().get_parallel_mode(), auto_parallel_context().get_device_num_is_set()
        ('stand_alone', False)
    """
    return _context


def _get_auto_parallel_context(attr_key: str) -> Any:
    return _settings.get_auto_parallel_context(attr_key)


def _set_auto_parallel_context(**kwargs: Any) -> None:
    _settings.set_auto_parallel_context(**kwargs)


def _reset_auto_parallel_context() -> None:
    _context.reset()
