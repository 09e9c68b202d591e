"""`SummaryRecord`: writes values of a run to TensorBoard event files."""

import atexit
import logging
import os
import platform
import re
import time
from collections.abc import Callable
from typing import Any, ClassVar, Self
from urllib.parse import quote

import numpy as np

from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.ops.state.summaries import notes
from msjax.train._events import EventFile

_log = logging.getLogger(__name__)

KINDS = ("scalar", "image", "tensor", "histogram")
_INSIGHT = (
    "graph train_lineage eval_lineage dataset_graph custom_lineage_data LANDSCAPE explainer benchmark".split()
)
_WORD = re.compile(r"^\w+[0-9a-zA-Z_.]*$", re.ASCII)


class SummaryRecord:
    """Writes values of a run into an event file that TensorBoard shows; needs the extra `summary`.

    `record` writes the values of `ops.ScalarSummary` and similar operators since it was opened, and of `add_value`. The
    file is TensorBoard's (`tensorboard --logdir ...`), not MindInsight's, and holds no graphs and no lineage.

    Args:
        log_dir (str): folder; it is made if it is not there.
        file_prefix (str): begins the file's name. Default: "events".
        file_suffix (str): ends it. Default: "_MS".
        num_process (int): without effect: one process writes. Default: 32.
        network (Cell): MindSpore writes its graph; here a warning says that none is written. Default: None.
        max_file_size (int): bytes; when they are reached, no more is written. Default: None, for any number.
        raise_exception (bool): raise what goes wrong in writing, instead of logging it. Default: False.
        export_options (dict): {"tensor_format": "npy"} also writes each tensor into a file. Default: None.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if the prefix or suffix cannot be in a file's name, or `export_options` has others.
        RuntimeError: if another SummaryRecord is open.

    Examples:
        >>> import tempfile
        >>> import msjax as ms
        >>> with tempfile.TemporaryDirectory() as folder, ms.SummaryRecord(folder) as record:
        ...     record.add_value("scalar", "loss", ms.Tensor(0.1))
        ...     record.record(step=1)
        True
    """

    count: ClassVar[int] = 0

    def __init__(
        self,
        log_dir: str,
        file_prefix: str = "events",
        file_suffix: str = "_MS",
        num_process: int = 32,
        network: Any = None,
        max_file_size: int | None = None,
        raise_exception: bool = False,
        export_options: dict | None = None,
    ) -> None:
        if SummaryRecord.count > 0:
            raise RuntimeError("`SummaryRecord`: only one may be open at a time; close the other one first.")
        _check(log_dir, file_prefix, file_suffix, max_file_size, raise_exception, export_options)
        now = int(time.time())
        os.makedirs(log_dir, exist_ok=True)
        folder = os.path.realpath(log_dir)
        name = f"{file_prefix}.out.tfevents.{now}.0.{platform.node()}{file_suffix}"
        self._exports = os.path.join(folder, f"export_{now}", "tensor") if export_options else None
        self._file = EventFile(
            os.path.join(folder, name), max_file_size if (max_file_size or 0) > 0 else None
        )
        self._network, self._raises = network, raise_exception
        self._mode, self._closed = "train", False
        self._waiting: dict[tuple[str, str], np.ndarray] = {}
        SummaryRecord.count += 1
        notes.listen(True)
        atexit.register(self.close)

    def __enter__(self) -> Self:
        if self._closed:
            raise ValueError("`SummaryRecord`: it is closed already; make a new one.")
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def log_dir(self) -> str:
        """Path of the event file."""
        return self._file.path

    def set_mode(self, mode: str) -> None:
        """Set the phase; in "eval", values of summary operators are not recorded.

        Args:
            mode (str): "train" or "eval".

        Raises:
            ValueError: for any other.
        """
        if mode not in ("train", "eval"):
            raise ValueError(
                f"`SummaryRecord.set_mode`: argument `mode` must be 'train' or 'eval'. Received: {mode!r}."
            )
        self._mode = mode

    def add_value(self, plugin: str, name: str, value: Any) -> None:
        """Add a value, which `record` will write.

        Args:
            plugin (str): "scalar", "image", "tensor" or "histogram".
            name (str): its tag.
            value (Tensor): of one element; of shape (N, C, H, W) with one or three channels; or of one or more dimensions.

        Raises:
            ValueError: for another plugin, an empty name, or a value of another shape.
            TypeError: if the value is not a Tensor.
            NotImplementedError: for graphs and lineage, which only MindInsight shows.
        """
        owner = "SummaryRecord.add_value"
        if plugin in _INSIGHT:
            raise NotImplementedError(
                f"`{owner}`: {plugin!r} is for MindInsight; the files of msjax are TensorBoard's, for {list(KINDS)}."
            )
        if plugin not in KINDS:
            raise ValueError(
                f"`{owner}`: argument `plugin` must be one of {list(KINDS)}. Received: {plugin!r}."
            )
        if not name or not isinstance(name, str):
            raise ValueError(
                f"`{owner}`: argument `name` must be a str that is not empty. Received: {name!r}."
            )
        if not isinstance(value, Tensor):
            raise TypeError(
                f"`{owner}`: argument `value` must be a Tensor. Received: {value!r} ({type(value).__name__})."
            )
        self._add(plugin, name, value.asnumpy())

    def _add(self, plugin: str, name: str, value: np.ndarray) -> None:
        shapes = {
            "scalar": ("have one element", value.size == 1),
            "image": ("be of shape (N, C, H, W)", value.ndim == 4),
        }
        wanted, fits = shapes.get(plugin, ("have a dimension", value.ndim > 0))
        if not fits:
            raise ValueError(
                f"`SummaryRecord`: the {plugin} {name!r} must {wanted}. Received: shape {value.shape}."
            )
        if (plugin, name) in self._waiting:
            _log.warning("`SummaryRecord`: the %s %r is there twice; the newest one counts.", plugin, name)
        self._waiting[plugin, name] = value

    def record(
        self, step: int, train_network: Any = None, plugin_filter: Callable[[str], bool] | None = None
    ) -> bool:
        """Write what was added and noted since the last time.

        Args:
            step (int): of training.
            train_network (Cell): checked, without effect: graphs are not written. Default: None.
            plugin_filter (Callable): says by its plugin whether a value is written; others are dropped. Default: None.

        Returns:
            bool, whether it is open.

        Raises:
            TypeError: if `step` is not an int, or `train_network` not a Cell.
            ValueError: if an operator noted a value of another shape than its kind has.
        """
        if isinstance(step, bool) or not isinstance(step, int):
            raise TypeError(f"`SummaryRecord.record`: argument `step` must be an int. Received: {step!r}.")
        if not isinstance(train_network, Cell | None):
            raise TypeError(
                f"`SummaryRecord.record`: argument `train_network` must be a Cell. Received: {train_network!r}."
            )
        if self._closed:
            _log.error("`SummaryRecord.record`: it is closed, so nothing is written.")
            return False
        if self._network is not None:
            self._network = None
            _log.warning("`SummaryRecord`: the graph of `network` is not written: msjax has no MindIR.")
        if self._mode == "train":
            for (plugin, name), value in notes.take().items():
                self._add(plugin, name, value)
        waiting, self._waiting = self._waiting, {}
        for (plugin, name), value in waiting.items():
            if plugin_filter is None or plugin_filter(plugin):
                self._write(plugin, name, step, value)
        return True

    def _write(self, plugin: str, name: str, step: int, value: np.ndarray) -> None:
        if plugin == "image" and (value.shape[1] not in (1, 3) or 0 in value.shape):
            _log.error("`SummaryRecord`: %r is not an image: its shape is %s.", name, value.shape)
            return
        try:
            self._file.add(plugin, name, step, value)
            if plugin == "tensor" and self._exports is not None:
                os.makedirs(self._exports, exist_ok=True)
                np.save(os.path.join(self._exports, f"{quote(name, safe='')}_{step}.npy"), value)
        except (RuntimeError, OSError) as error:
            if self._raises:
                raise
            _log.error("`SummaryRecord`: the %s %r was not written: %s", plugin, name, error)

    def flush(self) -> None:
        """Write what waits to the disk."""
        if self._closed:
            _log.error("`SummaryRecord.flush`: it is closed, so nothing is written.")
        else:
            self._file.flush()

    def close(self) -> None:
        """Write what waits to the disk, and close the file."""
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self.close)
        notes.listen(False)
        SummaryRecord.count -= 1
        self._file.close()


