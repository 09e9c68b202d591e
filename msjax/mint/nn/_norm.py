"""Normalization layers under PyTorch's signatures."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.nn.cell.precision import cast_inputs
from msjax.ops.common.docstrings import documented_by
from msjax.ops.math import arithmetic
from msjax.ops.nn import normalization


class _BatchNorm(Cell):
    """Normalization of each channel over the batch, with running statistics for evaluation.

    Args:
        num_features (int): number of channels.
        eps (float): added to the variance.
        momentum (float, None): the share of the batch in the running statistics; None makes them plain means.
        affine (bool): whether there are weight and bias.
        track_running_stats (bool): keep running statistics, for evaluation; otherwise the batch's are always used.
        dtype (DType, None): of the Parameters. Default: float32.

    Parameters:
        - **weight**, **bias** - of shape (num_features,).
        - **running_mean**, **running_var** - of shape (num_features,), not trained.
        - **num_batches_tracked** - int64.

    Outputs:
        Tensor of the input's shape and dtype.
    """

    dims: tuple[int, ...] = (2, 3, 4, 5)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name, kind = type(self).__name__, dtype or dtypes.float32
        parameter_init.check_positive_ints(name, num_features=num_features)
        parameter_init.check_numbers(name, eps=eps)
        parameter_init.check_bools(name, affine=affine, track_running_stats=track_running_stats)
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        shape = (num_features,)
        self.weight = parameter_init.make_parameter(name, "ones", shape, kind, "weight") if affine else None
        self.bias = parameter_init.make_parameter(name, "zeros", shape, kind, "bias") if affine else None
        self.running_mean = self.running_var = self.num_batches_tracked = None
        if track_running_stats:
            self.running_mean = parameter_init.make_parameter(
                name, "zeros", shape, kind, "running_mean", trained=False
            )
            self.running_var = parameter_init.make_parameter(
                name, "ones", shape, kind, "running_var", trained=False
            )
            count = Tensor(0, dtypes.int64)
            self.num_batches_tracked = Parameter(count, name="num_batches_tracked", requires_grad=False)

    def construct(self, input: Any) -> Any:
        """(input - mean) / sqrt(variance + eps) * weight + bias."""
        if input.ndim not in self.dims:
            wanted = " or ".join(map(str, self.dims))
            raise ValueError(
                f"`{type(self).__name__}`: the input must have {wanted} dimensions. Received: {input.shape}."
            )
        moving = self.training and self.track_running_stats
        if moving:
            self.num_batches_tracked.assign_value(self.num_batches_tracked + 1)  # type: ignore[union-attr]
        with cast_inputs(normalization.batch_norm_training.record, input) as (x,):
            if moving and self.momentum is None:
                return self._averaging(x)
            mean, var = self.running_mean, self.running_var
            by_batch = self.training or not self.track_running_stats
            share = 0.0 if self.momentum is None else self.momentum
            return normalization.batch_norm(x, mean, var, self.weight, self.bias, by_batch, share, self.eps)

    def _averaging(self, x: Any) -> Any:
        """Normalize as in training, with running statistics that are the plain mean over all batches."""
        mean, var = self.running_mean, self.running_var
        y, *new = normalization.batch_norm_training(x, mean, var, self.weight, self.bias, 1.0, self.eps)
        for running, of_batch in zip((mean, var), new, strict=True):
            step = arithmetic.div(of_batch - running, self.num_batches_tracked)
            running.assign_value(running + step.astype(running.dtype))  # type: ignore[union-attr]
        return y

    def extend_repr(self) -> str:
        """All settings."""
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"track_running_stats={self.track_running_stats}"
        )


@documented_by(_BatchNorm)
class BatchNorm1d(_BatchNorm):
    """Batch normalization of vectors or sequences.

    Inputs:
        - **input** (Tensor) - of shape (N, C) or (N, C, L), floating.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.nn.BatchNorm1d(1).set_train()(ms.Tensor([[1.0], [3.0]])).round(decimals=3))
        [[-1.]
         [ 1.]]
    """

    dims = (2, 3)


@documented_by(_BatchNorm)
class BatchNorm2d(_BatchNorm):
    """Batch normalization of images; see :class:`BatchNorm1d`.

    Inputs:
        - **input** (Tensor) - of shape (N, C, H, W), floating.

    Examples:
        >>> import msjax as ms
        >>> ms.mint.nn.BatchNorm2d(3)
        BatchNorm2d(num_features=3, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)
    """

    dims = (4,)


@documented_by(_BatchNorm)
class BatchNorm3d(_BatchNorm):
    """Batch normalization of volumes; see :class:`BatchNorm1d`.

    Inputs:
        - **input** (Tensor) - of shape (N, C, D, H, W), floating.

    Examples:
        >>> import msjax as ms
        >>> ms.mint.nn.BatchNorm3d(2)(ms.ops.ones((1, 2, 1, 1, 3))).shape
        (1, 2, 1, 1, 3)
    """

    dims = (5,)


@documented_by(_BatchNorm)
@applies()
class SyncBatchNorm(_BatchNorm):
    """Batch normalization whose statistics are those of the batch on all devices.

    Under `msjax`, a batch that is spread over devices is one array, so this is what every batch normalization does.

    Args:
        process_group (str, None): None only.

    Inputs:
        - **input** (Tensor) - of shape (N, C, ...), floating.

    Raises:
        ValueError: for a group of processes.

    Examples:
        >>> import msjax as ms
        >>> ms.mint.nn.SyncBatchNorm(2)(ms.ops.ones((1, 2, 3))).shape
        (1, 2, 3)
    """

    num_features: int
    eps: float = 1e-05
    momentum: float | None = 0.1
    affine: bool = True
    track_running_stats: bool = True
    process_group: Any = None
    dtype: Any = None

    def __post_init__(self) -> None:
        parameter_init.check_choice("SyncBatchNorm", (None,), process_group=self.process_group)


@documented_by(_BatchNorm)
class GroupNorm(Cell):
    """Normalization of groups of channels of each instance.

    Args:
        num_groups (int): number of groups.
        num_channels (int): number of channels, which it must divide.
        affine (bool): whether weight and bias are trained.

    Parameters:
        - **weight**, **bias** - of shape (num_channels,).

    Inputs:
        - **input** (Tensor) - of shape (N, num_channels, ...), floating.

    Raises:
        ValueError: if `num_groups` does not divide `num_channels`.

    Examples:
        >>> import msjax as ms
        >>> ms.mint.nn.GroupNorm(2, 4)(ms.ops.ones((1, 4, 3))).shape
        (1, 4, 3)
    """

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, dtype: Any = None
    ) -> None:
        super().__init__()
        parameter_init.check_positive_ints("GroupNorm", num_groups=num_groups, num_channels=num_channels)
        parameter_init.check_bools("GroupNorm", affine=affine)
        if num_channels % num_groups:
            raise ValueError(
                f"`GroupNorm`: argument `num_groups` must divide `num_channels`={num_channels}. Received: {num_groups}."
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        kind, shape = dtype or dtypes.float32, (num_channels,)
        self.weight = parameter_init.make_parameter(
            "GroupNorm", "ones", shape, kind, "weight", trained=affine
        )
        self.bias = parameter_init.make_parameter("GroupNorm", "zeros", shape, kind, "bias", trained=affine)

    def construct(self, input: Any) -> Any:
        """(input - mean) / sqrt(variance + eps) * weight + bias."""
        with cast_inputs(normalization.group_norm.record, input) as (x,):
            return normalization.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        """All settings."""
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}, eps={self.eps}, affine={self.affine}"
