"""Public names: MindSpore's recorded API, stubs, placeholders, and the import hook that serves them."""
