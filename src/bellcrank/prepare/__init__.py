"""From what a user asks for to a problem that is ready to run."""
