"""Elementwise operators: arithmetic, comparison, rounding, special functions, casts."""
