"""``/search``, ``/suggest`` and ``/embeddings``: a view parses, calls, presents."""
