"""Shared parts of the profiler."""
