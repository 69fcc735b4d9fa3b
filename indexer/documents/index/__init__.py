"""Documents in Elasticsearch: ``ingest`` writes one, ``store`` holds all, and the others decide when and which."""
