"""Data pipelines (`mindspore.dataset`): sources, samplers, batching, iterators, transforms.

Everything inside a pipeline is NumPy; Tensors are made where an iterator gives a row or batch out, in one
transfer, and the next one is computed meanwhile.

Where this differs from MindSpore:

- After a seed, rows come in MindSpore's order and transforms draw MindSpore's numbers (`randomness`), a `map` those of
  as many workers as it is given. CutMixBatch, and shuffled MindRecord files that are split, draw others.
- Without a seed, shards cut one permutation nevertheless, and the shares of a `split` are disjoint in every epoch.
- Several pipelines may be made of one dataset; MindSpore wants each dataset to have one consumer.
- Arguments and settings that steer workers, queues and memory are accepted and change nothing else.
- Rows of several text files come by turns from all of them; MindSpore takes turns among as many as it has workers.
- Most of the datasets of files are here; the names of the others (`absent`) can be imported and raise when they are used.
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
from msjax.dataset.annotated_sets import CocoDataset as CocoDataset
from msjax.dataset.annotated_sets import VOCDataset as VOCDataset
from msjax.dataset.batching import BatchInfo as BatchInfo
from msjax.dataset.callbacks import DSCallback as DSCallback
from msjax.dataset.config import get_seed as get_seed
from msjax.dataset.config import set_seed as set_seed
from msjax.dataset.corpora import AGNewsDataset as AGNewsDataset
from msjax.dataset.corpora import AmazonReviewDataset as AmazonReviewDataset
from msjax.dataset.corpora import CLUEDataset as CLUEDataset
from msjax.dataset.corpora import CoNLL2000Dataset as CoNLL2000Dataset
from msjax.dataset.corpora import DBpediaDataset as DBpediaDataset
from msjax.dataset.corpora import EnWik9Dataset as EnWik9Dataset
from msjax.dataset.corpora import IMDBDataset as IMDBDataset
from msjax.dataset.corpora import IWSLT2016Dataset as IWSLT2016Dataset
from msjax.dataset.corpora import IWSLT2017Dataset as IWSLT2017Dataset
from msjax.dataset.corpora import Multi30kDataset as Multi30kDataset
from msjax.dataset.corpora import PennTreebankDataset as PennTreebankDataset
from msjax.dataset.corpora import SogouNewsDataset as SogouNewsDataset
from msjax.dataset.corpora import SQuADDataset as SQuADDataset
from msjax.dataset.corpora import SST2Dataset as SST2Dataset
from msjax.dataset.corpora import UDPOSDataset as UDPOSDataset
from msjax.dataset.corpora import WikiTextDataset as WikiTextDataset
from msjax.dataset.corpora import YahooAnswersDataset as YahooAnswersDataset
from msjax.dataset.corpora import YelpReviewDataset as YelpReviewDataset
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
from msjax.dataset.matlab_sets import Caltech101Dataset as Caltech101Dataset
from msjax.dataset.matlab_sets import SBDataset as SBDataset
from msjax.dataset.minddataset import MindDataset as MindDataset
from msjax.dataset.picture_sets import Caltech256Dataset as Caltech256Dataset
from msjax.dataset.picture_sets import CelebADataset as CelebADataset
from msjax.dataset.picture_sets import DIV2KDataset as DIV2KDataset
from msjax.dataset.picture_sets import EMnistDataset as EMnistDataset
from msjax.dataset.picture_sets import FlickrDataset as FlickrDataset
from msjax.dataset.picture_sets import Flowers102Dataset as Flowers102Dataset
from msjax.dataset.picture_sets import Food101Dataset as Food101Dataset
from msjax.dataset.picture_sets import LFWDataset as LFWDataset
from msjax.dataset.picture_sets import LSUNDataset as LSUNDataset
from msjax.dataset.picture_sets import ManifestDataset as ManifestDataset
from msjax.dataset.picture_sets import OmniglotDataset as OmniglotDataset
from msjax.dataset.picture_sets import Places365Dataset as Places365Dataset
from msjax.dataset.picture_sets import QMnistDataset as QMnistDataset
from msjax.dataset.picture_sets import RenderedSST2Dataset as RenderedSST2Dataset
from msjax.dataset.picture_sets import SBUDataset as SBUDataset
from msjax.dataset.picture_sets import SemeionDataset as SemeionDataset
from msjax.dataset.picture_sets import STL10Dataset as STL10Dataset
from msjax.dataset.picture_sets import SUN397Dataset as SUN397Dataset
from msjax.dataset.picture_sets import SVHNDataset as SVHNDataset
from msjax.dataset.picture_sets import USPSDataset as USPSDataset
from msjax.dataset.recordings import CMUArcticDataset as CMUArcticDataset
from msjax.dataset.recordings import GTZANDataset as GTZANDataset
from msjax.dataset.recordings import LibriTTSDataset as LibriTTSDataset
from msjax.dataset.recordings import LJSpeechDataset as LJSpeechDataset
from msjax.dataset.recordings import SpeechCommandsDataset as SpeechCommandsDataset
from msjax.dataset.recordings import TedliumDataset as TedliumDataset
from msjax.dataset.recordings import YesNoDataset as YesNoDataset
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
from msjax.dataset.schema import RandomDataset as RandomDataset
from msjax.dataset.schema import Schema as Schema
from msjax.dataset.sources import GeneratorDataset as GeneratorDataset
from msjax.dataset.sources import NumpySlicesDataset as NumpySlicesDataset
from msjax.dataset.sources import PaddedDataset as PaddedDataset
from msjax.dataset.steps import BatchDataset as BatchDataset
from msjax.dataset.steps import BucketBatchByLengthDataset as BucketBatchByLengthDataset
from msjax.dataset.steps import ConcatDataset as ConcatDataset
from msjax.dataset.steps import FilterDataset as FilterDataset
from msjax.dataset.steps import MapDataset as MapDataset
from msjax.dataset.steps import MappableDataset as MappableDataset
from msjax.dataset.steps import PaddedBatchDataset as PaddedBatchDataset
from msjax.dataset.steps import ProjectDataset as ProjectDataset
from msjax.dataset.steps import RenameDataset as RenameDataset
from msjax.dataset.steps import RepeatDataset as RepeatDataset
from msjax.dataset.steps import ShuffleDataset as ShuffleDataset
from msjax.dataset.steps import SkipDataset as SkipDataset
from msjax.dataset.steps import SourceDataset as SourceDataset
from msjax.dataset.steps import SyncWaitDataset as SyncWaitDataset
from msjax.dataset.steps import TakeDataset as TakeDataset
from msjax.dataset.steps import ZipDataset as ZipDataset
from msjax.dataset.street_sets import CityscapesDataset as CityscapesDataset
from msjax.dataset.street_sets import KITTIDataset as KITTIDataset
from msjax.dataset.street_sets import WIDERFaceDataset as WIDERFaceDataset
from msjax.dataset.tfrecord import TFRecordDataset as TFRecordDataset

with contextlib.suppress(ImportError):
    importlib.import_module(
        "PIL.Image"
    )  # programs that `import PIL` use PIL.Image, which MindSpore has imported


def __getattr__(name: str) -> Any:
    return _absent.name(__name__, name)
