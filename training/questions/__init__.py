"""Pseudo-questions: one file for each way in which a text is asked for."""
