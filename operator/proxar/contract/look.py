"""What one look at all of a schema tells, before anything in it is understood."""

from typing import NamedTuple

from proxar.contract.value import JSON, is_flat

__all__ = ["REFERENCES", "Look", "look_at", "objects_in"]

CONTAINERS = (dict, list)  # a union would be made anew for each value

REFERENCES = frozenset({"$dynamicRef", "$recursiveRef", "$ref"})


class Look(NamedTuple):
    """What is anywhere in a schema, be it a keyword, a name or data."""

    size: int
    """How many objects there are."""
    has_references: bool
    """Whether there is any reference, or what looks like one."""
    has_parts: bool
    """Whether a part below the root has an `$id` or a `$schema` of its own."""


def objects_in(root: JSON) -> list[dict[str, JSON]]:
    """Return all objects, those in arrays too."""
    objects: list[dict[str, JSON]] = []
    stack = [root]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            objects.append(value)
            stack += [each for each in value.values() if isinstance(each, CONTAINERS)]
        elif isinstance(value, list) and not is_flat(value):
            stack += value
    return objects


def look_at(root: JSON) -> Look:
    """Look at all objects."""
    objects = objects_in(root)
    has_references = not all(map(REFERENCES.isdisjoint, objects))
    wholes = [each for each in objects if "$id" in each or "$schema" in each]
    return Look(len(objects), has_references, any(each is not root for each in wholes))
