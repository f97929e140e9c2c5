"""One whole schema: its dialect, and what its references point at."""

import re
from functools import cached_property

from proxar.contract.look import Look, look_at, objects_in
from proxar.contract.value import JSON, MISSING, Missing

__all__ = ["Document"]

DIALECTS = {
    "http://json-schema.org/draft-06/schema": "draft-06",
    "http://json-schema.org/draft-07/schema": "draft-07",
    "https://json-schema.org/draft-07/schema": "draft-07",
    "https://json-schema.org/draft/2019-09/schema": "2019-09",
    "https://json-schema.org/draft/2020-12/schema": "2020-12",
}

PERCENT = re.compile(r"%([0-9A-Fa-f]{2})")


class Document:
    """A root schema. References are resolved inside it only: nothing is ever fetched.

    Args:
        look: What one look at all of it tells, if somebody had it already.
    """

    def __init__(self, root: JSON, look: Look | None = None) -> None:
        self.root = root
        self.dialect = _dialect(root)
        """The draft it is written in, 2020-12 unless it says otherwise; `None` for one that is not
        known.
        """
        self._known_look = look

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
        return self._look.has_references

    @property
    def size(self) -> int:
        """How many objects there are."""
        return self._look.size

    @property
    def _look(self) -> Look:
        if self._known_look is None:
            self._known_look = look_at(self.root)
        return self._known_look

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

    @cached_property
    def _has_other_base(self) -> bool:
        """Whether a part has an `$id` of its own, so that references in it mean something else."""
        return self._look.has_parts and any(
            isinstance(value.get("$id"), str) and value is not self.root
            for value in objects_in(self.root)
        )

    @cached_property
    def _anchors(self) -> dict[str, JSON | Missing]:
        anchors: dict[str, JSON | Missing] = {}
        for value in objects_in(self.root):
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
