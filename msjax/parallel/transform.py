"""Resharding of checkpoints in parts for another number of processes, by the strategy files of both runs."""

import glob
import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from msjax import log
from msjax.config import parallel_context
from msjax.core.jit import placement
from msjax.core.tensor.construction import constant
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.parallel.strategies import Strategy, merge, read_strategy, sources
from msjax.train.serialization import load_param_into_net, read_file, save_checkpoint

_PART_BYTES = 3 * 2**30  # of one file of `unified_safetensors`


def rank_list_for_transform(
    rank_id: int, src_strategy_file: str | None = None, dst_strategy_file: str | None = None
) -> list[int]:
    """Return the processes of a run whose checkpoints one process of another run needs.

    Args:
        rank_id (int): the process of the other run.
        src_strategy_file (str): how the first run cut Parameters. Default: not at all.
        dst_strategy_file (str): how the other run does. Default: not at all.

    Raises:
        TypeError: if `rank_id` is not an int, or a file no str.
        ValueError: if a file is not there or cannot be read.

    Examples:
        >>> import msjax as ms
        >>> ms.rank_list_for_transform(3)
        [0]
    """
    name = "rank_list_for_transform"
    if not isinstance(rank_id, int):
        raise _wrong_type(name, "rank_id", "an int", rank_id)
    if src_strategy_file is None:
        return [0]
    source, target = _both(name, src_strategy_file, dst_strategy_file)
    return sorted(_find_needed_ranks(rank_id, source, target), reverse=True)


def _both(name: str, source: str | None, target: str | None) -> tuple[Strategy, Strategy]:
    return read_strategy(name, "src_strategy_file", source), read_strategy(name, "dst_strategy_file", target)


def _find_needed_ranks(rank: int, source: Strategy, target: Strategy) -> set[int]:
    stage, local = divmod(rank, target.devices) if target.devices > 1 else (0, rank)
    stage = stage if stage < target.stages else 0
    found: set[int] = set()
    known: set[tuple] = set()
    for name, by_stage in source.layouts.items():
        if stage not in target.stages_of(name):
            continue
        at = stage if stage in by_stage else min(by_stage)
        cuts = by_stage[at].cuts
        wanted = target.cuts(name, stage, len(cuts.axes))
        key = at, cuts, wanted
        if key not in known:
            known.add(key)
            found.update(at * source.devices + r for r in sources(local, cuts, wanted))
    return found


def _transform(
    rank: int, parts: Mapping[str, Mapping[int, Any]], source: Strategy, target: Strategy
) -> dict[str, Any]:
    """Return the entries of a process's checkpoint, of those of the processes of another run."""
    stage, local = divmod(rank, target.devices)
    made: dict[str, Any] = {}
    for name, by_rank in parts.items():
        first = next(iter(by_rank.values()))
        if stage not in target.stages_of(name):
            continue
        if isinstance(first, str):
            made[name] = first
            continue
        at = stage if stage in source.stages_of(name) else min(source.stages_of(name))
        start = at * source.devices
        own = {r - start: part for r, part in by_rank.items() if start <= r < start + source.devices}
        if name not in source.layouts:  # whole, in each process
            own = {0: first}
        elif not own:
            raise ValueError(f"{name!r} is in none of the checkpoints of stage {at}.")
        try:
            cuts = source.cuts(name, at, first.ndim)
            made[name] = merge(own, cuts, target.cuts(name, stage, first.ndim), local)
        except ValueError as error:
            raise ValueError(f"{name!r}: {error}") from error
    return made


def _read_parts(name: str, files: Mapping[int, str], key: bytes | None = None, mode: str = "AES-GCM") -> dict:
    """Return the entries of checkpoints, by names and processes.

    Raises:
        ValueError: if a file is not there or cannot be read.
    """
    parts: dict[str, dict[int, Any]] = {}
    for rank, file in files.items():
        if not isinstance(file, str) or not os.path.isfile(file):
            raise ValueError(f"`{name}`: there is no checkpoint file {file!r} of process {rank}.")
        for entry, value in read_file(file, key, mode, False).items():
            parts.setdefault(entry, {})[rank] = value
    return parts


