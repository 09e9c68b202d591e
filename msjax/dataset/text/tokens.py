"""Token transforms: vocabulary lookup, n-grams, sliding windows, truncation, word vectors."""

import math
import re
import warnings
from collections.abc import Callable
from itertools import repeat
from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.dataset.common import checks
from msjax.dataset.common.arguments import KeepsArguments
from msjax.dataset.text.base import TextTransform, check_instance, check_str
from msjax.dataset.text.vectors import Vectors
from msjax.dataset.text.vocab import Vocab
from msjax.dataset.transforms.base import Transform, as_array, as_dtype

_INTEGER = re.compile(r"\s*[+-]?\d+")
_FLOAT = re.compile(r"\s*[+-]?(\d+\.?\d*(e[+-]?\d+)?|\.\d+(e[+-]?\d+)?|inf|nan)", re.IGNORECASE)


class AddToken(TextTransform):
    """Add a token before or after those of a sequence, or of each row of a matrix.

    Args:
        token: str.
        begin: whether it comes first, or last.

    Raises:
        TypeError: for other arguments.
        RuntimeError: when called with something else than 1 or 2 dimensions of strings.

    Examples:
        >>> from msjax.dataset import text
        >>> text.AddToken("[CLS]")(["a", "b"])
        array(['[CLS]', 'a', 'b'], dtype='<U5')
    """

    def __init__(self, token: str, begin: bool = True) -> None:
        self.token = check_str("AddToken", "token", token)
        self.begin = checks.check_bool("AddToken", "begin", begin)

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the longer sequence."""
        strings = self.strings(array)
        if strings.ndim not in (1, 2):
            raise RuntimeError(f"`AddToken`: takes 1 or 2 dimensions. Received: shape {strings.shape}.")
        if not self.token:
            checks.fail(RuntimeError, "AddToken", "token", "not be empty", self.token)
        added = np.full((*strings.shape[:-1], 1), self.token)
        return np.concatenate([added, strings] if self.begin else [strings, added], -1)


class Lookup(TextTransform):
    """The numbers of words.

    Args:
        vocab: a `Vocab`.
        unknown_token: the word whose number stands for those that are none. Default: there must be none.
        data_type: the dtype of the numbers.

    Raises:
        TypeError: for other arguments.
        RuntimeError: when called with a word that is none, or if `unknown_token` is none.

    Examples:
        >>> from msjax.dataset import text
        >>> vocab = text.Vocab.from_list(["a", "b", "<unk>"])
        >>> text.Lookup(vocab, "<unk>")(["b", "c"])
        array([1, 2], dtype=int32)
    """

    def __init__(
        self, vocab: Vocab, unknown_token: str | None = None, data_type: DType = dtypes.int32
    ) -> None:
        self.ids = check_instance("Lookup", "vocab", vocab, Vocab).vocab()
        self.unknown = None if unknown_token is None else check_str("Lookup", "unknown_token", unknown_token)
        self.dtype = as_dtype("Lookup", "data_type", check_instance("Lookup", "data_type", data_type, DType))

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the numbers."""
        if self.unknown is not None and self.unknown not in self.ids:
            raise RuntimeError(
                f"`Lookup`: argument `unknown_token` must be in the vocabulary. Received: {self.unknown!r}."
            )
        strings = self.strings(array)
        words = strings.ravel().tolist()
        other = None if self.unknown is None else self.ids[self.unknown]
        numbers = [*map(self.ids.get, words, repeat(other))]
        if other is None and None in numbers:
            word = words[numbers.index(None)]
            raise RuntimeError(
                f"`Lookup`: {word!r} is not in the vocabulary. Use `unknown_token` for such words."
            )
        return np.array(numbers, self.dtype).reshape(strings.shape)


