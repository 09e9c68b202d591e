"""The operator decorator `@op`: checks, promotion, static arguments, and the eager fast path."""
