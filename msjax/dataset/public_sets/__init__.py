"""Readers of the well-known public datasets (MNIST, COCO, LibriTTS ...)."""
