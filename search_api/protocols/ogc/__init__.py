"""OGC API - Records and Features: collections, items, conformance, transactions."""
