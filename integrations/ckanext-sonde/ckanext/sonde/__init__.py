"""CKAN's dataset search answered by Sonde."""
