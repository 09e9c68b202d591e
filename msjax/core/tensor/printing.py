"""Text of Tensors and Parameters for `print` and `repr`, as pure functions of NumPy arrays.

`print` shows what NumPy shows. `repr`, which is also how a tensor inside a tuple prints, has MindSpore's own format. Both
show only three elements at each end of a long axis: `print` where there are more than 1000 elements, `repr` of vectors
likewise, `repr` of matrices and upwards wherever an axis has more than six.
"""

from collections.abc import Sequence
from typing import Any, Literal

import ml_dtypes
import numpy as np

from msjax.core import dtype as dtypes

THRESHOLD = 1000
EDGE = 3

_EXPONENT = {np.dtype(np.float16): "%11.4e", np.dtype(np.float32): "%15.8e", np.dtype(np.float64): "%15.8e"}


def tensor_str(array: np.ndarray) -> str:
    """Return the text of `print(tensor)`.

    Examples:
        >>> import numpy as np
        >>> from msjax.core.tensor import printing
        >>> print(printing.tensor_str(np.array([[1.0, 2.5]], np.float32)))
        [[1.  2.5]]
    """
    if array.dtype == ml_dtypes.bfloat16:
        return np.array2string(array, formatter={"all": "%f".__mod__})
    return _format_scalar(array[()]) if array.ndim == 0 else str(array)


def tensor_repr(array: np.ndarray) -> str:
    """Return the text of `repr(tensor)`.

    Examples:
        >>> import numpy as np
        >>> from msjax.core.tensor import printing
        >>> print(printing.tensor_repr(np.array([[1.0, 2.5]], np.float32)))
        Tensor(shape=[1, 2], dtype=Float32, value=
        [[ 1.00000000e+00,  2.50000000e+00]])
    """
    head = f"Tensor(shape={list(array.shape)}, dtype={dtypes.of(array.dtype)}, value="
    separator = " " if array.ndim < 2 else "\n"
    return f"{head}{separator}{_values(array)})"


def compiled_text(array: np.ndarray, constant: bool = False) -> str:
    """Return the text of a tensor that a compiled function prints, as MindSpore's graph mode writes it.

    Args:
        array: its values.
        constant: True for one that the program holds, which is written in round brackets.

    Examples:
        >>> import numpy as np
        >>> from msjax.core.tensor import printing
        >>> print(printing.compiled_text(np.array([1.0, 2.5], np.float32)))
        Tensor(shape=[2], dtype=Float32, value=[ 1.00000000e+00  2.50000000e+00])
        >>> print(printing.compiled_text(np.array([1, 20]), constant=True))
        ( 1, 20)
    """
    if array.ndim == 0:
        return number_text(array.item() if array.dtype != ml_dtypes.bfloat16 else float(array))
    if constant:
        return _values(array).translate({91: "(", 93: ")"}) or "()"
    line = "\n" if array.ndim > 1 else ""
    values = _values(array).replace(",", "")
    return f"Tensor(shape={list(array.shape)}, dtype={dtypes.of(array.dtype)}, value={line}{values})"


def number_text(value: complex) -> str:
    """Return the text of a number that a compiled function prints: six digits at most, bools as 0 and 1.

    Examples:
        >>> from msjax.core.tensor import printing
        >>> printing.number_text(2.0), printing.number_text(True), printing.number_text(1 / 3)
        ('2', '1', '0.333333')
    """
    if isinstance(value, complex):
        return f"({value.real:g},{value.imag:g})"
    return f"{value:g}" if isinstance(value, float) else str(int(value))


def uninitialized_repr(shape: Sequence[int], dtype: object) -> str:
    """Return the text of a tensor whose initializer was not asked for its values yet.

    Examples:
        >>> import numpy as np
        >>> from msjax.core.tensor import printing
        >>> print(printing.uninitialized_repr((2,), np.dtype(np.int32)))
        Tensor(shape=[2], dtype=Int32, value=<uninitialized>)
    """
    line = "\n" if len(shape) > 1 else ""
    return f"Tensor(shape={list(shape)}, dtype={dtypes.of(dtype)}, value={line}<uninitialized>)"


