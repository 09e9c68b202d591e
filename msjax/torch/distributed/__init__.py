"""`torch.distributed`: processes that communicate. What is communicated, and how, is written in `msjax.communication`.

Tensors are written in place, without a gradient, as in PyTorch. `nn.parallel.DistributedDataParallel` averages gradients.
"""

from msjax.communication.store import DistError as DistError
from msjax.communication.store import DistNetworkError as DistNetworkError
from msjax.communication.store import DistStoreError as DistStoreError
from msjax.communication.store import FileStore as FileStore
from msjax.communication.store import HashStore as HashStore
from msjax.communication.store import PrefixStore as PrefixStore
from msjax.communication.store import Store as Store
from msjax.communication.store import TCPStore as TCPStore
from msjax.torch.distributed.collectives import ReduceOp as ReduceOp
from msjax.torch.distributed.collectives import all_gather as all_gather
from msjax.torch.distributed.collectives import all_gather_into_tensor as all_gather_into_tensor
from msjax.torch.distributed.collectives import all_gather_object as all_gather_object
from msjax.torch.distributed.collectives import all_reduce as all_reduce
from msjax.torch.distributed.collectives import all_to_all as all_to_all
from msjax.torch.distributed.collectives import all_to_all_single as all_to_all_single
from msjax.torch.distributed.collectives import barrier as barrier
from msjax.torch.distributed.collectives import broadcast as broadcast
from msjax.torch.distributed.collectives import broadcast_object_list as broadcast_object_list
from msjax.torch.distributed.collectives import gather as gather
from msjax.torch.distributed.collectives import gather_object as gather_object
from msjax.torch.distributed.collectives import monitored_barrier as monitored_barrier
from msjax.torch.distributed.collectives import reduce as reduce
from msjax.torch.distributed.collectives import reduce_scatter as reduce_scatter
from msjax.torch.distributed.collectives import reduce_scatter_tensor as reduce_scatter_tensor
from msjax.torch.distributed.collectives import scatter as scatter
from msjax.torch.distributed.collectives import scatter_object_list as scatter_object_list
from msjax.torch.distributed.device_mesh import DeviceMesh as DeviceMesh
from msjax.torch.distributed.device_mesh import init_device_mesh as init_device_mesh
from msjax.torch.distributed.messages import P2POp as P2POp
from msjax.torch.distributed.messages import Work as Work
from msjax.torch.distributed.messages import batch_isend_irecv as batch_isend_irecv
from msjax.torch.distributed.messages import irecv as irecv
from msjax.torch.distributed.messages import isend as isend
from msjax.torch.distributed.messages import recv as recv
from msjax.torch.distributed.messages import recv_object_list as recv_object_list
from msjax.torch.distributed.messages import send as send
from msjax.torch.distributed.messages import send_object_list as send_object_list
from msjax.torch.distributed.process_groups import Backend as Backend
from msjax.torch.distributed.process_groups import GroupMember as GroupMember
from msjax.torch.distributed.process_groups import ProcessGroup as ProcessGroup
from msjax.torch.distributed.process_groups import default_pg_timeout as default_pg_timeout
from msjax.torch.distributed.process_groups import destroy_process_group as destroy_process_group
from msjax.torch.distributed.process_groups import get_backend as get_backend
from msjax.torch.distributed.process_groups import (
    get_default_backend_for_device as get_default_backend_for_device,
)
from msjax.torch.distributed.process_groups import get_default_group as get_default_group
from msjax.torch.distributed.process_groups import get_global_rank as get_global_rank
from msjax.torch.distributed.process_groups import get_group_rank as get_group_rank
from msjax.torch.distributed.process_groups import get_node_local_rank as get_node_local_rank
from msjax.torch.distributed.process_groups import get_process_group_ranks as get_process_group_ranks
from msjax.torch.distributed.process_groups import get_rank as get_rank
from msjax.torch.distributed.process_groups import get_world_size as get_world_size
from msjax.torch.distributed.process_groups import group as group
from msjax.torch.distributed.process_groups import init_process_group as init_process_group
from msjax.torch.distributed.process_groups import is_available as is_available
from msjax.torch.distributed.process_groups import is_gloo_available as is_gloo_available
from msjax.torch.distributed.process_groups import is_initialized as is_initialized
from msjax.torch.distributed.process_groups import is_mpi_available as is_mpi_available
from msjax.torch.distributed.process_groups import is_nccl_available as is_nccl_available
from msjax.torch.distributed.process_groups import is_torchelastic_launched as is_torchelastic_launched
from msjax.torch.distributed.process_groups import is_ucc_available as is_ucc_available
from msjax.torch.distributed.process_groups import is_xccl_available as is_xccl_available
from msjax.torch.distributed.process_groups import new_group as new_group
from msjax.torch.distributed.process_groups import rank_not_in_group as rank_not_in_group
