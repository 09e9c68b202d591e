"""ONNX export of networks, for runtimes that know neither JAX nor MindSpore."""

from pathlib import Path
from typing import Any

import jax
import numpy as np

from msjax.core.tensor.tensor import Tensor
from msjax.files.atomic_write import write_file
from msjax.interop import as_jax
from msjax.nn.cell.cell import Cell
from msjax.onnx import proto
from msjax.onnx.graph import Graph
from msjax.onnx.rules import RULES


def export(
    net: Any,
    *inputs: Any,
    file_name: str,
    input_names: list[str] | None = None,
    output_names: list[str] | None = None,
    export_params: bool = True,
    keep_initializers_as_inputs: bool = False,
    dynamic_axes: dict | None = None,
) -> None:
    """Write a network, as it predicts, into an ONNX file (operator set 18).

    Its program of JAX's primitives is written: elementwise functions, sums, products, convolutions, poolings,
    normalizations, embeddings and changes of shape. Loops, random numbers and sorting are not.

    Args:
        net (Cell): network; it is exported as with `set_train(False)`.
        inputs (Tensor): like those that it will be called with, in shape and dtype; numbers and others are constants.
        file_name (str): path; `.onnx` is added if it does not end with it.
        input_names (list, None): names of the inputs. Default: input_0, input_1 ...
        output_names (list, None): names of the outputs. Default: output_0, output_1 ...
        export_params (bool): whether the values of Parameters are in the file; if not, they are further inputs.
        keep_initializers_as_inputs (bool): whether Parameters are named as inputs also if their values are there.
        dynamic_axes (dict, None): must be empty: the shapes are those of `inputs`.

    Raises:
        TypeError: if `net` is not a Cell, or an argument is of another type.
        ValueError: if there are fewer inputs or outputs than names.
        NotImplementedError: for `dynamic_axes`, and if the network needs what has no rule.

    Examples:
        >>> import os, tempfile
        >>> import msjax as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "net")
        ...     ms.onnx.export(ms.nn.Dense(3, 2), ms.Tensor([[1.0, 2.0, 3.0]]), file_name=path)
        ...     print(os.listdir(folder))
        ['net.onnx']
    """
    _check(net, file_name, input_names or [], output_names or [], dynamic_axes or {})
    was_training = net.training
    net.set_train(False)
    try:
        content = _model(net, inputs, input_names, output_names, export_params, keep_initializers_as_inputs)
    finally:
        net.set_train(was_training)
    path = Path(file_name if file_name.endswith(".onnx") else f"{file_name}.onnx")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(str(path), [content])


def _check(net: Any, file_name: Any, input_names: Any, output_names: Any, dynamic_axes: Any) -> None:
    kinds = {"net": (net, Cell), "file_name": (file_name, str), "input_names": (input_names, list)}
    kinds |= {"output_names": (output_names, list), "dynamic_axes": (dynamic_axes, dict)}
    for name, (value, kind) in kinds.items():
        if not isinstance(value, kind):
            raise TypeError(
                f"`onnx.export`: argument `{name}` must be a {kind.__name__}. Received: {type(value).__name__}."
            )
    if dynamic_axes:
        raise NotImplementedError(
            f"`onnx.export`: argument `dynamic_axes` must be empty: shapes are fixed. Received: {dynamic_axes}. "
            "Export one file for each shape."
        )


def _model(
    net: Any, inputs: tuple, input_names: Any, output_names: Any, with_values: bool, named_too: bool
) -> bytes:
    apply, params = as_jax(net)
    at = [i for i, one in enumerate(inputs) if isinstance(one, Tensor)]
    arrays = [inputs[i].asnumpy() for i in at]

    def program(params: dict[str, Any], *given: Any) -> list[Any]:
        full = list(inputs)
        for i, value in zip(at, given, strict=True):
            full[i] = value
        return jax.tree.leaves(apply(params, *full))

    closed = jax.make_jaxpr(program)(params, *arrays)
    weights = sorted(params)
    names = _names("input_names", "input", input_names, len(at))
    graph = Graph(RULES)
    if with_values:
        graph.constants += [proto.tensor(name, np.asarray(params[name])) for name in weights]
    found = graph.run(closed.jaxpr, closed.consts, [*weights, *names])
    ends = _names("output_names", "output", output_names, len(found))
    for name, value in zip(ends, found, strict=True):
        graph.nodes.append(proto.node("Identity", [graph.name(value)], [name], {}))
    taken = list(zip(names, arrays, strict=True))
    if named_too or not with_values:
        taken += [(name, params[name]) for name in weights]
    starts = [proto.value_info(name, value.shape, value.dtype) for name, value in taken]
    shapes = [proto.value_info(n, v.shape, v.dtype) for n, v in zip(ends, closed.out_avals, strict=True)]
    return proto.model(type(net).__name__, graph.nodes, graph.constants, starts, shapes)


def _names(argument: str, prefix: str, given: list[str] | None, count: int) -> list[str]:
    if len(given or []) > count:
        raise ValueError(
            f"`onnx.export`: argument `{argument}` must have at most {count} names. Received: {given}."
        )
    return [*(given or []), *(f"{prefix}_{i}" for i in range(len(given or []), count))]
