"""One whole schema document: its dialect, and what the references in it point at.

Nothing is ever fetched. JSON Schema Core 2020-12, sections 8.2 (base URIs, anchors, references) and
9.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urljoin

from proxar.contract.keywords import MEMBER_ROLES, Role
from proxar.contract.look import Look, look_at
from proxar.contract.value import JSON

__all__ = ["Dialect", "Source", "Spot"]

PERCENT = re.compile(r"%([0-9A-Fa-f]{2})")


class Dialect(NamedTuple):
    """What differs between the drafts, as far as it changes which values are valid."""

    name: str
    has_siblings: bool = True
    """Whether keywords beside `$ref` apply; they were ignored up to draft-07."""
    has_old_tuples: bool = False
    """Whether `items` may be an array, with `additionalItems` behind it."""
    has_if: bool = True
    has_contains_counts: bool = True
    has_dependencies: bool = False
    has_dependents: bool = True
    """Whether `dependencies` was split into `dependentRequired` and `dependentSchemas`."""
    has_unevaluated: bool = True
    has_prefix_items: bool = True
    has_dynamic_references: bool = True


_OLD = Dialect("draft-07", False, True, True, False, True, False, False, False, False)

LATEST = Dialect("2020-12")

DIALECTS: dict[str, Dialect] = {
    "http://json-schema.org/draft-06/schema": _OLD._replace(name="draft-06", has_if=False),
    "http://json-schema.org/draft-07/schema": _OLD,
    "https://json-schema.org/draft-07/schema": _OLD,
    "https://json-schema.org/draft/2019-09/schema": Dialect(
        "2019-09", has_old_tuples=True, has_prefix_items=False, has_dynamic_references=False
    ),
    "https://json-schema.org/draft/2020-12/schema": LATEST,
}


def _dialect(root: JSON) -> Dialect | None:
    if not isinstance(root, dict) or "$schema" not in root:
        return LATEST
    uri = root["$schema"]
    return DIALECTS.get(uri.removesuffix("#")) if isinstance(uri, str) else None


class Spot(NamedTuple):
    """A schema and the base URI that its references are relative to."""

    schema: JSON
    base: str


class Source:
    """A root schema and the schemas in it."""

    def __init__(self, root: JSON) -> None:
        self.root = root
        self.dialect = _dialect(root)
        """The draft it is written in, 2020-12 if it does not say; `None` for an unknown one."""
        self.origin = Spot(root, self.base_of(root, ""))
        """The root and its own base."""
        self._known_look: Look | None = None

    @property
    def look(self) -> Look:
        """What one look at all of it tells."""
        if self._known_look is None:
            self._known_look = look_at(self.root)
        return self._known_look

    @property
    def has_references(self) -> bool:
        """Whether there is any reference in the document, or what looks like one."""
        return self.look.has_references

    def base_of(self, schema: JSON, base: str) -> str:
        """Return the base inside a schema: its `$id`, if it has one that is not only an anchor."""
        if not isinstance(schema, dict) or not isinstance(schema.get("$id"), str):
            return base
        if "$ref" in schema and self.dialect is not None and not self.dialect.has_siblings:
            return base
        identifier = schema["$id"]
        if not isinstance(identifier, str) or identifier.startswith("#"):
            return base
        return urljoin(base, identifier).split("#")[0]

    def around(self, part: JSON) -> str:
        """Return the base that a part of the document stands under; the root's for others."""
        outermost = self.origin.base
        return self._bases.get(id(part), outermost) if self.look.has_parts else outermost

    @cached_property
    def _bases(self) -> dict[int, str]:
        """The base around each schema, where some part has an `$id` of its own."""
        bases: dict[int, str] = {}
        stack = [Spot(self.root, "")]
        while stack:
            value, base = stack.pop()
            bases.setdefault(id(value), base)
            inner = self.base_of(value, base)
            if isinstance(value, dict):
                stack.extend(Spot(member, inner) for member in value.values())
            elif isinstance(value, list):
                stack.extend(Spot(item, inner) for item in value)
        return bases

    def has_foreign_dialect(self, schema: dict[str, JSON]) -> bool:
        """Whether a part of the document is written in a dialect of its own."""
        return "$schema" in schema and schema is not self.root and (
            not isinstance(self.root, dict) or schema["$schema"] != self.root.get("$schema")
        )  # fmt: skip

    def resolve(self, reference: str, base: str) -> Spot | None:
        """Return what a reference points at; `None` for a dangling, foreign or ambiguous one."""
        target, _, fragment = reference.partition("#")
        resource = self._resources.get(urljoin(base, target) if target else base)
        if resource is None:
            return None
        fragment = _unescaped(fragment)
        if fragment and not fragment.startswith("/"):
            return self._anchors.get((resource.base, fragment))
        return self._follow(resource, fragment)

    def _follow(self, spot: Spot, pointer: str) -> Spot | None:
        found, base = spot
        for part in pointer.split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict) and name in found:
                found = found[name]
            elif (
                isinstance(found, list)
                and name.isdecimal()
                and len(name) < 7
                and int(name) < len(found)
            ):
                found = found[int(name)]
            else:
                return None
            base = self.base_of(found, base)
        return Spot(found, base)

    def dynamic(self, reference: str, base: str) -> Spot | None:
        """Return the target of a `$dynamicRef` where all there could be are one and the same."""
        name = reference.partition("#")[2]
        holders = self._dynamic_anchors.get(name, [])
        initial = self.resolve(reference, base)
        if not holders or initial is None:
            return initial
        return initial if len(holders) == 1 else None

    def _spots(self) -> Iterator[Spot]:
        """Every schema at a place where the drafts have one, from the outside in."""
        stack: list[tuple[JSON, str, Role]] = [(self.root, "", Role.SCHEMA)]
        while stack:
            value, base, role = stack.pop()
            if isinstance(value, list):
                stack.extend((item, base, role) for item in value)
            elif isinstance(value, dict) and role is not Role.DATA:
                if role in {Role.SCHEMA, Role.DEPENDENCY}:
                    base = self.base_of(value, base)
                    yield Spot(value, base)
                known, other = MEMBER_ROLES[role]
                stack.extend(
                    (member, base, known.get(name, other)) for name, member in value.items()
                )

    @cached_property
    def _resources(self) -> dict[str, Spot | None]:
        resources: dict[str, Spot | None] = {"": self.origin, self.origin.base: self.origin}
        for spot in self._spots():
            if spot.schema is self.root or not isinstance(spot.schema, dict):
                continue
            if spot.base == self.base_of(spot.schema, spot.base) and "$id" in spot.schema:
                known = resources.get(spot.base, spot)
                resources[spot.base] = (
                    spot if known is not None and known.schema is spot.schema else None
                )
        return resources

    @cached_property
    def _anchors(self) -> dict[tuple[str, str], Spot | None]:
        anchors: dict[tuple[str, str], Spot | None] = {}
        for spot in self._spots():
            members = spot.schema if isinstance(spot.schema, dict) else {}
            for keyword in ("$anchor", "$dynamicAnchor", "$id"):
                name = members.get(keyword)
                if not isinstance(name, str):
                    continue
                if keyword == "$id":
                    if not name.startswith("#"):
                        continue
                    name = name[1:]
                place = (spot.base, name)
                same = anchors.get(place, spot)
                anchors[place] = spot if same is not None and same.schema is spot.schema else None
        return anchors

    @cached_property
    def _dynamic_anchors(self) -> dict[str, list[Spot]]:
        anchors: dict[str, list[Spot]] = {}
        for spot in self._spots():
            name = spot.schema.get("$dynamicAnchor") if isinstance(spot.schema, dict) else None
            if isinstance(name, str):
                anchors.setdefault(name, []).append(spot)
        return anchors


def _unescaped(fragment: str) -> str:
    if "%" not in fragment:
        return fragment
    octets = PERCENT.sub(lambda match: chr(int(match[1], 16)), fragment)
    try:
        return octets.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return fragment
