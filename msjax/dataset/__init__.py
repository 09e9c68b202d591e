"""Data pipelines (`mindspore.dataset`): sources, samplers, batching, iterators, transforms.

Everything inside a pipeline is NumPy; Tensors are made where an iterator gives a row or batch out, in one
transfer, and the next ones are computed meanwhile (`config.set_prefetch_size`).

Where this differs from MindSpore:

- After a seed, rows come in MindSpore's order and transforms draw MindSpore's numbers (`generators`), a `map` those of
  as many workers as it is given. Shuffled MindRecord files that are split draw others.
- Without a seed, shards cut one permutation nevertheless, and the shares of a `split` are disjoint in every epoch.
- Several pipelines may be made of one dataset; MindSpore wants each dataset to have one consumer.
- Arguments and settings that steer queues and memory are accepted and change nothing else.
- All datasets of files are here; `OBSMindDataset`, which needs a service of Huawei's, and `cache`, which needs MindSpore's
  cache server, raise. A few other names (`placeholders`) can be imported and raise when they are used.
"""

import contextlib
import importlib
from typing import Any

from msjax.dataset import audio as audio
from msjax.dataset import config as config
from msjax.dataset import dataloader as dataloader
from msjax.dataset import debug as debug
from msjax.dataset import text as text
from msjax.dataset import transforms as transforms
from msjax.dataset import utils as utils
from msjax.dataset import vision as vision
from msjax.dataset.common import placeholders as _absent
from msjax.dataset.common.cache import DatasetCache as DatasetCache
from msjax.dataset.config import get_seed as get_seed
from msjax.dataset.config import set_seed as set_seed
from msjax.dataset.pipeline.batching import BatchInfo as BatchInfo
from msjax.dataset.pipeline.callbacks import DSCallback as DSCallback
from msjax.dataset.pipeline.dataset import Dataset as Dataset
from msjax.dataset.pipeline.dataset import zip_datasets as zip  # noqa: F401
from msjax.dataset.pipeline.iterators import DictIterator as DictIterator
from msjax.dataset.pipeline.iterators import TupleIterator as TupleIterator
from msjax.dataset.pipeline.node_classes import BatchDataset as BatchDataset
from msjax.dataset.pipeline.node_classes import BucketBatchByLengthDataset as BucketBatchByLengthDataset
from msjax.dataset.pipeline.node_classes import ConcatDataset as ConcatDataset
from msjax.dataset.pipeline.node_classes import FilterDataset as FilterDataset
from msjax.dataset.pipeline.node_classes import MapDataset as MapDataset
from msjax.dataset.pipeline.node_classes import MappableDataset as MappableDataset
from msjax.dataset.pipeline.node_classes import PaddedBatchDataset as PaddedBatchDataset
from msjax.dataset.pipeline.node_classes import ProjectDataset as ProjectDataset
from msjax.dataset.pipeline.node_classes import RenameDataset as RenameDataset
from msjax.dataset.pipeline.node_classes import RepeatDataset as RepeatDataset
from msjax.dataset.pipeline.node_classes import ShuffleDataset as ShuffleDataset
from msjax.dataset.pipeline.node_classes import SkipDataset as SkipDataset
from msjax.dataset.pipeline.node_classes import SourceDataset as SourceDataset
from msjax.dataset.pipeline.node_classes import SyncWaitDataset as SyncWaitDataset
from msjax.dataset.pipeline.node_classes import TakeDataset as TakeDataset
from msjax.dataset.pipeline.node_classes import ZipDataset as ZipDataset
from msjax.dataset.public_sets.caltech_sbd import Caltech101Dataset as Caltech101Dataset
from msjax.dataset.public_sets.caltech_sbd import SBDataset as SBDataset
from msjax.dataset.public_sets.coco_voc import CocoDataset as CocoDataset
from msjax.dataset.public_sets.coco_voc import VOCDataset as VOCDataset
from msjax.dataset.public_sets.kitti_cityscapes import CityscapesDataset as CityscapesDataset
from msjax.dataset.public_sets.kitti_cityscapes import KITTIDataset as KITTIDataset
from msjax.dataset.public_sets.kitti_cityscapes import WIDERFaceDataset as WIDERFaceDataset
from msjax.dataset.public_sets.labelled_images import Caltech256Dataset as Caltech256Dataset
from msjax.dataset.public_sets.labelled_images import CelebADataset as CelebADataset
from msjax.dataset.public_sets.labelled_images import DIV2KDataset as DIV2KDataset
from msjax.dataset.public_sets.labelled_images import EMnistDataset as EMnistDataset
from msjax.dataset.public_sets.labelled_images import FlickrDataset as FlickrDataset
from msjax.dataset.public_sets.labelled_images import Flowers102Dataset as Flowers102Dataset
from msjax.dataset.public_sets.labelled_images import Food101Dataset as Food101Dataset
from msjax.dataset.public_sets.labelled_images import LFWDataset as LFWDataset
from msjax.dataset.public_sets.labelled_images import LSUNDataset as LSUNDataset
from msjax.dataset.public_sets.labelled_images import ManifestDataset as ManifestDataset
from msjax.dataset.public_sets.labelled_images import OmniglotDataset as OmniglotDataset
from msjax.dataset.public_sets.labelled_images import Places365Dataset as Places365Dataset
from msjax.dataset.public_sets.labelled_images import QMnistDataset as QMnistDataset
from msjax.dataset.public_sets.labelled_images import RenderedSST2Dataset as RenderedSST2Dataset
from msjax.dataset.public_sets.labelled_images import SBUDataset as SBUDataset
from msjax.dataset.public_sets.labelled_images import SemeionDataset as SemeionDataset
from msjax.dataset.public_sets.labelled_images import STL10Dataset as STL10Dataset
from msjax.dataset.public_sets.labelled_images import SUN397Dataset as SUN397Dataset
from msjax.dataset.public_sets.labelled_images import SVHNDataset as SVHNDataset
from msjax.dataset.public_sets.labelled_images import USPSDataset as USPSDataset
from msjax.dataset.public_sets.mnist_cifar import Cifar10Dataset as Cifar10Dataset
from msjax.dataset.public_sets.mnist_cifar import Cifar100Dataset as Cifar100Dataset
from msjax.dataset.public_sets.mnist_cifar import FashionMnistDataset as FashionMnistDataset
from msjax.dataset.public_sets.mnist_cifar import KMnistDataset as KMnistDataset
from msjax.dataset.public_sets.mnist_cifar import MnistDataset as MnistDataset
from msjax.dataset.public_sets.photo_tour import PhotoTourDataset as PhotoTourDataset
from msjax.dataset.public_sets.speech import CMUArcticDataset as CMUArcticDataset
from msjax.dataset.public_sets.speech import GTZANDataset as GTZANDataset
from msjax.dataset.public_sets.speech import LibriTTSDataset as LibriTTSDataset
from msjax.dataset.public_sets.speech import LJSpeechDataset as LJSpeechDataset
from msjax.dataset.public_sets.speech import SpeechCommandsDataset as SpeechCommandsDataset
from msjax.dataset.public_sets.speech import TedliumDataset as TedliumDataset
from msjax.dataset.public_sets.speech import YesNoDataset as YesNoDataset
from msjax.dataset.public_sets.text_corpora import AGNewsDataset as AGNewsDataset
from msjax.dataset.public_sets.text_corpora import AmazonReviewDataset as AmazonReviewDataset
from msjax.dataset.public_sets.text_corpora import CLUEDataset as CLUEDataset
from msjax.dataset.public_sets.text_corpora import CoNLL2000Dataset as CoNLL2000Dataset
from msjax.dataset.public_sets.text_corpora import DBpediaDataset as DBpediaDataset
from msjax.dataset.public_sets.text_corpora import EnWik9Dataset as EnWik9Dataset
from msjax.dataset.public_sets.text_corpora import IMDBDataset as IMDBDataset
from msjax.dataset.public_sets.text_corpora import IWSLT2016Dataset as IWSLT2016Dataset
from msjax.dataset.public_sets.text_corpora import IWSLT2017Dataset as IWSLT2017Dataset
from msjax.dataset.public_sets.text_corpora import Multi30kDataset as Multi30kDataset
from msjax.dataset.public_sets.text_corpora import PennTreebankDataset as PennTreebankDataset
from msjax.dataset.public_sets.text_corpora import SogouNewsDataset as SogouNewsDataset
from msjax.dataset.public_sets.text_corpora import SQuADDataset as SQuADDataset
from msjax.dataset.public_sets.text_corpora import SST2Dataset as SST2Dataset
from msjax.dataset.public_sets.text_corpora import UDPOSDataset as UDPOSDataset
from msjax.dataset.public_sets.text_corpora import WikiTextDataset as WikiTextDataset
from msjax.dataset.public_sets.text_corpora import YahooAnswersDataset as YahooAnswersDataset
from msjax.dataset.public_sets.text_corpora import YelpReviewDataset as YelpReviewDataset
from msjax.dataset.random.samplers import BuiltinSampler as BuiltinSampler
from msjax.dataset.random.samplers import DistributedSampler as DistributedSampler
from msjax.dataset.random.samplers import IterSampler as IterSampler
from msjax.dataset.random.samplers import PKSampler as PKSampler
from msjax.dataset.random.samplers import RandomSampler as RandomSampler
from msjax.dataset.random.samplers import Sampler as Sampler
from msjax.dataset.random.samplers import SequentialSampler as SequentialSampler
from msjax.dataset.random.samplers import Shuffle as Shuffle
from msjax.dataset.random.samplers import SubsetRandomSampler as SubsetRandomSampler
from msjax.dataset.random.samplers import SubsetSampler as SubsetSampler
from msjax.dataset.random.samplers import WeightedRandomSampler as WeightedRandomSampler
from msjax.dataset.serialization import compare as compare
from msjax.dataset.serialization import deserialize as deserialize
from msjax.dataset.serialization import serialize as serialize
from msjax.dataset.serialization import show as show
from msjax.dataset.sources.cloud import OBSMindDataset as OBSMindDataset
from msjax.dataset.sources.fake import FakeImageDataset as FakeImageDataset
from msjax.dataset.sources.generator import GeneratorDataset as GeneratorDataset
from msjax.dataset.sources.generator import NumpySlicesDataset as NumpySlicesDataset
from msjax.dataset.sources.generator import PaddedDataset as PaddedDataset
from msjax.dataset.sources.image_folder import ImageFolderDataset as ImageFolderDataset
from msjax.dataset.sources.mindrecord import MindDataset as MindDataset
from msjax.dataset.sources.random_dataset import RandomDataset as RandomDataset
from msjax.dataset.sources.schema import Schema as Schema
from msjax.dataset.sources.text_files import CSVDataset as CSVDataset
from msjax.dataset.sources.text_files import TextFileDataset as TextFileDataset
from msjax.dataset.sources.tfrecord import TFRecordDataset as TFRecordDataset
from msjax.dataset.waited_callback import WaitedDSCallback as WaitedDSCallback
from msjax.public_api import old_spellings as _old_spellings

_old_spellings.accept("dataset.MindDataset", MindDataset)

with contextlib.suppress(ImportError):
    importlib.import_module(
        "PIL.Image"
    )  # programs that `import PIL` use PIL.Image, which MindSpore has imported


def __getattr__(name: str) -> Any:
    return _absent.class_placeholder(__name__, name)
