"""Draws what a WMS or a GeoTIFF of a record shows of its area, through the gate and within limits."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from lxml import etree

from core.errors import Unavailable
from core.geo import BBox
from core.record import Link, Record
from net.exchange import Outgoing
from net.gate import Gate
from net.targets import host_of
from search_api.catalogue.linked_hosts import LinkedHosts, UnreadableData
from search_api.catalogue.pictures.geotiff import NoOverview, read_overview
from search_api.catalogue.previews import LARGEST_EDGE, NotAPicture, thumbnail
from search_api.formats_out.notations import split_address

_WMS_LABEL = re.compile(r"\bwms\b", re.IGNORECASE)
_WMS_ADDRESS = re.compile(r"^[^?#]+(?:/wms(?:server)?/?(?:[?#]|$)|\?(?:[^#]*&)?service=wms\b)", re.IGNORECASE)
_TIFF = re.compile(r"^[^?#]+\.(?:tiff?|geotiff)(?:[?#]|$)", re.IGNORECASE)
_REQUEST = re.compile(
    r"service|request|version|layers|styles|format|srs|crs|bbox|width|height|transparent|exceptions|time", re.IGNORECASE
)
_MOST_CAPABILITIES_BYTES = 8 << 20
_MOST_PICTURE_BYTES = 8 << 20
_MOST_S = 20.0
_LEAST_DEG = 0.5
_SMALLEST_EDGE = 160
_WORLD = BBox(-180.0, -90.0, 180.0, 90.0)


@dataclass(frozen=True, slots=True)
class DataPicture:
    """A WebP. ``layer``: of a WMS; ``size``: of a GeoTIFF's overview, whose values ``low`` to ``high`` are drawn."""

    href: str
    picture: bytes
    layer: str = ""
    box: BBox | None = None
    size: tuple[int, int] | None = None
    low: float | None = None
    high: float | None = None


def picture_links(record: Record) -> tuple[Link, ...]:
    """Those of its links that can be drawn here."""
    return tuple(link for link in record.links if _is_wms(link) or _is_tiff(link))


def _is_wms(link: Link) -> bool:
    label = f"{link.protocol or ''} {link.media_type or ''}"
    return _is_web(link) and bool(_WMS_LABEL.search(label) or _WMS_ADDRESS.match(link.href))


def _is_tiff(link: Link) -> bool:
    is_named = (link.media_type or "").startswith("image/tiff") or _TIFF.match(link.href) is not None
    return is_named and _is_web(link) and link.rel not in ("preview", "icon")


def _is_web(link: Link) -> bool:
    return link.href.lower().startswith(("http://", "https://"))


class PictureReader:
    """Thread-safe. ``gate`` None: switched off. ``at_once`` pictures are drawn; a further request must come again."""

    def __init__(self, gate: Callable[[], Gate] | None, timeout_s: float = 8.0, at_once: int = 2) -> None:
        self._hosts, self._timeout_s = LinkedHosts(gate, "picture", at_once), timeout_s

    def draw(self, record: Record, href: str | None) -> DataPicture:
        """``href``: one of the record's links to a WMS or a GeoTIFF; None: the first.

        Raises NotFound for any other address, Unavailable if the host does not answer, or sends no picture.
        """
        with self._hosts.open_link(record, picture_links(record), href, "a WMS or a GeoTIFF") as (link, gate):
            fetch = _Fetch(gate, self._timeout_s)
            try:
                return _of_wms(record, link, fetch) if _is_wms(link) else _of_tiff(link, fetch)
            except (NoOverview, NotAPicture, etree.XMLSyntaxError) as error:
                raise UnreadableData(f"{host_of(link.href)} sent a file that cannot be drawn: {error}.") from error


class _Fetch:
    """Requests of one picture, which end after ``_MOST_S`` together."""

    def __init__(self, gate: Gate, timeout_s: float) -> None:
        self._gate, self._timeout_s, self._end = gate, timeout_s, time.monotonic() + _MOST_S

    def whole(self, address: str, most_bytes: int) -> bytes:
        outgoing = Outgoing(address, max_bytes=most_bytes, timeout_s=self._timeout())
        return self._gate.request(outgoing).expect_ok().content

    def part(self, address: str, offset: int, length: int) -> bytes:
        """Raises UnreadableData for a host that does not send parts of a file."""
        wanted = {"range": f"bytes={offset}-{offset + length - 1}", "accept-encoding": "identity"}
        outgoing = Outgoing(address, headers=wanted, max_bytes=length, timeout_s=self._timeout())
        with self._gate.stream(outgoing) as answer:
            if answer.status == 200:
                raise UnreadableData(f"{host_of(address)} sends whole files only, no parts.")
            answer.expect_ok()
            return b"".join(answer.pieces)

    def _timeout(self) -> float:
        remaining_s = self._end - time.monotonic()
        if remaining_s <= 0:
            raise Unavailable("The host answers too slowly.")
        return min(self._timeout_s, remaining_s)


