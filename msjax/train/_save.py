"""Saving checkpoints."""

import logging
import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from msjax.common import block_cipher
from msjax.core.jit.spread import held_part
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.files.atomic_write import write_file
from msjax.nn.cell.cell import Cell
from msjax.train import _ckpt, _safetensors
from msjax.train._common import SUFFIXES, check_types

_log = logging.getLogger(__name__)

Named = list[tuple[str, Any]]

_OPTIONS = frozenset({"incremental", "global_step_num", "remove_redundancy"})


def save_checkpoint(
    save_obj: Any,
    ckpt_file_name: str,
    integrated_save: bool = True,
    async_save: bool | str = False,
    append_dict: dict[str, Any] | None = None,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    format: str = "ckpt",
    **kwargs: Any,
) -> None:
    """Save Parameters in a file that MindSpore reads, and that :func:`load_checkpoint` reads.

    The file is written under another name and then renamed: whatever goes wrong, a file that was there before stays.

    Args:
        save_obj: Cell; list of Parameters, or of dicts with "name" and "data"; or dict from names to Parameters,
            Tensors, arrays or strings.
        ckpt_file_name: path. The suffix of the format is added if it does not end with the format's name.
        integrated_save: False saves of Parameters that several processes share what this one holds; True whole ones,
            which all processes must save at the same place of the program. Default: True.
        async_save: write in a thread and return at once; what is saved are the values of this moment. "thread" and
            "process" mean the same. Default: False.
        append_dict: more entries: int, float, bool, str, Parameter or Tensor. Default: None.
        enc_key: encrypt with this key of 16, 24 or 32 bytes; needs the extra `crypto`. Default: None.
        enc_mode: "AES-GCM", "AES-CBC" or "SM4-CBC". Default: "AES-GCM".
        choice_func: says by its name whether a Parameter is saved. Default: all are.
        crc_check: store a checksum too. Default: False.
        format: "ckpt" or "safetensors". Default: "ckpt".
        kwargs: options of MindSpore for incremental and parallel saving, without effect.

    Raises:
        TypeError: if an argument is of another type, or an entry cannot be saved.
        ValueError: if `format`, `async_save` or the encryption is not one of those above.
        IsADirectoryError: if the path is a directory.
        OSError: if the file cannot be written.
        ImportError: if a file is to be encrypted and the package `cryptography` is missing.

    Examples:
        >>> import os, tempfile
        >>> import msjax as ms
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.save_checkpoint([p], os.path.join(folder, "a"), append_dict={"epoch": 3})
        ...     print(os.listdir(folder), list(ms.load_checkpoint(os.path.join(folder, "a.ckpt"))))
        ['a.ckpt'] ['p', 'epoch']
    """
    owner = "save_checkpoint"
    check_types(
        owner, TypeError, integrated_save=(integrated_save, bool), ckpt_file_name=(ckpt_file_name, str)
    )
    check_types(
        owner,
        ValueError,
        crc_check=(crc_check, bool),
        enc_key=(enc_key, bytes | None),
        enc_mode=(enc_mode, str),
    )
    if not isinstance(async_save, bool | str):
        raise TypeError(
            f"`{owner}`: argument `async_save` must be a bool or a str. Received: {async_save!r}."
        )
    if isinstance(async_save, str) and async_save not in ("thread", "process"):
        raise ValueError(
            f"`{owner}`: argument `async_save` must be 'thread' or 'process'. Received: {async_save!r}."
        )
    if unknown := set(kwargs) - _OPTIONS:
        raise TypeError(f"`{owner}`: unknown argument {min(unknown)!r}. Known ones: {sorted(_OPTIONS)}.")
    path = _target(ckpt_file_name, format)
    entries = _entries(save_obj)
    if choice_func is not None:
        if not callable(choice_func):
            raise TypeError(f"`{owner}`: argument `choice_func` must be callable. Received: {choice_func!r}.")
        entries = [(name, value) for name, value in entries if choice_func(name)]
    entries += _list_appended(append_dict)
    if enc_key is not None:
        if format != "ckpt":
            raise ValueError(
                f"`{owner}`: only files of format 'ckpt' can be encrypted. Received: format={format!r}."
            )
        block_cipher.check(enc_key, enc_mode)
    held = [(name, _content(value, integrated_save)) for name, value in entries]

    def write() -> None:
        write_file(path, encode_pieces(held, format, crc_check and enc_key is None, enc_key, enc_mode))

    _saver.run(write, bool(async_save))


def _content(value: Any, whole: bool) -> Any:
    if isinstance(value, Parameter) and not whole:
        return held_part(value)
    return value.array if isinstance(value, Tensor) else value


