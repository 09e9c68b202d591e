"""Table of Tensor's methods and operators: the function behind each, and its signature.

A method whose signature is its function's is that function. The others are adapters (see `adapters`) that take MindSpore's
spelling and PyTorch's (`axis` and `dim`, `keepdims` and `keepdim`), as MindSpore's own methods do; where the meaning
depends on the arguments they are in `overloads`. In-place methods are derived. `install` attaches all of them.
"""

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.ops.common.adapters import in_place, named
from msjax.ops.state.augmented_assignment import CHANGING, augmented

_DIM = "dim=axis keepdim=keepdims"


# family: the methods that are functions of it, under the same name and signature
_SAME = {
    "math.arithmetic": "mul floor_divide fmod pow neg abs sign square reciprocal div",
    "math.fused_arithmetic": "addcmul addcdiv lerp hypot xlogy",
    "math.elementary": "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt erf erfc erfinv",
    "math.trigonometric": "sin cos tan asin acos atan sinh cosh asinh acosh atanh sinc atan2 deg2rad rad2deg",
    "math.rounding": "floor ceil trunc frac maximum minimum fmax fmin nan_to_num",
    "math.comparison": """eq ne lt le gt ge logical_and logical_or logical_xor logical_not isnan isinf isfinite isposinf
    isneginf isreal signbit allclose""",
    "linalg.determinants": "det logdet slogdet matrix_power",
    "linalg.decompositions": "cholesky geqrf orgqr svd eigvals",
    "linalg.solving": "cholesky_inverse cholesky_solve inverse lstsq lu_solve",
    "math.special": "digamma igamma igammac lgamma logaddexp logaddexp2 mvlgamma xdivy",
    "math.floating_point": "copysign heaviside ldexp nextafter",
    "math.bessel": "i0",
    "reduction.statistics": "cov diff histc nanquantile quantile renorm",
    "nn.convolution": "fold unfold",
    "array.scattering_slices": "diagflat diagonal_scatter slice_scatter inplace_update",
    "array.segments": "unsorted_segment_max unsorted_segment_min unsorted_segment_prod",
    "array.sequence_mask": "reverse",
    "array.searching": "top_k unique_with_pad kthvalue",
    "random.distributions": "multinomial",
    "random.fill": "normal_ uniform_ random_ bernoulli_ exponential_",
    "storage": """data_ptr untyped_storage offload offload_file_path set_ to_ hooks qr col2im delete_ remove_hook""",
    "state.side_effects": "move_to",
    "math.bitwise": "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift invert gcd lcm",
    "math.complex_numbers": "conj real imag angle",
    "names.aliases": """absolute negative divide sgn arcsin arccos arctan arctan2 arcsinh arccosh arctanh
    equal not_equal less less_equal greater greater_equal moveaxis view_as fills unsqueeze swapdims ger inv
    true_divide fliplr flipud positive bitwise_not""",
    "reduction.cumulative": "cumprod cummax cummin logcumsumexp",
    "array.shapes": "swapaxes movedim t ravel expand_dims",
    "array.flip_roll": "roll rot90",
    "linalg.products": "bmm mm mv dot inner outer cross",
    "linalg.addmm": "addmm addmv addbmm baddbmm",
    "array.triangles_diagonals": "tril triu diag_embed",
    "array.scattering": "index_fill masked_fill select_scatter fill_diagonal masked_scatter",
    "array.nonzero_unique": "nonzero argwhere masked_select bincount unique_consecutive",
    "array.sorting": "topk msort ",
    "overloads": """argmax add sub sum max min ptp std var sum_to_size transpose squeeze flatten view repeat expand resize
    hsplit vsplit dsplit diag to astype type copy trace new_zeros new_ones new_full fill""",
    "overloads_gather_scatter": "gather take select scatter scatter_add index_add index_put choose",
    "nn.activation_piecewise": "hardshrink",
    "nn.activation_smooth": "sigmoid tanh logit",
    "math.clipping": "clamp",
    "reduction.min_max": "aminmax nanmedian",
    "array.gathering": "gather_elements gather_nd",
    "reduction.norms": "norm",
    "array.joining": "tensor_split",
    "math.casts": "type_as",
}

