"""Linear, normalization and embedding modules."""

import math
from typing import Any

from msjax import ops
from msjax.core.autodiff.imperative import no_grad
from msjax.torch.functions import basic
from msjax.torch.nn import functional as F
from msjax.torch.nn import init
from msjax.torch.nn.making import draw_uniform, empty_parameter, fill, with_device_and_dtype
from msjax.torch.nn.module import Module, Parameter
from msjax.torch.tensors.call_conventions import wrap_dim


@with_device_and_dtype
class Linear(Module):
    """x @ weight.T + bias, initialised uniformly in ±1/sqrt(in_features).

    Examples:
        >>> from msjax import torch
        >>> torch.nn.Linear(3, 2)
        Linear(in_features=3, out_features=2, bias=True)
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = empty_parameter(out_features, in_features)
        self.register_parameter("bias", empty_parameter(out_features) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        draw_uniform((self.weight, self.bias), self.in_features)

    def forward(self, input: Any) -> Any:
        """Map a (..., in_features) tensor to (..., out_features)."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        )


class Flatten(Module):
    """Flatten: merges the dimensions from `start_dim` to `end_dim` into one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Any) -> Any:
        """Flatten the dimensions of a tensor: (n, ...) to (n, m) by default."""
        return basic.flatten(input, self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """One dimension made several."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, input: Any) -> Any:
        """Return a view."""
        at = wrap_dim(self.dim, input.ndim)
        return basic.reshape(input, (*input.shape[:at], *self.unflattened_size, *input.shape[at + 1 :]))


@with_device_and_dtype
class _BatchNorm(Module):
    _ranks: tuple[int, ...] = (4,)

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self.register_parameter("weight", empty_parameter(num_features) if affine else None)
        self.register_parameter("bias", empty_parameter(num_features) if affine and bias else None)
        tracked = track_running_stats
        self.register_buffer("running_mean", basic.zeros(num_features) if tracked else None)
        self.register_buffer("running_var", basic.ones(num_features) if tracked else None)
        self.register_buffer("num_batches_tracked", basic.tensor(0) if tracked else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget the batches so far."""
        fill(0, self.running_mean, self.num_batches_tracked)
        fill(1, self.running_var)

    def reset_parameters(self) -> None:
        """Scale by one, shift by nothing, and forget the batches so far."""
        self.reset_running_stats()
        fill(1, self.weight)
        fill(0, self.bias)

    def forward(self, input: Any) -> Any:
        """(x - mean) / sqrt(variance + eps) * weight + bias, by the batch's statistics in train mode."""
        if input.ndim not in self._ranks:
            wanted = " or ".join(f"{n}D" for n in self._ranks)
            raise ValueError(f"expected {wanted} input (got {input.ndim}D input)")
        if self.training:
            F.refuse_single_values(input)
        share: Any = self.momentum or 0.0
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                return self._averaging(input)
        by_batch = self.training or not self.track_running_stats
        return F.batch_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias, by_batch, share, self.eps
        )

    def _averaging(self, input: Any) -> Any:
        mean, var = basic.zeros(self.num_features), basic.ones(self.num_features)
        out = F.batch_norm(input, mean, var, self.weight, self.bias, True, 1.0, self.eps)
        for running, new in ((self.running_mean, mean), (self.running_var, var)):
            running.add_((new - running) / self.num_batches_tracked.to(running.dtype))
        return out

    def extra_repr(self) -> str:
        """Return the settings."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Normalization of each channel over the batch, of (n, c) or (n, c, length)."""

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalization of each channel over the batch, of (n, c, height, width)."""


class BatchNorm3d(_BatchNorm):
    """Normalization of each channel over the batch, of (n, c, depth, height, width)."""

    _ranks = (5,)


@with_device_and_dtype
class SyncBatchNorm(_BatchNorm):
    """Batch normalization of any number of dimensions; with one process it is the same."""

    _ranks = (2, 3, 4, 5)

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, process_group: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, bias=bias)

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """Return the module as it is: with one process its batch normalization is this."""
        return module


@with_device_and_dtype
class _InstanceNorm(_BatchNorm):
    """Normalization of each channel of each sample, of (n, c, ...) or (c, ...)."""

    _dims = 2

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False,
        track_running_stats: bool = False, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, bias=bias)

    def forward(self, input: Any) -> Any:
        """(x - mean) / sqrt(variance + eps) * weight + bias, by the sample's statistics unless running ones are used."""
        if input.ndim not in (self._dims + 1, self._dims + 2):
            wanted = f"{self._dims + 1}D or {self._dims + 2}D"
            raise ValueError(f"expected {wanted} input (got {input.ndim}D input)")
        x = input.unsqueeze(0) if input.ndim == self._dims + 1 else input
        if self.track_running_stats and not self.training:
            running = (self.running_mean, self.running_var)
            out = F.batch_norm(x, *running, self.weight, self.bias, False, 0.0, self.eps)
        else:
            out = self._by_sample(x)
        return out.squeeze(0) if input.ndim == self._dims + 1 else out

    def _by_sample(self, x: Any) -> Any:
        if math.prod(x.shape[2:]) == 1:
            raise ValueError(f"Expected more than 1 spatial element when training, got input size {x.shape}")
        dims = tuple(range(2, x.ndim))
        mean, var = x.mean(dims, keepdim=True), x.var(dims, unbiased=False, keepdim=True)
        if self.track_running_stats:
            count = math.prod(x.shape[2:])
            share: Any = self.momentum
            for running, new in ((self.running_mean, mean), (self.running_var, var * (count / (count - 1)))):
                running.copy_(running * (1 - share) + new.detach().reshape(x.shape[0], -1).mean(0) * share)
        out = (x - mean) / basic.sqrt(var + self.eps)  # type: ignore[attr-defined]
        if self.weight is None:
            return out
        shape = (1, -1, *[1] * (x.ndim - 2))
        scaled = out * self.weight.reshape(shape)
        return scaled if self.bias is None else scaled + self.bias.reshape(shape)


