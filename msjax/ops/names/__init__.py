"""Operators under further names, and compositions of them."""
