"""The geometries of a filter in another reference system, brought to degrees."""

from __future__ import annotations

from core.reference_systems import ReferenceSystem
from search_api.search.filtering.cql2 import Expression
from search_api.search.filtering.literals import number_of, wrong


def in_degrees(tree: Expression, system: ReferenceSystem) -> Expression:
    """The same tree with every box and geometry in degrees. Raises InvalidInput."""
    if isinstance(tree, list):
        return [in_degrees(one, system) for one in tree]
    if not isinstance(tree, dict):
        return tree
    try:
        if isinstance(box := tree.get("bbox"), list) and len(box) in (4, 6):
            positions = (0, 1, 3, 4) if len(box) == 6 else (0, 1, 2, 3)
            first, second, third, fourth = (number_of(box[position]) for position in positions)
            return {"bbox": list(system.box(first, second, third, fourth))}
        if "coordinates" in tree:
            return system.geometry(tree)
    except ValueError as error:
        raise wrong(str(error)) from None
    return {key: in_degrees(value, system) for key, value in tree.items()}
