"""Doctests whose printed floats agree to float32's last digits, which hang on the CPU and on the versions of libraries."""

import doctest
import math
import re

_FLOAT = re.compile(r"(?<![\w.])[-+]?\d+\.\d*(?:e[-+]?\d+)?(?![\w.])")
_RTOL = 8 * 2.0**-23  # some units in the last place of a float32

_compare = doctest.OutputChecker.check_output


def install() -> None:
    """Let every checker of doctests compare printed floats as numbers, after it has compared them as text."""
    doctest.OutputChecker.check_output = check_output  # type: ignore[method-assign]


def check_output(checker: doctest.OutputChecker, want: str, got: str, optionflags: int) -> bool:
    """Return True if the texts agree, and floats in them to some units in the last place of a float32."""
    if _compare(checker, want, got, optionflags):
        return True
    wanted, found = _FLOAT.findall(want), _FLOAT.findall(got)
    return (
        len(wanted) == len(found)
        and all(math.isclose(float(a), float(b), rel_tol=_RTOL) for a, b in zip(wanted, found, strict=True))
        and _compare(checker, _without_floats(want), _without_floats(got), optionflags)
    )


def _without_floats(text: str) -> str:
    """Return the text with a mark for each float; a bracket has no space beside it, which depends on the digits."""
    return re.sub(r"(?<=[\[(]) +| +(?=[\])])", "", _FLOAT.sub("~", text))
