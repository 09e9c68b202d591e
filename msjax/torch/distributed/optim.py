"""`torch.distributed.optim`: an optimizer whose state is divided among the processes (ZeRO, stage 1)."""

from collections.abc import Callable
from typing import Any

from msjax.communication import groups
from msjax.core.autodiff.imperative import no_grad
from msjax.core.xla.collectives import world
from msjax.mint import distributed as dialect
from msjax.torch.data_parallel import broadcast_each
from msjax.torch.distributed import process_groups
from msjax.torch.optim.optimizer import Optimizer
from msjax.torch.tensors.tensor import Tensor


class ZeroRedundancyOptimizer(Optimizer):
    """An optimizer of which each process keeps the state of some Parameters, changes those, and sends them to the others.

    Parameters are divided whole, the largest first, each to the process that has least. All must have the same gradients, as
    DistributedDataParallel gives them.

    Args:
        params: tensors, or dicts with "params" and settings of their own.
        optimizer_class: what changes them.
        process_group: the processes. Default: all.
        parameters_as_bucket_view: accepted, without effect.
        overlap_with_ddp: must be False.
        **defaults: the settings.

    Attributes:
        optim: the optimizer of this process's Parameters.

    Raises:
        TypeError: if `params` are no tensors or dicts.
        ValueError: if there are none, or they have several dtypes.
        NotImplementedError: for what is not supported.

    Examples:
        >>> from msjax import torch
        >>> from msjax.torch.distributed.optim import ZeroRedundancyOptimizer
        >>> torch.distributed.init_process_group("gloo", init_method="tcp://localhost:1", world_size=1, rank=0)
        >>> w = torch.nn.Parameter(torch.ones(2))
        >>> optimizer = ZeroRedundancyOptimizer([w], torch.optim.SGD, lr=0.5)
        >>> w.sum().backward()
        >>> optimizer.step()
        >>> w.detach()
        tensor([0.5000, 0.5000])
        >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self, params: Any, optimizer_class: type[Optimizer], process_group: Any = None,
        parameters_as_bucket_view: bool = False, overlap_with_ddp: bool = False, **defaults: Any,
    ) -> None:  # fmt: skip
        if overlap_with_ddp:
            raise NotImplementedError(
                "`ZeroRedundancyOptimizer`: argument `overlap_with_ddp` must be False: gradients are averaged together."
            )
        given = _check(params)
        self.process_group = process_group
        self._name = process_groups.name_of(process_group)
        self._ranks = groups.members("ZeroRedundancyOptimizer", self._name)
        self.world_size, self.rank = len(self._ranks), self._ranks.index(world.rank)
        self._owned: list[list[list[Any]]] = []  # for each group, the Parameters of each process
        self._sizes = [0] * self.world_size
        self._consolidated: list[dict[str, Any]] = []
        super().__init__(given, defaults)
        own = [self._own_group(number) for number in range(len(self.param_groups))]
        self.optim = optimizer_class(own, **defaults)
        _copy_settings(self.optim, self)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add Parameters with settings of their own. Every process must call it."""
        super().add_param_group(param_group)
        parts: list[list[Any]] = [[] for _ in self._ranks]
        for parameter in sorted(self.param_groups[-1]["params"], key=lambda each: -each.numel()):
            place = min(range(self.world_size), key=self._sizes.__getitem__)
            parts[place].append(parameter)
            self._sizes[place] += parameter.numel()
        self._owned.append(parts)
        if hasattr(self, "optim"):
            self.optim.add_param_group(self._own_group(len(self._owned) - 1))
            _copy_settings(self.optim, self)

    def _own_group(self, number: int) -> dict[str, Any]:
        return {**self.param_groups[number], "params": self._owned[number][self.rank]}

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Change the Parameters of this process, and take those of the others. Every process must call it.

        Args:
            closure: computes the loss and its gradients anew; it is called first.
            **kwargs: given to the optimizer.

        Returns:
            What `closure` returned.
        """
        _copy_settings(self, self.optim)
        loss = self.optim.step(**kwargs) if closure is None else self.optim.step(closure=closure, **kwargs)
        _copy_settings(self.optim, self)
        with no_grad():
            for place, root in enumerate(self._ranks if self.world_size > 1 else ()):
                theirs = [parameter for parts in self._owned for parameter in parts[place]]
                values = broadcast_each(theirs, self._ranks, root) if theirs else []
                if place != self.rank:
                    for parameter, value in zip(theirs, values, strict=True):
                        parameter.copy_(value)
        return loss

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Gather the state of all processes in one, for its :meth:`state_dict`. Every process must call it.

        Args:
            to: the number of the process in the group.
        """
        _copy_settings(self, self.optim)
        found: list[Any] = [None] * self.world_size
        dialect.gather_object(self.optim.state_dict(), found, self._ranks[to], self._name)
        self._consolidated = found if self.rank == to else []

    def state_dict(self) -> dict[str, Any]:
        """Return the state that :meth:`consolidate_state_dict` gathered here, as the optimizer of one process has it.

        Raises:
            RuntimeError: if it has not been called, or gathered it elsewhere.
        """
        if not self._consolidated:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call "
                f"`consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to save the global state."
            )
        whole = super().state_dict()
        for place, local in enumerate(self._consolidated):
            numbers = self._numbers(place)
            whole["state"] |= {numbers[i]: kept for i, kept in local["state"].items()}
        whole["state"] = dict(sorted(whole["state"].items()))
        return whole

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what :meth:`state_dict`, or that of the optimizer of one process, returned; each process keeps its part.

        Raises:
            ValueError: if the groups are others.
        """
        super().load_state_dict({"state": {}, "param_groups": state_dict["param_groups"]})
        _copy_settings(self, self.optim)
        state = {i: state_dict["state"].get(number) for i, number in enumerate(self._numbers(self.rank))}
        local = self.optim.state_dict()["param_groups"]
        self.optim.load_state_dict(
            {"state": {i: kept for i, kept in state.items() if kept}, "param_groups": local}
        )

    def _numbers(self, place: int) -> list[int]:
        """Numbers of the Parameters of a process, in the order in which its optimizer has them."""
        numbers = {id(parameter): i for i, parameter in enumerate(self.params)}
        return [numbers[id(parameter)] for parts in self._owned for parameter in parts[place]]


def _check(params: Any) -> list[Any]:
    kind = params.type() if isinstance(params, Tensor) else type(params).__name__
    if isinstance(params, Tensor):
        raise TypeError(f"`params` argument should be an iterable of Tensors, but got {kind}")
    try:
        given = list(params)
    except TypeError as error:
        raise TypeError(
            f"`params` argument should be an iterable of Tensors or dicts, but got {kind}"
        ) from error
    if not given:
        raise ValueError("ZeroRedundancyOptimizer got an empty parameter list")
    if all(isinstance(each, dict) for each in given):
        if not all("params" in each for each in given):
            raise ValueError(
                "Each parameter group passed-in via `params` must have a 'params' key mapping to the parameters in the group"
            )
        given = [{**each, "params": list(each["params"])} for each in given]
        tensors = [parameter for each in given for parameter in each["params"]]
    elif all(isinstance(each, Tensor) for each in given):
        tensors = given
    else:
        raise TypeError("`params` argument should be an iterable of Tensors or dicts")
    for each in tensors:
        if each.dtype != tensors[0].dtype:
            raise ValueError(
                "ZeroRedundancyOptimizer only supports using the same dense type for all parameters but got both "
                f"{tensors[0].type()} and {each.type()}"
            )
    return given


def _copy_settings(source: Optimizer, target: Optimizer) -> None:
    for given, group in zip(source.param_groups, target.param_groups, strict=True):
        for name, value in given.items():
            same = name in group and (group[name] is value or group[name] == value)
            if name != "params" and not same:
                group[name] = value
