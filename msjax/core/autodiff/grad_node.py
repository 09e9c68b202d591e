"""`run_backward` and the inner names of Tensors that MindSpore programs with an imperative side of their own use.

MindSpore 2.10 has `run_backward` and attributes such as `_requires_grad`; msjax has the public names of PyTorch for the
same. They are functions here, not aliases, so that a program may put its own `backward` or `grad` on `Tensor`.
"""

from collections.abc import Callable
from typing import Any

from msjax.core.autodiff import hooks
from msjax.core.autodiff.custom_vjp import CallNode
from msjax.core.autodiff.imperative import backward
from msjax.core.tape import nodes
from msjax.core.tensor.tensor import Tensor, node_of, resolve

_requires_grad, _detach = Tensor.requires_grad, Tensor.detach


class GradNode:
    """A recorded step.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([3.0], requires_grad=True)
        >>> (x * x)._grad_node.name()
        'Mul'
    """

    def __init__(self, node: nodes.Node) -> None:
        self._node = node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GradNode) and other._node is self._node

    def __hash__(self) -> int:
        return id(self._node)

    def name(self) -> str:
        """Return the name of the operator, or of a user's class."""
        node = self._node
        if isinstance(node, nodes.OpNode):
            return node.program.name.title().replace("_", "")
        return node.name if isinstance(node, CallNode) else "AccumulateGrad"

    @property
    def next_functions(self) -> tuple[tuple["GradNode", int], ...]:
        """The steps that computed its recorded inputs, each with the index of the output."""
        return tuple((GradNode(node), i) for node, i in self._node.inputs)

    def register_prehook(self, hook: Callable[[tuple], tuple | None]) -> hooks.HookHandle:
        """Call `hook` with the gradients of the step's outputs before its backward pass; its result replaces them.

        Raises:
            NotImplementedError: for a step with several outputs.
            RuntimeError: in the backward pass, if the hook returns no tuple of a Tensor.
        """
        if len(self._node.avals) != 1:
            raise NotImplementedError(
                "`register_prehook`: the step must have one output. Use `register_hook` of its outputs."
            )

        def run(gradient: Tensor) -> Tensor | None:
            found = hook((gradient,))
            if found is not None and not (isinstance(found, tuple) and len(found) == 1):
                raise RuntimeError(
                    f"`register_prehook`: the hook must return None or a tuple of one Tensor. Received: {found!r}."
                )
            return None if found is None else found[0]

        return hooks.register(hooks.hook_table((self._node, 0)), run, "register_prehook")


def run_backward(
    tensors: Any,
    gradient: object = None,
    keep_graph: bool | None = None,
    create_graph: bool = False,
    inputs: object = None,
    allow_unreachable: bool = True,
    accumulate_grad: bool = True,
) -> None:
    """Accumulate gradients in the leaves (see `autograd.backward`).

    Raises:
        RuntimeError: as `autograd.backward`; for a second pass without `keep_graph` as well.
        NotImplementedError: without `accumulate_grad`.
    """
    if not accumulate_grad:
        raise NotImplementedError(
            "`run_backward`: argument `accumulate_grad` must be True; use autograd.grad."
        )
    listed = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    refs = [node_of(resolve(tensor)) for tensor in listed]
    if None in refs:
        raise RuntimeError(
            f"`run_backward`: The output tensor you provided doesn't requires grad. Received: {listed[refs.index(None)]!r}."
        )
    if any(ref is not None and ref[0].is_released() for ref in refs):
        raise RuntimeError(
            "`run_backward`: Try to backward the graph twice: what it saved has been freed. Pass retain_graph=True the "
            "first time."
        )
    backward(listed, gradient, keep_graph, create_graph, inputs)


def pyboost_detach(tensor: Tensor) -> Tensor:
    """Return the tensor off the tape."""
    return _detach(tensor)


def _node(tensor: Tensor) -> GradNode | None:
    ref = node_of(resolve(tensor))
    return None if ref is None else GradNode(ref[0])


def _index(tensor: Tensor) -> int:
    ref = node_of(resolve(tensor))
    return 0 if ref is None else ref[1]


for _name, _found in {
    "_requires_grad": _requires_grad,
    "_is_leaf": Tensor.is_leaf,
    "_retains_grad": Tensor.retains_grad,
    "_retain_grad": Tensor.retain_grad,
    "_grad_node": property(_node),
    "_output_index": property(_index),
}.items():
    setattr(Tensor, _name, _found)
