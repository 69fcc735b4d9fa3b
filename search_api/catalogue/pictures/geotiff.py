"""A small image of a GeoTIFF: an overview of a Cloud Optimized GeoTIFF (OGC 21-026), read by few ranges of bytes.

Tags are read here and blocks are decoded one by one, so no library sees the structure of a strange file.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.errors import SondeError

if TYPE_CHECKING:
    from PIL import Image

Fetch = Callable[[int, int], bytes]
"""Bytes of the file by offset and length; fewer at its end. Raises SondeError."""

_START_BYTES = 32_768
_MOST_IMAGES = 20
_MOST_TAGS = 200
_MOST_VALUES = 100_000
_SMALLEST_EDGE = 256
_MOST_PIXELS = 4_000_000
_MOST_BYTES = 16 << 20
_LARGEST_GAP = 32_768
_TYPES = {1: "B", 2: "c", 3: "H", 4: "I", 6: "b", 7: "c", 8: "h", 9: "i", 11: "f", 12: "d", 13: "I", 16: "Q", 17: "q"}
_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _PHOTOMETRIC, _SAMPLES, _PLANES = 256, 257, 258, 259, 262, 277, 284
_STRIPS, _ROWS, _STRIP_SIZES, _TILE_WIDTH, _TILE_HEIGHT, _TILES, _TILE_SIZES = 273, 278, 279, 322, 323, 324, 325
_KIND, _PREDICTOR, _PALETTE, _EXTRA, _FORMAT, _TABLES, _NO_DATA = 254, 317, 320, 338, 339, 347, 42113
_MASK = 4
_RGB, _INDEXED, _YCBCR = 2, 3, 6
_JPEG, _PLAIN, _DEFLATE = 7, 1, (8, 32946)
_BY_LIBTIFF = {5: "LZW", 32773: "PackBits", 50000: "Zstandard", 34925: "LZMA"}
_STRETCH = (2.0, 98.0)


class NoOverview(SondeError):
    """The file has no image that can be drawn; the message says why."""


@dataclass(frozen=True, slots=True)
class RasterOverview:
    """``low`` and ``high``: the values that are drawn black and white; None for a picture in colours."""

    image: Image.Image
    width: int
    height: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class _Block:
    offset: int
    size: int
    plane: int
    row: int
    column: int
    height: int
    width: int


class _File:
    def __init__(self, fetch: Fetch) -> None:
        self._fetch, self._start = fetch, fetch(0, _START_BYTES)
        mark = self._start[:4]
        if mark not in (b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+"):
            raise NoOverview("it is no TIFF")
        self.order = "<" if mark[:2] == b"II" else ">"
        self.is_big = b"+" in mark

    def part(self, offset: int, length: int) -> bytes:
        """Raises NoOverview where the file ends before."""
        if offset + length <= len(self._start):
            return self._start[offset : offset + length]
        content = self._fetch(offset, length)
        if len(content) < length:
            raise NoOverview("it ends early")
        return content[:length]

    def unpack(self, form: str, content: bytes) -> tuple[int, ...]:
        return struct.unpack(self.order + form, content)

    def images(self) -> Iterator[_Tags]:
        count_form, entry_form, offset_form = ("Q", "HHQ8s", "Q") if self.is_big else ("H", "HHI4s", "I")
        sizes = [struct.calcsize(f"{self.order}{form}") for form in (count_form, entry_form, offset_form)]
        (place,) = self.unpack(offset_form, self.part(8 if self.is_big else 4, sizes[2]))
        for _ in range(_MOST_IMAGES):
            if place == 0:
                return
            (count,) = self.unpack(count_form, self.part(place, sizes[0]))
            if count > _MOST_TAGS:
                raise NoOverview("its tags cannot be read")
            content = self.part(place + sizes[0], count * sizes[1] + sizes[2])
            entries = struct.iter_unpack(self.order + entry_form, content[: count * sizes[1]])
            yield _Tags(self, {tag: (kind, length, value) for tag, kind, length, value in entries})
            (place,) = self.unpack(offset_form, content[count * sizes[1] :])


class _Tags:
    """The tags of one image; values that lie elsewhere in the file are read when they are needed."""

    def __init__(self, file: _File, entries: Mapping[int, tuple[int, int, bytes]]) -> None:
        self.file, self._entries = file, entries

    def raw(self, tag: int) -> tuple[str, bytes]:
        """The form of one value, and all of them."""
        kind, count, field = self._entries.get(tag, (0, 0, b""))
        form = _TYPES.get(kind, "")
        if not form or count == 0:
            return "", b""
        if count > _MOST_VALUES:
            raise NoOverview("it has too many parts")
        length = count * struct.calcsize(f"={form}")
        if length > len(field):
            (offset,) = self.file.unpack("Q" if len(field) == 8 else "I", field)
            return form, self.file.part(offset, length)
        return form, field[:length]

    def numbers(self, tag: int) -> tuple[int, ...]:
        form, content = self.raw(tag)
        return self.file.unpack(f"{len(content) // struct.calcsize(f'={form}')}{form}", content) if form else ()

    def number(self, tag: int, default: int) -> int:
        return int(next(iter(self.numbers(tag)), default))

    @property
    def size(self) -> tuple[int, int]:
        return self.number(_WIDTH, 0), self.number(_HEIGHT, 0)

    @property
    def no_data(self) -> float | None:
        try:
            return float(self.raw(_NO_DATA)[1].rstrip(b"\x00 ").decode("ascii"))
        except ValueError:
            return None


def read_overview(fetch: Fetch) -> RasterOverview:
    """Of the smallest image with an edge of 256 pixels or more. Raises NoOverview, and what ``fetch`` raises."""
    try:
        images = [each for each in _File(fetch).images() if not each.number(_KIND, 0) & _MASK and min(each.size) > 0]
        images.sort(key=lambda each: max(each.size))
        tags = next((each for each in images if max(each.size) >= _SMALLEST_EDGE), images[-1] if images else None)
        if tags is None:
            raise NoOverview("it has no image")
        width, height = tags.size
        if width * height > _MOST_PIXELS:
            raise NoOverview(f"it has no overview, and its image of {width:,} × {height:,} pixels is too large")
        return _drawn(tags, _values(tags, fetch))
    # Pillow's decoders and zlib raise various types for damaged blocks.
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, KeyError, struct.error, zlib.error) as error:
        raise NoOverview(f"it is damaged ({type(error).__name__})") from error


def _blocks(tags: _Tags) -> list[_Block]:
    (width, height), planes = tags.size, tags.number(_SAMPLES, 1) if tags.number(_PLANES, 1) == 2 else 1
    is_tiled = bool(tags.numbers(_TILE_WIDTH))
    wide = tags.number(_TILE_WIDTH, width) if is_tiled else width
    high = tags.number(_TILE_HEIGHT, height) if is_tiled else min(height, tags.number(_ROWS, height))
    if not (0 < wide <= 4096 and 0 < high <= 4096):
        raise NoOverview("its blocks are too large")
    offsets, sizes = (
        tags.numbers(_TILES if is_tiled else _STRIPS),
        tags.numbers(_TILE_SIZES if is_tiled else _STRIP_SIZES),
    )
    places = product(range(planes), range(0, height, high), range(0, width, wide))
    blocks = [
        _Block(offset, size, plane, row, column, high if is_tiled else min(high, height - row), wide)
        for offset, size, (plane, row, column) in zip(offsets, sizes, places, strict=False)
    ]
    wanted = [block for block in blocks if block.plane < 3 and block.size > 0]  # size 0: without data
    if sum(block.size for block in wanted) > _MOST_BYTES:
        raise NoOverview("its overview has too many bytes")
    return wanted


def _fetched(blocks: Sequence[_Block], fetch: Fetch) -> Iterator[tuple[_Block, bytes]]:
    """Blocks that lie close together come in one request."""
    waiting: list[_Block] = []

    def load() -> Iterator[tuple[_Block, bytes]]:
        start = waiting[0].offset
        content = fetch(start, waiting[-1].offset + waiting[-1].size - start)
        yield from ((block, content[block.offset - start :][: block.size]) for block in waiting)

    for block in sorted(blocks, key=lambda block: block.offset):
        is_far = waiting and block.offset - waiting[-1].offset - waiting[-1].size > _LARGEST_GAP
        if is_far or (waiting and block.offset + block.size - waiting[0].offset > _MOST_BYTES):
            yield from load()
            waiting = []
        waiting.append(block)
    if waiting:
        yield from load()


def _values(tags: _Tags, fetch: Fetch) -> NDArray[np.generic]:
    """Rows, columns, samples; what is missing is the value for no data, or 0."""
    (width, height), samples = tags.size, tags.number(_SAMPLES, 1)
    bits, form = tags.number(_BITS, 1), {1: "u", 2: "i", 3: "f"}.get(tags.number(_FORMAT, 1))
    if bits not in (8, 16, 32, 64) or form is None or (form == "f" and bits == 8) or not 0 < samples <= 64:
        raise NoOverview(f"its values of {bits} bits cannot be drawn")
    is_planar = tags.number(_PLANES, 1) == 2
    drawn = min(samples, 3) if is_planar else samples
    if width * height * drawn * bits > _MOST_BYTES * 8 * 4:
        raise NoOverview("its overview has too many bands")
    values = np.full((height, width, drawn), tags.no_data or 0, f"{form}{bits // 8}")
    for block, content in _fetched(_blocks(tags), fetch):
        decoded = _decoded(tags, content, block, 1 if is_planar else samples, f"{form}{bits // 8}")
        place = values[block.row : block.row + block.height, block.column : block.column + block.width]
        shape = decoded[: place.shape[0], : place.shape[1]]
        if is_planar:
            place[..., block.plane] = shape[..., 0]
        else:
            place[...] = shape
    return values


def _decoded(tags: _Tags, content: bytes, block: _Block, samples: int, form: str) -> NDArray[np.generic]:
    compression, predictor = tags.number(_COMPRESSION, _PLAIN), tags.number(_PREDICTOR, 1)
    shape, bytes_each = (block.height, block.width, samples), int(form[1:])
    row_bytes = block.width * samples * bytes_each
    if compression == _JPEG:
        return _of_jpeg(tags.raw(_TABLES)[1], content).reshape(shape)
    if compression == _PLAIN:
        plain = content
    elif compression in _DEFLATE:
        plain = zlib.decompressobj().decompress(content, row_bytes * block.height)
    elif compression in _BY_LIBTIFF:
        plain = _of_libtiff(content, compression, row_bytes, block.height)
    else:
        raise NoOverview(f"its compression ({compression}) is not one that can be drawn")
    plain = plain[: row_bytes * block.height]
    if predictor == 3:
        steps = np.frombuffer(plain, np.uint8).reshape(block.height, -1, samples)
        planes = np.cumsum(steps, axis=1, dtype=np.uint8).reshape(block.height, bytes_each, -1)
        return np.ascontiguousarray(planes.transpose(0, 2, 1)).view(f">{form}").reshape(shape)
    values = np.frombuffer(plain, f"{tags.file.order}{form}").reshape(shape).astype(form)
    return np.cumsum(values, axis=1, dtype=values.dtype) if predictor == 2 else values


def _of_jpeg(tables: bytes, content: bytes) -> NDArray[np.generic]:
    from PIL import Image

    whole = tables[:-2] + content[2:] if tables else content
    with Image.open(io.BytesIO(whole), formats=("JPEG",)) as picture:
        if picture.width * picture.height > _MOST_PIXELS:
            raise NoOverview("its blocks are too large")
        return np.asarray(picture)


def _of_libtiff(content: bytes, compression: int, width: int, height: int) -> bytes:
    """Decodes one block as the only strip of a small grey TIFF of ours."""
    from PIL import Image

    tags = [
        (_WIDTH, width), (_HEIGHT, height), (_BITS, 8), (_COMPRESSION, compression), (_PHOTOMETRIC, 1),
        (_STRIPS, 8 + 2 + 9 * 12 + 4), (_SAMPLES, 1), (_ROWS, height), (_STRIP_SIZES, len(content)),
    ]  # fmt: skip
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    file = struct.pack("<2sHIH", b"II", 42, 8, len(tags)) + entries + bytes(4) + content
    with Image.open(io.BytesIO(file), formats=("TIFF",)) as picture:
        return picture.tobytes()


def _drawn(tags: _Tags, values: NDArray[np.generic]) -> RasterOverview:
    from PIL import Image

    photometric, (height, width, samples) = tags.number(_PHOTOMETRIC, 1), values.shape
    is_coloured = samples >= 3 and photometric in (_RGB, _YCBCR)
    if photometric == _INDEXED and values.dtype.kind == "u" and (palette := tags.numbers(_PALETTE)):
        colours = (np.array(palette).reshape(3, -1).T >> 8).astype(np.uint8)
        return RasterOverview(Image.fromarray(colours[np.minimum(values[..., 0], len(colours) - 1)]), width, height)
    if is_coloured and values.dtype == np.uint8:
        has_alpha = samples >= 4 and tags.number(_EXTRA, 0) in (1, 2)
        return RasterOverview(
            Image.fromarray(np.ascontiguousarray(values[..., : 4 if has_alpha else 3])), width, height
        )
    bands = values[..., : 3 if is_coloured else 1].astype(np.float64)
    known: NDArray[np.bool_] = np.asarray(np.isfinite(bands).all(axis=-1))
    if (no_data := tags.no_data) is not None:
        known &= ~np.isclose(bands, no_data, rtol=1e-6, atol=0.0).all(axis=-1)
    if not known.any():
        raise NoOverview("its overview has no values")
    low, high = (float(edge) for edge in np.percentile(bands[known], _STRETCH))
    share = np.clip((np.where(known[..., None], bands, low) - low) / ((high - low) or 1.0), 0.0, 1.0)
    grey = np.asarray(share * 255).round().astype(np.uint8)
    opaque = np.where(known[..., None], np.uint8(255), np.uint8(0))
    shown = np.concatenate([grey, opaque], axis=-1)
    return RasterOverview(Image.fromarray(shown), width, height, low, high)
