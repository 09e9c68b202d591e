"""String normalization: case folding, Unicode normal forms, regular expressions."""

import re
import sys
import unicodedata
import warnings
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
        pattern: the expression; of ICU's syntax what Python's has too, and `\p{L}`, `\p{Han}`, `\x{61}`, `(?<name>`.
        replace: what stands there instead; `$1` and `${name}` are groups, `\` makes the next letter mean itself.
        replace_all: every match, or only the first.

    Raises:
        TypeError: for other arguments.
        RuntimeError: when called, if the pattern or the groups of `replace` are none; with something else than strings.

    In an array of several strings MindSpore puts all results into the first; here each stays in its place.

    Examples:
        >>> from msjax.dataset import text
        >>> text.RegexReplace(r"(\w)-", "$1+")("a-b-c").item()
        'a+b+c'
    """

    def __init__(self, pattern: str, replace: str, replace_all: bool = True) -> None:
        op = "RegexReplace"
        self.pattern = check_str(op, "pattern", pattern)
        self.replace = check_str(op, "replace", replace)
        self.count = 0 if checks.check_bool(op, "replace_all", replace_all) else 1

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the changed strings."""
        pattern = compile_pattern("RegexReplace", self.pattern)
        parts = _parse_replacement(self.replace, pattern)

        def replaced(found: re.Match[str]) -> str:
            return "".join((found[part] or "") if isinstance(part, int) else part for part in parts)

        return self.each(array, lambda text: pattern.sub(replaced, text, count=self.count))


class FilterWikipediaXML(TextTransform):
    """Plain words of a line of Wikipedia's XML: letters a to z and single spaces, digits spelt.

    Everything from the first `<` to the last `>` of a line goes, and entities; a redirect becomes "". Source: M. Mahoney's
    `wikifil.pl`.
    """

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the filtered strings."""
        return self.each(array, _plain)


_STEPS = [(r"<.*>", ""), (r"&amp;", "&"), (r"&lt;", "<"), (r"&gt;", ">"), (r"&[^;]*;", " ")]
_DIGITS = dict(zip("0123456789", "zero one two three four five six seven eight nine".split(), strict=True))


def _plain(text: str) -> str:
    if re.search("#redirect|#REDIRECT", text):
        return ""
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


_REPLACEMENT = re.compile(r"\\(.?)|\$(\d+)|\$\{(\w+)\}|([^\\$]+)", re.DOTALL)


def _parse_replacement(replace: str, pattern: re.Pattern[str]) -> list[str | int]:
    """Return text and numbers of groups: a number ends where a further digit would lead to no group, as ICU's."""
    parts: list[str | int] = []
    place = 0
    while place < len(replace):
        found = _REPLACEMENT.match(replace, place)
        letter, digits, name, text = found.groups() if found else (None, None, "", None)
        if digits:
            count = max(
                (n for n in range(1, len(digits) + 1) if int(digits[:n]) <= pattern.groups), default=0
            )
            parts += [int(digits[:count]), digits[count:]] if count else []
            found = found if count else None
        elif name is not None:
            parts += [pattern.groupindex[name]] if name in pattern.groupindex else []
            found = found if name in pattern.groupindex else None
        else:
            parts.append(letter or text or "")
        if not found:
            raise RuntimeError(
                f"`RegexReplace`: argument `replace` has a group that {pattern.pattern!r} has not. "
                f"Received: replace={replace!r}. For `$` itself, write `\\$`."
            )
        place = found.end()
    return parts


def compile_pattern(op: str, pattern: str) -> re.Pattern[str]:
    """Return a regular expression.

    Raises:
        RuntimeError: if it is none.
    """
    try:
        return _compile_pattern(pattern)
    except (re.error, FutureWarning) as error:
        raise RuntimeError(f"`{op}`: {pattern!r} is not a valid regular expression: {error}.") from error


@cache
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    """Python's syntax knows no classes of Unicode's categories: these become the ranges of their letters."""
    within = re.compile(r"\[(?:[^\]\\]|\\.)*\]")  # a class of letters, where ranges stand without brackets
    inside = within.sub(lambda found: _format_ranges(found[0], False), pattern)
    own = re.sub(r"\\x\{(\w+)\}", lambda found: f"\\U{int(found[1], 16):08x}", _format_ranges(inside, True))
    with warnings.catch_warnings():
        warnings.simplefilter(
            "error", FutureWarning
        )  # of sets within sets, which Python reads otherwise than ICU
        return re.compile(re.sub(r"\(\?<(?=\w)", "(?P<", own))


def _format_ranges(pattern: str, alone: bool) -> str:
    # No look behind for an escaped backslash: `\\p{L}` in a pattern is that rare.
    def ranges(found: re.Match[str]) -> str:
        letters = _category(found[2])
        negated = found[1] == "P"
        return f"[{'^' if negated else ''}{letters}]" if alone else letters

    return re.sub(r"\\([pP])\{(?:Is|script=|sc=)?([A-Za-z]+)\}", ranges, pattern)


# Unicode's Scripts.txt
_HAN = """
    2e80-2e99 2e9b-2ef3 2f00-2fd5 3005-3005 3007-3007 3021-3029 3038-303b 3400-4dbf 4e00-9fff f900-fa6d fa70-fad9
    16ff0-16ff1 20000-2a6df 2a700-2b739 2b740-2b81d 2b820-2cea1 2ceb0-2ebe0 2f800-2fa1d 30000-3134a 31350-323af
"""


@cache
def _category(name: str) -> str:
    if name == "Han":
        limits = (run.split("-") for run in _HAN.split())
        return "".join(f"\\U{low:>08}-\\U{high:>08}" for low, high in limits)
    kinds = (chr(i) for i in range(sys.maxunicode + 1))
    wanted = [ord(one) for one in kinds if unicodedata.category(one).startswith(name)]
    if not wanted:
        raise re.error(f"no category {name!r} of Unicode")
    runs = (list(run) for _, run in groupby(enumerate(wanted), lambda pair: pair[1] - pair[0]))
    return "".join(f"\\U{run[0][1]:08x}-\\U{run[-1][1]:08x}" for run in runs)
