"""The methods of the imperative Tensor, and its in-place, random and storage methods."""
