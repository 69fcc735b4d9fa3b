"""Attackers beside honest searchers: what they send, and what the others notice of it."""
