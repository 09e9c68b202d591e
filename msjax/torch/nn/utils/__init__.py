"""`torch.nn.utils`: gradient clipping, conversion of parameters to vectors, fusion of convolution and batch norm."""

import copy
import importlib
import math
from collections.abc import Iterable
from typing import Any

from msjax import ops
from msjax.communication import operators
from msjax.core.autodiff.imperative import no_grad
from msjax.torch.functions import basic, served_from_mint
from msjax.torch.nn.module import Parameter
from msjax.torch.tensors.call_conventions import replace_value
from msjax.torch.tensors.tensor import Tensor, as_torch


def _gradients(parameters: Any) -> list[Tensor]:
    listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [parameter.grad for parameter in listed if parameter.grad is not None]


@no_grad()
def get_total_norm(
    tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """Return the norm of tensors together.

    Raises:
        RuntimeError: with `error_if_nonfinite`, if it is not finite.
    """
    listed = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    if not listed:
        return basic.tensor(0.0)
    norms = [basic.norm(as_torch(each), norm_type) for each in listed]
    total = basic.norm(basic.stack(norms), norm_type)
    if error_if_nonfinite and not bool(basic.isfinite(total)):  # type: ignore[attr-defined]
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be clipped."
        )
    return total


@no_grad()
def clip_grads_with_norm_(
    parameters: Any, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale gradients in place as if their norm together were `total_norm`, to at most `max_norm`."""
    scale = as_torch(ops.minimum(ops.div(float(max_norm), ops.add(total_norm, 1e-6)), 1.0))
    for gradient in _gradients(parameters):
        replace_value(gradient, ops.mul(gradient, scale))


def _total_norm(parameters: list[Any], norm_type: float, error_if_nonfinite: bool) -> Tensor:
    """The norm of the gradients together; those of Parameters in parts over the processes that have them."""
    shared: dict[tuple[tuple[int, ...], ...], list[Tensor]] = {}
    for parameter in parameters:
        if parameter.grad is not None:
            shared.setdefault(getattr(parameter, "groups", ()), []).append(parameter.grad)
    norms = []
    for groups, gradients in shared.items():
        norm = get_total_norm(gradients, norm_type)
        for ranks in groups:
            reduction = "max" if math.isinf(norm_type) else "sum"
            power = 1.0 if math.isinf(norm_type) else float(norm_type)
            norm = as_torch(ops.pow(operators.all_reduce(ops.pow(norm, power), reduction, ranks), 1 / power))
        norms.append(norm)
    return get_total_norm(norms, norm_type, error_if_nonfinite)


def clip_grad_norm_(
    parameters: Iterable[Tensor] | Tensor, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """Scale gradients in place so that their total norm is at most `max_norm`; return the norm before."""
    listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    total = _total_norm(listed, norm_type, error_if_nonfinite)
    clip_grads_with_norm_(listed, max_norm, total)
    return total


clip_grad_norm = clip_grad_norm_


@no_grad()
def clip_grad_value_(
    parameters: Iterable[Tensor] | Tensor, clip_value: float, foreach: bool | None = None
) -> None:
    """Limit gradients in place to [-clip_value, clip_value]."""
    for gradient in _gradients(parameters):
        replace_value(gradient, basic.clamp(gradient, -clip_value, clip_value))


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Concatenate all elements of all Parameters into one vector."""
    return basic.cat([basic.reshape(p, -1) for p in parameters])


@no_grad()
def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Copy a vector, as :func:`parameters_to_vector` makes it, into Parameters."""
    at = 0
    for parameter in parameters:
        size = parameter.numel()
        replace_value(parameter, basic.reshape(vec[at : at + size], tuple(parameter.shape)))
        at += size


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """Make a module; its initial values are drawn nevertheless."""
    return module_cls(*args, **kwargs)


@no_grad()
def fuse_conv_bn_weights(
    conv_w: Any,
    conv_b: Any,
    bn_rm: Any,
    bn_rv: Any,
    bn_eps: float,
    bn_w: Any,
    bn_b: Any,
    transpose: bool = False,
) -> tuple[Any, Any]:
    """Fuse the weights of a convolution and a batch normalization: weight and bias of the equivalent convolution."""
    bias = basic.zeros_like(bn_rm) if conv_b is None else conv_b
    scale = basic.rsqrt(bn_rv + bn_eps) * (1.0 if bn_w is None else bn_w)  # type: ignore[attr-defined]
    shape = [1] * conv_w.ndim
    shape[1 if transpose else 0] = -1
    shift = 0.0 if bn_b is None else bn_b
    fused = (conv_w * basic.reshape(scale, *shape), (bias - bn_rm) * scale + shift)
    return tuple(Parameter(each.detach(), conv_w.requires_grad) for each in fused)  # type: ignore[return-value]


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """Fuse a convolution and a batch normalization (in eval mode): return the equivalent convolution.

    Raises:
        AssertionError: if one of them is in train mode.
    """
    if conv.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    made = copy.deepcopy(conv)
    statistics = (bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
    weight, bias = fuse_conv_bn_weights(made.weight, made.bias, *statistics, transpose)
    made.register_parameter("weight", weight)
    made.register_parameter("bias", bias)
    return made


fuse_linear_bn_eval, fuse_linear_bn_weights = fuse_conv_bn_eval, fuse_conv_bn_weights
_ELSEWHERE = dict.fromkeys(
    ("weight_norm", "remove_weight_norm", "spectral_norm", "remove_spectral_norm"), "norms"
)


def __getattr__(name: str) -> Any:
    if name in ("rnn", "parametrize", "parametrizations", "prune"):
        return importlib.import_module(f"{__name__}.{name}")
    if name in _ELSEWHERE:
        return getattr(importlib.import_module(f"{__name__}.{_ELSEWHERE[name]}"), name)
    return served_from_mint.make_placeholder("torch.nn.utils", name)
