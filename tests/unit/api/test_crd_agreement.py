"""The models and the CRD say the same."""

import types
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

from proxar.api import (
    GROUP,
    KIND,
    MAX_CHANGES,
    PLURAL,
    RESERVED_HEADERS,
    VERSION,
    BaselinePolicy,
    ConditionStatus,
    Scheme,
    Spec,
    Status,
    format_duration,
)
from proxar.api.words import RESERVED_HEADER_PREFIX
from tests.support.mcpserver_reference import Schema, crd, fields, schema

UNDESCRIBED = {".apiVersion", ".kind", ".metadata"}
"""The API server has words of its own for these."""

FIELDS = {path: field for path, field, _ in fields(schema(), "")}


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Find the models in an annotation such as `tuple[Change, ...] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) in {tuple, Union, types.UnionType}:
        for argument in get_args(annotation):
            yield from models_in(argument)


def modelled(model: type[BaseModel], path: str) -> Iterator[tuple[str, bool, Any]]:
    """Walk a model as `fields` walks a schema: path, whether required, default."""
    for name, field in model.model_fields.items():
        child = f"{path}.{field.alias or name}"
        yield child, field.is_required(), field.default
        is_list = get_origin(field.annotation) is tuple
        for inner in models_in(field.annotation):
            yield from modelled(inner, f"{child}[]" if is_list else child)


@pytest.mark.parametrize(("model", "part"), [(Spec, "spec"), (Status, "status")])
def test_models_and_schema_have_the_same_fields(model: type[BaseModel], part: str) -> None:
    """A field of one is in the other, and is required in both or in neither."""
    declared = {
        (path, required) for path, _, required in fields(schema()["properties"][part], part)
    }

    assert {(path, required) for path, required, _ in modelled(model, part)} == declared


def test_defaults_are_the_same() -> None:
    """An object that lacks a default behaves as one that has it."""
    defaults = {path: default for path, _, default in modelled(Spec, ".spec")}
    in_schema = {
        path: field["default"]
        for path, field in FIELDS.items()
        if path.startswith(".spec") and field.get("default") not in (None, {})
    }

    for path, default in in_schema.items():
        ours = defaults[path]
        assert (format_duration(ours) if isinstance(ours, timedelta) else ours) in {
            default,
            {"60s": "1m"}.get(default),
        }, path


def test_the_names_are_the_same() -> None:
    """Group, version, kind and plural."""
    names = crd()["spec"]["names"]

    assert (crd()["spec"]["group"], crd()["spec"]["versions"][0]["name"]) == (GROUP, VERSION)
    assert (names["kind"], names["plural"]) == (KIND, PLURAL)


def test_the_closed_sets_are_the_same() -> None:
    """What the schema enumerates, the models enumerate."""
    assert FIELDS[".spec.driftPolicy.baseline"]["enum"] == list(BaselinePolicy)
    assert FIELDS[".spec.endpoints[].serviceRef.scheme"]["enum"] == list(Scheme)
    assert FIELDS[".status.conditions[].status"]["enum"] == list(ConditionStatus)
    assert FIELDS[".status.drift.changes"]["maxItems"] == MAX_CHANGES


def test_the_reserved_headers_are_the_same() -> None:
    """The rule of the CRD refuses the names that the models refuse."""
    rule = next(
        rule["rule"]
        for rule in FIELDS[".spec.headers[].name"]["x-kubernetes-validations"]
        if "lowerAscii" in rule["rule"]
    )
    listed = rule[rule.index("[") + 1 : rule.index("]")]

    assert {name.strip().strip("'") for name in listed.split(",")} == RESERVED_HEADERS
    assert f"startsWith('{RESERVED_HEADER_PREFIX}')" in rule


@pytest.mark.parametrize("path", sorted(FIELDS.keys() - UNDESCRIBED))
def test_every_field_is_described_and_bounded(path: str) -> None:
    """`kubectl explain` says something about it, and no value of it is without limit."""
    field = FIELDS[path]

    assert field["description"].endswith("."), "a sentence"
    assert unbounded(field) is None


def unbounded(field: Schema) -> str | None:
    """Say which bound a field lacks."""
    match field["type"]:
        case "string" if "maxLength" not in field and field.get("format") != "date-time":
            return "maxLength"
        case "array" if "maxItems" not in field or "x-kubernetes-list-type" not in field:
            return "maxItems and a list type"
        case "integer" if "minimum" not in field:
            return "minimum"
    return None


def test_every_rule_says_what_to_do() -> None:
    """No CEL rule answers with its own source."""
    rules = [rule for field in [schema(), *FIELDS.values()] for rule in validations(field)]

    assert len(rules) >= 15
    assert all(rule.get("message") for rule in rules)


def validations(field: Schema) -> list[dict[str, Any]]:
    """Return the rules of a field and of its items."""
    items = field.get("items", {})
    return [
        *field.get("x-kubernetes-validations", ()),
        *items.get("x-kubernetes-validations", ()),
    ]
