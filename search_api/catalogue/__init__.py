"""Records without ranking: lists, one record and what belongs to it, documents."""
