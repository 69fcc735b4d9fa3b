"""The first rows of a table that a record links to: fetched live, within limits."""
