"""How a command ends: its exit codes, and the line that is said with them."""

import typer

FAILED, BAD_INPUT, OUR_MISTAKE, INTERRUPTED = 1, 2, 70, 130


def say(message: str, code: int) -> int:
    """Say a line on the error stream; return the exit code."""
    typer.echo(f"bellcrank: {message}", err=True)
    return code
