"""`torch.distributed.fsdp`: each process keeps a part of the Parameters, and gathers them where they are used.

A Parameter is cut along its first dimension, as in PyTorch. All Parameters of a sharded module travel together: gathered
before its forward pass; their gradients are averaged and cut in the backward pass.
"""

import contextlib
import functools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from msjax.communication.groups import members
from msjax.communication.p2p import Handle
from msjax.core.autodiff.imperative import is_grad_enabled, no_grad
from msjax.core.op.op import op
from msjax.core.state import state
from msjax.core.tensor.tensor import is_tensor, resolve
from msjax.core.tensor.tensor import wrap as wrap_array  # PyTorch has a module `torch.distributed.fsdp.wrap`
from msjax.core.xla import collectives
from msjax.core.xla.collectives import world
from msjax.mint import distributed
from msjax.torch.data_parallel import broadcast_each
from msjax.torch.distributed.device_mesh import DeviceMesh
from msjax.torch.distributed.fsdp_settings import FullStateDictConfig as FullStateDictConfig
from msjax.torch.distributed.fsdp_settings import LocalStateDictConfig as LocalStateDictConfig
from msjax.torch.distributed.fsdp_settings import MixedPrecision as MixedPrecision
from msjax.torch.distributed.fsdp_settings import MixedPrecisionPolicy as MixedPrecisionPolicy
from msjax.torch.distributed.fsdp_settings import OffloadPolicy as OffloadPolicy
from msjax.torch.distributed.fsdp_settings import ShardedStateDictConfig as ShardedStateDictConfig
from msjax.torch.distributed.fsdp_settings import ShardingStrategy as ShardingStrategy
from msjax.torch.distributed.fsdp_settings import StateDictType as StateDictType
from msjax.torch.distributed.parts import DividedParameter, Division
from msjax.torch.distributed.placements import Shard as Shard
from msjax.torch.nn.module import Module
from msjax.torch.nn.utils import clip_grad_norm_
from msjax.torch.tensors.tensor import Tensor, as_torch


@dataclass(frozen=True)
class _Sharing:
    """Processes that share a Parameter's rows, and the dtypes in which weights and gradients are sent."""

    ranks: tuple[int, ...]  # those that share rows
    replicas: tuple[int, ...]  # those that have the same rows, over which gradients are averaged too
    dtype: str | None  # of gathered weights
    reduce: str | None  # in which gradients are averaged


class ShardedParameter(DividedParameter):
    """This process's rows of a Parameter, where PyTorch's DTensor shows all of them.

    All processes have as many: the last ones are filled up with zeros, so that all compile the same program. Were the
    programs different, XLA could order what they communicate differently.

    Attributes:
        sharing: who has which rows.
        rows: how many there are.
        division: what the rows are a part of (`parallelize_module`); None if they are all.
        device_mesh: the processes, if a mesh was given.
        syncs: whether a backward pass averages its gradient (`set_requires_gradient_sync`).
        waiting: gathered weights of forward passes whose backward pass will not; None for those that had theirs.
        pending: gradients of all rows, of this process alone, from backward passes that did not; None if there are none.
    """

    sharing: _Sharing = _Sharing((), (), None, None)
    rows: int = 0
    division: Division | None = None
    device_mesh: Any = None
    syncs: bool = True
    pending: Any = None
    watched: bool = False
    waiting: list[Any]
    placements = (Shard(0),)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The processes that share it."""
        return self.sharing.ranks

    def to_local(self) -> Tensor:
        """The rows of this process, without those that fill it up."""
        own = _own(self.ranks, self.rows)
        return as_torch(self.detach()[: own.stop - own.start])

    def cut(self, whole: Any) -> Any:
        """This process's rows of a tensor that has all."""
        return _rows_of(whole if self.division is None else self.division.cut(whole), self.ranks)

    def whole_of(self, part: Any) -> Any:
        """All rows of what has such ones: every process must call it."""
        with no_grad():
            arrays = gather_rows([resolve(part)], replace(self.sharing, dtype=None), (self.rows,))
        whole = as_torch(arrays[0])
        return whole if self.division is None else self.division.whole_of(whole)

    def offsets(self) -> tuple[int, ...]:
        """Return the index at which this process's rows begin, along each dimension."""
        before = (0,) * self.ndim if self.division is None else self.division.offsets()
        return (before[0] + _own(self.ranks, self.rows).start, *before[1:])

    def add_pending(self, gradient: Any) -> Any:
        """Average what earlier backward passes left, and add it: a hook of this Parameter.

        Raises:
            RuntimeError: if the forward pass was to average gradients, and the backward pass is not.
        """
        if not self.syncs:
            raise RuntimeError(
                "`set_requires_gradient_sync`: it must be called before the forward pass whose backward pass it is for. "
                "Received: True before the forward pass, False in the backward pass."
            )
        if self.pending is None:
            return gradient
        whole, self.pending = self.pending, None
        return gradient + as_torch(_scatter_rows(whole, self.sharing)).to(gradient.dtype)

    def keep_pending(self, number: int, gradient: Any) -> Any:
        """Keep a gradient of all rows for a later backward pass: a hook of the gathered weights of this number."""
        if number < len(self.waiting):  # else a second backward pass of one graph
            self.waiting[number] = None
        if not any(each is not None for each in self.waiting):
            self.waiting.clear()
        if self.syncs:
            raise RuntimeError(
                "`set_requires_gradient_sync`: it must be called before the forward pass whose backward pass it is for. "
                "Received: False before the forward pass, True in the backward pass."
            )
        with no_grad():
            wide = as_torch(_widened(gradient, self.sharing))
            self.pending = wide.clone() if self.pending is None else self.pending + wide
        return gradient


