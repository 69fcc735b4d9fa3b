"""Texts that look like the answer and are none."""
