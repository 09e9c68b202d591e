"""Instance normalization, local response normalization (LRN), and synchronized batch normalization layers."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.nn.cell.precision import cast_inputs
from msjax.nn.layers.norm import BatchNorm
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn import normalization as ops
from msjax.ops.nn.rms_lrn_norm import lrn


class _InstanceNorm(Cell):
    """Normalization of each channel of each sample.

    Args:
        num_features (int): number of channels.
        eps (float): added to the variance.
        momentum (float): the share of the instances in the moving statistics.
        affine (bool): whether gamma and beta are trained.
        gamma_init (Tensor, str, Initializer, float): where gamma starts.
        beta_init (Tensor, str, Initializer, float): where beta starts.
        dtype (DType): of the Parameters.

    Parameters:
        - **gamma**, **beta** - of shape (num_features,).
        - **moving_mean**, **moving_variance** - of shape (num_features,), not trained.

    Outputs:
        Tensor of the input's shape and dtype.

    Raises:
        TypeError: for arguments of another type.
        ValueError: for arguments out of range; at the call, for an input of another shape.
    """

    dims = 4

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        parameter_init.check_positive_ints(name, num_features=num_features)
        parameter_init.check_numbers(name, float, eps=eps, momentum=momentum)
        parameter_init.check_bools(name, affine=affine)
        if not 0 <= momentum <= 1:
            raise ValueError(f"`{name}`: argument `momentum` must be in [0, 1]. Received: {momentum}.")
        if not 0 < eps <= 1:
            raise ValueError(f"`{name}`: argument `eps` must be in (0, 1]. Received: {eps}.")
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self._settings = (momentum, eps)  # of the operator, as it was made
        shape = (num_features,)
        self.moving_mean = parameter_init.make_parameter(name, "zeros", shape, dtype, "mean", trained=False)
        self.moving_variance = parameter_init.make_parameter(
            name, "ones", shape, dtype, "variance", trained=False
        )
        self.gamma = parameter_init.make_parameter(name, gamma_init, shape, dtype, "gamma", trained=affine)
        self.beta = parameter_init.make_parameter(name, beta_init, shape, dtype, "beta", trained=affine)

    def construct(self, x: Any) -> Any:
        """(x - mean) / sqrt(variance + eps) * gamma + beta."""
        if x.ndim != self.dims:
            raise ValueError(
                f"`{type(self).__name__}`: the input must have {self.dims} dimensions. Received: {x.shape}."
            )
        moving = (self.moving_mean, self.moving_variance) if self.training else (None, None)
        with cast_inputs(ops.instance_norm_pure.record, x) as (x,):
            return ops.instance_norm(x, *moving, self.gamma, self.beta, True, *self._settings)

    def extend_repr(self) -> str:
        """Settings and Parameters."""
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, gamma={self.gamma}, "
            f"beta={self.beta}, moving_mean={self.moving_mean}, moving_variance={self.moving_variance}"
        )


@documented_by(_InstanceNorm)
class InstanceNorm1d(_InstanceNorm):
    """Instance normalization of sequences; see :class:`InstanceNorm2d`.

    Inputs:
        - **x** (Tensor) - of shape (N, C, L), floating.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.InstanceNorm1d(1)(ms.Tensor([[[1.0, 3.0]]])).round(decimals=3))
        [[[-1.  1.]]]
    """

    dims = 3


@documented_by(_InstanceNorm)
class InstanceNorm2d(_InstanceNorm):
    """Normalization of each channel of each sample: (x - mean) / sqrt(variance + eps) * gamma + beta.

    The statistics are always the instances'; in training the moving ones are kept too.

    Inputs:
        - **x** (Tensor) - of shape (N, C, H, W), floating.

    References:
        Ulyanov, Vedaldi, Lempitsky: Instance Normalization, 2016.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.InstanceNorm2d(3)(ms.ops.ones((2, 3, 4, 4))).shape
        (2, 3, 4, 4)
    """


@documented_by(_InstanceNorm)
class InstanceNorm3d(_InstanceNorm):
    """Instance normalization of volumes; see :class:`InstanceNorm2d`.

    Inputs:
        - **x** (Tensor) - of shape (N, C, D, H, W), floating.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.InstanceNorm3d(3)(ms.ops.ones((2, 3, 4, 4, 4))).shape
        (2, 3, 4, 4, 4)
    """

    dims = 5


@documented_by(BatchNorm)
@applies()
class SyncBatchNorm(BatchNorm):
    """Batch normalization over the batches of all devices.

    A compiled step sees the whole batch, however it is laid out over devices, so this is batch normalization.

    Args:
        process_groups (list): only None: all devices.

    Inputs:
        - **x** (Tensor) - of shape (N, C, H, W), floating.

    Raises:
        ValueError: if `process_groups` is given.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.SyncBatchNorm(3)(ms.ops.ones((2, 3, 4, 4))).shape
        (2, 3, 4, 4)
    """

    dims = (4,)

    num_features: int
    eps: float = 1e-05
    momentum: float = 0.9
    affine: bool = True
    gamma_init: Any = "ones"
    beta_init: Any = "zeros"
    moving_mean_init: Any = "zeros"
    moving_var_init: Any = "ones"
    use_batch_statistics: bool | None = None
    process_groups: Any = None
    dtype: DType = dtypes.float32

    def __post_init__(self) -> None:
        if self.process_groups is not None:
            raise ValueError(
                "`SyncBatchNorm`: argument `process_groups` must be None, all devices. "
                f"Received: {self.process_groups}."
            )


class LRN(Cell):
    """Local response normalization: x / (bias + alpha * sum of x^2 over the neighbouring channels)^beta.

    Args:
        depth_radius (int): how many channels on each side count.
        bias (float): added to the sum.
        alpha (float): factor of the sum.
        beta (float): exponent.
        norm_region (str): "ACROSS_CHANNELS".

    Inputs:
        - **input_x** (Tensor) - of shape (N, C, H, W), floating.

    Outputs:
        Tensor of the input's shape and dtype.

    References:
        Krizhevsky, Sutskever, Hinton: ImageNet Classification with Deep Convolutional Neural Networks, 2012.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.LRN()(ms.ops.ones((1, 3, 2, 2))).shape
        (1, 3, 2, 2)
    """

    def __init__(
        self,
        depth_radius: int = 5,
        bias: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.5,
        norm_region: str = "ACROSS_CHANNELS",
    ) -> None:
        super().__init__()
        parameter_init.check_numbers("LRN", int, depth_radius=depth_radius)
        parameter_init.check_numbers("LRN", float, bias=bias, alpha=alpha, beta=beta)
        parameter_init.check_numbers("LRN", str, norm_region=norm_region)
        parameter_init.check_choice("LRN", ("ACROSS_CHANNELS",), norm_region=norm_region)
        if depth_radius < 0:
            raise ValueError(
                f"`LRN`: argument `depth_radius` must not be negative. Received: {depth_radius}."
            )
        self.settings = (depth_radius, bias, alpha, beta, norm_region)

    def construct(self, input_x: Any) -> Any:
        """Return the input, normalized."""
        return lrn(input_x, *self.settings)
