"""A typed client of a Sonde service, for scripts, notebooks and other services.

>>> from sonde_client import Client
>>> with Client("http://127.0.0.1:8080") as sonde:
...     for hit in sonde.search("rainfall in southern Africa since 1990", limit=3):
...         print(round(hit.score, 2), hit.title)
"""

from sonde_client.async_client import AsyncClient
from sonde_client.client import Client
from sonde_client.data_links import DataLink
from sonde_client.display import Box, Reason
from sonde_client.errors import ClientError, NotOpenable
from sonde_client.results import Hit, Record, SearchResult, to_geodataframe

__all__ = [
    "AsyncClient",
    "Box",
    "Client",
    "ClientError",
    "DataLink",
    "Hit",
    "NotOpenable",
    "Reason",
    "Record",
    "SearchResult",
    "to_geodataframe",
]
