"""Questions to Elasticsearch: one file per arm and clause; each is a pure function to a request body."""