def transform_checkpoint_by_rank(
    rank_id: int,
    checkpoint_files_map: Mapping[int, str],
    save_checkpoint_file_name: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
) -> None:
    """Write the checkpoint of one process of a run, from those of the processes of another run.

    Args:
        rank_id (int): the process.
        checkpoint_files_map (dict[int, str]): the first run's files, of the processes that `rank_list_for_transform` names.
        save_checkpoint_file_name (str): where to, a name that ends with ".ckpt".
        src_strategy_file (str): how the first run cut Parameters. Default: not at all.
        dst_strategy_file (str): how the other run does. Default: not at all.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a file is not there or cannot be read, a part is missing, or the name ends otherwise.
    """
    name = "transform_checkpoint_by_rank"
    if not isinstance(checkpoint_files_map, Mapping):
        raise _wrong_type(name, "checkpoint_files_map", "a dict", checkpoint_files_map)
    if not isinstance(rank_id, int):
        raise _wrong_type(name, "rank_id", "an int", rank_id)
    if not isinstance(save_checkpoint_file_name, str):
        raise _wrong_type(name, "save_checkpoint_file_name", "a str", save_checkpoint_file_name)
    if not save_checkpoint_file_name.endswith(".ckpt"):
        raise ValueError(
            f"`{name}`: argument `save_checkpoint_file_name` must end with '.ckpt'. Received: {save_checkpoint_file_name!r}."
        )
    parts = _read_parts(name, checkpoint_files_map)
    source, target = _both(name, src_strategy_file, dst_strategy_file)
    _write(name, rank_id, parts, source, target, save_checkpoint_file_name)


def _write(
    name: str, rank: int, parts: Mapping, source: Strategy, target: Strategy, path: str, format: str = "ckpt"
) -> None:
    try:
        made = _transform(rank, parts, source, target)
    except ValueError as error:
        raise ValueError(f"`{name}`: the checkpoint of process {rank} cannot be made: {error}") from error
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    save_checkpoint(made, path, format=format)


def transform_checkpoints(
    src_checkpoints_dir: str,
    dst_checkpoints_dir: str,
    ckpt_prefix: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
    process_num: int = 1,
    output_format: str = "ckpt",
) -> None:
    """Write the checkpoints of a run, from those of a run on another number of processes, or cut otherwise.

    Args:
        src_checkpoints_dir (str): holds folders "rank_0", "rank_1" ... with files that end with ".ckpt", or with
            ".safetensors"; in each, the last one by its name is taken.
        dst_checkpoints_dir (str): gets such folders.
        ckpt_prefix (str): the files' names are this and the number of the process.
        src_strategy_file (str): how the first run cut Parameters: what `AutoParallel.save_param_strategy_file` or
            `set_auto_parallel_context(strategy_ckpt_save_file=...)` wrote, here or in MindSpore. Default: not at all.
        dst_strategy_file (str): how the other run does. Default: not at all, so there is one file, of whole Parameters.
        process_num (int): accepted, without effect.
        output_format (str): "ckpt", or "safetensors", from such files alone.

    Raises:
        TypeError: if `ckpt_prefix` is not a str, or a strategy file no str.
        ValueError: if there is no such folder or file, or there are files of both formats, or a part is missing.
    """
    name = "transform_checkpoints"
    if output_format not in ("ckpt", "safetensors"):
        raise ValueError(
            f"`{name}`: argument `output_format` must be 'ckpt' or 'safetensors'. Received: {output_format!r}."
        )
    files = {kind: _files_of_ranks(src_checkpoints_dir, f"*.{kind}") for kind in ("ckpt", "safetensors")}
    if all(files.values()):
        raise ValueError(
            f"`{name}`: {src_checkpoints_dir!r} must have checkpoints of one format. Received both."
        )
    if not any(files.values()):
        raise ValueError(
            f"`{name}`: there is no checkpoint in a folder 'rank_0', 'rank_1' ... of {src_checkpoints_dir!r}."
        )
    if not files["safetensors"] and output_format == "safetensors":
        raise ValueError(
            f"`{name}`: argument `output_format` must be 'ckpt' for checkpoints of this format. Received: 'safetensors'."
        )
    if not isinstance(ckpt_prefix, str):
        raise _wrong_type(name, "ckpt_prefix", "a str", ckpt_prefix)
    source, target = _both(name, src_strategy_file, dst_strategy_file)
    found = files["ckpt"] or files["safetensors"]
    ranks = range(target.devices * target.stages)
    needed = {r: _find_needed_ranks(r, source, target) or {0} for r in ranks}
    for rank in ranks:
        if missing := needed[rank] - set(found):
            raise ValueError(
                f"`{name}`: process {rank} needs the checkpoint of process {min(missing)}, and there is none."
            )
    parts = _read_parts(name, {r: found[r] for r in sorted(set().union(*needed.values()))})
    for rank in ranks:
        own = {key: {r: v for r, v in each.items() if r in needed[rank]} for key, each in parts.items()}
        path = os.path.join(dst_checkpoints_dir, f"rank_{rank}", f"{ckpt_prefix}{rank}.{output_format}")
        _write(
            name, rank, {key: each for key, each in own.items() if each}, source, target, path, output_format
        )


