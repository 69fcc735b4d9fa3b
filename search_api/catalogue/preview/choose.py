"""Finds the links of a record that are pictures of it."""

from __future__ import annotations

from urllib.parse import urlsplit

from core.record import Link, Record

_PICTURES = frozenset(("preview", "icon"))
_DRAWN = frozenset(("image/png", "image/jpeg", "image/jpg", "image/webp", "image/gif"))
_ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".gif")
_SCHEMES = frozenset(("http", "https"))
MOST_TRIED = 3


def candidates(record: Record) -> tuple[str, ...]:
    """Addresses of its pictures, most likely first, at most ``MOST_TRIED``; each once."""
    links = [link for link in record.links if link.rel in _PICTURES and _fetchable(link)]
    return tuple(dict.fromkeys(link.href for link in sorted(links, key=_unlikely)))[:MOST_TRIED]


def _fetchable(link: Link) -> bool:
    try:
        scheme = urlsplit(link.href).scheme.lower()
    except ValueError:
        return False
    media_type = (link.media_type or "image/").lower()
    return scheme in _SCHEMES and media_type.startswith(("image/", "application/octet-stream"))


def _unlikely(link: Link) -> int:
    """0 for a media type that browsers draw, 1 for such a suffix, 2 if unknown, 3 for other pictures."""
    media_type = (link.media_type or "").partition(";")[0].strip().lower()
    if media_type in _DRAWN:
        return 0
    if urlsplit(link.href).path.lower().endswith(_ENDINGS):
        return 1
    return 3 if media_type.startswith("image/") else 2
