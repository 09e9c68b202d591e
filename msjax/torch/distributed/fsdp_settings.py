"""Settings of `torch.distributed.fsdp`: sharding strategies, mixed precision, kinds of state dicts."""

import enum
from dataclasses import dataclass
from typing import Any


class ShardingStrategy(enum.Enum):
    """Choose what `FullyShardedDataParallel` cuts."""

    FULL_SHARD = 1
    SHARD_GRAD_OP = 2
    NO_SHARD = 3
    HYBRID_SHARD = 4
    _HYBRID_SHARD_ZERO2 = 5


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """Dtypes in which `fully_shard` computes; Parameters, and their gradients, keep theirs.

    Attributes:
        param_dtype: of gathered weights, and of what the module is called with. Default: as they are.
        reduce_dtype: in which gradients are averaged. Default: `param_dtype`.
        output_dtype: of what the module returns. Default: as it is.
        cast_forward_inputs: whether what the module is called with becomes of `param_dtype`.
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclass
class MixedPrecision:
    """Dtypes in which `FullyShardedDataParallel` computes; Parameters, and their gradients, keep theirs.

    Attributes:
        param_dtype: of gathered weights, and of what the outermost module is called with. Default: as they are.
        reduce_dtype: in which gradients are averaged. Default: `param_dtype`.
        buffer_dtype: of buffers, from the beginning. Default: as they are.
        keep_low_precision_grads: must be False.
        cast_forward_inputs: whether the inputs of inner modules that are wrapped become of `param_dtype` too.
        cast_root_forward_inputs: whether those of the outermost do.
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True


@dataclass(frozen=True)
class OffloadPolicy:
    """Policy of offloading for `fully_shard`: nothing is kept elsewhere."""


class StateDictType(enum.Enum):
    """Kind of state dict of a `FullyShardedDataParallel`."""

    FULL_STATE_DICT = 1
    LOCAL_STATE_DICT = 2
    SHARDED_STATE_DICT = 3


@dataclass
class FullStateDictConfig:
    """Settings of state dicts with all rows.

    Attributes:
        offload_to_cpu: accepted: JAX decides where arrays lie.
        rank0_only: whether other processes get an empty dict. They must make it all the same.
    """

    offload_to_cpu: bool = False
    rank0_only: bool = False


@dataclass
class ShardedStateDictConfig:
    """Settings of state dicts with this process's rows.

    Attributes:
        offload_to_cpu: accepted: JAX decides where arrays lie.
    """

    offload_to_cpu: bool = False


LocalStateDictConfig = ShardedStateDictConfig
