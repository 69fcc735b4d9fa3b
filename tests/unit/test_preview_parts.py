"""Which picture is chosen, how it is drawn, how long it is kept."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from core.record import Link, Record
from search_api.catalogue.previews import NotAPicture, Preview, PreviewCache, picture_addresses, thumbnail


def record(*links: Link) -> Record:
    return Record("s:1", "s", "1", "Title", links=links)


def test_what_browsers_draw_comes_first() -> None:
    found = picture_addresses(
        record(
            Link("https://a.example/overview.tif", rel="preview", media_type="image/tiff"),
            Link("https://a.example/manifest", rel="preview"),
            Link("https://a.example/quick.JPG", rel="preview"),
            Link("https://a.example/small", rel="preview", media_type="image/png"),
        )
    )
    assert found == ("https://a.example/small", "https://a.example/quick.JPG", "https://a.example/manifest")


def test_what_cannot_be_a_picture_is_left_out() -> None:
    found = picture_addresses(
        record(
            Link("ftp://a.example/a.png", rel="preview"),
            Link("https://a.example/viewer", rel="preview", media_type="text/html"),
            Link("https://a.example/data.png", rel="download", media_type="image/png"),
            Link("http://[broken/a.png", rel="preview"),
        )
    )
    assert found == ()


def encoded(picture: Image.Image, form: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, form, **options)
    return out.getvalue()


def test_a_small_picture_keeps_its_size_and_its_transparency() -> None:
    clear = Image.new("RGBA", (30, 20), (0, 0, 0, 0))
    with Image.open(io.BytesIO(thumbnail(encoded(clear, "PNG")))) as drawn:
        assert (drawn.size, drawn.mode, drawn.getpixel((5, 5))[3]) == ((30, 20), "RGBA", 0)


def test_a_photograph_stands_upright_and_loses_where_it_was_taken() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees
    exif[0x010E] = "secret"
    with Image.open(io.BytesIO(thumbnail(encoded(Image.new("RGB", (80, 40)), "JPEG", exif=exif)))) as drawn:
        assert drawn.size == (40, 80)
        assert dict(drawn.getexif()) == {}


@given(st.binary(max_size=400), st.integers(0, 200))
def test_whatever_the_bytes_it_is_a_picture_or_refused(noise: bytes, cut: int) -> None:
    whole = encoded(Image.new("P", (9, 9)), "GIF")
    for content in (noise, whole[:cut] + noise, noise + whole):
        try:
            drawn = thumbnail(content)
        except NotAPicture:
            continue
        assert drawn[:4] == b"RIFF"


def test_pictures_are_kept_longer_than_failures_and_the_oldest_goes_first() -> None:
    now = [0.0]
    kept = PreviewCache(lambda: now[0], good_s=100, bad_s=10, most_bytes=5)
    kept.put("good", Preview(b"abc"))
    kept.put("bad", Preview(None, "gone"))
    now[0] = 10.0
    assert kept.get("bad") is None
    assert kept.get("good") == Preview(b"abc")
    kept.put("other", Preview(b"def"))  # six bytes together: one too many
    assert kept.get("good") is None
    assert kept.get("other") == Preview(b"def")
    now[0] = 110.0
    assert kept.get("other") is None


def test_nothing_of_a_huge_picture_is_decoded() -> None:
    header = encoded(Image.new("1", (6000, 6000)), "PNG")[:60]  # its size and no pixels
    with pytest.raises(NotAPicture, match="24,000,000"):
        thumbnail(header)
