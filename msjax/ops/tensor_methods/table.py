"""Table of Tensor's methods and operators: the function behind each, and its signature.

A method whose signature is its function's is that function. The others take MindSpore's
spelling and PyTorch's (`axis` and `dim`, `keepdims` and `keepdim`), as MindSpore's own methods do; where the meaning
depends on the arguments they are in `overloads`. In-place methods are derived. `install` attaches all of them.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.ops.common.name_table import Table, make_in_place, read_table
from msjax.ops.state.augmented_assignment import CHANGING, augmented
from msjax.public_api import old_spellings

_METHODS = """
math.arithmetic: mul floor_divide fmod pow neg abs sign square reciprocal div
math.fused_arithmetic: addcmul addcdiv lerp hypot xlogy
math.elementary: exp exp2 expm1 log log2 log10 log1p sqrt rsqrt erf erfc erfinv
math.trigonometric: sin cos tan asin acos atan sinh cosh asinh acosh atanh sinc atan2 deg2rad rad2deg
math.rounding: floor ceil trunc frac maximum minimum fmax fmin nan_to_num
math.comparison: eq ne lt le gt ge logical_and logical_or logical_xor logical_not isnan isinf isfinite isposinf isneginf
    isreal signbit allclose
linalg.determinants: det logdet slogdet matrix_power matrix_determinant=det log_matrix_determinant=slogdet
linalg.decompositions: cholesky geqrf orgqr svd eigvals
linalg.solving: cholesky_inverse cholesky_solve inverse lstsq lu_solve
math.special: digamma igamma igammac lgamma logaddexp logaddexp2 mvlgamma xdivy
math.floating_point: copysign heaviside ldexp nextafter
math.bessel: i0
reduction.statistics: cov diff histc nanquantile quantile renorm
nn.convolution: fold unfold
array.scattering_slices: diagflat diagonal_scatter slice_scatter inplace_update
array.segments: unsorted_segment_max unsorted_segment_min unsorted_segment_prod
array.sequence_mask: reverse
array.searching: top_k unique_with_pad kthvalue
random.distributions: multinomial
random.fill: normal_ uniform_ random_ bernoulli_ exponential_ cauchy=cauchy_like log_normal=log_normal_like
    bernoulli=bernoulli_of uniform=uniform_of_shape
tensor_methods.storage: data_ptr untyped_storage offload offload_file_path set_ to_ hooks qr col2im delete_ remove_hook
    index=index_of storage=untyped_storage is_pinned=no is_shared=no is_init=no data_sync=none flush_from_cache=none
    wait_pipeline=none set_init_flag=none set_cast_dtype=none set_device_address=none assign_value_cpp set_const_arg
    pin_memory=itself
state.side_effects: move_to
math.bitwise: bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift invert gcd lcm
math.complex_numbers: conj real imag angle
names.aliases: absolute negative divide sgn arcsin arccos arctan arctan2 arcsinh arccosh arctanh equal not_equal less
    less_equal greater greater_equal moveaxis view_as fills unsqueeze swapdims ger inv true_divide fliplr flipud positive
    bitwise_not reshape_as=view_as
reduction.cumulative: cumprod cummax cummin logcumsumexp
array.shapes: swapaxes movedim t ravel expand_dims
array.flip_roll: roll rot90
linalg.products: bmm mm mv dot inner outer cross
linalg.addmm: addmm addmv addbmm baddbmm
array.triangles_diagonals: tril triu diag_embed
array.scattering: index_fill masked_fill select_scatter fill_diagonal masked_scatter scatter_sub=tensor_scatter_sub
    scatter_mul=tensor_scatter_mul scatter_div=tensor_scatter_div scatter_max=tensor_scatter_max
    scatter_min=tensor_scatter_min
array.nonzero_unique: nonzero argwhere masked_select bincount unique_consecutive unique=unique_sorted
array.sorting: topk msort
tensor_methods.overloads: argmax add sub sum max min ptp std var sum_to_size transpose squeeze flatten view repeat expand
    resize hsplit vsplit dsplit diag to astype type copy trace new_zeros new_ones new_full fill clone=copy
    new_empty=new_zeros subtract=sub
tensor_methods.overloads_gather_scatter: gather take select scatter scatter_add index_add index_put choose
nn.activation_piecewise: hardshrink soft_shrink=softshrink
nn.activation_smooth: sigmoid tanh logit
math.clipping: clamp clip=clamp
reduction.min_max: aminmax nanmedian
array.gathering: gather_elements gather_nd
reduction.norms: norm
array.joining: tensor_split
math.casts: type_as
sparse.coo: to_coo=dense_to_sparse_coo
sparse.csr: to_csr=dense_to_sparse_csr
tensor_methods.operators: adjoint
all(self: input, axis: axis | dim = None, keep_dims: keep_dims | keepdim = False) -> reduction.reduction.all
any(self: input, axis: axis | dim = None, keep_dims: keep_dims | keepdim = False) -> reduction.reduction.any
amax(self: input, axis: axis | dim = None, keepdims: keepdims | keepdim = False, *, initial=None, where=None) ->
    reduction.min_max.amax
