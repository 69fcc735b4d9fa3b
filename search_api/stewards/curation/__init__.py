"""Curation: what stewards set right without editing a source, kept in the index ``{prefix}-curation``."""
