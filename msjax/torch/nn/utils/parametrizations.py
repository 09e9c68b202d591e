"""`torch.nn.utils.parametrizations`: weight norm, spectral norm, orthogonal."""

from typing import Any

from msjax import ops
from msjax.core.autodiff.imperative import no_grad
from msjax.torch import linalg
from msjax.torch.functions import basic, decompositions, served_from_mint
from msjax.torch.nn import functional as F
from msjax.torch.nn.convolution import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from msjax.torch.nn.module import Module
from msjax.torch.nn.utils.parametrize import register_parametrization
from msjax.torch.tensors.call_conventions import wrap_dim
from msjax.torch.tensors.tensor import as_torch


def norm_except(weight: Any, dim: int | None) -> Any:
    """Return the norms of slices along a dimension, or of all elements."""
    if dim is None or dim == -1:
        return basic.norm(weight)
    dims = [n for n in range(weight.ndim) if n != wrap_dim(dim, weight.ndim)]
    squares = basic.square(weight).sum(dims, keepdim=True) if dims else basic.square(weight)  # type: ignore[attr-defined]
    return basic.sqrt(squares)  # type: ignore[attr-defined]


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        return weight_v * (weight_g / norm_except(weight_v, self.dim))

    def right_inverse(self, weight: Any) -> tuple[Any, Any]:
        return norm_except(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Learn directions and lengths of a weight apart (Salimans and Kingma, 2016).

    Examples:
        >>> from msjax import torch
        >>> net = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 3))
        >>> net.parametrizations.weight.original0.shape
        torch.Size([3, 1])
    """
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


def as_matrix(weight: Any, dim: int) -> Any:
    """Return the weight as a matrix with a dimension first."""
    order = [dim, *[n for n in range(weight.ndim) if n != dim]]
    return basic.flatten(basic.permute(weight, *order), 1)


@no_grad()
def power_iterate(matrix: Any, u: Any, v: Any, times: int, eps: float) -> None:
    """Bring u and v nearer to the singular vectors of the largest singular value, in place."""
    for _ in range(times):
        u.copy_(F.normalize(matrix @ v, dim=0, eps=eps))
        v.copy_(F.normalize(matrix.t() @ u, dim=0, eps=eps))


def default_dim(module: Module) -> int:
    """Return the dimension of a module's outputs in its weight."""
    return int(isinstance(module, ConvTranspose1d | ConvTranspose2d | ConvTranspose3d))


class _SpectralNorm(Module):
    def __init__(self, weight: Any, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__()
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim, self.eps, self.n_power_iterations = wrap_dim(dim, weight.ndim), eps, n_power_iterations
        if weight.ndim > 1:
            matrix = as_matrix(weight.detach(), self.dim)
            for name, size in zip(("_u", "_v"), matrix.shape, strict=True):
                start = basic.randn(size, dtype=weight.dtype)
                self.register_buffer(name, F.normalize(start, dim=0, eps=eps))
            power_iterate(matrix, self._u, self._v, 15, eps)

    def forward(self, weight: Any) -> Any:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            power_iterate(matrix.detach(), self._u, self._v, self.n_power_iterations, self.eps)
        u, v = self._u.clone(), self._v.clone()
        return weight / (u * (matrix @ v)).sum()

    def right_inverse(self, value: Any) -> Any:
        return value


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight by its largest singular value, by power iteration (Miyato and others, 2018)."""
    weight = getattr(module, name)
    at = default_dim(module) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, at, eps))


class _Orthogonal(Module):
    base: Any

    def __init__(self, kind: str, trivial: bool) -> None:
        super().__init__()
        self.kind, self.trivial = kind, trivial
        if trivial:
            self.register_buffer("base", None)

    def forward(self, X: Any) -> Any:
        tall = X.mT if X.shape[-2] < X.shape[-1] else X
        q = self._householder_product(tall) if self.kind == "householder" else self._cayley_map(tall)
        q = self.base @ q if self.trivial and self.base is not None else q
        return q.mT if X.shape[-2] < X.shape[-1] else q

    def _cayley_map(self, x: Any) -> Any:
        """Return the orthogonal matrix of the triangle below the diagonal, taken as a skew-symmetric matrix."""
        n, k = x.shape[-2:]
        below = as_torch(ops.pad(as_torch(ops.tril(x)), [0, n - k])) if n != k else as_torch(ops.tril(x))
        skew = below - as_torch(ops.conj(below.mT))
        if self.kind == "matrix_exp":
            return as_torch(ops.matrix_exp(skew))[..., :k]
        one = basic.eye(n, dtype=x.dtype)
        return linalg.solve(one - skew * 0.5, one + skew * 0.5)[..., :k]

    def _householder_product(self, x: Any) -> Any:
        a = as_torch(ops.tril(x, -1))
        tau = 2.0 / (1.0 + (a * a).sum(-2))
        signs = as_torch(ops.diagonal(x, 0, -2, -1)).to(basic.dtypes.int32).to(x.dtype)
        return decompositions.orgqr(a, tau) * signs.unsqueeze(-2)

    def right_inverse(self, Q: Any) -> Any:
        tall = Q.mT if Q.shape[-2] < Q.shape[-1] else Q
        n, k = tall.shape[-2:]
        if not self.trivial:
            if self.kind != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations."
                )
            found, tau = served_from_mint.find_function("geqrf")(tall)
            diagonal = basic.sign(as_torch(ops.diagonal(found, 0, -2, -1)))  # type: ignore[attr-defined]
            diagonal = basic.where(tau == 0, -diagonal, diagonal)
            found = as_torch(ops.tril(found, -1)) + as_torch(
                ops.pad(as_torch(ops.diag_embed(diagonal)), [0, 0, 0, n - k])
            )
            return found.mT if Q.shape[-2] < Q.shape[-1] else found
        wide = basic.cat([tall, basic.randn(*tall.shape[:-2], n, n - k, dtype=Q.dtype)], -1)
        q, r = linalg.qr(wide)
        # Of a weight without full rank numbers on the diagonal are 0.
        turned = as_torch(ops.diagonal(r, 0, -2, -1)).unsqueeze(-2) < 0
        self.base = basic.where(turned, -q, q).detach()
        start = basic.eye(*Q.shape[-2:], dtype=Q.dtype) * -1
        return basic.expand(start, *Q.shape)


def orthogonal(
    module: Module,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> Module:
    """Return a weight with orthonormal rows or columns (Lezcano-Casado, 2019).

    Raises:
        ValueError: if the weight has fewer than two dimensions, or the map is not known.
    """
    weight = getattr(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    square = weight.shape[-2] == weight.shape[-1] or weight.is_complex()
    kind = orthogonal_map or ("matrix_exp" if square else "householder")
    if kind not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    return register_parametrization(module, name, _Orthogonal(kind, use_trivialization), unsafe=True)