def meta_repr(shape: Sequence[int], dtype: object) -> str:
    """Return the text of a tensor that only stands for a shape and a dtype.

    Examples:
        >>> import numpy as np
        >>> from msjax.core.tensor import printing
        >>> print(printing.meta_repr((2,), np.dtype(np.int32)))
        Tensor(shape=[2], dtype=Int32, value= <meta>)
    """
    separator = " " if len(shape) < 2 else "\n"
    return f"Tensor(shape={list(shape)}, dtype={dtypes.of(dtype)}, value={separator}<meta>)"


def _format_scalar(value: object) -> str:
    """Format a scalar with as many digits as it takes, as NumPy before 2.3: with an exponent from 1e16 on."""
    if isinstance(value, np.complexfloating):
        real, imag = _digits(value.real, "-"), _digits(value.imag, "-", sign=True)
        return f"{imag[1:]}j" if real == "0" and imag[0] == "+" else f"({real}{imag}j)"
    return _digits(value, "0") if isinstance(value, np.floating) else str(value)


def _digits(value: Any, trim: Literal["0", "-"], sign: bool = False) -> str:
    # NumPy 2.3 changed where exponents begin; MindSpore 2.10 prints as those before did.
    if value == 0 or 1e-4 <= abs(float(value)) < 1e16:
        return np.format_float_positional(value, trim=trim, sign=sign)
    return np.format_float_scientific(value, trim="-", sign=sign, exp_digits=2)


def parameter_str(name: str, shape: Sequence[int], dtype: object, requires_grad: bool) -> str:
    """Return the text of a Parameter, for both `print` and `repr`: everything but its values."""
    return f"Parameter (name={name}, shape={tuple(shape)}, dtype={dtype}, requires_grad={requires_grad})"


parameter_repr = parameter_str


def _values(array: np.ndarray) -> str:
    if array.size == 0:
        return ""
    shape = array.shape
    if array.ndim > 1 or array.size > THRESHOLD:
        for axis, length in enumerate(shape):
            if length > 2 * EDGE:
                array = np.take(array, [*range(EDGE), *range(length - EDGE, length)], axis)
    texts = _texts(array)
    if array.ndim == 0:
        return texts[0]
    if array.ndim == 1 and array.shape == shape:
        return _join_lines(texts, 12 if array.dtype == bool or array.dtype in _EXPONENT else 24)
    return _nest_texts(np.array(texts, object).reshape(array.shape), shape, 1)


def _join_lines(texts: list[str], count: int) -> str:
    """Format a full vector: a line feed after every `count` elements, be they the last or not."""
    full, rest = divmod(len(texts), count)
    lines = [", ".join(texts[i * count : (i + 1) * count]) for i in range(full)]
    end = "]" if rest else "\n ]"
    lines += [", ".join(texts[-rest:])] if rest else []
    return "[" + ", \n ".join(lines) + end


def _texts(array: np.ndarray) -> list[str]:
    """Format each element as MindSpore's stream writes it, padded to one width where it pads."""
    values = array.ravel().tolist()
    kind = dtypes.of(array.dtype)
    if kind.is_complex:
        # The sign of a nan, which MindSpore shows, is left out: it means nothing.
        return [f"{value.real:g}{value.imag:+g}j" for value in values]
    if kind is dtypes.bool_:
        return [str(values[0])] if array.ndim == 0 else [f"{value!s:>5}" for value in values]
    if array.ndim == 0:
        return [f"{values[0]:g}" if kind.is_floating_point else str(values[0])]
    fixed = _EXPONENT.get(array.dtype)
    if fixed is not None:
        return [fixed % value for value in values]
    texts = [f"{float(value):g}" if kind.is_floating_point else str(value) for value in values]
    width = max(map(len, texts))
    return [text.rjust(width) for text in texts]


def _nest_texts(texts: np.ndarray, shape: Sequence[int], depth: int) -> str:
    """Nest the texts in brackets; where an axis is shorter than `shape` says, dots stand for what was left out."""
    if texts.ndim == 1:
        parts, separator, dots = texts.tolist(), ", ", " ... "
    else:
        parts = [_nest_texts(row, shape[1:], depth + 1) for row in texts]
        indent = " " * depth
        separator, dots = f",\n{indent}", f",\n{indent}...\n{indent}"
    if len(parts) == shape[0]:
        return f"[{separator.join(parts)}]"
    return f"[{separator.join(parts[:EDGE])}{dots}{separator.join(parts[EDGE:])}]"
