"""Forms of files that several rooms read or write, and writing a file in full or not at all."""
