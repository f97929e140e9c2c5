"""The hints and call styles of a tool, by what they promise, with MCP's defaults applied."""

from collections.abc import Iterator

from proxar.contract.canonical import is_same
from proxar.contract.change import Change
from proxar.contract.path import Place
from proxar.contract.rules import change
from proxar.contract.value import JSON, MISSING, Missing
from proxar.contract.wording import text_change

__all__ = ["compare_annotations", "compare_call_styles"]

PROMISES: dict[str, tuple[bool, bool]] = {
    "readOnlyHint": (False, True),
    "destructiveHint": (True, False),
    "idempotentHint": (False, True),
    "openWorldHint": (True, False),
}
"""Hint to its default, and to the value that promises something to whoever approves calls."""

MOOT_WHEN_READ_ONLY = frozenset({"destructiveHint", "idempotentHint"})

CALL_STYLES: dict[str, frozenset[str]] = {
    "forbidden": frozenset({"plain"}),
    "optional": frozenset({"plain", "task"}),
    "required": frozenset({"task"}),
}
"""`execution.taskSupport` to the ways in which the tool may be called."""

VERSION_WITHOUT_EXECUTION = "2026-07-28"
"""The first protocol version without `execution`; versions are dates and sort as text."""


def compare_annotations(
    before: JSON | Missing, after: JSON | Missing, place: Place
) -> Iterator[Change]:
    """Compare the hints by their effective values, and all else that is said beside them."""
    if before is after or repr(before) == repr(after):
        return
    old = before if isinstance(before, dict) else {}
    new = after if isinstance(after, dict) else {}
    is_moot = _effective(old, "readOnlyHint") and _effective(new, "readOnlyHint")
    for hint, (_, promise) in PROMISES.items():
        one, other = _effective(old, hint), _effective(new, hint)
        if one == other or (is_moot and hint in MOOT_WHEN_READ_ONLY):
            continue
        at = place.at(hint)
        if one == promise:
            said = f"{hint} no longer promises {str(promise).lower()}"
            yield change("annotation-withdrawn", at, said, one, other)
        else:
            said = f"{hint} now promises {str(promise).lower()}, which is not to be trusted unseen"
            yield change("annotation-granted", at, said, one, other)
    for name in sorted((old.keys() | new.keys()) - PROMISES.keys() - {"title"}):
        one_value, other_value = old.get(name, MISSING), new.get(name, MISSING)
        if not _is_equal(one_value, other_value):
            said = text_change(name, one_value, other_value)
            yield change("annotation-changed", place.at(name), said, one_value, other_value)
    if not (_is_readable(before) and _is_readable(after)) and not _is_equal(before, after):
        said = text_change("annotations", before, after)
        yield change("annotation-changed", place, said, before, after)


def _is_readable(value: JSON | Missing) -> bool:
    return value is MISSING or value is None or isinstance(value, dict)


def _effective(annotations: dict[str, JSON], hint: str) -> bool:
    """What a hint amounts to; one that is no boolean says nothing."""
    value = annotations.get(hint)
    return value if isinstance(value, bool) else PROMISES[hint][0]


def _is_equal(one: JSON | Missing, other: JSON | Missing) -> bool:
    if one is MISSING or other is MISSING:
        return one is other
    return is_same(one, other)


def compare_call_styles(
    before: JSON | Missing, after: JSON | Missing, place: Place, protocol_version: str | None
) -> Iterator[Change]:
    """Compare in which ways a tool may be called: plain, as a task, or both."""
    if before is after:
        return  # neither has any, as most have not
    old, new = _task_support(before), _task_support(after)
    at = place.at("taskSupport")
    if not _is_equal(old, new):
        yield from _compare_task_support(old, new, at, after is MISSING, protocol_version)
    rest = [
        {name: value for name, value in each.items() if name != "taskSupport"}
        if isinstance(each, dict)
        else each
        for each in (before, after)
    ]
    one, other = (MISSING if value == {} else value for value in rest)
    if not _is_equal(one, other):
        yield change("tool-field-changed", place, text_change("execution", one, other))


def _task_support(execution: JSON | Missing) -> JSON:
    value = execution.get("taskSupport") if isinstance(execution, dict) else None
    return "forbidden" if value is None else value


def _compare_task_support(
    old: JSON, new: JSON, at: Place, is_gone: bool, protocol_version: str | None
) -> Iterator[Change]:
    if is_gone and (protocol_version or "") >= VERSION_WITHOUT_EXECUTION:
        said = f"protocol {protocol_version} has no taskSupport any more"
        yield change("task-support-retired", at, said, old)
        return
    one, other = (
        CALL_STYLES.get(style) if isinstance(style, str) else None for style in (old, new)
    )
    said = text_change("taskSupport", old, new)
    if one is None or other is None or one - other:
        yield change("task-support-narrowed", at, said, old, new)
    if one is not None and other is not None and other - one:
        yield change("task-support-widened", at, said, old, new)
