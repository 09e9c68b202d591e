"""`BackupAndRestore`: callback that resumes an interrupted run."""

import os

from msjax.train._load import load_checkpoint
from msjax.train._save import save_checkpoint
from msjax.train._utils import make_directory
from msjax.train.callback.base import Callback, RunContext


class BackupAndRestore(Callback):
    """Saves the training network in `backup.ckpt` as it is trained, and begins with what an interrupted run left there.

    Args:
        backup_dir: folder of the file; it is made if it is not there.
        save_freq: "epoch" to save at the end of every epoch, or an int to save every so many. Default: "epoch".
        delete_checkpoint: delete the file when training is finished. Default: True.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `save_freq` is not positive.

    Examples:
        >>> import os, tempfile
        >>> import numpy as np
        >>> import msjax as ms
        >>> from msjax import dataset, nn
        >>> from msjax.train import BackupAndRestore, Model
        >>> net = nn.Dense(1, 1)
        >>> model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        >>> x = np.ones((2, 1), np.float32)
        >>> data = dataset.NumpySlicesDataset((x, x), shuffle=False).batch(1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.train(1, data, callbacks=BackupAndRestore(folder, delete_checkpoint=False))
        ...     os.listdir(folder)
        ['backup.ckpt']
    """

    def __init__(
        self, backup_dir: str, save_freq: str | int = "epoch", delete_checkpoint: bool = True
    ) -> None:
        self.backup_file = os.path.join(make_directory(backup_dir), "backup.ckpt")
        every = 1 if save_freq == "epoch" else save_freq
        if isinstance(every, str | bool) or every <= 0:
            raise (TypeError if isinstance(every, str | bool) else ValueError)(
                f"`BackupAndRestore`: argument `save_freq` must be 'epoch' or a positive int. Received: {save_freq!r}."
            )
        if not isinstance(delete_checkpoint, bool):
            raise TypeError(
                f"`BackupAndRestore`: argument `delete_checkpoint` must be a bool. Received: {delete_checkpoint!r}."
            )
        self.save_freq = every
        self.delete_checkpoint = delete_checkpoint

    def on_train_begin(self, run_context: RunContext) -> None:
        """Load the network's Parameters from the file, if there is one."""
        if os.path.exists(self.backup_file):
            load_checkpoint(self.backup_file, net=run_context.original_args().train_network)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Save, if it is time to."""
        now = run_context.original_args()
        if now.cur_epoch_num % self.save_freq == 0:
            save_checkpoint(now.train_network, self.backup_file)

    def on_train_end(self, run_context: RunContext) -> None:
        """Delete the file, if it is to be deleted."""
        if self.delete_checkpoint and os.path.exists(self.backup_file):
            os.remove(self.backup_file)
