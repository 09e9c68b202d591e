"""`torch.utils.tensorboard`: tensorboardX's writer of event files, which takes tensors."""

import warnings
from typing import Any

import tensorboardX

from msjax.torch.tensors.tensor import Tensor


def _as_arrays(value: Any) -> Any:
    if isinstance(value, Tensor):
        array = value.numpy(force=True)
        return array.item() if array.ndim == 0 else array
    if isinstance(value, dict):
        return {name: _as_arrays(each) for name, each in value.items()}
    return [_as_arrays(each) for each in value] if type(value) in (list, tuple) else value


class SummaryWriter(tensorboardX.SummaryWriter):
    """Writes scalars, images, histograms and texts for TensorBoard.

    Args:
        log_dir: the folder; one of the date and the machine under `runs` if it is None.
        comment: the end of that name.
        purge_step: steps from here on are dropped from earlier files.
        max_queue: what waits to be written.
        flush_secs: how often it is written.
        filename_suffix: the end of the files' names.
    """

    def __init__(
        self, log_dir: Any = None, comment: str = "", purge_step: int | None = None, max_queue: int = 10,
        flush_secs: int = 120, filename_suffix: str = "",
    ) -> None:  # fmt: skip
        super().__init__(
            None if log_dir is None else str(log_dir),
            comment,
            purge_step,
            max_queue,
            flush_secs,
            filename_suffix,
        )

    def add_graph(self, *args: Any, **named: Any) -> None:
        """Warn and write nothing: there is no graph of PyTorch's operators."""
        warnings.warn("`SummaryWriter.add_graph` writes nothing in msjax.torch.", stacklevel=2)


def _taking_tensors(name: str) -> Any:
    write = getattr(tensorboardX.SummaryWriter, name)

    def add(self: Any, *args: Any, **named: Any) -> Any:
        return write(
            self, *map(_as_arrays, args), **{word: _as_arrays(value) for word, value in named.items()}
        )

    add.__name__, add.__doc__ = name, write.__doc__ or f"See tensorboardX's `{name}`."
    return add


for _name in """add_scalar add_scalars add_histogram add_image add_images add_image_with_boxes add_video add_audio add_text
    add_embedding add_pr_curve add_mesh add_hparams""".split():
    setattr(SummaryWriter, _name, _taking_tensors(_name))
