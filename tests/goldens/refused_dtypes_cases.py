"""Functions of every kind of dtype: which dtype the result has, or which error PyTorch raises."""

from typing import Any

KINDS = "bool uint8 int64 float32 complex64".split()
NUMBERS = {"True": True, "2": 2, "2.5": 2.5, "2j": 2j}
OF_ONE = """
torch.abs(x)
torch.ceil(x)
torch.floor(x)
torch.trunc(x)
torch.round(x)
torch.frac(x)
torch.sign(x)
torch.signbit(x)
torch.relu(x)
torch.erf(x)
torch.lgamma(x)
torch.digamma(x)
torch.deg2rad(x)
torch.bitwise_not(x)
torch.positive(x)
torch.imag(x)
torch.nansum(x)
torch.argmax(x)
torch.argmin(x, 0)
x.max()
x.min()
torch.max(x, 0)[0]
torch.amax(x, 0)
torch.mode(x)[0]
torch.median(x)
torch.kthvalue(x, 1)[0]
torch.topk(x, 1)[0]
torch.cummax(x, 0)[0]
torch.logcumsumexp(x, 0)
torch.softmax(x, 0)
torch.trace(x.reshape(2, 2))
torch.clamp(x, 0, 1)
torch.clamp_min(x, 0)
torch.mvlgamma(x, 1)
torch.trapezoid(x)
torch.cov(x)
F.relu6(x)
F.gelu(x)
F.elu(x)
F.softplus(x)
F.threshold(x, 0, 1)
F.hardswish(x)
F.leaky_relu(x)
""".strip().splitlines()
OF_TWO = """
x + y
torch.add(x, y, alpha=2)
torch.rsub(x, y)
x // y
x % y
torch.fmod(x, y)
torch.div(x, y, rounding_mode="floor")
torch.div(x, y, rounding_mode="trunc")
torch.pow(x, y)
torch.atan2(x, y)
torch.hypot(x, y)
torch.copysign(x, y)
torch.nextafter(x, y)
torch.xlogy(x, y)
torch.logaddexp(x, y)
torch.logaddexp2(x, y)
torch.igamma(x, y)
torch.gcd(x, y)
torch.lcm(x, y)
torch.bitwise_and(x, y)
x ^ y
x << y
torch.maximum(x, y)
torch.clamp_max(x, y)
torch.lt(x, y)
torch.dot(x, y)
F.mse_loss(x, y)
F.smooth_l1_loss(x, y)
F.cosine_similarity(x, y, 0)
""".strip().splitlines()
NO_NUMBERS = (
    "copysign nextafter logaddexp logaddexp2 igamma gcd lcm maximum dot hypot atan2 clamp_max pow mse_loss smooth_l1_loss kl_div cosine_similarity".split()
)


def outcomes(torch: Any) -> dict[str, dict[str, str]]:
    """Return of each expression, for each combination of dtypes, the dtype of the result or the error's type."""
    tensors = {kind: torch.ones(4, dtype=getattr(torch, kind), device="meta") for kind in KINDS}
    found: dict[str, dict[str, str]] = {}
    for text in OF_ONE:
        found[text] = {kind: ask(torch, text, x=tensors[kind]) for kind in KINDS}
    for text in OF_TWO:
        seconds = tensors if any(f".{name}(" in text for name in NO_NUMBERS) else tensors | NUMBERS
        found[text] = {
            f"{first} {second}": ask(torch, text, x=tensors[first], y=seconds[second])
            for first in KINDS
            for second in seconds
        }
    return found


def ask(torch: Any, text: str, **names: Any) -> str:
    """Return the dtype of an expression's value, or the name of the error that it raises."""
    try:
        return str(eval(text, {"torch": torch, "F": torch.nn.functional, **names}).dtype)
    except (RuntimeError, TypeError) as error:
        return type(error).__name__


def with_torch(torch: Any) -> dict[str, dict[str, str]]:
    """Return PyTorch's outcomes: of tensors that have elements, as those of `meta` have other errors."""
    made, torch.ones = torch.ones, lambda *args, device, **named: made(*args, **named)
    try:
        return outcomes(torch)
    finally:
        torch.ones = made
