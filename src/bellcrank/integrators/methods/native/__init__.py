"""Native code of methods, and of the families of tableaus they belong to."""
