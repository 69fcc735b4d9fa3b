"""Prepares a tree of ISO 19139: parties that are only referred to, and texts that exist only as translations.

Both are done once in the tree, so that every reader of a field sees what it would see if it were written in place.
"""

from __future__ import annotations

from copy import deepcopy

from indexer.formats.iso_xml import GMD, XLINK_HREF, Element, child, code_of, one_line
from indexer.formats.languages import language

_MOST_REFERENCES = 200
_LARGEST_TARGET = 500  # elements of a referred object
_IDS = ("id", "{http://www.opengis.net/gml/3.2}id", "{http://www.opengis.net/gml}id", "uuid")
_FREE_TEXT = f"{GMD}PT_FreeText"


def resolve_references(root: Element) -> None:
    """Puts a copy of an object of the same document where an empty property refers to it (``xlink:href="#id"``)."""
    empty = [
        (prop, str(prop.get(XLINK_HREF))[1:])
        for prop in root.iter("*")
        if not len(prop) and str(prop.get(XLINK_HREF) or "").startswith("#")
    ]
    if not empty:
        return
    by_id = {str(one.get(name)): one for one in root.iter("*") for name in _IDS if one.get(name)}
    for prop, name in empty[:_MOST_REFERENCES]:
        target = by_id.get(name)
        if target is None or prop in target.iter("*") or len(list(target.iter("*"))) > _LARGEST_TARGET:
            continue
        prop.append(deepcopy(target))


def put_own_language_first(root: Element) -> None:
    """Orders the translations of each text so that the one in the record's language comes first."""
    own = _own_language(root)
    if own is None:
        return
    locales = {str(one.get("id")) for one in root.iter(f"{GMD}PT_Locale") if one.get("id") and _code(one) == own}
    for free in root.iter(_FREE_TEXT):
        groups = list(free.iterchildren(f"{GMD}textGroup"))
        groups.sort(key=lambda group: not any(_is_in(string, locales, own) for string in group))  # stable
        free[:] = groups


def _own_language(root: Element) -> str | None:
    prop = child(root, f"{GMD}language")
    stated = language(code_of(prop) or one_line(prop))
    return stated if stated is not None else _code(child(root, f"{GMD}defaultLocale"))


def _code(holder: Element | None) -> str | None:
    """The language of a locale."""
    found = None if holder is None else next(holder.iter(f"{GMD}LanguageCode"), None)
    return None if found is None else language(found.get("codeListValue") or found.text or "")


def _is_in(string: Element, locales: set[str], own: str) -> bool:
    """By the locale that the text names; some write the language itself instead."""
    name = (string.get("locale") or "").lstrip("#")
    return name in locales or (bool(name) and not locales and language(name) == own)