# another name for a function: "family.function"
_OTHER = {
    "clip": "math.clipping.clamp", "clone": "overloads.copy", "new_empty": "overloads.new_zeros",
    "reshape_as": "names.aliases.view_as", "subtract": "overloads.sub", "unique": "array.nonzero_unique.unique_sorted",
    "matrix_determinant": "linalg.determinants.det", "log_matrix_determinant": "linalg.determinants.slogdet",
    "scatter_sub": "array.scattering.tensor_scatter_sub", "scatter_mul": "array.scattering.tensor_scatter_mul",
    "scatter_div": "array.scattering.tensor_scatter_div", "scatter_max": "array.scattering.tensor_scatter_max",
    "scatter_min": "array.scattering.tensor_scatter_min", "soft_shrink": "nn.activation_piecewise.softshrink",
    "to_coo": "sparse.coo.dense_to_sparse_coo", "to_csr": "sparse.csr.dense_to_sparse_csr",
    "cauchy": "random.fill.cauchy_like", "log_normal": "random.fill.log_normal_like",
    "bernoulli": "random.fill.bernoulli_of", "uniform": "random.fill.uniform_of_shape",
    "adjoint": "operators.adjoint", "index": "storage.index_of", "storage": "storage.untyped_storage",
    "is_pinned": "storage.no", "is_shared": "storage.no", "is_init": "storage.no",
    "data_sync": "storage.none", "flush_from_cache": "storage.none", "wait_pipeline": "storage.none",
    "set_init_flag": "storage.none", "set_cast_dtype": "storage.none", "set_device_address": "storage.none",
    "assign_value_cpp": "storage.assign_value_cpp", "set_const_arg": "storage.set_const_arg",
    "pin_memory": "storage.itself",
}  # fmt: skip

# another signature: method, function, signature, renamed, also, before the call
_ADAPTED: list[tuple[str, str, str, str, str, str]] = [
    ("all", "reduction.reduction.all", "(self, axis=None, keep_dims=False)", "self=input",
     "dim=axis keepdim=keep_dims", ""),
    ("any", "reduction.reduction.any", "(self, axis=None, keep_dims=False)", "self=input",
     "dim=axis keepdim=keep_dims", ""),
    ("amax", "reduction.min_max.amax", "(self, axis=None, keepdims=False, *, initial=None, where=None)",
     "self=input", _DIM, ""),
    ("amin", "reduction.min_max.amin", "(self, axis=None, keepdims=False, *, initial=None, where=None)",
     "self=input", _DIM, ""),
    ("argmin", "reduction.min_max.argmin", "(self, axis=None, keepdims=False)", "self=input", _DIM, ""),
    ("argsort", "array.sorting.argsort", "(self, axis=-1, descending=False, stable=False)", "self=input", "dim=axis",
     "stable"),
    ("broadcast_to", "array.shapes.broadcast_to", "(self, *shape)", "self=input", "", ""),
    ("chunk", "array.joining.chunk", "(self, chunks, axis=0)", "self=input", "dim=axis", ""),
    ("count_nonzero", "reduction.reduction.count_nonzero", "(self, axis=(), keep_dims=False, dtype=None)", "self=x",
     "dim=axis", ""),
    ("cumsum", "reduction.cumulative.cumsum", "(self, axis=None, dtype=None)", "self=x", "dim=axis",
     "if axis is None: self, axis = _ravel(self), 0\nself, dtype = _wide(self, dtype), None"),
    ("argmax_with_value", "reduction.min_max.max", "(self, axis=0, keep_dims=False)",
     "self=input keep_dims=keepdims", "", ""),
    ("argmin_with_value", "reduction.min_max.min", "(self, axis=0, keep_dims=False)",
     "self=input keep_dims=keepdims", "", ""),
    ("triangular_solve", "linalg.triangular.triangular_solve",
     "(self, A, upper=True, transpose=False, unitriangular=False)", "self=b", "", ""),
    ("expand_as", "names.aliases.expand_as", "(self, other)", "self=input", "x=other", ""),
    ("remainder", "math.arithmetic.remainder", "(self, other)", "self=input", "divisor=other", ""),
    ("flip", "array.flip_roll.flip", "(self, *dims)", "self=input", "",
     "dims = (dims,) if isinstance(dims, int) else dims"),
    ("index_select", "array.gathering.index_select", "(self, axis, index)", "self=input", "dim=axis", ""),
    ("isclose", "math.comparison.isclose", "(self, other, rtol=1e-05, atol=1e-08, equal_nan=False)",
     "self=input", "x2=other", ""),
    ("logsumexp", "reduction.reduction.logsumexp", "(self, dim, keepdim=False)", "self=input",
     "axis=dim keepdims=keepdim", ""),
    ("matmul", "linalg.products.matmul", "(self, tensor2)", "self=input tensor2=other", "other=tensor2", ""),
    ("mean", "reduction.reduction.mean", "(self, axis=None, keep_dims=False, *, dtype=None)", "self=x",
     "dim=axis keepdim=keep_dims keepdims=keep_dims", "if dtype is not None: self = _astype(self, dtype)"),
    ("median", "reduction.min_max.median", "(self, axis=-1, keepdims=False)", "self=input", _DIM, ""),
    ("nanmean", "reduction.reduction.nanmean", "(self, axis=None, keepdims=False, *, dtype=None)", "self=input",
     _DIM, ""),
    ("nansum", "reduction.reduction.nansum", "(self, axis=None, keepdims=False, *, dtype=None)", "self=input",
     _DIM, ""),
    ("permute", "array.shapes.transpose", "(self, *dims)", "self=input", "axis=dims",
     "if not dims: dims = tuple(range(self.ndim - 1, -1, -1))"),
    ("prod", "reduction.reduction.prod", "(self, axis=None, keep_dims=False, dtype=None)", "self=input",
     "dim=axis keepdim=keep_dims keepdims=keep_dims", ""),
    ("repeat_interleave", "array.joining.repeat_interleave", "(self, repeats, dim=None, *, output_size=None)",
     "self=input dim=axis", "axis=dim", "output_size"),
    ("reshape", "array.shapes.reshape", "(self, *shape)", "self=input", "",
     "if len(shape) == 1 and isinstance(shape[0], int): shape = (shape,)"),
    ("round", "math.rounding.round", "(self, decimals=0)", "self=input", "", ""),
    ("sort", "array.sorting.sort", "(self, axis=-1, descending=False, stable=False)", "self=input_x", "dim=axis",
     "stable"),
    ("split", "array.joining.split", "(self, split_size_or_sections, axis=0)", "self=tensor",
     "split_size=split_size_or_sections dim=axis", ""),
    ("tile", "array.shapes.tile", "(self, *dims)", "self=input", "reps=dims",
     "dims = _spread(dims)\ndims = (dims,) if isinstance(dims, int) else tuple(dims)\ndims = (dims,)"),
    ("unbind", "array.joining.unbind", "(self, dim=0)", "self=input", "axis=dim", ""),
    ("where", "math.comparison.where", "(self, condition, y)", "self=input y=other", "other=y x=y", ""),
    ("addr", "linalg.addmm.addr", "(self, vec1, vec2, beta=1, alpha=1)", "self=x", "", ""),
    ("multiply", "math.arithmetic.mul", "(self, value)", "self=input value=other", "other=value", ""),
    ("float_power", "math.arithmetic.float_power", "(self, other)", "self=input other=exponent", "exponent=other", ""),
    ("diagonal", "array.triangles_diagonals.diagonal", "(self, offset=0, axis1=0, axis2=1)",
     "self=input axis1=dim1 axis2=dim2",
     "dim1=axis1 dim2=axis2", ""),
    ("searchsorted", "overloads.searchsorted", "(self, v, side='left', sorter=None)", "", "values=v", ""),
    ("softmax", "nn.activation_smooth.softmax", "(self, axis, dtype=None)", "self=input", "dim=axis", ""),
    ("approximate_equal", "math.comparison.approximate_equal", "(self, other, tolerance=1e-05)",
     "self=x other=y", "", ""),
    ("ormqr", "linalg.decompositions.ormqr", "(self, input2, input3, left=True, transpose=False)",
     "self=input input2=tau input3=other", "", ""),
    ("random_categorical", "random.distributions.random_categorical", "(self, num_sample, seed=0, dtype=int64)",
     "self=logits", "", ""),
    ("reverse_sequence", "array.sequence_mask.reverse_sequence", "(self, seq_lengths, seq_dim=0, batch_dim=0)",
     "self=x", "", ""),
    ("narrow", "array.slicing.narrow", "(self, dim, start, length)", "self=input dim=axis", "axis=dim", ""),
]  # fmt: skip

