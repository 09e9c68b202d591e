"""THOR, a second-order optimizer (natural gradient by Kronecker factors)."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.core import Tracer
from jax.scipy.linalg import cho_solve

from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.parameter import Parameter, ParameterTuple
from msjax.core.tensor.tensor import Tensor, resolve
from msjax.nn.cell import argument_checks
from msjax.nn.cell.cell import Cell
from msjax.nn.inner import thor_layers
from msjax.nn.layers import norm
from msjax.nn.layers.math import ClipByNorm
from msjax.nn.optim import thor_networks
from msjax.nn.optim.optimizer import Optimizer

_BLOCK = 128


@op(static="block")
def damped_inverse(matrix: ArrayLike, damping: ArrayLike, block: int = _BLOCK) -> Array:
    """Return the inverse of matrix + damping * I, of its blocks along the diagonal alone.

    Args:
        matrix: symmetric, (n, n), float32.
        damping: a scalar.
        block: size of a block; the last one has the rest.
    """
    size = matrix.shape[0]
    whole = jnp.zeros_like(matrix)
    for start in range(0, size, block):
        part = slice(start, min(start + block, size))
        eye = jnp.eye(part.stop - start, dtype=matrix.dtype)
        factor = jnp.linalg.cholesky(matrix[part, part] + damping * eye)
        whole = whole.at[part, part].set(cho_solve((factor, True), eye))
    return whole


@op
def _both_sides(left: ArrayLike, gradient: ArrayLike, right: ArrayLike) -> Array:
    """left @ gradient @ right, where the gradient's axes but the first count as one; rows are scaled by a vector."""
    flat = gradient.astype("float32").reshape(gradient.shape[0], -1)
    scaled = left @ flat if left.ndim == 2 else left[:, None] * flat
    return (scaled @ right).reshape(gradient.shape)


@op
def _layernorm(gradient: ArrayLike, damping: ArrayLike, batch: ArrayLike) -> Array:
    """Return the gradient of a normalization's parameter over its square."""
    return gradient / (gradient**2 / batch + jnp.sqrt(damping))


@op
def _move_parameter(
    parameter: ArrayLike,
    moment: ArrayLike,
    gradient: ArrayLike,
    rate: ArrayLike,
    momentum: ArrayLike,
    nesterov: ArrayLike,
) -> tuple:
    """Return the parameter and its moment after a step."""
    moment = momentum * moment + gradient.astype(moment.dtype)
    change = jnp.where(nesterov, gradient + momentum * moment, moment)
    return (parameter - rate * change).astype(parameter.dtype), moment


