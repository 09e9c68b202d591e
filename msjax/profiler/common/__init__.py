"""What the modules of the profiler share."""