def _files_of_ranks(folder: str, pattern: str) -> dict[int, str]:
    """Return the newest file of each folder "rank_N": by name, or safetensors by the last two numbers in it."""

    def order(file: str) -> tuple:
        numbers = tuple(map(int, re.findall(r"\d+", os.path.basename(file))[-2:]))
        return (numbers, file) if pattern.endswith("safetensors") else ((), file)

    found = {}
    for path in Path(folder).glob("rank_*"):
        rank = re.fullmatch(r"rank_(\d+)", path.name)
        files = sorted(glob.glob(os.path.join(glob.escape(str(path)), pattern)), key=order)
        if rank and files:
            found[int(rank[1])] = files[-1]
    return found


rank_list_for_convert = rank_list_for_transform
convert_checkpoint_by_rank = transform_checkpoint_by_rank
convert_checkpoints = transform_checkpoints


def load_distributed_checkpoint(
    network: Any,
    checkpoint_filenames: Any = None,
    predict_strategy: Any = None,
    train_strategy_filename: str | None = None,
    strict_load: bool = False,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    format: str = "ckpt",
    unified_safetensors_dir: str | None = None,
    dst_safetensors_dir: str | None = None,
    rank_id: int | None = None,
    output_format: str = "safetensors",
    name_map: dict | None = None,
    max_process_num: int = 64,
    return_param_dict: bool = False,
) -> Any:
    """Load the checkpoints of all processes of a run into a network, whole: its next step cuts Parameters as it does.

    Args:
        network (Cell): what they are for; None, for "safetensors", writes files instead.
        checkpoint_filenames (list[str]): the checkpoints, in the order of the processes.
        predict_strategy (Union[dict, str]): how `network` is cut, as `Model.infer_predict_layout` gives it; read only to
            write files, from a strategy file.
        train_strategy_filename (str): the strategy file by which they were written. Default: that of the `AutoParallel`, or
            `strategy_ckpt_load_file`.
        strict_load (bool): names and dtypes must agree exactly.
        dec_key (bytes): for encrypted checkpoints.
        dec_mode (str): how they are encrypted.
        format (str): "ckpt", or "safetensors" for what `unified_safetensors` wrote.
        unified_safetensors_dir (str): the folder of that.
        dst_safetensors_dir (str): where to write, without a network: to "rank_N/net.safetensors".
        rank_id (int): write for this process alone.
        output_format (str): of what is written, "ckpt" or "safetensors".
        name_map (dict): names in the files, by names of Parameters.
        max_process_num (int): accepted, without effect.
        return_param_dict (bool): return the Parameters, and load nothing.

    Returns:
        True; for "safetensors" what `load_param_into_net` returns, or a dict of Parameters by names.

    Raises:
        ValueError: if an argument does not fit, or a file is not there, cannot be read or misses a part.
    """
    name = "load_distributed_checkpoint"
    if {format, output_format} - {"ckpt", "safetensors"}:
        raise ValueError(
            f"`{name}`: arguments `format` and `output_format` must be 'ckpt' or 'safetensors'. "
            f"Received: {format!r}, {output_format!r}."
        )
    if format == "safetensors":
        refused = {
            "checkpoint_filenames": checkpoint_filenames, "train_strategy_filename": train_strategy_filename,
            "dec_key": dec_key, "strict_load": strict_load or None,
        }  # fmt: skip
        for argument, given in refused.items():
            if given is not None:
                raise ValueError(
                    f"`{name}`: argument `{argument}` must be left out for format 'safetensors'. Received: {given!r}."
                )
        found = _read_unified(name, unified_safetensors_dir, name_map)
        if network is None:
            return _write_unified(name, found, predict_strategy, dst_safetensors_dir, rank_id, output_format)
        parameters = _parameters(found)
        return parameters if return_param_dict else load_param_into_net(network, parameters)
    if not isinstance(network, Cell):
        raise ValueError(f"`{name}`: argument `network` must be a Cell. Received: {network!r}.")
    for index, file in enumerate(checkpoint_filenames or ()):
        if not isinstance(file, str) or not file.endswith(".ckpt") or not os.path.isfile(file):
            raise ValueError(
                f"`{name}`: `checkpoint_filenames[{index}]` must be a file that exists and ends with '.ckpt'. "
                f"Received: {file!r}."
            )
    _check_predict_strategy(name, predict_strategy)
    path = train_strategy_filename or _known_strategy_file(network)
    if path is None:
        raise ValueError(f"`{name}`: argument `train_strategy_filename` must be given. Received: None.")
    source = read_strategy(name, "train_strategy_filename", path)
    if len(checkpoint_filenames or ()) != source.devices * source.stages:
        raise ValueError(
            f"`{name}`: argument `checkpoint_filenames` must have {source.devices * source.stages} files, one for each "
            f"process of {path!r}. Received: {len(checkpoint_filenames or ())}."
        )
    parts = _read_parts(name, dict(enumerate(checkpoint_filenames)), dec_key, dec_mode)
    parameters = {parameter.name for parameter in network.get_parameters()}
    absent = {key for key in parameters if key not in source.layouts}
    if absent:
        log.warning(
            f"`{name}`: Parameters {sorted(absent)} are not in the strategy file, and are not loaded."
        )
    wanted = {key: value for key, value in parts.items() if key in parameters - absent}
    load_param_into_net(network, _parameters(_transform(0, wanted, source, Strategy({}))), strict_load)
    return True