class ThorGpu(Optimizer):
    """Optimizer that :func:`thor` returns.

    Inputs:
        - **gradients** (tuple[Tensor]) - one for each trained Parameter of the network.

    Outputs:
        tuple[bool], True for each.
    """

    def __init__(
        self,
        net: Cell,
        learning_rate: Tensor,
        damping: Tensor,
        momentum: float,
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
        batch_size: int = 32,
        use_nesterov: bool = False,
        decay_filter: Callable[[Parameter], bool] = lambda parameter: True,
        split_indices: Any = None,
        enable_clip_grad: bool = False,
        frequency: int = 100,
    ) -> None:
        trained = [parameter for parameter in net.get_parameters() if parameter.requires_grad]
        super().__init__(learning_rate, trained, weight_decay, loss_scale)
        argument_checks.check_number("thor", float, "momentum", momentum, (">=", 0))
        argument_checks.check_number("thor", int, "frequency", frequency, (">=", 2))
        for name, value in (("learning_rate", learning_rate), ("damping", damping)):
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"`thor`: argument `{name}` must be a Tensor. Received: {argument_checks.describe_value(value)}."
                )
        argument_checks.check_bools("thor", use_nesterov=use_nesterov, enable_clip_grad=enable_clip_grad)
        self.momentum = Parameter(Tensor(np.float32(momentum)), name="momentum")
        self.params = self.parameters
        self.moments = self.params.clone(prefix="moments", init="zeros")
        self.cov_step = Parameter(Tensor(np.zeros(1, np.int32)), name="cov_step", requires_grad=False)
        self.damping, self.frequency, self.split_indices = damping, frequency, split_indices
        self.use_nesterov, self.enable_clip_grad = use_nesterov, enable_clip_grad
        self.batch_size = float(batch_size)
        self.wanted_decay = float(weight_decay)
        self.wanted_flags = tuple(bool(decay_filter(parameter)) for parameter in self.params)
        self.thor = True
        self._find_layers(net)

    def _find_layers(self, net: Cell) -> None:
        """Find the layer that holds the statistics of each Parameter, and allocate their inverses."""
        owners: dict[int, Cell] = {}
        for _, cell in net.cells_and_names():
            if isinstance(cell, thor_layers.DenseThor | thor_layers.Conv2dThor):
                owners[id(cell.weight)] = cell
            elif isinstance(cell, thor_layers.EmbeddingThor | thor_layers.EmbeddingLookupThor):
                owners[id(cell.embedding_table)] = cell
            elif isinstance(cell, norm.LayerNorm):
                owners |= {id(cell.gamma): cell, id(cell.beta): cell}
        self._layers = [
            [owners.get(id(parameter))] for parameter in self.params
        ]  # in lists: no children of this Cell
        inverses: list[tuple[Parameter, Parameter]] = []
        self._places: list[int | None] = []
        for (layer,) in self._layers:
            second = layer is not None and not isinstance(layer, norm.LayerNorm)
            self._places.append(len(inverses) if second else None)
            if second:
                shapes = [resolve(one)._value.shape for one in _statistics(layer)]
                names = [f"matrix_{kind}_inv_{len(inverses)}" for kind in "ag"]
                inverses.append(tuple(map(_zeros, shapes, names)))  # type: ignore[arg-type]
        self.matrix_a = ParameterTuple(pair[0] for pair in inverses)
        self.matrix_g = ParameterTuple(pair[1] for pair in inverses)

    def get_frequency(self) -> int:
        """Every how many steps inverses are computed."""
        return self.frequency

    def construct(self, gradients: Any) -> Any:
        """Update all parameters."""
        if self.thor and any(isinstance(resolve(one)._value, Tracer) for one in gradients):
            raise NotImplementedError(
                "`thor`: a compiled step does not see the gradients of layers. Train with the Model that "
                "`ConvertModelUtils.convert_to_thor_model` gives, or outside of `jit`."
            )
        damping = self.damping.reshape(-1)[_bound_step(self.cov_step, self.damping.size)]
        found = tuple(self._natural(i, g, damping) for i, g in enumerate(self.scale_grad(gradients)))
        self.cov_step.assign_value(self.cov_step + 1)
        rate = self.get_lr()
        self.global_step.assign_value(self.global_step + self.global_step_increase_tensor)
        for i, (parameter, moment, gradient) in enumerate(zip(self.params, self.moments, found, strict=True)):
            if self.wanted_decay > 0 and self.wanted_flags[i]:
                gradient = gradient + parameter * self.wanted_decay
            if self.enable_clip_grad:
                gradient = ClipByNorm()(gradient, Tensor(np.float32(1.0)))
            new = _move_parameter(parameter, moment, gradient, rate, self.momentum, Tensor(self.use_nesterov))
            parameter.assign_value(new[0])
            moment.assign_value(new[1])
        return (True,) * self.param_length

    def _natural(self, number: int, gradient: Any, damping: Any) -> Any:
        """Return a gradient times the inverse of the layer's second-order statistics."""
        (layer,), place = self._layers[number], self._places[number]
        if isinstance(layer, norm.LayerNorm):
            return _layernorm(gradient, damping, Tensor(np.float32(self.batch_size)))
        if place is None:
            return gradient
        if self.thor:
            left, right = self._inverses(layer, damping)
            self.matrix_a[place].assign_value(right)
            self.matrix_g[place].assign_value(left)
        a, g = self.matrix_a[place], self.matrix_g[place]
        by_rows = isinstance(layer, thor_layers.EmbeddingThor | thor_layers.EmbeddingLookupThor)
        return _both_sides(a, gradient, g) if by_rows else _both_sides(g, gradient, a)

    def _inverses(self, layer: Any, damping: Any) -> tuple[Any, Any]:
        """Return the inverses of the gradients' statistics and of the inputs'."""
        a, g = _statistics(layer)
        g = g * (self.batch_size / self.loss_scale) ** 2
        if isinstance(layer, thor_layers.Conv2dThor):
            counts = layer.a_normalizer.reshape(()), layer.g_normalizer.reshape(())
            scale = (1 / counts[0]) ** 0.5
            left = damped_inverse(g, (damping / counts[1]) ** 0.5) * scale
            return left, damped_inverse(a, (damping / counts[0]) ** 0.5) * scale
        if isinstance(layer, thor_layers.DenseThor):
            return damped_inverse(g, damping**0.5), damped_inverse(a, damping**0.5)
        return damped_inverse(g, damping**0.5, block=g.shape[0]), 1 / (a / self.batch_size + damping**0.5)


