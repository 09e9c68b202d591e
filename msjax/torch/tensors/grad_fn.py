"""`Tensor.grad_fn`: the recorded steps under PyTorch's names, for programs that print or walk the graph."""

import functools
from collections.abc import Callable
from typing import Any

from msjax.core.tape import nodes
from msjax.core.tensor.tensor import resolve, wrap

# PyTorch's operator of the same derivative, where it has another name than the engine's.
_NAMES: dict[str, str] = {
    own: theirs
    for own, _, theirs in (
        pair.partition("=")
        for pair in """
    integer_pow=Pow any_pow=Pow square=Pow dense=Addmm reshape=View flatten=View ravel=View swapaxes=Transpose
    transpose=Permute expand_dims=Unsqueeze sliced=Slice sliced_at=Slice taken=Index broadcast_to=Expand concat=Cat
    chunk=Split copy=Clone identity=Clone converted=ToCopy cast=ToCopy gather_elements=Gather
    conv1d=Convolution conv2d=Convolution conv3d=Convolution
    conv1d_transpose=Convolution conv2d_transpose=Convolution conv3d_transpose=Convolution
    max_pool2d=MaxPool2DWithIndices batch_norm_training=NativeBatchNorm batch_norm_inference=NativeBatchNorm
    layer_norm=NativeLayerNorm group_norm=NativeGroupNorm rows=Embedding drop_elements=Mul cross_entropy=NllLoss
    l1_loss=Mean kl_div=Mean tile=Repeat sliding_windows=Unfold inverse=LinalgInvEx det=LinalgDet outer=Mul pad=ConstantPadNd
    adaptive_avg_pool2d=AdaptiveAvgPool2D smooth_l1_loss=SmoothL1Loss""".split()
    )
}
# What PyTorch's operators save, and under which names: of the inputs, and the result.
_INPUTS = {
    operator: inputs.split()
    for inputs, operators in (
        ("self other", "Mul Div Minimum Maximum"),
        (
            "self target",
            "MseLoss NllLoss BinaryCrossEntropy BinaryCrossEntropyWithLogits SmoothL1Loss HuberLoss",
        ),
        ("self mat2", "Mm Bmm"),
        ("self vec", "Mv"),
        ("self tensor", "Dot"),
        ("mat1", "Addmm"),
        ("input weight", "Convolution"),
        ("self", "Max Min Var Std LinalgVectorNorm Logsumexp Gather"),
        (
            "self",
            "Pow Log Log2 Log10 Log1P Sin Cos Sinh Cosh Abs Asin Acos Atan Erf Erfc Gelu Silu Elu Softplus Clamp Prod",
        ),
    )
    for operator in operators.split()
}
_PRODUCTS = frozenset("Mul Mm Bmm Mv Dot".split())  # one factor is saved for the gradient of the other
_WITH_RESULT = frozenset(
    "Exp Exp2 Expm1 Sqrt Rsqrt Sigmoid Tanh Tan Relu Reciprocal Softmax LogSoftmax Prod Logsumexp LinalgVectorNorm".split()
)
_WITH_SIZES = frozenset("Sum Mean View Expand Select Slice Max Min Sort Topk Mm Repeat".split())
_ALONG_DIMENSIONS = {"sum": "1", "mean": "1", "max": "0", "min": "0", "amax": "0", "amin": "0"}
_OF_ALL = {"max": "1", "min": "1"}


def as_torch(box: Any) -> Any:
    """Return a Tensor as PyTorch's: `tensor.py`, which stands above, puts its own function here."""
    return box


