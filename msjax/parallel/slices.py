"""Parameters and checkpoints in slices, without a strategy file; `transform.py` has what needs one."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msjax import ops
from msjax.communication.comm_func import broadcast
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.core.xla.collectives import world
from msjax.nn.cell.cell import Cell
from msjax.parallel.strategies import merge
from msjax.train.serialization import load_checkpoint


def merge_sliced_parameter(sliced_parameters: list[Parameter], strategy: dict | None = None) -> Parameter:
    """Merge the slices of a Parameter.

    Args:
        sliced_parameters (list[Parameter]): the slices, in the order of the processes that held them.
        strategy (dict): how Parameters were sliced, as `build_searched_strategy` gives it. Default: along the first axis.

    Returns:
        Parameter, with the name of the slices.

    Raises:
        TypeError: if the slices are not a list of Parameters, or `strategy` is not a dict.
        ValueError: if there is none, their names or shapes disagree, or `strategy` has another number of them.
        KeyError: if `strategy` does not have their name.
        NotImplementedError: if `strategy` has unequal slices.

    Examples:
        >>> import msjax as ms
        >>> slices = [ms.Parameter(ms.Tensor([[1.0, 2.0]]), name="w"), ms.Parameter(ms.Tensor([[3.0, 4.0]]), name="w")]
        >>> print(ms.merge_sliced_parameter(slices).asnumpy().tolist())
        [[1.0, 2.0], [3.0, 4.0]]
    """
    _check_slices(sliced_parameters)
    first = sliced_parameters[0]
    if strategy and not isinstance(strategy, dict):
        raise _wrong_type("merge_sliced_parameter", "strategy", "a dict", strategy)
    if strategy:
        if first.name not in strategy:
            raise KeyError(f"`merge_sliced_parameter`: argument `strategy` must have the key {first.name!r}.")
        layouts = strategy[first.name]
        if len(sliced_parameters) != layouts.devices:
            raise ValueError(
                f"`merge_sliced_parameter`: there must be {layouts.devices} slices, as `strategy` says. "
                f"Received: {len(sliced_parameters)}."
            )
        merged = Tensor(merge({i: p.asnumpy() for i, p in enumerate(sliced_parameters)}, layouts.cuts))
    elif not first.shape:
        raise ValueError("`merge_sliced_parameter`: slices must have an axis. Received: shape ().")
    else:
        merged = ops.concat([parameter.value() for parameter in sliced_parameters])
    return Parameter(merged, first.name, first.requires_grad, first.layerwise_parallel)


def load_segmented_checkpoints(
    ckpt_file_dir: str,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: Any = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Any = None,
    choice_func: Callable[[str], bool] | None = None,
) -> dict[str, Any]:
    """Load all checkpoint files of a folder; arguments are those of :func:`msjax.load_checkpoint`.

    Args:
        ckpt_file_dir (str): the folder; its files that end with ".ckpt" are read.
        net (Cell): the network to load into.
        strict_load (bool): see there, as for the others.
        filter_prefix (Union[str, list[str], tuple[str]]): names that begin so are left out.
        dec_key (bytes): must be None.
        dec_mode (str): accepted for MindSpore's signature.
        specify_prefix (Union[str, list[str], tuple[str]]): only names that begin so are taken.
        choice_func (Callable): takes a name and says whether to load it.

    Returns:
        dict, of Parameters by their names.

    Raises:
        TypeError: if `ckpt_file_dir` is not a str.
        ValueError: if it is not a folder.
    """
    if not isinstance(ckpt_file_dir, str):
        raise _wrong_type("load_segmented_checkpoints", "ckpt_file_dir", "a str", ckpt_file_dir)
    if not os.path.isdir(ckpt_file_dir):
        raise ValueError(
            f"`load_segmented_checkpoints`: argument `ckpt_file_dir` must be a folder. Received: {ckpt_file_dir!r}."
        )
    found: dict[str, Any] = {}
    options = (net, strict_load, filter_prefix, dec_key, dec_mode, specify_prefix, choice_func)
    for file in sorted(Path(ckpt_file_dir).glob("*.ckpt")):
        found.update(load_checkpoint(str(file), *options))
    return found


def sync_pipeline_shared_parameters(net: Cell) -> None:
    """Parameters that stages of a pipeline share become equal; one process is one stage, so nothing is to be done.

    Args:
        net (Cell): the network.

    Raises:
        TypeError: if it is not a Cell.
    """
    if not isinstance(net, Cell):
        raise _wrong_type("sync_pipeline_shared_parameters", "net", "a Cell", net)


def parameter_broadcast(net: Cell, layout: Mapping, cur_rank: int = 0, initial_rank: int = 0) -> None:
    """Give all processes the values that one of them has, such as those of a checkpoint that it alone has loaded.

    All processes call it, before a step leaves Parameters in parts. With one process, nothing is to be done.

    Args:
        net (Cell): the network.
        layout (dict): how Parameters are distributed, by their names; those are broadcast.
        cur_rank (int): this process.
        initial_rank (int): the one that has the values.

    Raises:
        ValueError: if this process is not `cur_rank`, there is no process `initial_rank`, or `layout` has a name that the
            network does not have.
    """
    if cur_rank != world.rank or initial_rank not in range(world.size):
        raise ValueError(
            f"`parameter_broadcast`: argument `cur_rank` must be {world.rank}, the number of this process, and "
            f"`initial_rank` one of the {world.size} processes. Received: {cur_rank}, {initial_rank}."
        )
    parameters = net.parameters_dict()
    absent = set(layout or ()) - set(parameters)
    if absent:
        raise ValueError(
            f"`parameter_broadcast`: the network has no Parameters {sorted(absent)} of `layout`."
        )
    if world.size > 1:
        for name in sorted(layout or ()):
            parameters[name].set_data(broadcast(parameters[name].value(), initial_rank))


def _check_slices(slices: Any) -> None:
    name = "merge_sliced_parameter"
    if not isinstance(slices, list):
        raise _wrong_type(name, "sliced_parameters", "a list", slices)
    if not slices:
        raise ValueError(f"`{name}`: argument `sliced_parameters` must not be empty.")
    for i, parameter in enumerate(slices):
        if not isinstance(parameter, Parameter):
            raise _wrong_type(name, f"sliced_parameters[{i}]", "a Parameter", parameter)
        first = slices[0]
        if (parameter.name, parameter.ndim, parameter.shape[1:]) != (first.name, first.ndim, first.shape[1:]):
            raise ValueError(
                f"`{name}`: all slices must have the name and, but for axis 0, the shape of the first, {first.name!r} and "
                f"{first.shape}. Received: {parameter.name!r} and {parameter.shape} at {i}."
            )


def _wrong_type(name: str, argument: str, wanted: str, given: Any) -> TypeError:
    return TypeError(f"`{name}`: argument `{argument}` must be {wanted}. Received: {type(given).__name__}.")
