"""Random draws and distributions."""
