"""An evaluation as JSON and as a self-contained page."""
