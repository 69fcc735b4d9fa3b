"""Separates a document with several records into its records, and accounts for its other members."""
