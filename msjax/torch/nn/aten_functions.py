"""Functions of `torch` itself in the form of PyTorch's native operators: numbers stand for reductions and modes.

`torch.embedding(weight, indices)`, `torch.kl_div(input, target, 1)`, `torch.lstm(...)`: `torch.nn` is made of these, and
programs that look below it call them.
"""

from collections.abc import Callable, Sequence
from typing import Any

from msjax.core import dtype as dtypes
from msjax.torch.functions import basic
from msjax.torch.nn import functional as F
from msjax.torch.nn import recurrent

_REDUCTIONS = ("none", "mean", "sum")
_INTERPOLATIONS, _PADDINGS = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
NAMES = """
adaptive_max_pool1d affine_grid_generator alpha_dropout alpha_dropout_ binary_cross_entropy_with_logits celu_ convolution
ctc_loss dropout_ embedding feature_alpha_dropout feature_alpha_dropout_ feature_dropout feature_dropout_ frobenius_norm
grid_sampler gru gru_cell instance_norm kl_div lstm lstm_cell max_pool1d_with_indices native_channel_shuffle native_dropout
norm_except_dim nuclear_norm poisson_nll_loss rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell rrelu_ selu_ threshold_
""".split()
celu_, rrelu_, selu_, threshold_ = [getattr(F, name) for name in ("celu_", "rrelu_", "selu_", "threshold_")]
native_channel_shuffle = F.channel_shuffle


def embedding(
    weight: Any, indices: Any, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Any:
    """Return rows of a matrix; the row `padding_idx` gets no gradient, unless it is -1."""
    padding = None if padding_idx == -1 else padding_idx
    return F.embedding(indices, weight, padding, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


# ---------------------------------------------------------------------- losses


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = 1
) -> Any:
    """Compute :func:`torch.nn.functional.binary_cross_entropy_with_logits`; 0, 1, 2 stand for none, mean, sum."""
    named = {"weight": weight, "pos_weight": pos_weight, "reduction": _REDUCTIONS[reduction]}
    return F.binary_cross_entropy_with_logits(input, target, **named)  # type: ignore[attr-defined]


def kl_div(input: Any, target: Any, reduction: int = 1, *, log_target: bool = False) -> Any:
    """Compute :func:`torch.nn.functional.kl_div`; 0, 1, 2 stand for none, mean, sum."""
    return F.kl_div(input, target, reduction=_REDUCTIONS[reduction], log_target=log_target)  # type: ignore[attr-defined]


def poisson_nll_loss(input: Any, target: Any, log_input: bool, full: bool, eps: float, reduction: int) -> Any:
    """Compute :func:`torch.nn.functional.poisson_nll_loss`; 0, 1, 2 stand for none, mean, sum."""
    named = {"log_input": log_input, "full": full, "eps": eps, "reduction": _REDUCTIONS[reduction]}
    return F.poisson_nll_loss(input, target, **named)


def ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: int = 0,
    zero_infinity: bool = False,
) -> Any:  # fmt: skip
    """Compute :func:`torch.nn.functional.ctc_loss`; 0, 1, 2 stand for none, mean, sum."""
    lengths = (input_lengths, target_lengths)
    return F.ctc_loss(log_probs, targets, *lengths, blank, _REDUCTIONS[reduction], zero_infinity)


# ---------------------------------------------------------------------- dropout


def native_dropout(input: Any, p: float, train: bool | None) -> tuple[Any, Any]:
    """Return what dropout leaves, and where that is."""
    if not train and train is not None:
        return input.clone(), basic.ones_like(input, dtype=dtypes.bool_)
    kept = F.dropout(basic.ones_like(input), p, True)  # type: ignore[attr-defined]
    return input * kept, kept != 0


def feature_dropout(input: Any, p: float, train: bool) -> Any:
    """Drop whole channels of (n, channels, ...)."""
    return input * F.dropout(_ones_for_channels(input), p, train)  # type: ignore[attr-defined]


def alpha_dropout(input: Any, p: float, train: bool) -> Any:
    """Compute :func:`torch.nn.functional.alpha_dropout`."""
    return F.alpha_dropout(input, p, train)


def feature_alpha_dropout(input: Any, p: float, train: bool) -> Any:
    """Compute :func:`torch.nn.functional.feature_alpha_dropout`."""
    return F.feature_alpha_dropout(input, p, train)


def _ones_for_channels(input: Any) -> Any:
    return basic.ones_like(input[(slice(None), slice(None), *[slice(1)] * (input.ndim - 2))])


def _in_place(drop: Callable) -> Callable:
    def change(input: Any, p: float, train: bool) -> Any:
        return input.copy_(drop(input, p, train)) if train else input

    change.__name__ = change.__qualname__ = f"{drop.__name__}_"
    change.__doc__ = f"Compute :func:`{drop.__name__}` in place."
    return change


dropout_ = _in_place(F.dropout)  # type: ignore[attr-defined]
feature_dropout_, alpha_dropout_ = _in_place(feature_dropout), _in_place(alpha_dropout)
feature_alpha_dropout_ = _in_place(feature_alpha_dropout)