def _chunk(rows: int, count: int) -> int:
    return math.ceil(rows / count)


def _pad_rows(x: Any, rows: int) -> Any:
    if isinstance(x, jax.ShapeDtypeStruct):  # of a tensor on "meta"
        return jax.ShapeDtypeStruct((rows, *x.shape[1:]), x.dtype)
    return (
        jnp.concatenate([x, jnp.zeros((rows - x.shape[0], *x.shape[1:]), x.dtype)])
        if rows > x.shape[0]
        else x
    )


@op(static="sharing rows")
def gather_rows(arrays: Any, sharing: _Sharing, rows: tuple[int, ...]) -> list[jax.Array]:
    """Gather the processes' rows to whole arrays; gradients become the rows of their mean over the processes.

    Args:
        arrays: this process's rows of each; all processes have as many.
        sharing: the processes, and dtypes for the way.
        rows: how many each array has in all.
    """
    ranks, count = sharing.ranks, len(sharing.ranks)
    own = [array.dtype for array in arrays]
    travels = [_transfer_dtype(dtype, sharing.dtype) for dtype in own]
    groups = [[i for i, kind in enumerate(travels) if kind == each] for each in sorted(set(travels), key=str)]

    def gather(given: list[jax.Array]) -> list[jax.Array]:
        found: list[Any] = [None] * len(given)
        for group in groups:
            parts = [given[i].astype(travels[i]) for i in group]
            got = collectives.all_gather(jnp.concatenate([part.reshape(1, -1) for part in parts], 1), ranks)
            start = 0
            for i, part in zip(group, parts, strict=True):
                whole = got[:, start : start + part.size].reshape(-1, *part.shape[1:])
                found[i], start = whole[: rows[i]], start + part.size
        return found

    def scatter(gradients: list[jax.Array]) -> list[jax.Array]:
        found: list[Any] = [None] * len(gradients)
        for group in groups:
            parts = [
                _pad_rows(
                    gradients[i].astype(_transfer_dtype(travels[i], sharing.reduce)),
                    count * _chunk(rows[i], count),
                )
                for i in group
            ]
            joined = jnp.concatenate([part.reshape(count, -1) for part in parts], 1)
            got, start = collectives.reduce_scatter(joined, "avg", ranks).reshape(-1), 0
            for i, part in zip(group, parts, strict=True):
                size = part.size // count
                found[i] = got[start : start + size].reshape(-1, *part.shape[1:]).astype(own[i])
                start += size
        return found

    whole = jax.custom_vjp(gather)
    whole.defvjp(lambda given: (gather(given), None), lambda _, gradients: (scatter(gradients),))
    return whole(list(arrays))


