"""What the keywords of objects say, as formulas (JSON Schema Core 10.3.2, 11.3, Validation 6.5)."""

from collections.abc import Iterator

from proxar.contract.containment.formula import Formula
from proxar.contract.containment.literals import (
    AllMembers,
    Matching,
    Name,
    NameIs,
    Opaque,
    Outside,
    Region,
    SomeMember,
)
from proxar.contract.containment.reader import Reader
from proxar.contract.containment.scalar_keywords import malformed, size_parts
from proxar.contract.containment.schema import TYPES, Schema
from proxar.contract.containment.unevaluated import object_cases
from proxar.contract.value import JSON
from proxar.contract.vocabulary import is_well_formed

__all__ = ["object_parts"]

MEMBERS = frozenset({"properties", "patternProperties", "additionalProperties"})

MEMBERS_A_STEP = 2
NAMES_A_STEP = 4
"""What is read in the time of one step."""

OBJECT = TYPES.index("object")


def object_parts(reader: Reader, schema: dict[str, JSON], base: str) -> Iterator[Formula]:
    """Yield what a schema says about objects."""
    formulas = reader.formulas
    yield from size_parts(formulas, schema, "minProperties", "maxProperties")
    if not schema.keys().isdisjoint(MEMBERS):
        yield from _members(reader, schema, base)
    if "propertyNames" in schema:
        names = schema["propertyNames"]
        if is_well_formed("propertyNames", names):
            wrong = reader.schema(names, base).opposite
            yield all_members(reader, NameIs(wrong), reader.schemas.nothing)
        else:
            yield malformed(formulas, "propertyNames", names)
    if "required" in schema:
        yield from _required(reader, schema["required"], "required")
    for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
        if keyword in schema:
            yield from _dependencies(reader, keyword, schema[keyword], base)
    if reader.dialect.has_unevaluated and "unevaluatedProperties" in schema:
        yield _unevaluated(reader, schema, base)


def all_members(reader: Reader, region: Region, schema: Schema) -> Formula:
    """Return that the members of a region satisfy a schema, if there are any.

    That a declared member may be anything says nothing about values, and is kept: that it is
    declared counts for leniency (see `leniency`).
    """
    if schema is reader.schemas.anything and isinstance(region, Outside | NameIs):
        return reader.formulas.all_of(())
    return reader.formulas.literal(AllMembers(region, schema))


def _members(reader: Reader, schema: dict[str, JSON], base: str) -> Iterator[Formula]:
    properties, patterns = (
        schema.get(keyword, {}) for keyword in ("properties", "patternProperties")
    )
    rest = schema.get("additionalProperties", True)
    if (
        not is_well_formed("properties", properties)
        or not is_well_formed("patternProperties", patterns)
        or not is_well_formed("additionalProperties", rest)
        or not isinstance(properties, dict)
        or not isinstance(patterns, dict)
    ):
        yield malformed(reader.formulas, "properties", [properties, patterns, rest])
        return
    reader.steps.spend((len(properties) + len(patterns)) // MEMBERS_A_STEP)
    for name, member in properties.items():
        yield all_members(reader, Name(name), reader.schema(member, base))
    for pattern, member in patterns.items():
        yield all_members(reader, Matching(pattern), reader.schema(member, base))
    region = Outside(frozenset(properties), frozenset(patterns))
    yield all_members(reader, region, reader.schema(rest, base))


def _required(reader: Reader, names: JSON, keyword: str) -> Iterator[Formula]:
    if not isinstance(names, list) or not is_well_formed("required", names):
        yield malformed(reader.formulas, keyword, names)
        return
    reader.steps.spend(len(names) // NAMES_A_STEP)
    for name in names:
        yield reader.formulas.literal(SomeMember(Name(str(name)), reader.schemas.anything))


def _dependencies(reader: Reader, keyword: str, value: JSON, base: str) -> Iterator[Formula]:
    formulas, dialect = reader.formulas, reader.dialect
    if keyword == "dependencies" and not dialect.has_dependencies:
        # The later drafts do not know it, but allow a validator to go on checking it.
        why = "dependencies means nothing certain in this dialect"
        yield formulas.literal(Opaque(f"dependencies {reader.identity(value, base)}", why))
        return
    if keyword != "dependencies" and not dialect.has_dependents:
        return
    if not isinstance(value, dict) or not is_well_formed(keyword, value):
        yield malformed(formulas, keyword, value)
        return
    for name, dependency in value.items():
        if isinstance(dependency, list):
            then = formulas.all_of(_required(reader, dependency, keyword))
        else:
            then = reader.forms(dependency, base)[OBJECT]
        yield formulas.either(absent(reader, name), then)


def absent(reader: Reader, name: str) -> Formula:
    """Return that there is no member of this name."""
    return reader.formulas.literal(AllMembers(Name(name), reader.schemas.nothing))


def _unevaluated(reader: Reader, schema: dict[str, JSON], base: str) -> Formula:
    """`unevaluatedProperties`: what it sees depends on which applicators beside it hold."""
    formulas = reader.formulas
    cases = object_cases(reader, schema, base)
    value = schema["unevaluatedProperties"]
    if cases is None or not isinstance(value, bool | dict):
        why = "unevaluatedProperties beside too many applicators"
        return formulas.literal(Opaque(reader.identity(schema, base), why))
    inner = reader.schema(value, base)
    ways = []
    for case in cases:
        said = formulas.all_of(())
        if not case.is_all:
            said = all_members(reader, Outside(case.names, case.patterns), inner)
        ways.append(formulas.both(case.condition, said))
    return formulas.any_of(ways)
