"""mint's names for operators, where the signature differs, as rows that :mod:`msjax.ops.common.name_table` reads.

Where it does not differ, the stub of `msjax.mint` names the operator itself.
"""

import dataclasses
import inspect
import re
from collections.abc import Callable
from typing import Any

from msjax.ops.common.name_table import Row, Table, call_text, make_function, read_signature

# What lines of the tables may call.
_HELPERS = {
    "_astype": "ops.math.casts.astype",
    "_counted": "mint._common.cast_for_sum",
    "_floating": "mint._common.as_floating",
    "_into": "mint._common.write_into",
    "_only": "mint._common.check_supported",
    "_window": "mint._common.default_stride",
    "_hollow": "mint._common.is_empty_along",
    "_implicit": "mint._common.default_softmax_dim",
    "_inexact": "mint._products.check_inexact",
    "_no_bool": "ops.math.clipping.no_bool",
    "_no_whole": "mint._common.refuse_integers",
    "_matched": "mint._products.check_product_shapes",
}
_ARGUMENT = re.compile(r"^(    )(\w+)( \()", re.MULTILINE)


def attach(module: str, text: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a module of mint's functions.

    With a parameter `inplace`, the result of the call becomes the content of the first argument where that is set; a
    function whose name ends in "_" always does so. Docstrings have mint's names of parameters.

    Args:
        module: its name.
        text: the table, with paths below `msjax`.
    """
    table = Table(module, text, root="msjax", **_HELPERS)

    def make(name: str) -> Callable:
        row, target = table.rows[name], table.load(table.rows[name].target)
        if "inplace" in row.signature or name.endswith("_"):
            row = _in_place(row, target)
        made = make_function(row, target, table.names_of(row))
        made.__module__ = module
        made.__doc__ = _rename_in_doc(target.__doc__, read_signature(row.signature).renames)
        return made

    return table.attach(make)


def _in_place(row: Row, target: Callable) -> Row:
    """Add the line that makes the result the content of the first argument."""
    params, renames, _ = read_signature(row.signature)
    names = [p.name for p in params]
    call = call_text(target, {renames.get(name, name): name for name in names if name != "inplace"})
    line = f"return _into({row.name!r}, {names[0]}, {call})"
    line = f"if inplace: {line}" if "inplace" in names else line
    return dataclasses.replace(row, before_call=f"{row.before_call}\n{line}".strip())


def _rename_in_doc(doc: str | None, renames: dict[str, str]) -> str:
    """Return a function's documentation under other names of its parameters."""
    names = {there: here for here, there in renames.items()}
    text = _ARGUMENT.sub(lambda m: m[1] + names.get(m[2], m[2]) + m[3], inspect.cleandoc(doc or ""))
    return re.sub(r"`(\w+)`", lambda m: f"`{names.get(m[1], m[1])}`", text)


__getattr__, __dir__ = attach(
    __name__,
    """
# elementwise
add(input: self, other, *, alpha=1) -> ops.tensor_methods.overloads.added
sub(input: self, other, *, alpha=1) -> ops.tensor_methods.overloads.subtracted
addcmul(input, tensor1, tensor2, *, value=1) -> ops.math.fused_arithmetic.addcmul
clamp(input, min=None, max=None) -> ops.math.clipping.clamp
    _no_bool(min=min, max=max)
addcdiv(input, tensor1, tensor2, *, value=1) -> ops.math.fused_arithmetic.addcdiv
arcsin(x: input) -> ops.math.trigonometric.asin
frac(input: x) -> ops.math.rounding.frac
sqrt(input: x) -> ops.math.elementary.sqrt
isnan(tensor: input) -> ops.math.comparison.isnan
softmax(input, dim: axis, *, dtype=None) -> ops.nn.activation_smooth.softmax
    dim = _implicit(input, dim)
sigmoid(input) -> ops.nn.activation_smooth.sigmoid
    input = _floating(input)
tanh(input) -> ops.nn.activation_smooth.tanh
    input = _floating(input)
npu_gelu(input, approximate='none') -> ops.nn.activation_smooth.gelu

# reductions
all(input, dim: axis = None, keepdim: keep_dims = False) -> ops.reduction.reduction.all
any(input, dim: axis = None, keepdim: keep_dims = False) -> ops.reduction.reduction.any
amax(input, dim: axis = (), keepdim: keepdims = False) -> ops.reduction.min_max.amax
amin(input, dim: axis = (), keepdim: keepdims = False) -> ops.reduction.min_max.amin
mean(input: x, dim: axis = None, keepdim: keep_dims = False, *, dtype=None) -> ops.reduction.reduction.mean
    if dtype is not None: input = _astype(input, dtype)
nansum(input, dim: axis = None, keepdim: keepdims = False, *, dtype=None) -> ops.reduction.reduction.nansum
prod(input, dim: axis = None, keepdim: keep_dims = False, *, dtype=None) -> ops.reduction.reduction.prod

# running totals, order
cummax(input, dim: axis) -> ops.reduction.cumulative.cummax
cumprod(input, dim, dtype=None) -> ops.reduction.cumulative.cumprod
    input = _counted(input, dtype)
cumsum(input: x, dim: axis, dtype=None) -> ops.reduction.cumulative.cumsum
    input = _counted(input, dtype)
diff(input: x, n=1, dim: axis = -1, prepend=None, append=None) -> ops.reduction.statistics.diff
histc(input, bins=100, min=0, max=0) -> ops.reduction.statistics.histc

# shapes
cat(tensors, dim: axis = 0) -> ops.array.joining.concat
concat(tensors, dim: axis = 0) -> ops.array.joining.concat
stack(tensors, dim: axis = 0) -> ops.array.joining.stack
chunk(input, chunks, dim: axis = 0) -> ops.array.joining.chunk
    if _hollow(input, dim) and chunks > 0: return _target(input, 1, dim) * chunks
split(tensor, split_size_or_sections, dim: axis = 0) -> ops.array.joining.split
clone(input: self) -> ops.tensor_methods.overloads.copy
flatten(input: self, start_dim=0, end_dim=-1) -> ops.tensor_methods.overloads.flatten
narrow(input, dim: axis, start, length) -> ops.array.slicing.narrow
squeeze(input, dim: axis = None) -> ops.array.shapes.squeeze
transpose(input, dim0: axis0, dim1: axis1) -> ops.array.shapes.swapaxes
unsqueeze(input: input_x, dim: axis) -> ops.array.shapes.expand_dims
# one Tensor is one axis
meshgrid(*tensors: inputs, indexing=None) -> ops.array.creation.meshgrid
    indexing = indexing or 'ij'
    tensors = (tuple(tensors),)
# output_size is what the repeats add up to
repeat_interleave(input, repeats, dim: axis = None, *, output_size: _ = None) -> ops.array.joining.repeat_interleave

# indices
gather(input, dim, index) -> ops.array.gathering.gather_elements
index_select(input, dim: axis, index) -> ops.array.gathering.index_select
index_add(input: x, dim: axis, index: indices, source: y, *, alpha=1) -> ops.array.scattering.indexed
scatter_add(input, dim: axis, index, src) -> ops.array.scattering.scatter_add_elements

# products
baddbmm(input, batch1, batch2, *, beta=1, alpha=1) -> ops.linalg.addmm.baddbmm
    _matched('baddbmm', 3, batch1=batch1, batch2=batch2)
addbmm(input, batch1, batch2, *, beta=1, alpha=1) -> ops.linalg.addmm.addbmm
    _matched('addbmm', 3, batch1=batch1, batch2=batch2)
inverse(input) -> ops.linalg.solving.inverse
    _inexact('inverse', input)
addr_(input: x, vec1, vec2, beta=1, alpha=1) -> ops.linalg.addmm.addr
bmm(input: input_x, mat2) -> ops.linalg.products.bmm
mv(input: mat, vec) -> ops.linalg.products.mv
    _matched('mv', 2, input=input, vec=vec)
cdist(x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary') -> ops.reduction.norms.cdist
    _only('cdist', ('use_mm_for_euclid_dist_if_necessary', 'use_mm_for_euclid_dist', 'donot_use_mm_for_euclid_dist'),
        compute_mode=compute_mode)
matrix_norm(A, ord='fro', dim: axis = (-2, -1), keepdim: keepdims = False, *, dtype=None) -> ops.reduction.norms.matrix_norm
vector_norm(x, ord=2, dim: axis = None, keepdim: keepdims = False, *, dtype=None) -> ops.reduction.norms.vector_norm

# creation
zeros(size, *, dtype=None) -> ops.array.creation.zeros
ones(size: shape, *, dtype=None) -> ops.array.creation.ones
""",
)
