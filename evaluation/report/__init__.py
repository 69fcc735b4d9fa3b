"""An evaluation as JSON and as a page that needs nothing but itself."""
