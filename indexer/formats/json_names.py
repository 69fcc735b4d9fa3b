"""Names in the members that STAC's extensions share, also met in records of OGC and in a collection's summaries."""

from __future__ import annotations

from core.json_types import JsonMapping
from indexer.formats.gathered_names import GatheredNames, is_standard_name
from indexer.formats.json_document import objects_in, text_in, texts_in


def read_names(names: GatheredNames, said: JsonMapping) -> None:
    for member in ("platform", "constellation", "mission", "osc:missions"):
        for text in texts_in(said.get(member)):
            names.platform(text)
    for text in texts_in(said.get("instruments")):
        names.instrument(text)
    for text in texts_in(said.get("osc:project")):
        names.project(text)
    for text in texts_in(said.get("product:type")):
        names.short_name(text)
    for text in texts_in(said.get("processing:level")):
        names.level(text)
    read_variables(names, said)


def read_variables(names: GatheredNames, said: JsonMapping) -> None:
    """Also of an asset. Of a cube only those that hold data: an auxiliary one describes an axis."""
    cube = said.get("cube:variables")
    for name, variable in cube.items() if isinstance(cube, dict) else ():
        if isinstance(variable, dict) and variable.get("type") != "auxiliary":
            attributes = next(objects_in(variable.get("attrs")), {})
            unit = text_in(variable.get("unit")) or text_in(attributes.get("units"))
            names.variable(str(name), text_in(attributes.get("standard_name")), unit)
    for parameter in objects_in(said.get("cf:parameter")):
        name = text_in(parameter.get("name"))
        standard = name if is_standard_name(name) else ""
        names.variable("" if standard else name, standard, text_in(parameter.get("unit")))
    for text in texts_in(said.get("osc:variables")):
        names.variable(text)
