"""The kind of data that the metadata state explicitly: observation, simulation, projection, reanalysis."""

from __future__ import annotations

from collections.abc import Iterable

from core.record import ProvenanceKind

_KIND_OF_TERM: dict[str, ProvenanceKind] = {
    "reanalysis": "reanalysis",
    "reanalyses": "reanalysis",
    "reanalysis data": "reanalysis",
    "atmospheric reanalysis": "reanalysis",
    "climate projections": "projection",
    "climate projection": "projection",
    "projections": "projection",
    "model output": "simulation",
    "model outputs": "simulation",
    "climate model output": "simulation",
    "simulation": "simulation",
    "simulations": "simulation",
    "observations": "observation",
    "observational data": "observation",
    "in situ observations": "observation",
    "in-situ observations": "observation",
    "in situ measurements": "observation",
    "in-situ measurements": "observation",
}
_KIND_OF_PLATFORM: tuple[tuple[str, ProvenanceKind], ...] = (  # GCMD's platform categories
    ("model", "simulation"),
    ("earth observation satellite", "observation"),
    ("in situ", "observation"),
    ("aircraft", "observation"),
    ("air-based", "observation"),
    ("water-based", "observation"),
    ("land-based", "observation"),
    ("balloon", "observation"),
    ("ground station", "observation"),
)


def kind_of_term(term: str) -> ProvenanceKind | None:
    """The kind by a keyword: the last part of a path (``A > B > REANALYSIS``), in any case."""
    return _KIND_OF_TERM.get(term.rpartition(">")[2].strip().lower())


def kind_of_platform(category: str) -> ProvenanceKind | None:
    """The kind by a platform category of NASA's standards (``Models/Analyses``, ``In Situ Land-based Platforms``)."""
    lowered = category.lower()
    return next((kind for word, kind in _KIND_OF_PLATFORM if word in lowered), None)


def agreed(said: Iterable[ProvenanceKind | None]) -> ProvenanceKind | None:
    """The one kind that is stated; None where none is, or where several contradict each other.

    A reanalysis is model output made from observations, so its metadata often state all three.
    """
    kinds = {kind for kind in said if kind is not None}
    if "reanalysis" in kinds:
        return "reanalysis"
    return kinds.pop() if len(kinds) == 1 else None
