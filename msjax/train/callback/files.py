"""Management of checkpoint files by name, for users' training loops."""

import os
import re
from typing import Any

from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.train._load import load_param_into_net

_current: list[Any] = []


def set_current_net(net: Any) -> None:
    """Set the network that :func:`load_into_current_net` gives values to."""
    _current[:] = [net]


def load_into_current_net(entries: list[dict[str, Any]]) -> bool:
    """Load named values into the network of :func:`set_current_net`; without one nothing is done.

    Args:
        entries: a dict with "name" and "data" (Tensor) for each Parameter.
    """
    if _current and _current[0] is not None:
        load_param_into_net(
            _current[0], {e["name"]: Parameter(Tensor(e["data"]), name=e["name"]) for e in entries}
        )
    return True


def free_prefix(directory: Any, prefix: Any, exception: bool = False) -> Any:
    """Return a prefix that no checkpoint in a directory has: the given one, or that with a number.

    Args:
        directory: path, or a function of the run's state.
        prefix: str, or a function of the run's state; a function is returned as it is.
        exception: look at the files that were saved for an exception (`..._breakpoint.ckpt`), and at no others.
    """
    if callable(prefix) or callable(directory):
        return prefix
    form = re.compile(rf"{re.escape(prefix)}(?:_(\d+))?-.*\.(?:ckpt|safetensors)$")
    names = [name for name in os.listdir(directory) if name.endswith("_breakpoint.ckpt") == exception]
    numbers = [int(match[1] or 0) for name in names if (match := form.match(name))]
    return f"{prefix}_{max(numbers) + 1}" if numbers else prefix


class CheckpointManager:
    """The checkpoints `prefix-epoch_step.ckpt` of a directory.

    Args:
        format: "ckpt" or "safetensors".

    Examples:
        >>> import tempfile
        >>> from msjax.train.callback.files import CheckpointManager
        >>> manager = CheckpointManager()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for name in ("net-1_10.ckpt", "net-2_10.ckpt", "other-1_10.ckpt"):
        ...         open(f"{folder}/{name}", "w").close()
        ...     manager.update_ckpoint_filelist(folder, "net")
        ...     manager.remove_oldest_ckpoint_file()
        >>> manager.ckpoint_num
        1
    """

    def __init__(self, format: str = "ckpt") -> None:
        self.format = format
        self.ckpoint_filelist: list[str] = []

    @property
    def ckpoint_num(self) -> int:
        """Number of checkpoint files."""
        return len(self.ckpoint_filelist)

    def update_ckpoint_filelist(self, directory: str, prefix: str) -> None:
        """Find the files of a prefix."""
        form = re.compile(rf"{re.escape(prefix)}-[^a-zA-Z]*\.{self.format}$")
        self.ckpoint_filelist = [
            os.path.join(directory, name) for name in os.listdir(directory) if form.match(name)
        ]

    def remove_ckpoint_file(self, file_name: str) -> None:
        """Delete a file; one that is not there is left out of the list only."""
        if os.path.exists(file_name):
            os.remove(file_name)
        if file_name in self.ckpoint_filelist:
            self.ckpoint_filelist.remove(file_name)

    def remove_oldest_ckpoint_file(self) -> None:
        """Delete the oldest file."""
        self.remove_ckpoint_file(min(self.ckpoint_filelist, key=os.path.getmtime))

    def keep_one_ckpoint_per_minutes(self, minutes: float, cur_time: float) -> None:
        """Keep only the oldest of the files that were written in the last minutes before a time."""
        written = {name: os.path.getmtime(name) for name in self.ckpoint_filelist}
        recent = sorted(
            (name for name in written if cur_time - written[name] < 60 * minutes), key=written.__getitem__
        )
        for name in recent[1:]:
            self.remove_ckpoint_file(name)