class Ngram(TextTransform):
    """Neighbouring tokens joined.

    Args:
        n: how many, or a list of such; the results follow one another.
        left_pad: (token, count), what stands before the sequence; never more than n - 1 of it are used.
        right_pad: the same for after it.
        separator: what joins them.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with something else than one dimension of strings.

    Where the sequence is too short the result is an empty string.

    Examples:
        >>> from msjax.dataset import text
        >>> text.Ngram(2, separator="-")(["a", "b", "c"])
        array(['a-b', 'b-c'], dtype='<U3')
    """

    def __init__(
        self, n: Any, left_pad: Any = ("", 0), right_pad: Any = ("", 0), separator: str = " "
    ) -> None:
        sizes = [n] if isinstance(n, int) else n
        if not isinstance(sizes, list) or not sizes:
            checks.fail(ValueError, "Ngram", "n", "be an int or a list of ints, each at least 1", n)
        self.sizes = [checks.check_int("Ngram", "n", one, 1) for one in sizes]
        self.left, self.right = _padding("left_pad", left_pad), _padding("right_pad", right_pad)
        self.separator = check_str("Ngram", "separator", separator)

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the n-grams."""
        strings = self.strings(array)
        if strings.ndim != 1:
            raise RuntimeError(f"`Ngram`: takes one dimension. Received: shape {strings.shape}.")
        words = strings.tolist()
        return np.array([gram for n in self.sizes for gram in self._grams(words, n)], str)

    def _grams(self, words: list[str], n: int) -> list[str]:
        before, after = min(self.left[1], n - 1), min(self.right[1], n - 1)
        padded = [self.left[0]] * before + words + [self.right[0]] * after
        return [self.separator.join(padded[i : i + n]) for i in range(len(padded) - n + 1)] or [""]


def _padding(name: str, value: Any) -> tuple[str, int]:
    if not isinstance(value, tuple) or len(value) != 2:
        checks.fail(ValueError, "Ngram", name, "be a pair (token, count)", value)
    return check_str("Ngram", name, value[0]), checks.check_int("Ngram", name, value[1], 0)


class PythonTokenizer(KeepsArguments):
    """A function of the user's, from a str to a list of str.

    Args:
        tokenizer: the function.

    Raises:
        TypeError: if it is not a function; when called with something else than an array.
        RuntimeError: when called, if the function raises.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import text
        >>> text.PythonTokenizer(str.split)(np.array("a bc"))
        array(['a', 'bc'], dtype='<U2')
    """

    def __init__(self, tokenizer: Callable[[str], list[str]]) -> None:
        self.function = checks.check_callable("PythonTokenizer", "tokenizer", tokenizer)

    def __call__(self, array: Any) -> np.ndarray:
        """Return the tokens."""
        if not isinstance(array, np.ndarray):
            raise TypeError(
                f"`PythonTokenizer`: takes an array. Received: {array!r} ({type(array).__name__})."
            )
        if array.dtype.kind == "S":
            array = np.char.decode(array, "utf8")
        try:
            return np.vectorize(lambda text: np.array(self.function(text), "U"), signature="()->(n)")(array)
        except Exception as error:
            raise RuntimeError(
                f"`PythonTokenizer`: the tokenizer raised {type(error).__name__}: {error}"
            ) from error


class SlidingWindow(TextTransform):
    """Sliding windows of a sequence, one per row.

    Args:
        width: how long they are.
        axis: 0 or -1.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with something else than one dimension.

    Examples:
        >>> from msjax.dataset import text
        >>> text.SlidingWindow(2)(["a", "b", "c"]).tolist()
        [['a', 'b'], ['b', 'c']]
    """

    def __init__(self, width: int, axis: int = 0) -> None:
        self.width = checks.check_int("SlidingWindow", "width", width, 1)
        self.axis = checks.check_int("SlidingWindow", "axis", axis, -(2**31))

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the windows."""
        if array.ndim != 1 or self.axis not in (0, -1):
            raise RuntimeError(
                f"`SlidingWindow`: takes one dimension, and axis 0 or -1. Received: shape {array.shape}, axis={self.axis}."
            )
        if len(array) < self.width:
            warnings.warn(f"`SlidingWindow`: {len(array)} are fewer than width={self.width}.", stacklevel=2)
            return array[:0]
        return np.lib.stride_tricks.sliding_window_view(array, self.width).copy()


