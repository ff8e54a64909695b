"""One kernel for each kind of element, over all elements of the kind."""
