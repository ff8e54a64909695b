"""Linear algebra that knows no mechanics."""
