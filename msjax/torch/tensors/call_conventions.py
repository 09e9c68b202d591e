"""PyTorch's call conventions: device, layout and memory format arguments, `out=`, `inplace=`, `generator=`."""

import contextlib
import functools
import inspect
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from msjax import ops
from msjax.core import dtype as dtypes
from msjax.core.state import NO_GRAD, state
from msjax.core.tensor import random_state
from msjax.core.tensor.box import owns_leaf, root
from msjax.core.tensor.tensor import node_of, resolve
from msjax.core.xla import shapes_only
from msjax.torch.tensors import dtypes as kinds
from msjax.torch.tensors.devices import is_made_on_meta, to_meta
from msjax.torch.tensors.refused_dtypes import alike, refusing
from msjax.torch.tensors.tensor import DEFAULT, Tensor, call_operator
from msjax.torch.tensors.torch_function import defined, find_handlers, handle, overridable


class Layout(str):
    """`torch.layout`: how a tensor's elements are stored."""

    __slots__ = ()
    __repr__ = str.__str__


def wrap_dim(dim: int, ndim: int) -> int:
    """Return the number of a dimension counted from the first.

    Args:
        dim: in [-ndim, ndim); of a tensor without dimensions 0 and -1.
        ndim: how many there are.

    Raises:
        IndexError: for a dimension that is not there.

    Examples:
        >>> from msjax.torch.tensors.call_conventions import wrap_dim
        >>> wrap_dim(-1, 3)
        2
    """
    most = max(ndim, 1)
    if not -most <= dim < most:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-most}, {most - 1}], but got {dim})"
        )
    return dim % most


strided, jagged = Layout("torch.strided"), Layout("torch.jagged")
# Where arrays live and how they are laid out is JAX's and XLA's business: these are taken by name.
PLACES = frozenset(
    "device pin_memory memory_format non_blocking names sparse_grad copy_to _stacklevel foreach".split()
)
# PyTorch's name of a parameter: what operators call it.
_OURS = {
    "input": ("x", "input_x", "inputs", "dividend"),
    "size": ("shape",),
    "A": ("input", "x"),
    "L": ("input_x", "input2"),
    "B": ("input",),
    "dim": ("axis", "dims"),
    "keepdim": ("keepdims",),
    "tensors": ("inputs",),
    "target": ("targets",),
    "value": ("other",),
    # NumPy's names, which PyTorch takes too.
    "axis": ("dim",),
    "keepdims": ("keepdim",),
    "x": ("input",),
    "x2": ("other",),
    # Names of one of the forms that PyTorch tells apart, and one function serves here.
    "other": ("tensor2", "divisor"),
    "tensor": ("tensor1",),
    "sections": ("indices_or_sections",),
    "indices": ("indices_or_sections",),
    "split_size": ("split_size_or_sections",),
    "element": ("elements",),
    "test_element": ("test_elements",),
    "train": ("training",),
}
# What may come as so many numbers, or as one sequence by its name.
_LISTED = ("dims", "size", "shape", "sizes", "repeats")
# What of whole numbers and bools is floating.
_OF_FLOATS = frozenset(
    """acos acosh asin asinh atan atanh cos cosh sin sinh tan tanh sqrt rsqrt reciprocal sigmoid exp exp2 expm1 log log10
    log1p log2 erf erfc erfinv erfcx lgamma digamma logit mvlgamma polygamma sinc i0 i0e i1 i1e bessel_i0 bessel_i0e
    bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_y0 bessel_y1 bessel_k0 bessel_k1
    bessel_k0e bessel_k1e modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1
    spherical_bessel_j0 airy_ai ndtr ndtri log_ndtr entr
    fft fft2 fftn ifft ifft2 ifftn rfft rfft2 rfftn irfft irfft2 irfftn hfft hfft2 hfftn ihfft ihfft2 ihfftn
    softsign deg2rad rad2deg cosine_embedding_loss margin_ranking_loss triplet_margin_loss cosine_similarity""".split()
)
# What is of two tensors, and floating; and what is of two tensors, of the dtype that they promote to.
_FLOATING_PAIRS = frozenset(
    "xlogy xlog1py logaddexp logaddexp2 igamma igammac atan2 arctan2 copysign zeta".split()
)
_PAIRS = frozenset(
    """bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift fmin fmax gcd lcm heaviside hypot
    nextafter not_equal greater greater_equal less less_equal""".split()
)


