"""Parses directory listings of web servers (Apache, nginx, IIS, Python's own) into entries. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urljoin, urlsplit

from lxml import html
from lxml.etree import ParserError

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}")
_NAMED = re.compile(r"\d{1,2}-[A-Z][a-z]{2}-\d{4} \d{2}:\d{2}")
_AMERICAN = re.compile(r"\d{1,2}/\d{1,2}/\d{4} +\d{1,2}:\d{2} [AP]M")
_FORMS = ((_ISO, "%Y-%m-%d %H:%M"), (_NAMED, "%d-%b-%Y %H:%M"), (_AMERICAN, "%m/%d/%Y %I:%M %p"))
_SIGNS = ("index of ", "directory listing for", "directory listing --", "[to parent directory]", "listing of ")


class NotAListing(ValueError):
    """A page that does not look like a directory listing."""


@dataclass(frozen=True, slots=True)
class Entry:
    """``url`` without query; a folder's ends with a slash. ``modified`` is the server's local time, without zone."""

    url: str
    modified: str | None = None

    @property
    def is_folder(self) -> bool:
        return self.url.endswith("/")


def entries(content: bytes, url: str, *, any_page: bool = False) -> list[Entry]:
    """The entries directly below ``url``, sorted by URL, each once.

    Links to other places, upwards, or to another order of the same listing are left out. Raises NotAListing, unless
    ``any_page`` accepts every page with links.
    """
    try:
        page = html.fromstring(content)
    except (ParserError, ValueError) as error:
        raise NotAListing(str(error)) from None
    if not any_page and not _looks_like_one(page):
        raise NotAListing("it does not call itself an index or directory listing")
    found: dict[str, Entry] = {}
    for anchor in page.iter("a"):
        entry = _entry(anchor, url)
        if entry is not None:
            found.setdefault(entry.url, entry)
    return [found[each] for each in sorted(found)]


def _looks_like_one(page: html.HtmlElement) -> bool:
    start = " ".join(page.text_content().split())[:4000].lower()
    title = (page.findtext(".//title") or "").strip().lower()
    return any(sign in start or title.startswith(sign.strip()) for sign in _SIGNS)


def _entry(anchor: html.HtmlElement, url: str) -> Entry | None:
    href = (anchor.get("href") or "").strip()
    if not href or href.startswith(("?", "#")):
        return None
    try:
        target = urljoin(url, href)
        parts, base = urlsplit(target), urlsplit(url)
    except ValueError:
        return None
    folder = base.path.rpartition("/")[0] + "/"
    name = parts.path.removeprefix(folder)
    if parts[:2] != base[:2] or not parts.path.startswith(folder) or not name or "/" in name.rstrip("/"):
        return None
    return Entry(f"{parts.scheme}://{parts.netloc}{parts.path}", _modified(anchor))


def _modified(anchor: html.HtmlElement) -> str | None:
    """The date after the link (Apache, nginx; in a table: in a cell of the row) or before it (IIS)."""
    row = next((up for up in anchor.iterancestors("tr")), None)
    places = [row.text_content()] if row is not None else [anchor.tail or "", _before(anchor)]
    for text in places:
        for form, pattern in _FORMS:
            match = form.search(text)
            if match is not None:
                return _iso(" ".join(match[0].replace("T", " ").split()), pattern)
    return None


def _before(anchor: html.HtmlElement) -> str:
    before = anchor.getprevious()
    text = before.tail if before is not None else anchor.getparent().text
    return (text or "").rpartition("\n")[2]


def _iso(text: str, pattern: str) -> str | None:
    try:
        return datetime.strptime(text, pattern).strftime("%Y-%m-%dT%H:%M:00")
    except ValueError:
        return None
