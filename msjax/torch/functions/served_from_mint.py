"""PyTorch's names served from `mint`: same signature, results are PyTorch's Tensors."""

import functools
import importlib
from collections.abc import Callable, Mapping
from typing import Any

from msjax.ops.common.name_table import Row, import_path, read_table
from msjax.public_api import torch_api
from msjax.torch.functions import derivatives
from msjax.torch.tensors.call_conventions import adapt_call
from msjax.torch.tensors.tensor import Tensor

# Functions whose signature is PyTorch's, as far as programs write it.
FUNCTIONS = read_table("""
mint: addcmul arccos arccosh arcsin arcsinh arctan arctan2 arctanh argsort bernoulli
    bincount bitwise_and bitwise_not bitwise_or bitwise_xor broadcast_to cdist concat count_nonzero cross cummax cummin
    cumprod cumsum diag diff divide dstack einsum erfc exp2 fix float_power frac gcd greater greater_equal histc
    hstack isclose isneginf kthvalue less less_equal logaddexp2 logsumexp
    masked_select median meshgrid multinomial mv nan_to_num nansum narrow negative nonzero normal not_equal polar randint
    randint_like randperm ravel repeat_interleave roll select sinc sort swapaxes
    take topk trace tril triu unique unique_consecutive vdot
ops.functional: outer masked_fill select_scatter movedim moveaxis fliplr flipud block_diag vstack
    column_stack digamma lgamma deg2rad rad2deg hypot copysign heaviside nextafter logcumsumexp tril_indices
    triu_indices diag_embed diagonal combinations angle tensor_split quantile adjoint
    bitwise_left_shift bitwise_right_shift channel_shuffle cholesky_inverse
    cholesky_solve cov det diagflat diagonal_scatter dsplit fmax fmin geqrf vsplit i0 igamma
    igammac inner is_complex is_floating_point is_nonzero isposinf isreal kron lcm logdet logit lu_solve lu_unpack
    matrix_exp matrix_power msort multiply mvlgamma nanquantile pdist polygamma positive row_stack signbit slogdet
    subtract swapdims true_divide view_as_real
torch.nn.functional: conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d dropout layer_norm group_norm
    rms_norm pixel_shuffle pixel_unshuffle prelu relu_ selu celu hardshrink rrelu threshold pairwise_distance
    adaptive_avg_pool1d avg_pool1d max_pool1d max_pool2d max_pool3d cosine_embedding_loss hinge_embedding_loss
    margin_ranking_loss triplet_margin_loss batch_norm
""")
# Methods: of the names above, those whose first parameter is a tensor.
METHODS = """
addcmul argsort bitwise_and bitwise_not bitwise_or bitwise_xor broadcast_to count_nonzero
cross cumprod cumsum diag diff erfc exp2 frac greater greater_equal isclose kthvalue less
less_equal logsumexp masked_select mv nan_to_num nansum narrow negative nonzero not_equal ravel repeat_interleave roll
select sort swapaxes take topk trace tril triu unique adjoint
arccos arccosh arcsin arcsinh arctan arctan2 arctanh bernoulli bincount bitwise_left_shift bitwise_right_shift
cholesky_inverse cholesky_solve copysign cov cummax cummin deg2rad det diag_embed diagflat diagonal_scatter
digamma divide dsplit fix fliplr flipud float_power fmax fmin gcd geqrf heaviside histc hypot i0 igamma
igammac inner inverse isneginf isposinf isreal is_complex is_floating_point is_nonzero kron lcm lgamma
logaddexp2 logcumsumexp logdet logit matrix_exp matrix_power moveaxis msort multinomial multiply mvlgamma nanquantile
nextafter positive prelu quantile rad2deg select_scatter signbit sinc slogdet subtract swapdims
tensor_split true_divide unique_consecutive vdot vsplit angle hardshrink masked_fill diagonal movedim
""".split()


def serve(row: Row, order: str = "", name: str = "") -> Callable:
    """Return a function of msjax's whose Tensors are PyTorch's.

    Args:
        row: its path below `msjax` is the target.
        order: as for :func:`msjax.torch.tensors.call_conventions.adapt_call`.
        name: PyTorch's, where msjax's function has another one.

    Examples:
        >>> from msjax import torch
        >>> torch.cumsum(torch.tensor([1.0, 2.0]), 0)
        tensor([1., 3.])
    """
    found = import_path(f"msjax.{row.target}")
    if row.target.startswith("torch."):
        return found
    made = adapt_call(derivatives.adjust(found), order, name)
    made.__module__ = __name__
    return made


@functools.cache
def _own_names() -> list[Any]:
    return [
        importlib.import_module(f"msjax.torch.functions.{place}")
        for place in ("composed", "statistics", "indexing_scatter", "stft", "decompositions", "native")
    ]


def find_function(name: str) -> Any:
    """Return a name of the module `torch`.

    Args:
        name: without the module's.

    Returns:
        The function, or a placeholder that raises NotImplementedError when it is used.

    Raises:
        AttributeError: if PyTorch has no such name either.
    """
    for place in _own_names():
        if name in place.NAMES:
            return adapt_call(getattr(place, name))
    if name not in FUNCTIONS and name.endswith("_") and not name.startswith("_") and hasattr(Tensor, name):
        return getattr(Tensor, name)
    return find_in_module("torch", FUNCTIONS, name)


make_placeholder = torch_api.lookup


def _method(name: str) -> Callable:
    def method(self: Tensor, *args: Any, **named: Any) -> Any:
        return find_function(name)(self, *args, **named)

    method.__name__ = name
    method.__doc__ = f"See :func:`msjax.torch.{name}`."
    return method


def install() -> None:
    """Attach the methods to Tensor."""
    for name in METHODS:
        setattr(Tensor, name, _method(name))
    for place in _own_names():
        for name in place.METHODS:
            setattr(Tensor, name, adapt_call(getattr(place, name)))


def find_in_module(module: str, rows: Mapping[str, Row], name: str, order: str = "") -> Any:
    """Return a name of a module of PyTorch's whose functions are msjax's, or a placeholder.

    Args:
        module: PyTorch's name of it.
        rows: its functions.
        name: the name.
        order: as for :func:`serve`.

    Raises:
        AttributeError: if PyTorch has no such name either.
    """
    return serve(rows[name], order) if name in rows else torch_api.lookup(module, name)