def _of_floats(target: Callable) -> Callable:
    def call(*args: Any, **named: Any) -> Any:
        return target(
            *map(_to_floating, args), **{name: _to_floating(value) for name, value in named.items()}
        )

    return functools.wraps(target)(call)


def _of_longs(target: Callable) -> Callable:
    @functools.wraps(target)
    def call(input: Any, *args: Any, **named: Any) -> Any:
        exact = isinstance(input, Tensor) and not (input.is_floating_point() or input.is_complex())
        return target(ops.cast(input, dtypes.int64) if exact else input, *args, **named)

    return call


class _Autocast(threading.local):
    """The dtype of products in the running thread; None outside of `torch.autocast`."""

    dtype: Any = None


AUTOCAST = _Autocast()
# What autocast computes in the lower dtype, and what in float32, as PyTorch's of the CPU.
_LOWER = frozenset(
    """conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d bmm mm matmul baddbmm addmm addbmm linear
    scaled_dot_product_attention prelu""".split()
)
_FULL = frozenset(
    """avg_pool3d binary_cross_entropy grid_sample prod quantile nanquantile cdist mse_loss l1_loss cross_entropy nll_loss
    cosine_embedding_loss hinge_embedding_loss kl_div smooth_l1_loss huber_loss ctc_loss triplet_margin_loss poisson_nll_loss
    multi_margin_loss multilabel_margin_loss det logdet slogdet inverse pinverse svd qr cholesky
    binary_cross_entropy_with_logits soft_margin_loss gaussian_nll_loss""".split()
)


def _category(dtype: Any) -> int:
    """Bools, whole numbers, floating numbers, complex ones."""
    return 3 if dtype.is_complex else 2 if dtype.is_floating_point else 0 if dtype == dtypes.bool_ else 1


def promote_zero_dim(a: Any, b: Any) -> tuple[Any, Any]:
    """A tensor without dimensions does not decide the dtype beside one of its kind, or of a wider one, that has some."""
    if isinstance(a, Tensor) and isinstance(b, Tensor) and a.dtype != b.dtype:
        if a.ndim == 0 < b.ndim:
            return ops.cast(a, _beside(a.dtype, b.dtype)), b
        if b.ndim == 0 < a.ndim:
            return a, ops.cast(b, _beside(b.dtype, a.dtype))
    return a, b


def _beside(number: Any, dtype: Any) -> Any:
    """The dtype of a tensor without dimensions, beside one that has some."""
    if _category(number) <= _category(dtype):
        return dtype
    if _category(number) == 3 and _category(dtype) == 2:  # complex, of the other's precision
        return dtypes.complex128 if dtype == dtypes.float64 else dtypes.complex64
    return number


def promote_types(a: Any, b: Any) -> Any:
    """Return the dtype that two dtypes promote to."""
    return kinds.of(a if a == b else ops.add(ops.zeros((), a), ops.zeros((), b)).dtype)


def promoted_dtype(*operands: Any) -> Any:
    """Return the dtype of a result: tensors with dimensions decide, then those without, then numbers.

    Args:
        *operands: tensors and numbers.
    """
    groups: list[list[Any]] = [[], [], []]
    for each in operands:
        if isinstance(each, Tensor):
            groups[0 if each.ndim else 1].append(each.dtype)
        else:
            groups[2].append(_dtype_of_number(each))
    found = [functools.reduce(promote_types, group) for group in groups if group]
    return kinds.of(functools.reduce(lambda high, low: promote_types(high, _beside(low, high)), found))


