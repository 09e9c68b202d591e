"""Exported programs: StableHLO, and the state that it reads and writes."""

import builtins
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

from msjax.core.op.op import values_and_refs
from msjax.core.tape import nodes
from msjax.core.tensor import random_state
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor, is_tensor, wrap
from msjax.core.trace import deferred_errors

MAGIC = b"MSJAXIR\x01"
_LEAF = "#"


@dataclass
class State:
    """State that a program reads or writes beside its inputs.

    Attributes:
        kind: "parameter", "tensor" (one that is not a Parameter), "random" (the random state) or "failure".
        name: of a Parameter.
        box: that holds it.
    """

    kind: str
    name: str
    box: Tensor


class FuncGraph:
    """Exported program that `mindspore.load` read: :class:`mindspore.nn.GraphCell` runs it.

    Attributes:
        exported: the program, of (arrays of inputs, arrays of state), as `jax.export` has it.
        state: what it reads, in order, and writes.
        inputs: the nesting of its inputs, see `describe_structure`.
        outputs: the nesting of its outputs.
        writes: what is written, in the order of the arrays after the outputs: ("input" or "state", position).
        errors: number, type and message of each exception that the program may raise.
    """

    def __init__(
        self,
        exported: Any,
        state: Sequence[State],
        inputs: Any,
        outputs: Any,
        writes: Sequence[tuple[str, int]],
        errors: Sequence[tuple[int, str, str]] = (),
    ) -> None:
        self.exported, self.state, self.inputs, self.outputs = exported, list(state), inputs, outputs
        self.writes, self.errors = list(writes), list(errors)
        self._program = nodes.Program(lambda *values: exported.call(*values), exported.fun_name)

    def parameters(self) -> dict[str, Parameter]:
        """Return the Parameters, by name."""
        return {s.name: s.box for s in self.state if isinstance(s.box, Parameter)}

    def __call__(self, *args: Any) -> Any:
        """Run the program.

        Raises:
            RuntimeError: if the inputs do not fit it.
        """
        boxes = self._check_state(args)
        state = [random_state.source() if s.kind == "random" else s.box for s in self.state]
        values, refs = values_and_refs([*boxes, *state])
        results = iter(nodes.variables(*nodes.execute(self._program, values, refs)))
        out = rebuild_structure(
            self.outputs, (wrap(*next(results)) for _ in range(count_leaves(self.outputs)))
        )
        for (where, at), result in zip(self.writes, results, strict=True):
            if where == "state" and self.state[at].kind == "failure":
                self._fail(wrap(*result))
            else:
                (boxes if where == "input" else state)[at]._assign(*result)
        return out

    def _check_state(self, args: tuple) -> list[Tensor]:
        given = jax.tree.leaves(args, is_leaf=is_tensor)
        wanted = self.exported.in_avals[: count_leaves(self.inputs)]
        kinds = [f"{aval.dtype}[{', '.join(map(str, aval.shape))}]" for aval in wanted]
        if len(given) != len(wanted):
            raise RuntimeError(
                f"`GraphCell`: the program takes {len(wanted)} Tensors, {kinds}. Received: {len(given)}."
            )
        sizes: dict[str, int] = {}
        for n, (box, aval) in enumerate(zip(given, wanted, strict=True)):
            if not isinstance(box, Tensor):
                raise RuntimeError(f"`GraphCell`: inputs must be Tensors. Received: {box!r}.")
            if box.dtype.np != aval.dtype or not _fits(box.shape, aval.shape, sizes):
                raise RuntimeError(
                    f"`GraphCell`: input {n} must be of dtype and shape {kinds[n]}, as what the network was exported with. "
                    f"Received: {box.dtype.np}{list(box.shape)}{', where ' + str(sizes) if sizes else ''}."
                )
        return given

    def _fail(self, code: Tensor) -> None:
        for number, kind, message in self.errors:
            error = getattr(builtins, kind, RuntimeError)
            deferred_errors.fail_if(code.equal(number), error(message))
        deferred_errors.raise_reported()


