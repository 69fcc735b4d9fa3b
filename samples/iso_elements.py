"""Small pieces of ISO 19139: text, codes, dates, citations, contacts. Namespaces of the 2007 schemas (GML 3.2)."""

from __future__ import annotations

from lxml import etree

NAMESPACES = {
    "gmd": "http://www.isotc211.org/2005/gmd",
    "gco": "http://www.isotc211.org/2005/gco",
    "gmx": "http://www.isotc211.org/2005/gmx",
    "srv": "http://www.isotc211.org/2005/srv",
    "gml": "http://www.opengis.net/gml/3.2",
    "xlink": "http://www.w3.org/1999/xlink",
}
CODE_LISTS = "http://www.isotc211.org/2005/resources/Codelist/gmxCodelists.xml"
LANGUAGES = "http://www.loc.gov/standards/iso639-2/"

Element = etree._Element


def qualified(name: str) -> str:
    """``gmd:title`` in Clark notation."""
    prefix, _, local = name.partition(":")
    return f"{{{NAMESPACES[prefix]}}}{local}"


def node(name: str, *children: Element | None, text: str | None = None, **attributes: str) -> Element:
    """An element; children that are None are left out, attribute names write ``:`` as ``__``."""
    made = etree.Element(qualified(name), nsmap=NAMESPACES)
    for key, value in attributes.items():
        made.set(qualified(key.replace("__", ":")) if "__" in key else key, value)
    made.text = text
    made.extend([child for child in children if child is not None])
    return made


def text(name: str, value: str) -> Element | None:
    """A gco:CharacterString under ``name``; None for the empty string."""
    return node(name, node("gco:CharacterString", text=value)) if value else None


def anchor(name: str, value: str, href: str) -> Element | None:
    """Like text, but linked where ``href`` is given."""
    return node(name, node("gmx:Anchor", text=value, xlink__href=href)) if href else text(name, value)


def primitive(name: str, kind: str, value: object, **attributes: str) -> Element:
    """A gco primitive (Decimal, Real, Integer, Boolean, Date, Distance, Measure) under ``name``."""
    return node(name, node(f"gco:{kind}", text=str(value), **attributes))


def code(name: str, code_list: str, value: str) -> Element:
    """A code list value under ``name``."""
    return node(name, node(f"gmd:{code_list}", text=value, codeList=f"{CODE_LISTS}#{code_list}", codeListValue=value))


def language(name: str, value: str) -> Element:
    """An ISO 639-2 language under ``name``."""
    return node(name, node("gmd:LanguageCode", text=value, codeList=LANGUAGES, codeListValue=value))


def cited_date(value: str, kind: str) -> Element:
    """A CI_Date; ``kind`` is creation, publication or revision."""
    written = node("gmd:CI_Date", primitive("gmd:date", "Date", value), code("gmd:dateType", "CI_DateTypeCode", kind))
    return node("gmd:date", written)


def online(name: str, url: str, label: str, function: str) -> Element:
    """A CI_OnlineResource under ``name``; ``function`` is information, download or search."""
    return node(
        name,
        node(
            "gmd:CI_OnlineResource",
            node("gmd:linkage", node("gmd:URL", text=url)),
            text("gmd:protocol", "WWW:LINK-1.0-http--link"),
            text("gmd:name", label),
            code("gmd:function", "CI_OnLineFunctionCode", function),
        ),
    )


def party(name: str, role: str, *, person: str = "", organisation: str = "", url: str = "") -> Element:
    """A CI_ResponsibleParty under ``name``."""
    page = online("gmd:onlineResource", url, organisation, "information") if url else None
    info = node("gmd:contactInfo", node("gmd:CI_Contact", page)) if page is not None else None
    return node(
        name,
        node(
            "gmd:CI_ResponsibleParty",
            text("gmd:individualName", person),
            text("gmd:organisationName", organisation),
            info,
            code("gmd:role", "CI_RoleCode", role),
        ),
    )
