"""Operators that change Tensors in place, and operators with side effects."""