@op(static="sharing")
def _widened(gradient: Array, sharing: _Sharing) -> Array:
    return gradient.astype(_transfer_dtype(gradient.dtype, sharing.reduce))


@op(static="sharing")
def _scatter_rows(gradient: Array, sharing: _Sharing) -> Array:
    """The rows of this process of the mean of gradients of all rows."""
    count = len(sharing.ranks)
    filled = _pad_rows(gradient, count * _chunk(gradient.shape[0], count))
    return collectives.reduce_scatter(filled, "avg", sharing.ranks)


def _transfer_dtype(dtype: Any, wanted: str | None) -> Any:
    return jnp.dtype(wanted) if wanted and jnp.issubdtype(dtype, jnp.floating) else dtype


def _gather_shards(shards: list[ShardedParameter], sharing: _Sharing) -> list[Any]:
    rows = tuple(shard.rows for shard in shards)
    return gather_rows([resolve(shard) for shard in shards], sharing, rows)


def _own(ranks: tuple[int, ...], rows: int) -> slice:
    """Return this process's rows."""
    chunk, place = _chunk(rows, len(ranks)), ranks.index(world.rank)
    return slice(min(place * chunk, rows), min((place + 1) * chunk, rows))


def _rows_of(tensor: Any, ranks: tuple[int, ...]) -> Any:
    rows = resolve(tensor.detach()[_own(ranks, tensor.shape[0])])._value
    return as_torch(wrap_array(_pad_rows(rows, _chunk(tensor.shape[0], len(ranks)))))