# ---------------------------------------------------------------------- images


def adaptive_max_pool1d(input: Any, output_size: Any) -> tuple[Any, Any]:
    """Return the largest elements of as many parts, and where they are."""
    return F.adaptive_max_pool1d(input, output_size, True)


def max_pool1d_with_indices(
    input: Any,
    kernel_size: Any,
    stride: Any = (),
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> tuple[Any, Any]:
    """Return the largest elements of windows, and where they are."""
    return F.max_pool1d(input, kernel_size, stride or None, padding, dilation, ceil_mode, return_indices=True)


def affine_grid_generator(theta: Any, size: Sequence[int], align_corners: bool) -> Any:
    """Compute :func:`torch.nn.functional.affine_grid`."""
    return F.affine_grid(theta, tuple(size), align_corners)  # type: ignore[attr-defined]


def grid_sampler(
    input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Any:
    """Compute :func:`torch.nn.functional.grid_sample`; numbers stand for its modes, in their order."""
    modes = _INTERPOLATIONS[interpolation_mode], _PADDINGS[padding_mode]
    return F.grid_sample(input, grid, *modes, align_corners)


def instance_norm(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, use_input_stats: bool, momentum: float,
    eps: float, cudnn_enabled: bool,
) -> Any:  # fmt: skip
    """Compute :func:`torch.nn.functional.instance_norm`."""
    statistics = running_mean, running_var
    return F.instance_norm(input, *statistics, weight, bias, use_input_stats, momentum, eps)  # type: ignore[attr-defined]


def convolution(
    input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any,
    groups: int,
) -> Any:  # fmt: skip
    """Convolve in as many dimensions as the input has beside two, or compute the transposed convolution."""
    name = f"conv{'_transpose' * transposed}{input.ndim - 2}d"
    if transposed:
        return getattr(F, name)(input, weight, bias, stride, padding, output_padding, groups, dilation)
    return getattr(F, name)(input, weight, bias, stride, padding, dilation, groups)


# ---------------------------------------------------------------------- norms


def frobenius_norm(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """Return the root of the sum of squares along some dimensions."""
    return basic.norm(input, "fro", dim, keepdim)


def nuclear_norm(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the sum of the singular values of a matrix."""
    return basic.norm(input, "nuc", dim, keepdim)


def norm_except_dim(v: Any, pow: int = 2, dim: int = 0) -> Any:
    """Return the norm over all dimensions but one, which keep length 1; over all of them if `dim` is -1."""
    if dim == -1:
        return basic.norm(v, pow)
    others = [axis for axis in range(v.ndim) if axis != dim]
    return basic.norm(v, pow, others, True) if others else v.abs()


# ---------------------------------------------------------------------- recurrent nets


def _recurrent_net(kind: type, **chosen: Any) -> Callable:
    def run(
        input: Any, hx: Any, params: Sequence[Any], has_biases: bool, num_layers: int, dropout: float, train: bool,
        bidirectional: bool, batch_first: bool,
    ) -> tuple:  # fmt: skip
        states = tuple(hx) if isinstance(hx, tuple | list) else (hx,)
        options = {"bias": has_biases, "batch_first": batch_first, "dropout": dropout}
        net = kind(
            input.shape[-1], states[0].shape[-1], num_layers, bidirectional=bidirectional, **options, **chosen
        )
        net.train(train)
        for (name, _), given in zip(list(net.named_parameters()), params, strict=True):
            del net._parameters[name]
            setattr(net, name, given)
        out, last = net(input, hx)
        return (out, *last) if isinstance(last, tuple) else (out, last)

    run.__doc__ = f"Run the weights `params` as :class:`torch.nn.{kind.__name__}` does."
    return run


def _recurrent_cell(kind: type, **chosen: Any) -> Callable:
    def run(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
        cell = kind(input.shape[-1], w_hh.shape[-1], **chosen)
        for name, given in zip(
            ("weight_ih", "weight_hh", "bias_ih", "bias_hh"), (w_ih, w_hh, b_ih, b_hh), strict=True
        ):
            del cell._parameters[name]
            setattr(cell, name, given)
        return cell(input, hx)

    run.__doc__ = f"Make one step of :class:`torch.nn.{kind.__name__}` with these weights."
    return run


lstm, gru = _recurrent_net(recurrent.LSTM), _recurrent_net(recurrent.GRU)
rnn_tanh = _recurrent_net(recurrent.RNN, nonlinearity="tanh")
rnn_relu = _recurrent_net(recurrent.RNN, nonlinearity="relu")
lstm_cell, gru_cell = _recurrent_cell(recurrent.LSTMCell), _recurrent_cell(recurrent.GRUCell)
rnn_tanh_cell = _recurrent_cell(recurrent.RNNCell, nonlinearity="tanh")
rnn_relu_cell = _recurrent_cell(recurrent.RNNCell, nonlinearity="relu")
