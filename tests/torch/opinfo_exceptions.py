"""Samples of PyTorch's operators that msjax.torch does not answer as PyTorch does, and why.

Keys are "operator", "operator dtype" or "operator dtype form"; tests/torch/test_opinfo.py fails when one of them is equal.
"""

import inspect

import jax

_HERMITIAN = "the gradient of the imaginary part of a diagonal that is real has no meaning; PyTorch keeps it, JAX does not"
_PLACEHOLDER = "an operator of PyTorch's inside, which only its own decompositions call"
_WHOLE = "of a matrix that is not Hermitian PyTorch reads one triangle, and its derivative the whole matrix"
EXCEPTIONS: dict[str, str] = {
    "addbmm float32 in place": "PyTorch gives a tensor without dimensions a new shape in place, only in this operator",
    "addbmm int64 in place": "the same",
    "addbmm complex64 in place": "the same",
    "as_strided_scatter": "PyTorch's gradient does not leave out the elements that are replaced",
    "cholesky complex64": _HERMITIAN,
    "linalg.cholesky complex64": _HERMITIAN,
    "linalg.cholesky_ex complex64": _HERMITIAN,
    "linalg.pinv.hermitian float32": _WHOLE,
    "linalg.pinv.hermitian complex64": _WHOLE,
    "logcumsumexp": "PyTorch's gradient is less exact than float32 (1.8e-3 from that in float64; here 1e-7)",
    "histogramdd float32": "edges that do not ascend are refused (NumPy's rule), PyTorch counts by them",
    "max_pool2d_with_indices_backward": "a result that depends on nothing recorded has no gradient; PyTorch's is zero",
    "nn.functional.layer_norm float32 function": "of one element the gradient is 0; PyTorch's is off by 2e-5",
    "slice": _PLACEHOLDER,
}
OLD_JAX = "enable_eigvec_derivs" not in inspect.signature(jax.lax.linalg.eig).parameters
if OLD_JAX:
    EXCEPTIONS["linalg.eig"] = "this JAX (0.10.0) has no gradient of eigenvectors"
# OpInfo's entries whose samples cannot be written down without PyTorch, and are not counted as equal.
NOT_RECORDED: dict[str, str] = {
    "_upsample_bilinear2d_aa": _PLACEHOLDER,
    "chalf": "complex32: JAX has no such dtype",
    "to_sparse": "results are sparse; tests/torch/test_sparse.py has them",
    "sparse.mm.reduce": "sparse samples; reductions other than sums are not there",
    "sparse.sampled_addmm": "sparse samples",
    "nn.functional.linear_cross_entropy.chunked": "samples hold PyTorch's options of memory",
    "nn.functional.linear_cross_entropy.chunked_none": "the same",
}


def reason(operator: str, dtype: str, form: str) -> str | None:
    """Why a form of an operator's sample is not as PyTorch's; None if it has to be."""
    for key in (operator, f"{operator} {dtype}", f"{operator} {dtype} {form}"):
        if key in EXCEPTIONS:
            return EXCEPTIONS[key]
    return None