amin(self: input, axis: axis | dim = None, keepdims: keepdims | keepdim = False, *, initial=None, where=None) ->
    reduction.min_max.amin
argmin(self: input, axis: axis | dim = None, keepdims: keepdims | keepdim = False) -> reduction.min_max.argmin
argsort(self: input, axis: axis | dim = -1, descending=False, stable: _ = False) -> array.sorting.argsort
broadcast_to(self: input, *shape) -> array.shapes.broadcast_to
chunk(self: input, chunks, axis: axis | dim = 0) -> array.joining.chunk
count_nonzero(self: x, axis: axis | dim = (), keep_dims=False, dtype=None) -> reduction.reduction.count_nonzero
cumsum(self: x, axis: axis | dim = None, dtype=None) -> reduction.cumulative.cumsum
    if axis is None: self, axis = _ravel(self), 0
    self, dtype = _wide(self, dtype), None
argmax_with_value(self: input, axis=0, keep_dims: keepdims = False) -> reduction.min_max.max
argmin_with_value(self: input, axis=0, keep_dims: keepdims = False) -> reduction.min_max.min
triangular_solve(self: b, A, upper=True, transpose=False, unitriangular=False) -> linalg.triangular.triangular_solve
expand_as(self: input, other: other | x) -> names.aliases.expand_as
remainder(self: input, other: other | divisor) -> math.arithmetic.remainder
flip(self: input, *dims) -> array.flip_roll.flip
    dims = (dims,) if isinstance(dims, int) else dims
index_select(self: input, axis: axis | dim, index) -> array.gathering.index_select
isclose(self: input, other: other | x2, rtol=1e-05, atol=1e-08, equal_nan=False) -> math.comparison.isclose
logsumexp(self: input, dim: dim | axis, keepdim: keepdim | keepdims = False) -> reduction.reduction.logsumexp
matmul(self: input, tensor2: other | other) -> linalg.products.matmul
mean(self: x, axis: axis | dim = None, keep_dims: keep_dims | keepdim | keepdims = False, *, dtype=None) ->
    reduction.reduction.mean
    if dtype is not None: self = _astype(self, dtype)
median(self: input, axis: axis | dim = -1, keepdims: keepdims | keepdim = False) -> reduction.min_max.median
nanmean(self: input, axis: axis | dim = None, keepdims: keepdims | keepdim = False, *, dtype=None) ->
    reduction.reduction.nanmean
nansum(self: input, axis: axis | dim = None, keepdims: keepdims | keepdim = False, *, dtype=None) ->
    reduction.reduction.nansum
permute(self: input, *dims: dims | axis) -> array.shapes.transpose
    if not dims: dims = tuple(range(self.ndim - 1, -1, -1))
prod(self: input, axis: axis | dim = None, keep_dims: keep_dims | keepdim | keepdims = False, dtype=None) ->
    reduction.reduction.prod
repeat_interleave(self: input, repeats, dim: axis | axis = None, *, output_size: _ = None) -> array.joining.repeat_interleave
reshape(self: input, *shape) -> array.shapes.reshape
    if len(shape) == 1 and isinstance(shape[0], int): shape = (shape,)
round(self: input, decimals=0) -> math.rounding.round
sort(self: input_x, axis: axis | dim = -1, descending=False, stable: _ = False) -> array.sorting.sort
split(self: tensor, split_size_or_sections: split_size_or_sections | split_size, axis: axis | dim = 0) ->
    array.joining.split
tile(self: input, *dims: dims | reps) -> array.shapes.tile
    dims = _spread(dims)
    dims = (dims,) if isinstance(dims, int) else tuple(dims)
    dims = (dims,)
