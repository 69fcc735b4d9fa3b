"""Another index built beside the one that serves, compared with it, and put in its place."""
