"""Creation, shapes, indexing, gathering, scattering, sorting."""
