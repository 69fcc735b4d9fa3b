"""The laboratory: what breaks, loads and measures a service. A checkout has it; the served image does not."""
