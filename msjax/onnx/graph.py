"""Conversion of a JAX program (jaxpr) to a graph of ONNX operators: value names, constants, calls of the rules."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend import core as jax_core

from msjax.onnx import proto

Rule = Callable[["Graph", Any, list[Any]], Any]
# Primitives that contain a program (jaxpr), and the parameter that holds it.
_INLINE = {
    "jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "custom_jvp_call": "call_jaxpr", "remat": "jaxpr",
    "custom_vjp_call": "call_jaxpr", "checkpoint": "jaxpr", "core_call": "call_jaxpr",
}  # fmt: skip


class Graph:
    """The graph as far as it is made.

    Values are names, of inputs and of what operators give, or arrays, which become constants where they are used.

    Attributes:
        nodes: calls of operators, in order.
        constants: what they need beside inputs.
    """

    def __init__(self, rules: dict[str, Rule]) -> None:
        self.nodes: list[bytes] = []
        self.constants: list[bytes] = []
        self._rules = rules
        self._known: dict[tuple, str] = {}
        self._count = 0

    def fresh(self, hint: str) -> str:
        """Return a name that nothing has."""
        self._count += 1
        return f"{hint}_{self._count}"

    def name(self, value: Any) -> str:
        """Return the name of a value; an array becomes a constant."""
        if isinstance(value, str):
            return value
        array = np.asarray(value)
        key = (array.tobytes(), array.shape, array.dtype.name)
        if key not in self._known:
            self._known[key] = self.fresh("constant")
            self.constants.append(proto.tensor(self._known[key], array))
        return self._known[key]

    def call(self, kind: str, *inputs: Any, outputs: int = 1, **attributes: Any) -> Any:
        """Add an operator, and give the name of its output, or of several."""
        names = [self.fresh(kind.lower()) for _ in range(outputs)]
        self.nodes.append(proto.node(kind, [self.name(one) for one in inputs], names, attributes))
        return names[0] if outputs == 1 else names

    def run(self, jaxpr: Any, consts: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
        """Return the values of the outputs of a program, from those of its constants and inputs.

        Raises:
            NotImplementedError: for a primitive that no rule is about.
        """
        values: dict[Any, Any] = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *inputs], strict=True))

        def read(one: Any) -> Any:
            return (
                np.asarray(one.val, getattr(one.aval, "dtype", None))
                if isinstance(one, jax_core.Literal)
                else values[one]
            )

        for eqn in jaxpr.eqns:
            found = self._equation(eqn, [read(one) for one in eqn.invars])
            values.update(zip(eqn.outvars, found, strict=True))
        return [read(one) for one in jaxpr.outvars]

    def _equation(self, eqn: Any, inputs: list[Any]) -> list[Any]:
        name = eqn.primitive.name
        if name in _INLINE:
            inner = eqn.params[_INLINE[name]]
            closed = hasattr(inner, "consts")
            return self.run(inner.jaxpr if closed else inner, inner.consts if closed else [], inputs)
        if not any(isinstance(one, str) for one in inputs):
            out = eqn.primitive.bind(*map(jax.numpy.asarray, inputs), **eqn.params)
            return [np.asarray(one) for one in (out if eqn.primitive.multiple_results else [out])]
        if name not in self._rules:
            raise NotImplementedError(
                f"`onnx.export`: the network needs {name!r}, for which msjax has no ONNX operators. What it can: "
                "elementwise functions, sums, products, convolutions, poolings, normalizations, embeddings and changes of "
                "shape. `export(..., file_format='MINDIR')` writes every network."
            )
        found = self._rules[name](self, eqn, inputs)
        return found if isinstance(found, list) else [found]
