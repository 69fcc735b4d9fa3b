"""Filter expressions (CQL2) over the queryable fields of a record."""
