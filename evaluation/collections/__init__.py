"""Readers of judged collections: one file per layout or collection."""
