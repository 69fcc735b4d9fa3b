"""Repairs links, and finds DOIs in texts."""

from __future__ import annotations

import re

_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:")
_SAFE_SCHEMES = frozenset({"http", "https", "ftp", "ftps", "sftp", "s3", "gs", "mqtt", "mqtts", "ws", "wss"})
_MESSAGES = ("mqtt:", "mqtts:", "ws:", "wss:")
_BARE_HOST = re.compile(
    r"^(?:www\.|(?:[a-z0-9-]+\.)+(?:org|com|net|edu|gov|int|eu|de|fr|uk|ca|info)(?:[/:?#]|$))", re.IGNORECASE
)
_UNSAFE_CHARACTER = re.compile(r"[\s<>\"{}|\\^`\x00-\x1f]")

MEDIA_TYPES = {
    ".pdf": "application/pdf", ".nc": "application/x-netcdf", ".nc4": "application/x-netcdf",
    ".csv": "text/csv", ".txt": "text/plain", ".zip": "application/zip", ".gz": "application/gzip",
    ".tar": "application/x-tar", ".tgz": "application/gzip", ".tif": "image/tiff", ".tiff": "image/tiff",
    ".geotiff": "image/tiff", ".json": "application/json", ".geojson": "application/geo+json",
    ".gpkg": "application/geopackage+sqlite3", ".kml": "application/vnd.google-earth.kml+xml",
    ".kmz": "application/vnd.google-earth.kmz", ".h5": "application/x-hdf5", ".hdf": "application/x-hdf",
    ".grib": "application/wmo-grib", ".grb": "application/wmo-grib", ".grib2": "application/wmo-grib",
    ".shp": "application/vnd.shp", ".parquet": "application/vnd.apache.parquet", ".png": "image/png",
    ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".svg": "image/svg+xml",
    ".html": "text/html", ".htm": "text/html", ".xml": "application/xml", ".doc": "application/msword",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xls": "application/vnd.ms-excel",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}  # fmt: skip
_DATA = frozenset(MEDIA_TYPES) - {
    ".pdf", ".html", ".htm", ".xml", ".txt", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".doc", ".docx"
}  # fmt: skip
_DOI = re.compile(r"(?:^|doi\.org/|doi:\s*|info:doi/|[\s(<\"'])(10\.\d{4,9}/[^\s\"<>]+)", re.IGNORECASE)
_ENCODED_SLASH = re.compile(r"(10\.\d{4,9})%2[fF]")


def repair_href(text: str) -> tuple[str | None, str | None]:
    """A usable link and the repair that was made; None where the text is not one (a file name, another scheme)."""
    link_text = text.strip()
    if link_text[:4].upper() == "URL:":
        link_text = link_text[4:].strip()
    if not link_text:
        return None, None
    if link_text.lower().startswith("doi:"):
        return f"https://doi.org/{link_text[4:].strip()}", None
    scheme = _SCHEME.match(link_text)
    if scheme is None or link_text[: scheme.end() - 1].lower() not in _SAFE_SCHEMES:
        if not _BARE_HOST.match(link_text):
            return None, f"links: {link_text[:80]} left out: it is no web address"
        link_text = f"http://{link_text}"
    return _UNSAFE_CHARACTER.sub(lambda match: f"%{ord(match[0]):02X}", link_text), None


def is_message_channel(href: str) -> bool:
    """Whether the address is a message channel (MQTT, web sockets), as WIS 2 uses to announce data."""
    return href.lower().startswith(_MESSAGES)


def media_type_of(href: str) -> str | None:
    """The media type by the suffix of the path; None where the suffix is unknown."""
    return MEDIA_TYPES.get(_suffix(href))


def is_data_file(href: str) -> bool:
    return _suffix(href) in _DATA


def _suffix(href: str) -> str:
    _, slash, name = href.partition("?")[0].partition("#")[0].partition("://")[2].rpartition("/")
    dot = name.rfind(".")
    return name[dot:].lower() if slash and dot > 0 else ""


def doi_in(text: str | None) -> str | None:
    """The first DOI, without a prefix and in lower case (``10.5065/7nb6-rj33``); None where there is none."""
    if not text or "10." not in text:
        return None
    match = _DOI.search(_ENCODED_SLASH.sub(r"\1/", text.strip()))
    if match is None:
        return None
    doi = match[1].partition("?")[0].partition("#")[0].rstrip(".,;:]}'")
    if doi.count(")") > doi.count("("):
        doi = doi.rstrip(").,;")
    return doi.lower()


def is_doi_link(href: str) -> bool:
    return re.match(r"(?:https?://(?:dx\.)?doi\.org/|doi:)10\.", href, re.IGNORECASE) is not None