_CASTS = {
    "bool": "bool_", "byte": "uint8", "short": "int16", "int": "int32", "long": "int64", "half": "float16",
    "bfloat16": "bfloat16", "float": "float32", "double": "float64",
}  # fmt: skip

# in place: what these give becomes the content of the tensor
_IN_PLACE = """add sub mul div floor_divide remainder exp log sigmoid tanh sign floor erfinv clamp masked_fill index_fill
masked_scatter index_add scatter scatter_add""".split()
_IN_PLACE_OF = {
    "copy_": "overloads.copied", "fill_": "overloads.fill", "zero_": "overloads.zero",
    "index_copy_": "overloads_gather_scatter.index_copy", "index_put_": "overloads_gather_scatter.index_put",
    "put_": "overloads_gather_scatter.put", "addmm_": "linalg.addmm.addmm",
    "fill_diagonal_": "array.scattering.fill_diagonal",
}  # fmt: skip

_BINARY = {
    "add": "operators.plus", "sub": "operators.minus", "mul": "operators.times", "truediv": "operators.over",
    "floordiv": "operators.floor_over", "mod": "operators.modulo", "pow": "math.arithmetic.pow",
    "matmul": "operators.matrix_product",
    "and": "math.bitwise.bitwise_and", "or": "math.bitwise.bitwise_or", "xor": "math.bitwise.bitwise_xor",
    "lshift": "math.bitwise.bitwise_left_shift", "rshift": "math.bitwise.bitwise_right_shift",
}  # fmt: skip
_OPERATORS = {
    "lt": "operators.below", "le": "operators.at_most", "gt": "operators.above", "ge": "operators.at_least",
    "neg": "math.arithmetic.neg", "abs": "math.arithmetic.abs", "invert": "math.comparison.logical_not",
    "getitem": "array.indexing.getitem",
    "eq": "operators.equals",
    "ne": "operators.differs", "pos": "operators.itself", "round": "operators.rounded", "setitem": "operators.set_item",
}  # fmt: skip
_PROPERTIES = {
    "T": "array.shapes.reversed_axes", "mT": "operators.matrix_transposed",
    "H": "operators.hermitian", "mH": "operators.adjoint",
    "is_meta": "storage.is_meta", "init_flag": "storage.no", "virtual_flag": "storage.no",
    "init_finished": "storage.yes",
    "param_info": "storage.none", "index_of_parent_": "storage.none", "parent_tensor_": "storage.none",
    "symbolic_shape": "storage.none", "delta_seed": "storage.zero",
}  # fmt: skip


