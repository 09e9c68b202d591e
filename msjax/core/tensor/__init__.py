"""Tensors: boxes over arrays and views, Parameters, random state, printing, NumPy's and DLPack's protocols."""
