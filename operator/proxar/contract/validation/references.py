"""What the references of a schema point at, inside it: nothing is ever fetched.

A schema with parts that have an `$id` of their own is several resources in one. Their references
are not followed, which makes the answer "not known" and never a wrong one.
"""

import re
from collections.abc import Iterator
from functools import cached_property

from proxar.contract.keywords import MEMBER_ROLES, Role
from proxar.contract.value import JSON, MISSING, Missing

__all__ = ["References"]

PERCENT = re.compile(r"%([0-9A-Fa-f]{2})")

LONGEST_INDEX = 6
"""Digits of an array index in a pointer."""


class References:
    """The places of one whole schema that can be referred to."""

    def __init__(self, root: JSON) -> None:
        self.root = root
        identifier = root.get("$id") if isinstance(root, dict) else None
        self._identifier = identifier.removesuffix("#") if isinstance(identifier, str) else ""

    @cached_property
    def _anchors(self) -> dict[str, JSON | Missing] | None:
        """The schemas with a name, `MISSING` for a name that several have; `None`: there are parts
        with an `$id`.
        """
        anchors: dict[str, JSON | Missing] = {}
        for schema in _schemas(self.root):
            names = [schema.get("$anchor"), schema.get("$dynamicAnchor")]
            identifier = schema.get("$id")
            if isinstance(identifier, str) and schema is not self.root:
                if not identifier.startswith("#"):
                    return None
                names.append(identifier[1:])  # an anchor, up to draft-07
            for name in names:
                if isinstance(name, str):
                    is_known = name in anchors and anchors[name] is not schema
                    anchors[name] = MISSING if is_known else schema
        return anchors

    def resolve(self, reference: str) -> JSON | Missing:
        """Return what a reference points at; `MISSING` for one that is dangling, foreign or not
        sure.
        """
        if self._identifier and reference.startswith(self._identifier):
            reference = reference[len(self._identifier) :] or "#"
        fragment = _decoded(reference[1:]) if reference.startswith("#") else None
        if fragment is None or self._anchors is None:
            return MISSING
        if fragment and not fragment.startswith("/"):
            return self._anchors.get(fragment, MISSING)
        return self._at(fragment.split("/")[1:])

    def _at(self, steps: list[str]) -> JSON | Missing:
        found: JSON = self.root
        for step in steps:
            name = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict) and name in found:
                found = found[name]
            elif isinstance(found, list) and _is_index(name) and int(name) < len(found):
                found = found[int(name)]
            else:
                return MISSING
        return found


def _decoded(fragment: str) -> str | None:
    if "%" not in fragment:
        return fragment
    octets = PERCENT.sub(lambda match: chr(int(match[1], 16)), fragment)
    try:
        return octets.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return None


def _is_index(name: str) -> bool:
    return name.isascii() and name.isdecimal() and len(name) <= LONGEST_INDEX


def _schemas(root: JSON) -> Iterator[dict[str, JSON]]:
    """Every schema inside a schema, itself first; never the data in `const` and the like."""
    stack: list[tuple[JSON, Role]] = [(root, Role.SCHEMA)]
    while stack:
        value, role = stack.pop()
        if isinstance(value, list) and role is Role.SCHEMA:
            stack.extend((item, role) for item in value)
        elif isinstance(value, dict) and role is not Role.DATA:
            if role is Role.SCHEMA:
                yield value
            known, other = MEMBER_ROLES[role]
            stack.extend(
                (member, known.get(name, other))
                for name, member in value.items()
                if isinstance(member, dict | list)
            )
