"""The one way to Elasticsearch: its client, its errors under names of ours, retries, and aliases that move."""
