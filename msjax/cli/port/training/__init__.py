"""The training step of `msjax port`."""
