"""Two schemas of which one is no valid JSON Schema: strict clients drop such a tool, or the list.

So a schema that becomes invalid breaks, whatever its assertions amount to, and what an invalid
keyword becomes breaks nobody: there was no call that it could have refused. Everything else about
the schemas is compared as always.
"""

from collections.abc import Iterator, Sequence

from proxar.contract.change import Change
from proxar.contract.containment import Engine
from proxar.contract.members import parts_of
from proxar.contract.path import Place
from proxar.contract.rules import Side, change
from proxar.contract.schema import compare_schemas
from proxar.contract.value import JSON, MISSING, Missing
from proxar.contract.verdict import Verdict
from proxar.contract.wording import UNREADABLE

__all__ = ["compare_definitions"]

INVALID = frozenset(
    {
        "lint-bound-boolean",
        "lint-keyword-malformed",
        "lint-pattern-invalid",
        "lint-reference-dangling",
        "lint-schema-null",
        "lint-type-invalid",
    }
)
"""Lint rules about what no reader can understand."""

MAX_FAULTS = 100
"""Invalid keywords that are mended to see what else changed; each costs a copy of its schema."""

Steps = tuple[str | int, ...]


def compare_definitions(
    before: JSON, after: JSON, side: Side, place: Place, engine: Engine
) -> Iterator[Change]:
    """Yield what changed between two schemas, as `compare_schemas`."""
    found = list(compare_schemas(before, after, side, place, engine))
    if not any(UNREADABLE in change.message for change in found):
        yield from found  # as nearly always; whether a schema is valid takes long to tell
        return
    old, new = _faults(before), _faults(after)
    if old and not new and len(old) <= MAX_FAULTS:
        for steps in old:
            before = _mended(before, after, steps)
            said = "was invalid, so that strict clients dropped the tool, and is valid now"
            yield change("schema-repaired", place.at(*steps), said)
        found = list(compare_schemas(before, after, side, place, engine))
    yield from found
    if new and not old and not any(each.verdict is Verdict.BREAKING for each in found):
        for steps in new:
            said = "is invalid now: strict clients drop the tool or the list"
            yield change("schema-became-invalid", place.at(*steps), said)


def _faults(schema: JSON) -> list[Steps]:
    """The ways from the root to the keywords that are invalid, outermost first."""
    if not isinstance(schema, dict):
        return []
    from proxar.contract.lint.nodes import schemas_in
    from proxar.contract.lint.references import lint_references
    from proxar.contract.lint.schemas import lint_schemas

    schemas, root = schemas_in(schema), Place("")
    findings = (*lint_schemas(schema, schemas, root), *lint_references(schema, schemas, root))
    pointers = {finding.pointer for finding in findings if finding.rule in INVALID}
    return sorted((_steps(schema, parts_of(pointer)) for pointer in pointers), key=len)


def _steps(root: JSON, parts: Sequence[str]) -> Steps:
    """The parts of a pointer, those in arrays as numbers."""
    steps: list[str | int] = []
    value: JSON | Missing = root
    for part in parts:
        step: str | int = int(part) if isinstance(value, list) else part
        steps.append(step)
        value = _child(value, step)
    return tuple(steps)


def _child(value: JSON | Missing, step: str | int) -> JSON | Missing:
    if isinstance(value, dict) and isinstance(step, str):
        return value.get(step, MISSING)
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return MISSING


def _mended(before: JSON, after: JSON | Missing, steps: Steps) -> JSON:
    """The old schema with an invalid keyword as the new one has it; a reference to nothing is all
    that its schema says.
    """
    step = steps[0]
    mine, theirs = _child(before, step), _child(after, step)
    if mine is MISSING:
        return before  # it was in a part that is mended already
    if len(steps) == 2 and steps[1] == "$ref" and theirs is not MISSING:
        mended: JSON | Missing = theirs
    else:
        mended = theirs if len(steps) == 1 else _mended(mine, theirs, steps[1:])
    if isinstance(before, dict) and isinstance(step, str):
        rest = {name: value for name, value in before.items() if name != step}
        return rest if mended is MISSING else rest | {step: mended}
    if isinstance(before, list) and isinstance(step, int) and mended is not MISSING:
        return [*before[:step], mended, *before[step + 1 :]]
    return before
