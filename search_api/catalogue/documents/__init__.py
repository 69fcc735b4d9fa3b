"""Documents with an address: the public ones, and each user's own for that user."""
