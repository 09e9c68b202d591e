"""Reductions, cumulative operators, statistics, norms."""
