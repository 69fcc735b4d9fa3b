"""Filters as an expression (CQL2) over the fields that a record offers for it."""
