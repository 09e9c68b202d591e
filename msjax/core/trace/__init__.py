"""Tracing: a Python function over Tensors becomes a pure JAX function, its side effects included."""
