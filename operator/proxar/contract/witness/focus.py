"""Where in the arguments a change shows: the way down to the value that it is about."""

from typing import Final, NamedTuple, TypeAlias

from proxar.contract.change import Change
from proxar.contract.value import JSON, MISSING

__all__ = ["ANY_MEMBER", "Focus", "Step", "Steps"]

ANY_MEMBER: Final = ("any member",)
"""A member that is not declared by name."""

Step: TypeAlias = str | int | tuple[str]
"""The name of a member, the index of an item, or `ANY_MEMBER`."""

Steps: TypeAlias = tuple[Step, ...]

NAMED = frozenset({"properties", "$defs", "definitions"})
NUMBERED = frozenset({"allOf", "anyOf", "oneOf"})
BRANCHES = frozenset({"if", "then", "else", "not", "$ref"})
ONE_ITEM = frozenset({"items", "additionalItems", "contains", "unevaluatedItems"})
MEMBERS = frozenset({"additionalProperties", "unevaluatedProperties"})


class Focus(NamedTuple):
    """What a change is about."""

    steps: Steps = ()
    parameter: str | None = None
    """The member of that value which became required."""
    trigger: str | None = None
    """The member of that value on which others depend now."""
    values: tuple[JSON, ...] = ()
    """Values that show the change by themselves, such as one that is no longer listed."""
    is_removal: bool = False
    """Whether the last step is a parameter that is no longer declared: only an object that refuses
    others shows that.
    """

    @classmethod
    def of(cls, change: Change) -> "Focus":
        """Return the focus of a change below `inputSchema`."""
        parts = [
            part.replace("~1", "/").replace("~0", "~") for part in change.pointer.split("/")[2:]
        ]
        focus = cls.at(parts, change.parameter)
        if change.rule == "parameter-removed":
            return focus._replace(is_removal=bool(focus.steps))
        if change.rule != "enum-value-removed" or change.before is MISSING:
            return focus
        return focus._replace(values=(change.before,))

    @classmethod
    def at(cls, parts: list[str], parameter: str | None = None) -> "Focus":
        """Return the focus of a place in a schema, as the names on the way down to it."""
        steps: list[Step] = []
        trigger = None
        rest = list(parts)
        while rest:
            part = rest.pop(0)
            if part == "properties" and rest:
                steps.append(rest.pop(0))
            elif part in {"prefixItems", "items"} and rest and rest[0].isdecimal():
                steps.append(int(rest.pop(0)[:4]))
            elif part in ONE_ITEM and rest:
                steps.append(0)
            elif part in MEMBERS:
                steps.append(ANY_MEMBER)
            elif part == "patternProperties" and len(rest) > 1:
                rest.pop(0)
                steps.append(ANY_MEMBER)
            elif part in {"dependentSchemas", "dependentRequired", "dependencies"} and rest:
                trigger = rest.pop(0)
            elif part in NUMBERED and rest:
                rest.pop(0)
            elif part not in BRANCHES:
                break
        return cls(tuple(steps), parameter, trigger)
