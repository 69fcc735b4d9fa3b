"""Reads a question as what, where and when."""
