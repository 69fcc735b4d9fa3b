"""Freezes what the service answers and compares two states of the code: the safety net of a refactoring."""
