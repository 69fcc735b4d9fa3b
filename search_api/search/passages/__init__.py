"""Passages that answer a question: retrieval, scope, and the words that they share with it."""
