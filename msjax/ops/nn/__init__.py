"""Activations, convolution, pooling, normalization, attention, recurrent networks, losses."""
