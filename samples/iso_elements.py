"""Small pieces of ISO 19139 that only the samples write; the others are those that Sonde gives records out by."""

from __future__ import annotations

from search_api.formats_out.iso_elements import NAMESPACES, Element, code, node, text

__all__ = (
    "NAMESPACES", "Element", "anchor", "cited_date", "code", "language", "node", "online", "party", "primitive", "text",
)  # fmt: skip

LANGUAGES = "http://www.loc.gov/standards/iso639-2/"


def anchor(name: str, value: str, href: str) -> Element | None:
    """Like text, but linked where ``href`` is given."""
    return node(name, node("gmx:Anchor", text=value, xlink__href=href)) if href else text(name, value)


def primitive(name: str, kind: str, value: object, **attributes: str) -> Element:
    """A gco primitive (Decimal, Real, Integer, Boolean, Date, Distance, Measure) under ``name``."""
    return node(name, node(f"gco:{kind}", text=str(value), **attributes))


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
