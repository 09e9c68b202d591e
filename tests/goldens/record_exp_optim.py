"""Record what the optimizers and schedulers of `exp_optim_cases.py` do, as `exp_optim_<oracle>.json`.

python tests/goldens/record_exp_optim.py mindspore   # with mindspore==2.10.0
python tests/goldens/record_exp_optim.py torch       # with torch 2.13: mint.optim
"""

import json
import pathlib
import sys
from typing import Any

from exp_optim_cases import OPTIMIZERS, SCHEDULERS, case, values


def with_torch() -> dict[str, Any]:
    import torch

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


def with_mindspore() -> dict[str, Any]:
    import mindspore as ms
    from mindspore.experimental import optim

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


if __name__ == "__main__":
    oracle = sys.argv[1]
    made = {"mindspore": with_mindspore, "torch": with_torch}[oracle]()
    path = pathlib.Path(__file__).with_name(f"exp_optim_{oracle}.json")
    path.write_text(json.dumps(made, indent=1) + "\n")
    print(len(made), "recorded")
