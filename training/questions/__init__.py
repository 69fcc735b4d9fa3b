"""Pseudo-questions: one file for each way to make questions from a text."""
