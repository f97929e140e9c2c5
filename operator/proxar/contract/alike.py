"""Whether two schemas assert the same in the same words, so that there is nothing to prove.

Most changes of real tools are of texts only. One look at both sides tells that, at a fraction of
what it costs to read them.
"""

from proxar.contract.keywords import ANNOTATIONS, MEMBER_ROLES, Role
from proxar.contract.value import JSON, is_flat

__all__ = ["are_alike"]

OF_SCHEMAS = frozenset({Role.SCHEMA, Role.DEPENDENCY})

DEFINITIONS = ("#/$defs/", "#/definitions/")

DYNAMIC = frozenset({"$dynamicRef", "$recursiveRef"})

OF_WHOLE = frozenset({"$id", "$schema"})
"""Keywords that in a part would change what it means, or what a reference to it means."""


def are_alike(before: JSON, after: JSON) -> bool:
    """Whether two whole schemas of one known dialect differ in annotations only; false when unsure.

    A reference to a definition means the same on both sides, since the definitions are alike too.
    Any other may point at an annotation.
    """
    stack = [(before, after, Role.SCHEMA)]
    while stack:
        one, other, role = stack.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, dict) and isinstance(other, dict):
            is_schema = role in OF_SCHEMAS
            ignored = ANNOTATIONS if is_schema else frozenset[str]()
            if not (one.keys() ^ other.keys()) <= ignored:
                return False
            if is_schema and not _is_plain(one, is_whole=one is before):
                return False
            known, rest = MEMBER_ROLES[role]
            stack.extend(
                (value, other[name], known.get(name, rest))
                for name, value in one.items()
                if name not in ignored
            )
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            if is_flat(one):
                if one != other or list(map(type, one)) != list(map(type, other)):
                    return False
                continue
            inner = role if role is Role.SCHEMA else Role.DATA
            stack.extend((value, other[index], inner) for index, value in enumerate(one))
        elif one != other:
            return False
    return True


def _is_plain(schema: dict[str, JSON], *, is_whole: bool) -> bool:
    """Whether what it means depends on nothing but its text and the definitions."""
    names = schema.keys()
    if not names.isdisjoint(DYNAMIC) or not (is_whole or names.isdisjoint(OF_WHOLE)):
        return False
    return "$ref" not in schema or _is_of_definition(schema["$ref"])


def _is_of_definition(reference: JSON) -> bool:
    return (
        isinstance(reference, str)
        and reference.startswith(DEFINITIONS)
        and reference.count("/") == 2
    )
