"""The protobuf messages of an ONNX file (https://onnx.ai/onnx/repo-docs/IR.html), written byte by byte: they are few."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from msjax.files.protobuf import field

_OPSET, _IR = 18, 8
_KINDS = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
    "float64": 11, "uint32": 12, "uint64": 13, "bfloat16": 16,
}  # fmt: skip


def kind(dtype: Any) -> int:
    """ONNX's number of a dtype.

    Raises:
        NotImplementedError: if it has none.
    """
    name = np.dtype(dtype).name
    if name not in _KINDS:
        raise NotImplementedError(
            f"`onnx.export`: ONNX has no arrays of dtype {name} that msjax could write."
        )
    return _KINDS[name]


def tensor(name: str, value: np.ndarray) -> bytes:
    """Return a constant."""
    dims = b"".join(field(1, n) for n in value.shape)
    raw = np.ascontiguousarray(value).tobytes()
    return dims + field(2, kind(value.dtype)) + field(8, name) + field(9, raw)


def value_info(name: str, shape: Sequence[int], dtype: Any) -> bytes:
    """Name, shape and dtype of an input or output."""
    dims = b"".join(field(1, field(1, n)) for n in shape)
    return field(1, name) + field(2, field(1, field(1, kind(dtype)) + field(2, dims)))


def _attribute(name: str, value: Any) -> bytes:
    if isinstance(value, str):
        return field(1, name) + field(4, value) + field(20, 3)
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    return field(1, name) + b"".join(field(8, int(n)) for n in value) + field(20, 7)


def node(kind: str, inputs: Sequence[str], outputs: Sequence[str], attributes: dict[str, Any]) -> bytes:
    """Return a call of an operator; attributes are texts, integers, and sequences of integers."""
    parts = [field(1, name) for name in inputs] + [field(2, name) for name in outputs]
    parts += [field(3, outputs[0]), field(4, kind)]
    return b"".join(parts + [field(5, _attribute(k, v)) for k, v in attributes.items()])


def model(
    name: str, nodes: list[bytes], constants: list[bytes], inputs: list[bytes], outputs: list[bytes]
) -> bytes:
    """Return a file of one graph.

    Examples:
        >>> from msjax.onnx import proto
        >>> x, y = (proto.value_info(name, (2,), "float32") for name in "xy")
        >>> len(proto.model("double", [proto.node("Add", "xx", "y", {})], [], [x], [y]))
        78
    """
    numbered = [(1, nodes), (5, constants), (11, inputs), (12, outputs)]
    graph = field(2, name) + b"".join(field(at, one) for at, many in numbered for one in many)
    opset = field(1, "") + field(2, _OPSET)
    return field(1, _IR) + field(2, "msjax") + field(7, graph) + field(8, opset)
