"""Shared by all operators: promotion, checks of arguments, tables of names."""
