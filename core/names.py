"""What the data of a record are called, and what made them: products, platforms, instruments, variables, projects."""

from __future__ import annotations

from dataclasses import dataclass

from core.folding import folded_words


@dataclass(frozen=True, slots=True)
class Variable:
    """A quantity that the data hold; ``standard_name`` is CF's, ``unit`` as written (``K``, ``kg m-2 s-1``)."""

    name: str
    standard_name: str | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """Empty where the metadata do not say. ``short_names`` are those of the product: ``MOD11_L2``, ``ERA5``.

    ``projects`` holds campaigns as well, ``platforms`` missions. ``processing_level`` is ``L2A`` where it is a level of
    the usual scale, else as written.
    """

    short_names: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    instruments: tuple[str, ...] = ()
    variables: tuple[Variable, ...] = ()
    projects: tuple[str, ...] = ()
    processing_level: str | None = None


def name_key(text: str) -> str:
    """Letters and digits alone, lower case without accents: ``MOD11_L2`` is ``mod11l2``."""
    return "".join(folded_words(text))
