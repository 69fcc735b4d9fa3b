"""The server of the API: processes by gunicorn, connections by waitress, limits on both (docs/adr/0017)."""
