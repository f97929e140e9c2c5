"""The comparison of one tool with itself: schemas, texts, hints, and everything else that it
carries.
"""

from collections.abc import Iterator

from proxar.contract.annotations import compare_annotations, compare_call_styles
from proxar.contract.canonical import canonical_text, is_same
from proxar.contract.change import Change
from proxar.contract.containment import Engine
from proxar.contract.headers import compare_illegal_headers
from proxar.contract.keywords import Role
from proxar.contract.notes import text_rule
from proxar.contract.path import Place
from proxar.contract.reader import depth_of
from proxar.contract.rules import Side, change
from proxar.contract.toollist import Tool
from proxar.contract.validity import compare_definitions
from proxar.contract.value import JSON, MISSING, Missing, is_flat
from proxar.contract.wording import shown, text_change

__all__ = ["MAX_TOOL_DEPTH", "compare_tools", "has_valid_input"]

MAX_TOOL_DEPTH = 128
"""Levels of a tool that is compared part by part; a deeper one is opaque."""

MAX_PARTS = 4_000
"""Arrays and objects in a field that is compared part by part, each about ten microseconds. Real
tools have some hundreds.
"""

MAX_CHARACTERS = 500_000
"""Those of a field that is compared part by part, such as a list of values. Real ones have some ten
thousand.
"""

KNOWN_FIELDS = frozenset(
    {
        "_meta",
        "annotations",
        "description",
        "execution",
        "icons",
        "inputSchema",
        "name",
        "outputSchema",
        "title",
    }
)


def compare_tools(
    before: Tool, after: Tool, engine: Engine, *, protocol_version: str | None
) -> Iterator[Change]:
    """Yield what changed in a tool that both lists have, under one name."""
    place = Place(before.name)
    if before.canonical == after.canonical:
        return
    old, new = dict(_fields(before)), dict(_fields(after))
    yield from _compare_opaque((before, after), (old, new), place)
    yield from _compare_text(old, new, place)
    at = place.at("inputSchema")
    of_input = list(
        _compare_input(old.get("inputSchema", MISSING), new.get("inputSchema", MISSING), at, engine)
    )
    yield from of_input
    if not any(change.rule == "header-misplaced" for change in of_input):
        yield from compare_illegal_headers(before, after, at)
    yield from _compare_output(
        old.get("outputSchema"), new.get("outputSchema"), place.at("outputSchema"), engine
    )
    yield from compare_annotations(
        old.get("annotations", MISSING), new.get("annotations", MISSING), place.at("annotations")
    )
    yield from compare_call_styles(
        old.get("execution", MISSING),
        new.get("execution", MISSING),
        place.at("execution"),
        protocol_version,
    )
    yield from _compare_others(old, new, place)


def _fields(tool: Tool) -> dict[str, JSON]:
    return tool.definition if isinstance(tool.definition, dict) else {}


def _compare_opaque(
    tools: tuple[Tool, Tool], sides: tuple[dict[str, JSON], dict[str, JSON]], place: Place
) -> Iterator[Change]:
    """Compare what is too deep or large to be looked into, and take it out of both sides."""
    if not any(map(_may_be_opaque, tools)):
        return
    old, new = sides
    for name in sorted(old.keys() | new.keys()):
        one, other = old.get(name, MISSING), new.get(name, MISSING)
        limit = _limit_of(one) or _limit_of(other)
        if not limit:
            continue
        old.pop(name, None)
        new.pop(name, None)
        if name == "inputSchema":  # neither missing nor known to be valid
            old[name] = new[name] = {"type": "object"}
        if _are_unequal(one, other) or _differ(one, other):
            rule = "output-not-provable" if name == "outputSchema" else "not-provable"
            yield change(rule, place.at(name), f"changed, and is {limit}: nothing is proved")


def _are_unequal(one: JSON | Missing, other: JSON | Missing) -> bool:
    """Whether Python tells them apart, which is quick; 1 and true it does not."""
    try:
        return one != other
    except RecursionError:
        return False


def _may_be_opaque(tool: Tool) -> bool:
    """Whether there are characters or brackets enough; there hardly ever are."""
    text = tool.canonical
    if len(text) > MAX_CHARACTERS or text.count(b"{") + text.count(b"[") > MAX_PARTS:
        return True
    return depth_of(text, MAX_TOOL_DEPTH) > MAX_TOOL_DEPTH


def _limit_of(field: JSON | Missing) -> str:
    """The limit that a field exceeds, in words; empty if it may be looked into."""
    if not isinstance(field, dict | list):
        return ""
    level: list[JSON] = [field]
    count = 0
    for _ in range(MAX_TOOL_DEPTH):  # the tool is one level itself
        level = [child for parent in level for child in _containers(parent)]
        count += len(level)
        if count >= MAX_PARTS:
            return f"made of more than {MAX_PARTS} arrays and objects"
        if not level:
            is_long = len(repr(field)) > MAX_CHARACTERS
            return f"longer than {MAX_CHARACTERS} characters" if is_long else ""
    return f"nested deeper than {MAX_TOOL_DEPTH} levels"


