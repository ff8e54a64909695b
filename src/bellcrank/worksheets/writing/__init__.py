"""A worksheet written: as HTML, LaTeX, Markdown or PDF."""
