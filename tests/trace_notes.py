"""A list of which compiled functions keep no track, for tests that count traces."""


class TraceNotes(list):
    """A list that grows when a function is traced: what is done to a plain list takes effect at each call instead."""
