"""The generated sections of docs/reference/mcpserver.md, out of the CRD."""

from collections.abc import Iterator
from typing import Any

import yaml

from tests.support.install import CRD, ROOT

__all__ = ["Schema", "fields", "schema", "sections"]

Schema = dict[str, Any]

EXAMPLE = ROOT / "examples" / "mcpserver-url.yaml"


def crd() -> dict[str, Any]:
    """Return the CustomResourceDefinition."""
    loaded: dict[str, Any] = yaml.safe_load(CRD.read_text(encoding="utf-8"))
    return loaded


def schema() -> Schema:
    """Return the schema of the served version."""
    found: Schema = crd()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return found


def fields(parent: Schema, path: str) -> Iterator[tuple[str, Schema, bool]]:
    """Walk the fields below a schema, parents first: path, schema, whether required."""
    for name, child in parent.get("properties", {}).items():
        child_path = f"{path}.{name}"
        yield child_path, child, name in parent.get("required", ())
        yield from fields(child, child_path)
        if "items" in child:
            yield from fields(child["items"], f"{child_path}[]")


def sections() -> dict[str, str]:
    """Return the generated text by section name."""
    root = schema()
    properties = root["properties"]
    return {
        "introduction": root["description"],
        "example": f"```yaml\n{EXAMPLE.read_text(encoding='utf-8').strip()}\n```",
        "spec": _headings(properties["spec"], "spec"),
        "columns": _columns(),
        "status": _headings(properties["status"], "status"),
    }


def _headings(parent: Schema, path: str) -> str:
    parts = [parent["description"]]
    for field, child, required in fields(parent, path):
        parts += [f"### {field}", _facts(child, required=required), child["description"]]
        rules = [*_rules(child), *_rules(child.get("items", {}))]
        if rules:
            parts.append("\n".join(f"- {rule}" for rule in rules))
    rules = _rules(parent)
    if rules:
        parts += [f"### Rules of {path} as a whole", "\n".join(f"- {rule}" for rule in rules)]
    return "\n\n".join(parts)


def _facts(field: Schema, *, required: bool) -> str:
    facts = [_type(field)]
    if required:
        facts.append("required")
    if "default" in field and field["default"] != {}:
        facts.append(f"default `{field['default']}`")
    if "enum" in field:
        facts.append("one of " + ", ".join(f"`{value}`" for value in field["enum"]))
    else:
        facts += _bounds(field)
    return f"*{', '.join(facts)}*"


def _type(field: Schema) -> str:
    if field["type"] == "array":
        items = field["items"]["type"]
        keys = field.get("x-kubernetes-list-map-keys")
        return f"list of {items}s" + (f" by {', '.join(keys)}" if keys else "")
    if field.get("format") == "date-time":
        return "time (RFC 3339)"
    return str(field["type"])


def _bounds(field: Schema) -> list[str]:
    bounds = []
    if "minimum" in field and "maximum" in field:
        bounds.append(f"{field['minimum']} to {field['maximum']}")
    elif "minimum" in field:
        bounds.append(f"at least {field['minimum']}")
    if field.get("minItems") == field.get("maxItems") == 1:
        bounds.append("exactly one")
    elif "maxItems" in field:
        bounds.append(f"at most {field['maxItems']}")
    if "maxLength" in field:
        bounds.append(f"at most {field['maxLength']} characters")
    return bounds


def _rules(field: Schema) -> list[str]:
    return [rule["message"] for rule in field.get("x-kubernetes-validations", ())]


def _columns() -> str:
    rows = ["| column | shown | what it says |", "|---|---|---|"]
    for column in crd()["spec"]["versions"][0]["additionalPrinterColumns"]:
        shown = "with `-o wide`" if column.get("priority") else "always"
        says = column.get("description", "How long the object exists.")
        rows.append(f"| {column['name']} | {shown} | {says} |")
    return "\n".join(rows)
