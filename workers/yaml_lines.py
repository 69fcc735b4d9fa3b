"""The line of a value in a YAML file, for messages about wrong values. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import yaml


def line_of(root: yaml.Node | None, path: Sequence[str | int]) -> int | None:
    """The line (from 1) of the value at ``path``, or of its nearest existing parent."""
    if root is None:
        return None
    node, line = root, root.start_mark.line
    for step in path:
        below = _below(node, step)
        if below is None:
            break
        node, line = below[0], below[1]
    return line + 1


def _below(node: yaml.Node, step: str | int) -> tuple[yaml.Node, int] | None:
    """The value of a key with the key's line, or an item of a list with its own."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value == str(step):
                return value, key.start_mark.line
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        item = node.value[step]
        return item, item.start_mark.line
    return None