class FSDPModule(Module):
    """Base class that `fully_shard` adds to the class of a module. Being a Module, it may replace the class of one."""

    _shards: list[tuple[ShardedParameter, list[tuple[Module, str]]]]
    _sharing: _Sharing
    _policy: MixedPrecisionPolicy

    _held: dict[int, Any] | None = None  # gathered weights, from `unshard` on

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the module with all rows of its Parameters."""
        policy = self._policy
        if policy.cast_forward_inputs:
            args, kwargs = _cast((args, kwargs), policy.param_dtype)
        try:
            self.unshard()
            return _cast(super().forward(*args, **kwargs), policy.output_dtype)
        finally:
            self.reshard()

    def unshard(self, async_op: bool = False) -> Handle | None:
        """Gather the weights that this module shards, until the end of its next forward pass, or `reshard`.

        Every process must call it.
        """
        if self._held is None:
            shards = [shard for shard, _ in self._shards]
            held = dict(zip(map(id, shards), self._gather(shards), strict=True))
            self.__dict__["_held"] = held
            for shard, places in self._shards:
                for place, name in places:
                    place._parameters[name] = held[id(shard)]
        return Handle() if async_op else None

    def reshard(self) -> None:
        """Put this process's rows back for the weights that `unshard` gathered."""
        if self._held is not None:
            self.__dict__["_held"] = None
            for shard, places in self._shards:
                for place, name in places:
                    place._parameters[name] = shard

    def _gather(self, shards: list[ShardedParameter]) -> list[Any]:
        if not shards or shards[0].syncs or not is_grad_enabled():
            return list(map(as_torch, _gather_shards(shards, self._sharing) if shards else ()))
        if state.frame is not None:
            raise NotImplementedError(
                "`set_requires_gradient_sync`: in a compiled function it must be True. Received: False."
            )
        with no_grad():
            whole = [as_torch(each).detach() for each in _gather_shards(shards, self._sharing)]
        for weight, shard in zip(whole, shards, strict=True):
            if shard.requires_grad:
                weight.requires_grad_().register_hook(
                    functools.partial(shard.keep_pending, len(shard.waiting))
                )
                shard.waiting.append(weight)  # a leaf that nobody holds gets no gradient
        return whole

    def set_modules_to_forward_prefetch(self, modules: list) -> None:
        """Accept which modules' weights could be gathered meanwhile: XLA decides when each is."""

    set_modules_to_backward_prefetch = set_modules_to_forward_prefetch

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Accept how long gathered weights could live: until the backward pass has used them, in any case."""

    def set_requires_gradient_sync(self, requires_gradient_sync: bool, *, recurse: bool = True) -> None:
        """Set whether backward passes average gradients. Those of others add up, and are averaged with the next that does.

        Args:
            requires_gradient_sync: for the forward passes from here on.
            recurse: also for modules in this one.
        """
        for module in self.modules() if recurse else [self]:
            for shard, _ in getattr(module, "_shards", ()):
                if not requires_gradient_sync:
                    _watch(shard)
                shard.syncs = requires_gradient_sync

    def set_is_last_backward(self, is_last_backward: bool) -> None:
        """Accept whether more backward passes follow: nothing waits for the last one."""

    def set_requires_all_reduce(self, requires_all_reduce: bool, *, recurse: bool = True) -> None:
        """Accept True alone: rows and their copies are averaged together.

        Raises:
            NotImplementedError: for False.
        """
        if not requires_all_reduce:
            raise NotImplementedError(
                "`set_requires_all_reduce`: argument `requires_all_reduce` must be True; `set_requires_gradient_sync` "
                "leaves out both. Received: False."
            )


def _watch(shard: ShardedParameter) -> None:
    """Let a Parameter add what is pending to its gradient, before that is averaged over copies of its rows."""
    if shard.requires_grad and not shard.watched:
        shard.watched = True
        if len(shard.sharing.replicas) == 1:
            shard.register_hook(shard.add_pending)


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
        mesh: the processes. Of two dimensions, the second shares rows, and along the first all have the same. Default: all.
        reshard_after_forward: accepted: gathered weights live until the backward pass has used them, whatever it says.
        shard_placement_fn: must be None: the first dimension is cut.
        mp_policy: a MixedPrecisionPolicy. Default: all as it is.
        offload_policy: an OffloadPolicy, which keeps nothing elsewhere.
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
    refuse("fully_shard", {"shard_placement_fn": shard_placement_fn})
    if offload_policy is not None and type(offload_policy) is not OffloadPolicy:
        raise NotImplementedError(
            f"`fully_shard`: argument `offload_policy` must be an OffloadPolicy. Received: {offload_policy!r}."
        )
    policy = MixedPrecisionPolicy() if mp_policy is None else mp_policy
    if not isinstance(policy, MixedPrecisionPolicy):
        raise TypeError(
            f"`fully_shard`: argument `mp_policy` must be a MixedPrecisionPolicy. Received: {mp_policy!r}."
        )
    sharing = _over("fully_shard", None, mesh, policy)
    if isinstance(module, list | tuple):
        return [_shard(each, sharing, ignored_params or (), policy, mesh) for each in module]
    return _shard(module, sharing, ignored_params or (), policy, mesh)


def _over(fn: str, group: Any, mesh: DeviceMesh | None, policy: Any) -> _Sharing:
    """Return the processes that share rows: those of a mesh of one or two dimensions, or of a group."""
    replicas: tuple[int, ...] = (world.rank,)
    if mesh is None:
        ranks = _ranks(group)
    elif not isinstance(mesh, DeviceMesh) or mesh.ndim > 2:
        raise ValueError(
            f"`{fn}`: the mesh must be a DeviceMesh of one or two dimensions. Received: {mesh!r}."
        )
    else:
        ranks = tuple(mesh.get_group(mesh.ndim - 1).ranks())
        if mesh.ndim == 2:
            replicas = tuple(mesh.get_group(0).ranks())
    return _Sharing(ranks, replicas, _name(policy.param_dtype), _name(policy.reduce_dtype))


def _name(dtype: Any) -> str | None:
    return None if dtype is None else dtype.np.name


def _cast(given: Any, dtype: Any) -> Any:
    if dtype is None:
        return given
    return jax.tree.map(
        lambda leaf: leaf.to(dtype) if isinstance(leaf, Tensor) and leaf.is_floating_point() else leaf,
        given,
        is_leaf=is_tensor,
    )


def refuse(fn: str, given: dict[str, Any]) -> None:
    """Raise NotImplementedError for an argument that must be None."""
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError(f"`{fn}`: argument `{name}` must be None. Received: {value!r}.")


def _ranks(group: Any) -> tuple[int, ...]:
    if not distributed.is_initialized():
        raise ValueError(
            "Default process group has not been initialized, please make sure to call init_process_group."
        )
    return members("fully_shard", getattr(group, "group_name", None))


@op(static="sharing")
def _mean(gradient: Array, sharing: _Sharing) -> Array:
    dtype = _transfer_dtype(gradient.dtype, sharing.reduce or sharing.dtype)
    return collectives.all_reduce(gradient.astype(dtype), "avg", sharing.replicas).astype(gradient.dtype)


def _average(shard: ShardedParameter, gradient: Any) -> Tensor:
    # Not in the program of `gather_rows`, whose gradient would then need another group than itself: JAX keeps to one mesh.
    return as_torch(_mean(shard.add_pending(gradient), shard.sharing))


def _shard(
    module: Module, sharing: _Sharing, ignored: Any, policy: MixedPrecisionPolicy, mesh: DeviceMesh | None
) -> Module:
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
        shard = ShardedParameter(_rows_of(parameter, sharing.ranks), requires_grad=parameter.requires_grad)
        shard.sharing, shard.device_mesh, shard.rows = sharing, mesh, parameter.shape[0]
        shard.whole_shape, shard.groups = tuple(parameter.shape), (sharing.ranks,)
        if isinstance(parameter, DividedParameter):
            shard.division, shard.whole_shape = parameter.division, parameter.whole_shape  # type: ignore[attr-defined]
            shard.groups += parameter.groups
        shard.waiting = []
        if len(sharing.replicas) > 1 and shard.requires_grad:
            shard.register_hook(functools.partial(_average, shard))
        for place, name in places:
            place._parameters[name] = shard
        shards.append((shard, places))
    module.__class__ = _class_of(type(module))
    module.__dict__.update(_shards=shards, _sharing=sharing, _policy=policy)
    return module


class FullyShardedDataParallel(Module):
    """A module of whose Parameters each process keeps a part (FSDP).

    Args:
        module: the module; its Parameters are replaced. Make the optimizer afterwards.
        process_group: the processes. Default: all.
        sharding_strategy: FULL_SHARD or SHARD_GRAD_OP, which compute the same; HYBRID_SHARD with a mesh of two dimensions.
        mixed_precision: a MixedPrecision. Default: all as it is.
        ignored_modules, ignored_states: modules, or modules or Parameters, that stay whole and are not averaged.
        device_mesh: the processes, as for `fully_shard`.
        sync_module_states: whether Parameters and buffers of the first process are given to all at the beginning.
        auto_wrap_policy, backward_prefetch, forward_prefetch, limit_all_gathers, device_id, use_orig_params: accepted; all
            Parameters travel together, as this process's rows of each.
        cpu_offload, param_init_fn: must be None.

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
        fn = "FullyShardedDataParallel"
        refuse(fn, {"cpu_offload": cpu_offload, "param_init_fn": param_init_fn})
        hybrid = device_mesh is not None and device_mesh.ndim == 2
        known = ("HYBRID_SHARD", "_HYBRID_SHARD_ZERO2") if hybrid else ("FULL_SHARD", "SHARD_GRAD_OP")
        if sharding_strategy is not None and sharding_strategy.name not in known:
            raise NotImplementedError(
                f"`{fn}`: argument `sharding_strategy` must be {known[0]} or {known[1]}, with a mesh of "
                f"{2 if hybrid else 1} dimensions. Received: {sharding_strategy!r}."
            )
        told = mixed_precision or MixedPrecision()
        if told.keep_low_precision_grads:
            raise NotImplementedError(f"`{fn}`: `keep_low_precision_grads` must be False. Received: True.")
        sharing = _over(fn, process_group, device_mesh, told)
        ranks = tuple(sorted({*sharing.ranks, *sharing.replicas})) if not hybrid else _ranks(None)
        if sync_module_states and len(ranks) > 1:
            tensors = [*module.parameters(), *module.buffers()]
            with no_grad():
                for tensor, value in zip(tensors, broadcast_each(tensors, ranks, ranks[0]), strict=True):
                    tensor.copy_(value)
        if told.buffer_dtype is not None:
            for buffer in module.buffers():
                buffer.data = _cast(buffer.data, told.buffer_dtype)
        casts = told.cast_root_forward_inputs or told.cast_forward_inputs
        policy = MixedPrecisionPolicy(told.param_dtype, told.reduce_dtype, None, casts)
        ignored = [*(ignored_states or ())]
        for each in [*(ignored_modules or ()), *(each for each in ignored if isinstance(each, Module))]:
            ignored += each.parameters()
        self.module = _shard(module, sharing, ignored, policy, device_mesh)

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

    @staticmethod
    def set_state_dict_type(
        module: Module,
        state_dict_type: StateDictType,
        state_dict_config: Any = None,
        optim_state_dict_config: Any = None,
    ) -> tuple[StateDictType, Any]:
        """Set what `state_dict` has, for all such modules in a module; return what it was.

        Args:
            module: one, or what has some.
            state_dict_type: all rows, or this process's.
            state_dict_config: a FullStateDictConfig, or one of the others.
            optim_state_dict_config: accepted, without effect.
        """
        before = StateDictType.FULL_STATE_DICT, None
        for each in module.modules():
            if isinstance(each, FullyShardedDataParallel):
                before = each._saves
                each.__dict__["_saves"] = state_dict_type, state_dict_config
        return before

    @staticmethod
    @contextlib.contextmanager
    def state_dict_type(
        module: Module,
        state_dict_type: StateDictType,
        state_dict_config: Any = None,
        optim_state_dict_config: Any = None,
    ) -> Iterator[None]:
        """`set_state_dict_type` for a block."""
        before = FullyShardedDataParallel.set_state_dict_type(module, state_dict_type, state_dict_config)
        try:
            yield
        finally:
            FullyShardedDataParallel.set_state_dict_type(module, *before)

    _saves: tuple[StateDictType, Any] = (StateDictType.FULL_STATE_DICT, None)

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """The state of the module, with all rows of its Parameters unless `state_dict_type` says otherwise.

        Every process must call it.
        """
        kind, config = self._saves
        found = self.module.state_dict(*args, **kwargs)
        if kind is StateDictType.FULL_STATE_DICT:
            fill_in(self.module, found)
            if getattr(config, "rank0_only", False) and world.rank:
                found.clear()
        return found

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Set Parameters, each process its rows, and buffers."""
        return self.module.load_state_dict(rows_of(self.module, state_dict), strict=strict)

    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0) -> Tensor:
        """Scale gradients so that their total norm, over all processes, is at most `max_norm`; return the norm before."""
        return clip_grad_norm_(self.parameters(), max_norm, norm_type)

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Add gradients up in this process, in forward and backward passes of the block; the next one averages them."""
        sharded = [each for each in self.modules() if isinstance(each, FSDPModule)]
        for each in sharded:
            each.set_requires_gradient_sync(False, recurse=False)
        try:
            yield
        finally:
            for each in sharded:
                each.set_requires_gradient_sync(True, recurse=False)


def fill_in(module: Module, state: dict[str, Any]) -> None:
    """Put all rows of Parameters into a state dict. Every process must call it."""
    for name, parameter in module.named_parameters(remove_duplicate=False):
        if isinstance(parameter, DividedParameter) and name in state:
            state[name] = parameter.full_tensor()


def rows_of(module: Module, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return a state dict with this process's rows, of one with all rows of Parameters."""
    own = dict(module.named_parameters(remove_duplicate=False))
    return {name: own_rows(own.get(name), value) for name, value in state.items()}


def own_rows(parameter: Any, value: Any) -> Any:
    """This process's rows of what has as many as a Parameter; else the value."""
    if isinstance(parameter, DividedParameter) and tuple(value.shape) == parameter.whole_shape:
        return parameter.cut(value)
    return value


def with_rows_of(parameter: Any, value: Any) -> Any:
    """All rows of what has the rows of this process's part of a Parameter; else the value. Every process must call it."""
    if not isinstance(parameter, DividedParameter) or getattr(value, "shape", None) != parameter.shape:
        return value
    return parameter.whole_of(value)


FSDP = FullyShardedDataParallel
