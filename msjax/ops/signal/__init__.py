"""Fourier transforms, STFT and windows."""
