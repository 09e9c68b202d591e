"""mint's names for operators, where the signature differs: name, function, mint's signature, renamed, before the call.

Where it does not differ, the stub of `msjax.mint` names the operator itself.
"""

from msjax.mint._adapt import attach

_REDUCE = "(input, dim=None, keepdim=False)"
_AXIS = "dim=axis"
_KEEP = "dim=axis keepdim=keepdims"
_KEEP_ = "dim=axis keepdim=keep_dims"
_IN_DTYPE = "if dtype is not None: input = _astype(input, dtype)"

_CDIST = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")

ROWS: dict[str, tuple[str, ...]] = {
    # ------------------------------------------------------------------ elementwise
    "add": ("ops.tensor_methods.overloads.added", "(input, other, *, alpha=1)", "input=self"),
    "sub": ("ops.tensor_methods.overloads.subtracted", "(input, other, *, alpha=1)", "input=self"),
    "addcmul": ("ops.math.fused_arithmetic.addcmul", "(input, tensor1, tensor2, *, value=1)"),
    "clamp": ("ops.math.clipping.clamp", "(input, min=None, max=None)", "", "_no_bool(min=min, max=max)"),
    "addcdiv": ("ops.math.fused_arithmetic.addcdiv", "(input, tensor1, tensor2, *, value=1)"),
    "arcsin": ("ops.math.trigonometric.asin", "(x)", "x=input"),
    "frac": ("ops.math.rounding.frac", "(input)", "input=x"),
    "sqrt": ("ops.math.elementary.sqrt", "(input)", "input=x"),
    "isnan": ("ops.math.comparison.isnan", "(tensor)", "tensor=input"),
    "softmax": (
        "ops.nn.activation_smooth.softmax", "(input, dim, *, dtype=None)", _AXIS, "dim = _implicit(input, dim)",
    ),
    "sigmoid": ("ops.nn.activation_smooth.sigmoid", "(input)", "", "input = _floating(input)"),
    "tanh": ("ops.nn.activation_smooth.tanh", "(input)", "", "input = _floating(input)"),
    "npu_gelu": ("ops.nn.activation_smooth.gelu", "(input, approximate='none')"),
    # ------------------------------------------------------------------ reductions
    "all": ("ops.reduction.reduction.all", _REDUCE, _KEEP_),
    "any": ("ops.reduction.reduction.any", _REDUCE, _KEEP_),
    "amax": ("ops.reduction.min_max.amax", "(input, dim=(), keepdim=False)", _KEEP),
    "amin": ("ops.reduction.min_max.amin", "(input, dim=(), keepdim=False)", _KEEP),
    "mean": (
        "ops.reduction.reduction.mean", "(input, dim=None, keepdim=False, *, dtype=None)", f"input=x {_KEEP_}", _IN_DTYPE,
    ),
    "nansum": ("ops.reduction.reduction.nansum", "(input, dim=None, keepdim=False, *, dtype=None)", _KEEP),
    "prod": ("ops.reduction.reduction.prod", "(input, dim=None, keepdim=False, *, dtype=None)", _KEEP_),
    # ------------------------------------------------------------------ running totals, order
    "cummax": ("ops.reduction.cumulative.cummax", "(input, dim)", _AXIS),
    "cumprod": ("ops.reduction.cumulative.cumprod", "(input, dim, dtype=None)", "", "input = _counted(input, dtype)"),
    "cumsum": (
        "ops.reduction.cumulative.cumsum", "(input, dim, dtype=None)", "input=x dim=axis", "input = _counted(input, dtype)",
    ),
    "diff": ("ops.reduction.statistics.diff", "(input, n=1, dim=-1, prepend=None, append=None)", "input=x dim=axis"),
    "histc": ("ops.reduction.statistics.histc", "(input, bins=100, min=0, max=0)"),
    # ------------------------------------------------------------------ shapes
    "cat": ("ops.array.joining.concat", "(tensors, dim=0)", _AXIS),
    "concat": ("ops.array.joining.concat", "(tensors, dim=0)", _AXIS),
    "stack": ("ops.array.joining.stack", "(tensors, dim=0)", _AXIS),
    "chunk": (
        "ops.array.joining.chunk", "(input, chunks, dim=0)", _AXIS,
        "if _hollow(input, dim) and chunks > 0: return _target(input, 1, dim) * chunks",
    ),
    "split": ("ops.array.joining.split", "(tensor, split_size_or_sections, dim=0)", _AXIS),
    "clone": ("ops.tensor_methods.overloads.copy", "(input)", "input=self"),
    "flatten": ("ops.tensor_methods.overloads.flatten", "(input, start_dim=0, end_dim=-1)", "input=self"),
    "narrow": ("ops.array.slicing.narrow", "(input, dim, start, length)", _AXIS),
    "squeeze": ("ops.array.shapes.squeeze", "(input, dim=None)", _AXIS),
    "transpose": ("ops.array.shapes.swapaxes", "(input, dim0, dim1)", "dim0=axis0 dim1=axis1"),
    "unsqueeze": ("ops.array.shapes.expand_dims", "(input, dim)", "input=input_x dim=axis"),
    "meshgrid": (
        "ops.array.creation.meshgrid", "(*tensors, indexing=None)", "tensors=inputs",
        "indexing = indexing or 'ij'\ntensors = (tuple(tensors),)  # one Tensor is one axis",
    ),
    "repeat_interleave": (
        "ops.array.joining.repeat_interleave", "(input, repeats, dim=None, *, output_size=None)", _AXIS,
        "output_size  # what the repeats add up to",
    ),
    # ------------------------------------------------------------------ indices
    "gather": ("ops.array.gathering.gather_elements", "(input, dim, index)"),
    "index_select": ("ops.array.gathering.index_select", "(input, dim, index)", _AXIS),
    "index_add": ("ops.array.scattering.indexed", "(input, dim, index, source, *, alpha=1)",
                  "input=x dim=axis index=indices source=y"),
    "scatter_add": ("ops.array.scattering.scatter_add_elements", "(input, dim, index, src)", _AXIS),
    # ------------------------------------------------------------------ products
    "baddbmm": (
        "ops.linalg.addmm.baddbmm", "(input, batch1, batch2, *, beta=1, alpha=1)", "",
        "_matched('baddbmm', 3, batch1=batch1, batch2=batch2)",
    ),
    "addbmm": (
        "ops.linalg.addmm.addbmm", "(input, batch1, batch2, *, beta=1, alpha=1)", "",
        "_matched('addbmm', 3, batch1=batch1, batch2=batch2)",
    ),
    "inverse": ("ops.linalg.solving.inverse", "(input)", "", "_inexact('inverse', input)"),
    "addr_": ("ops.linalg.addmm.addr", "(input, vec1, vec2, beta=1, alpha=1)", "input=x"),
    "bmm": ("ops.linalg.products.bmm", "(input, mat2)", "input=input_x"),
    "mv": ("ops.linalg.products.mv", "(input, vec)", "input=mat", "_matched('mv', 2, input=input, vec=vec)"),
    "cdist": (
        "ops.reduction.norms.cdist", "(x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary')", "",
        f"_only('cdist', {_CDIST}, compute_mode=compute_mode)",
    ),
    "matrix_norm": (
        "ops.reduction.norms.matrix_norm", "(A, ord='fro', dim=(-2, -1), keepdim=False, *, dtype=None)", _KEEP,
    ),
    "vector_norm": ("ops.reduction.norms.vector_norm", "(x, ord=2, dim=None, keepdim=False, *, dtype=None)", _KEEP),
    # ------------------------------------------------------------------ creation
    "zeros": ("ops.array.creation.zeros", "(size, *, dtype=None)"),
    "ones": ("ops.array.creation.ones", "(size, *, dtype=None)", "size=shape"),
}  # fmt: skip

__getattr__ = attach(__name__, ROWS)
