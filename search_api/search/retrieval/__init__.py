"""Builds Elasticsearch requests: one file per arm and clause, each a pure function to a request body."""
