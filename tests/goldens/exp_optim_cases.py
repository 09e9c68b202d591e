"""Optimizers of mindspore.experimental.optim and mint.optim with settings, and schedulers: what the goldens hold."""

from typing import Any

import numpy as np

# optimizer, settings; "mint." is recorded from PyTorch 2.13, whose optimizers mint follows
OPTIMIZERS = [
    ("ASGD", {"lr": 0.1}), ("ASGD", {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "t0": 1.0, "weight_decay": 0.1}),
    ("Adadelta", {}), ("Adadelta", {"lr": 0.5, "rho": 0.8, "eps": 1e-3, "weight_decay": 0.1, "maximize": True}),
    ("Adagrad", {"lr": 0.1}), ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5, "eps": 0.01}),
    ("Adam", {"lr": 0.1}), ("Adam", {"lr": 0.1, "betas": (0.8, 0.9), "eps": 0.01, "weight_decay": 0.1}),
    ("AdamW", {"lr": 0.1}), ("AdamW", {"lr": 0.1, "betas": (0.8, 0.9), "eps": 0.01, "weight_decay": 0.1, "maximize": True}),
    ("Adamax", {"lr": 0.1}), ("Adamax", {"lr": 0.1, "betas": (0.8, 0.9), "eps": 0.01, "weight_decay": 0.1}),
    ("NAdam", {"lr": 0.1}), ("NAdam", {"lr": 0.1, "betas": (0.8, 0.9), "eps": 0.01, "weight_decay": 0.1, "momentum_decay": 0.1}),
    ("RAdam", {"lr": 0.1}), ("RAdam", {"lr": 0.1, "betas": (0.5, 0.9), "eps": 0.01, "weight_decay": 0.1}),
    ("RMSprop", {"lr": 0.1}), ("RMSprop", {"lr": 0.1, "alpha": 0.8, "eps": 0.01, "weight_decay": 0.1, "momentum": 0.9, "centered": True}),
    ("Rprop", {"lr": 0.1}), ("Rprop", {"lr": 0.1, "etas": (0.4, 1.5), "step_sizes": (0.05, 0.2)}),
    ("SGD", {"lr": 0.1}), ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.2, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "maximize": True}),
    ("mint.Adam", {"lr": 0.1, "betas": (0.8, 0.9), "eps": 0.01, "weight_decay": 0.1, "amsgrad": True}),
    ("mint.AdamW", {"lr": 0.1, "betas": (0.8, 0.9), "eps": 0.01, "weight_decay": 0.1}),
    ("mint.SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.2, "weight_decay": 0.1}),
    ("mint.SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
]  # fmt: skip
STEPS = 6

# scheduler, settings, steps
SCHEDULERS = [
    ("StepLR", {"step_size": 2, "gamma": 0.5}), ("MultiStepLR", {"milestones": [1, 3, 3], "gamma": 0.5}),
    ("ConstantLR", {"factor": 0.5, "total_iters": 3}), ("LinearLR", {"start_factor": 0.5, "end_factor": 0.8, "total_iters": 4}),
    ("ExponentialLR", {"gamma": 0.7}), ("PolynomialLR", {"total_iters": 4, "power": 2.0}),
    ("CosineAnnealingLR", {"T_max": 3, "eta_min": 0.01}), ("CosineAnnealingWarmRestarts", {"T_0": 2, "T_mult": 2, "eta_min": 0.01}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 3}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 2, "step_size_down": 3, "mode": "triangular2"}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 2, "mode": "exp_range", "gamma": 0.9}),
]  # fmt: skip


def case(name: str, settings: dict) -> str:
    return f"{name}({', '.join(f'{k}={v!r}' for k, v in settings.items())})"


def values() -> tuple[list[np.ndarray], list[list[np.ndarray]]]:
    """Parameters, and their gradients for each step."""
    rng = np.random.RandomState(5)
    shapes = [(3,), (2, 2)]
    first, *steps = [[rng.standard_normal(n).astype(np.float32) for n in shapes] for _ in range(STEPS + 1)]
    return first, steps


def with_torch(torch: Any) -> dict[str, Any]:
    """The Parameters after the steps of mint's optimizers, which are PyTorch's."""
    found = {}
    for name, settings in OPTIMIZERS:
        if name.startswith("mint."):
            first, steps = values()
            params = [torch.nn.Parameter(torch.from_numpy(v)) for v in first]
            optimizer = getattr(torch.optim, name[5:])(params, **settings)
            for number, gradients in enumerate(steps):
                if number == 3:
                    optimizer.param_groups[0]["lr"] = 0.05
                for p, g in zip(params, gradients, strict=True):
                    p.grad = torch.from_numpy(g)
                optimizer.step()
            found[case(name, settings)] = [p.detach().numpy().tolist() for p in params]
    return found


def with_mindspore(ms: Any, optim: Any) -> dict[str, Any]:
    """The Parameters after the steps of the other optimizers, and the rates of the schedulers."""

    def parameters() -> list:
        return [ms.Parameter(ms.Tensor(v), name=f"p{i}") for i, v in enumerate(values()[0])]

    found: dict[str, Any] = {}
    for name, settings in OPTIMIZERS:
        if name.startswith("mint."):
            continue
        params, steps = parameters(), values()[1]
        optimizer = getattr(optim, name)(params, **settings)
        for number, gradients in enumerate(steps):
            if number == 3:
                ms.ops.assign(optimizer.param_groups[0]["lr"], ms.Tensor(0.05, ms.float32))
            optimizer(tuple(ms.Tensor(g) for g in gradients))
        found[case(name, settings)] = [p.asnumpy().tolist() for p in params]
    for name, settings in SCHEDULERS:
        optimizer = optim.SGD(parameters(), lr=0.1)
        scheduler = getattr(optim.lr_scheduler, name)(optimizer, **settings)
        rates = [float(scheduler.get_last_lr()[0])]
        for _ in range(8):
            scheduler.step()
            rates.append(float(scheduler.get_last_lr()[0]))
        found[case(name, settings)] = rates
    return found
