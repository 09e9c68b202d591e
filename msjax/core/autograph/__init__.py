"""AutoGraph: Python control flow over Tensors, converted from source."""