def _of_tiff(link: Link, fetch: _Fetch) -> DataPicture:
    overview = read_overview(lambda offset, length: fetch.part(link.href, offset, length))
    overview.image.thumbnail((LARGEST_EDGE, LARGEST_EDGE))
    out = io.BytesIO()
    overview.image.convert("RGBA").save(out, "WEBP", quality=85)
    size = (overview.width, overview.height)
    return DataPicture(link.href, out.getvalue(), size=size, low=overview.low, high=overview.high)


def _of_wms(record: Record, link: Link, fetch: _Fetch) -> DataPicture:
    """A picture of the record's area: of the layer that the link names, else of the first."""
    named = next((value for name, value in parse_qsl(split_address(link.href).query) if name.lower() == "layers"), "")
    capabilities = fetch.whole(_asked(link, {"SERVICE": "WMS", "REQUEST": "GetCapabilities"}), _MOST_CAPABILITIES_BYTES)
    is_new, layer, title, systems = _layer_of(capabilities, (named, link.name or ""))
    box = _area(record.extents)
    edges = (box.west, box.south, box.east, box.north)
    system = "CRS:84" if "CRS:84" in systems else "EPSG:4326"
    if is_new and system == "EPSG:4326":
        edges = (box.south, box.west, box.north, box.east)
    width, height = _size(box)
    request = {
        "SERVICE": "WMS", "VERSION": "1.3.0" if is_new else "1.1.1", "REQUEST": "GetMap", "LAYERS": named or layer,
        "STYLES": "", "CRS" if is_new else "SRS": system if is_new else "EPSG:4326",
        "BBOX": ",".join(f"{edge:.6f}" for edge in edges), "WIDTH": str(width), "HEIGHT": str(height),
        "FORMAT": "image/png", "TRANSPARENT": "TRUE",
    }  # fmt: skip
    content = fetch.whole(_asked(link, request), _MOST_PICTURE_BYTES)
    if content.lstrip()[:1] == b"<":
        raise UnreadableData(f"{host_of(link.href)} sent an error instead of a picture.")
    return DataPicture(link.href, thumbnail(content), layer=title, box=box)


def _asked(link: Link, request: dict[str, str]) -> str:
    """The address of a request; what the link itself adds to the service's address stays."""
    parts = split_address(link.href)
    query = [(name, value) for name, value in parse_qsl(parts.query) if not _REQUEST.fullmatch(name)]
    return parts._replace(query=urlencode([*query, *request.items()]), fragment="").geturl()


def _layer_of(capabilities: bytes, names: Sequence[str]) -> tuple[bool, str, str, frozenset[str]]:
    """Whether the service speaks 1.3.0, and of a layer its name, title and reference systems.

    It is the one that a name or title of ``names`` means, else the first. Raises UnreadableData if there is none.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    root = etree.fromstring(capabilities, parser)
    layers = [] if root is None else [each for each in root.iter("{*}Layer") if each.findtext("{*}Name")]
    meant = (each for each in layers if {each.findtext("{*}Name"), each.findtext("{*}Title")} & {*names} - {""})
    layer = next(meant, layers[0] if layers else None)
    if root is None or layer is None:
        raise UnreadableData("The service names no layer.")
    name = (layer.findtext("{*}Name") or "").strip()
    systems = {
        (system.text or "").strip() for each in (layer, *layer.iterancestors()) for system in each.iterfind("{*}CRS")
    }
    return root.get("version", "") >= "1.3", name, (layer.findtext("{*}Title") or name).strip(), frozenset(systems)


def _area(extents: Sequence[BBox]) -> BBox:
    """Around all of them, at least half a degree wide; the world if there is none, or one crosses the antimeridian."""
    if not extents or any(extent.crosses_antimeridian for extent in extents):
        return _WORLD
    west, south = min(each.west for each in extents), min(each.south for each in extents)
    east, north = max(each.east for each in extents), max(each.north for each in extents)
    wide, high = max(0.0, _LEAST_DEG - (east - west)) / 2, max(0.0, _LEAST_DEG - (north - south)) / 2
    return BBox(max(-180.0, west - wide), max(-90.0, south - high), min(180.0, east + wide), min(90.0, north + high))


def _size(box: BBox) -> tuple[int, int]:
    """In pixels, as wide and high as the area in degrees."""
    wide, high = box.east - box.west, box.north - box.south
    scale = LARGEST_EDGE / max(wide, high)
    return max(_SMALLEST_EDGE, round(wide * scale)), max(_SMALLEST_EDGE, round(high * scale))
