"""Stored documents: one module for each kind, with what writes it and what reads it back."""
