from msjax.parallel.strategies import build_searched_strategy as build_searched_strategy
from msjax.parallel.strategies import get_ckpt_path_with_strategy as get_ckpt_path_with_strategy
from msjax.parallel.strategies import restore_group_info_list as restore_group_info_list
from msjax.parallel.transform import load_distributed_checkpoint as load_distributed_checkpoint
from msjax.train import callback as callback
from msjax.train import metrics as metrics
from msjax.train.amp import build_train_network as build_train_network
from msjax.train.callback import *
from msjax.train.dataset_helper import DatasetHelper as DatasetHelper
from msjax.train.dataset_helper import connect_network_with_dataset as connect_network_with_dataset
from msjax.train.dataset_helper import data_sink as data_sink
from msjax.train.loss_scale_manager import DynamicLossScaleManager as DynamicLossScaleManager
from msjax.train.loss_scale_manager import FixedLossScaleManager as FixedLossScaleManager
from msjax.train.loss_scale_manager import LossScaleManager as LossScaleManager
from msjax.train.metrics import *
from msjax.train.model import Model as Model
from msjax.train.serialization import async_ckpt_thread_status as async_ckpt_thread_status
from msjax.train.serialization import ckpt_to_safetensors as ckpt_to_safetensors
from msjax.train.serialization import export as export
from msjax.train.serialization import load as load
from msjax.train.serialization import load_checkpoint as load_checkpoint
from msjax.train.serialization import load_checkpoint_async as load_checkpoint_async
from msjax.train.serialization import load_param_into_net as load_param_into_net
from msjax.train.serialization import safetensors_to_ckpt as safetensors_to_ckpt
from msjax.train.serialization import save_checkpoint as save_checkpoint
from msjax.train.summary.summary_record import SummaryRecord as SummaryRecord
from msjax.train.train_thor.convert_utils import ConvertModelUtils as ConvertModelUtils
from msjax.train.train_thor.convert_utils import ConvertNetUtils as ConvertNetUtils
