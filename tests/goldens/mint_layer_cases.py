"""Layers of mint.nn with parameters or state, and their inputs; the oracle is torch.nn of PyTorch 2.13."""

import zlib
from typing import Any

import numpy as np

# layer, shape of the input, training
LAYERS = [
    ("Linear(3, 4)", (2, 3), False), ("Linear(3, 4, bias=False)", (3,), False), ("Conv1d(2, 3, 2, 2, 1)", (2, 2, 5), False),
    ("Conv2d(2, 4, (2, 3), padding='same', groups=2)", (1, 2, 4, 5), False), ("Conv2d(2, 2, 3, 1, 1, padding_mode='reflect')", (1, 2, 4, 4), False),
    ("Conv2d(1, 2, 3, 2, (1, 2), padding_mode='circular', bias=False)", (1, 1, 5, 5), False), ("Conv3d(1, 2, 2, dilation=2)", (1, 1, 4, 4, 4), False),
    ("ConvTranspose2d(2, 3, 3, 2, 1, 1)", (1, 2, 3, 3), False), ("BatchNorm1d(3)", (4, 3), True), ("BatchNorm1d(3, momentum=None)", (4, 3, 2), True),
    ("BatchNorm2d(2, eps=0.1, momentum=0.3)", (2, 2, 3, 3), True), ("BatchNorm2d(2)", (2, 2, 3, 3), False),
    ("BatchNorm2d(2, affine=False, track_running_stats=False)", (2, 2, 3, 3), False), ("BatchNorm3d(2)", (2, 2, 1, 2, 2), True),
    ("GroupNorm(2, 4)", (2, 4, 3), False), ("LayerNorm((2, 3))", (2, 2, 3), False), ("LayerNorm(3, bias=False)", (2, 3), False),
    ("LayerNorm(3, elementwise_affine=False)", (2, 3), False), ("PReLU(2)", (3, 2), False), ("MaxPool2d(3, 2, 1)", (1, 1, 5, 5), False),
    ("AvgPool2d(3, 2, 1, True, False)", (1, 1, 6, 5), False), ("AdaptiveAvgPool2d((2, 3))", (1, 1, 5, 7), False), ("ZeroPad2d((1, 0, 2, 1))", (1, 1, 2, 2), False),
    ("ReflectionPad2d(1)", (1, 1, 3, 3), False), ("ReplicationPad1d((1, 2))", (1, 2, 3), False), ("ConstantPad3d(1, 2.5)", (1, 1, 1, 2, 2), False),
    ("Upsample(scale_factor=2, mode='bilinear')", (1, 1, 2, 3), False), ("UpsamplingBilinear2d((4, 5))", (1, 1, 2, 3), False),
    ("Threshold(0.1, -2.0)", (4,), False), ("Hardtanh(-0.5, 0.5)", (4,), False), ("Softmax(1)", (2, 3), False), ("LogSoftmax()", (2, 3), False),
    ("GELU('tanh')", (4,), False), ("Flatten()", (2, 3, 2), False), ("Unfold(2)", (1, 1, 3, 3), False), ("Fold((3, 3), 2)", (1, 4, 4), False),
    ("PixelShuffle(2)", (1, 4, 2, 2), False), ("SELU()", (4,), False), ("Mish()", (4,), False), ("GLU(0)", (4, 2), False),
]  # fmt: skip


def draw(case: str, what: str, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers for an input or a parameter of a case, always the same."""
    rng = np.random.RandomState(zlib.crc32(f"{case} {what}".encode()))
    return rng.standard_normal(shape).astype(np.float32)


def outcomes(torch: Any) -> dict[str, np.ndarray]:
    """Outputs, gradients and buffers of two calls, and the shapes of Parameters."""
    found: dict[str, np.ndarray] = {}
    for case, shape, training in LAYERS:
        key = f"{case}{'*' * training}"
        layer = eval(f"nn.{case}", {"nn": torch.nn}).train(training)
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
    return found
