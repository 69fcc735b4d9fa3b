"""One machine without Docker: a real Elasticsearch, a real Valkey and the service's own processes.

Knows nothing of the service: commands, addresses and the environment are handed in (``StackSettings``).
"""
