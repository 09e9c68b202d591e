"""Strategy files of parallel runs (`files/strategy_file.py`), and what they say of parts of arrays."""

import itertools
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from msjax.communication.management import get_rank
from msjax.files import protobuf, strategy_file
from msjax.files.strategy_file import WHOLE, Cuts, ParallelLayouts, StrategyFile


def build_searched_strategy(strategy_filename: str) -> dict[str, ParallelLayouts]:
    """Return how Parameters were cut, from a strategy file.

    Args:
        strategy_filename (str): what `save_param_strategy_file` or `strategy_ckpt_save_file` made, here or in MindSpore.

    Returns:
        dict, from names to layouts, with the attributes of MindSpore's messages (`dev_matrix`, `tensor_map` ...).

    Raises:
        TypeError: if it is not a str.
        ValueError: if it is not there, empty or damaged.
    """
    return read("build_searched_strategy", "strategy_filename", strategy_filename).layouts


def read(name: str, argument: str, path: str) -> StrategyFile:
    """Read the strategy file that an argument names.

    Raises:
        TypeError: if it is not a str.
        ValueError: if it is not there, empty or damaged.
    """
    if not isinstance(path, str):
        raise TypeError(
            f"`{name}`: argument `{argument}` must be a str. Received: {path!r} ({type(path).__name__})."
        )
    try:
        return strategy_file.read(path)
    except ValueError as error:
        raise ValueError(f"`{name}`: argument `{argument}`: {error}") from error


@dataclass(frozen=True)
class Strategy:
    """Layouts of Parameters, by names and stages of a pipeline: those of a strategy file, or without one of one process.

    Attributes:
        layouts: of each Parameter, in each stage that has it.
        devices: number of processes of a stage.
        stages: number of stages.
    """

    layouts: Mapping[str, Mapping[int, ParallelLayouts]]
    devices: int = 1
    stages: int = 1

    def stages_of(self, name: str) -> list[int]:
        """Return the stages that have a Parameter: all, if the file does not name it."""
        return [*self.layouts[name]] if name in self.layouts else [*range(self.stages)]

    def cuts(self, name: str, stage: int, ndim: int) -> Cuts:
        """Return how a Parameter is cut in a stage; not at all, if the file does not name it."""
        layouts = self.layouts.get(name, {}).get(stage, WHOLE)
        return Cuts((self.devices,), ((),) * ndim) if layouts is WHOLE else layouts.cuts


def read_strategy(name: str, argument: str, path: str | None) -> Strategy:
    """Read a strategy file for a transformation; one of several stages has names such as "1-fc.weight".

    Raises:
        ValueError: if the file has no layouts, or grids of different sizes.
    """
    if path is None:
        return Strategy({})
    found: dict[str, dict[int, ParallelLayouts]] = {}
    for key, layouts in read(name, argument, path).layouts.items():
        stage, parameter = re.fullmatch(r"(?:(\d+)-)?(.*)", key, re.DOTALL).groups()  # type: ignore[union-attr]
        found.setdefault(parameter, {})[int(stage or 0)] = layouts
    sizes = {layouts.devices for each in found.values() for layouts in each.values()}
    if len(sizes) != 1:
        raise ValueError(
            f"`{name}`: argument `{argument}`: {path!r} must have layouts, all of one number of devices. "
            f"Received: {sorted(sizes)}."
        )
    stages = {stage for each in found.values() for stage in each}
    if stages != set(range(len(stages))):
        raise ValueError(
            f"`{name}`: argument `{argument}`: {path!r} must have all stages of the pipeline. Received: {sorted(stages)}."
        )
    return Strategy(found, sizes.pop(), len(stages))


def merge(
    parts: Mapping[int, np.ndarray], cuts: Cuts, wanted: Cuts | None = None, rank: int = 0
) -> np.ndarray:
    """Return a whole array of its parts, or what a process of another grid needs of it.

    Args:
        parts: by processes. Of those that have the same part, one is enough.
        cuts: how they were cut.
        wanted: how the result is cut. Default: not.
        rank: the process of `wanted`.

    Raises:
        ValueError: if a part is missing, or of another shape than the first.
    """
    first = next(iter(parts.values()))
    whole = np.empty(cuts.whole(first.shape), first.dtype)
    wanted = wanted or Cuts((1,), ((),) * first.ndim)
    missing = _indexes(whole.shape, wanted.slices(rank, whole.shape), cuts)
    for process, part in parts.items():
        if part.shape != first.shape or part.dtype != first.dtype:
            raise ValueError(
                f"parts must have one shape and dtype. Received: {part.dtype}{list(part.shape)} of process {process}, and "
                f"{first.dtype}{list(first.shape)}."
            )
        whole[cuts.slices(process, whole.shape)] = part
        missing.discard(cuts.index(process))
    if missing:
        raise ValueError(
            f"part {min(missing)} of {cuts.parts} is missing: none of the processes {sorted(parts)} has it."
        )
    return whole[(*wanted.slices(rank, whole.shape), ...)]  # with "...", an array of no axes stays one


