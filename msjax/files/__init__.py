"""File formats that several rooms read or write, and atomic writing."""