class ToNumber(TextTransform):
    """Parse the numbers that strings begin with, as in C: of "1.5" and an integer dtype that is 1.

    Args:
        data_type: a numeric dtype of MindSpore's.

    Raises:
        TypeError: for another dtype.
        RuntimeError: when called with what spells none, or one that the dtype cannot hold.

    Examples:
        >>> import msjax as ms
        >>> from msjax.dataset import text
        >>> text.ToNumber(ms.int8)(["1", "-2"])
        array([ 1, -2], dtype=int8)
    """

    def __init__(self, data_type: DType) -> None:
        self.dtype = as_dtype(
            "ToNumber", "data_type", check_instance("ToNumber", "data_type", data_type, DType)
        )
        if self.dtype.kind == "b":
            checks.fail(TypeError, "ToNumber", "data_type", "be a numeric dtype", data_type)

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the numbers."""
        strings = self.strings(array)
        return np.array([self._number(one) for one in strings.ravel().tolist()], self.dtype).reshape(
            strings.shape
        )

    def _number(self, text: str) -> Any:
        pattern = _INTEGER if self.dtype.kind in "iu" else _FLOAT
        found = pattern.match(text)
        try:
            spelt = found[0] if found else ""
            number = int(spelt) if self.dtype.kind in "iu" else float(spelt)
        except ValueError as error:
            raise RuntimeError(f"`ToNumber`: {text!r} is not a number of dtype {self.dtype}.") from error
        limits: Any = np.iinfo(self.dtype) if self.dtype.kind in "iu" else np.finfo(self.dtype)
        if not float(limits.min) <= number <= float(limits.max) and number == number:
            raise RuntimeError(f"`ToNumber`: {text!r} is out of the range of dtype {self.dtype}.")
        return number


class ToVectors(TextTransform):
    """The vectors of words.

    Args:
        vectors: `Vectors`, `GloVe`, `FastText` or `CharNGram`.
        unk_init: list of numbers, the vector of words that have none. Default: zeros.
        lower_case_backup: whether a word that has none is looked up in lower case.

    Raises:
        TypeError: for other arguments.
        RuntimeError: when called, if `unk_init` has another length than the vectors; with something else than strings.
    """

    def __init__(
        self, vectors: Vectors, unk_init: list[float] | None = None, lower_case_backup: bool = False
    ) -> None:
        op = "ToVectors"
        self.vectors = check_instance(op, "vectors", vectors, Vectors)
        unknown = [] if unk_init is None else unk_init
        if not isinstance(unknown, list | tuple):
            checks.fail(TypeError, op, "unk_init", "be a list of numbers", unk_init)
        self.unknown = [checks.check_number(op, "unk_init", one, -math.inf, math.inf) for one in unknown]
        self.lower = checks.check_bool(op, "lower_case_backup", lower_case_backup)

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the vectors, float32: one of a string, a matrix of more of them, whatever their shape."""
        strings, length = self.strings(array), self.vectors.dim
        if self.unknown and len(self.unknown) != length:
            raise RuntimeError(
                f"`ToVectors`: argument `unk_init` must have {length} numbers, as the vectors do. "
                f"Received: {len(self.unknown)}."
            )
        unknown = np.array(self.unknown or [0.0] * length, np.float32)
        found = [self._vector(word, unknown) for word in strings.ravel().tolist()]
        return np.array(found, np.float32).reshape((-1, length) if strings.ndim else (length,))

    def _vector(self, word: str, unknown: np.ndarray) -> np.ndarray:
        found = self.vectors.get(word)
        if found is None and self.lower:
            found = self.vectors.get(word.lower())
        return unknown if found is None else found


class Truncate(Transform):
    """The first items of a sequence, or of each row of a matrix.

    Args:
        max_seq_len: how many at most.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with something else than 1 or 2 dimensions.

    Examples:
        >>> from msjax.dataset import text
        >>> text.Truncate(2)(["a", "b", "c"])
        array(['a', 'b'], dtype='<U1')
    """

    def __init__(self, max_seq_len: int) -> None:
        self.length = checks.check_int("Truncate", "max_seq_len", max_seq_len, 1)

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the shorter sequence."""
        if array.ndim not in (1, 2):
            raise RuntimeError(f"`Truncate`: takes 1 or 2 dimensions. Received: shape {array.shape}.")
        return array[..., : self.length]


class TruncateSequencePair(KeepsArguments):
    """Truncate two sequences to a joint length, by dropping from the end of the longer one.

    Args:
        max_length: how many items both may have together.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with something else than two sequences.

    Examples:
        >>> from msjax.dataset import text
        >>> text.TruncateSequencePair(3)(["a", "b"], ["c", "d", "e"])
        (array(['a', 'b'], dtype='<U1'), array(['c'], dtype='<U1'))
    """

    def __init__(self, max_length: int) -> None:
        self.length = checks.check_int("TruncateSequencePair", "max_length", max_length, 0)

    def __call__(self, *sequences: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the shorter ones."""
        op = "TruncateSequencePair"
        arrays = [as_array(op, one) for one in sequences]
        if len(arrays) != 2 or any(one.ndim != 1 for one in arrays):
            raise RuntimeError(f"`{op}`: takes two sequences. Received: {[one.shape for one in arrays]}.")
        first, second = (len(one) for one in arrays)
        while first + second > self.length:
            first, second = (first - 1, second) if first > second else (first, second - 1)
        return arrays[0][:first], arrays[1][:second]
