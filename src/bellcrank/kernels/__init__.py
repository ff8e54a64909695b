"""Equations → CasADi functions → Program → native code."""
