"""What the references of one document point at, whether they lead in circles, and what that means.

Two documents may use one text for two things, so a schema is the same as another only together with
all that it refers to.
"""

from collections.abc import Iterator
from typing import NamedTuple

from proxar.contract.canonical import canonical_text
from proxar.contract.containment.source import Dialect, Source, Spot
from proxar.contract.containment.steps import Steps
from proxar.contract.keywords import Role
from proxar.contract.value import JSON

__all__ = ["Reference", "References"]

IN_PLACE = ("not", "if", "then", "else", "allOf", "anyOf", "oneOf")
IN_PLACE_NAMED = ("dependentSchemas", "dependencies")
"""Keywords whose schemas are about the very value that their schema is about."""

LATER_DRAFTS = frozenset({"2019-09", "2020-12"})


class Reference(NamedTuple):
    """One reference of a schema; `target` is `None` where it cannot be followed."""

    keyword: str
    value: JSON
    target: Spot | None


class References:
    """The references of one document, as one dialect reads them."""

    def __init__(self, source: Source, dialect: Dialect, steps: Steps) -> None:
        self._source = source
        self._dialect = dialect
        self._steps = steps
        self._texts: dict[int, str] = {}
        self._kept: list[JSON] = []  # so that an id is never used again
        self._returning: dict[tuple[int, str], bool] = {}
        self._inside: dict[tuple[int, str, bool], list[tuple[str, Spot]]] = {}

    def of(self, schema: dict[str, JSON], base: str) -> Iterator[Reference]:
        """Yield the references of a schema that its dialect knows; `base` is that inside it."""
        if "$ref" in schema:
            value = schema["$ref"]
            found = self._source.resolve(value, base) if isinstance(value, str) else None
            yield Reference("$ref", value, found)
        if self._dialect.name not in LATER_DRAFTS:
            return
        if "$dynamicRef" in schema:
            value = schema["$dynamicRef"]
            found = self._source.dynamic(value, base) if isinstance(value, str) else None
            yield Reference("$dynamicRef", value, found)
        if "$recursiveRef" in schema:
            yield Reference("$recursiveRef", schema["$recursiveRef"], None)

    def unresolved(self, keyword: str, value: JSON, base: str) -> str:
        """Return what a reference that cannot be followed has in common with its like.

        A dangling or foreign one is its own text. A name that is ambiguous here, or whose meaning
        depends on where one comes from, means something in this document only.
        """
        text = f"{self._dialect.name} {base} {keyword} {canonical_text(value)}"
        fragment = value.partition("#")[2] if isinstance(value, str) else ""
        if keyword == "$ref" and (not fragment or fragment.startswith("/")):
            return text
        return f"{text}\n{self._text(self._source.root)}"

    def is_recursive(self, spot: Spot) -> bool:
        """Whether a reference in place leads, by way of others, back to what it points at."""
        return self._source.has_references and any(
            self._returns(target) for _, target in self._targets(spot, in_place=True)
        )

    def _returns(self, target: Spot) -> bool:
        place = (id(target.schema), target.base)
        known = self._returning.get(place)
        if known is None:
            known = self._returning[place] = any(
                spot.schema is target.schema for spot in self._reachable(target).values()
            )
        return known

    def _reachable(self, start: Spot) -> dict[str, Spot]:
        """All targets of references in a schema, in their targets, and so on, by what they say."""
        found: dict[str, Spot] = {}
        seen: set[int] = set()
        waiting = [start] if self._source.has_references else []
        while waiting:
            for name, target in self._targets(waiting.pop(), in_place=False):
                found[name] = target
                if id(target.schema) not in seen:
                    self._steps.spend()
                    seen.add(id(target.schema))
                    waiting.append(target)
        return found

    def _targets(self, spot: Spot, *, in_place: bool) -> list[tuple[str, Spot]]:
        """Return what the references in a schema point at: about the same value, or any."""
        place = (id(spot.schema), spot.base, in_place)
        found = self._inside.get(place)
        if found is None:
            found = self._inside[place] = list(self._find_targets(spot, in_place=in_place))
            self._kept.append(spot.schema)
        return found

    def _find_targets(self, spot: Spot, *, in_place: bool) -> Iterator[tuple[str, Spot]]:
        stack: list[Spot] = [spot]
        count = 0
        while stack:
            value, outer = stack.pop()
            count += 1
            if isinstance(value, list):
                stack.extend(Spot(item, outer) for item in value)
            elif isinstance(value, dict):
                base = self._source.base_of(value, outer)
                for keyword, reference, target in self.of(value, base):
                    if target is not None:
                        yield f"{base} {keyword} {reference}", target
                inner = _in_place(value) if in_place else value.values()
                stack.extend(Spot(member, base) for member in inner)
        self._steps.spend(count // 8)

    def identity(self, spot: Spot) -> str:
        """Return a text that two schemas share only if they mean the same."""
        texts = sorted(
            f"{name} {target.base} {self._text(target.schema)}"
            for name, target in self._reachable(spot).items()
        )
        return "\n".join([self._dialect.name, spot.base, self._text(spot.schema), *texts])

    def _text(self, schema: JSON) -> str:
        found = self._texts.get(id(schema))
        if found is None:
            found = self._texts[id(schema)] = canonical_text(schema, Role.SCHEMA)
            self._kept.append(schema)
            self._steps.spend(1 + len(found) // 1_000)
        return found


def _in_place(schema: dict[str, JSON]) -> Iterator[JSON]:
    for keyword in IN_PLACE:
        if keyword in schema:
            yield schema[keyword]
    for keyword in IN_PLACE_NAMED:
        members = schema.get(keyword)
        if isinstance(members, dict):
            yield from members.values()
