"""State dicts of sharded modules and their optimizers (FSDP): of all rows, or of this process's."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msjax.core.autodiff.imperative import no_grad
from msjax.core.xla.collectives import world
from msjax.torch import distributed
from msjax.torch.data_parallel import DistributedDataParallel
from msjax.torch.distributed import fsdp
from msjax.torch.nn.module import Module
from msjax.torch.nn.state_dicts import detach_for_saving
from msjax.torch.optim.optimizer import Optimizer
from msjax.torch.tensors.creation import zeros, zeros_like
from msjax.torch.tensors.tensor import Tensor


@dataclass
class StateDictOptions:
    """Options of state dicts: their content, and how they are loaded.

    Attributes:
        full_state_dict: all rows of each Parameter; else those of this process.
        cpu_offload: accepted; with `full_state_dict`, processes but the first get an empty dict, as in PyTorch.
        ignore_frozen_params: leave out Parameters that need no gradient.
        keep_submodule_prefixes: must be True.
        strict: names must agree.
        broadcast_from_rank0: with `full_state_dict`, only the first process has what is loaded.
        flatten_optimizer_state_dict: must be False.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False


def _check_options(fn: str, options: StateDictOptions | None) -> StateDictOptions:
    options = StateDictOptions() if options is None else options
    if not options.keep_submodule_prefixes or options.flatten_optimizer_state_dict:
        raise NotImplementedError(
            f"`{fn}`: `keep_submodule_prefixes` must be True and `flatten_optimizer_state_dict` False. Received: {options}."
        )
    if options.broadcast_from_rank0 and not options.full_state_dict:
        raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
    return options


def _inner(model: Any) -> Module:
    """The module that was wrapped: names are its own."""
    while isinstance(model, fsdp.FullyShardedDataParallel | DistributedDataParallel):
        model = model.module
    return model


def get_model_state_dict(
    model: Module, *, submodules: Any = None, options: StateDictOptions | None = None
) -> Any:
    """Return the state of a module by names. With all rows, every process must call it.

    Args:
        model: the module.
        submodules: must be None.
        options: default: this process's rows.

    Raises:
        NotImplementedError: for what is not supported.

    Examples:
        >>> from msjax import torch
        >>> from msjax.torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
        >>> torch.distributed.init_process_group("gloo", init_method="tcp://localhost:1", world_size=1, rank=0)
        >>> net = torch.distributed.fsdp.fully_shard(torch.nn.Linear(2, 1))
        >>> state = get_model_state_dict(net, options=StateDictOptions(full_state_dict=True))
        >>> {name: value.shape for name, value in state.items()}
        {'weight': torch.Size([1, 2]), 'bias': torch.Size([1])}
        >>> torch.distributed.destroy_process_group()
    """
    fn = "get_model_state_dict"
    fsdp.refuse(fn, {"submodules": submodules})
    options, model = _check_options(fn, options), _inner(model)
    found = model.state_dict()
    if options.ignore_frozen_params:
        for name, parameter in model.named_parameters(remove_duplicate=False):
            if not parameter.requires_grad:
                found.pop(name, None)
    if options.full_state_dict:
        fsdp.fill_in(model, found)
        if options.cpu_offload and world.rank:
            found.clear()
    return found


def set_model_state_dict(
    model: Module, model_state_dict: Mapping[str, Any], *, options: StateDictOptions | None = None
) -> Any:
    """Load what `get_model_state_dict` gave.

    Args:
        model: the module.
        model_state_dict: by names; of Parameters all rows, or this process's.
        options: default: each process has what it loads.

    Returns:
        Missing and unexpected names.

    Raises:
        RuntimeError: if names or shapes do not agree.
    """
    options, model = _check_options("set_model_state_dict", options), _inner(model)
    if options.broadcast_from_rank0:
        model_state_dict = _of_the_first(model, model_state_dict)
    return model.load_state_dict(fsdp.rows_of(model, model_state_dict), strict=options.strict)


def _of_the_first(model: Module, given: Mapping[str, Any]) -> dict[str, Any]:
    names: list[Any] = [list(given)]
    distributed.broadcast_object_list(names)
    own = model.state_dict(keep_vars=True)
    found = {}
    with no_grad():
        for name in names[0]:
            mine = own.get(name)
            if name not in given and mine is None:
                continue  # a name that `strict` refuses in the first process
            shape = getattr(mine, "whole_shape", None) or tuple(
                given[name].shape if name in given else mine.shape
            )
            value = given[name].detach().clone() if name in given else zeros(*shape, dtype=mine.dtype)
            distributed.broadcast(value, 0)
            found[name] = value
    return found


def _parameter_names(model: Module) -> dict[int, str]:
    return {id(parameter): name for name, parameter in _inner(model).named_parameters()}


