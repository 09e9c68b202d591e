"""Printed floats of doctests are compared as numbers: last digits do not count, all others do."""

import doctest

import pytest

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize(
    ("want", "got", "same"),
    [
        ("[0.         0.88137364]", "[0.        0.8813736]", True),
        ("[-1.3000001  0.5 ]", "[-1.3  0.5]", True),
        ("(2, 3) [ 1.5e-05  2. ]", "(2, 3) [1.5000001e-05 2.]", True),
        ("[0.         0.88137364]", "[0.        0.8813756]", False),
        ("[1. 2.]", "[1. 2. 3.]", False),
        ("[1 2]", "[1 3]", False),
        ("2.10.0 [1.0]", "2.10.1 [1.0000001]", False),
        ("Tensor 1.0", "tensor 1.0000001", False),
        ("1.0", "-1.0", False),
        ("0.0", "1e-09", False),
    ],
)
def test_only_the_last_digits_may_differ(want, got, same):
    assert doctest.OutputChecker().check_output(f"{want}\n", f"{got}\n", FLAGS) is same
