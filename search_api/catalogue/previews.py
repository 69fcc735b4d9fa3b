"""A record's own picture (browse graphic, thumbnail), fetched through the gate within limits and redrawn small.

Nothing of the original file is sent: the result is redrawn from its decoded pixels, without metadata.
"""

from __future__ import annotations

import io
import struct
import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog
from cachetools import TLRUCache

from core.errors import NotFound, SondeError, Unavailable
from core.record import Link, Record
from net.errors import BadStatus, Refused
from net.exchange import Outgoing
from net.gate import Gate
from search_api.formats_out.notations import split_address

if TYPE_CHECKING:
    from PIL import Image

_PICTURES = frozenset(("preview", "icon"))
_DRAWN_TYPES = frozenset(("image/png", "image/jpeg", "image/jpg", "image/webp", "image/gif"))
_ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".gif")
_SCHEMES = frozenset(("http", "https"))
MOST_TRIED = 3

LARGEST_EDGE = 640
"""Pixels of the longer edge of the result."""
MOST_PIXELS = 24_000_000
"""Of the original, by its header; decoded it needs at most four bytes for each."""
PREVIEW_TYPE = "image/webp"
_READ_FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
_QUALITY = 82
_WITH_ALPHA = frozenset(("RGBA", "LA", "PA", "La", "RGBa"))
log = structlog.get_logger(__name__)
_ACCEPT = "image/webp,image/png,image/jpeg,image/gif;q=0.9"


def picture_addresses(record: Record) -> tuple[str, ...]:
    """Addresses of its pictures, most likely first, at most ``MOST_TRIED``; each once."""
    links = [link for link in record.links if link.rel in _PICTURES and _fetchable(link)]
    return tuple(dict.fromkeys(link.href for link in sorted(links, key=_rank)))[:MOST_TRIED]


def _fetchable(link: Link) -> bool:
    media_type = (link.media_type or "image/").lower()
    return split_address(link.href).scheme in _SCHEMES and media_type.startswith(("image/", "application/octet-stream"))


def _rank(link: Link) -> int:
    """0 for a media type that browsers draw, 1 for such a suffix, 2 if unknown, 3 for other pictures."""
    media_type = (link.media_type or "").partition(";")[0].strip().lower()
    if media_type in _DRAWN_TYPES:
        return 0
    if split_address(link.href).path.lower().endswith(_ENDINGS):
        return 1
    return 3 if media_type.startswith("image/") else 2


@dataclass(frozen=True, slots=True)
class Preview:
    """``picture`` None: the address has none, and ``problem`` says why."""

    picture: bytes | None
    problem: str = ""


class PreviewCache:
    """The last used, at most ``most_bytes`` and ``most_entries``; safe to share between threads."""

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        good_s: float = 24 * 3600.0,
        bad_s: float = 600.0,
        most_bytes: int = 16 * 1024 * 1024,
        most_entries: int = 2000,
    ) -> None:
        """``clock`` in seconds; a picture is kept for ``good_s``, a failure for ``bad_s``."""
        least_weight = most_bytes // most_entries  # what an entry counts at least, so that there are no more than these

        def until(_: str, preview: Preview, now: float) -> float:
            return now + (bad_s if preview.picture is None else good_s)

        def size(preview: Preview) -> int:
            return max(len(preview.picture or b""), least_weight)

        self._size, self._lock = size, threading.Lock()
        self._entries: TLRUCache[str, Preview] = TLRUCache(most_bytes, until, clock, size)

    def get(self, address: str) -> Preview | None:
        """None if nothing is cached, or it has expired."""
        with self._lock:
            return self._entries.get(address)

    def put(self, address: str, preview: Preview) -> None:
        """A picture larger than all the room is not kept."""
        with self._lock:
            if self._size(preview) <= self._entries.maxsize:
                self._entries[address] = preview


class NotAPicture(SondeError):
    """The bytes are not a supported picture, or it is too large or damaged; the message says which."""


