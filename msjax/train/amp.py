"""Mixed precision of networks: lists of the Cells and operators that compute in float16 or bfloat16."""

import copy
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax import nn, ops
from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.tensor import is_tensor
from msjax.nn import wrap
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.precision import cast_floats, compute_operators_in
from msjax.nn.optim.optimizer import Optimizer
from msjax.nn.wrap.cells import TrainOneStepCell
from msjax.nn.wrap.loss_scaling import TrainOneStepWithLossScaleCell
from msjax.train.loss_scale_manager import DynamicLossScaleManager, LossScaleManager

# What `build_train_network` does for each level, under MindSpore's keywords.
LEVEL_SETTINGS: dict[str, dict[str, Any]] = {
    level: {
        "keep_batchnorm_fp32": level == "O2",
        "cast_model_type": dtypes.float16 if level in ("O2", "O3") else dtypes.float32,
        "loss_scale_manager": DynamicLossScaleManager() if level == "O2" else None,
    }
    for level in ("O0", "O1", "O2", "O3", "auto")
}
LEVELS = tuple(LEVEL_SETTINGS)

_WHITE_CELLS = """
    Conv1d Conv2d Conv3d Conv1dTranspose Conv2dTranspose Conv3dTranspose Dense LSTMCell RNNCell GRUCell
""".split()
_WHITE_OPERATORS = """
    Conv2D Conv3D Conv2DTranspose Conv3DTranspose Conv2DBackpropInput MatMul BatchMatMul PReLU ReLU Ger
""".split()
_BLACK_CELLS = "BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm".split()

# Programs change these in place, and levels "O1" and "O2" follow.
AMP_WHITE_LIST: list[type] = [
    found
    for found in (
        *(getattr(nn, name, None) for name in _WHITE_CELLS),
        *(getattr(ops, name, None) for name in _WHITE_OPERATORS),
    )
    if isinstance(found, type)
]
AMP_BLACK_LIST: list[type] = [getattr(nn, name) for name in _BLACK_CELLS]
_INNER_AMP_BLACK_LIST: list[type] = []

# Level "auto": the operators, by the names of their functions in msjax.ops, that compute in the lower precision, ...
_LOWER = frozenset(
    """
    conv1d conv2d conv3d conv_transpose conv_transpose1d conv_transpose2d conv_transpose3d
    matmul mm bmm batch_product matrix_product mv dense einsum addmm addbmm addmv baddbmm prelu
    """.split()
)
# ... those that compute in float32, ...
_FULL = frozenset(
    """
    any_pow integer_pow float_power acos asin cosh erfinv exp expm1 log log10 log1p log2 reciprocal rsqrt sinh tan
    softplus layer_norm layer_norm_statistics batch_norm_training batch_norm_inference group_norm kl_div smooth_l1_loss
    multilabel_margin_loss soft_margin_loss triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits cdist
    cross_entropy var renorm_rows prod reduce_prod
    softmax log_softmax cumprod cumsum sum reduce_sum norm l1_loss mse_loss nll_loss
    """.split()
)
# ... and those that take the widest floating dtype of their inputs. All others compute in what they are given.
_WIDEST = frozenset("addcdiv addcmul cross dot grid_sample bias_add addn concat".split())


def get_white_list() -> list[type]:
    """Return a new list of the Cells and operators that level "O1" computes in lower precision.

    Examples:
        >>> from msjax import amp, nn
        >>> nn.Dense in amp.get_white_list(), nn.LayerNorm in amp.get_white_list()
        (True, False)
    """
    return list(AMP_WHITE_LIST)


def get_black_list() -> list[type]:
    """Return a new list of the Cells that level "O2" computes in float32.

    Examples:
        >>> from msjax import amp
        >>> [cell.__name__ for cell in amp.get_black_list()]
        ['BatchNorm1d', 'BatchNorm2d', 'BatchNorm3d', 'LayerNorm']
    """
    return list(AMP_BLACK_LIST)


class _OutputTo16(Cell):
    """Wrapper of a Cell that computes in float32, with its outputs in the lower precision."""

    def __init__(self, backbone: Cell, dtype: DType) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._low = dtype

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return cast_floats(self._backbone(*args, **kwargs), self._low)


