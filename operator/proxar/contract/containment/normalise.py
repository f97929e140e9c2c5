"""From the text of a schema to its normal form: types, values, applicators and references.

What is not understood becomes `Opaque`: an assertion equal to itself and to nothing else, so
whatever is proved holds for any meaning that it may have.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal

from proxar.contract.canonical import canonical_text
from proxar.contract.containment.alternatives import Alternatives, Counts, listed_by, values_of
from proxar.contract.containment.array_keywords import array_parts
from proxar.contract.containment.formula import FALSE, TRUE
from proxar.contract.containment.leniency import regions_of
from proxar.contract.containment.literals import (
    Mentions,
    MultipleOf,
    Opaque,
    Region,
)
from proxar.contract.containment.object_keywords import object_parts
from proxar.contract.containment.references import References
from proxar.contract.containment.scalar_keywords import (
    NUMBERS,
    malformed,
    number_parts,
    string_parts,
)
from proxar.contract.containment.schema import TYPES, Forms, Schema, Schemas
from proxar.contract.containment.source import Dialect, Source, Spot
from proxar.contract.containment.steps import Steps
from proxar.contract.containment.values import key, type_index
from proxar.contract.keywords import ANNOTATIONS
from proxar.contract.value import JSON
from proxar.contract.vocabulary import is_well_formed

__all__ = ["Reading"]

MAX_LEVELS = 48
"""Schemas inside schemas that are read; each costs a few frames of Python's stack."""

MAX_SHARED_LEVELS = 4
"""Schemas inside schemas of which those with one text are read once. Each level makes the text of
all below it anew.
"""

MAX_EXCLUSIVE = 64
"""Branches of a `oneOf` that are no lists of values, of which each may be held against each."""

MAX_LISTS = 1_000
"""Branches of a `oneOf` with the lists of values: a question can take so many on both sides."""

NUMBER, ARRAY, OBJECT = (TYPES.index(name) for name in ("number", "array", "object"))

NUMBER_KEYWORDS = frozenset(NUMBERS)
STRING_KEYWORDS = frozenset({"minLength", "maxLength", "pattern", "format"})
ARRAY_KEYWORDS = frozenset(
    {
        "additionalItems", "contains", "items", "maxItems", "minItems", "prefixItems",
        "unevaluatedItems", "uniqueItems",
    }
)  # fmt: skip
OBJECT_KEYWORDS = frozenset(
    {
        "additionalProperties", "dependencies", "dependentRequired", "dependentSchemas",
        "maxProperties", "minProperties", "patternProperties", "properties", "propertyNames",
        "required", "unevaluatedProperties",
    }
)  # fmt: skip
PLAIN = frozenset({"type", *ANNOTATIONS})
NAMES = frozenset({*TYPES, "integer"})

IN_PLACE_LISTS = ("allOf", "anyOf", "oneOf")

APPLICATORS = frozenset({"allOf", "anyOf", "oneOf", "not", "if"})


def _only_type(schema: JSON) -> str | None:
    """The name of the type, of a schema that says no more; most do not."""
    if not isinstance(schema, dict):
        return None
    name = schema.get("type")
    return name if isinstance(name, str) and name in NAMES and schema.keys() <= PLAIN else None


def _without_texts(schema: JSON) -> JSON:
    """A schema without what it says to a reader, as far as that is quick to take away."""
    if not isinstance(schema, dict) or schema.keys().isdisjoint(ANNOTATIONS):
        return schema
    return {name: value for name, value in schema.items() if name not in ANNOTATIONS}


