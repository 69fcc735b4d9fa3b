"""Records without ranking: one by id, and whole catalogues page by page."""
