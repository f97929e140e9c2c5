"""Whether two schemas are the same, or the same in all but what they say to a reader."""

from proxar.contract.keywords import ANNOTATIONS, MEMBER_ROLES, OF_SCHEMAS, Role
from proxar.contract.value import JSON, is_flat

__all__ = ["are_alike", "is_identical"]


def are_alike(before: JSON, after: JSON, role: Role = Role.SCHEMA) -> bool:
    """Whether two parts of schemas differ in annotations only; false when unsure.

    They assert the same if the same text means the same on both sides. That is for the caller to
    know: a reference may point at an annotation.
    """
    stack = [(before, after, role)]
    while stack:
        one, other, role = stack.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, dict) and isinstance(other, dict):
            ignored = ANNOTATIONS if role in OF_SCHEMAS else frozenset[str]()
            if not (one.keys() ^ other.keys()) <= ignored:
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


def is_identical(one: JSON, other: JSON) -> bool:
    """Whether two values are equal, 1 and true being different, as they are not to Python."""
    if one != other:
        return False
    try:
        if repr(one) == repr(other):
            return True
    except RecursionError:
        pass  # what follows needs no stack
    pairs = [(one, other)]
    while pairs:
        mine, theirs = pairs.pop()
        if isinstance(mine, dict) and isinstance(theirs, dict):
            pairs.extend((value, theirs[name]) for name, value in mine.items())
        elif isinstance(mine, list) and isinstance(theirs, list):
            pairs.extend(zip(mine, theirs, strict=True))
        elif isinstance(mine, bool) != isinstance(theirs, bool):
            return False
    return True