def _check(
    log_dir: Any, file_prefix: Any, file_suffix: Any, max_file_size: Any, raise_exception: Any, options: Any
) -> None:
    kinds = {
        "log_dir": (log_dir, str),
        "file_prefix": (file_prefix, str),
        "file_suffix": (file_suffix, str),
        "max_file_size": (max_file_size, int | None),
        "raise_exception": (raise_exception, bool),
        "export_options": (options, dict | None),
    }
    for name, (value, kind) in kinds.items():
        if not isinstance(value, kind):
            raise TypeError(
                f"`SummaryRecord`: argument `{name}` must be of type {getattr(kind, '__name__', kind)}. "
                f"Received: {value!r} ({type(value).__name__})."
            )
    for name, word in (("file_prefix", file_prefix), ("file_suffix", file_suffix)):
        if not _WORD.match(word):
            raise ValueError(
                f"`SummaryRecord`: argument `{name}` must be made of letters, digits, '_' and '.'. Received: {word!r}."
            )
    check_exports("SummaryRecord", options)


def check_exports(owner: str, options: Any) -> None:
    """Raise for export options that there are none of."""
    if unknown := set(options or {}) - {"tensor_format"}:
        raise ValueError(
            f'`{owner}`: the keys {unknown} of "export_options" are unsupported, expect the follow keys: '
            f"['tensor_format']. Received: {options!r}."
        )
    if (options or {}).get("tensor_format") not in ("npy", None):
        raise ValueError(
            f"`{owner}`: argument `export_options` may be {{'tensor_format': 'npy'}}; the export_format "
            f'{{{options["tensor_format"]!r}}} of "export_options" are unsupported for tensor_format. Received: {options!r}.'
        )
