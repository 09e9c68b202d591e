"""Accelerators that are not here: what to compile for, and what a compiled program says of memory, work and links.

TPU's compiler is in libtpu, CUDA's in `jax[cuda13]`; neither needs the device.
"""

import collections
import os
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")

from jax.experimental import topologies


class Kind(NamedTuple):
    """A kind of device, as its maker describes it.

    Attributes:
        flops: bfloat16 operations a second.
        bandwidth: bytes a second from memory.
        memory: bytes.
        shapes: for a number of devices, the arrangement of which they are taken.
    """

    flops: float
    bandwidth: float
    memory: float
    shapes: dict[int, str]


_SQUARES = {4: "2x2", 64: "8x8", 256: "16x16"}
KINDS = {
    "v5e": Kind(197e12, 819e9, 16 * 2**30, _SQUARES),
    "v6e": Kind(918e12, 1640e9, 32 * 2**30, _SQUARES),
    # partitions x hosts x devices of a host
    "h100": Kind(989e12, 3352e9, 80e9, {4: "1x1x4", 8: "1x1x8", 64: "1x8x8", 256: "1x32x8"}),
}

# What XLA would ask the driver (xla/backends/gpu/target_config in XLA's sources has such descriptions).
_H100 = """
gpu_device_info {
  threads_per_block_limit: 1024
  threads_per_warp: 32
  shared_memory_per_block: 49152
  shared_memory_per_core: 233472
  threads_per_core_limit: 2048
  core_count: 132
  fpus_per_core: 128
  block_dim_limit_x: 2147483647
  block_dim_limit_y: 65535
  block_dim_limit_z: 65535
  memory_bandwidth: 3352320000000
  l2_cache_size: 52428800
  clock_rate_ghz: 1.98
  device_memory_size: 84929347584
  shared_memory_per_block_optin: 232448
  cuda_compute_capability { major: 9 }
  registers_per_core_limit: 65536
  registers_per_block_limit: 65536
}
platform_name: "CUDA"
dnn_version_info { major: 9 minor: 10 }
runtime_version { major: 13 }
device_description_str: "NVIDIA H100 80GB HBM3"
"""


def devices(kind: str, count: int) -> Sequence[Any]:
    """Return `count` devices of a kind, to compile for."""
    shapes = KINDS[kind].shapes
    shape = shapes[min(number for number in shapes if number >= count)]
    if kind == "h100":
        found = topologies.get_topology_desc(platform="cuda", target_config=_H100, topology=shape)
    else:
        found = topologies.get_topology_desc(platform="tpu", topology_name=f"{kind}:{shape}")
    return found.devices[:count]


_COLLECTIVE = re.compile(
    r"= (?P<shapes>.*?) (?P<kind>all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)(?P<start>-start)?\("
)
_ARRAY = re.compile(r"\b(pred|[a-z]+(\d+)\w*)\[([\d,]*)\]")
_GROUPS = re.compile(r"replica_groups=(?:\{\{([\d,]*)\}|\[\d+,(\d+)\])")
_MESH = re.compile(r"replica_groups=mesh\[([^\]]*)\]\s*\{([^}]*)\}")


def collectives(text: str, devices: int) -> tuple[dict[str, int], float]:
    """Count the collectives of a compiled program, and the bytes that each device sends for them.

    In rings, as XLA's libraries send most: of n devices each sends (n - 1) / n of what is gathered or scattered, and twice
    as much for a sum.
    """
    counts, sent = collections.Counter(), 0.0
    for line in text.splitlines():
        found = _COLLECTIVE.search(line)
        if found:
            kind, n = found["kind"], _group_size(line, devices)
            counts[kind] += 1
            sizes = [_bytes(*array.groups()) for array in _ARRAY.finditer(found["shapes"])]
            if found["start"] and kind == "collective-permute":
                sizes = sizes[:1]
            elif found["start"] and kind != "all-reduce":  # (what is given, what comes)
                sizes = sizes[len(sizes) // 2 :]
            times = {"all-reduce": 2 * (n - 1) / n, "reduce-scatter": n - 1, "collective-permute": 1}
            sent += sum(sizes) * times.get(kind, (n - 1) / n)
    return dict(sorted(counts.items())), sent


def _group_size(line: str, devices: int) -> int:
    if mesh := _MESH.search(line):
        axes = dict(re.findall(r"'(\w+)'=(\d+)", mesh[1]))
        size = 1
        for name in re.findall(r"'(\w+)'", mesh[2]):
            size *= int(axes[name])
        return size
    if groups := _GROUPS.search(line):
        return int(groups[2]) if groups[2] else groups[1].count(",") + 1
    return devices


def _bytes(name: str, bits: str | None, shape: str) -> float:
    size = int(bits) / 8 if bits else 1
    for length in filter(None, shape.split(",")):
        size *= int(length)
    return size
