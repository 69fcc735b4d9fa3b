"""Vocabularies (SKOS): other names of a question's terms, and narrower terms."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Label:
    """One name; ``language`` is ISO 639-1, None if the vocabulary does not state it."""

    text: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Concept:
    """``labels``: at least one, preferred ones first. ``narrower``: URIs of the directly narrower concepts."""

    uri: str
    labels: tuple[Label, ...]
    narrower: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedVocabulary:
    """Concepts with the name of their vocabulary ("gemet"), which is the source of each term found."""

    name: str
    concepts: tuple[Concept, ...]
