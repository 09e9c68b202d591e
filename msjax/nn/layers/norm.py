"""Batch, layer and group normalization layers."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.nn.cell.precision import cast_inputs
from msjax.ops.array.shapes import reshape
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn import normalization as ops


class BatchNorm(Cell):
    """Normalization of each channel over the batch, with moving statistics for evaluation.

    Args:
        num_features (int): number of channels.
        eps (float): added to the variance.
        momentum (float): the share of the old value in the moving statistics.
        affine (bool): whether gamma and beta are trained.
        gamma_init (Tensor, str, Initializer, float): where gamma starts.
        beta_init (Tensor, str, Initializer, float): where beta starts.
        moving_mean_init (Tensor, str, Initializer, float): where the moving mean starts.
        moving_var_init (Tensor, str, Initializer, float): where the moving variance starts.
        use_batch_statistics (bool): True uses the batch's statistics, False the moving ones; None follows `set_train`.
        data_format (str): "NCHW".
        dtype (DType): of the Parameters.

    Parameters:
        - **gamma**, **beta** - of shape (num_features,).
        - **moving_mean**, **moving_variance** - of shape (num_features,), not trained.

    Outputs:
        Tensor of the input's shape and dtype.

    Raises:
        TypeError: for arguments of another type.
        ValueError: if `num_features` or `eps` is not positive, or `momentum` not in [0, 1]; at the call, for an input
            of another shape.
    """

    dims: tuple[int, ...] = (2, 3, 4, 5)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        parameter_init.check_positive_ints(name, num_features=num_features)
        parameter_init.check_numbers(name, momentum=momentum)
        parameter_init.check_numbers(name, float, eps=eps)
        parameter_init.check_bools(name, affine=affine)
        if use_batch_statistics not in (None, True, False) or type(use_batch_statistics) is int:
            raise ValueError(
                f"`{name}`: argument `use_batch_statistics` must be a bool or None. Received: {use_batch_statistics!r}."
            )
        if not 0 <= momentum <= 1:
            raise ValueError(f"`{name}`: argument `momentum` must be in [0, 1]. Received: {momentum}.")
        if not 0 < eps <= 1:
            raise ValueError(f"`{name}`: argument `eps` must be in (0, 1]. Received: {eps}.")
        self.num_features = num_features
        self.eps = eps
        self.momentum = 1.0 - momentum  # the share of the batch, as MindSpore keeps it
        self._settings = (
            self.momentum,
            eps,
        )  # of the operator: `bn.eps = 1e-3` changes nothing, as in MindSpore
        self.use_batch_statistics = use_batch_statistics
        shape = (num_features,)
        self.moving_mean = parameter_init.make_parameter(
            name, moving_mean_init, shape, dtype, "mean", trained=False
        )
        self.moving_variance = parameter_init.make_parameter(
            name, moving_var_init, shape, dtype, "variance", trained=False
        )
        self.gamma = parameter_init.make_parameter(name, gamma_init, shape, dtype, "gamma", trained=affine)
        self.beta = parameter_init.make_parameter(name, beta_init, shape, dtype, "beta", trained=affine)

    def construct(self, x: Any) -> Any:
        """(x - mean) / sqrt(variance + eps) * gamma + beta."""
        if x.ndim not in self.dims:
            wanted = " or ".join(map(str, self.dims))
            raise ValueError(
                f"`{type(self).__name__}`: the input must have {wanted} dimensions. Received: {x.shape}."
            )
        training = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        with cast_inputs(ops.batch_norm_training.record, x) as (x,):
            return ops.batch_norm(
                x,
                self.moving_mean,
                self.moving_variance,
                self.gamma,
                self.beta,
                training,
                *self._settings,
            )

    def extend_repr(self) -> str:
        """Settings and Parameters."""
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={1.0 - self.momentum}, gamma={self.gamma}, "
            f"beta={self.beta}, moving_mean={self.moving_mean}, moving_variance={self.moving_variance}"
        )


@documented_by(BatchNorm)
@applies()
class BatchNorm1d(BatchNorm):
    """Batch normalization of vectors or sequences; see :class:`BatchNorm2d`.

    Inputs:
        - **x** (Tensor) - of shape (N, C) or (N, C, L), floating.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.BatchNorm1d(1).set_train()(ms.Tensor([[1.0], [3.0]])).round(decimals=3))
        [[-1.]
         [ 1.]]
    """

    dims = (2, 3)

    num_features: int
    eps: float = 1e-05
    momentum: float = 0.9
    affine: bool = True
    gamma_init: Any = "ones"
    beta_init: Any = "zeros"
    moving_mean_init: Any = "zeros"
    moving_var_init: Any = "ones"
    use_batch_statistics: bool | None = None
    data_format: str = "NCHW"
    dtype: DType = dtypes.float32

    def __post_init__(self) -> None:
        parameter_init.check_choice("BatchNorm1d", ("NCHW",), data_format=self.data_format)


@documented_by(BatchNorm)
@applies()
class BatchNorm2d(BatchNorm):
    """Batch normalization of images: (x - mean) / sqrt(variance + eps) * gamma + beta, for each channel.

    In training the statistics are the batch's, and the moving ones become
    `momentum * moving + (1 - momentum) * batch`, which is 1 - the momentum of PyTorch. In evaluation they are the
    moving ones.

    Inputs:
        - **x** (Tensor) - of shape (N, C, H, W), floating.

    References:
        Ioffe, Szegedy: Batch Normalization, 2015.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.BatchNorm2d(3).set_train()
        >>> net(ms.ops.ones((2, 3, 4, 4))).shape
        (2, 3, 4, 4)
        >>> print(net.moving_mean.asnumpy())
        [0.1 0.1 0.1]
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
    data_format: str = "NCHW"
    dtype: DType = dtypes.float32

    def __post_init__(self) -> None:
        parameter_init.check_choice("BatchNorm2d", ("NCHW",), data_format=self.data_format)


