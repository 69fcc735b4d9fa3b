"""The contract between the two flows: mappings as JSON, index and alias names, ``_meta`` and its check."""
