"""Functions of PyTorch's top level, by family."""
