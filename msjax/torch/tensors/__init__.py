"""The imperative Tensor: its class, creation, methods, and how PyTorch calls functions."""
