"""Checks of arguments, columns, and placeholders of what is missing."""
