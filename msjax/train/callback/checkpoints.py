"""`ModelCheckpoint`: callback that saves checkpoints."""

import os
import re
import time
from collections.abc import Callable
from typing import Any

from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.train._save import save_checkpoint, wait_for_saving
from msjax.train.callback.base import Callback, RunContext


def _check_count(name: str, value: Any) -> int:
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"`CheckpointConfig`: argument `{name}` must be an int. Received: {value!r}.")
    if value < 0:
        raise ValueError(f"`CheckpointConfig`: argument `{name}` must not be negative. Received: {value}.")
    return value


def _check_kinds(error: type[Exception], kind: Any, **given: Any) -> None:
    for name, value in given.items():
        if not isinstance(value, kind):
            raise error(
                f"`CheckpointConfig`: argument `{name}` must be of type {getattr(kind, '__name__', kind)}. "
                f"Received: {value!r} ({type(value).__name__})."
            )


class CheckpointConfig:
    """Settings of :class:`ModelCheckpoint`: when it saves, what, and how many files it keeps.

    Args:
        save_checkpoint_steps: save every so many steps; 0 for not by steps. Default: 1.
        save_checkpoint_seconds: save when so many seconds have passed; counts only without `save_checkpoint_steps`.
        keep_checkpoint_max: delete the oldest files beyond so many. Default: 5.
        keep_checkpoint_per_n_minutes: keep one file of each stretch of so many minutes; counts only without
            `keep_checkpoint_max`; without either, the newest file is kept.
        integrated_save: False saves of Parameters that several processes share what this one holds.
        async_save: write in a thread.
        saved_network: Cell to save instead of what is trained. Default: None.
        append_info: list of "epoch_num", "step_num", and dicts with more entries: int, float, bool, str, Tensor.
        enc_key: encrypt with this key; see :func:`save_checkpoint`.
        enc_mode: how.
        exception_save: save when training ends with an exception. Default: False.
        crc_check: store a checksum.
        remove_redundancy: for parallel training only; else saving raises TypeError, as in MindSpore.
        format: "ckpt" or "safetensors".
        kwargs: MindSpore's further options, without effect.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a number is negative, or nothing says when to save.

    Examples:
        >>> from msjax.train import CheckpointConfig
        >>> CheckpointConfig(save_checkpoint_steps=100).keep_checkpoint_max
        5
    """

    def __init__(
        self,
        save_checkpoint_steps: int = 1,
        save_checkpoint_seconds: int = 0,
        keep_checkpoint_max: int = 5,
        keep_checkpoint_per_n_minutes: int = 0,
        integrated_save: bool = True,
        async_save: bool | str = False,
        saved_network: Cell | None = None,
        append_info: list | None = None,
        enc_key: bytes | None = None,
        enc_mode: str = "AES-GCM",
        exception_save: bool = False,
        crc_check: bool = False,
        remove_redundancy: bool = False,
        format: str = "ckpt",
        **kwargs: Any,
    ) -> None:
        self.save_checkpoint_steps = _check_count("save_checkpoint_steps", save_checkpoint_steps)
        self.save_checkpoint_seconds: int | None = _check_count(
            "save_checkpoint_seconds", save_checkpoint_seconds
        )
        self.keep_checkpoint_max = _check_count("keep_checkpoint_max", keep_checkpoint_max)
        self.keep_checkpoint_per_n_minutes: int | None = _check_count(
            "keep_checkpoint_per_n_minutes", keep_checkpoint_per_n_minutes
        )
        if not any(
            (
                save_checkpoint_steps,
                save_checkpoint_seconds,
                keep_checkpoint_max,
                keep_checkpoint_per_n_minutes,
            )
        ):
            raise ValueError(
                "`CheckpointConfig`: one of `save_checkpoint_steps`, `save_checkpoint_seconds`, `keep_checkpoint_max` and "
                "`keep_checkpoint_per_n_minutes` must be positive: they can't be all None or 0."
            )
        _check_kinds(TypeError, bool, integrated_save=integrated_save, exception_save=exception_save)
        _check_kinds(TypeError, bool | str, async_save=async_save)
        _check_kinds(ValueError, bytes | None, enc_key=enc_key)
        _check_kinds(ValueError, str, enc_mode=enc_mode)
        _check_kinds(ValueError, bool, crc_check=crc_check, remove_redundancy=remove_redundancy)
        if saved_network is not None and not isinstance(saved_network, Cell):
            raise TypeError(
                f"`CheckpointConfig`: argument `saved_network` must be a Cell. Received: {type(saved_network).__name__}."
            )
        if self.save_checkpoint_steps:
            self.save_checkpoint_seconds = None
        if self.keep_checkpoint_max:
            self.keep_checkpoint_per_n_minutes = None
        elif not self.keep_checkpoint_per_n_minutes:
            self.keep_checkpoint_max = 1
        self.integrated_save, self.async_save, self.saved_network = integrated_save, async_save, saved_network
        self.enc_key, self.enc_mode, self.crc_check, self.format = enc_key, enc_mode, crc_check, format
        self.exception_save, self.remove_redundancy = exception_save, remove_redundancy
        self.append_dict = _append_dict(append_info)
        self.enable_redundance: bool = kwargs.get(
            "enable_redundance", False
        )  # which MindSpore's own storage reads

    def get_checkpoint_policy(self) -> dict[str, Any]:
        """Return the numbers, as a dict."""
        return {
            "save_checkpoint_steps": self.save_checkpoint_steps,
            "save_checkpoint_seconds": self.save_checkpoint_seconds,
            "keep_checkpoint_max": self.keep_checkpoint_max,
            "keep_checkpoint_per_n_minutes": self.keep_checkpoint_per_n_minutes,
            "saved_network": self.saved_network,
        }


