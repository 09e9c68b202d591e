"""`python -m msjax` is the command `msjax`."""

from msjax.cli import main

if __name__ == "__main__":
    main()
