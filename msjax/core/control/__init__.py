"""Control flow over Tensors: cond, while, scan, and the statements that AutoGraph converts to them."""
