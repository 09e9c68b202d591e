"""Strategy files of MindSpore's parallel runs; a single process writes and needs none.

What is given is checked as MindSpore checks it. Files that are there cannot be read: `jax.sharding` shares networks here.
"""

from pathlib import Path
from typing import Any, NoReturn

from msjax.nn.cell.cell import Cell
from msjax.ops.common.docstrings import documented_by


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"`{name}`: strategies of several processes cannot be read. Share a network with `jax.sharding` and the pure "
        "function of `interop.functional_call`, and load whole checkpoints with `load_checkpoint`."
    )


def _file(name: str, argument: str, given: Any) -> None:
    if not isinstance(given, str):
        raise TypeError(
            f"`{name}`: argument `{argument}` must be a str. Received: {given!r} ({type(given).__name__})."
        )
    if not Path(given).is_file():
        raise ValueError(f"`{name}`: argument `{argument}` must be a file that exists. Received: {given!r}.")


def build_searched_strategy(strategy_filename: str) -> NoReturn:
    """Return the strategy in a file.

    Args:
        strategy_filename (str): the file.

    Raises:
        TypeError: if it is not a str.
        ValueError: if it is not there.
        NotImplementedError: if it is.
    """
    _file("build_searched_strategy", "strategy_filename", strategy_filename)
    _refuse("build_searched_strategy")


@documented_by(build_searched_strategy)
def restore_group_info_list(group_info_file_name: str) -> NoReturn:
    """Return the processes that have the same checkpoint, from a file.

    Args:
        group_info_file_name (str): the file.
    """
    _file("restore_group_info_list", "group_info_file_name", group_info_file_name)
    _refuse("restore_group_info_list")


def merge_pipeline_strategys(src_strategy_dirs: str, dst_strategy_file: str) -> NoReturn:
    """One strategy file from those of all stages.

    Args:
        src_strategy_dirs (str): the folder of these.
        dst_strategy_file (str): the file to write.

    Raises:
        NotADirectoryError: if there is no such folder.
        NotImplementedError: if there is.
    """
    if not Path(src_strategy_dirs).is_dir():
        raise NotADirectoryError(
            f"`merge_pipeline_strategys`: argument `src_strategy_dirs` must be a folder. Received: {src_strategy_dirs!r}."
        )
    _refuse("merge_pipeline_strategys")


def get_ckpt_path_with_strategy(cur_ckpt_path: str, cur_strategy_path: str) -> NoReturn:
    """Return the checkpoint of a process that has the same parts.

    Args:
        cur_ckpt_path (str): a checkpoint.
        cur_strategy_path (str): a strategy file.

    Raises:
        TypeError: if they are not strings.
        FileNotFoundError: if the latter is not there.
        NotImplementedError: if it is.
    """
    for argument, given in (("cur_ckpt_path", cur_ckpt_path), ("cur_strategy_path", cur_strategy_path)):
        if not isinstance(given, str):
            raise TypeError(
                f"`get_ckpt_path_with_strategy`: argument `{argument}` must be a str. Received: {given!r}."
            )
    if not Path(cur_strategy_path).is_file():
        raise FileNotFoundError(f"`get_ckpt_path_with_strategy`: there is no file {cur_strategy_path!r}.")
    _refuse("get_ckpt_path_with_strategy")


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
) -> NoReturn:
    """Parameters from the checkpoints of several processes.

    Args:
        network (Cell): what they are for.
        checkpoint_filenames (list[str]): the checkpoints.
        predict_strategy (dict): how this process shares the network. Default: not at all.
        train_strategy_filename (str): the strategy by which they were written.
        strict_load (bool): accepted for MindSpore's signature, as are the following.
        dec_key (bytes): for encrypted checkpoints.
        dec_mode (str): how they are encrypted.
        format (str): of the checkpoints.
        unified_safetensors_dir (str): where whole ones are.
        dst_safetensors_dir (str): where to write.
        rank_id (int): the number of the process.
        output_format (str): of what is written.
        name_map (dict): other names.
        max_process_num (int): how many processes read.
        return_param_dict (bool): give the parameters.

    Raises:
        ValueError: if `network` is not a Cell; if a checkpoint, or the strategy, is not there.
        NotImplementedError: if all are.
    """
    name = "load_distributed_checkpoint"
    if not isinstance(network, Cell):
        raise ValueError(f"`{name}`: argument `network` must be a Cell. Received: {network!r}.")
    for index, file in enumerate(checkpoint_filenames or ()):
        if not isinstance(file, str) or not Path(file).is_file():
            raise ValueError(
                f"`{name}`: `checkpoint_filenames[{index}]` must be a file that exists. Received: {file!r}."
            )
    if not unified_safetensors_dir:
        _file(name, "train_strategy_filename", train_strategy_filename or "")
    _refuse(name)


def unified_safetensors(
    src_dir: str,
    src_strategy_file: str,
    dst_dir: str,
    merge_with_redundancy: bool = True,
    file_suffix: str | None = None,
    max_process_num: int = 64,
    choice_func: Any = None,
    split_dst_file: tuple = (),
) -> NoReturn:
    """Whole checkpoints from those of several processes.

    Args:
        src_dir (str): where these are.
        src_strategy_file (str): the strategy by which they were written.
        dst_dir (str): where to write.
        merge_with_redundancy (bool): accepted for MindSpore's signature, as are the following.
        file_suffix (str): the end of the files' names.
        max_process_num (int): how many processes read.
        choice_func (callable): which parameters.
        split_dst_file (tuple): which part this process writes.

    Raises:
        ValueError: if there is no strategy file.
        NotImplementedError: if there is.
    """
    _file("unified_safetensors", "src_strategy_file", src_strategy_file)
    _refuse("unified_safetensors")