def _containers(value: JSON) -> list[JSON]:
    """The arrays and objects right inside an array or object."""
    if isinstance(value, dict):
        return [child for child in value.values() if isinstance(child, dict | list)]
    if isinstance(value, list) and not is_flat(value):
        return [child for child in value if isinstance(child, dict | list)]
    return []


def has_valid_input(tool: Tool) -> bool:
    """Whether the tool has what MCP asks of all: an input schema that says `type: object`."""
    return _is_object_schema(_fields(tool).get("inputSchema"))


def _is_object_schema(schema: JSON | Missing) -> bool:
    return (
        isinstance(schema, dict)
        and schema.get("type") == "object"
        and isinstance(schema.get("properties", {}), dict)
    )


def _compare_input(
    before: JSON | Missing, after: JSON | Missing, place: Place, engine: Engine
) -> Iterator[Change]:
    was_valid, is_valid = _is_object_schema(before), _is_object_schema(after)
    if was_valid and not is_valid:
        at, found = _fault(after, place)
        said = (
            f"{found}; MCP asks for an object schema, and strict clients drop the tool or the list"
        )
        yield change("schema-became-invalid", at, said)
    elif is_valid and not was_valid:
        said = f"is an object schema now; before, {_fault(before, place)[1]}"
        yield change("schema-repaired", place, said)
    elif before is MISSING or after is MISSING or not isinstance(before, dict | bool):
        if _text(before) != _text(after):
            yield change(
                "not-provable", place, "was and is no object schema, and is another one now"
            )
    else:
        yield from compare_definitions(before, after, Side.INPUT, place, engine)


def _fault(schema: JSON | Missing, place: Place) -> tuple[Place, str]:
    """Where an input schema is wrong, and in what way."""
    if schema is MISSING:
        return place, "the input schema is missing"
    if not isinstance(schema, dict):
        return place, f"the input schema is {shown(schema)}"
    if schema.get("type") == "object":
        return place.at("properties"), f"properties is {shown(schema.get('properties'))}"
    if "type" not in schema:
        return place.at("type"), "the root has no type"
    return place.at("type"), f"the root type is {shown(schema['type'])}"


def _text(value: JSON | Missing) -> str | None:
    return None if value is MISSING else canonical_text(value, Role.SCHEMA)


def _compare_output(before: JSON, after: JSON, place: Place, engine: Engine) -> Iterator[Change]:
    """Compare output schemas; null is as good as none."""
    if before is None and after is not None:
        yield change("output-schema-added", place, "structured results are now promised")
    elif after is None and before is not None:
        yield change("output-schema-removed", place, "structured results are no longer promised")
    elif before is not None and after is not None:
        yield from compare_definitions(before, after, Side.OUTPUT, place, engine)


def _compare_text(old: dict[str, JSON], new: dict[str, JSON], place: Place) -> Iterator[Change]:
    one, other = old.get("description", MISSING), new.get("description", MISSING)
    if _differ(one, other):
        said = text_change("description", one, other)
        yield change(text_rule(one, other), place.at("description"), said, one, other)
    (old_name, _), (new_name, at) = _display_name(old), _display_name(new)
    if _differ(old_name, new_name):
        said = text_change("display name", old_name, new_name)
        yield change("title-changed", place.at(*at), said, old_name, new_name)


def _display_name(fields: dict[str, JSON]) -> tuple[JSON, tuple[str, ...]]:
    """What a person sees, and where: the title, else that of the annotations, else the name."""
    annotations = fields.get("annotations")
    if fields.get("title") is not None:
        return fields["title"], ("title",)
    if isinstance(annotations, dict) and annotations.get("title") is not None:
        return annotations["title"], ("annotations", "title")
    return fields.get("name"), ("title",)


def _compare_others(old: dict[str, JSON], new: dict[str, JSON], place: Place) -> Iterator[Change]:
    if _differ(old.get("icons", MISSING), new.get("icons", MISSING)):
        yield change("icons-changed", place.at("icons"), "icons changed")
    yield from _compare_meta(
        old.get("_meta", MISSING), new.get("_meta", MISSING), place.at("_meta")
    )
    for name in sorted((old.keys() | new.keys()) - KNOWN_FIELDS):
        one, other = old.get(name, MISSING), new.get(name, MISSING)
        if _differ(one, other):
            said = text_change(name, one, other)
            yield change("tool-field-changed", place.at(name), said, one, other)


def _compare_meta(before: JSON | Missing, after: JSON | Missing, place: Place) -> Iterator[Change]:
    if before is after:
        return  # neither has any, as most have not
    old = before if isinstance(before, dict) else {}
    new = after if isinstance(after, dict) else {}
    for name in sorted(old.keys() | new.keys()):
        one, other = old.get(name, MISSING), new.get(name, MISSING)
        if _differ(one, other):
            said = text_change(name, one, other)
            yield change("meta-changed", place.at(name), said, one, other)
    if _differ(*(MISSING if isinstance(value, dict) else value for value in (before, after))):
        yield change("meta-changed", place, text_change("_meta", before, after), before, after)


def _differ(one: JSON | Missing, other: JSON | Missing) -> bool:
    if one is MISSING or other is MISSING:
        return one is not other
    return not is_same(one, other)
