"""Operators in class form (`ops.Add()`), derived from the functions."""
