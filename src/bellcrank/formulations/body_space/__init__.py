"""Body space: where bodies are and what acts on them, the same for every formulation."""
