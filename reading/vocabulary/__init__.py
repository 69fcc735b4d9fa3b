"""Vocabularies (SKOS): other names of a question's terms, and narrower terms."""
