"""Decides what to do with a document, and who owns an id."""
