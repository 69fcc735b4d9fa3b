"""A small image of a GeoTIFF, read by ranges: files written by Pillow's libtiff and by tifffile."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from PIL import Image

from search_api.catalogue.pictures.geotiff import NoOverview, RasterOverview, read_overview

SIZE = 300
SLOPE = np.add.outer(np.arange(SIZE), np.arange(SIZE))


class Ranges:
    def __init__(self, content: bytes) -> None:
        self.content, self.asked = content, [(0, 0)][:0]

    def __call__(self, offset: int, length: int) -> bytes:
        self.asked.append((offset, length))
        return self.content[offset : offset + length]


def by_pillow(values: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    Image.fromarray(values).save(out, "TIFF", **options)
    return out.getvalue()


def by_tifffile(path: Path, values: Any, **options: Any) -> bytes:
    tifffile.imwrite(path / "file.tif", values, metadata=None, **options)
    return (path / "file.tif").read_bytes()


def shades(overview: RasterOverview) -> Any:
    return np.asarray(overview.image)[..., 0].astype(int)


def expected(values: Any) -> Any:
    low, high = np.percentile(values, [2, 98])
    return np.clip((values - low) / (high - low), 0, 1) * 255


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("float32", {"compression": "tiff_lzw", "tiffinfo": {317: 3}}),
        ("float32", {"compression": "tiff_adobe_deflate", "tiffinfo": {317: 3}}),
        ("uint16", {"compression": "tiff_lzw", "tiffinfo": {317: 2}}),
        ("uint8", {"compression": "packbits"}),
        ("float32", {"compression": "zstd"}),
        ("float32", {}),
    ],
    ids=["lzw-float-predictor", "deflate-float-predictor", "lzw-predictor", "packbits", "zstandard", "plain"],
)
def test_values_of_each_compression(kind: str, options: dict[str, Any]) -> None:
    values = (SLOPE // 4 if kind == "uint8" else SLOPE).astype(kind)
    overview = read_overview(Ranges(by_pillow(values, **options)))
    assert (overview.width, overview.height) == (SIZE, SIZE)
    assert np.abs(shades(overview) - expected(values)).max() <= 1


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("int16", {"compression": "zlib", "predictor": True, "byteorder": ">"}),
        ("float64", {"compression": "zlib", "bigtiff": True}),
        ("int32", {"byteorder": ">"}),
    ],
    ids=["big-endian", "bigtiff", "int32"],
)
def test_tiles(tmp_path: Path, kind: str, options: dict[str, Any]) -> None:
    values = (SLOPE - 100).astype(kind)
    overview = read_overview(Ranges(by_tifffile(tmp_path, values, tile=(128, 128), **options)))
    assert np.abs(shades(overview) - expected(values)).max() <= 1
    assert overview.low == pytest.approx(np.percentile(values, 2))


def test_an_overview_is_read_and_not_the_image(tmp_path: Path) -> None:
    whole = np.zeros((4096, 4096), "uint16")
    with tifffile.TiffWriter(tmp_path / "file.tif") as tiff:
        tiff.write(whole, tile=(512, 512), metadata=None)
        tiff.write(whole[:1024, :1024], tile=(512, 512), subfiletype=1, metadata=None)
        tiff.write(np.tile(SLOPE[:256, :256], (2, 2)).astype("uint16"), tile=(256, 256), subfiletype=1, metadata=None)
        tiff.write(whole[:100, :100], tile=(256, 256), subfiletype=1, metadata=None)
    ranges = Ranges((tmp_path / "file.tif").read_bytes())
    overview = read_overview(ranges)
    assert (overview.width, overview.height) == (512, 512)
    assert sum(length for _, length in ranges.asked) < 600_000


def test_colours_bands_and_gaps(tmp_path: Path) -> None:
    red = np.zeros((SIZE, SIZE, 3), "uint8")
    red[..., 0] = 200
    for content in (
        by_pillow(red, compression="jpeg"),
        by_tifffile(tmp_path, red, photometric="rgb", tile=(128, 128)),
        by_tifffile(tmp_path, red.transpose(2, 0, 1), photometric="rgb", planarconfig="separate"),
    ):
        overview = read_overview(Ranges(content))
        assert np.abs(np.asarray(overview.image)[10, 10].astype(int) - [200, 0, 0]).max() < 6
        assert overview.low is None
    indexed = Image.fromarray(np.full((SIZE, SIZE), 7, "uint8"), "P")
    indexed.putpalette([channel for shade in range(256) for channel in (shade, 2 * shade % 256, 9)])
    out = io.BytesIO()
    indexed.save(out, "TIFF")
    assert np.asarray(read_overview(Ranges(out.getvalue())).image)[5, 5].tolist() == [7, 14, 9]
    gaps = SLOPE.astype("float32")
    gaps[:50] = -9999
    gaps[60] = np.nan
    marked = read_overview(Ranges(by_pillow(gaps, tiffinfo={42113: "-9999"})))
    alpha = np.asarray(marked.image)[..., 1]
    assert (alpha[:50] == 0).all()
    assert (alpha[60] == 0).all()
    assert (alpha[61:] == 255).all()
    assert (marked.low or 0) > 0


def damaged() -> list[tuple[str, bytes]]:
    good = by_pillow(SLOPE.astype("float32"), compression="tiff_lzw")
    return [
        ("no TIFF", b"<html>" + bytes(100)),
        ("no TIFF", b""),
        ("early", good[:3000]),
        ("damaged|values|early|cannot", good[:200] + bytes(len(good) - 600) + good[-400:]),
        ("early|damaged|tags|no image", good[:8] + b"\xff" * (len(good) - 8)),
    ]


@pytest.mark.parametrize(("reason", "content"), damaged(), ids=["page", "empty", "cut", "zeros", "ones"])
def test_what_cannot_be_drawn_is_said(reason: str, content: bytes) -> None:
    with pytest.raises(NoOverview, match=reason):
        read_overview(Ranges(content))


def test_a_large_image_without_overview_is_not_read(tmp_path: Path) -> None:
    ranges = Ranges(by_tifffile(tmp_path, np.zeros((3000, 3000), "uint8"), tile=(256, 256)))
    with pytest.raises(NoOverview, match="no overview, and its image of 3,000 × 3,000 pixels"):
        read_overview(ranges)
    assert sum(length for _, length in ranges.asked) < 100_000


def test_no_byte_changed_at_random_breaks_it() -> None:
    generator = np.random.default_rng(1)
    good = by_pillow(SLOPE.astype("uint16"), compression="tiff_lzw", tiffinfo={317: 2})
    for _ in range(300):
        content = bytearray(good)
        for place in generator.integers(0, min(len(content), 4000), 3):
            content[place] = generator.integers(0, 256)
        try:
            read_overview(Ranges(bytes(content)))
        except NoOverview:
            continue
