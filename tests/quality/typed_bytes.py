"""What the raw bytes of a record say, read without Sonde's readers, so that what a reader misses counts against it.

XML is read by the local names of its elements, JSON by its keys; anything else is text without fields.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from lxml import etree

Role = Literal["title", "identifier", "campaign", "platform", "instrument"]

# Elements and keys (in small letters, without their prefix) whose text is a name of the record.
ROLES: dict[str, Role] = {
    "title": "title", "entry_title": "title", "entrytitle": "title", "dataset_title": "title",
    "alternatetitle": "title", "alternative": "title",
    "fileidentifier": "identifier", "metadataidentifier": "identifier", "md_identifier": "identifier",
    "rs_identifier": "identifier", "identifier": "identifier", "entry_id": "identifier", "short_name": "identifier",
    "shortname": "identifier", "id": "identifier", "datasetid": "identifier", "dataset_id": "identifier",
    "name": "identifier",
    "project": "campaign", "projects": "campaign", "campaign": "campaign", "md_aggregateinformation": "campaign",
    "md_associatedresource": "campaign", "mission": "campaign", "collectivetitle": "campaign",
    "mi_platform": "platform", "platform": "platform", "platforms": "platform", "source_name": "platform",
    "constellation": "platform",
    "mi_instrument": "instrument", "instrument": "instrument", "instruments": "instrument", "sensor_name": "instrument",
    "sensor": "instrument",
}  # fmt: skip
# Below these nothing names the record: people, vocabularies, files, contents' own parts.
UNNAMED = frozenset(
    (
        "thesaurusname", "contact", "pointofcontact", "citedresponsibleparty", "ci_responsibleparty",
        "ci_responsibility",
        "distributioninfo", "metadatastandardname", "contentinfo", "lineage", "referencesysteminfo", "publisher",
        "creator", "contributors", "providers", "links", "assets", "distribution", "resources", "organization",
        "groups",
        "personnel", "data_center", "md_browsegraphic", "dataqualityinfo", "eainfo", "metainfo", "ptcontac",
        "contactpoint",
        "extras", "tags", "theme", "crossref", "md_format", "onlineresource", "ci_onlineresource", "properties_schema",
    )
)  # fmt: skip
UNSAID = frozenset(("thesaurusname", "metadatastandardname", "metadatastandardversion", "metadataextensioninfo"))
EDITIONS = frozenset(("edition", "version", "dataset_version"))
DATES = frozenset(("date", "datetime", "created", "updated", "start_datetime", "end_datetime"))
KEYWORD_ROLES: tuple[tuple[str, Role], ...] = (
    ("platform", "platform"),
    ("instrument", "instrument"),
    ("project", "campaign"),
)

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{20,}", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]{1,200}>")


@dataclass(slots=True)
class Said:
    """``names``: role and text of the fields that name the record. ``texts``: everything else, field by field."""

    names: list[tuple[Role, str]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def titles(self) -> list[str]:
        return [text for role, text in self.names if role == "title"]

    def add(self, role: Role | None, text: str) -> None:
        text = " ".join(text.split())
        if text and role is not None and not _UUID.search(text):
            self.names.append((role, text))
        elif text:
            self.texts.append(text)


def said_by(content: bytes) -> Said:
    """Never raises: bytes that are neither XML nor JSON are one text."""
    said = Said()
    try:
        _read_json(json.loads(content), None, True, said)
    except (ValueError, RecursionError):
        root = _xml(content)
        if root is None:
            said.add(None, content.decode("utf-8", "replace"))
        else:
            _read_xml(root, None, True, said)
    return said


def _xml(content: bytes) -> etree._Element | None:
    try:
        return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    except (etree.XMLSyntaxError, ValueError):
        return None


def _read_xml(element: etree._Element, role: Role | None, named: bool, said: Said) -> None:
    """``role``: of the field that this element lies in; ``named``: whether a name may stand here."""
    name = _local(element)
    if name in UNSAID or (name.endswith("code") and name != "code"):  # an entry of a code list is no text
        return
    if name == "md_keywords":
        _read_keywords(element, said)
        return
    named = named and name not in UNNAMED
    role = _role(name, role, named)
    for text in (element.text, *(child.tail for child in element)):
        if text and text.strip():
            said.add(*_with_edition(name, element, role, named, text))
    for child in element:
        if isinstance(child.tag, str):
            _read_xml(child, role, named, said)


def _role(name: str, outer: Role | None, named: bool) -> Role | None:
    """A campaign, platform or instrument keeps its role in the titles and codes inside it; a date names nothing."""
    if not named or name in DATES:
        return None
    if outer in ("campaign", "platform", "instrument"):
        return outer
    return ROLES.get(name, outer)


def _with_edition(
    name: str, element: etree._Element, role: Role | None, named: bool, text: str
) -> tuple[Role | None, str]:
    parent = element.getparent()
    if named and (name in EDITIONS or (parent is not None and _local(parent) in EDITIONS)):
        return "title", f"version {text}"
    return role, text


def _read_keywords(element: etree._Element, said: Said) -> None:
    """A group of keywords has the role that its type or its vocabulary names, else none."""
    kind = " ".join(
        f"{''.join(map(str, one.itertext()))} {one.get('codeListValue', '')}"
        for one in element.iter()
        if isinstance(one.tag, str) and _local(one) in ("md_keywordtypecode", "othercitationdetails")
    ).lower()
    role = next((role for word, role in KEYWORD_ROLES if word in kind), None)
    for one in element:
        if isinstance(one.tag, str) and _local(one) == "keyword":
            said.add(role, "".join(map(str, one.itertext())))


def _read_json(value: Any, role: Role | None, named: bool, said: Said) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            name = key.rpartition(":")[2].rpartition("/")[2].lower()
            here = named and name not in UNNAMED
            if name in EDITIONS and isinstance(inner, str | int | float) and here:
                said.add("title", f"version {inner}")
            else:
                _read_json(inner, _role(name, role, here), here, said)
    elif isinstance(value, list):
        for inner in value:
            _read_json(inner, role, named, said)
    elif isinstance(value, str):
        said.add(role, _MARKUP.sub(" ", value))


def _local(element: etree._Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def pieces(said: Said) -> Iterator[tuple[bool, str]]:
    """(whether it names the record, text) of every field."""
    yield from ((True, text) for _, text in said.names)
    yield from ((False, text) for text in said.texts)
