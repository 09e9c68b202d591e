"""Functions where they are not smooth: values and gradients at zeros, poles, ties, infinities and NaN."""

from typing import Any

INF, NAN = float("inf"), float("nan")
NUMBERS = [0.0, -0.0, 1.0, -1.0, INF, NAN, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 1e-30, 100.0]
PLACES = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 0.5, 2.0, -2.0, 3.0, -1.5]
ROWS = [[[0.0, 0.0], [0.0, 1.0], [-2.0, 1.0]], [[0.0, 0.0], [1.0, 1.0], [2.0, 1.0]]]
FINITE = [0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 3.0]
POINTS = [0j, 1 + 0j, 1j, -1j, 1 + 1j, -2 + 0.5j, 0.5 - 2j, 3 - 4j]

OF_ONE = """
torch.abs(x)
torch.acosh(x)
torch.angle(x)
torch.rsqrt(x)
torch.lgamma(x)
torch.sinc(x)
torch.relu(x)
torch.special.ndtri(x)
F.elu(x)
F.elu(x, alpha=2.0)
F.selu(x)
F.celu(x, 0.5)
F.hardswish(x)
F.hardsigmoid(x)
x ** 0.0
x ** 0
x ** -1.0
x ** 2.5
0.0 ** x
torch.pow(0.0, x)
1.0 ** x
torch.float_power(x, 0)
torch.float_power(x, 2)
torch.clamp(x, -1.0, 1.0)
torch.clamp_min(x, 0.0)
torch.clamp_max(x, 1.0)
x.clip(0, 2)
torch.clamp(x, NAN)
torch.hypot(x, torch.zeros(()))
x.max()
x.min()
F.multi_margin_loss(torch.stack([x[:4], x[2:6], -x[4:8]]), torch.tensor([0, 3, 0]), reduction="none")
torch.mvlgamma(x.abs() + 1, 2)
""".strip().splitlines()
ENDS = """
torch.digamma(x)
torch.polygamma(1, x)
torch.polygamma(2, x)
torch.logit(x)
""".strip().splitlines()
OF_TWO = """
x ** y
torch.float_power(x, y)
torch.atan2(x, y)
torch.maximum(x, y)
torch.minimum(x, y)
torch.max(x, y)
torch.hypot(x, y)
torch.copysign(x, y)
torch.nextafter(x, y)
torch.xlogy(x, y)
torch.logaddexp(x, y)
torch.logaddexp2(x, y)
torch.lerp(x, y, 0.25)
torch.lerp(x, y, 0.75)
torch.lerp(x, x, y)
torch.clamp(x, y, y)
torch.clamp(x, min=y)
torch.clamp(x, max=y)
torch.clamp(x, y, y - 1)
torch.div(x, y, rounding_mode="floor")
F.smooth_l1_loss(x, y, reduction="none")
F.huber_loss(x, y, reduction="none")
F.prelu(x, y[3:4])
""".strip().splitlines()
OF_ROWS = """
torch.cdist(x, y, float("inf"))
torch.cdist(x, y, 1.0)
torch.cdist(x, y, 3.0)
torch.pdist(x, float("inf"))
torch.linalg.vector_norm(x - y, float("inf"), dim=1)
torch.linalg.matrix_norm(x[:2], 2)
torch.linalg.matrix_norm(0 * x[:2], 2)
torch.linalg.matrix_norm(0 * x[:2], -2)
x.prod(1)
x.cumprod(1)
""".strip().splitlines()
VALUES = """
torch.heaviside(x, y)
torch.floor_divide(x, y)
x // y
""".strip().splitlines()
OF_COMPLEX = """
torch.acosh(x)
x ** 0.0
torch.absolute(x)
""".strip().splitlines()


def outcomes(torch: Any) -> dict[str, list]:
    """Return of each expression the value, and the gradients of its sum."""
    pairs = [[a for a in PLACES for b in PLACES], [b for a in PLACES for b in PLACES]]
    finite = [[a for a in FINITE for b in FINITE], [b for a in FINITE for b in FINITE]]
    found = {text: ask(torch, text, [NUMBERS]) for text in OF_ONE}
    found |= {text: ask(torch, text, [[0.0, 1.0, 0.5, 100.0]]) for text in ENDS}
    found |= {text: ask(torch, text, pairs) for text in OF_TWO}
    found |= {text: ask(torch, text, ROWS) for text in OF_ROWS}
    found |= {text: ask(torch, text, pairs, gradients=False) for text in VALUES}
    found |= {f"{text} of whole numbers": ask(torch, text, finite) for text in OF_TWO[:1]}
    found |= {f"{text} of complex numbers": ask(torch, text, [POINTS]) for text in OF_COMPLEX}
    return found


def ask(torch: Any, text: str, given: list[list], gradients: bool = True) -> list:
    """Return a value and its gradients, as lists; a complex number as two."""
    names = {"torch": torch, "F": torch.nn.functional, "NAN": NAN}
    tensors = [torch.tensor(each, requires_grad=gradients) for each in given]
    out = eval(text, names | dict(zip("xy", tensors, strict=False)))
    if gradients:
        total = out.sum()
        (total.real + 0.5 * total.imag if total.is_complex() else total).backward()
    grads = [t.grad for t in tensors if t.grad is not None] if gradients else []
    return [plain(torch, each) for each in [out.detach(), *grads]]


def plain(torch: Any, tensor: Any) -> Any:
    """Return the elements as a list."""
    return (torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor).tolist()
