"""Enums of the profiler. JAX records everything at one level, so most of them make no difference."""

from enum import Enum


class ProfilerLevel(Enum):
    """Level of detail of a recording: kept, without effect."""

    LevelNone = "LevelNone"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class ProfilerActivity(Enum):
    """Device to record: JAX records the host and its devices."""

    NPU = "NPU"
    GPU = "GPU"
    CPU = "CPU"


class AicoreMetrics(Enum):
    """Counters of Ascend devices: kept, without effect."""

    PipeUtilization = "PipeUtilization"
    ArithmeticUtilization = "ArithmeticUtilization"
    Memory = "Memory"
    MemoryL0 = "MemoryL0"
    MemoryUB = "MemoryUB"
    ResourceConflictRatio = "ResourceConflictRatio"
    L2Cache = "L2Cache"
    MemoryAccess = "MemoryAccess"
    AiCoreNone = "None"


class ExportType(Enum):
    """Formats of files: kept, without effect."""

    Db = "db"
    Text = "text"


class HostSystem(Enum):
    """Host statistics to record: kept, without effect."""

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"