def _indexes(shape: Sequence[int], wanted: Sequence[slice], cuts: Cuts) -> set[tuple[int, ...]]:
    """Return the numbers of the parts of an array that overlap a slice."""
    steps = [max(n // k, 1) for n, k in zip(shape, cuts.parts, strict=True)]
    ranges = [range(cut.start // n, -(-cut.stop // n)) for cut, n in zip(wanted, steps, strict=True)]
    return set(itertools.product(*ranges))


def sources(rank: int, source: Cuts, target: Cuts) -> set[int]:
    """Return the processes that together hold what a process needs; of equal ones, those at its place."""
    shape = [math.lcm(a, b) for a, b in zip(source.parts, target.parts, strict=True)]
    found = set()
    for index in _indexes(shape, target.slices(rank, shape), source):
        at = source.coordinates(rank)
        for axes, part in zip(source.axes, index, strict=True):
            for axis in reversed(axes):
                part, at[axis] = divmod(part, source.grid[axis])
        found.add(source.rank(at))
    return found


def merge_pipeline_strategys(src_strategy_dirs: str, dst_strategy_file: str) -> None:
    """Make one strategy file of those of all stages of a pipeline.

    Args:
        src_strategy_dirs (str): a folder; its files that end with ".ckpt" are read, or with ".json".
        dst_strategy_file (str): the file to write, in the same format.

    Raises:
        NotADirectoryError: if there is no such folder.
        ValueError: if it has files of both formats, or one is empty.
    """
    name = "merge_pipeline_strategys"
    if not Path(src_strategy_dirs).is_dir():
        raise NotADirectoryError(
            f"`{name}`: argument `src_strategy_dirs` must be a folder. Received: {src_strategy_dirs!r}."
        )
    kinds = [sorted(Path(src_strategy_dirs).glob(f"*.{kind}")) for kind in ("ckpt", "json")]
    if all(kinds):
        raise ValueError(f"`{name}`: all files must end with '.ckpt', or all with '.json'. Received both.")
    merged = StrategyFile()
    stages = set()
    for path in (path for kind in kinds for path in kind):
        one = read(name, "src_strategy_dirs", str(path))
        if not one.operators or not one.layouts:
            raise ValueError(f"`{name}`: the strategy file {str(path)!r} is empty.")
        stage = next(iter(one.operators.values()))[0]
        if stage in stages:
            continue
        stages.add(stage)
        merged.operators.update(one.operators)
        merged.layouts.update({f"{stage}-{key}": layouts for key, layouts in one.layouts.items()})
    # As MindSpore: what the file is, its content says, whatever its name.
    strategy_file.write(os.path.abspath(dst_strategy_file), merged, as_json=bool(kinds[1]))


def restore_group_info_list(group_info_file_name: str) -> list[int]:
    """Return the processes that have the same checkpoint, from a file of MindSpore's (`group_ckpt_save_file`).

    Args:
        group_info_file_name (str): the file.

    Raises:
        TypeError: if it is not a str.
        ValueError: if it is not there, empty or damaged.
    """
    name = "restore_group_info_list"
    if not isinstance(group_info_file_name, str):
        raise TypeError(
            f"`{name}`: argument `group_info_file_name` must be a str. Received: {group_info_file_name!r}."
        )
    if not os.path.isfile(group_info_file_name) or not os.path.getsize(group_info_file_name):
        raise ValueError(f"`{name}`: there is no file {group_info_file_name!r}, or it is empty.")
    # ParallelGroupMap { repeated ParallelGroupItem = 1; ckpt_restore_rank_list { repeated uint32 dim = 1 } = 2 }
    try:
        top = protobuf.fields(memoryview(Path(group_info_file_name).read_bytes()))
        lists = [[*protobuf.fields(value)] for at, value in top if at == 2]
        return [n for found in lists for _, value in found for n in protobuf.integers(value)]
    except (protobuf.MalformedError, TypeError) as error:
        raise ValueError(f"`{name}`: {group_info_file_name!r} cannot be read: {error}.") from error


def get_ckpt_path_with_strategy(cur_ckpt_path: str, cur_strategy_path: str) -> str | None:
    """Return this process's checkpoint, or that of a process that has the same parts of all Parameters.

    Args:
        cur_ckpt_path (str): the checkpoint that this process needs, with "rank_N" in its path.
        cur_strategy_path (str): the strategy file by which it was written.

    Returns:
        str, or None if none of these files is there.

    Raises:
        TypeError: if they are not strings.
        FileNotFoundError: if the latter is not there.
        ValueError: if it cannot be read.
    """
    name = "get_ckpt_path_with_strategy"
    for argument, given in (("cur_ckpt_path", cur_ckpt_path), ("cur_strategy_path", cur_strategy_path)):
        if not isinstance(given, str):
            raise TypeError(f"`{name}`: argument `{argument}` must be a str. Received: {given!r}.")
    if not Path(cur_strategy_path).is_file():
        raise FileNotFoundError(f"`{name}`: there is no file {cur_strategy_path!r}.")
    own = get_rank()
    if f"rank_{own}" in cur_ckpt_path and os.path.isfile(cur_ckpt_path):
        return cur_ckpt_path
    found = read(name, "cur_strategy_path", cur_strategy_path).layouts.values()
    for rank in range(next((layouts.devices for layouts in found), 0)):
        if all(layouts.cuts.index(rank) == layouts.cuts.index(own) for layouts in found):
            path = re.sub(r"rank_\d+", f"rank_{rank}", cur_ckpt_path)
            if os.path.isfile(path):
                return path
    return None
