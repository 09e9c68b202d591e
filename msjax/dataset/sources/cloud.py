"""`OBSMindDataset`: MindRecord files in a cloud store, which needs the SDK of that store."""

from typing import Any

from msjax.dataset.common import checks
from msjax.dataset.random.samplers import Shuffle
from msjax.dataset.sources.generator import GeneratorDataset


class OBSMindDataset(GeneratorDataset):
    """Rows of MindRecord files in a cloud store. Arguments are checked; then it raises: there is no SDK of such stores here.

    Copy the files to a folder with a client of the store, and read them with `MindDataset`.

    Args:
        dataset_files: list of paths in the store.
        server: its address, which begins with http:// or https://.
        ak: the access key.
        sk: the secret key.
        sync_obs_path: a folder in the store by which processes agree.
        columns_list: list of the fields to give. Default: all.
        shuffle: a bool or a Shuffle. Default: all rows are shuffled.
        num_shards: how many shares there are.
        shard_id: which share to read.
        shard_equal_rows: whether all shares have as many rows.

    Raises:
        TypeError, ValueError: for arguments of a wrong kind.
        RuntimeError: for arguments that contradict each other; else because the SDK is missing.
    """

    way_out = "Copy the files to a folder with a client of the cloud store, and read them with MindDataset."

    def __init__(
        self,
        dataset_files: list[str],
        server: str,
        ak: str,
        sk: str,
        sync_obs_path: str,
        columns_list: list[str] | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        shard_equal_rows: bool = True,
    ) -> None:
        op = "OBSMindDataset"
        if not isinstance(dataset_files, list) or not all(isinstance(one, str) for one in dataset_files):
            checks.fail(TypeError, op, "dataset_files", "be a list of str", dataset_files)
        counts = (("num_shards", num_shards, 1), ("shard_id", shard_id, 0))
        for name, value, low in counts:
            if value is not None:
                checks.check_int(op, name, value, low)
        if columns_list is not None and not isinstance(columns_list, list):
            checks.fail(TypeError, op, "columns_list", "be a list of str", columns_list)
        checks.check_bool(op, "shard_equal_rows", shard_equal_rows)
        texts: dict[str, Any] = {"server": server, "ak": ak, "sk": sk, "sync_obs_path": sync_obs_path}
        for name, value in texts.items():
            if not isinstance(value, str):
                checks.fail(TypeError, op, name, "be a str", value)
        if not server.startswith(("http://", "https://")):
            checks.fail(ValueError, op, "server", "begin with http:// or https://", server)
        if (num_shards is None) != (shard_id is None):
            raise RuntimeError(
                f"`{op}`: arguments `num_shards` and `shard_id` must come together. "
                f"Received: num_shards={num_shards!r}, shard_id={shard_id!r}."
            )
        if num_shards is not None:
            checks.check_int(op, "shard_id", shard_id, 0, num_shards - 1)
        if shuffle is not None and not isinstance(shuffle, bool | Shuffle):
            checks.fail(TypeError, op, "shuffle", "be a bool or a Shuffle", shuffle)
        raise RuntimeError(
            f"`{op}`: the SDK of the cloud store is not installed, and msjax has no use for it. Copy the files to a "
            "folder with a client of the store, and read them with MindDataset."
        )
