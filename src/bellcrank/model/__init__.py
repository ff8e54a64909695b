"""Describe a machine."""
