"""Record what PyTorch 2.13 gives for `mint_layer_cases.py`, as `mint_layers.npz`.

python tests/goldens/record_mint_layers.py      # in an environment with torch 2.13
"""

import pathlib

import numpy as np
import torch
from mint_layer_cases import LAYERS, draw
from torch import nn


def main() -> None:
    found: dict[str, np.ndarray] = {}
    for case, shape, training in LAYERS:
        key = f"{case}{'*' * training}"
        layer = eval(f"nn.{case}", {"nn": nn}).train(training)
        with torch.no_grad():
            for name, p in layer.named_parameters():
                p.copy_(torch.from_numpy(draw(case, name, tuple(p.shape))))
        for step in range(2):
            x = torch.from_numpy(draw(case, f"input {step}", shape)).requires_grad_()
            y = layer(x)
            (gradient,) = torch.autograd.grad(
                y, x, torch.from_numpy(draw(case, f"sens {step}", tuple(y.shape)))
            )
            found[f"{key} out {step}"] = y.detach().numpy()
            found[f"{key} gradient {step}"] = gradient.numpy()
        for name, buffer in layer.named_buffers():
            found[f"{key} {name}"] = buffer.numpy()
        for name, p in layer.named_parameters():
            found[f"{key} {name}"] = np.zeros(tuple(p.shape), np.int8)
    np.savez_compressed(pathlib.Path(__file__).with_name("mint_layers.npz"), **found)
    print(len(LAYERS), "layers recorded")


if __name__ == "__main__":
    main()
