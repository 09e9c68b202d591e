"""Activation functions: every line of the table of samples, in every way of running it (see `golden.py`)."""

from golden import golden_tests

test_golden, test_golden_under_jit, test_second_order, test_lowers = golden_tests("activation")
