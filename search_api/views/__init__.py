"""HTTP in and out: a view parses, calls, presents."""
