"""Operators with side effects: checks, host callbacks (`PyFunc`), tensor dumps, and what only orders effects."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.ops.common import checks
from msjax.ops.common.primitive_class import Primitive


def _is_traced(x: Any) -> bool:
    return isinstance(x, Tensor) and isinstance(x.array, Tracer)


def check(condition: Any, input_data: Sequence[Any], summarize: int = 3) -> Any:
    """Raise if a condition is false, showing Tensors (`Assert`); in a compiled function when it runs.

    Args:
        condition (bool, Tensor): one truth value.
        input_data (list, tuple): what to show.
        summarize (int): how many elements of each.

    Returns:
        Tensor of shape (1,), int32: 0.

    Raises:
        RuntimeError: if the condition is false.
        TypeError: if it is no truth value, or `input_data` not a list or tuple.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.Assert()(ms.Tensor(True), [ms.Tensor([1, 2])]))
        [0]
    """
    if not isinstance(input_data, list | tuple):
        checks.fail(TypeError, "Assert", "input_data", "be a list or tuple", type(input_data).__name__)
    kind = condition.dtype if isinstance(condition, Tensor) else type(condition)
    if kind not in (bool, dtypes.bool_):
        checks.fail(TypeError, "Assert", "condition", "be a bool or a Tensor of bool", condition)

    def fail_unless(true: Any, *shown: Any) -> None:
        if not bool(np.all(true)):
            parts = "; ".join(str(np.ravel(x)[:summarize]) for x in shown)
            raise RuntimeError(f"`Assert`: assert failed: the condition is false. Received: {parts}.")

    given = [x.array if isinstance(x, Tensor) else np.asarray(x) for x in (condition, *input_data)]
    if any(isinstance(x, Tracer) for x in given):
        jax.debug.callback(fail_unless, *given)
    else:
        fail_unless(*given)
    return Tensor(np.zeros(1, np.int32))


class PyFunc(Primitive):
    """A Python function over NumPy arrays as an operator; compiled functions call it on the host. It has no gradient.

    Args:
        fn (Callable): the function; gives one array or several.
        in_types (list[mindspore.dtype]): dtypes of its arguments.
        in_shapes (list[tuple]): their shapes.
        out_types (list[mindspore.dtype]): dtypes of its results.
        out_shapes (list[tuple]): their shapes.
        stateful (bool): whether it does more than give results; calls of those are never left out.

    Examples:
        >>> import msjax as ms
        >>> twice = ms.ops.PyFunc(lambda x: x * 2, [ms.float32], [(2,)], [ms.float32], [(2,)])
        >>> print(twice(ms.Tensor([1.0, 2.0]))[0])
        [2. 4.]
    """

    def __init__(
        self,
        fn: Callable,
        in_types: Sequence,
        in_shapes: Sequence,
        out_types: Sequence,
        out_shapes: Sequence,
        stateful: bool = True,
    ) -> None:
        super().__init__("PyFunc")
        if len(out_types) != len(out_shapes) or len(in_types) != len(in_shapes):
            rule = "name as many dtypes as shapes"
            checks.fail(ValueError, "PyFunc", "out_types", rule, f"{len(out_types)} and {len(out_shapes)}")
        self.fn, self.stateful = fn, stateful
        self.results = [
            jax.ShapeDtypeStruct(tuple(shape), dtypes.as_np(dtype))
            for shape, dtype in zip(out_shapes, out_types, strict=True)
        ]

    def __call__(self, *args: Any) -> tuple[Tensor, ...]:
        """Call the function.

        Args:
            args: Tensors.

        Returns:
            Tuple of Tensors.
        """

        def run(*values: Any) -> tuple[np.ndarray, ...]:
            out = self.fn(*(np.asarray(v) for v in values))
            several = out if isinstance(out, list | tuple) else (out,)
            return tuple(np.asarray(o, r.dtype) for o, r in zip(several, self.results, strict=True))

        arrays = [a.array if isinstance(a, Tensor) else np.asarray(a) for a in args]
        if not any(isinstance(a, Tracer) for a in arrays):
            return tuple(map(Tensor, run(*arrays)))
        if self.stateful:
            from jax.experimental import io_callback

            out = io_callback(run, tuple(self.results), *arrays, ordered=True)
        else:
            out = jax.pure_callback(run, tuple(self.results), *arrays)
        return tuple(map(Tensor.from_array, out))


def tensordump(file_name: str, tensor: Tensor, mode: str = "out") -> None:
    """Write a Tensor to a file of NumPy's format; in a compiled function when it runs.

    Args:
        file_name (str): path, to which ".npy" is added if it lacks that.
        tensor (Tensor): what to write.
        mode (str): "out", "in" or "all"; it says which side of a communication MindSpore means, and is without effect.

    Raises:
        TypeError: if `file_name` is not a str or `tensor` not a Tensor.
        ValueError: if the name is empty or the mode unknown.

    Examples:
        >>> import pathlib, tempfile
        >>> import msjax as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.ops.tensordump(f"{folder}/x", ms.Tensor([1, 2]))
        ...     [path.name for path in pathlib.Path(folder).iterdir()]
        ['x.npy']
    """
    if not isinstance(file_name, str):
        checks.fail(TypeError, "tensordump", "file_name", "be a str", type(file_name).__name__)
    if not file_name:
        checks.fail(ValueError, "tensordump", "file_name", "not be empty", repr(file_name))
    if not isinstance(tensor, Tensor):
        checks.fail(TypeError, "tensordump", "tensor", "be a Tensor", type(tensor).__name__)
    checks.check_choice("tensordump", ("out", "in", "all"), mode=mode)
    path = Path(file_name if file_name.endswith(".npy") else f"{file_name}.npy")

    def write(values: Any) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, np.asarray(values))

    if _is_traced(tensor):
        jax.debug.callback(write, tensor.array)
    else:
        write(tensor.array)


def update_state(*args: Any) -> Any:
    """Return the first argument: programs run in the order in which they are written anyway (`UpdateState`).

    Args:
        args: anything.
    """
    return args[0]


def move_to(input: Any, to: str = "CPU", blocking: bool = True) -> Any:  # noqa: A002
    """Return the Tensor on another device: "CPU" is the host, "Ascend" and "GPU" the default device.

    Args:
        input (Tensor): what to move.
        to (str): "CPU", "Ascend", "GPU" or "npu".
        blocking (bool): accepted; JAX waits when values are asked for.

    Returns:
        Tensor. Inside a compiled function it is `input`: a program runs on one device.

    Raises:
        ValueError: for another name.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.move_to(ms.Tensor([1, 2]), "CPU"))
        [1 2]
    """
    if not isinstance(to, str) or to.lower() not in ("cpu", "ascend", "gpu", "npu"):
        checks.fail(ValueError, "move_to", "to", "be 'CPU', 'Ascend', 'GPU' or 'npu'", repr(to))
    if not isinstance(input, Tensor):
        checks.fail(TypeError, "move_to", "input", "be a Tensor", f"{input!r} ({type(input).__name__})")
    if _is_traced(input):
        return input
    device = jax.local_devices(backend="cpu" if to.lower() == "cpu" else None)[0]
    return Tensor.from_array(jax.device_put(input.array, device))
