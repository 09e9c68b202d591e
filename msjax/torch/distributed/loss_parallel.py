"""`torch.distributed.tensor.parallel.loss`: cross entropy of logits whose classes are divided among processes."""

import contextlib
from collections.abc import Iterator
from typing import Any

from msjax.communication import operators
from msjax.core.autodiff.imperative import no_grad
from msjax.torch.distributed.dtensor import COMPUTES, DTensor
from msjax.torch.distributed.parts import add_terms
from msjax.torch.distributed.placements import Replicate, Shard
from msjax.torch.tensors import torch_function
from msjax.torch.tensors.tensor import as_torch


class _ParallelLoss:
    """Depth of entered `loss_parallel` contexts."""

    depth = 0


@contextlib.contextmanager
def loss_parallel() -> Iterator[None]:
    """Let `cross_entropy` take logits as a DTensor that is cut along the classes, and compute without gathering them."""
    torch_function.defined.any = True
    _ParallelLoss.depth += 1
    try:
        yield
    finally:
        _ParallelLoss.depth -= 1


def _cross_entropy(
    input: DTensor, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100,
    reduce: Any = None, reduction: str = "mean", label_smoothing: float = 0.0,
) -> DTensor:  # fmt: skip
    mesh = input.device_mesh
    classes = input.ndim - 1 if input.ndim < 2 else 1
    if not _ParallelLoss.depth or mesh.ndim != 1 or input.placements != (Shard(classes),):
        raise NotImplementedError(
            f"`cross_entropy`: a DTensor must be cut along its classes, in `loss_parallel`. Received: {input.placements}."
        )
    if (weight, size_average, reduce, label_smoothing) != (None, None, None, 0.0):
        raise NotImplementedError(
            "`cross_entropy`: of a DTensor, arguments `weight`, `size_average`, `reduce` and `label_smoothing` must be left "
            "out."
        )
    target = target.full_tensor() if isinstance(target, DTensor) else target
    logits, ranks = input.to_local(), tuple(mesh.mesh.reshape(-1).tolist())
    count = logits.shape[classes]
    if count * mesh.size() != input.shape[classes]:
        raise NotImplementedError(
            f"`cross_entropy`: {mesh.size()} processes must divide {input.shape[classes]} classes."
        )
    first = count * mesh.get_local_rank()
    with no_grad():
        largest = as_torch(operators.all_reduce(logits.detach().amax(classes, True), "max", ranks))
    shifted = logits - largest
    total = as_torch(add_terms(shifted.exp().sum(classes), ranks))
    here = (target >= first) & (target < first + count)
    own = shifted.gather(classes, (target - first).where(here, 0).unsqueeze(classes)).squeeze(classes)
    losses = total.log() - as_torch(add_terms(own.where(here, 0.0), ranks))
    counted = target != ignore_index
    losses = losses.where(counted, 0.0)
    if reduction == "mean":
        losses = losses.sum() / counted.sum()
    elif reduction == "sum":
        losses = losses.sum()
    elif reduction != "none":
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return DTensor.from_local(losses, mesh, (Replicate(),))


COMPUTES["cross_entropy"] = _cross_entropy
