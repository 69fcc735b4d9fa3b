"""Malformed requests by the thousand: whatever is sent, the API answers, soon, and never by 500."""
