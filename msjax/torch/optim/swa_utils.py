"""`torch.optim.swa_utils`: stochastic weight averaging (SWA) and exponential moving averages (Izmailov and others, 2018)."""

import copy
import math
from collections.abc import Callable, Iterable
from typing import Any

from msjax.core.autodiff.imperative import no_grad
from msjax.torch.functions import basic, served_from_mint
from msjax.torch.nn.module import Module
from msjax.torch.optim.lr_scheduler import LRScheduler
from msjax.torch.optim.optimizer import Optimizer


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable:
    """Return a function that updates :class:`AveragedModel` by an exponential moving average."""

    def average(averaged: list, current: list, count: Any) -> None:
        for old, new in zip(averaged, current, strict=True):
            if old.is_floating_point() or old.is_complex():
                old.lerp_(new, 1 - decay)
            else:  # counters among the buffers
                old.copy_(old * decay + new * (1 - decay))

    return average


def get_ema_avg_fn(decay: float = 0.999) -> Callable:
    """Return the same for one Parameter."""
    return lambda averaged, current, count: decay * averaged + (1 - decay) * current


def get_swa_multi_avg_fn() -> Callable:
    """Return a function that updates :class:`AveragedModel` by the mean, as it does itself."""

    def average(averaged: list, current: list, count: Any) -> None:
        for old, new in zip(averaged, current, strict=True):
            if old.is_floating_point() or old.is_complex():
                old.lerp_(new, 1 / (float(count) + 1))
            else:
                old.copy_(old + (new - old) / (count + 1))

    return average


def get_swa_avg_fn() -> Callable:
    """Return the same for one Parameter."""
    return lambda averaged, current, count: averaged + (current - averaged) / (count + 1)


class AveragedModel(Module):
    """A copy of a module whose Parameters are the mean over the calls of `update_parameters`.

    Examples:
        >>> from msjax import torch
        >>> net = torch.nn.Linear(1, 1)
        >>> mean = torch.optim.swa_utils.AveragedModel(net)
        >>> mean.update_parameters(net)
        >>> int(mean.n_averaged)
        1
    """

    def __init__(
        self, model: Module, device: Any = None, avg_fn: Callable | None = None, multi_avg_fn: Callable | None = None,
        use_buffers: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.module = copy.deepcopy(model)
        self.register_buffer("n_averaged", basic.tensor(0))
        self._avg, self._multi, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the averaged model."""
        return self.module(*args, **kwargs)

    def _tensors(self, module: Module) -> list[Any]:
        return [*module.parameters(), *(module.buffers() if self.use_buffers else ())]

    @no_grad()
    def update_parameters(self, model: Module) -> None:
        """Add the Parameters of a module to the mean."""
        old, new = self._tensors(self.module), self._tensors(model)
        count = int(self.n_averaged)
        if count == 0:
            for a, b in zip(old, new, strict=True):
                a.copy_(b)
        elif self._multi is not None:
            self._multi(old, new, self.n_averaged)
        else:
            for a, b in zip(old, new, strict=True):
                mean = self._avg(a, b, self.n_averaged) if self._avg else a + (b - a) / (count + 1)
                a.copy_(mean)
        if not self.use_buffers:
            for a, b in zip(self.module.buffers(), model.buffers(), strict=True):
                a.copy_(b)
        self.n_averaged.add_(1)


class SWALR(LRScheduler):
    """SWA learning rate: anneals from the current rate to `swa_lr` in some epochs."""

    def __init__(
        self, optimizer: Optimizer, swa_lr: float, anneal_epochs: int = 10, anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self.anneal_epochs, self.anneal_strategy, self.swa_lr = anneal_epochs, anneal_strategy, swa_lr
        self._starts = [group["lr"] for group in optimizer.param_groups]
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:  # noqa: D102
        share = min(1.0, self.last_epoch / self.anneal_epochs) if self.anneal_epochs else 1.0
        share = (1 - math.cos(math.pi * share)) / 2 if self.anneal_strategy == "cos" else share
        return [self.swa_lr * share + start * (1 - share) for start in self._starts]


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Recompute the running statistics of batch normalization, as plain means over a loader."""
    layers = [m for m in model.modules() if hasattr(m, "num_batches_tracked") and m.running_mean is not None]
    kept = [layer.momentum for layer in layers]
    for layer in layers:
        layer.running_mean.zero_()
        layer.running_var.fill_(1)
        layer.num_batches_tracked.zero_()
        layer.momentum = None
    mode = model.training
    model.train()
    for batch in loader if layers else ():
        model(batch[0] if isinstance(batch, list | tuple) else batch)
    for layer, momentum in zip(layers, kept, strict=True):
        layer.momentum = momentum
    model.train(mode)


def __getattr__(name: str) -> Any:
    return served_from_mint.make_placeholder("torch.optim.swa_utils", name)
