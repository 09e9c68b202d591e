"""`torch.distributed.fsdp`: each process keeps a part of the Parameters, and gathers them where they are used.

A Parameter is cut along its first dimension, as in PyTorch. All Parameters of a sharded module travel together: gathered
before its forward pass; their gradients are averaged and cut in the backward pass.
"""

import enum
import functools
import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from msjax.communication.groups import members
from msjax.core.autodiff.imperative import no_grad
from msjax.core.op.op import op
from msjax.core.tensor.tensor import resolve
from msjax.core.tensor.tensor import wrap as wrap_array  # PyTorch has a module `torch.distributed.fsdp.wrap`
from msjax.core.xla import collectives
from msjax.core.xla.collectives import world
from msjax.mint import distributed
from msjax.torch.data_parallel import broadcast_each
from msjax.torch.func import _swap_tensors
from msjax.torch.nn.module import Module, Parameter
from msjax.torch.nn.utils import clip_grad_norm_
from msjax.torch.tensors.tensor import Tensor, as_torch


class Shard(NamedTuple):
    """Placement of a tensor that is cut along a dimension."""

    dim: int


class ShardingStrategy(enum.Enum):
    """Choose what `FullyShardedDataParallel` cuts."""

    FULL_SHARD = 1
    SHARD_GRAD_OP = 2
    NO_SHARD = 3
    HYBRID_SHARD = 4
    _HYBRID_SHARD_ZERO2 = 5


class ShardedParameter(Parameter):
    """This process's rows of a Parameter, where PyTorch's DTensor shows all of them.

    All processes have as many: the last ones are filled up with zeros, so that all compile the same program. Were the
    programs different, XLA could order what they communicate differently.

    Attributes:
        ranks: the processes that share it.
        whole_shape: of all rows.
    """

    ranks: tuple[int, ...] = ()
    whole_shape: tuple[int, ...] = ()
    placements = (Shard(0),)

    def to_local(self) -> Tensor:
        """The rows of this process, without those that fill it up."""
        own = _own(self.ranks, self.whole_shape[0])
        return as_torch(self.detach()[: own.stop - own.start])

    def full_tensor(self) -> Tensor:
        """All rows, gathered: every process must call it."""
        with no_grad():
            return as_torch(_gathered([self])[0])


def _chunk(rows: int, count: int) -> int:
    return math.ceil(rows / count)


def _filled(x: jax.Array, rows: int) -> jax.Array:
    return (
        jnp.concatenate([x, jnp.zeros((rows - x.shape[0], *x.shape[1:]), x.dtype)])
        if rows > x.shape[0]
        else x
    )


@op(static="ranks rows")
def gather_rows(arrays: Any, ranks: tuple[int, ...], rows: tuple[int, ...]) -> list[jax.Array]:
    """The whole arrays, of which each process has some rows; gradients become the rows of the means over the processes.

    Args:
        arrays: this process's rows of each; all processes have as many.
        ranks: the processes.
        rows: how many each array has in all.
    """
    count = len(ranks)
    kinds = {array.dtype for array in arrays}
    groups = [[i for i, array in enumerate(arrays) if array.dtype == kind] for kind in sorted(kinds, key=str)]

    def gather(given: list[jax.Array]) -> list[jax.Array]:
        found: list[Any] = [None] * len(given)
        for group in groups:
            parts = [given[i] for i in group]
            got = collectives.all_gather(jnp.concatenate([part.reshape(1, -1) for part in parts], 1), ranks)
            start = 0
            for i, part in zip(group, parts, strict=True):
                whole = got[:, start : start + part.size].reshape(-1, *part.shape[1:])
                found[i], start = whole[: rows[i]], start + part.size
        return found

    def scatter(gradients: list[jax.Array]) -> list[jax.Array]:
        found: list[Any] = [None] * len(gradients)
        for group in groups:
            parts = [_filled(gradients[i], count * _chunk(rows[i], count)) for i in group]
            joined = jnp.concatenate([part.reshape(count, -1) for part in parts], 1)
            got, start = collectives.reduce_scatter(joined, "avg", ranks).reshape(-1), 0
            for i, part in zip(group, parts, strict=True):
                size = part.size // count
                found[i] = got[start : start + size].reshape(-1, *part.shape[1:])
                start += size
        return found

    whole = jax.custom_vjp(gather)
    whole.defvjp(lambda given: (gather(given), None), lambda _, gradients: (scatter(gradients),))
    return whole(list(arrays))


def _gathered(shards: list[ShardedParameter]) -> list[Any]:
    ranks, rows = shards[0].ranks, tuple(shard.whole_shape[0] for shard in shards)
    return gather_rows([resolve(shard) for shard in shards], ranks, rows)


