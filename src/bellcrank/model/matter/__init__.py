"""What bodies are made of: shapes, their volumes, and mass properties."""
