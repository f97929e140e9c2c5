"""`unevaluatedProperties` and `unevaluatedItems`: what no other keyword has looked at.

Which parts were looked at is found a second time, when these keywords ask, since hardly any schema
has them. A branch that may or may not apply makes parts that may or may not have been looked at.
"""

from collections.abc import Iterable

from proxar.contract.validation.applicators import expressions
from proxar.contract.validation.question import (
    Answer,
    Check,
    Context,
    Factory,
    Question,
    every,
    if_known,
)
from proxar.contract.value import JSON, MISSING

__all__ = ["UNEVALUATED"]

STEPS = 5
"""Steps that a look into one schema takes."""


class _Seen:
    """Which members or items were looked at, by name or index."""

    def __init__(self) -> None:
        self.surely: set[str | int] = set()
        self.perhaps: set[str | int] = set()

    def add(self, parts: Iterable[str | int], *, is_sure: bool) -> None:
        (self.surely if is_sure else self.perhaps).update(parts)


class _Look:
    """One look at which parts of a value the schemas that apply to it in place speak of."""

    DEEPEST = 60
    """Schemas in place, inside each other."""

    def __init__(self, question: Question, context: Context, value: JSON) -> None:
        self.question = question
        self.context = context
        self.value = value
        self.seen = _Seen()
        self.depth = 0

    def at(self, schema: JSON, *, is_sure: bool, is_asking: bool = False) -> None:
        """Note what a schema speaks of that the value is valid under."""
        self.question.budget.spend(STEPS)
        if isinstance(schema, bool):
            return
        if not isinstance(schema, dict) or self.depth >= self.DEEPEST:
            self._all(is_sure=False)
            return
        self.depth += 1
        if isinstance(self.value, dict):
            self._members(schema, self.value, is_sure, is_asking)
        elif isinstance(self.value, list):
            self._items(schema, self.value, is_sure, is_asking)
        for part, applies in self._in_place(schema):
            if applies is not False:
                self.at(part, is_sure=is_sure and applies is True)
        self.depth -= 1

    def _all(self, *, is_sure: bool) -> None:
        if isinstance(self.value, dict | list):
            parts = self.value if isinstance(self.value, dict) else range(len(self.value))
            self.seen.add(set(parts), is_sure=is_sure)

    def _members(
        self, schema: dict[str, JSON], value: dict[str, JSON], is_sure: bool, is_asking: bool
    ) -> None:
        if "additionalProperties" in schema or (
            "unevaluatedProperties" in schema and not is_asking
        ):
            self._all(is_sure=is_sure)
            return
        named = schema.get("properties")
        if isinstance(named, dict):
            self.seen.add(value.keys() & named.keys(), is_sure=is_sure)
        for expression, _ in expressions(schema.get("patternProperties")):
            for name in value:
                applies = self.question.matches(expression, name)
                if applies is not False:
                    self.seen.add({name}, is_sure=is_sure and applies is True)

    def _items(
        self, schema: dict[str, JSON], value: list[JSON], is_sure: bool, is_asking: bool
    ) -> None:
        items, first = schema.get("items", MISSING), schema.get("prefixItems")
        is_old = self.context.dialect.has_old_tuples
        is_rest = (
            "additionalItems" in schema
            if is_old and isinstance(items, list)
            else items is not MISSING
        )
        if is_rest or ("unevaluatedItems" in schema and not is_asking):
            self._all(is_sure=is_sure)
            return
        listed = items if is_old else first
        if isinstance(listed, list):
            self.seen.add(set(range(min(len(listed), len(value)))), is_sure=is_sure)
        if "contains" in schema and not is_old:
            for index, item in enumerate(value):
                applies = self.question.check(schema["contains"], item)
                if applies is not False:
                    self.seen.add({index}, is_sure=is_sure and applies is True)

    def _in_place(self, schema: dict[str, JSON]) -> list[tuple[JSON, Answer]]:
        """The schemas that apply to the same value, and whether they do."""
        check, value = self.question.check, self.value
        parts: list[tuple[JSON, Answer]] = []
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            reference = schema.get(keyword)
            if isinstance(reference, str) and self.context.dialect.knows(keyword):
                target = self.context.references.resolve(reference)
                parts.append((None if target is MISSING else target, True))
        parts += [(part, True) for part in _list(schema.get("allOf"))]
        for keyword in ("anyOf", "oneOf"):
            parts += [(part, check(part, value)) for part in _list(schema.get(keyword))]
        if "if" in schema:
            is_met = check(schema["if"], value)
            is_not = None if is_met is None else not is_met
            parts += [(schema["if"], is_met), (schema.get("then", True), is_met)]
            parts.append((schema.get("else", True), is_not))
        dependent = schema.get("dependentSchemas")
        if isinstance(dependent, dict) and isinstance(value, dict):
            parts += [(part, True) for name, part in dependent.items() if name in value]
        return parts


def _list(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []


def _about(kind: type[dict[str, JSON]] | type[list[JSON]]) -> Factory:
    """The keyword about members of objects, or about items of arrays."""

    def factory(value: JSON, schema: dict[str, JSON], context: Context) -> Check:
        def check(question: Question, instance: JSON) -> Answer:
            if value is True or not isinstance(instance, kind):
                return True
            look = _Look(question, context, instance)
            look.at(schema, is_sure=True, is_asking=True)
            seen = look.seen
            parts = instance.items() if isinstance(instance, dict) else enumerate(instance)
            return every(
                if_known(None if name in seen.perhaps else True, question.check(value, part))
                for name, part in parts
                if name not in seen.surely
            )

        return check

    return factory


UNEVALUATED: dict[str, Factory] = {
    "unevaluatedProperties": _about(dict),
    "unevaluatedItems": _about(list),
}
"""They come last, since what they ask depends on all others."""
