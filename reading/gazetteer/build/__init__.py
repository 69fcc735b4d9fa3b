"""Makes the embedded gazetteer from packages and the project's facts; run by hand, see docs/extending/index.md."""
