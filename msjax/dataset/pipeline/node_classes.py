"""Node classes of MindSpore (`BatchDataset`, `MapDataset` ...), by name and for `isinstance`."""

from collections.abc import Callable
from typing import Any

from msjax.dataset.pipeline import batching, concatenation, map_node, nodes, sync_wait
from msjax.dataset.pipeline.dataset import Dataset, zip_datasets


class _Step(type):
    """A class whose objects are the datasets that end with a step of some kind."""

    _kinds: tuple[type, ...]
    _make: Callable[..., Dataset]

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Dataset) and isinstance(instance.node, cls._kinds)

    def __call__(cls, *args: Any, **kwargs: Any) -> Dataset:
        """Return the dataset with that step at its end."""
        return cls._make(*args, **kwargs)


def _step(name: str, make: Callable[..., Dataset], *kinds: type) -> Any:
    about = f"A dataset whose last step is `{getattr(make, '__name__', name)}`."
    return _Step(
        name, (), {"_kinds": kinds, "_make": staticmethod(make), "__doc__": about, "__module__": __name__}
    )


def _pad_batches(input_dataset: Dataset, *args: Any, **kwargs: Any) -> Dataset:
    return input_dataset.padded_batch(*args, **kwargs)


def _concat(datasets: list[Dataset]) -> Dataset:
    first, *others = datasets
    return first.concat(others)


BatchDataset = _step("BatchDataset", Dataset.batch, batching.Batch)
PaddedBatchDataset = _step("PaddedBatchDataset", _pad_batches, batching.Batch)
BucketBatchByLengthDataset = _step(
    "BucketBatchByLengthDataset", Dataset.bucket_batch_by_length, batching.Bucket
)
MapDataset = _step("MapDataset", Dataset.map, map_node.Map)
FilterDataset = _step("FilterDataset", Dataset.filter, nodes.Filter)
ShuffleDataset = _step("ShuffleDataset", Dataset.shuffle, nodes.Shuffle)
RepeatDataset = _step("RepeatDataset", Dataset.repeat, nodes.Repeat)
SkipDataset = _step("SkipDataset", Dataset.skip, nodes.Skip)
TakeDataset = _step("TakeDataset", Dataset.take, nodes.Take)
ProjectDataset = _step("ProjectDataset", Dataset.project, nodes.Project)
RenameDataset = _step("RenameDataset", Dataset.rename, nodes.Rename)
ZipDataset = _step("ZipDataset", zip_datasets, nodes.Zip)
ConcatDataset = _step("ConcatDataset", _concat, concatenation.Concat)
SyncWaitDataset = _step("SyncWaitDataset", Dataset.sync_wait, sync_wait.Wait)
MappableDataset = _step("MappableDataset", Dataset, nodes.RandomAccess)
SourceDataset = _step("SourceDataset", Dataset, nodes.RandomAccess, nodes.IterableSource)
