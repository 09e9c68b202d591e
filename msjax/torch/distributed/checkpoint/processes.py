"""Steps that the processes of a checkpoint take together: where one fails, all raise."""

import pickle
import traceback
import warnings
from collections.abc import Callable
from typing import Any

from msjax.communication import groups
from msjax.core.xla.collectives import world
from msjax.mint import distributed as dialect
from msjax.torch.distributed import process_groups


class CheckpointException(BaseException):
    """A process could not save or load.

    Args:
        msg: what was done.
        failures: by the numbers of the processes, what they raised and where.
    """

    def __init__(self, msg: str, failures: dict[int, tuple[BaseException, Any]]) -> None:
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self) -> dict[int, tuple[BaseException, Any]]:
        """By the numbers of the processes, what they raised and where."""
        return self._failures

    def __str__(self) -> str:
        told = [f"CheckpointException ranks:{self._failures.keys()}\n"]
        for rank, (error, trace) in self._failures.items():
            told.append(f"Traceback (most recent call last): (RANK {rank})\n")
            told += traceback.format_list(trace)
            told += traceback.format_exception_only(type(error), error)
        return "".join(told)


def _picklable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 (whatever a class of somebody's raises)
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _where(error: Exception) -> traceback.StackSummary:
    lines = traceback.extract_tb(error.__traceback__)
    return traceback.StackSummary.from_list([(at.filename, at.lineno or 0, at.name, at.line) for at in lines])


class Processes:
    """Processes that save or load together.

    Args:
        does: "save" or "load".
        group: a group of `torch.distributed`. Default: all.
        alone: whether this process works without others.
    """

    def __init__(self, does: str, group: Any, alone: bool) -> None:
        if not alone and not process_groups.is_initialized():
            warnings.warn(
                f"torch.distributed is disabled, unavailable or uninitialized, assuming the intent is to {does} in a single "
                "process.",
                stacklevel=4,
            )
            alone = True
        self.name = None if alone else process_groups.name_of(group)
        self.ranks = (world.rank,) if alone else groups.members("checkpoint", self.name)

    @property
    def number(self) -> int:
        """Place of this process among them."""
        return self.ranks.index(world.rank)

    def together(self, step: str, work: Callable[[], Any]) -> list[Any]:
        """Do something in each process; return the results of all.

        Raises:
            CheckpointException: if it raises in one, in all.
        """
        own: Any
        try:
            own = work(), None
        except Exception as error:  # noqa: BLE001 (the others wait)
            own = None, (_picklable(error), _where(error))
        found: list[Any] = [own] * len(self.ranks)
        if len(self.ranks) > 1:
            dialect.all_gather_object(found, own, self.name)
        failures = {rank: error for rank, (_, error) in enumerate(found) if error is not None}
        if failures:
            raise CheckpointException(step, failures)
        return [result for result, _ in found]
