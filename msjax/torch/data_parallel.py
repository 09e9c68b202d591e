"""`torch.nn.parallel.DistributedDataParallel`: data parallelism, by a copy of the module in each process."""

import contextlib
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax.communication import operators
from msjax.communication.groups import members
from msjax.core.autodiff.imperative import is_grad_enabled, no_grad
from msjax.core.op.op import op
from msjax.core.state import state
from msjax.core.tape import nodes
from msjax.core.tensor.tensor import node_of, resolve, tensors_in, wrap
from msjax.core.xla import collectives
from msjax.core.xla.collectives import world
from msjax.mint import distributed
from msjax.torch import func
from msjax.torch.nn.module import Module
from msjax.torch.tensors.tensor import as_torch


@op(static="ranks scale")
def average_gradients(arrays: Any, ranks: tuple[int, ...], scale: float = 1.0) -> list[jax.Array]:
    """Return the arrays; their gradients become the means over the processes, together in one communication.

    Args:
        arrays: the arrays.
        ranks: the processes.
        scale: what means are multiplied by, where some processes have no gradients.
    """

    @jax.custom_vjp
    def same(given: list[jax.Array]) -> list[jax.Array]:
        return given

    def backward(_: None, gradients: list[jax.Array]) -> tuple[list[jax.Array]]:
        means = operators.all_reduce_each.pure(gradients, "avg", ranks)
        return (means if scale == 1 else [mean * jnp.asarray(scale, mean.dtype) for mean in means],)

    same.defvjp(lambda given: (given, None), backward)
    return same(list(arrays))


@op(static="ranks root")
def broadcast_each(arrays: Any, ranks: tuple[int, ...], root: int) -> list[jax.Array]:
    """Return the arrays of the process `root`."""
    return [collectives.broadcast(jnp.asarray(array), ranks, root) for array in arrays]


def _outputs_reached(tree: Any, node: nodes.Node) -> set[int]:
    """The outputs of a node that tensors were computed from."""
    waiting = [ref for ref in (node_of(resolve(tensor)) for tensor in tensors_in(tree)) if ref is not None]
    found: set[int] = set()
    seen: set[int] = set()
    while waiting:
        step, place = waiting.pop()
        if step is node:
            found.add(place)
        elif id(step) not in seen:
            seen.add(id(step))
            waiting.extend(step.inputs)
    return found


