"""Arrays from one process to another: a program of the two, which both must call.

`isend` and `irecv` wait until somebody waits for them, or communicates otherwise, and then run in an order that is the same
everywhere: so processes that all send first and receive then, in a ring say, do not wait for each other forever.
"""

import functools

import jax
import jax.numpy as jnp

from msjax.communication import operators
from msjax.communication.groups import refuse_mesh
from msjax.core.state import NO_GRAD, override_state, state
from msjax.core.tensor.tensor import Tensor, resolve, wrap
from msjax.core.xla.collectives import world
from msjax.ops.state.scatter_update import change


class Handle:
    """Handle of a communication: JAX computes in the background anyway, and waits where somebody reads a value.

    Examples:
        >>> from msjax.mint.distributed import CommHandle
        >>> CommHandle().is_completed()
        True
    """

    def wait(self) -> None:
        """Run the sends and receives that wait."""
        settle()

    def is_completed(self) -> bool:
        """True, once the sends and receives that waited have run."""
        settle()
        return True


class Move:
    """One array to or from a process.

    Args:
        fn: who asks, for messages.
        box: what is sent; or what has shape and dtype of what comes, and gets it.
        peer: the other process.
        sends: True if this process sends it.
    """

    def __init__(self, fn: str, box: Tensor, peer: int, sends: bool) -> None:
        refuse_mesh(fn)
        self.fn, self.box, self.peer, self.sends = fn, box, peer, sends
        self.value = wrap(box.array) if sends and state.frame is None else box

    def run(self) -> Tensor:
        """Send or receive it; return what came, or what was sent."""
        return run_all([self])[0]

    @property
    def way(self) -> tuple[int, int]:
        """Return (sender, receiver)."""
        return (world.rank, self.peer) if self.sends else (self.peer, world.rank)


_waiting: list[Move] = []


def post(move: Move) -> Handle:
    """Let a move wait for `settle`; in a compiled function, do it where it stands."""
    if state.frame is not None:
        _finish([move])
    else:
        _waiting.append(move)
        world.settle = settle
    return Handle()


def settle() -> None:
    """Run the moves that wait, and write what comes into the Tensors that wait for it.

    They were begun outside of a function that is being traced, and are no part of it.
    """
    if _waiting:
        moves = [*_waiting]
        _waiting.clear()
        if state.frame is None:
            _finish(moves)
        else:
            with (
                override_state(frame=None, scope=None, watch=None, mode=NO_GRAD),
                jax.ensure_compile_time_eval(),
            ):
                _finish(moves)


def _finish(moves: list[Move]) -> None:
    for move, out in zip(moves, run_all(moves), strict=True):
        if not move.sends:
            change(move.fn, move.box, out)


def run_all(moves: list[Move]) -> list[Tensor]:
    """Run moves in the order of the pairs of processes; return for each what came, or what was sent.

    Raises:
        ValueError: if this process receives other arrays from itself than it sends.
    """
    found: dict[int, Tensor] = {}
    own = [move for move in moves if move.peer == world.rank]
    sent, come = ([move for move in own if move.sends is way] for way in (True, False))
    if [m.box.shape for m in sent] != [m.box.shape for m in come]:
        shapes = [m.box.shape for m in sent], [m.box.shape for m in come]
        raise ValueError(
            f"`{moves[0].fn}`: a process receives from itself what it sends. Received: shapes {shapes}."
        )
    for source, target in zip(sent, come, strict=True):
        found[id(source)] = source.value
        found[id(target)] = source.value.copy()  # type: ignore[attr-defined]

    def place(move: Move) -> tuple[int, int, bool]:
        low, high = sorted((world.rank, move.peer))
        return low, high, move.sends is (world.rank < move.peer)

    others = sorted([move for move in moves if id(move) not in found], key=place)
    if state.frame is not None:
        outs = operators.move_in_order([m.value for m in others], tuple(m.way for m in others), world.rank)
        found |= {id(move): out for move, out in zip(others, outs, strict=True)}
        if outs:  # also where nobody needs what came back of a send
            box = _token()
            box._assign(resolve(operators.keep_order(box, outs[-1]))._value)
        return [found[id(move)] for move in moves]
    for move in others:
        out = operators.permute(move.value, tuple(sorted(move.way)), (move.way,))
        found[id(move)] = operators.keep_order(move.value, out) if move.sends else out
    return [found[id(move)] for move in moves]


@functools.cache
def _token() -> Tensor:
    """Return a Tensor that compiled functions write after a send, so that XLA does not drop the send."""
    with override_state(frame=None, scope=None, watch=None), jax.ensure_compile_time_eval():
        return wrap(jnp.zeros((), jnp.float32))