@documented_by(BatchNorm)
class BatchNorm3d(Cell):
    """Batch normalization of volumes, by a :class:`BatchNorm2d` named `bn2d`; see there.

    Parameters:
        Those of `bn2d`.

    Inputs:
        - **x** (Tensor) - of shape (N, C, D, H, W), floating.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.BatchNorm3d(3)(ms.ops.ones((2, 3, 4, 4, 4))).shape
        (2, 3, 4, 4, 4)
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.bn2d = BatchNorm2d(
            num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init, moving_var_init,
            use_batch_statistics, dtype=dtype,
        )  # fmt: skip

    def construct(self, x: Any) -> Any:
        """Two of the dimensions taken as one."""
        if x.ndim != 5:
            raise ValueError(f"`BatchNorm3d`: the input must have 5 dimensions. Received: {x.shape}.")
        n, c, d, h, w = x.shape
        return reshape(self.bn2d(reshape(x, (n, c, d * h, w))), x.shape)


@documented_by(BatchNorm)
class LayerNorm(Cell):
    """Normalization of each sample over its last dimensions: (x - mean) / sqrt(variance + epsilon) * gamma + beta.

    Args:
        normalized_shape (tuple, list): shape of gamma and beta.
        begin_norm_axis (int): the first dimension that is normalized.
        begin_params_axis (int): the first dimension of gamma and beta.
        epsilon (float): added to the variance.

    Parameters:
        - **gamma**, **beta** - of shape `normalized_shape`.

    Inputs:
        - **x** (Tensor) - of shape (..., *normalized_shape), floating.

    Raises:
        TypeError: if `normalized_shape` is not a tuple or list, or `epsilon` not a float.
        ValueError: at the call, if the input does not end in `normalized_shape`.

    References:
        Ba, Kiros, Hinton: Layer Normalization, 2016.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.LayerNorm((2,))(ms.Tensor([[1.0, 3.0]])).round(decimals=3))
        [[-1.  1.]]
    """

    def __init__(
        self,
        normalized_shape: Any,
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        epsilon: float = 1e-7,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        parameter_init.check_numbers("LayerNorm", tuple, list, normalized_shape=normalized_shape)
        parameter_init.check_numbers(
            "LayerNorm", int, begin_norm_axis=begin_norm_axis, begin_params_axis=begin_params_axis
        )
        parameter_init.check_numbers("LayerNorm", epsilon=epsilon)
        if not normalized_shape:
            raise ValueError(
                f"`LayerNorm`: argument `normalized_shape` must not be empty. Received: {normalized_shape}."
            )
        parameter_init.check_positive_ints(
            "LayerNorm", **{f"normalized_shape[{i}]": size for i, size in enumerate(normalized_shape)}
        )
        self.normalized_shape = normalized_shape
        self.begin_norm_axis = begin_norm_axis
        self.begin_params_axis = begin_params_axis
        self.epsilon = epsilon
        self._settings = (begin_norm_axis, begin_params_axis, epsilon)  # of the operator, as it was made
        self.gamma = parameter_init.make_parameter(
            "LayerNorm", gamma_init, tuple(normalized_shape), dtype, "gamma"
        )
        self.beta = parameter_init.make_parameter(
            "LayerNorm", beta_init, tuple(normalized_shape), dtype, "beta"
        )

    def construct(self, input_x: Any) -> Any:
        """(input_x - mean) / sqrt(variance + epsilon) * gamma + beta."""
        return ops.layer_norm_statistics(input_x, self.gamma, self.beta, *self._settings)[0]

    def extend_repr(self) -> str:
        """Settings and Parameters."""
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}"
        )


@documented_by(BatchNorm)
class GroupNorm(Cell):
    """Normalization of each group of channels of a sample.

    Args:
        num_groups (int): number of groups, a divisor of `num_channels`.
        num_channels (int): number of channels.

    Parameters:
        - **gamma**, **beta** - of shape (num_channels,).

    Inputs:
        - **x** (Tensor) - of shape (N, num_channels, ...), floating.

    Raises:
        TypeError: if the numbers are not ints or `affine` is not a bool.
        ValueError: if they are not positive, or `num_groups` does not divide `num_channels`; at the call, if the input
            has another number of channels.

    References:
        Wu, He: Group Normalization, 2018.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.GroupNorm(2, 4)(ms.ops.ones((1, 4, 2, 2))).shape
        (1, 4, 2, 2)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        parameter_init.check_positive_ints("GroupNorm", num_groups=num_groups, num_channels=num_channels)
        parameter_init.check_bools("GroupNorm", affine=affine)
        parameter_init.check_numbers("GroupNorm", float, eps=eps)
        if num_channels % num_groups:
            raise ValueError(
                f"`GroupNorm`: argument `num_groups` must divide num_channels={num_channels}. Received: {num_groups}."
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self.gamma = parameter_init.make_parameter(
            "GroupNorm", gamma_init, (num_channels,), dtype, "gamma", trained=affine
        )
        self.beta = parameter_init.make_parameter(
            "GroupNorm", beta_init, (num_channels,), dtype, "beta", trained=affine
        )

    def construct(self, x: Any) -> Any:
        """(x - mean) / sqrt(variance + eps) * gamma + beta."""
        return self._cal_output(x)

    def _cal_output(self, x: Any) -> Any:
        """Compute the normalization for `construct`; a method that derived classes override in MindSpore."""
        return ops.group_norm(x, self.num_groups, self.gamma, self.beta, self.eps)

    @staticmethod
    def _channel_check(channel: int, num_channel: int, prim_name: str | None = None) -> None:
        """Raise ValueError unless the input has these channels; for derived classes."""
        if channel != num_channel:
            raise ValueError(
                f"`{prim_name or 'GroupNorm'}`: the input must have {num_channel} channels. Received: {channel}."
            )

    def extend_repr(self) -> str:
        """Groups and channels."""
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"