def _own(ranks: tuple[int, ...], rows: int) -> slice:
    """Which rows this process has."""
    chunk, place = _chunk(rows, len(ranks)), ranks.index(world.rank)
    return slice(min(place * chunk, rows), min((place + 1) * chunk, rows))


def _rows_of(tensor: Any, ranks: tuple[int, ...]) -> Any:
    rows = resolve(tensor.detach()[_own(ranks, tensor.shape[0])])._value
    return as_torch(wrap_array(_filled(rows, _chunk(tensor.shape[0], len(ranks)))))


class FSDPModule(Module):
    """Base class that `fully_shard` adds to the class of a module. Being a Module, it may replace the class of one."""

    _shards: list[tuple[ShardedParameter, list[tuple[Module, str]]]]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the module with all rows of its Parameters."""
        places = [(place, name, shard) for shard, each in self._shards for place, name in each]
        shards = [shard for shard, _ in self._shards]
        found = dict(zip(map(id, shards), map(as_torch, _gathered(shards) if shards else ()), strict=True))
        try:
            for place, name, shard in places:
                _swap_tensors(place, place._parameters, name, found[id(shard)])
            return super().forward(*args, **kwargs)
        finally:
            for place, name, shard in places:
                _swap_tensors(place, place._parameters, name, shard)

    def set_requires_gradient_sync(self, requires_gradient_sync: bool, *, recurse: bool = True) -> None:
        """Accept True alone: gradients are averaged in each backward pass.

        Raises:
            NotImplementedError: for False.
        """
        if not requires_gradient_sync:
            raise NotImplementedError(
                "`set_requires_gradient_sync`: argument `requires_gradient_sync` must be True: gradients are averaged in "
                "each backward pass. Received: False."
            )


@functools.cache
def _class_of(cls: type) -> type:
    return type(f"FSDP{cls.__name__}", (FSDPModule, cls), {"__module__": cls.__module__})


def fully_shard(
    module: Any, *, mesh: Any = None, reshard_after_forward: bool | int | None = None, shard_placement_fn: Any = None,
    mp_policy: Any = None, offload_policy: Any = None, ignored_params: set | None = None,
) -> Any:  # fmt: skip
    """Let each process keep a part of a module's Parameters, in place. Make the optimizer afterwards.

    Call it on the parts of a network first, and on the network at last: each call is one communication, for what none
    before it has.

    Args:
        module: the module, or a list of modules.
        mesh: must be None: all processes take part.
        reshard_after_forward: accepted: gathered weights live until the backward pass has used them, whatever it says.
        shard_placement_fn: must be None: the first dimension is cut.
        mp_policy: must be None.
        offload_policy: must be None.
        ignored_params: Parameters that stay whole, and are not averaged.

    Returns:
        The module.

    Raises:
        ValueError: if `init_process_group` has not been called, or a Parameter has no dimension.
        NotImplementedError: for what is not supported.

    Examples:
        >>> from msjax import torch
        >>> from msjax.torch.distributed.fsdp import fully_shard
        >>> torch.distributed.init_process_group("gloo", init_method="tcp://localhost:1", world_size=1, rank=0)
        >>> net = fully_shard(torch.nn.Linear(2, 1))
        >>> net(torch.ones(3, 2)).sum().backward()
        >>> net.weight.grad, net.weight.full_tensor().shape
        (tensor([[3., 3.]]), torch.Size([1, 2]))
        >>> torch.distributed.destroy_process_group()
    """
    refused = {
        "mesh": mesh,
        "shard_placement_fn": shard_placement_fn,
        "mp_policy": mp_policy,
        "offload_policy": offload_policy,
    }
    _refuse("fully_shard", refused)
    if isinstance(module, list | tuple):
        return [
            fully_shard(each, reshard_after_forward=reshard_after_forward, ignored_params=ignored_params)
            for each in module
        ]
    return _shard(module, _ranks(None), ignored_params or set())


def _refuse(fn: str, given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError(f"`{fn}`: argument `{name}` must be None. Received: {value!r}.")


def _ranks(group: Any) -> tuple[int, ...]:
    if not distributed.is_initialized():
        raise ValueError(
            "Default process group has not been initialized, please make sure to call init_process_group."
        )
    return members("fully_shard", getattr(group, "group_name", None))


def _shard(module: Module, ranks: tuple[int, ...], ignored: Any) -> Module:
    if isinstance(module, FSDPModule):
        raise AssertionError(
            "Each distinct composable distributed API can only be applied to a module once. fully_shard has already been "
            f"applied to the following module:\n{module}"
        )
    found: dict[int, tuple[Any, list[tuple[Module, str]]]] = {}
    skipped = {id(each) for each in ignored}
    for place in module.modules():
        for name, parameter in place._parameters.items():
            if parameter is None or isinstance(parameter, ShardedParameter) or id(parameter) in skipped:
                continue
            if not parameter.shape:
                raise ValueError(
                    f"fully_shard doesn't support scalar parameters. Change {name} to a 1D tensor with numel equal to 1."
                )
            found.setdefault(id(parameter), (parameter, []))[1].append((place, name))
    shards = []
    for parameter, places in found.values():
        shard = ShardedParameter(_rows_of(parameter, ranks), requires_grad=parameter.requires_grad)
        shard.ranks, shard.whole_shape = ranks, tuple(parameter.shape)
        for place, name in places:
            _swap_tensors(place, place._parameters, name, shard)
        shards.append((shard, places))
    module.__class__ = _class_of(type(module))
    module.__dict__["_shards"] = shards
    return module


class FullyShardedDataParallel(Module):
    """A module of whose Parameters each process keeps a part (FSDP).

    Args:
        module: the module; its Parameters are replaced. Make the optimizer afterwards.
        process_group: the processes. Default: all.
        sharding_strategy: FULL_SHARD or SHARD_GRAD_OP, which compute the same.
        sync_module_states: whether Parameters and buffers of the first process are given to all at the beginning.
        auto_wrap_policy, backward_prefetch, forward_prefetch, limit_all_gathers, device_id, use_orig_params: accepted; all
            Parameters travel together, as this process's rows of each.
        cpu_offload, mixed_precision, ignored_modules, param_init_fn, ignored_states, device_mesh: must be None.

    Raises:
        ValueError: if `init_process_group` has not been called.
        NotImplementedError: for what is not supported.

    Examples:
        >>> from msjax import torch
        >>> from msjax.torch.distributed.fsdp import FullyShardedDataParallel as FSDP
        >>> torch.distributed.init_process_group("gloo", init_method="tcp://localhost:1", world_size=1, rank=0)
        >>> FSDP(torch.nn.Linear(2, 1))(torch.ones(3, 2)).shape
        torch.Size([3, 1])
        >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self, module: Any, process_group: Any = None, sharding_strategy: Any = None, cpu_offload: Any = None,
        auto_wrap_policy: Any = None, backward_prefetch: Any = None, mixed_precision: Any = None,
        ignored_modules: Any = None, param_init_fn: Any = None, device_id: Any = None,
        sync_module_states: bool = False, forward_prefetch: bool = False,
        limit_all_gathers: bool = True, use_orig_params: bool = False, ignored_states: Any = None, device_mesh: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        refused = {
            "cpu_offload": cpu_offload, "mixed_precision": mixed_precision, "ignored_modules": ignored_modules,
            "param_init_fn": param_init_fn, "ignored_states": ignored_states, "device_mesh": device_mesh,
        }  # fmt: skip
        _refuse("FullyShardedDataParallel", refused)
        if sharding_strategy not in (None, ShardingStrategy.FULL_SHARD, ShardingStrategy.SHARD_GRAD_OP):
            raise NotImplementedError(
                "`FullyShardedDataParallel`: argument `sharding_strategy` must be FULL_SHARD or SHARD_GRAD_OP. "
                f"Received: {sharding_strategy!r}."
            )
        ranks = _ranks(process_group)
        if sync_module_states and len(ranks) > 1:
            tensors = [*module.parameters(), *module.buffers()]
            with no_grad():
                for tensor, value in zip(tensors, broadcast_each(tensors, ranks, ranks[0]), strict=True):
                    tensor.copy_(value)
        self.module = _shard(module, ranks, ())

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the module."""
        return self.module(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)  # type: ignore[misc]
        except AttributeError:
            return getattr(super().__getattr__("module"), name)  # type: ignore[misc]

    def __getitem__(self, key: Any) -> Any:
        """A part of the module, if that is a container."""
        return self.module[key]  # type: ignore[index]

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """The state of the module with all rows of its Parameters: every process must call it."""
        found = self.module.state_dict(*args, **kwargs)
        for name, parameter in self.module.named_parameters(remove_duplicate=False):
            if isinstance(parameter, ShardedParameter):
                found[name] = parameter.full_tensor()
        return found

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Set Parameters, each process its rows, and buffers."""
        own = dict(self.module.named_parameters(remove_duplicate=False))
        given = {
            name: _rows_of(value, own[name].ranks)
            if isinstance(own.get(name), ShardedParameter) and tuple(value.shape) == own[name].whole_shape
            else value
            for name, value in state_dict.items()
        }
        return self.module.load_state_dict(given, strict=strict)

    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0) -> Tensor:
        """Scale gradients so that their total norm, over all processes, is at most `max_norm`; return the norm before."""
        return clip_grad_norm_(self.parameters(), max_norm, norm_type)

    def no_sync(self) -> Any:
        """Not supported: gradients are averaged in each backward pass."""
        raise NotImplementedError(
            "`FullyShardedDataParallel.no_sync` is not supported: gradients are averaged in each backward pass."
        )


FSDP = FullyShardedDataParallel
