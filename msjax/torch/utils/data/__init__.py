"""`torch.utils.data`: datasets, samplers and loaders. Memory is not pinned. Names only."""

import importlib
from typing import Any

from msjax.torch.functions import served_from_mint
from msjax.torch.utils.data.collate import default_collate as default_collate
from msjax.torch.utils.data.collate import default_convert as default_convert
from msjax.torch.utils.data.datasets import ChainDataset as ChainDataset
from msjax.torch.utils.data.datasets import ConcatDataset as ConcatDataset
from msjax.torch.utils.data.datasets import Dataset as Dataset
from msjax.torch.utils.data.datasets import IterableDataset as IterableDataset
from msjax.torch.utils.data.datasets import IterDataPipe as IterDataPipe
from msjax.torch.utils.data.datasets import StackDataset as StackDataset
from msjax.torch.utils.data.datasets import Subset as Subset
from msjax.torch.utils.data.datasets import TensorDataset as TensorDataset
from msjax.torch.utils.data.datasets import functional_datapipe as functional_datapipe
from msjax.torch.utils.data.datasets import random_split as random_split
from msjax.torch.utils.data.loader import DataLoader as DataLoader
from msjax.torch.utils.data.samplers import BatchSampler as BatchSampler
from msjax.torch.utils.data.samplers import RandomSampler as RandomSampler
from msjax.torch.utils.data.samplers import Sampler as Sampler
from msjax.torch.utils.data.samplers import SequentialSampler as SequentialSampler
from msjax.torch.utils.data.samplers import SubsetRandomSampler as SubsetRandomSampler
from msjax.torch.utils.data.samplers import WeightedRandomSampler as WeightedRandomSampler
from msjax.torch.utils.data.workers import get_worker_info as get_worker_info


def __getattr__(name: str) -> Any:
    if name in ("distributed", "DistributedSampler"):
        module = importlib.import_module(f"{__name__}.distributed")
        return module if name == "distributed" else module.DistributedSampler
    return served_from_mint.make_placeholder("torch.utils.data", name)
