"""`python -m w2gm` is the command `w2gm`."""

from w2gm.cli import main

if __name__ == "__main__":
    main()