class Reading:
    """One document, read into the schemas that its questions share."""

    def __init__(
        self, source: Source, dialect: Dialect, schemas: Schemas, steps: Steps, *, has_formats: bool
    ) -> None:
        self.source = source
        self.dialect = dialect
        self.schemas = schemas
        self.formulas = schemas.formulas
        self.steps = steps
        self._has_formats = has_formats
        self._known: dict[tuple[int, str], Forms] = {}
        self._kept: list[JSON] = []  # so that an id is never used again
        self._open: set[tuple[int, str]] = set()
        self._level = 0
        self._spoken: list[set[Region]] = [set()]
        """What the schemas that are being read speak of, from the outside in."""
        self._spoken_of: dict[tuple[int, str], frozenset[Region]] = {}
        self._has_references = source.has_references
        self._references = References(source, dialect, steps)
        self._alternatives = Alternatives(schemas.formulas, steps)
        self._dialect_text = (
            repr(source.root.get("$schema")) if isinstance(source.root, dict) else ""
        )

    def schema(self, value: JSON, base: str) -> Schema:
        """Return a schema about a part of the value; a recursive one is read when it is needed."""
        if isinstance(value, bool):
            return self.schemas.anything if value else self.schemas.nothing
        if not self._has_references:
            return self._without_references(value, base)
        if not self._references.is_recursive(Spot(value, base)):
            return self.schemas.of(self.whole(value, base))
        return self.schemas.later(self.identity(value, base), lambda: self.whole(value, base))

    def _without_references(self, value: JSON, base: str) -> Schema:
        """Return a schema that means what it says: the same text, the same schema.

        Most of a schema is as it was before, and tools of one server have much in common. Python's
        own text is quick to make, and tells all values apart that JSON does.
        """
        name = _only_type(value)
        if name is not None:
            return self._of_type(name)
        if self._level > MAX_SHARED_LEVELS:
            return self.schemas.of(self.whole(value, base))
        try:
            text = self._dialect_text, base, repr(_without_texts(value))
        except RecursionError:  # what is nested that deep is shared with nothing
            return self.schemas.of(self.whole(value, base))
        found = self.schemas.read.get(text)
        if found is None:
            found = self.schemas.read[text] = self.schemas.of(self.whole(value, base))
        return found

    def _of_type(self, name: str) -> Schema:
        self.steps.spend(4)
        found = self.schemas.of_type.get(name)
        if found is None:
            found = self.schemas.of_type[name] = self.schemas.of(self._types([name]))
        return found

    def whole(self, value: JSON, base: str) -> Forms:
        """Return all that is said about a value, with the members that are spoken of."""
        self._spoken.append(set())
        try:
            forms = self.forms(value, base)
        finally:
            spoken = frozenset(self._spoken.pop())
        form = forms[OBJECT]
        if form is FALSE or spoken <= regions_of(form, self.schemas):
            return forms
        mentions = self.formulas.literal(Mentions(spoken))
        return (*forms[:OBJECT], self.formulas.both(form, mentions))

    def forms(self, value: JSON, base: str) -> Forms:
        """Return a schema about the value itself."""
        name = _only_type(value)
        if name is not None:
            return self._of_type(name).forms
        self.steps.spend(4)
        if isinstance(value, bool):
            return self.schemas.anything.forms if value else self.schemas.nothing.forms
        if not isinstance(value, dict):
            return self._opaque(Spot(value, base), "a schema is neither an object nor a boolean")
        place = (id(value), base)
        known = self._known.get(place)
        if known is not None:
            self._spoken[-1].update(self._spoken_of[place])
            return known
        if place in self._open:
            return self._opaque(Spot(value, base), "$ref: a reference that leads to itself")
        if self._level >= MAX_LEVELS:
            return self._opaque(Spot(value, base), "the schema is too deep")
        self._open.add(place)
        self._level += 1
        self._spoken.append(set())
        try:
            forms = self._read(value, self.source.base_of(value, base))
        finally:
            self._level -= 1
            self._open.discard(place)
            spoken = self._spoken.pop()
        self._spoken[-1].update(spoken)
        self._spoken_of[place] = frozenset(spoken)
        self._known[place] = forms
        self._kept.append(value)
        return forms

    def targets(self, schema: dict[str, JSON], base: str) -> list[Spot | None]:
        """Return what the references of a schema point at, `None` for a dangling one."""
        return [target for _, _, target in self._references.of(schema, base)]

    def identity(self, value: JSON, base: str) -> str:
        """Return a text that two schemas share only if they mean the same."""
        return self._references.identity(Spot(value, base))

    def inside(self, schema: dict[str, JSON], base: str) -> str:
        """Return the base of the references inside a schema."""
        return self.source.base_of(schema, base)

    def _opaque(self, spot: Spot, why: str) -> Forms:
        return (self.formulas.literal(Opaque(self.identity(*spot), why)),) * len(TYPES)

    def _read(self, schema: dict[str, JSON], base: str) -> Forms:
        if "$schema" in schema and self.source.has_foreign_dialect(schema):
            return self._opaque(Spot(schema, base), "$schema: a part has a dialect of its own")
        parts = list(self._referred(schema, base)) if self._has_references else []
        if "$ref" in schema and not self.dialect.has_siblings:
            return self.schemas.all_of(parts)
        parts.append(self._typed(schema, base))
        if not schema.keys().isdisjoint(APPLICATORS):
            parts.extend(self._applied(schema, base))
        return parts[0] if len(parts) == 1 else self.schemas.all_of(parts)

    def _referred(self, schema: dict[str, JSON], base: str) -> Iterator[Forms]:
        for keyword, value, spot in self._references.of(schema, base):
            if spot is None:
                text = self._references.unresolved(keyword, value, base)
                why = f"{keyword} {canonical_text(value)[:60]} cannot be followed"
                yield (self.formulas.literal(Opaque(text, why)),) * len(TYPES)
            else:
                yield self.forms(spot.schema, spot.base)

    def _typed(self, schema: dict[str, JSON], base: str) -> Forms:
        """What the keywords about one type say, masked by `type`, `enum` and `const`."""
        formulas = self.formulas
        masks = list(self._masks(schema)) or [self.schemas.anything.forms]
        mask = masks[0] if len(masks) == 1 else self.schemas.all_of(masks)
        by_type = [[form] for form in mask]
        keywords = schema.keys()

        def is_wanted(index: int, family: frozenset[str]) -> bool:
            return by_type[index][0] is not FALSE and not keywords.isdisjoint(family)

        if is_wanted(NUMBER, NUMBER_KEYWORDS):
            by_type[NUMBER].extend(number_parts(formulas, schema))
        if not keywords.isdisjoint(STRING_KEYWORDS):
            for name, part in string_parts(formulas, schema, has_formats=self._has_formats):
                by_type[TYPES.index(name)].append(part)
        if is_wanted(ARRAY, ARRAY_KEYWORDS):
            by_type[ARRAY].extend(array_parts(self, schema, base))
        if is_wanted(OBJECT, OBJECT_KEYWORDS):
            parts = list(object_parts(self, schema, base))
            by_type[OBJECT].extend(parts)
            for part in parts:
                self._spoken[-1].update(regions_of(part, self.schemas))
        return tuple([parts[0] if len(parts) == 1 else formulas.all_of(parts) for parts in by_type])

    def _masks(self, schema: dict[str, JSON]) -> Iterator[Forms]:
        formulas = self.formulas
        for keyword in ("type", "enum"):
            if keyword in schema and not is_well_formed(keyword, schema[keyword]):
                yield (malformed(formulas, keyword, schema[keyword]),) * len(TYPES)
            elif keyword in schema:
                value = schema[keyword]
                listed = value if isinstance(value, list) else [value]
                yield self._types(listed) if keyword == "type" else self._listed(listed)
        if "const" in schema:
            yield self._listed([schema["const"]])

    def _types(self, names: Sequence[JSON]) -> Forms:
        forms = [TRUE if name in names else FALSE for name in TYPES]
        if "integer" in names and "number" not in names:
            forms[NUMBER] = self.formulas.literal(MultipleOf(1))
        return tuple(forms)

    def _listed(self, values: Sequence[JSON]) -> Forms:
        self.steps.spend(len(values) // 8)
        keys: tuple[set[object], ...] = tuple(set() for _ in TYPES)
        if set(map(type, values)) in ({str}, {int}):  # the key of such a value is itself
            keys[type_index(values[0])].update(values)
            values = ()
        for value in values:
            keys[type_index(value)].add(self._key(value))
        return tuple([listed_by(self.formulas, *found) for found in enumerate(keys)])

    def _key(self, value: JSON) -> object:
        if not isinstance(value, list | dict | Decimal):
            return key(value)
        self.steps.spend(2)
        name = key(value)
        if not isinstance(value, Decimal):
            self.steps.spend(len(str(name)) // 256)
            self.schemas.listed[str(name)] = value
        return name

    def _applied(self, schema: dict[str, JSON], base: str) -> Iterator[Forms]:
        """What the applicators in place say."""
        schemas = self.schemas
        for keyword in IN_PLACE_LISTS:
            branches = schema.get(keyword)
            if branches is None and keyword not in schema:
                continue
            if not isinstance(branches, list) or not is_well_formed(keyword, branches):
                yield (malformed(self.formulas, keyword, branches),) * len(TYPES)
            elif keyword == "allOf":
                yield from [self.forms(branch, base) for branch in branches]
            elif keyword == "anyOf":
                counts, others = self._counted(branches)
                parts = [self.forms(branch, base) for branch in others]
                yield self._alternatives.any_of(counts, parts)
            else:
                yield self._one_of(branches, base)
        if "not" in schema:
            yield schemas.opposite(self.forms(schema["not"], base))
        if self.dialect.has_if and "if" in schema and ("then" in schema or "else" in schema):
            condition = self.forms(schema["if"], base)
            then, other = (self.forms(schema.get(name, True), base) for name in ("then", "else"))
            yield schemas.any_of([schemas.opposite(condition), then])
            yield schemas.any_of([condition, other])

    def _one_of(self, branches: list[JSON], base: str) -> Forms:
        if len(branches) <= MAX_LISTS:
            counts, others = self._counted(branches, MAX_EXCLUSIVE)
            if len(others) <= MAX_EXCLUSIVE:
                parts = [self.forms(branch, base) for branch in others]
                return self._alternatives.one_of(counts, parts)
        why = "oneOf: too many branches to hold each against each"
        return self._opaque(Spot({"oneOf": branches}, base), why)

    def _counted(self, branches: list[JSON], most: int | None = None) -> tuple[Counts, list[JSON]]:
        """Count the values that branches list; return the other branches, at most one too many."""
        counts: Counts = [Counter() for _ in TYPES]
        others: list[JSON] = []
        for place, branch in enumerate(branches):
            self.steps.spend(place % 2)  # a step is enough for two
            values = values_of(branch)
            if values is None:
                others.append(branch)
                if most is not None and len(others) > most:
                    break
                continue
            self.steps.spend(len(values) // 8)
            for index, name in {(type_index(value), self._key(value)) for value in values}:
                counts[index][name] += 1
        return counts, others
