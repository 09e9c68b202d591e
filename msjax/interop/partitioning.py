"""Shardings of Parameters by patterns of their names, for `jax.jit` over many devices."""

import fnmatch
import math
from collections.abc import Callable, Mapping
from typing import Any

import jax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from msjax.interop.pure import as_jax


def partition_parameters(
    net: Callable | Mapping[str, Any], rules: Mapping[str, PartitionSpec], mesh: Mesh
) -> dict[str, NamedSharding]:
    """Choose a sharding for each Parameter by patterns of names.

    Args:
        net: Cell or function over Tensors, or a mapping from names to arrays, such as the second result of :func:`as_jax`.
        rules: PartitionSpecs by pattern of names, in which "*" stands for anything, "?" for a character and "[...]" for
            one of several. The first pattern that fits counts. A Parameter that fits none is replicated.
        mesh: the mesh whose axes the PartitionSpecs name; with `AxisType.Auto` for all of them.

    Returns:
        dict from names to NamedShardings, for `jax.device_put`, or `in_shardings` and `out_shardings` of `jax.jit`.

    Raises:
        ValueError: if the mesh has explicit axes, if a pattern fits no Parameter, or if a PartitionSpec has more axes than
            its Parameter, names an axis that the mesh does not have, or cuts an axis into parts of unequal size.

    Examples:
        >>> import jax
        >>> import msjax as ms
        >>> import numpy as np
        >>> from jax.sharding import PartitionSpec as P
        >>> mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]).reshape(1, 1), ("data", "model"))
        >>> shardings = ms.interop.partition_parameters(ms.nn.Dense(4, 8), {"weight": P("model", None)}, mesh)
        >>> print(shardings["weight"].spec, shardings["bias"].spec)
        P('model', None) P()
    """
    if any(kind is not AxisType.Auto for kind in mesh.axis_types):
        raise ValueError(
            "`partition_parameters`: argument `mesh` must leave shardings to the compiler, as `jax.sharding.Mesh` does, and "
            f"`jax.make_mesh` with axis_types=(jax.sharding.AxisType.Auto, ...). Received: {mesh.axis_types}."
        )
    params = net if isinstance(net, Mapping) else as_jax(net)[1]
    unused = set(rules)
    shardings = {}
    for name, value in params.items():
        pattern = next((pattern for pattern in rules if fnmatch.fnmatchcase(name, pattern)), None)
        spec = PartitionSpec() if pattern is None else rules[pattern]
        unused.discard(pattern)
        _check_spec(name, jax.numpy.shape(value), spec, mesh)
        shardings[name] = NamedSharding(mesh, spec)
    if unused:
        raise ValueError(
            f"`partition_parameters`: argument `rules` must have patterns that fit a Parameter first. "
            f"Received: {min(unused)!r}. Parameters: {sorted(params)}."
        )
    return shardings


def _check_spec(name: str, shape: tuple[int, ...], spec: PartitionSpec, mesh: Mesh) -> None:
    if len(spec) > len(shape):
        raise ValueError(
            f"`partition_parameters`: Parameter {name!r} has {len(shape)} axes. Received: {spec}, of {len(spec)}."
        )
    for size, axes in zip(shape, spec, strict=False):
        names = () if axes is None else axes if isinstance(axes, tuple) else (axes,)
        if unknown := [axis for axis in names if axis not in mesh.shape]:
            raise ValueError(
                f"`partition_parameters`: the mesh has the axes {tuple(mesh.shape)}. Received: {unknown[0]!r}, for "
                f"Parameter {name!r}."
            )
        if size % (parts := math.prod(mesh.shape[axis] for axis in names)):
            raise ValueError(
                f"`partition_parameters`: Parameter {name!r} of shape {shape} has an axis of {size}, which cannot be cut "
                f"into {parts} equal parts. Received: {spec}."
            )
