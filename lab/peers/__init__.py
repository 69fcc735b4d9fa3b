"""Other servers beside Sonde: the same records, the same questions, one Elasticsearch, one machine."""
