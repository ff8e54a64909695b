"""Native parts of what is done with constraints, imported where they are not cached."""
