"""Layers that MindSpore keeps in inner modules: mint's, THOR's, and operators as Cells."""
