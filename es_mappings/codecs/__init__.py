"""Stored documents: one module for each kind, which writes and reads it."""
