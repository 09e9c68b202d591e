"""Settings of the process: context, parallel context, hints to compilers. Imports nothing of the engine."""
