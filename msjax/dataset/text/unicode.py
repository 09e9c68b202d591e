"""String normalization: case folding, Unicode normal forms, regular expressions."""

import re
import sys
import unicodedata
from enum import IntEnum
from functools import cache
from itertools import groupby

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.text.base import TextTransform, check_instance, check_str


class NormalizeForm(IntEnum):
    """Unicode's normal forms."""

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


class CaseFold(TextTransform):
    """Strings without differences of case, by Unicode's NFKC_Casefold.

    Examples:
        >>> from msjax.dataset import text
        >>> text.CaseFold()(["AbC"]).tolist()
        ['abc']
    """

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the folded strings."""
        return self.each(array, casefold)


class NormalizeUTF8(TextTransform):
    """Strings in a normal form.

    Args:
        normalize_form: a `NormalizeForm`.

    Raises:
        TypeError: for another one.
        RuntimeError: when called with something else than strings.
    """

    def __init__(self, normalize_form: NormalizeForm = NormalizeForm.NFKC) -> None:
        self.form = check_instance("NormalizeUTF8", "normalize_form", normalize_form, NormalizeForm)

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the strings in that form."""
        return self.each(array, lambda text: normalize(text, self.form))


class RegexReplace(TextTransform):
    r"""Replace the matches of a regular expression in strings.

    Args:
        pattern: the expression; of ICU's syntax what Python's has too, and classes such as `\p{L}`.
        replace: what stands there instead; `$1` is the first group.
        replace_all: every match, or only the first.

    Raises:
        TypeError: for other arguments.
        RuntimeError: when called, if the pattern is none; with something else than strings.

    Examples:
        >>> from msjax.dataset import text
        >>> text.RegexReplace(r"(\w)-", "$1+")("a-b-c").item()
        'a+b+c'
    """

    def __init__(self, pattern: str, replace: str, replace_all: bool = True) -> None:
        op = "RegexReplace"
        self.pattern = check_str(op, "pattern", pattern)
        self.replace = re.sub(r"\$(\d+)", r"\\g<\1>", check_str(op, "replace", replace).replace("\\", "\\\\"))
        self.count = 0 if checks.check_bool(op, "replace_all", replace_all) else 1

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the changed strings."""
        pattern = compile_pattern("RegexReplace", self.pattern)
        return self.each(array, lambda text: pattern.sub(self.replace, text, count=self.count))


class FilterWikipediaXML(TextTransform):
    """Plain words of a line of Wikipedia's XML: letters a to z and single spaces, digits spelt.

    Everything from the first `<` to the last `>` of a line goes, and entities. Source: M. Mahoney's `wikifil.pl`.
    """

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the filtered strings."""
        return self.each(array, _plain)


_STEPS = [(r"<.*>", ""), (r"&amp;", "&"), (r"&lt;", "<"), (r"&gt;", ">"), (r"&[^;]*;", " ")]
_DIGITS = dict(zip("0123456789", "zero one two three four five six seven eight nine".split(), strict=True))


def _plain(text: str) -> str:
    for pattern, new in _STEPS:
        text = re.sub(pattern, new, text)
    text = "".join(f" {_DIGITS[letter]} " if letter in _DIGITS else letter for letter in text.lower())
    return re.sub(r"\s+", " ", re.sub(r"[^a-z\n]+", " ", text)).strip()


def casefold(text: str) -> str:
    """Unicode's NFKC_Casefold of a string."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def normalize(text: str, form: NormalizeForm) -> str:
    """Return a string in a normal form."""
    return text if form is NormalizeForm.NONE else unicodedata.normalize(form.name, text)  # type: ignore[arg-type]


def compile_pattern(op: str, pattern: str) -> re.Pattern[str]:
    """Return a regular expression.

    Raises:
        RuntimeError: if it is none.
    """
    try:
        return _compile_pattern(pattern)
    except re.error as error:
        raise RuntimeError(f"`{op}`: {pattern!r} is not a valid regular expression: {error}.") from error


@cache
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    """Python's syntax knows no classes of Unicode's categories: these become the ranges of their letters."""
    within = re.compile(r"\[(?:[^\]\\]|\\.)*\]")  # a class of letters, where ranges stand without brackets
    inside = within.sub(lambda found: _format_ranges(found[0], False), pattern)
    return re.compile(_format_ranges(inside, True))


def _format_ranges(pattern: str, alone: bool) -> str:
    # No look behind for an escaped backslash: `\\p{L}` in a pattern is that rare.
    def ranges(found: re.Match[str]) -> str:
        letters = _category(found[2])
        negated = found[1] == "P"
        return f"[{'^' if negated else ''}{letters}]" if alone else letters

    return re.sub(r"\\([pP])\{([A-Za-z]+)\}", ranges, pattern)


@cache
def _category(name: str) -> str:
    kinds = (chr(i) for i in range(sys.maxunicode + 1))
    wanted = [ord(one) for one in kinds if unicodedata.category(one).startswith(name)]
    if not wanted:
        raise re.error(f"no category {name!r} of Unicode")
    runs = (list(run) for _, run in groupby(enumerate(wanted), lambda pair: pair[1] - pair[0]))
    return "".join(f"\\U{run[0][1]:08x}-\\U{run[-1][1]:08x}" for run in runs)
