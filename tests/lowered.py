"""Checks of programs that are lowered for an accelerator: operations that must not stand in them."""

import re

# jax 0.12 passes the coefficients of some functions (lgamma) as float64 numbers, and converts them before use.
_HARMLESS = re.compile(r"stablehlo\.(constant|convert)|\bcall @|func\.func|^\s*(func\.)?return|^#loc")


def float64_in(text: str) -> list[str]:
    """The lines of a program that compute with float64, or hold arrays of it."""
    lines = [line for line in text.splitlines() if "f64" in line]
    return [line for line in lines if "xf64" in line or not _HARMLESS.search(line)]
