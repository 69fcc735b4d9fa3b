"""A user's own documents: kept, listed, searched and deleted; nothing here is reached without its owner."""