class DistributedDataParallel(Module):
    """Module with a copy in each process: gradients are averaged in the backward pass.

    Parameters and buffers of the first process are given to all at the beginning, and its buffers before each forward
    pass. All gradients travel together, when the backward pass has come to its end.

    Args:
        module: the module.
        device_ids, output_device, dim: without effect: a process has one device.
        broadcast_buffers: whether buffers are given to all before each forward pass.
        init_sync: whether Parameters and buffers are, at the beginning.
        process_group: the processes. Default: all.
        find_unused_parameters: whether Parameters that no process has used in a forward pass get no gradient. Without it
            they get zeros, which optimizers with momentum or weight decay take for gradients; PyTorch raises then.
        bucket_cap_mb, check_reduction, gradient_as_bucket_view, static_graph: without effect.
        delay_all_reduce_named_params, param_to_hook_all_reduce, mixed_precision, device_mesh: not supported.

    Raises:
        ValueError: if `init_process_group` has not been called.
        RuntimeError: if no Parameter needs a gradient, or the processes have other Parameters.
        NotImplementedError: for what is not supported.

    Examples:
        >>> from msjax import torch
        >>> torch.distributed.init_process_group("gloo", init_method="tcp://localhost:1", world_size=1, rank=0)
        >>> net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
        >>> net(torch.ones(3, 2)).sum().backward()
        >>> net.module.weight.grad
        tensor([[3., 3.]])
        >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self, module: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0,
        broadcast_buffers: bool = True, init_sync: bool = True, process_group: Any = None,
        bucket_cap_mb: float | None = None, find_unused_parameters: bool = False, check_reduction: bool = False,
        gradient_as_bucket_view: bool = False, static_graph: bool = False, delay_all_reduce_named_params: Any = None,
        param_to_hook_all_reduce: Any = None, mixed_precision: Any = None, device_mesh: Any = None, **others: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        refused = {
            "delay_all_reduce_named_params": delay_all_reduce_named_params,
            "param_to_hook_all_reduce": param_to_hook_all_reduce,
            "mixed_precision": mixed_precision,
            "device_mesh": device_mesh,
        }
        for name, value in refused.items():
            if value is not None:
                raise NotImplementedError(
                    f"`DistributedDataParallel`: argument `{name}` must be None. Received: {value!r}."
                )
        if not distributed.is_initialized():
            raise ValueError(
                "Default process group has not been initialized, please make sure to call init_process_group."
            )
        if not any(p.requires_grad for p in module.parameters()):
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient."
            )
        self.module = module
        self.find_unused_parameters = find_unused_parameters
        self.process_group, self.broadcast_buffers = process_group, broadcast_buffers
        self.require_backward_grad_sync = True
        self._join: tuple[bool, bool] | None = None  # within `join`, its settings
        self._buffers_are_due, self._holds_own = (
            True,
            False,
        )  # own: gradients of this process alone, from `no_sync`
        self._ranks = members("DistributedDataParallel", getattr(process_group, "group_name", None))
        for name, parameter in module.named_parameters():
            if any(len({*ranks} & {*self._ranks}) > 1 for ranks in getattr(parameter, "groups", ())):
                raise RuntimeError(
                    f"`DistributedDataParallel`: the processes {self._ranks} have parts of {name}, and would average them. "
                    "Give it a `process_group` of processes that have the same part."
                )
        if init_sync and len(self._ranks) > 1:
            self._verify()
            self._spread([*module.parameters(), *module.buffers()])

    def _verify(self) -> None:
        """Refuse Parameters that differ by process: to communicate them would hang."""
        own = [(name, tuple(p.shape), str(p.dtype)) for name, p in self.module.named_parameters()]
        found: list[Any] = [None] * len(self._ranks)
        distributed.all_gather_object(found, own, getattr(self.process_group, "group_name", None))
        for rank, other in zip(self._ranks, found, strict=True):
            if other != own:
                first = next(
                    (pair for pair in zip(own, other, strict=False) if pair[0] != pair[1]),
                    (len(own), len(other)),
                )
                raise RuntimeError(
                    f"`DistributedDataParallel`: the processes must have the same Parameters. Process {world.rank} has "
                    f"{first[0]}, process {rank} has {first[1]}."
                )

    def _spread(self, tensors: list[Any], root: int | None = None) -> None:
        with no_grad():
            values = broadcast_each(tensors, self._ranks, self._ranks[0] if root is None else root)
            for tensor, value in zip(tensors, values, strict=True):
                tensor.copy_(value)

    def _over_all(self, number: int, reduction: str) -> int:
        with no_grad():
            found = operators.all_reduce(wrap(jnp.asarray([number], jnp.int32)), reduction, self._ranks)
        return int(found.asnumpy()[0])

    def _spread_buffers(self, buffers: list[Any], works: bool) -> None:
        if self.broadcast_buffers and buffers and self._buffers_are_due:
            root = None if self._join is None else self._over_all(world.rank if works else -1, "max")
            self._spread(buffers, root)

    def _average_held(self, parameters: list[Any]) -> None:
        """Average the gradients that were left as they are; a mean of sums is the sum of means."""
        self._holds_own = False
        with no_grad():
            held = [p.grad for p in parameters]
            for gradient, mean in zip(held, operators.all_reduce_each(held, "avg", self._ranks), strict=True):
                gradient.copy_(mean)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call the module."""
        buffers = [*self.module.buffers()]
        if len(self._ranks) == 1:
            return self.module(*inputs, **kwargs)
        scale = 1.0 if self._join is None else self._tell_others(*self._join)
        self._spread_buffers(buffers, True)
        self._buffers_are_due = self.require_backward_grad_sync and is_grad_enabled()
        if self._join is not None:
            self._over_all(int(self._buffers_are_due), "max")
        if not self._buffers_are_due:
            self._holds_own = self._holds_own or is_grad_enabled()
            return self.module(*inputs, **kwargs)
        named = {name: p for name, p in self.module.named_parameters() if p.requires_grad}
        if self._holds_own:
            self._average_held([p for p in named.values() if p.grad is not None])
        averaged = average_gradients([resolve(p) for p in named.values()], self._ranks, scale)
        given = {name: as_torch(value) for name, value in zip(named, averaged, strict=True)}
        out = func.functional_call(self.module, given, inputs, kwargs)
        if self.find_unused_parameters and state.frame is None and averaged[0]._node is not None:
            self._leave_out_unused(out, averaged[0]._node[0], len(named))
        return out

    def _leave_out_unused(self, out: Any, average: nodes.Node, count: int) -> None:
        """Cut Parameters off the graph that no process has used, so that the backward pass gives them nothing."""
        used = np.zeros(count, np.uint8)
        used[list(_outputs_reached(out, average))] = 1
        anywhere = operators.all_reduce(wrap(jnp.asarray(used)), "max", self._ranks).asnumpy()
        average.inputs = tuple(
            ref if there else (nodes.Leaf(ref[0].avals[ref[1]]), 0)
            for ref, there in zip(average.inputs, anywhere, strict=True)
        )

    def register_comm_hook(self, state: object, hook: Any) -> None:
        """Not supported: gradients are averaged as they are.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            "`DistributedDataParallel.register_comm_hook` is not supported: gradients are averaged as they are. Write the "
            "step with `torch.distributed.all_reduce` and a module without this wrapper."
        )

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Leave gradients as they are, for forward passes within: they are averaged with those of later ones."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    @contextlib.contextmanager
    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool = False
    ) -> Iterator[None]:  # fmt: skip
        """Let processes have different numbers of batches: one that has no more takes part in what the others communicate.

        At the end all have the Parameters and buffers of the one that worked longest.

        Args:
            divide_by_initial_world_size: whether gradients are sums over the processes that work, divided by the number of
                all; else by their number.
            enable: whether it does anything.
            throw_on_early_termination: whether all raise when the first has no more.

        Raises:
            RuntimeError: with `throw_on_early_termination`.
            NotImplementedError: in a forward pass within `no_sync`.
        """
        if not enable or len(self._ranks) == 1:
            yield
            return
        self._join = divide_by_initial_world_size, throw_on_early_termination
        try:
            yield
            last = True
            while self._over_all(0, "sum"):
                if throw_on_early_termination:
                    self._over_all(1, "sum")
                    raise RuntimeError(f"Rank {self._ranks.index(world.rank)} exhausted all inputs.")
                self._follow()
                last = False
            root = self._over_all(world.rank if last else -1, "max")
            self._spread([*self.module.parameters(), *self.module.buffers()], root)
        finally:
            self._join = None

    def _tell_others(self, by_all: bool, throws: bool) -> float:
        """Tell those that have no more batches that this one has; return what means are multiplied by."""
        if not self.require_backward_grad_sync:
            raise NotImplementedError("`DistributedDataParallel.join`: `no_sync` within it is not supported.")
        working = self._over_all(1, "sum")
        if throws and self._over_all(0, "sum"):
            raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        return 1.0 if by_all else len(self._ranks) / working

    def _follow(self) -> None:
        """Take part in what a forward and backward pass of the others communicates."""
        self._spread_buffers([*self.module.buffers()], False)
        self._buffers_are_due = bool(self._over_all(0, "max"))
        if self._buffers_are_due:
            params = [p for p in self.module.parameters() if p.requires_grad]
            with no_grad():
                if self.find_unused_parameters:
                    operators.all_reduce(wrap(jnp.zeros(len(params), jnp.uint8)), "max", self._ranks)
                zeros = [wrap(jnp.zeros_like(resolve(p)._value)) for p in params]
                operators.all_reduce_each(zeros, "avg", self._ranks)
