"""`weight_norm` and `spectral_norm` as forward pre-hooks, which PyTorch keeps beside the parametrizations."""

from collections.abc import Callable
from typing import Any

from msjax.torch.functions import basic
from msjax.torch.nn import functional as F
from msjax.torch.nn.module import Module, Parameter
from msjax.torch.nn.utils.parametrizations import as_matrix, default_dim, norm_except, power_iterate


def _normalize_weight(module: Module, name: str, dim: int | None) -> Any:
    v = getattr(module, f"{name}_v")
    return v * (getattr(module, f"{name}_g") / norm_except(v, dim))


def _register_norm_hook(module: Module, kind: str, name: str, compute: Callable) -> Module:
    def before(module: Module, inputs: tuple) -> None:
        setattr(module, name, compute(module))

    held = module.__dict__.setdefault("_normed_weights", {})
    if name in held:
        raise RuntimeError(f"Cannot register two {kind} hooks on the same parameter {name}")
    held[name] = (kind, module.register_forward_pre_hook(before), compute)
    return module


def _remove_norm_hook(module: Module, kind: str, name: str) -> Any:
    held = module.__dict__.get("_normed_weights", {})
    if held.get(name, ("",))[0] != kind:
        raise ValueError(f"{kind} of '{name}' not found in {module}")
    _, handle, compute = held.pop(name)
    handle.remove()
    return compute(module).detach()


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Learn directions and lengths of a weight apart (Salimans and Kingma, 2016), as `weight_v` and `weight_g`."""
    weight = getattr(module, name)
    delattr(module, name)
    module.register_parameter(f"{name}_g", Parameter(norm_except(weight, dim).detach()))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    setattr(module, name, _normalize_weight(module, name, dim))
    return _register_norm_hook(
        module, "weight_norm", name, lambda module: _normalize_weight(module, name, dim)
    )


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Make a weight of :func:`weight_norm` a plain Parameter."""
    weight = _remove_norm_hook(module, "weight_norm", name)
    for each in (name, f"{name}_g", f"{name}_v"):
        delattr(module, each)
    module.register_parameter(name, Parameter(weight))
    return module


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight by its largest singular value, by power iteration in train mode (Miyato and others, 2018)."""
    weight = getattr(module, name)
    at = default_dim(module) if dim is None else dim
    shape = as_matrix(weight.detach(), at).shape
    delattr(module, name)
    module.register_parameter(f"{name}_orig", Parameter(weight.detach()))
    setattr(module, name, weight.detach())
    for part, size in zip("uv", shape, strict=True):
        start = F.normalize(basic.randn(size, dtype=weight.dtype), dim=0, eps=eps)
        module.register_buffer(f"{name}_{part}", start)

    def compute(module: Module) -> Any:
        original = getattr(module, f"{name}_orig")
        matrix, u, v = as_matrix(original, at), getattr(module, f"{name}_u"), getattr(module, f"{name}_v")
        if module.training:
            power_iterate_from_v(matrix.detach(), u, v, n_power_iterations, eps)
        return original / (u.clone() * (matrix @ v.clone())).sum()

    return _register_norm_hook(module, "spectral_norm", name, compute)


def power_iterate_from_v(matrix: Any, u: Any, v: Any, times: int, eps: float) -> None:
    """Power iteration that begins with v."""
    power_iterate(matrix.t(), v, u, times, eps)


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Make a weight of :func:`spectral_norm` a plain Parameter."""
    training = module.training
    module.training = False
    weight = _remove_norm_hook(module, "spectral_norm", name)
    module.training = training
    for each in (name, f"{name}_orig", f"{name}_u", f"{name}_v"):
        delattr(module, each)
    module.register_parameter(name, Parameter(weight))
    return module
