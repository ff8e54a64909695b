"""From a program to LLVM text."""