def _function(path: str) -> Callable:
    family, _, name = path.rpartition(".")
    room = "" if "." in family else "tensor_methods."
    return getattr(importlib.import_module(f"msjax.ops.{room}{family}"), name)


def _adapted(name: str, path: str, signature: str, rename: str, also: str, fix: str) -> Callable:
    names = {"_ravel": "array.shapes.ravel", "_astype": "math.casts.astype", "_wide": "overloads.wide_sum"}
    used = {key: _function(value) for key, value in names.items() if key in fix} | {"int64": dtypes.int64}
    return named(name, _function(path), signature, rename, also, fix, **used)


def _cast(name: str, dtype: str) -> Callable:
    astype, kind = _function("math.casts.astype"), getattr(dtypes, dtype)

    def cast(self: Any) -> Any:
        return astype(self, kind)

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"The tensor in dtype {kind!r}; itself if it has that already."
    return cast


def _changing(name: str, make: Callable[[], Callable]) -> Callable:
    change = _function("state.scatter_update.change")

    def changed(box: Any, result: Any) -> Any:
        change(name, box, result)
        return box

    return in_place(name, make(), changed)


def _reflected(path: str) -> Callable:
    function = _function(path)

    def reflected(self: Any, other: Any) -> Any:
        return function(Tensor(other) if type(other) is np.ndarray else other, self)

    return reflected


def _makers() -> dict[str, Callable[[], Any]]:
    """Method, operator or property: what makes it."""
    later = functools.partial
    makers: dict[str, Callable[[], Any]] = {}
    for family, names in _SAME.items():
        makers.update({name: later(_function, f"{family}.{name}") for name in names.split()})
    makers.update({name: later(_function, path) for name, path in _OTHER.items()})
    makers.update({row[0]: later(_adapted, *row) for row in _ADAPTED})
    makers.update({name: later(_cast, name, dtype) for name, dtype in _CASTS.items()})
    makers.update({f"{name}_": later(_changing, f"{name}_", makers[name]) for name in _IN_PLACE})
    changing = {name: later(_function, path) for name, path in _IN_PLACE_OF.items()}
    makers.update({name: later(_changing, name, make) for name, make in changing.items()})
    makers.update({f"__{name}__": later(_function, path) for name, path in {**_BINARY, **_OPERATORS}.items()})
    makers.update({f"__r{name}__": later(_reflected, path) for name, path in _BINARY.items()})
    makers["__rpow__"] = later(_reflected, "operators.power_of_list")
    makers.update({f"__i{name}__": later(augmented, name) for name in CHANGING})
    makers["convert_bytes_to_tensor"] = lambda: staticmethod(_function("storage.convert_bytes_to_tensor"))
    makers.update({name: (lambda path=path: property(_function(path))) for name, path in _PROPERTIES.items()})
    return makers


MAKERS = _makers()


class _Later:
    """Stands in a class for a method until that is first asked for: programs use few of the methods that there are."""

    def __init__(self, owner: type, name: str, make: Callable[[], Any]) -> None:
        self.owner = owner
        self.name = name
        self.make = make

    def __get__(self, box: Any, cls: type) -> Any:
        made = self.make()
        setattr(self.owner, self.name, made)
        return made.__get__(box, cls)


def install(cls: type) -> None:
    """Attach methods and operators to a Tensor class; those that it defines itself stay.

    Args:
        cls: the class.
    """
    for name, make in MAKERS.items():
        if name not in vars(cls):
            setattr(cls, name, _Later(cls, name, make))
