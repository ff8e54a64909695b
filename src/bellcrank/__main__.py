"""`python -m bellcrank`: the command line, where its script is not on the path."""

from bellcrank.cli import main

if __name__ == "__main__":
    main()
