"""Sparse tensors (COO, CSR) and operators over them."""