class _OutputTo32(Cell):
    """A network with its outputs in float32."""

    def __init__(self, backbone: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return cast_floats(self._backbone(*args, **kwargs), dtypes.float32)


class _Lowered:
    """Operator (in class form) that computes in the lower precision and returns float32."""

    def __init__(self, primitive: Callable, dtype: DType) -> None:
        self._primitive, self._low = primitive, dtype

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with compute_operators_in(self._low):
            return cast_floats(self._primitive(*args, **kwargs), dtypes.float32)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_primitive"], name)

    def __repr__(self) -> str:
        return repr(self._primitive)


def _to_float32(cell: Cell, inputs: Any, output: Any) -> Any:
    """Forward hook of Cells that compute in the lower precision."""
    return cast_floats(output, dtypes.float32)


def auto_mixed_precision(network: Any, amp_level: str = "O0", dtype: DType = dtypes.float16) -> Any:
    """Convert a network to mixed precision. Its Parameters keep their dtype, and gradients have that of Parameters.

    | level | what computes in `dtype` | outputs |
    |---|---|---|
    | O0 | nothing | as they are |
    | O1 | Cells and operators (in class form) of :func:`get_white_list` | each returns float32 |
    | O2 | all but the Cells of :func:`get_black_list`, which compute in float32 | the network returns float32 |
    | O3 | everything | the network returns float32 |
    | auto | products and convolutions; sums, powers and normalizations in float32 | as they are |

    Args:
        network: Cell; for "auto" also a function. It is changed.
        amp_level: "O0", "O1", "O2", "O3" or "auto". Default: "O0".
        dtype: float16 or bfloat16. Default: float16.

    Returns:
        The network; for "O2" and "O3" one around it; for "auto" and a function, one around that.

    Raises:
        TypeError: if `network` is of another type.
        ValueError: if `amp_level` or `dtype` is none of these.

    Examples:
        >>> import msjax as ms
        >>> from msjax import amp, nn
        >>> net = amp.auto_mixed_precision(nn.SequentialCell(nn.Dense(2, 2), nn.LayerNorm((2,))), "O2")
        >>> print(net(ms.ops.ones((1, 2))).dtype, type(net).__name__)
        Float32 _OutputTo32
    """
    _check(network, amp_level, dtype)
    if amp_level == "O1":
        return _white(network, get_white_list(), dtype)
    if amp_level in ("O2", "O3"):
        return _black(network, get_black_list() if amp_level == "O2" else [], dtype)
    if amp_level == "auto":
        if isinstance(network, Cell):
            network._cast, network._plain = _each_operator(dtype), False
            return network
        return _function(network, dtype)
    return network


def _check(network: Any, level: Any, dtype: Any) -> None:
    if level not in LEVELS:
        raise ValueError(
            f"`auto_mixed_precision`: argument `amp_level` must be one of {list(LEVELS)}. Received: {level!r}."
        )
    _check_dtype("auto_mixed_precision", dtype)
    if not isinstance(network, Cell) and not (level == "auto" and callable(network)):
        raise TypeError(
            "`auto_mixed_precision`: argument `network` must be a Cell, or for level 'auto' a function. "
            f"Received: {type(network).__name__}."
        )


def _check_dtype(owner: str, dtype: Any) -> None:
    if not isinstance(dtype, DType) or dtype not in (dtypes.float16, dtypes.bfloat16):
        raise ValueError(f"`{owner}`: argument `dtype` must be float16 or bfloat16. Received: {dtype!r}.")


def custom_mixed_precision(
    network: Any,
    *,
    white_list: list[type] | None = None,
    black_list: list[type] | None = None,
    dtype: DType = dtypes.float16,
) -> Any:
    """Convert the Cells and operators of a list, or all but the Cells of one, to lower precision.

    Args:
        network: Cell. It is changed.
        white_list: classes of Cells and operators that compute in `dtype`, each returning float32.
        black_list: classes of Cells that compute in float32, all others in `dtype`; the network returns float32.
        dtype: float16 or bfloat16. Default: float16.

    Returns:
        The network; with `black_list` one around it.

    Raises:
        TypeError: if `network` is not a Cell, a list is not a list, or an element is not such a class.
        ValueError: if not exactly one list is given, or for another `dtype`.

    Examples:
        >>> import msjax as ms
        >>> from msjax import amp, nn
        >>> net = amp.custom_mixed_precision(nn.SequentialCell(nn.Dense(2, 2), nn.ReLU()), black_list=[nn.ReLU])
        >>> print(type(net).__name__, net(ms.ops.ones((1, 2))).dtype)
        _OutputTo32 Float32
    """
    owner = "custom_mixed_precision"
    if not isinstance(network, Cell):
        raise TypeError(f"`{owner}`: argument `network` must be a Cell. Received: {type(network).__name__}.")
    if (white_list is None) == (black_list is None):
        raise ValueError(f"`{owner}`: exactly one of `white_list` and `black_list` must be given.")
    _check_list(owner, "white_list", white_list, Cell, ops.Primitive)
    _check_list(owner, "black_list", black_list, Cell)
    _check_dtype(owner, dtype)
    if white_list is not None:
        return _white(network, white_list, dtype)
    return _black(network, black_list or [], dtype)


def _check_list(owner: str, name: str, given: Any, *kinds: type) -> None:
    if given is None:
        return
    if not isinstance(given, list):
        raise TypeError(f"`{owner}`: argument `{name}` must be a list. Received: {type(given).__name__}.")
    for element in given:
        if not isinstance(element, type) or not issubclass(element, kinds):
            names = " or ".join(kind.__name__ for kind in kinds)
            raise TypeError(
                f"`{owner}`: argument `{name}` must hold subclasses of {names}. Received: {element!r}."
            )


def _white(network: Cell, listed: list[type], dtype: DType) -> Cell:
    """Exactly the listed classes compute in the lower precision, but for Cells that were given a precision before."""
    chosen = set(listed)
    # Layers that are one of the operators.
    chosen |= {getattr(nn, name) for name in ("ReLU", "PReLU") if getattr(ops, name, None) in chosen}
    for _, cell in network.cells_and_names():
        if type(cell) in chosen and cell._cast is None:
            cell.to_float(dtype)
            cell.register_forward_hook(_to_float32)
        for name, value in list(vars(cell).items()):
            if type(value) in chosen and not isinstance(value, Cell):
                setattr(cell, name, _Lowered(value, dtype))
    return network


def _black(network: Cell, listed: list[type], dtype: DType) -> Cell:
    """Let all but the listed classes compute in the lower precision, and the network return float32."""
    return _OutputTo32(convert_by_black_list(network, listed, dtype))


def convert_by_white_list(
    network: Cell, dtype: DType, *, white_list: list[type] | None = None, black_list: list[type] | None = None
) -> Cell:
    """Apply :func:`custom_mixed_precision`, under the name by which networks import it from MindSpore's internal module.

    Raises:
        ValueError: if not exactly one list is given.
    """
    return custom_mixed_precision(network, white_list=white_list, black_list=black_list, dtype=dtype)


def convert_by_black_list(network: Cell, black_list: list[type], dtype: DType) -> Cell:
    """Convert a network to lower precision, but for the listed classes and those derived from them.

    Args:
        network: Cell. It is changed, and it returns what it computed in `dtype`.
        black_list: classes of Cells that compute in float32.
        dtype: float16 or bfloat16.

    Returns:
        The network.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> from msjax.train.amp import convert_by_black_list
        >>> net = convert_by_black_list(nn.SequentialCell(nn.Dense(2, 2), nn.LayerNorm((2,))), [nn.LayerNorm], ms.float16)
        >>> print(net(ms.ops.ones((1, 2))).dtype)
        Float16
    """
    return _keep_in_float32(network.to_float(dtype), black_list, dtype)


def keep_normalizations_in_float32(network: Cell) -> None:
    """Let the black list's Cells inside of a float16 network compute in float32; training loops call it by MindSpore's name.

    Args:
        network: Cell, changed in place.
    """
    _keep_in_float32(network, AMP_BLACK_LIST, dtypes.float16)


def _keep_in_float32(network: Cell, black_list: list[type], dtype: DType) -> Cell:
    kinds = tuple(black_list)
    for _, parent in list(network.cells_and_names()):
        for name, cell in list(parent.name_cells().items()):
            if isinstance(cell, kinds) and not isinstance(parent, _OutputTo16):
                parent.insert_child_to_cell(name, _OutputTo16(cell.to_float(dtypes.float32), dtype))
    return network


def _function(function: Callable, dtype: DType) -> Callable:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        with compute_operators_in(_each_operator(dtype)):
            return function(*args, **kwargs)

    return call


@functools.cache
def _each_operator(dtype: DType) -> Callable:
    """Level "auto": what casts the arguments of an operator."""

    def cast(arrays: tuple, record: Any) -> tuple:
        if record.name in _LOWER:
            return cast_floats(arrays, dtype)
        if record.name in _FULL:
            return cast_floats(arrays, dtypes.float32)
        if record.name in _WIDEST:
            return cast_floats(arrays, _widest(arrays))
        return arrays

    cast.biases_apart = True  # type: ignore[attr-defined]
    return cast


def _widest(arrays: Any) -> DType:
    """Return the floating dtype that all inputs fit into."""
    found = [x.dtype.np for x in jax.tree.leaves(arrays, is_leaf=is_tensor) if is_tensor(x)]
    floats = [d for d in found if d is not None and jnp.issubdtype(d, np.floating)]
    return dtypes.of(functools.reduce(jnp.promote_types, floats)) if floats else dtypes.float32


# ------------------------------------------------------------------------------------------ networks that train


class WithLossCell(wrap.WithLossCell):
    """Network with its loss, which is computed in float32."""

    def construct(self, data: Any, label: Any) -> Any:
        """Return the loss."""
        return self._loss_fn(*cast_floats((self._backbone(data), label), dtypes.float32))


def add_loss(network: Cell, loss_fn: Cell, cast_model_type: DType | None) -> Cell:
    """Return a Cell that gives the loss, computed in float32 if the network computes in a lower precision.

    Args:
        network: gives predictions.
        loss_fn: called with (prediction, label).
        cast_model_type: what the network computes in.

    Raises:
        TypeError: if `loss_fn` is no Cell.
    """
    if not isinstance(loss_fn, Cell):
        raise TypeError(f"`add_loss_network`: argument `loss_fn` must be a Cell. Received: {loss_fn!r}.")
    low = cast_model_type in (dtypes.float16, dtypes.bfloat16)
    return (WithLossCell if low else wrap.WithLossCell)(network, loss_fn)


def build_train_network(
    network: Cell,
    optimizer: Optimizer,
    loss_fn: Cell | None = None,
    level: str = "O0",
    boost_level: str = "O0",
    **kwargs: Any,
) -> Cell:
    """Build a Cell that makes one training step when it is called, in mixed precision.

    Args:
        network: gives predictions; without `loss_fn`, the loss.
        optimizer: made with the network's Parameters.
        loss_fn: called with (prediction, label). Default: None.
        level: as for :func:`auto_mixed_precision`. "O2" uses a `DynamicLossScaleManager`. Default: "O0".
        boost_level: without effect.
        kwargs: `cast_model_type` (float16 or float32: everything or nothing computes in float16), `keep_batchnorm_fp32`
            (bool: whether the Cells of the black list are left out of that) and `loss_scale_manager` (or None) in place
            of what the level sets.

    Returns:
        A `TrainOneStepCell`; with a loss scale whose updates are dropped on overflow a `TrainOneStepWithLossScaleCell`.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `level` or a keyword is unknown.

    Examples:
        >>> import msjax as ms
        >>> from msjax import amp, nn
        >>> net = nn.Dense(2, 1)
        >>> step = amp.build_train_network(net, nn.SGD(net.trainable_params()), nn.MSELoss(), level="O3")
        >>> print(step(ms.ops.ones((4, 2)), ms.ops.zeros((4, 1))).dtype)
        Float32
    """
    owner = "build_train_network"
    if level not in LEVELS:
        raise ValueError(f"`{owner}`: argument `level` must be one of {list(LEVELS)}. Received: {level!r}.")
    for name, value, kind in (("optimizer", optimizer, Optimizer), ("loss_fn", loss_fn, Cell | None)):
        if not isinstance(value, kind):
            raise TypeError(f"`{owner}`: argument `{name}` must be a Cell of that kind. Received: {value!r}.")
    low, keep, manager = _settings(owner, level, kwargs)
    if low is dtypes.float16:
        _check(network, "O2", dtypes.float16)
        lowered = _black(network, get_black_list() if keep else [], dtypes.float16)
        return _step(lowered if loss_fn is None else add_loss(network, loss_fn, low), optimizer, manager)
    network = auto_mixed_precision(network, level if level in ("O1", "auto") else "O0")
    return _step(network if loss_fn is None else add_loss(network, loss_fn, low), optimizer, manager)


def _settings(
    owner: str, level: str, given: dict[str, Any]
) -> tuple[DType | None, bool, LossScaleManager | None]:
    """Return the model's dtype, whether normalizations stay in float32, and the loss scale manager."""
    allowed = dict(LEVEL_SETTINGS[level])
    allowed["loss_scale_manager"] = copy.copy(
        allowed["loss_scale_manager"]
    )  # a manager belongs to one training
    for name, value in given.items():
        if name not in allowed:
            raise ValueError(f"`{owner}`: unknown argument {name!r}. Known ones: {list(allowed)}.")
        allowed[name] = value
    manager = allowed["loss_scale_manager"]
    if not isinstance(manager, LossScaleManager | None):
        raise TypeError(
            f"`{owner}`: argument `loss_scale_manager` must be a LossScaleManager or None. Received: {manager!r}."
        )
    if allowed["cast_model_type"] not in (dtypes.float16, dtypes.float32, None):
        raise ValueError(
            f"`{owner}`: argument `cast_model_type` must be float16 or float32. "
            f"Received: {allowed['cast_model_type']!r}."
        )
    return allowed["cast_model_type"], bool(allowed["keep_batchnorm_fp32"]), manager


def _step(network: Cell, optimizer: Optimizer, manager: LossScaleManager | None) -> Cell:
    if manager is None:
        return TrainOneStepCell(network, optimizer).set_train()
    update = manager.get_update_cell()
    if update is not None:
        return TrainOneStepWithLossScaleCell(network, optimizer, update).set_train()
    return TrainOneStepCell(network, optimizer, manager.get_loss_scale()).set_train()
