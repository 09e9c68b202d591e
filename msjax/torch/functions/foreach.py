"""`torch._foreach_*`: a function for each tensor of a list."""

from collections.abc import Callable
from typing import Any

from msjax.torch.functions import basic, served_from_mint
from msjax.torch.tensors.tensor import Tensor

_UNARY = """abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round
    rsqrt sigmoid sign sin sinh sqrt tan tanh trunc zero norm max""".split()
_BINARY = "add sub mul div maximum minimum clamp_min clamp_max pow lerp copy addcmul addcdiv".split()
PREFIX = "_foreach_"
NAMES = frozenset(PREFIX + name + end for name in _UNARY + _BINARY for end in ("", "_"))


def find(name: str) -> Callable:
    """Return the function of a name among NAMES."""
    word = name.removeprefix(PREFIX)
    in_place = word.endswith("_")

    def one(tensor: Tensor, *others: Any, **named: Any) -> Any:
        if in_place:
            return getattr(tensor, word)(*others, **named)
        if word == "norm":
            order = others[0] if others else named.get("ord", 2)
            return tensor.norm(order)  # type: ignore[attr-defined]
        if word == "copy":
            return others[0].to(tensor.dtype).clone()
        return (getattr(basic, word, None) or served_from_mint.find_function(word))(tensor, *others, **named)

    def call(self: Any, *others: Any, **named: Any) -> Any:
        count = len(self)
        columns = [_repeat_value(value, count) for value in others]
        named_columns = {key: _repeat_value(value, count) for key, value in named.items() if key != "scalars"}
        if word.rstrip("_") in ("addcmul", "addcdiv"):
            scalars = columns.pop() if len(columns) > 2 else _repeat_value(named.get("scalars", 1), count)
            named_columns.setdefault("value", scalars)
        done = [
            one(
                tensor,
                *(column[i] for column in columns),
                **{key: column[i] for key, column in named_columns.items()},
            )
            for i, tensor in enumerate(self)
        ]
        return None if in_place else tuple(done)

    call.__name__ = name
    return call


def _repeat_value(value: Any, count: int) -> Any:
    """One value for each tensor."""
    if isinstance(value, Tensor) and value.ndim == 1 and len(value) == count:
        return value.tolist()
    return list(value) if isinstance(value, tuple | list) else [value] * count