def _known_strategy_file(network: Cell) -> str | None:
    own = (getattr(cell, "_placement", None) for _, cell in network.cells_and_names())
    own = next((where.save_file for where in own if isinstance(where, placement.Placement)), "")
    return own or parallel_context.get_auto_parallel_context("strategy_ckpt_load_file") or None


def _check_predict_strategy(name: str, given: Any) -> None:
    def fits(layout: Any) -> bool:
        return isinstance(layout, list | tuple) and len(layout) >= 4 and layout[3] == 0

    if given is None:
        return
    if not isinstance(given, dict) or not all(isinstance(k, str) and fits(v) for k, v in given.items()):
        raise ValueError(
            f"`{name}`: argument `predict_strategy` must be a dict of lists (dev_matrix, tensor_map, param_split_shape, 0 "
            f"...) by names. Received: {given!r}."
        )


def _parameters(found: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value if isinstance(value, str) else Parameter(Tensor.from_array(constant(value)), name=key)
        for key, value in found.items()
    }


# ---------------------------------------------------------------------- whole Parameters in safetensors files


def unified_safetensors(
    src_dir: str,
    src_strategy_file: str,
    dst_dir: str,
    merge_with_redundancy: bool = True,
    file_suffix: str | None = None,
    max_process_num: int = 64,
    choice_func: Callable[[str], bool | str] | None = None,
    split_dst_file: tuple = (),
) -> None:
    """Write whole Parameters, in a few safetensors files, from those of all processes of a run.

    The folder gets "part0.safetensors" ..., of about 3 GiB each; "param_name_map.json", which says where each Parameter is;
    and "hyper_param.safetensors", with what the strategy file does not name.

    Args:
        src_dir (str): holds folders "rank_0", "rank_1" ... with files that end with ".safetensors".
        src_strategy_file (str): the strategy file by which they were written.
        dst_dir (str): where to write.
        merge_with_redundancy (bool): accepted: of processes with the same part, one is enough in any case.
        file_suffix (str): only files whose names end so, before ".safetensors".
        max_process_num (int): accepted, without effect.
        choice_func (callable): takes a name and returns whether to write the Parameter, or another name for it.
        split_dst_file (tuple): (which of them this call writes, counted from 1, into how many calls the files are divided).

    Raises:
        ValueError: if a file is not there, cannot be read, or a part is missing.
    """
    name = "unified_safetensors"
    source = read_strategy(name, "src_strategy_file", src_strategy_file)
    if os.path.isfile(src_dir):
        raise ValueError(f"`{name}`: argument `src_dir` must be a folder. Received: {src_dir!r}.")
    if _files_of_ranks(src_dir, "*.ckpt") and _files_of_ranks(src_dir, "*.safetensors"):
        raise ValueError(f"`{name}`: {src_dir!r} must have checkpoints of one format. Received both.")
    files = _files_of_ranks(src_dir, f"*{file_suffix or ''}.safetensors")
    if missing := _find_needed_ranks(0, source, Strategy({})) - set(files):
        raise ValueError(f"`{name}`: the file of process {min(missing)} is needed, and there is none.")
    parts = _read_parts(name, files)
    chosen = {}
    for key in parts:
        told = True if choice_func is None else choice_func(key)
        if key in source.layouts and not key.startswith("accu_grads") and told is not False:
            chosen[key] = told if isinstance(told, str) else key
    whole = _transform(0, {key: parts[key] for key in chosen}, source, Strategy({}))
    groups = _group_names({key: value.nbytes for key, value in whole.items()})
    os.makedirs(dst_dir, exist_ok=True)
    share, shares = split_dst_file or (1, 1)
    if share == 1:
        rest = {key: next(iter(each.values())) for key, each in parts.items() if key not in source.layouts}
        if rest:
            save_checkpoint(rest, os.path.join(dst_dir, "hyper_param.safetensors"), format="safetensors")
        weights = {chosen[key]: f"part{i}.safetensors" for i, group in enumerate(groups) for key in group}
        total = {"total_size": sum(value.nbytes for value in whole.values())}
        text = json.dumps({"metadata": total, "weight_map": weights}, indent=4)
        Path(dst_dir, "param_name_map.json").write_text(text, "utf8")
    for i in np.array_split(np.arange(len(groups)), shares)[share - 1]:
        path = os.path.join(dst_dir, f"part{i}.safetensors")
        save_checkpoint({chosen[key]: whole[key] for key in groups[i]}, path, format="safetensors")


