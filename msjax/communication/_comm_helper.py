"""`communication._comm_helper`: queries of `management`, under the path that older programs import them from."""

from msjax.communication import management
from msjax.communication.management import HCCL_WORLD_COMM_GROUP, Backend, GlobalComm

__all__ = ["HCCL_WORLD_COMM_GROUP", "Backend", "GlobalComm"]


def _is_available() -> bool:
    """Return True: communication between the devices of a process is always available."""
    return True


def _is_initialized() -> bool:
    """Return True if `init` was called."""
    return GlobalComm.INITED


_get_rank_helper = management.get_rank
_get_size_helper = management.get_group_size
_get_local_rank_helper = management.get_local_rank
_get_local_size_helper = management.get_local_rank_size
_get_world_rank_from_group_rank_helper = management.get_world_rank_from_group_rank
_get_group_rank_from_world_rank_helper = management.get_group_rank_from_world_rank
_create_group_helper = management.create_group
_destroy_group_helper = management.destroy_group
_get_group_ranks = management.get_process_group_ranks
