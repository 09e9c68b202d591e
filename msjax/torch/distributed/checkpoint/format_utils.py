"""`torch.distributed.checkpoint.format_utils`: a checkpoint's folder as a file of `torch.save`, and back."""

import os

from msjax.torch import serialization
from msjax.torch.distributed.checkpoint.state_dict_loader import load_all
from msjax.torch.distributed.checkpoint.state_dict_saver import save


def dcp_to_torch_save(dcp_checkpoint_dir: str | os.PathLike, torch_save_path: str | os.PathLike) -> None:
    """Write all that a checkpoint's folder has to a file, in one process.

    Args:
        dcp_checkpoint_dir: the folder.
        torch_save_path: the file.
    """
    serialization.save(load_all(dcp_checkpoint_dir), torch_save_path)


def torch_save_to_dcp(torch_save_path: str | os.PathLike, dcp_checkpoint_dir: str | os.PathLike) -> None:
    """Write the state dict that a file of `torch.save` has to a checkpoint's folder, in one process.

    Args:
        torch_save_path: the file. Its objects are unpickled, which may run code of the file's.
        dcp_checkpoint_dir: the folder.
    """
    save(
        serialization.load(torch_save_path, weights_only=False),
        checkpoint_id=dcp_checkpoint_dir,
        no_dist=True,
    )
