"""What the keywords of arrays say, as formulas (JSON Schema Core 10.3.1, 11.2, Validation 6.4)."""

from collections.abc import Iterator
from decimal import Decimal

from proxar.contract.containment.formula import Formula
from proxar.contract.containment.literals import (
    AllItems,
    Few,
    From,
    Index,
    ItemRegion,
    Many,
    Opaque,
    SomeItem,
    Unique,
)
from proxar.contract.containment.reader import Reader
from proxar.contract.containment.scalar_keywords import at_most, malformed, size_parts
from proxar.contract.containment.schema import Schema
from proxar.contract.containment.unevaluated import array_cases
from proxar.contract.containment.values import exact
from proxar.contract.value import JSON
from proxar.contract.vocabulary import is_well_formed

__all__ = ["array_parts"]

MAX_PREFIX = 64
"""Positions that are told apart."""


def array_parts(reader: Reader, schema: dict[str, JSON], base: str) -> Iterator[Formula]:
    """Yield what a schema says about arrays."""
    formulas = reader.formulas
    yield from size_parts(formulas, schema, "minItems", "maxItems")
    if "items" in schema or "prefixItems" in schema:
        yield from _items(reader, schema, base)
    if "contains" in schema:
        yield from _contains(reader, schema, base)
    unique = schema.get("uniqueItems", False)
    if unique is True:
        yield formulas.literal(Unique())
    elif unique is not False:
        yield malformed(formulas, "uniqueItems", unique)
    if reader.dialect.has_unevaluated and "unevaluatedItems" in schema:
        yield _unevaluated(reader, schema, base)


def _items(reader: Reader, schema: dict[str, JSON], base: str) -> Iterator[Formula]:
    formulas, dialect = reader.formulas, reader.dialect
    tail: JSON = schema.get("items", True)
    prefix: JSON = schema.get("prefixItems", []) if dialect.has_prefix_items else []
    tail_keyword = "items"
    if dialect.has_old_tuples and isinstance(tail, list):
        prefix, tail = tail, schema.get("additionalItems", True)
        tail_keyword = "additionalItems"
    is_prefixed = "prefixItems" in schema and dialect.has_prefix_items
    if is_prefixed and not is_well_formed("prefixItems", prefix):
        yield malformed(formulas, "prefixItems", prefix)
        return
    if not isinstance(prefix, list) or len(prefix) > MAX_PREFIX:
        yield malformed(formulas, "items", [prefix, tail])
        return
    if not isinstance(tail, bool | dict):
        yield malformed(formulas, tail_keyword, tail)
        tail = True
    for index, item in enumerate(prefix):
        yield all_items(reader, Index(index), reader.schema(item, base))
    yield all_items(reader, From(len(prefix)), reader.schema(tail, base))


def all_items(reader: Reader, region: ItemRegion, schema: Schema) -> Formula:
    """Return that the items of a region satisfy a schema, in its plainest form."""
    if schema is reader.schemas.anything:
        return reader.formulas.all_of(())
    if schema is reader.schemas.nothing:
        return at_most(reader.formulas, region.place)
    return reader.formulas.literal(AllItems(region, schema))


def _contains(reader: Reader, schema: dict[str, JSON], base: str) -> Iterator[Formula]:
    formulas = reader.formulas
    wanted = schema["contains"]
    bounds: dict[str, JSON] = {"minContains": 1, "maxContains": None}
    if reader.dialect.has_contains_counts:
        bounds |= {name: schema[name] for name in bounds if name in schema}
    least, most = bounds["minContains"], bounds["maxContains"]
    is_sound = is_well_formed("contains", wanted) and is_well_formed("minContains", least)
    if not is_sound or not isinstance(least, int | Decimal):
        yield malformed(formulas, "contains", [wanted, least, most])
        return
    inner = reader.schema(wanted, base)
    count = int(exact(least))
    if count == 1:
        yield formulas.literal(SomeItem(From(0), inner))
    elif count > 1:
        yield formulas.literal(Many(inner, count))
    if most is None and not ("maxContains" in schema and reader.dialect.has_contains_counts):
        return
    if not is_well_formed("maxContains", most) or not isinstance(most, int | Decimal):
        yield malformed(formulas, "maxContains", [wanted, most])
    elif most == 0:
        yield all_items(reader, From(0), inner.opposite)
    else:
        yield formulas.literal(Few(inner, int(exact(most))))


def _unevaluated(reader: Reader, schema: dict[str, JSON], base: str) -> Formula:
    """`unevaluatedItems`: what it sees depends on which applicators beside it hold."""
    formulas = reader.formulas
    cases = array_cases(reader, schema, base)
    value = schema["unevaluatedItems"]
    if cases is None or not isinstance(value, bool | dict):
        why = "unevaluatedItems beside too many applicators"
        return formulas.literal(Opaque(reader.identity(schema, base), why))
    inner = reader.schema(value, base)
    ways = []
    for case in cases:
        if case.is_all:
            ways.append(case.condition)
            continue
        accepted = inner
        if case.contained:
            parts = [inner.forms, *(one.forms for one in case.contained)]
            accepted = reader.schemas.of(reader.schemas.any_of(parts))
        region = From(case.prefix)
        ways.append(formulas.both(case.condition, all_items(reader, region, accepted)))
    return formulas.any_of(ways)
