"""The methods and operators of Tensor: which function each one is, and under which signature.

A method whose signature is its function's is that function. The others are adapters (see `_names`) that take MindSpore's
spelling and PyTorch's (`axis` and `dim`, `keepdims` and `keepdim`), as MindSpore's own methods do; where the meaning
depends on the arguments they are in `overloads`. In-place methods are derived. `install` attaches all of them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.tensor import Tensor
from msjax.ops import (
    aliases,
    angles,
    arithmetic,
    bitwise,
    casting,
    comparison,
    complexes,
    elementary,
    extrema,
    flipping,
    fused,
    index,
    joining,
    linalg,
    linalg_sums,
    matrices,
    overloads,
    overloads_picking,
    reduction,
    rounding,
    scan,
    scattering,
    selecting,
    shapes,
    slicing,
    sorting,
)
from msjax.ops._names import in_place, named
from msjax.ops.activation_smooth import sigmoid, softmax, tanh
from msjax.ops.clip import clamp
from msjax.ops.gathering import gather_elements, gather_nd, index_select
from msjax.ops.norms import norm
from msjax.ops.updating import change

_DIM = "dim=axis keepdim=keepdims"


def _from(module: Any, names: str) -> dict[str, Callable]:
    return {name: getattr(module, name) for name in names.split()}


PLAIN: dict[str, Callable] = {
    **_from(arithmetic, "mul floor_divide fmod pow float_power neg abs sign square reciprocal div"),
    **_from(fused, "addcmul addcdiv lerp hypot xlogy"),
    **_from(elementary, "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt erf erfc erfinv"),
    **_from(angles, "sin cos tan asin acos atan sinh cosh asinh acosh atanh sinc atan2 deg2rad rad2deg"),
    **_from(rounding, "floor ceil trunc frac maximum minimum fmax fmin nan_to_num"),
    **_from(
        comparison, "eq ne lt le gt ge logical_and logical_or logical_xor logical_not isnan isinf isfinite"
    ),
    **_from(comparison, "isposinf isneginf isreal signbit allclose"),
    **_from(
        bitwise, "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift invert gcd lcm"
    ),
    **_from(complexes, "conj real imag angle"),
    **_from(
        aliases, "absolute negative multiply divide sgn arcsin arccos arctan arctan2 arcsinh arccosh arctanh"
    ),
    **_from(aliases, "equal not_equal less less_equal greater greater_equal moveaxis view_as fills"),
    **_from(aliases, "unsqueeze swapdims true_divide fliplr flipud positive bitwise_not"),
    **_from(scan, "cumprod cummax cummin logcumsumexp"),
    **_from(shapes, "swapaxes movedim t ravel expand_dims"),
    **_from(flipping, "roll rot90"),
    **_from(linalg, "bmm mm mv dot inner outer cross"),
    **_from(linalg_sums, "addmm addmv addr addbmm baddbmm"),
    **_from(matrices, "tril triu trace diag diagonal diag_embed"),
    **_from(scattering, "index_fill masked_fill select_scatter fill_diagonal masked_scatter"),
    **_from(selecting, "nonzero argwhere masked_select bincount unique_consecutive"),
    **_from(sorting, "topk msort searchsorted"),
    **_from(
        overloads,
        "add sub sum max min ptp std var sum_to_size transpose squeeze flatten view repeat expand resize hsplit",
    ),
    **_from(overloads, "vsplit dsplit to astype type copy new_zeros new_ones new_full fill"),
    **_from(overloads_picking, "gather take select scatter scatter_add index_add index_put choose"),
    "aminmax": extrema.aminmax,
    "clamp": clamp,
    "clip": clamp,
    "clone": overloads.copy,
    "gather_elements": gather_elements,
    "gather_nd": gather_nd,
    "narrow": named(
        "narrow", slicing.narrow, "(self, dim, start, length)", "self=input dim=axis", also="axis=dim"
    ),
    "new_empty": overloads.new_zeros,
    "norm": norm,
    "reshape_as": aliases.view_as,
    "sigmoid": sigmoid,
    "softmax": softmax,
    "subtract": overloads.sub,
    "tanh": tanh,
    "tensor_split": joining.tensor_split,
    "type_as": casting.type_as,
    "unique": selecting.unique_sorted,
}

_ADAPTED: list[tuple[str, Callable, str, str, str, str]] = [
    # name, function, signature, renamed, also, before the call
    ("all", reduction.all, "(self, axis=None, keep_dims=False)", "self=input", "dim=axis keepdim=keep_dims", ""),
    ("any", reduction.any, "(self, axis=None, keep_dims=False)", "self=input", "dim=axis keepdim=keep_dims", ""),
    ("amax", extrema.amax, "(self, axis=None, keepdims=False, *, initial=None, where=None)", "self=input", _DIM, ""),
    ("amin", extrema.amin, "(self, axis=None, keepdims=False, *, initial=None, where=None)", "self=input", _DIM, ""),
    ("argmax", extrema.argmax, "(self, axis=None, keepdims=False)", "self=input axis=dim keepdims=keepdim", _DIM, ""),
    ("argmin", extrema.argmin, "(self, axis=None, keepdims=False)", "self=input", _DIM, ""),
    ("argsort", sorting.argsort, "(self, axis=-1, descending=False, stable=False)", "self=input", "dim=axis", "stable"),
    ("broadcast_to", shapes.broadcast_to, "(self, *shape)", "self=input", "", ""),
    ("chunk", joining.chunk, "(self, chunks, axis=0)", "self=input", "dim=axis", ""),
    ("count_nonzero", reduction.count_nonzero, "(self, axis=(), keep_dims=False, dtype=None)", "self=x", "dim=axis", ""),
    ("cumsum", scan.cumsum, "(self, axis=None, dtype=None)", "self=x", "dim=axis",
     "if axis is None: self, axis = _ravel(self), 0"),
    ("argmax_with_value", extrema.max, "(self, axis=0, keep_dims=False)", "self=input keep_dims=keepdims", "", ""),
    ("argmin_with_value", extrema.min, "(self, axis=0, keep_dims=False)", "self=input keep_dims=keepdims", "", ""),
    ("expand_as", aliases.expand_as, "(self, other)", "self=input", "x=other", ""),
    ("remainder", arithmetic.remainder, "(self, other)", "self=input", "divisor=other", ""),
    ("flip", flipping.flip, "(self, *dims)", "self=input", "", "dims = (dims,) if isinstance(dims, int) else dims"),
    ("index_select", index_select, "(self, axis, index)", "self=input", "dim=axis", ""),
    ("isclose", comparison.isclose, "(self, other, rtol=1e-05, atol=1e-08, equal_nan=False)", "self=input", "x2=other", ""),
    ("logsumexp", reduction.logsumexp, "(self, dim, keepdim=False)", "self=input", "axis=dim keepdims=keepdim", ""),
    ("matmul", linalg.matmul, "(self, tensor2)", "self=input tensor2=other", "other=tensor2", ""),
    ("mean", reduction.mean, "(self, axis=None, keep_dims=False, *, dtype=None)", "self=x",
     "dim=axis keepdim=keep_dims keepdims=keep_dims", "if dtype is not None: self = _astype(self, dtype)"),
    ("median", extrema.median, "(self, axis=-1, keepdims=False)", "self=input", _DIM, ""),
    ("nanmean", reduction.nanmean, "(self, axis=None, keepdims=False, *, dtype=None)", "self=input", _DIM, ""),
    ("nansum", reduction.nansum, "(self, axis=None, keepdims=False, *, dtype=None)", "self=input", _DIM, ""),
    ("permute", shapes.transpose, "(self, *dims)", "self=input", "axis=dims", ""),
    ("prod", reduction.prod, "(self, axis=None, keep_dims=False, dtype=None)", "self=input",
     "dim=axis keepdim=keep_dims keepdims=keep_dims", ""),
    ("repeat_interleave", joining.repeat_interleave, "(self, repeats, dim=None, *, output_size=None)",
     "self=input dim=axis", "axis=dim", "output_size"),
    ("reshape", shapes.reshape, "(self, *shape)", "self=input", "",
     "if len(shape) == 1 and isinstance(shape[0], int): shape = (shape,)"),
    ("round", rounding.round, "(self, decimals=0)", "self=input", "", ""),
    ("sort", sorting.sort, "(self, axis=-1, descending=False, stable=False)", "self=input_x", "dim=axis", "stable"),
    ("split", joining.split, "(self, split_size_or_sections, axis=0)", "self=tensor",
     "split_size=split_size_or_sections dim=axis", ""),
    ("sum", overloads.sum, "(self, axis=None, dtype=None, keepdims=False, initial=None)", "", _DIM, ""),
    ("tile", shapes.tile, "(self, *dims)", "self=input", "reps=dims",
     "dims = _spread(dims)\ndims = (dims,) if isinstance(dims, int) else tuple(dims)\ndims = (dims,)"),
    ("unbind", joining.unbind, "(self, dim=0)", "self=input", "axis=dim", ""),
    ("where", comparison.where, "(self, condition, y)", "self=input y=other", "other=y x=y", ""),
]  # fmt: skip

_CASTS = {
    "bool": dtypes.bool_, "byte": dtypes.uint8, "short": dtypes.int16, "int": dtypes.int32, "long": dtypes.int64,
    "half": dtypes.float16, "bfloat16": dtypes.bfloat16, "float": dtypes.float32, "double": dtypes.float64,
}  # fmt: skip


def _cast(name: str, dtype: dtypes.DType) -> Callable:
    def cast(self: Any) -> Any:
        return casting.astype(self, dtype)

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"The tensor in dtype {dtype!r}; itself if it has that already."
    return cast


def _adapted() -> dict[str, Callable]:
    names = {"_ravel": shapes.ravel, "_astype": casting.astype}
    return {
        name: named(name, fn, signature, rename, also, fix, **names)
        for name, fn, signature, rename, also, fix in _ADAPTED
    }


METHODS: dict[str, Callable] = {
    **PLAIN,
    **_adapted(),
    **{name: _cast(name, kind) for name, kind in _CASTS.items()},
}

_IN_PLACE = """add sub mul div floor_divide remainder exp log sigmoid tanh sign floor erfinv clamp masked_fill index_fill
masked_scatter index_add scatter scatter_add""".split()
_IN_PLACE_OF = {
    "copy_": overloads.copied, "fill_": overloads.fill, "zero_": overloads.zero, "index_copy_": overloads_picking.index_copy,
    "index_put_": overloads_picking.index_put, "put_": overloads_picking.put, "fill_diagonal_": scattering.fill_diagonal,
}  # fmt: skip


def _changing(name: str) -> Callable:
    method = METHODS[name[:-1]] if name[:-1] in _IN_PLACE else _IN_PLACE_OF[name]

    def changed(box: Any, result: Any) -> Any:
        change(name, box, result)
        return box

    return in_place(name, method, changed)


IN_PLACE: dict[str, Callable] = {
    name: _changing(name) for name in [*(f"{n}_" for n in _IN_PLACE), *_IN_PLACE_OF]
}

# ---------------------------------------------------------------------- operators


def _reflected(fn: Callable) -> Callable:
    def reflected(self: Any, other: Any) -> Any:
        return fn(other, self)

    return reflected


def _equals(self: Any, other: Any) -> Any:
    return comparison.eq(self, other) if _comparable(other) else False


def _differs(self: Any, other: Any) -> Any:
    return comparison.ne(self, other) if _comparable(other) else True


def _comparable(other: Any) -> bool:
    return isinstance(other, Tensor | bool | int | float | complex | np.ndarray | np.generic) or hasattr(
        other, "aval"
    )


def _set_item(self: Any, key: Any, value: Any) -> None:
    change("setitem", self, index.setitem(self, key, value))


def _itself(self: Any) -> Any:
    return self


def _round(self: Any, ndigits: int | None = None) -> Any:
    return rounding.round(self, decimals=ndigits or 0)


_BINARY = {
    "add": arithmetic.add, "sub": arithmetic.sub, "mul": arithmetic.mul, "truediv": arithmetic.div,
    "floordiv": arithmetic.floor_divide, "mod": arithmetic.remainder, "pow": arithmetic.pow, "matmul": linalg.matmul,
    "and": bitwise.bitwise_and, "or": bitwise.bitwise_or, "xor": bitwise.bitwise_xor,
    "lshift": bitwise.bitwise_left_shift, "rshift": bitwise.bitwise_right_shift,
}  # fmt: skip

OPERATORS: dict[str, Callable] = {
    **{f"__{name}__": fn for name, fn in _BINARY.items()},
    **{f"__r{name}__": _reflected(fn) for name, fn in _BINARY.items()},
    "__eq__": _equals, "__ne__": _differs, "__lt__": comparison.lt, "__le__": comparison.le, "__gt__": comparison.gt,
    "__ge__": comparison.ge, "__neg__": arithmetic.neg, "__pos__": _itself, "__abs__": arithmetic.abs,
    "__invert__": comparison.logical_not, "__round__": _round, "__getitem__": index.getitem, "__setitem__": _set_item,
}  # fmt: skip


def _matrix_transposed(self: Any) -> Any:
    """The last two axes exchanged."""
    return shapes.swapaxes(self, -2, -1)


def _adjoint(self: Any) -> Any:
    """The last two axes exchanged, and conjugated."""
    return complexes.conj(shapes.swapaxes(self, -2, -1))


PROPERTIES: dict[str, Callable] = {
    "T": shapes.reversed_axes, "mT": _matrix_transposed, "H": _adjoint, "mH": _adjoint,
}  # fmt: skip


def install(cls: type) -> None:
    """Give a class of Tensors its methods and operators; what it defines itself stays.

    Args:
        cls: the class.
    """
    for name, fn in {**METHODS, **IN_PLACE, **OPERATORS}.items():
        if name not in vars(cls):
            setattr(cls, name, fn)
    for name, fn in PROPERTIES.items():
        setattr(cls, name, property(fn))
