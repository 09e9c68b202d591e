"""Counts of public names: `python -m msjax.status` says which of MindSpore's msjax has, with `--torch` of PyTorch's."""
