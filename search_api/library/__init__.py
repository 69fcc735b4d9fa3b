"""A user's own documents: store, list, search, delete; every access needs the owner."""