def _statistics(layer: Any) -> tuple[Any, Any]:
    if isinstance(layer, thor_layers.Conv2dThor):
        return layer.matrix_a_cov, layer.matrix_g_cov
    return layer.matrix_a, layer.matrix_g


def _zeros(shape: tuple[int, ...], name: str) -> Parameter:
    return Parameter(Tensor(np.zeros(shape, np.float32)), name=name, requires_grad=False)


@op(static="size")
def _bound_step(step: ArrayLike, size: int) -> Array:
    """Return the step, at most the last of a list."""
    return jnp.minimum(step.reshape(()), size - 1)


def thor(
    net: Cell,
    learning_rate: Tensor,
    damping: Tensor,
    momentum: float,
    weight_decay: float = 0.0,
    loss_scale: float = 1.0,
    batch_size: int = 32,
    use_nesterov: bool = False,
    decay_filter: Callable[[Parameter], bool] = lambda parameter: True,
    split_indices: Any = None,
    enable_clip_grad: bool = False,
    frequency: int = 100,
) -> ThorGpu:
    r"""Make a THOR optimizer, which divides gradients by second-order statistics of each layer (L. Chen et al., 2021).

    .. math::
        w \leftarrow w - lr \, (G + \sqrt{\lambda} I)^{-1} \nabla_w (A + \sqrt{\lambda} I)^{-1}

    for Dense and Conv2d, where A has the products of a layer's inputs with each other, G those of the gradients of its
    outputs, and :math:`\lambda` is the damping; with momentum. Of matrices of more than 128 rows, blocks of 128 along the
    diagonal are inverted. The layers of the network are replaced by those that keep A and G (`ConvertNetUtils`).

    To train with a Model, use the one that `ConvertModelUtils.convert_to_thor_model` gives.

    Args:
        net (Cell): the network, changed in place.
        learning_rate (Tensor): a number, or one for each step.
        damping (Tensor): one number for each step; the last one goes on.
        momentum (float): of at least 0.
        weight_decay (Union[int, float]): of at least 0. Default: 0.0.
        loss_scale (float): what the loss was multiplied with. Default: 1.0.
        batch_size (int): size of a batch. Default: 32.
        use_nesterov (bool): use Nesterov's momentum. Default: False.
        decay_filter (function): whether a Parameter decays. Default: all do.
        split_indices (list): without effect in one process.
        enable_clip_grad (bool): scale gradients down to a norm of at most 1. Default: False.
        frequency (int): every how many steps A, G and their inverses are recomputed by that Model. Default: 100.

    Returns:
        an optimizer, called with the gradients of the trained Parameters.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a number is out of its range; `frequency` must be at least 2.
        NotImplementedError: when called in a compiled function, unless by that Model.

    Examples:
        >>> import numpy as np
        >>> import msjax as ms
        >>> from msjax import nn
        >>> net = nn.SequentialCell(nn.Dense(2, 1, weight_init="ones"))
        >>> optimizer = nn.thor(net, ms.Tensor(0.1), ms.Tensor([0.03, 0.01]), 0.9, frequency=2)
        >>> step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
        >>> losses = [float(step(ms.ops.ones((4, 2)), ms.ops.zeros((4, 1)))) for _ in range(3)]
        >>> losses == sorted(losses, reverse=True)
        True
    """
    thor_networks.convert_network(net)
    return ThorGpu(
        net,
        learning_rate,
        damping,
        momentum,
        weight_decay,
        loss_scale,
        batch_size,
        use_nesterov,
        decay_filter,
        split_indices,
        enable_clip_grad,
        frequency,
    )
