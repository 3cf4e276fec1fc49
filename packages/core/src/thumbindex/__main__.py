"""`python -m thumbindex` is the command `thumbindex`."""

from .cli import main

if __name__ == "__main__":
    main()
