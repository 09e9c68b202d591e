"""The Dataset class and the nodes of a pipeline: map, batch, shuffle, iterators."""
