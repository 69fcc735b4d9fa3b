"""Vocabularies (SKOS): what else a term of a question is called, and what lies under it."""
