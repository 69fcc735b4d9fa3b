"""A search from question to ranked answer."""
