"""Takes out of service what a source no longer has; restores and purges."""
