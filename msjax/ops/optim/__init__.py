"""One step of each optimizer as an operator (`ApplyAdam` ...)."""
