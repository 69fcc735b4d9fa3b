"""The client by the name that it had in the server's package; ``sonde_client`` is the client."""

from sonde_client import Client, ClientError, Hit, SearchResult

__all__ = ["Client", "ClientError", "Hit", "SearchResult"]
