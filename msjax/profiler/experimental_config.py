"""Settings of MindSpore's profiler that JAX's does not have."""

from typing import Any

from msjax.profiler.common.constant import AicoreMetrics, ProfilerLevel


class _ExperimentalConfig:
    """Settings that steer the profiler of Ascend devices; kept as attributes, without effect.

    Args:
        profiler_level (ProfilerLevel): how much is recorded. Default: ProfilerLevel.Level0.
        aic_metrics (AicoreMetrics): counters. Default: AicoreMetrics.AiCoreNone.
        l2_cache (bool): record the cache. Default: False.
        mstx (bool): record marks; msjax always does. Default: False.
        data_simplification (bool): delete intermediate files. Default: True.
        export_type (list): formats. Default: None.
        mstx_domain_include (list): domains of marks. Default: None.
        mstx_domain_exclude (list): domains of marks. Default: None.
        sys_io (bool): record network cards. Default: False.
        sys_interconnection (bool): record links. Default: False.
        host_sys (list): what to record of the host. Default: None.
    """

    def __init__(
        self,
        profiler_level: ProfilerLevel = ProfilerLevel.Level0,
        aic_metrics: AicoreMetrics = AicoreMetrics.AiCoreNone,
        l2_cache: bool = False,
        mstx: bool = False,
        data_simplification: bool = True,
        export_type: list | None = None,
        mstx_domain_include: list | None = None,
        mstx_domain_exclude: list | None = None,
        sys_io: bool = False,
        sys_interconnection: bool = False,
        host_sys: list | None = None,
    ) -> None:
        settings: dict[str, Any] = {name: value for name, value in locals().items() if name != "self"}
        self.__dict__.update(settings)