def _dtype_of_number(value: Any) -> Any:
    if isinstance(value, bool):
        return dtypes.bool_
    if isinstance(value, int):
        return dtypes.int64
    if isinstance(value, complex):
        return dtypes.complex128 if DEFAULT["dtype"] == dtypes.float64 else dtypes.complex64
    return DEFAULT["dtype"]


def _of_pairs(target: Callable) -> Callable:
    """Return a function of two tensors whose dtype is PyTorch's."""
    joins = target.__name__ == "nextafter"  # whose operator takes no tensors of two dtypes

    @functools.wraps(target)
    def call(input: Any, other: Any, *args: Any, **named: Any) -> Any:
        input, other = promote_zero_dim(input, other)
        if joins and isinstance(input, Tensor) and isinstance(other, Tensor) and input.dtype != other.dtype:
            wanted = promote_types(input.dtype, other.dtype)
            input, other = ops.cast(input, wanted), ops.cast(other, wanted)
        return target(input, other, *args, **named)

    return call


def _of_floating_pairs(target: Callable) -> Callable:
    """Return a function of two tensors that is floating, of the dtype of the floating one if one is."""

    @functools.wraps(target)
    def call(input: Any, other: Any, *args: Any, **named: Any) -> Any:
        wanted = promoted_dtype(input, other)
        if _category(wanted) < 2:
            wanted = DEFAULT["dtype"]
        pair = (x.to(wanted) if isinstance(x, Tensor) else x for x in (input, other))  # type: ignore[attr-defined]
        return target(*pair, *args, **named)

    return call


def casting(target: Callable, name: str = "") -> Callable:
    """Return a function whose floating arguments `torch.autocast` casts, if it is one of those."""
    name = name or target.__name__
    if name not in _LOWER and name not in _FULL:
        return target

    @functools.wraps(target)
    def call(*args: Any, **named: Any) -> Any:
        if AUTOCAST.dtype is None:
            return target(*args, **named)
        wanted = AUTOCAST.dtype if name in _LOWER else dtypes.float32
        cast = functools.partial(_autocast, wanted)
        return target(*map(cast, args), **{word: cast(value) for word, value in named.items()})

    return call


def raising_as_torch(target: Callable) -> Callable:
    """Return a function whose errors about shapes and dtypes have PyTorch's types."""

    def call(*args: Any, **named: Any) -> Any:
        return call_operator(target, *args, **named)

    return overridable(functools.wraps(target)(call), Tensor)


def _autocast(wanted: Any, value: Any) -> Any:
    if isinstance(value, Tensor) and value.dtype in (dtypes.float32, dtypes.float16, dtypes.bfloat16):
        return value.to(wanted)  # type: ignore[attr-defined]
    return value


def _to_floating(value: Any) -> Any:
    if isinstance(value, Tensor) and not (value.is_floating_point() or value.is_complex()):
        return value.to(DEFAULT["dtype"])  # type: ignore[attr-defined]
    return value


def can_cast(given: Any, wanted: Any) -> bool:
    """Return True if a dtype may be stored as another: complex not as real, floating not as integer, integer not as bool."""
    kinds = [
        0 if each == dtypes.bool_ else 3 if each.is_complex else 2 if each.is_floating_point else 1
        for each in (given, wanted)
    ]
    return kinds[0] <= kinds[1]


