"""Makes a small picture of ours from the bytes of an external one.

Nothing of the original file is sent: the result is redrawn from its decoded pixels, without metadata.
"""

from __future__ import annotations

import io
import struct
import warnings
import zlib

from PIL import Image, ImageOps, UnidentifiedImageError

from core.errors import SondeError

LARGEST_EDGE = 640
"""Pixels of the longer edge of the result."""
MOST_PIXELS = 24_000_000
"""Of the original, by its header; decoded it needs at most four bytes for each."""
MEDIA_TYPE = "image/webp"
_READ = ("PNG", "JPEG", "GIF", "WEBP")
_QUALITY = 82
_WITH_ALPHA = frozenset(("RGBA", "LA", "PA", "La", "RGBa"))


class NotAPicture(SondeError):
    """The bytes are not a supported picture, or it is too large or damaged; the message says which."""


def thumbnail(content: bytes) -> bytes:
    """A WebP of at most ``LARGEST_EDGE`` pixels a side, from the first frame; equal input gives equal bytes.

    Raises NotAPicture.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=_READ) as picture:
                return _drawn(picture)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise NotAPicture(f"the picture has more than {MOST_PIXELS:,} pixels") from error
    except UnidentifiedImageError as error:
        raise NotAPicture("it is no PNG, JPEG, GIF or WebP picture") from error
    # Pillow's decoders raise various types for damaged files.
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, struct.error, zlib.error) as error:
        raise NotAPicture(f"the picture is damaged ({type(error).__name__})") from error


def _drawn(picture: Image.Image) -> bytes:
    """Raises NotAPicture before decoding if the header gives too many pixels."""
    width, height = picture.size
    if width * height > MOST_PIXELS:
        raise NotAPicture(f"the picture has more than {MOST_PIXELS:,} pixels")
    picture.draft("RGB", (2 * LARGEST_EDGE, 2 * LARGEST_EDGE))  # decodes a JPEG no larger than needed
    upright = ImageOps.exif_transpose(picture)
    plain = upright.convert("RGBA" if _is_transparent(upright) else "RGB")
    plain.thumbnail((LARGEST_EDGE, LARGEST_EDGE), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    plain.save(out, "WEBP", quality=_QUALITY, method=4)
    return out.getvalue()


def _is_transparent(picture: Image.Image) -> bool:
    return picture.mode in _WITH_ALPHA or "transparency" in picture.info
