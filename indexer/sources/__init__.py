"""Access to catalogues: one file per protocol, each an indexer.raw.Source."""
