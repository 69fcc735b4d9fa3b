"""The only access to Elasticsearch: its client, its errors with our names, retries, and moving aliases."""