def get_optimizer_state_dict(
    model: Module, optimizers: Any, *, submodules: Any = None, options: StateDictOptions | None = None
) -> dict[str, Any]:
    """Return the state of an optimizer, with names of Parameters for their numbers.

    With all rows, every process must call it.

    Args:
        model: whose Parameters they change.
        optimizers: an optimizer, or several.
        submodules: must be None.
        options: default: this process's rows.

    Raises:
        NotImplementedError: for what is not supported.
    """
    fn = "get_optimizer_state_dict"
    fsdp.refuse(fn, {"submodules": submodules})
    options, names = _check_options(fn, options), _parameter_names(model)
    state: dict[str, Any] = {}
    groups = []
    for optimizer in _each(optimizers):
        _init_optim_state(optimizer)
        for group in optimizer.param_groups:
            others = {key: value for key, value in group.items() if key != "params"}
            groups.append(others | {"params": [names[id(parameter)] for parameter in group["params"]]})
            for parameter in group["params"]:
                kept = optimizer.state.get(parameter, {})
                if kept:
                    state[names[id(parameter)]] = {
                        key: _kept(parameter, value, options) for key, value in kept.items()
                    }
    if options.full_state_dict and options.cpu_offload and world.rank:
        return {}
    return {"state": state, "param_groups": groups}


def _each(optimizers: Any) -> list[Any]:
    return [optimizers] if isinstance(optimizers, Optimizer) else list(optimizers)


def _kept(parameter: Any, value: Any, options: StateDictOptions) -> Any:
    """Return the state that an optimizer keeps for a Parameter: all rows, or marked as those of this process."""
    if not isinstance(value, Tensor):
        return value
    return (
        fsdp.with_rows_of(parameter, value)
        if options.full_state_dict
        else detach_for_saving(parameter, value.detach())
    )


def set_optimizer_state_dict(
    model: Module,
    optimizers: Any,
    optim_state_dict: Mapping[str, Any],
    *,
    options: StateDictOptions | None = None,
) -> None:
    """Load what `get_optimizer_state_dict` gave, of all rows or this process's.

    Args:
        model: whose Parameters they change.
        optimizers: an optimizer, or several.
        optim_state_dict: the state, by names of Parameters.
        options: default: each process has what it loads.
    """
    options, names = _check_options("set_optimizer_state_dict", options), _parameter_names(model)
    if options.broadcast_from_rank0:
        given = [optim_state_dict if world.rank == 0 else None]
        distributed.broadcast_object_list(given)
        optim_state_dict = given[0]  # type: ignore[assignment]
    groups = {name: group for group in optim_state_dict["param_groups"] for name in group["params"]}
    for optimizer in _each(optimizers):
        _init_optim_state(optimizer)
        state, own_groups = {}, []
        for group in optimizer.param_groups:
            own = [names[id(parameter)] for parameter in group["params"]]
            numbers = {
                name: sum(len(each["params"]) for each in own_groups) + i for i, name in enumerate(own)
            }
            own_groups.append(groups[own[0]] | {"params": list(numbers.values())} if own else group)
            for parameter, name in zip(group["params"], own, strict=True):
                state[numbers[name]] = {
                    key: fsdp.own_rows(parameter, value) if isinstance(value, Tensor) else value
                    for key, value in optim_state_dict["state"].get(name, {}).items()
                }
        optimizer.load_state_dict({"state": state, "param_groups": own_groups})


def get_state_dict(
    model: Module, optimizers: Any, *, submodules: Any = None, options: StateDictOptions | None = None
) -> tuple[Any, dict[str, Any]]:
    """Return the states of a module and its optimizers by names.

    Args:
        model: the module.
        optimizers: an optimizer, or several, for its Parameters.
        submodules: must be None.
        options: default: this process's rows.

    Returns:
        What `get_model_state_dict` and `get_optimizer_state_dict` give.

    Raises:
        NotImplementedError: for what is not supported.
    """
    return (
        get_model_state_dict(model, submodules=submodules, options=options),
        get_optimizer_state_dict(model, optimizers, submodules=submodules, options=options),
    )


def set_state_dict(
    model: Module, optimizers: Any, *, model_state_dict: Mapping[str, Any], optim_state_dict: Mapping[str, Any],
    options: StateDictOptions | None = None,
) -> Any:  # fmt: skip
    """Load what `get_state_dict` gave.

    Args:
        model: the module.
        optimizers: an optimizer, or several, for its Parameters.
        model_state_dict: the module's.
        optim_state_dict: the optimizers'.
        options: default: each process has what it loads.

    Returns:
        Missing and unexpected names.
    """
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return set_model_state_dict(model, model_state_dict, options=options)


def _init_optim_state(optim: Any) -> None:
    """Let an optimizer make what it keeps for each Parameter, by a step of rate 0."""
    parameters = [parameter for group in optim.param_groups for parameter in group["params"]]
    if optim.state or any(parameter.grad is not None for parameter in parameters):
        return
    for parameter in parameters:
        if parameter.requires_grad:
            parameter.grad = zeros_like(parameter)
    rates = [group["lr"] for group in optim.param_groups]
    for group in optim.param_groups:
        group["lr"] = group["lr"] * 0
    optim.step()
    for group, rate in zip(optim.param_groups, rates, strict=True):
        group["lr"] = rate
    optim.zero_grad(set_to_none=True)
