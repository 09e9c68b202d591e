"""Checkpoints of distributed runs: merging of slices, as far as a single process has them."""

import os
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msjax import ops
from msjax.core.tensor.parameter import Parameter
from msjax.nn.cell.cell import Cell
from msjax.train.serialization import load_checkpoint

_WAY_OUT = (
    "Strategy files are of MindSpore's distributed compiler. Merge the slices with `merge_sliced_parameter`."
)


def merge_sliced_parameter(sliced_parameters: list[Parameter], strategy: dict | None = None) -> Parameter:
    """One Parameter from its slices.

    Args:
        sliced_parameters (list[Parameter]): the slices, in the order of the processes that held them.
        strategy (dict): how it was sliced. Default: along its first axis.

    Returns:
        Parameter, with the name of the slices.

    Raises:
        TypeError: if the slices are not a list of Parameters, or `strategy` is not a dict.
        ValueError: if there is none, or their names or shapes disagree.
        KeyError: if `strategy` does not have their name.
        NotImplementedError: for another strategy than the default.

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
        raise NotImplementedError(
            "`merge_sliced_parameter`: argument `strategy` must be None here: slices are merged along axis 0."
        )
    if not first.shape:
        raise ValueError("`merge_sliced_parameter`: slices must have an axis. Received: shape ().")
    merged = ops.concat([parameter.value() for parameter in sliced_parameters])
    return Parameter(merged, first.name, first.requires_grad, first.layerwise_parallel)


def rank_list_for_transform(
    rank_id: int, src_strategy_file: str | None = None, dst_strategy_file: str | None = None
) -> list[int]:
    """Return the processes whose checkpoints one process needs: [0], if the first run had one.

    Args:
        rank_id (int): the process.
        src_strategy_file (str): how the first run was distributed. Default: not.
        dst_strategy_file (str): how the second is distributed; without `src_strategy_file` it does not matter.

    Raises:
        TypeError: if `rank_id` is not an int.
        ValueError: if there is no such file.
        NotImplementedError: if there is.

    Examples:
        >>> import msjax as ms
        >>> ms.rank_list_for_transform(3)
        [0]
    """
    if not isinstance(rank_id, int):
        raise _wrong_type("rank_list_for_transform", "rank_id", "an int", rank_id)
    _refuse_strategies("rank_list_for_transform", src_strategy_file)
    return [0]


rank_list_for_convert = rank_list_for_transform


def transform_checkpoint_by_rank(
    rank_id: int,
    checkpoint_files_map: Mapping[int, str],
    save_checkpoint_file_name: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
) -> None:
    """Write the checkpoint of one process: of an undistributed run, that is a copy.

    Args:
        rank_id (int): the process.
        checkpoint_files_map (dict[int, str]): the first run's files, by process.
        save_checkpoint_file_name (str): where to, a name that ends with ".ckpt".
        src_strategy_file (str): must be None here.
        dst_strategy_file (str): must be None here.

    Raises:
        TypeError: if `checkpoint_files_map` is not a dict.
        ValueError: if a file is not there, or the name ends otherwise.
        NotImplementedError: if a strategy file is given.
    """
    name = "transform_checkpoint_by_rank"
    if not isinstance(checkpoint_files_map, Mapping):
        raise _wrong_type(name, "checkpoint_files_map", "a dict", checkpoint_files_map)
    if not isinstance(rank_id, int):
        raise _wrong_type(name, "rank_id", "an int", rank_id)
    for rank, file in checkpoint_files_map.items():
        if not os.path.isfile(file):
            raise ValueError(f"`{name}`: there is no checkpoint file {file!r} of process {rank}.")
    if not save_checkpoint_file_name.endswith(".ckpt"):
        raise ValueError(
            f"`{name}`: argument `save_checkpoint_file_name` must end with '.ckpt'. Received: {save_checkpoint_file_name!r}."
        )
    _refuse_strategies(name, src_strategy_file, dst_strategy_file)
    needed = [checkpoint_files_map[rank] for rank in (0, rank_id) if rank in checkpoint_files_map]
    if not needed:
        raise ValueError(
            f"`{name}`: argument `checkpoint_files_map` must have process 0. Received: {checkpoint_files_map}."
        )
    os.makedirs(os.path.dirname(os.path.abspath(save_checkpoint_file_name)), exist_ok=True)
    shutil.copyfile(needed[0], save_checkpoint_file_name)


def transform_checkpoints(
    src_checkpoints_dir: str,
    dst_checkpoints_dir: str,
    ckpt_prefix: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
    process_num: int = 1,
    output_format: str = "ckpt",
) -> None:
    """Write the checkpoints of a run of one process from those of another one.

    Args:
        src_checkpoints_dir (str): holds a folder "rank_0" with files that end with ".ckpt"; the last of them is taken.
        dst_checkpoints_dir (str): gets a folder "rank_0" with the file.
        ckpt_prefix (str): the file's name is this, "0.ckpt" follows.
        src_strategy_file (str): must be None here.
        dst_strategy_file (str): must be None here.
        process_num (int): accepted, without effect.
        output_format (str): must be "ckpt" here.

    Raises:
        TypeError: if `ckpt_prefix` is not a str.
        ValueError: if there is no such folder or file.
        NotImplementedError: for more than one process, a strategy file, or another format.
    """
    name = "transform_checkpoints"
    if not isinstance(ckpt_prefix, str):
        raise _wrong_type(name, "ckpt_prefix", "a str", ckpt_prefix)
    ranks = [f for f in Path(src_checkpoints_dir).glob("rank_*") if re.fullmatch(r"rank_\d+", f.name)]
    if not ranks:
        raise ValueError(f"`{name}`: there is no folder 'rank_0' in {src_checkpoints_dir!r}.")
    _refuse_strategies(name, src_strategy_file, dst_strategy_file)
    if len(ranks) > 1 or output_format != "ckpt":
        raise NotImplementedError(
            f"`{name}`: one process and `output_format` 'ckpt' are supported. {_WAY_OUT}"
        )
    files = sorted(map(str, ranks[0].glob("*.ckpt")))
    if not files:
        raise ValueError(f"`{name}`: there is no file that ends with '.ckpt' in {str(ranks[0])!r}.")
    target = os.path.join(dst_checkpoints_dir, "rank_0", f"{ckpt_prefix}0.ckpt")
    transform_checkpoint_by_rank(0, {0: files[-1]}, target)


convert_checkpoint_by_rank = transform_checkpoint_by_rank
convert_checkpoints = transform_checkpoints


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
    """Broadcast this process's Parameters to the others; there are none.

    Args:
        net (Cell): the network.
        layout (dict): how its Parameters are distributed, by their names.
        cur_rank (int): this process.
        initial_rank (int): the first process of the stage.

    Raises:
        ValueError: if the process is not 0, or `layout` has a name that the network does not have.
    """
    if (cur_rank, initial_rank) != (0, 0):
        raise ValueError(
            "`parameter_broadcast`: there is one process, so `cur_rank` and `initial_rank` must be 0. "
            f"Received: {cur_rank}, {initial_rank}."
        )
    absent = set(layout or ()) - set(net.parameters_dict())
    if absent:
        raise ValueError(
            f"`parameter_broadcast`: the network has no Parameters {sorted(absent)} of `layout`."
        )


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


def _refuse_strategies(name: str, *files: str | None) -> None:
    for file in files:
        if file is not None and not os.path.isfile(file):
            raise ValueError(f"`{name}`: there is no strategy file {file!r}.")
    if any(file is not None for file in files):
        raise NotImplementedError(f"`{name}`: strategy files cannot be read. {_WAY_OUT}")


def _wrong_type(name: str, argument: str, wanted: str, given: Any) -> TypeError:
    return TypeError(f"`{name}`: argument `{argument}` must be {wanted}. Received: {type(given).__name__}.")
