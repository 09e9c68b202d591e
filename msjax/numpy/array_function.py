"""Argument conversion of the functions of `mindspore.numpy`.

They accept Tensors, Python numbers and nested lists or tuples of these. Numbers and lists become Tensors first, of
int32, float32 or bool (so that `add(int8_tensor, 2)` is int32, as in MindSpore, not int8 as in `ops`). NumPy arrays
are refused, as they are there.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any, get_args

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.op import op
from msjax.core.tensor.construction import constant
from msjax.core.tensor.tensor import Tensor, wrap
from msjax.ops.common import checks
from msjax.ops.common.function_families import define_family

_NARROW = {
    np.dtype(np.int64): np.int32,
    np.dtype(np.float64): np.float32,
    np.dtype(np.complex128): np.complex64,
}
_PYTHON = {
    int: dtypes.int32,
    float: dtypes.float32,
    bool: dtypes.bool_,
    "int": dtypes.int32,
    "float": dtypes.float32,
}
_INT32 = np.iinfo(np.int32)
# Functions that leave integers as wide as MindSpore's Tensor of them.
_WIDE = ("around", "cumprod")


# What MindSpore takes as a Tensor only, though the functions beside take numbers and lists too.
TENSORS = {
    "append": "arr values",
    "average": "x weights",
    "broadcast_to": "array",
    "dot": "a b",
    "inner": "a b",
    "matmul": "x1 x2",
    "outer": "a b",
    "searchsorted": "sorter",
    "take": "a indices",
    "take_along_axis": "arr indices",
    "tensordot": "a b",
    **dict.fromkeys(("amax", "amin", "max", "min", "diag", "diagflat"), "a v"),
    **dict.fromkeys(("arctan2", "float_power", "less_equal", "logaddexp2", "logical_xor"), "x1 x2"),
    **dict.fromkeys(("multiply", "not_equal"), "x1 x2"),
    **dict.fromkeys(
        "abs absolute arccos arccosh arcsin arcsinh arctan arctanh cos cosh deg2rad fabs fix isneginf isposinf log10 "
        "log2 rad2deg radians sin sinh tan tanh positive array_split count_nonzero cumsum diagonal diff dsplit ediff1d "
        "expand_dims flip fliplr flipud hsplit moveaxis nancumsum ptp ravel reshape roll rollaxis rot90 split squeeze "
        "swapaxes tile trace transpose unique vsplit apply_along_axis array_str".split(),
        "a arr ary input m x",
    ),
}


def as_tensor(fn: str, name: str, x: Any) -> Any:
    """Return an argument as a Tensor.

    Raises:
        TypeError: if it is not a Tensor, number, list or tuple, or the function takes Tensors only.
        TypeError, ValueError: both at once, if lists are ragged.
    """
    if isinstance(x, Tensor):
        return x
    if name in TENSORS.get(fn, "").split():
        checks.fail(checks.NotATensorError, fn, name, "be a Tensor", f"{str(x)[:80]} ({type(x).__name__})")
    if isinstance(x, list | tuple):
        if _holds_tensor(x):
            return stack_promoted([as_tensor(fn, name, part) for part in x])
    elif not isinstance(x, bool | int | float):
        checks.fail(
            TypeError, fn, name, "be a Tensor, number, list or tuple", f"{str(x)[:80]} ({type(x).__name__})"
        )
    else:
        return Tensor(x) if fn in _WIDE else wrap(_number(type(x), x, x == 0 and repr(x)))
    try:
        value = np.asarray(x)
    except ValueError:
        checks.fail(RaggedError, fn, name, "hold lists of one length", x)
    if value.dtype.kind not in "biufc":
        checks.fail(TypeError, fn, name, "hold numbers", f"{x!r}")
    narrow = _NARROW.get(value.dtype, value.dtype)
    if value.dtype.kind == "i" and value.size and (value.min() < _INT32.min or value.max() > _INT32.max):
        narrow = value.dtype  # MindSpore would let such an integer wrap around
    narrow = value.dtype if fn in _WIDE and value.dtype.kind == "i" else narrow
    return Tensor(value.astype(narrow))


@op
def stack_promoted(arrays: Any) -> Array:
    """Stack arrays of one shape along a new first axis, in their promoted dtype."""
    return jnp.stack(promote_arrays("stack", *arrays))


@functools.lru_cache(4096)
def _number(kind: type, value: Any, sign: Any) -> Array:
    """Return the array of a Python number. 1, True and 1.0 are equal, 0.0 and -0.0 too: the key tells them apart."""
    whole = kind is int and _INT32.min <= value <= _INT32.max
    return constant(np.asarray(value, np.int32 if whole else {float: np.float32}.get(kind)))


def _holds_tensor(values: Any) -> bool:
    return any(isinstance(v, Tensor) or (isinstance(v, list | tuple) and _holds_tensor(v)) for v in values)


def element_dtype(fn: str, dtype: Any) -> np.dtype | None:
    """Return the NumPy dtype for an argument `dtype`: MindSpore's, its name, `int`, `float`, `bool`, or None.

    Raises:
        TypeError: if it is none of these.
    """
    if dtype is None:
        return None
    try:
        return dtypes.as_np(_PYTHON.get(dtype, dtype))
    except TypeError:
        checks.fail(TypeError, fn, "dtype", "be a dtype or the name of one", repr(dtype))


def wide(dtype: Any) -> Any:
    """`int` and `float` as the functions take them that convert their result with `Tensor.astype`."""
    return {int: dtypes.int64, float: dtypes.float64}.get(dtype, dtype)


def cast(fn: str, x: Any, dtype: Any) -> Any:
    """Return an array, or several, as another dtype. Complex numbers become real by their real part."""
    wanted = element_dtype(fn, dtype)
    if wanted is None:
        return x
    if isinstance(x, tuple):
        return tuple(cast(fn, part, dtype) for part in x)
    if jnp.iscomplexobj(x) and not jnp.issubdtype(wanted, jnp.complexfloating):
        x = jnp.real(x)
    return x.astype(wanted)


def define_function(
    fn: Callable | None = None, *, static: str = "", plain: str = "", promotes: bool = False
) -> Any:
    """Make a function over Tensors, numbers and lists of a pure function over arrays.

    Args:
        fn: the pure function.
        static: names of the parameters that decide shape or program (see `op`).
        plain: names of the parameters that are passed as they are: sequences of arrays.
        promotes: whether the function brings its arrays to one dtype (see `op`).

    Returns:
        A function with the same parameters; `.pure` is the function over arrays.
    """
    if fn is None:
        return functools.partial(define_function, static=static, plain=plain, promotes=promotes)
    return wrap_operator(op(fn, static=static, promotes=promotes), f"{static} {plain}")


def wrap_operator(target: Callable, skip: str = "") -> Callable:
    """Return an operator whose arguments are made Tensors first, but for those that `skip` names."""
    name = target.__name__
    parameters = list(inspect.signature(target).parameters.values())
    defaults = {f"_{p.name}": p.default for p in parameters if p.default is not p.empty}
    head, parts = [], []
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and "*" not in head:
            head.append("*")
        head.append(f"{p.name}=_{p.name}" if p.default is not p.empty else p.name)
        value = p.name
        if p.name not in skip.split():
            value = f"{p.name} if isinstance({p.name}, _Tensor) else _tensor({name!r}, {p.name!r}, {p.name})"
            if p.default is None or type(None) in get_args(p.annotation):
                value = f"None if {p.name} is None else ({value})"
        parts.append(f"{p.name}={value}" if p.kind is p.KEYWORD_ONLY else value)
    namespace = {"_target": target, "_tensor": as_tensor, "_Tensor": Tensor, **defaults}
    exec(f"def {name}({', '.join(head)}):\n    return _target({', '.join(parts)})", namespace)
    made = namespace[name]
    functools.update_wrapper(made, target)
    made.__signature__ = inspect.signature(target)
    return made


_SHARED = """    Args:
{args}        dtype (mindspore.dtype, None): of the result. Default: None, what follows from the arguments.

    Returns:
        {what}

    Raises:
        TypeError: if an argument is not a Tensor, number, list or tuple, or of a dtype that is refused.
{more}"""


def define_elementwise(fn: Callable) -> Callable:
    """Return a function that works element by element, with the `dtype` that all of these have.

    What their documentation has in common (arguments, result, errors) is put between the sentence and the examples.
    """
    names = list(inspect.signature(fn).parameters)

    @functools.wraps(fn)
    def pure(*args: Any, dtype: Any = None, **kwargs: Any) -> Any:
        if dtype is not None and not isinstance(dtype, dtypes.DType):
            checks.fail(TypeError, fn.__name__, "dtype", "be one of mindspore's dtypes", repr(dtype))
        return cast(fn.__name__, fn(*args, **kwargs), dtype)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(n, kind) for n in names]
    pure.__signature__ = inspect.Signature([*parameters, inspect.Parameter("dtype", kind, default=None)])  # type: ignore[attr-defined]
    made = wrap_operator(op(pure, static="dtype"), "dtype")
    made.__doc__ = _complete_doc(fn.__doc__ or "", names)
    if fn.__name__ in TENSORS:
        made.__doc__ = made.__doc__.replace("Tensor, number, list, tuple", "Tensor").replace(
            "Tensor, number, list or tuple", "Tensor"
        )
    return made


def elementwise_family(module: str, prepare: Callable, names: str = "x1 x2") -> Callable[..., Callable]:
    """Return what makes functions that work element by element from rows of a table (see `function_families`).

    Args:
        module: where the functions stand.
        prepare: takes a function's name and its arrays; gives the arrays to compute with, or the one.
        names: the parameters.

    Examples:
        >>> import jax.numpy as jnp
        >>> from msjax.numpy.array_function import elementwise_family, promote_and_broadcast
        >>> pair = elementwise_family(__name__, promote_and_broadcast)
        >>> add = pair("add", jnp.add, "x1 + x2.", "[1, 2], [3, 4]", "[4 6]")
        >>> print(add([1, 2], 3))
        [4 5]
    """
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind, annotation=Array) for name in names.split()]
    return define_family(module, define_elementwise, prepare, parameters, "ms.numpy")


def as_given(fn: str, *arrays: Array) -> Any:
    """Return the arrays as they are: `prepare` of a family that does nothing first."""
    return arrays if len(arrays) != 1 else arrays[0]


def _complete_doc(text: str, names: list[str]) -> str:
    # Without indentation, which Python 3.13 takes from docstrings.
    sentence, _, examples = inspect.cleandoc(text).partition("Examples:")
    two = len(names) > 1
    args = "".join(
        f"        {n} (Tensor, number, list, tuple): of any shape{' that broadcasts with the other' if two else ''}.\n"
        for n in names
    )
    what = "Tensor of the broadcast shape." if two else f"Tensor of the shape of `{names[0]}`."
    more = "        ValueError: if the shapes do not broadcast.\n\n" if two else "\n"
    shared = inspect.cleandoc(_SHARED.format(args=args, what=what, more=more))
    return f"{sentence}{shared}\n\nExamples:{examples}\n"


def promote_arrays(fn: str, *arrays: Array) -> Any:
    """Promote arrays to their common dtype: MindSpore's, and NumPy's where MindSpore has no rule."""
    kinds = [x.dtype for x in arrays]
    if len(set(kinds)) == 1:
        return list(arrays)
    try:
        met = dtypes.promote(*kinds)
    except TypeError:
        # Unsigned integers are taken as uint8, which MindSpore has rules for, beside floating numbers.
        floats = [kind for kind in kinds if jnp.issubdtype(kind, jnp.inexact)]
        met = dtypes.promote(*floats) if floats else np.result_type(*kinds)
    return [x.astype(met) for x in arrays]


def promote_and_broadcast(fn: str, x1: Array, x2: Array) -> list[Array]:
    """Promote two arrays to one dtype, whose shapes broadcast."""
    checks.check_broadcastable(fn, x1=x1, x2=x2)
    return promote_arrays(fn, x1, x2)


def narrow(x: Array) -> Array:
    """float32 in place of integers, bools and float64, as some functions of MindSpore's compute."""
    return (
        x
        if x.dtype in (np.float16, dtypes.as_np(dtypes.bfloat16)) or jnp.iscomplexobj(x)
        else x.astype(np.float32)
    )


class RaggedError(TypeError, ValueError):
    """Lists of several lengths where one array is meant. MindSpore raises the one or the other."""


def normalize_axis(fn: str, x: Array, axis: Any, name: str = "axis") -> int:
    """One axis, counted from the front."""
    return checks.normalize_axis(fn, x.ndim, **{name: _as_int(axis)})


def _as_int(axis: Any) -> Any:
    """Return an axis as an int: True and False are 1 and 0, as in NumPy."""
    return int(axis) if isinstance(axis, bool) else axis


def normalize_axes(fn: str, x: Array, axis: Any, name: str = "axis") -> tuple[int, ...]:
    """Axes counted from the front; None and () stand for all."""
    if axis is None or axis == ():
        return tuple(range(x.ndim))
    given = axis if isinstance(axis, tuple | list) else (axis,)
    found = tuple(checks.normalize_axis(fn, x.ndim, **{name: _as_int(a)}) for a in given)
    if len(set(found)) < len(found):
        checks.fail(ValueError, fn, name, "name each axis once", axis)
    return found
