"""`DataLoader` with datasets, samplers and batches as in PyTorch (`mindspore.dataset.dataloader`).

Workers are processes with copies of the dataset, or threads where the dataset or a function cannot be sent to a process.
`worker_init_fn` may change the copy; `get_worker_info` describes it.
"""

from msjax.dataset.dataloader.collate import default_collate as default_collate
from msjax.dataset.dataloader.collate import default_convert as default_convert
from msjax.dataset.dataloader.dataloader import DataLoader as DataLoader
from msjax.dataset.dataloader.dataset import Dataset as Dataset
from msjax.dataset.dataloader.dataset import IterableDataset as IterableDataset
from msjax.dataset.dataloader.dataset import TensorDataset as TensorDataset
from msjax.dataset.dataloader.distributed import DistributedSampler as DistributedSampler
from msjax.dataset.dataloader.sampler import BatchSampler as BatchSampler
from msjax.dataset.dataloader.sampler import RandomSampler as RandomSampler
from msjax.dataset.dataloader.sampler import Sampler as Sampler
from msjax.dataset.dataloader.sampler import SequentialSampler as SequentialSampler
from msjax.dataset.dataloader.worker import get_worker_info as get_worker_info