def _append_dict(append_info: Any) -> dict[str, Any] | None:
    """Return the entries of `append_info` as a dict; "epoch_num" and "step_num" are counted on from 0."""
    if append_info is None:
        return None
    if not isinstance(append_info, list):
        raise TypeError(
            f"`CheckpointConfig`: argument `append_info` must be a list. Received: {type(append_info).__name__}."
        )
    entries: dict[str, Any] = {}
    for item in append_info:
        if item in ("epoch_num", "step_num"):
            entries[item] = 0
        elif isinstance(item, dict) and all(isinstance(name, str) for name in item):
            for name, value in item.items():
                if not isinstance(value, int | float | bool | str | Tensor):
                    raise TypeError(
                        "`CheckpointConfig`: the dict in `append_info` must have values that are numbers, bools, strs or "
                        f"Tensors. Received: {name}={value!r}."
                    )
                entries[name] = value
        else:
            raise (ValueError if isinstance(item, str) else TypeError)(
                "`CheckpointConfig`: argument `append_info` must hold 'epoch_num', 'step_num' or dicts. "
                f"Received: {item!r}."
            )
    return entries


class ModelCheckpoint(Callback):
    """Saves checkpoints in the course of training.

    They hold the training network with its optimizer and are called `prefix-epoch_step.ckpt`. Files of
    another run with the same prefix are left alone; the new ones are called `prefix_1-...` then.

    Args:
        prefix: of the names, without "/"; or a function of the run's state that gives the whole name. Default: "CKP".
        directory: where they go; it is made if it is not there. Default: the current one.
        config: CheckpointConfig. Default: every step, the last five are kept.

    Raises:
        TypeError: if `config` is none, or `directory` neither a function nor a str.
        ValueError: if `prefix` is neither a function nor a str without "/".

    Examples:
        >>> from msjax.train import CheckpointConfig, ModelCheckpoint
        >>> callback = ModelCheckpoint(prefix="lenet", config=CheckpointConfig(save_checkpoint_steps=100))
    """

    _reads_clock = False

    def __init__(
        self,
        prefix: str | Callable[[Any], str] = "CKP",
        directory: str | Callable[[Any], str] | None = None,
        config: CheckpointConfig | None = None,
    ) -> None:
        if not callable(prefix) and not (isinstance(prefix, str) and "/" not in prefix):
            raise ValueError(
                f"`ModelCheckpoint`: argument `prefix` must be a function or a str without '/'. Received: {prefix!r}."
            )
        if config is not None and not isinstance(config, CheckpointConfig):
            raise TypeError(
                f"`ModelCheckpoint`: argument `config` must be a CheckpointConfig. Received: {type(config).__name__}."
            )
        if directory is not None and not callable(directory) and not isinstance(directory, str):
            raise TypeError(
                f"`ModelCheckpoint`: argument `directory` must be a function or a str. Received: {directory!r}."
            )
        self._prefix = prefix
        self._directory = directory
        if directory and not callable(directory):
            os.makedirs(directory, exist_ok=True)
        self._config = config or CheckpointConfig()
        self._files: list[str] = []
        self._latest = ""
        self._last_step = 0
        self._last_time = self._kept_at = time.monotonic()
        self._named = callable(prefix)

    @property
    def latest_ckpt_file_name(self) -> str:
        """Path of the newest file."""
        return self._latest

    def begin(self, run_context: RunContext) -> None:
        """Reset the state."""
        self._last_step = run_context.original_args().get("initial_step") or 0
        self._last_time = self._kept_at = time.monotonic()

    def step_end(self, run_context: RunContext) -> None:
        """Save if it is time to."""
        now = run_context.original_args()
        steps, seconds = self._config.save_checkpoint_steps, self._config.save_checkpoint_seconds
        by_step = steps and now.cur_step_num >= self._last_step + steps
        if by_step or (seconds and time.monotonic() - self._last_time >= seconds):
            self._save(now)

    def end(self, run_context: RunContext) -> None:
        """Save the end, if it was not and if anything is to be saved; wait until that is written."""
        now, config = run_context.original_args(), self._config
        if now.cur_step_num != self._last_step and (
            config.save_checkpoint_steps or config.save_checkpoint_seconds
        ):
            self._save(now)
        wait_for_saving()

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Do nothing: an evaluation changes nothing."""

    on_eval_step_end = on_eval_end = on_eval_begin

    def _folder(self, now: Any) -> str:
        given = self._directory(now) if callable(self._directory) else self._directory
        folder = os.path.abspath(given or ".")
        os.makedirs(folder, exist_ok=True)
        return folder

    def _file(self, now: Any) -> str:
        folder, suffix = self._folder(now), self._config.format
        if callable(self._prefix):
            return os.path.join(folder, f"{self._prefix(now)}.{suffix}")
        if not self._named:
            self._prefix, self._named = _unused_prefix(folder, self._prefix, suffix), True
        step = (now.cur_step_num - 1) % now.batch_num + 1
        return os.path.join(folder, f"{self._prefix}-{now.cur_epoch_num}_{step}.{suffix}")

    def _save(self, now: Any) -> None:
        config = self._config
        if config.remove_redundancy:
            raise TypeError(
                "`ModelCheckpoint`: `remove_redundancy` of CheckpointConfig is for parallel training. Received: True on "
                "one device. Leave it out."
            )
        path = self._file(now)
        if config.append_dict is not None:
            if "epoch_num" in config.append_dict:
                config.append_dict["epoch_num"] += now.cur_epoch_num - config.append_dict["epoch_num"]
            if "step_num" in config.append_dict:
                config.append_dict["step_num"] = now.cur_step_num
        save_checkpoint(
            config.saved_network or now.train_network, path, config.integrated_save, config.async_save,
            config.append_dict, config.enc_key, config.enc_mode, crc_check=config.crc_check, format=config.format,
        )  # fmt: skip
        self._latest, self._last_step, self._last_time = path, now.cur_step_num, time.monotonic()
        now.latest_ckpt_file, now.last_save_ckpt_step = path, now.cur_step_num
        self._files = [name for name in self._files if name != path] + [path]
        self._drop()

    def _drop(self) -> None:
        """Delete the files beyond the number to keep."""
        config = self._config
        if config.keep_checkpoint_max:
            while len(self._files) > config.keep_checkpoint_max:
                _remove(self._files.pop(0))
        elif config.keep_checkpoint_per_n_minutes:
            if time.monotonic() - self._kept_at >= 60 * config.keep_checkpoint_per_n_minutes:
                self._kept_at = time.monotonic()
                self._files = []
            while len(self._files) > 1:
                _remove(self._files.pop(0))


def _unused_prefix(folder: str, prefix: str, suffix: str) -> str:
    """Return the prefix, with a number if files with that prefix exist."""
    form = re.compile(rf"{re.escape(prefix)}(?:_(\d+))?-\d+_\d+\.{suffix}$")
    taken = [match for name in os.listdir(folder) if (match := form.match(name))]
    if not taken:
        return prefix
    return f"{prefix}_{max(int(match[1] or 0) for match in taken) + 1}"


def _remove(path: str) -> None:
    if os.path.exists(path):
        os.remove(path)
