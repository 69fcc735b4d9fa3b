"""Gives the names of a record their form in the loaded lists of GCMD, and keeps what the record itself writes. Pure."""

from __future__ import annotations

from dataclasses import replace

from core.names import names_once, variables_once
from core.record import Record
from reading.vocabulary.name_lists import ListKind, NameLists


def with_listed_names(record: Record, lists: NameLists) -> Record:
    """The record with the lists' names; what it writes differently moves to ``names.written``, so that it is found."""
    if not lists.names:
        return record
    names = record.names
    written: dict[str, None] = {}

    def listed(kind: ListKind, name: str) -> str:
        preferred = lists.preferred(kind, name) or name
        if preferred != name:
            written.setdefault(name)
        return preferred

    renamed = replace(
        names,
        platforms=names_once(listed("platforms", one) for one in names.platforms),
        instruments=names_once(listed("instruments", one) for one in names.instruments),
        projects=names_once(listed("projects", one) for one in names.projects),
        variables=variables_once(replace(one, name=listed("variables", one.name)) for one in names.variables),
    )
    return replace(record, names=replace(renamed, written=tuple(written)))