class GradNode:
    """A step of the graph.

    Attributes:
        next_functions: of each input the step that computed it, or that accumulates its gradient, and which output of that
            it is; (None, 0) for what no gradient goes to.
        variable: of a step that accumulates a gradient the tensor.
    """

    __slots__ = ("_node",)

    def __init__(self, node: nodes.Node) -> None:
        self._node = node

    def name(self) -> str:
        """Return the name of the class, in C++ where PyTorch defines it there."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if isinstance(self._node, nodes.Leaf) else name

    @property
    def next_functions(self) -> tuple[tuple["GradNode | None", int], ...]:
        """See the class."""
        refs = [*self._node.refs] if isinstance(self._node, nodes.OpNode) else [*self._node.inputs]
        if type(self).__name__ == "AddmmBackward0" and self._node.program.name == "dense":  # type: ignore[attr-defined]
            refs = [refs[2], *refs[:2]]  # the bias is first in PyTorch
        return tuple((None, 0) if ref is None else (describe_node(ref[0]), ref[1]) for ref in refs)

    @property
    def variable(self) -> Any:
        """See the class."""
        if not isinstance(self._node, nodes.Leaf):
            raise AttributeError(f"'{self.name()}' object has no attribute 'variable'")
        return None if self._node.owner is None else self._node.owner()

    @property
    def metadata(self) -> dict:
        """Nothing: what a program stores here is lost."""
        return {}

    def __getattr__(self, name: str) -> Any:
        """Return a tensor that the operator saved, under PyTorch's name for it (`_saved_self`), if it is kept here."""
        saved = _find_saved(self._node, name.removeprefix("_saved_")) if name.startswith("_saved_") else None
        if saved is None:
            raise AttributeError(
                f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self
            )
        return as_torch(saved())

    def __dir__(self) -> list[str]:
        operator = type(self).__name__.partition("Backward")[0]
        names = [*_INPUTS.get(operator, ()), "result", "self_sym_sizes"]
        return [*super().__dir__(), *[f"_saved_{name}" for name in names if _find_saved(self._node, name)]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GradNode) and other._node is self._node

    def __hash__(self) -> int:
        return id(self._node)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self._node):#x}>"


def describe_node(node: nodes.Node) -> GradNode:
    """Return what PyTorch's programs see of a recorded step."""
    return _kind(name_node(node))(node)


@functools.cache
def _kind(name: str) -> type[GradNode]:
    return type(
        name, (GradNode,), {"__slots__": (), "__module__": "torch.autograd", "__doc__": GradNode.__doc__}
    )


def name_node(node: nodes.Node) -> str:
    """Return PyTorch's name of a step: "AddBackward0"."""
    if isinstance(node, nodes.Leaf):
        return "AccumulateGrad"
    program = getattr(node, "program", None)
    if program is None:  # a function of the program's own
        return f"{getattr(node, 'name', 'Op')}Backward"
    own = program.name
    return f"{_name_operator(node, own)}Backward{_number(node, own)}"


def _find_saved(node: nodes.Node, name: str) -> Callable[[], Any] | None:
    """Return a function that gives what a step saved under PyTorch's name, None if that is nothing."""
    if not isinstance(node, nodes.OpNode):
        return None
    operator = _name_operator(node, node.program.name)
    inputs = _INPUTS.get(operator, [])
    if name == "self_sym_sizes" and operator in _WITH_SIZES:
        return lambda: tuple(node.primals[0].shape)
    if name in inputs and inputs.index(name) < len(node.refs):
        place = inputs.index(name)
        if operator in _PRODUCTS and node.refs[1 - place] is None:
            return lambda: None
        return lambda: _saved_input(node, place)
    if (
        name == "result"
        and operator in _WITH_RESULT
        and (node.is_released() or _saved_result(node) is not None)
    ):
        return lambda: _saved_result(node)
    return None


def _refuse_released(node: nodes.OpNode) -> None:
    if node.residuals is None:
        raise RuntimeError(
            "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
            "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
            "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
            "saved tensors after calling backward."
        )


def _saved_input(node: nodes.OpNode, place: int) -> Any:
    _refuse_released(node)
    value, ref = node.saved(("in", place)), node.refs[place]
    if ref is not None and isinstance(ref[0], nodes.Leaf) and ref[0].owner is not None:
        owner = ref[0].owner()
        if owner is not None and resolve(owner)._value is value:
            return owner
    return None if value is None else wrap(value, ref)


def _saved_result(node: nodes.OpNode) -> Any:
    _refuse_released(node)
    value = node.saved(("out", 0))
    given = [node.saved(("in", i)) for i in range(len(node.refs))]
    if value is None and all(
        v is not None for v in given
    ):  # computed again from the inputs, which are kept instead
        value = node.program.call(*given)
    return None if value is None else wrap(value, (node, 0))


def _name_operator(node: Any, own: str) -> str:
    ranks = [len(p.shape) for p in node.primals]
    if own == "matmul" and len(ranks) == 2:
        return {(1, 1): "Dot", (2, 1): "Mv", (2, 2): "Mm"}.get((ranks[0], ranks[1]), "UnsafeView")
    if own == "dense" and ranks:
        return "View" if ranks[0] > 2 else "Addmm" if len(ranks) > 2 else "Mm"
    if own in ("sliced", "sliced_at") and ranks and len(node.avals[0].shape) < ranks[0]:
        return "Select"
    return _NAMES.get(own.lstrip("_")) or own.title().replace("_", "")


def _number(node: Any, own: str) -> str:
    usual = _ALONG_DIMENSIONS if len(node.avals[0].shape) else _OF_ALL
    return usual.get(own, "0")
