"""Shared by all operators: promotion, checks of arguments, adapters of signatures."""