unbind(self: input, dim: dim | axis = 0) -> array.joining.unbind
where(self: input, condition, y: other | other | x) -> math.comparison.where
addr(self: x, vec1, vec2, beta=1, alpha=1) -> linalg.addmm.addr
multiply(self: input, value: other | other) -> math.arithmetic.mul
float_power(self: input, other: exponent | exponent) -> math.arithmetic.float_power
diagonal(self: input, offset=0, axis1: dim1 | dim1 = 0, axis2: dim2 | dim2 = 1) -> array.triangles_diagonals.diagonal
searchsorted(self, v: v | values, side='left', sorter=None) -> tensor_methods.overloads.searchsorted
softmax(self: input, axis: axis | dim, dtype=None) -> nn.activation_smooth.softmax
approximate_equal(self: x, other: y, tolerance=1e-05) -> math.comparison.approximate_equal
ormqr(self: input, input2: tau, input3: other, left=True, transpose=False) -> linalg.decompositions.ormqr
random_categorical(self: logits, num_sample, seed=0, dtype=int64) -> random.distributions.random_categorical
reverse_sequence(self: x, seq_lengths, seq_dim=0, batch_dim=0) -> array.sequence_mask.reverse_sequence
narrow(self: input, dim: axis | axis, start, length) -> array.slicing.narrow
"""

_CASTS = {
    "bool": "bool_", "byte": "uint8", "short": "int16", "int": "int32", "long": "int64", "half": "float16",
    "bfloat16": "bfloat16", "float": "float32", "double": "float64",
}  # fmt: skip

# in place: what these give becomes the content of the tensor
_IN_PLACE = """add sub mul div floor_divide remainder exp log sigmoid tanh sign floor erfinv clamp masked_fill index_fill
masked_scatter index_add scatter scatter_add""".split()
_IN_PLACE_OF = read_table("""
tensor_methods.overloads: copy_=copied fill_=fill zero_=zero
tensor_methods.overloads_gather_scatter: index_copy_=index_copy index_put_=index_put put_=put
linalg.addmm: addmm_=addmm
array.scattering: fill_diagonal_=fill_diagonal
""")

_BINARY = read_table("""
tensor_methods.operators: add=plus sub=minus mul=times truediv=over floordiv=floor_over mod=modulo matmul=matrix_product
math.arithmetic: pow
math.bitwise: and=bitwise_and or=bitwise_or xor=bitwise_xor lshift=bitwise_left_shift rshift=bitwise_right_shift
""")
_OPERATORS = read_table("""
tensor_methods.operators: lt=below le=at_most gt=above ge=at_least eq=equals ne=differs pos=itself round=rounded
    setitem=set_item
math.arithmetic: neg abs
math.comparison: invert=logical_not
array.indexing: getitem
""")
_PROPERTIES = read_table("""
array.shapes: T=reversed_axes
tensor_methods.operators: mT=matrix_transposed H=hermitian mH=adjoint
tensor_methods.storage: is_meta init_flag=no virtual_flag=no init_finished=yes param_info=none index_of_parent_=none
    parent_tensor_=none symbolic_shape=none delta_seed=zero
""")


_TABLE = Table(
    __name__,
    _METHODS,
    _ravel="array.shapes.ravel",
    _astype="math.casts.astype",
    _wide="tensor_methods.overloads.wide_sum",
    int64=dtypes.int64,
)
_function = _TABLE.load


def _cast(name: str, dtype: str) -> Callable:
    astype, kind = _function("math.casts.astype"), getattr(dtypes, dtype)

    def cast(self: Any) -> Any:
        return astype(self, kind)

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"The tensor in dtype {kind!r}; itself if it has that already."
    return cast


def _make_changing(name: str, make: Callable[[], Callable]) -> Callable:
    change = _function("state.scatter_update.change")

    def changed(box: Any, result: Any) -> Any:
        change(name, box, result)
        return box

    return make_in_place(name, make(), changed)


def _reflect(path: str) -> Callable:
    function = _function(path)

    def reflected(self: Any, other: Any) -> Any:
        return function(Tensor(other) if type(other) is np.ndarray else other, self)

    return reflected


def _makers() -> dict[str, Callable[[], Any]]:
    """Method, operator or property: what makes it."""
    later = functools.partial
    makers: dict[str, Callable[[], Any]] = {}
    makers.update({name: later(_TABLE.make_function, name) for name in _TABLE.rows})
    makers.update({name: later(_cast, name, dtype) for name, dtype in _CASTS.items()})
    makers.update({f"{name}_": later(_make_changing, f"{name}_", makers[name]) for name in _IN_PLACE})
    changing = {name: later(_function, row.target) for name, row in _IN_PLACE_OF.items()}
    makers.update({name: later(_make_changing, name, make) for name, make in changing.items()})
    makers.update(
        {f"__{name}__": later(_function, row.target) for name, row in {**_BINARY, **_OPERATORS}.items()}
    )
    makers.update({f"__r{name}__": later(_reflect, row.target) for name, row in _BINARY.items()})
    makers["__rpow__"] = later(_reflect, "tensor_methods.operators.power_of_list")
    makers.update({f"__i{name}__": later(augmented, name) for name in CHANGING})
    makers["convert_bytes_to_tensor"] = lambda: staticmethod(
        _function("tensor_methods.storage.convert_bytes_to_tensor")
    )
    makers.update(
        {name: (lambda row=row: property(_function(row.target))) for name, row in _PROPERTIES.items()}
    )
    return makers


MAKERS = _makers()


class _Later:
    """Stands in a class for a method until that is first asked for: programs use few of the methods that there are."""

    def __init__(self, owner: type, name: str, make: Callable[[], Any]) -> None:
        self.owner = owner
        self.name = name
        self.make = make

    def __get__(self, box: Any, cls: type) -> Any:
        made = old_spellings.accept(f"Tensor.{self.name}", self.make())
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
    cls.item = old_spellings.accept("Tensor.item", cls.item)  # type: ignore[attr-defined]
