"""A debugging aid: before each collective, processes compare what they are about to call, and raise where it differs.

The environment variable MSJAX_CHECK_COLLECTIVES=1 turns it on. It costs one more collective for each.
"""

import functools
import zlib
from collections.abc import Callable

import jax
import numpy as np

from msjax.core.xla import collectives
from msjax.core.xla.collectives import world

_LENGTH = 512
_busy: list[str] = []


def turn_on() -> None:
    """Compare from now on."""
    world.compare = compare


def turn_off() -> None:
    """Compare no more."""
    world.compare = None


@functools.cache
def _program(ranks: tuple[int, ...]) -> Callable:
    def gather_text(text: jax.Array) -> jax.Array:
        return collectives.all_gather(text, ranks)

    return collectives.JointProgram(gather_text, [collectives.Collective("gather", ranks, 0)])


def compare(ranks: tuple[int, ...], text: str) -> None:
    """Raise unless all processes of a group are about to call the same.

    Args:
        ranks: the group.
        text: what this process is about to call.

    Raises:
        RuntimeError: if they are not, with what each of them calls.
    """
    if _busy:  # the comparison itself
        return
    own = np.zeros(_LENGTH, np.uint8)
    data = text.encode()
    if len(data) > _LENGTH:  # what is left out counts too
        data = data[: _LENGTH - 20] + f" ... {zlib.crc32(data):x}".encode()
    own[: len(data)] = np.frombuffer(data, np.uint8)
    _busy.append(text)
    try:
        found = np.asarray(_program(ranks)(own)).reshape(len(ranks), _LENGTH)
    finally:
        _busy.pop()
    if (found != found[0]).any():
        calls = "; ".join(
            f"process {rank}: {bytes(row).rstrip(bytes(1)).decode(errors='replace')}"
            for rank, row in zip(ranks, found, strict=True)
        )
        raise RuntimeError(
            f"the processes of a group must call the same collectives in the same order. {calls}."
        )