def replace_value(box: Tensor, new: Any) -> Tensor:
    """Make the result of an operator the content of a tensor.

    Raises:
        RuntimeError: if the tensor is a leaf that requires grad, or a view of one, and recording is on; or if the result
            has another shape.
    """
    here = resolve(box)
    if shapes_only.is_one(here._value):
        return box
    under = resolve(root(here))
    if state.mode != NO_GRAD and owns_leaf(under) and not (here._view is not None and here._view.detached):
        what = "a leaf Variable" if under is here else "a view of a leaf Variable"
        raise RuntimeError(f"{what} that requires grad is being used in an in-place operation.")
    result = resolve(new)
    if result._value.shape != here._value.shape:
        raise RuntimeError(
            f"output with shape {list(here._value.shape)} doesn't match the broadcast shape {list(result._value.shape)}"
        )
    if shapes_only.is_one(result._value):
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    if result._value.dtype != here._value.dtype:
        if not can_cast(result.dtype, here.dtype):
            raise RuntimeError(
                f"result type {result.dtype} can't be cast to the desired output type {box.dtype}"
            )
        result = resolve(ops.cast(new, box.dtype))
    box._assign(result._value, node_of(result))
    return box


def write_out(name: str, result: Any, out: Any) -> Any:
    """Put the result of a function into what is given as `out`: a tensor, or one for each result.

    Raises:
        RuntimeError: if something records, or the dtype does not fit. `out` takes the result's shape, with a warning if it
            had elements.
    """
    if isinstance(result, tuple):
        parts = [write_out(name, part, box) for part, box in zip(result, out, strict=True)]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    if result.requires_grad or out.requires_grad:
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )
    if not can_cast(result.dtype, out.dtype):
        raise RuntimeError(f"result type {result.dtype} can't be cast to the desired output type {out.dtype}")
    if out.shape != result.shape:
        if out.numel():
            warnings.warn(
                f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does not "
                f"match the required output shape {list(result.shape)}. This behavior is deprecated.",
                stacklevel=4,
            )
        out.resize_(result.shape)
    return out.copy_(result)


def check_strided_layout(name: str, layout: Any) -> None:
    """Refuse layouts of sparse tensors."""
    if layout is not None and layout != strided:
        raise NotImplementedError(
            f"`{name}`: argument `layout` must be torch.strided in msjax.torch. Received: {layout}."
        )


def drawing_from(generator: Any) -> Any:
    """Return a context in which random numbers come from a generator; without one, from that of the process."""
    return contextlib.nullcontext() if generator is None else random_state.drawing_from(generator.box)


def reduction_of(size_average: Any, reduce: Any, reduction: str) -> str:
    """Return the `reduction` that PyTorch's deprecated `size_average` and `reduce` stand for, if they are given."""
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"


def _map_names(known: frozenset[str]) -> dict[str, str]:
    """Map PyTorch's argument names to the target's, where those differ."""
    return {
        theirs: next(own for own in choices if own in known)
        for theirs, choices in _OURS.items()
        if theirs not in known and any(own in known for own in choices)
    }


# What makes tensors of numbers alone, on the device that is named or usual.
_MAKERS = frozenset("randint randperm tril_indices triu_indices normal".split())
# How many tensors an operator takes, and the numbers that once stood before those that they multiply.
_FORMER: dict[str, tuple[int, list[str]]] = {"add": (2, ["alpha"]), "sub": (2, ["alpha"])}
_FORMER |= dict.fromkeys("addcmul addcdiv".split(), (3, ["value"]))
_FORMER |= dict.fromkeys("addmm addmv addr addbmm baddbmm".split(), (3, ["beta", "alpha"]))


def _with_former_order(target: Callable, count: int, names: list[str]) -> Callable:
    """Take arguments in PyTorch's former order, too: `x.add_(2, y)` for `x.add_(y, alpha=2)`."""

    @functools.wraps(target)
    def call(*args: Any, **named: Any) -> Any:
        if len(args) <= count:
            return target(*args, **named)
        tensors = [each for each in args if isinstance(each, Tensor)]
        factors = [each for each in args if not isinstance(each, Tensor)]
        if len(tensors) != count or len(factors) > len(names):
            return target(*args, **named)
        now = dict(zip(names, factors, strict=False))
        warnings.warn(
            f"`{target.__name__}`: numbers before tensors are deprecated: give {', '.join(now)} by name, after the tensors.",
            stacklevel=4,
        )
        return target(*tensors, **now, **named)

    return call