def thumbnail(content: bytes) -> bytes:
    """A WebP of at most ``LARGEST_EDGE`` pixels a side, from the first frame; equal input gives equal bytes.

    Raises NotAPicture.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(content), formats=_READ_FORMATS) as picture:
            return _redrawn(picture)
    except Image.DecompressionBombError as error:
        raise NotAPicture(f"the picture has more than {MOST_PIXELS:,} pixels") from error
    except UnidentifiedImageError as error:
        raise NotAPicture("it is no PNG, JPEG, GIF or WebP picture") from error
    # Pillow's decoders raise various types for damaged files.
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, struct.error, zlib.error) as error:
        raise NotAPicture(f"the picture is damaged ({type(error).__name__})") from error


def _redrawn(picture: Image.Image) -> bytes:
    """Raises NotAPicture before decoding if the header gives too many pixels."""
    from PIL import Image, ImageOps

    width, height = picture.size
    if width * height > MOST_PIXELS:
        raise NotAPicture(f"the picture has more than {MOST_PIXELS:,} pixels")
    picture.draft("RGB", (2 * LARGEST_EDGE, 2 * LARGEST_EDGE))  # decodes a JPEG no larger than needed
    upright = ImageOps.exif_transpose(picture)
    converted = upright.convert("RGBA" if upright.mode in _WITH_ALPHA or "transparency" in upright.info else "RGB")
    converted.thumbnail((LARGEST_EDGE, LARGEST_EDGE), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    converted.save(out, "WEBP", quality=_QUALITY, method=4)
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class PreviewLimits:
    """Limits of bytes and time for one picture of another host. ``at_once`` are fetched; others wait ``wait_s``."""

    max_bytes: int = 8 * 1024 * 1024
    timeout_s: float = 4.0
    at_once: int = 2
    wait_s: float = 2.0


class Previews:
    """Thread-safe. ``gate`` None: previews are switched off, and no record has one."""

    def __init__(
        self, gate: Callable[[], Gate] | None, limits: PreviewLimits | None = None, cache: PreviewCache | None = None
    ) -> None:
        self._gate = gate
        self._limits = limits or PreviewLimits()
        self._cache = cache or PreviewCache(time.monotonic)
        self._fetching = threading.BoundedSemaphore(self._limits.at_once)

    def offered(self, record: Record) -> bool:
        """Whether a request can succeed: the record names a picture, and previews are on."""
        return self._gate is not None and bool(picture_addresses(record))

    def of(self, record: Record) -> bytes:
        """A small WebP. Raises NotFound if no picture of the record can be shown, Unavailable under load."""
        if self._gate is None:
            raise NotFound("Previews are switched off here.")
        pictures = picture_addresses(record)
        for address in pictures:
            preview = self._draw(address, self._gate)
            if preview.picture is not None:
                return preview.picture
        if not pictures:
            raise NotFound(f"The metadata of {record.id!r} name no preview.")
        # The same message for every error: the reason would reveal hosts of our own network. It is in the log.
        raise NotFound(f"The preview of {record.id!r} cannot be shown.")

    def _draw(self, address: str, gate: Callable[[], Gate]) -> Preview:
        preview = self._cache.get(address)
        if preview is not None:
            return preview
        if not self._fetching.acquire(timeout=self._limits.wait_s):
            raise Unavailable("Too many previews are being fetched; try again.")
        try:
            preview = self._cache.get(address)  # another request may have fetched it meanwhile
            if preview is None:
                preview = self._fetch(address, gate())
                self._cache.put(address, preview)
            return preview
        finally:
            self._fetching.release()

    def _fetch(self, address: str, gate: Gate) -> Preview:
        outgoing_request = Outgoing(
            address,
            headers={"accept": _ACCEPT},
            max_bytes=self._limits.max_bytes,
            timeout_s=self._limits.timeout_s,
        )
        try:
            return Preview(thumbnail(gate.request(outgoing_request).expect_ok().content))
        except (Refused, BadStatus, Unavailable, NotAPicture) as error:
            log.info("preview.none", address=address, reason=str(error))
            return Preview(None, str(error))
