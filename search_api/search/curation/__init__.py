"""Stewards' rules as a search applies them: synonyms, pins, blocks, places."""