def _group_names(sizes: Mapping[str, int]) -> list[list[str]]:
    """Return names in groups of about equal size, the largest first."""
    count = max(min(-(-sum(sizes.values()) // _PART_BYTES), len(sizes)), 1)
    groups: list[list[str]] = [[] for _ in range(count)]
    totals = [0] * count
    for key, size in sorted(sizes.items(), key=lambda item: -item[1]):
        smallest = totals.index(min(totals))
        groups[smallest].append(key)
        totals[smallest] += size
    return groups


def _read_unified(name: str, folder: str | None, name_map: dict | None) -> dict[str, Any]:
    if folder is None or not os.path.isdir(folder):
        raise ValueError(
            f"`{name}`: argument `unified_safetensors_dir` must be a folder for format 'safetensors'. Received: {folder!r}."
        )
    files = sorted(Path(folder).glob("*.safetensors"))
    if not files:
        raise ValueError(f"`{name}`: there is no file that ends with '.safetensors' in {folder!r}.")
    back = {there: own for own, there in (name_map or {}).items()}
    found: dict[str, Any] = {}
    for file in files:
        found |= {back.get(key, key): value for key, value in read_file(str(file), None, "", False).items()}
    return found


def _write_unified(
    name: str, found: dict[str, Any], strategy: str | None, folder: str | None, rank: int | None, format: str
) -> Any:
    if folder is None:
        raise ValueError(
            f"`{name}`: argument `dst_safetensors_dir` must be given where `network` is None. Received: None."
        )
    target = read_strategy(name, "predict_strategy", strategy)
    parts = {key: {0: value} for key, value in found.items()}
    ranks = range(target.devices * target.stages) if rank is None else [rank]
    for each in ranks:
        path = os.path.join(folder, f"rank_{each}", f"net.{format}")
        _write(name, each, parts, Strategy({}), target, path, format)
    return None if rank is not None else True


def _wrong_type(name: str, argument: str, wanted: str, given: Any) -> TypeError:
    return TypeError(f"`{name}`: argument `{argument}` must be {wanted}. Received: {type(given).__name__}.")
