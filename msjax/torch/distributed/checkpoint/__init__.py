"""`torch.distributed.checkpoint`: state dicts in a folder that several processes write and read."""

from msjax.torch.distributed.checkpoint.filesystem import FileSystemReader as FileSystemReader
from msjax.torch.distributed.checkpoint.filesystem import FileSystemWriter as FileSystemWriter
from msjax.torch.distributed.checkpoint.metadata import BytesStorageMetadata as BytesStorageMetadata
from msjax.torch.distributed.checkpoint.metadata import ChunkStorageMetadata as ChunkStorageMetadata
from msjax.torch.distributed.checkpoint.metadata import Metadata as Metadata
from msjax.torch.distributed.checkpoint.metadata import TensorStorageMetadata as TensorStorageMetadata
from msjax.torch.distributed.checkpoint.processes import CheckpointException as CheckpointException
from msjax.torch.distributed.checkpoint.state_dict_loader import DefaultLoadPlanner as DefaultLoadPlanner
from msjax.torch.distributed.checkpoint.state_dict_loader import load as load
from msjax.torch.distributed.checkpoint.state_dict_loader import load_state_dict as load_state_dict
from msjax.torch.distributed.checkpoint.state_dict_saver import DefaultSavePlanner as DefaultSavePlanner
from msjax.torch.distributed.checkpoint.state_dict_saver import async_save as async_save
from msjax.torch.distributed.checkpoint.state_dict_saver import save as save
from msjax.torch.distributed.checkpoint.state_dict_saver import save_state_dict as save_state_dict
