"""Functions behind the classes of operators that have no functional form of their own."""
