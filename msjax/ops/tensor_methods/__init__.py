"""The methods and operators of Tensor, and which function each one is."""