def _fits(shape: tuple[int, ...], wanted: tuple, sizes: dict[str, int]) -> bool:
    """Return True if a shape matches a pattern; `sizes` records the values of its named (dynamic) sizes."""
    return len(shape) == len(wanted) and all(
        given == (size if isinstance(size, int) else sizes.setdefault(str(size), given))
        for given, size in zip(shape, wanted, strict=True)
    )


# ---------------------------------------------------------------- nestings as JSON


def describe_structure(tree: Any) -> Any:
    """Describe a nesting in JSON: "#" for a Tensor, ["list" or "tuple", parts], ["dict", pairs], ["is", constant], ["size"].

    Args:
        tree: lists, tuples and dicts of Tensors, sizes that are open, None, bool, int, float and str.

    Raises:
        TypeError: if there is anything else in it.
    """
    if isinstance(tree, Tensor):
        return _LEAF
    if isinstance(tree, list | tuple):
        return ["tuple" if isinstance(tree, tuple) else "list", [describe_structure(part) for part in tree]]
    if isinstance(tree, dict):
        return [
            "dict",
            [[key, describe_structure(tree[key])] for key in (sorted(tree) if type(tree) is dict else tree)],
        ]
    if tree is None or isinstance(tree, bool | int | float | str):
        return ["is", tree]
    if export.is_symbolic_dim(tree):
        return ["size"]
    raise TypeError(
        "`export`: what a network returns must be Tensors, numbers, strings and None in lists, tuples and dicts. "
        f"Received: {tree!r} ({type(tree).__name__})."
    )


def count_leaves(described: Any) -> int:
    """Return the number of Tensors and sizes in a described nesting."""
    if described == _LEAF or described[0] == "size":
        return 1
    kind, inner = described
    if kind == "is":
        return 0
    return sum(count_leaves(part[1] if kind == "dict" else part) for part in inner)


def rebuild_structure(described: Any, leaves: Iterator[Tensor]) -> Any:
    """Return the nesting that was described, of these Tensors."""
    if described == _LEAF:
        return next(leaves)
    if described[0] == "size":
        return int(next(leaves))
    kind, inner = described
    if kind == "is":
        return inner
    if kind == "dict":
        return {key: rebuild_structure(part, leaves) for key, part in inner}
    return (tuple if kind == "tuple" else list)([rebuild_structure(part, leaves) for part in inner])


# ---------------------------------------------------------------- files


def encode_file(header: dict[str, Any], arrays: Sequence[np.ndarray], program: bytes) -> Iterator[bytes]:
    """Return a file: magic number, length of the header, header as JSON, the program, arrays one after the other."""
    described = [{"shape": a.shape, "dtype": str(a.dtype)} for a in arrays]
    text = json.dumps({**header, "arrays": described, "program": len(program)}).encode()
    yield MAGIC + len(text).to_bytes(8, "little") + text
    yield program
    for array in arrays:
        yield np.ascontiguousarray(array).tobytes()


def decode_file(data: bytes) -> tuple[dict[str, Any], list[np.ndarray], bytes]:
    """Header, arrays and program of a file.

    Raises:
        ValueError: if it is none, or not whole.
    """
    at = len(MAGIC) + 8
    if data[: len(MAGIC)] != MAGIC:
        raise ValueError("it does not begin as one")
    size = int.from_bytes(data[len(MAGIC) : at], "little")
    header = json.loads(data[at : at + size])
    at += size
    program = data[at : at + header["program"]]
    if len(program) < header["program"]:
        raise ValueError("it ends too early")
    at += header["program"]
    arrays = []
    for kind in header["arrays"]:
        dtype, count = jnp.dtype(kind["dtype"]), int(np.prod(kind["shape"]))
        if at + count * dtype.itemsize > len(data):
            raise ValueError("it ends too early")
        arrays.append(np.frombuffer(data, dtype, count, at).reshape(kind["shape"]))
        at += count * dtype.itemsize
    return header, arrays, program
