"""Compares other servers with Sonde: the same records, questions, Elasticsearch and machine."""