class InstanceNorm1d(_InstanceNorm):
    """Normalization of each channel of each sample, of (n, c, length)."""

    _dims = 1


class InstanceNorm2d(_InstanceNorm):
    """Normalization of each channel of each sample, of (n, c, height, width)."""


class InstanceNorm3d(_InstanceNorm):
    """Normalization of each channel of each sample, of (n, c, depth, height, width)."""

    _dims = 3


@with_device_and_dtype
class RMSNorm(Module):
    """Root mean square normalization over the last dimensions (Zhang and Sennrich, 2019)."""

    def __init__(
        self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True
    ) -> None:  # fmt: skip
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        self.register_parameter("weight", empty_parameter(*shape) if elementwise_affine else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Scale by one."""
        fill(1, self.weight)

    def forward(self, input: Any) -> Any:
        """Normalize a tensor whose shape ends in `normalized_shape`."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


@with_device_and_dtype
class LayerNorm(Module):
    """Normalization over the last dimensions."""

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        self.register_parameter("weight", empty_parameter(*shape) if elementwise_affine else None)
        self.register_parameter("bias", empty_parameter(*shape) if elementwise_affine and bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Scale by one and shift by nothing."""
        fill(1, self.weight)
        fill(0, self.bias)

    def forward(self, input: Any) -> Any:
        """Normalize a tensor whose shape ends in `normalized_shape`."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the settings."""
        affine = f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        return f"{self.normalized_shape}, eps={self.eps}, {affine}"


@with_device_and_dtype
class GroupNorm(Module):
    """Normalization over groups of channels."""

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, *, bias: bool = True
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError("num_channels must be divisible by num_groups")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self.register_parameter("weight", empty_parameter(num_channels) if affine else None)
        self.register_parameter("bias", empty_parameter(num_channels) if affine and bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Scale by one and shift by nothing."""
        fill(1, self.weight)
        fill(0, self.bias)

    def forward(self, input: Any) -> Any:
        """Normalize a (n, channels, ...) tensor."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


@no_grad()
@init.of_all_rows
def _draw_rows(table: Any, padding: int | None) -> Any:
    init.normal_(table)
    if padding is not None:
        table[padding] = 0.0
    return table


def repr_of_table_options(
    max_norm: Any, norm_type: Any, scale_grad_by_freq: bool, sparse: bool = False
) -> str:
    """Return those options of a table that are not the defaults, as PyTorch prints them."""
    given = {
        "max_norm": max_norm,
        "norm_type": norm_type,
        "scale_grad_by_freq": scale_grad_by_freq,
        "sparse": sparse,
    }
    defaults = {"max_norm": None, "norm_type": 2.0, "scale_grad_by_freq": False, "sparse": False}
    return "".join(f", {name}={value}" for name, value in given.items() if value != defaults[name])


@with_device_and_dtype
class Embedding(Module):
    """Rows of a table by number."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Any = None,
        _freeze: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise AssertionError("Padding_idx must be within num_embeddings")
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self._options = (max_norm, norm_type, scale_grad_by_freq, sparse)
        table = basic.empty(num_embeddings, embedding_dim) if _weight is None else _weight
        self.weight = Parameter(table, not _freeze)
        if _weight is None:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the rows anew; that of padding_idx is zero."""
        _draw_rows(self.weight, self.padding_idx)

    @classmethod
    def from_pretrained(
        cls, embeddings: Any, freeze: bool = True, padding_idx: int | None = None, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
    ) -> "Embedding":  # fmt: skip
        """Make an embedding with a given table."""
        options = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        made: Any = cls
        return made(*embeddings.shape, *options, _weight=embeddings, _freeze=freeze)

    def forward(self, input: Any) -> Any:
        """Look up the embeddings of (...) indices, a (..., embedding_dim) tensor."""
        return F.embedding(input, self.weight, self.padding_idx, *self._options)

    def extra_repr(self) -> str:
        """Return the sizes."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}{repr_of_table_options(*self._options)}"


@with_device_and_dtype
class Bilinear(Module):
    """x1 @ weight @ x2 + bias for each output."""

    def __init__(self, in1_features: int, in2_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__()
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = empty_parameter(out_features, in1_features, in2_features)
        self.register_parameter("bias", empty_parameter(out_features) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        draw_uniform((self.weight, self.bias), self.in1_features)

    def forward(self, input1: Any, input2: Any) -> Any:
        """Apply the bilinear map to (..., in1_features) and (..., in2_features)."""
        out = ops.einsum("...i,oij,...j->...o", input1, self.weight, input2)
        return out if self.bias is None else out + self.bias

    def extra_repr(self) -> str:
        """Return the sizes."""
        sizes = ", ".join(f"{n}={getattr(self, n)}" for n in ("in1_features", "in2_features", "out_features"))
        return f"{sizes}, bias={self.bias is not None}"
