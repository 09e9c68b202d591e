"""Layers: linear, activations, normalization, embeddings, recurrent networks, attention, containers."""
