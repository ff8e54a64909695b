"""Pages and sections of worksheets, school by school."""
