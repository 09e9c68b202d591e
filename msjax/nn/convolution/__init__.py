"""Layers that slide windows over space: convolution, pooling, padding, upsampling."""
