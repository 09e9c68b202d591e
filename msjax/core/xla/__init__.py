"""Programs as XLA compiles them: residual policies, layouts, convolutions, compiler options."""
