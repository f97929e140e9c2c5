"""One whole schema: its dialect, and what its references point at."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from proxar.contract.value import JSON, MISSING, Missing, is_flat

__all__ = ["Document"]

DIALECTS = {
    "http://json-schema.org/draft-06/schema": "draft-06",
    "http://json-schema.org/draft-07/schema": "draft-07",
    "https://json-schema.org/draft-07/schema": "draft-07",
    "https://json-schema.org/draft/2019-09/schema": "2019-09",
    "https://json-schema.org/draft/2020-12/schema": "2020-12",
}

REFERENCES = frozenset({"$dynamicRef", "$recursiveRef", "$ref"})

PERCENT = re.compile(r"%([0-9A-Fa-f]{2})")


class _Look(NamedTuple):
    """What one look at all objects tells."""

    size: int
    has_references: bool


class Document:
    """A root schema. References are resolved inside it only: nothing is ever fetched."""

    def __init__(self, root: JSON) -> None:
        self.root = root
        self.dialect = _dialect(root)
        """The draft it is written in, 2020-12 unless it says otherwise; `None` for one that is not
        known.
        """
        self._looked: _Look | None = None

    @property
    def has_old_references(self) -> bool:
        """Whether keywords beside `$ref` are ignored, as they were up to draft-07."""
        return self.dialect in {"draft-06", "draft-07"}

    @property
    def has_old_tuples(self) -> bool:
        """Whether `items` may be an array, as it could up to 2019-09."""
        return self.dialect in {"draft-06", "draft-07", "2019-09"}

    @property
    def has_references(self) -> bool:
        """Whether the meaning of a part may depend on another one."""
        return self._look().has_references

    @property
    def size(self) -> int:
        """How many objects there are."""
        return self._look().size

    def _look(self) -> _Look:
        if self._looked is None:
            objects = list(self._objects())
            has_references = not all(map(REFERENCES.isdisjoint, objects))
            self._looked = _Look(len(objects), has_references)
        return self._looked

    def resolve(self, reference: str) -> JSON | Missing:
        """Return what a local reference points at; `MISSING` for a dangling, foreign or ambiguous
        one.
        """
        if not reference.startswith("#") or self._has_other_base:
            return MISSING
        fragment = reference[1:]
        if "%" in fragment:
            octets = PERCENT.sub(lambda match: chr(int(match[1], 16)), fragment)
            try:
                fragment = octets.encode("latin-1").decode("utf-8")
            except UnicodeError:
                return MISSING
        if fragment and not fragment.startswith("/"):
            return self._anchors.get(fragment, MISSING)
        found: JSON = self.root
        for part in fragment.split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict) and name in found:
                found = found[name]
            elif (
                isinstance(found, list)
                and name.isdecimal()
                and len(name) < 6
                and int(name) < len(found)
            ):
                found = found[int(name)]
            else:
                return MISSING
        return found

    def _objects(self) -> Iterator[dict[str, JSON]]:
        stack = [self.root]
        while stack:
            value = stack.pop()
            if isinstance(value, dict):
                yield value
                stack.extend(value.values())
            elif isinstance(value, list) and not is_flat(value):
                stack.extend(value)

    @cached_property
    def _has_other_base(self) -> bool:
        """Whether a part has an `$id` of its own, so that references in it mean something else."""
        return any(
            isinstance(value.get("$id"), str) and value is not self.root
            for value in self._objects()
        )

    @cached_property
    def _anchors(self) -> dict[str, JSON | Missing]:
        anchors: dict[str, JSON | Missing] = {}
        for value in self._objects():
            for keyword in ("$anchor", "$dynamicAnchor"):
                name = value.get(keyword)
                if isinstance(name, str):
                    anchors[name] = MISSING if name in anchors else value
        return anchors


def _dialect(root: JSON) -> str | None:
    if not isinstance(root, dict) or "$schema" not in root:
        return "2020-12"
    uri = root["$schema"]
    return DIALECTS.get(uri.removesuffix("#")) if isinstance(uri, str) else None
