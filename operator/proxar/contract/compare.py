"""Tool by tool: what was removed, added and changed between two lists."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter

from proxar.contract.canonical import canonical
from proxar.contract.change import Change, Diff
from proxar.contract.containment import Engine
from proxar.contract.groups import mark_groups
from proxar.contract.keywords import Role
from proxar.contract.path import Place
from proxar.contract.renames import suggest
from proxar.contract.rules import change
from proxar.contract.tool import compare_tools, has_valid_input
from proxar.contract.toollist import Tool, ToolList
from proxar.contract.value import JSON
from proxar.contract.wording import shown

__all__ = ["compare", "differences"]


def compare(before: ToolList, after: ToolList) -> Diff:
    """Return what changed: nothing if the hashes are equal, and never less than what changed.

    Tools are matched by name; a rename is a removal and an addition. The order in which a server
    lists its tools has no part in it: a list read back from where it was stored gives the same.
    What a removed thing may be called now, and which changes many tools share, is told beside.
    """
    diff = differences(before, after)
    return replace(diff, changes=mark_groups(suggest(before, after, diff.changes)))


def differences(before: ToolList, after: ToolList) -> Diff:
    """Return the bare changes, without what is told beside them."""
    if before.hash == after.hash:
        return Diff.of((), ())
    old, new = _by_name(before), _by_name(after)
    names = sorted(old.keys() | new.keys())
    return Diff.of(
        chain(
            _compare(names, old, new, after.protocol_version),
            _compare_malformed(before, after),
        ),
        names,
    )


def _compare(
    names: Sequence[str],
    old: Mapping[str, Sequence[Tool]],
    new: Mapping[str, Sequence[Tool]],
    protocol_version: str | None,
) -> Iterator[Change]:
    engine = Engine()
    for name in names:
        tools, others = old.get(name, ()), new.get(name, ())
        if not others:
            yield change("tool-removed", Place(name), f"the tool {shown(name)} is no longer listed")
        elif not tools:
            yield from _report_added(others)
        elif not _are_equal(tools, others):
            yield from _compare_entries(tools, others, engine, protocol_version)


def _by_name(tool_list: ToolList) -> dict[str, list[Tool]]:
    """The entries of each name by their text; more than one is the server's mistake."""
    by_name: dict[str, list[Tool]] = {}
    for tool in tool_list.tools:
        if tool.is_named:
            by_name.setdefault(tool.name, []).append(tool)
    for tools in by_name.values():
        if len(tools) > 1:
            tools.sort(key=attrgetter("canonical"))
    return by_name


def _are_equal(one: Sequence[Tool], other: Sequence[Tool]) -> bool:
    """Whether the same texts are listed, each as often; both are in the order of the texts."""
    if len(one) == len(other) == 1:  # as it nearly always is
        return one[0].canonical == other[0].canonical
    return [tool.canonical for tool in one] == [tool.canonical for tool in other]


def _report_added(tools: Sequence[Tool]) -> Iterator[Change]:
    tool = tools[0]
    place = Place(tool.name)
    yield change("tool-added", place, f"the tool {shown(tool.name)} is new")
    if not all(map(has_valid_input, tools)):
        said = "the new tool has no object schema for its input; strict clients drop it or the list"
        yield change("tool-added-invalid", place.at("inputSchema"), said)
    if _have_one_schema(tools):
        yield from _report_count(1, len(tools), place)
    else:
        yield _ambiguous(place)


def _compare_entries(
    before: Sequence[Tool], after: Sequence[Tool], engine: Engine, protocol_version: str | None
) -> Iterator[Change]:
    """Compare the entries of one name, which should be one on each side."""
    place = Place(before[0].name)
    if not (_have_one_schema(before) and _have_one_schema(after)):
        yield _ambiguous(place)
    else:
        yield from _report_count(len(before), len(after), place)
    yield from compare_tools(before[0], after[0], engine, protocol_version=protocol_version)


def _report_count(before: int, after: int, place: Place) -> Iterator[Change]:
    if after > 1 and after > before:
        yield change("tool-duplicated", place, f"listed {after} times, with the same schemas")
    elif before > 1 and after < before:
        yield change("tool-deduplicated", place, f"listed {before} times before, now {after}")


def _ambiguous(place: Place) -> Change:
    said = "listed several times with different schemas; which one is called cannot be known"
    return change("tool-ambiguous", place, said)


def _have_one_schema(tools: Sequence[Tool]) -> bool:
    return len(tools) == 1 or len({_schemas(tool) for tool in tools}) == 1


def _schemas(tool: Tool) -> bytes:
    definition = tool.definition if isinstance(tool.definition, dict) else {}
    schemas: list[JSON] = [
        [definition[side]] if side in definition else [] for side in ("inputSchema", "outputSchema")
    ]
    return canonical(schemas, Role.SCHEMA)


def _compare_malformed(before: ToolList, after: ToolList) -> Iterator[Change]:
    """Compare the entries that have no name, by their text: their place says nothing.

    They are numbered among themselves, since the place of the same entry differs from look to look.
    """
    old, new = (
        sorted((tool for tool in tool_list.tools if not tool.is_named), key=lambda it: it.canonical)
        for tool_list in (before, after)
    )
    for rule, tools, others, verb in (
        ("entry-malformed", new, old, "appeared"),
        ("entry-repaired", old, new, "is gone"),
    ):
        known = Counter(tool.canonical for tool in others)
        for number, tool in enumerate(tools, start=1):
            if known[tool.canonical]:
                known[tool.canonical] -= 1
                continue
            said = f"an entry without a name {verb}: {shown(tool.definition)}"
            yield change(rule, Place(f"#{number}"), said)
