"""Trains the tagger of questions on made questions."""
