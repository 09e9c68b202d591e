"""Data pipelines (`mindspore.dataset`): sources, samplers, steps, iterators, transforms.

Everything inside a pipeline is NumPy; Tensors are made where an iterator gives a row or batch out, in one
transfer, and the next one is computed meanwhile.

Where this differs from MindSpore:

- Random numbers are others. Their rules are MindSpore's: a seed repeats iterators, epochs and repeats differ, and
  shards cut one permutation even without a seed.
- The shares of a `split` are disjoint in every epoch, whether or not there is a seed.
- Several pipelines may be made of one dataset; MindSpore wants each dataset to have one consumer.
- Arguments and settings that steer workers, queues and memory are accepted and change nothing.
- Of the datasets of files, those of the MNIST and CIFAR families, ImageFolderDataset, TextFileDataset,
  CSVDataset and MindDataset are here; the names of the others can be imported and raise when they are used.
"""

import contextlib
import importlib
from typing import Any

from msjax.dataset import absent as _absent
from msjax.dataset import audio as audio
from msjax.dataset import config as config
from msjax.dataset import dataloader as dataloader
from msjax.dataset import text as text
from msjax.dataset import transforms as transforms
from msjax.dataset import vision as vision
from msjax.dataset.batching import BatchInfo as BatchInfo
from msjax.dataset.callbacks import DSCallback as DSCallback
from msjax.dataset.config import get_seed as get_seed
from msjax.dataset.config import set_seed as set_seed
from msjax.dataset.dataset import Dataset as Dataset
from msjax.dataset.dataset import zip_datasets as zip  # noqa: F401
from msjax.dataset.fake import FakeImageDataset as FakeImageDataset
from msjax.dataset.folders import ImageFolderDataset as ImageFolderDataset
from msjax.dataset.images import Cifar10Dataset as Cifar10Dataset
from msjax.dataset.images import Cifar100Dataset as Cifar100Dataset
from msjax.dataset.images import FashionMnistDataset as FashionMnistDataset
from msjax.dataset.images import KMnistDataset as KMnistDataset
from msjax.dataset.images import MnistDataset as MnistDataset
from msjax.dataset.iterators import DictIterator as DictIterator
from msjax.dataset.iterators import TupleIterator as TupleIterator
from msjax.dataset.lines import CSVDataset as CSVDataset
from msjax.dataset.lines import TextFileDataset as TextFileDataset
from msjax.dataset.minddataset import MindDataset as MindDataset
from msjax.dataset.samplers import BuiltinSampler as BuiltinSampler
from msjax.dataset.samplers import DistributedSampler as DistributedSampler
from msjax.dataset.samplers import IterSampler as IterSampler
from msjax.dataset.samplers import PKSampler as PKSampler
from msjax.dataset.samplers import RandomSampler as RandomSampler
from msjax.dataset.samplers import Sampler as Sampler
from msjax.dataset.samplers import SequentialSampler as SequentialSampler
from msjax.dataset.samplers import Shuffle as Shuffle
from msjax.dataset.samplers import SubsetRandomSampler as SubsetRandomSampler
from msjax.dataset.samplers import SubsetSampler as SubsetSampler
from msjax.dataset.samplers import WeightedRandomSampler as WeightedRandomSampler
from msjax.dataset.sources import GeneratorDataset as GeneratorDataset
from msjax.dataset.sources import NumpySlicesDataset as NumpySlicesDataset
from msjax.dataset.sources import PaddedDataset as PaddedDataset

with contextlib.suppress(ImportError):
    importlib.import_module(
        "PIL.Image"
    )  # programs that `import PIL` use PIL.Image, which MindSpore has imported


def __getattr__(name: str) -> Any:
    return _absent.name(__name__, name)
