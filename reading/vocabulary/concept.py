"""A concept of a vocabulary: its names in several languages and the concepts under it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Label:
    """One name; ``language`` is ISO 639-1, None where the vocabulary does not say."""

    text: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Concept:
    """``labels``: at least one, preferred ones first. ``narrower``: URIs of the concepts directly under it."""

    uri: str
    labels: tuple[Label, ...]
    narrower: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedVocabulary:
    """Concepts under the name they are known by ("gemet"); the name stands as source beside what they found."""

    name: str
    concepts: tuple[Concept, ...]