def adapt_call(target: Callable, order: str = "", shown: str = "") -> Callable:
    """Return a function of msjax's under PyTorch's conventions of calls, with PyTorch's Tensors and errors.

    Args:
        target: the function.
        order: PyTorch's names of the parameters in order, where the target's order is another one.
        shown: PyTorch's name of the function, where the target has another one.

    Returns:
        The function, which takes PyTorch's names of parameters; `out`, `inplace`, `generator`, `size_average` and
        `reduce` where the target has none; and without effect what says where memory is.

    Examples:
        >>> from msjax import torch
        >>> torch.cumsum(torch.tensor([1.0, 2.0]), axis=0, out=torch.empty(0))
        tensor([1., 3.])
    """
    signature = inspect.signature(target)
    known = frozenset(n for n, p in signature.parameters.items() if p.kind is not p.VAR_POSITIONAL)
    variadic = len(known) < len(signature.parameters)
    ours, listed = _map_names(known), order.split()
    name = target.__name__
    if name in _FLOATING_PAIRS:
        target = _of_floating_pairs(target)
    elif name in _OF_FLOATS:
        target = _of_floats(target)
    elif name in _PAIRS:
        target = _of_pairs(target)
    elif name in ("nansum", "trace"):  # sums of whole numbers and bools
        target = _of_longs(target)
    target = refusing(name, casting(alike(name, target), shown))
    if name in _FORMER:
        target = _with_former_order(target, *_FORMER[name])
    # Where `inplace` is the last of the parameters, it may come without its name.
    makes = name in _MAKERS
    place = len(known) - 1 if [*signature.parameters][-1:] == ["inplace"] else sys.maxsize

    @functools.wraps(target)
    def call(*args: Any, **named: Any) -> Any:
        if defined.any and (found := find_handlers((*args, *named.values()), Tensor)):
            return handle(call, found, args, named)
        if listed:
            first = args[0] if args else named.get(listed[0])
            named.update(zip(listed, args, strict=False))
            args = ()
        elif not named and not makes and len(args) <= place:
            return call_operator(target, *args)
        elif variadic:
            lead = [named.pop("input")] if "input" in named else []
            args = (*lead, *args, *(named.pop(word) for word in _LISTED if word in named))
            first = args[0] if args else None
        else:
            first = args[0] if args else named.get("input")
            named.update(zip(("inplace",), args[place:], strict=False))
            args = args[:place]
        if named.get("dtype") is not None:
            named["dtype"] = kinds.as_dtype(name, named["dtype"])
        out = None if "out" in known else named.pop("out", None)
        in_place = named.pop("inplace", False)
        generator = None if "generator" in known else named.pop("generator", None)
        if "layout" not in known:
            check_strided_layout(name, named.pop("layout", None))
        if "reduction" in known and "reduce" not in known:
            old = named.pop("size_average", None), named.pop("reduce", None)
            if old != (None, None):
                named["reduction"] = reduction_of(*old, named.get("reduction", "mean"))
        kept = {
            ours.get(word, word): value
            for word, value in named.items()
            if word in known or word not in PLACES
        }
        with drawing_from(generator):
            result = call_operator(target, *args, **kept)
        if makes and is_made_on_meta(named, args):
            result = to_meta(result)
        if in_place:
            return replace_value(first, result)  # type: ignore[arg-type]
        return result if out is None else write_out(name, result, out)

    call.__name__ = shown or call.__name__

    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def spoken_all(names: Mapping[str, Any], module: str) -> dict[str, Callable]:
    """Return the public functions that a module defines, under PyTorch's conventions of calls."""
    return {
        name: adapt_call(value)
        for name, value in names.items()
        if not name.startswith("_")
        and getattr(value, "__module__", "") == module
        and callable(value)
        and not isinstance(value, type)
    }
