"""Assembly: a state that closes, on the branch of the drawing; freedom and redundancy."""
