"""The elements of a machine, one declaration for each kind of them."""