def _target(name: str, format: str) -> str:
    if format not in SUFFIXES:
        raise ValueError(
            f"`save_checkpoint`: argument `format` must be 'ckpt' or 'safetensors'. Received: {format!r}."
        )
    path = os.path.realpath(name)
    if os.path.isdir(path):
        raise IsADirectoryError(
            f"`save_checkpoint`: argument `ckpt_file_name` must name a file. Received: {name!r}."
        )
    suffix = SUFFIXES[format]
    return path if path.endswith(suffix[1:]) else path + suffix


def _entries(save_obj: Any) -> Named:
    """Return pairs of a name and a Parameter, Tensor, array or string."""
    if isinstance(save_obj, Cell):
        return [(p.name, p) for p in save_obj.get_parameters()]
    if isinstance(save_obj, dict):
        return [_check_entry(name, value) for name, value in save_obj.items()]
    if not isinstance(save_obj, list):
        raise TypeError(
            "`save_checkpoint`: argument `save_obj` must be a Cell, a list or a dict. "
            f"Received: {type(save_obj).__name__}."
        )
    entries = []
    for item in save_obj:
        if isinstance(item, Parameter):
            entries.append((item.name, item))
        elif isinstance(item, dict) and "name" in item and "data" in item:
            if not isinstance(item["data"], Tensor):
                raise TypeError(
                    f"`save_checkpoint`: the data of {item['name']!r} must be a Parameter or a Tensor. "
                    f"Received: {type(item['data']).__name__}."
                )
            entries.append(_check_entry(item["name"], item["data"]))
        else:
            raise TypeError(
                "`save_checkpoint`: a list must hold Parameters, or dicts with the keys 'name' and 'data'. "
                f"Received an element {item!r}."
            )
    return entries


def _check_entry(name: Any, value: Any) -> tuple[str, Any]:
    if not isinstance(name, str):
        raise TypeError(
            f"`save_checkpoint`: names must be of type str. Received: {name!r} ({type(name).__name__})."
        )
    if not isinstance(value, Tensor | np.ndarray | str):
        raise TypeError(
            f"`save_checkpoint`: {name!r} must be a Parameter, a Tensor, an array or a str. "
            f"Received: {type(value).__name__}."
        )
    return name, value


def _list_appended(append_dict: Any) -> Named:
    if append_dict is None:
        return []
    if not isinstance(append_dict, dict):
        raise TypeError(
            f"`save_checkpoint`: argument `append_dict` must be a dict. Received: {append_dict!r}."
        )
    plain: dict[type, type] = {bool: np.bool_, int: np.int64, float: np.float32}
    entries = []
    for name, value in append_dict.items():
        if not isinstance(name, str) or not isinstance(value, bool | int | float | str | Tensor):
            raise TypeError(
                "`save_checkpoint`: `append_dict` must have keys of type str and values of type int, float, bool, str, "
                f"Parameter or Tensor. Received: {name!r}: {value!r} ({type(value).__name__})."
            )
        kind = plain.get(type(value))
        entries.append((name, value if kind is None else np.asarray(value, kind)))
    return entries


def encode_pieces(
    entries: Named, format: str, crc: bool, key: bytes | None, mode: str
) -> Iterable[bytes | memoryview]:
    """Return the content of a file, piece by piece."""
    arrays = [(name, value if isinstance(value, str) else np.asarray(value)) for name, value in entries]
    if format == "safetensors":
        return _safetensors.encode(dict(arrays), crc)
    plain = _ckpt.encode(dict(arrays).items(), crc)
    return plain if key is None else block_cipher.encrypt(plain, key, mode)


class _Saver:
    """Saves files one after the other, in a thread if asked; what went wrong there is raised by the next call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: Future | None = None
        self._pool: ThreadPoolExecutor | None = None

    def run(self, write: Callable[[], None], in_thread: bool) -> None:
        with self._lock:
            if self._running is not None:
                running, self._running = self._running, None
                running.result()
            if not in_thread:
                write()
                return
            if self._pool is None:
                self._pool = ThreadPoolExecutor(1, thread_name_prefix="checkpoint")
            self._running = self._pool.submit(write)
            self._running.add_done_callback(_report)

    def wait(self) -> None:
        with self._lock:
            if self._running is not None:
                running, self._running = self._running, None
                running.result()

    def busy(self) -> bool:
        running = self._running
        return running is not None and not running.done()


def _report(done: Future) -> None:
    if (error := done.exception()) is not None:
        _log.error("`save_checkpoint`: a checkpoint could not be written: %r", error)


_saver = _Saver()


def wait_for_saving() -> None:
    """Wait until the checkpoint that is being written in a thread is there."""
    _saver.wait()


def async_ckpt_thread_status() -> bool:
    """Return True if a checkpoint is being written in a thread.

    Examples:
        >>> import msjax as ms
        >>> ms.async_ckpt_thread_status()
        False
    """
    return _saver.busy()
