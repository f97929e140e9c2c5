"""The registry of rules: every id that a change can carry, how bad it is by default, and what it
means.

Ids are permanent: they are in alerts and in `driftPolicy.rules`. A rule about schemas is written
once, by what happened to the set of accepted values, and exists for both sides: a narrower input
breaks callers, a narrower output breaks nobody.
"""

from dataclasses import dataclass
from enum import Enum

from proxar.contract.change import Change
from proxar.contract.path import Place
from proxar.contract.value import JSON, MISSING, Missing
from proxar.contract.verdict import Verdict

__all__ = ["RULES", "Effect", "Rule", "Side", "change", "rule_on"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of difference."""

    id: str
    verdict: Verdict
    summary: str


class Side(Enum):
    """Who has to keep to a schema: the caller to that of the input, the server to that of the
    output.
    """

    __hash__ = object.__hash__  # that of Enum is written in Python

    INPUT = "inputSchema"
    OUTPUT = "outputSchema"


class Effect(Enum):
    """What a rule says about the values that a schema accepts; the verdicts are for (input,
    output).
    """

    NARROWS = (Verdict.BREAKING, Verdict.COMPATIBLE)
    WIDENS = (Verdict.COMPATIBLE, Verdict.BREAKING)
    SHIFTS = (Verdict.BREAKING, Verdict.BREAKING)
    SPEAKS = (Verdict.ADVISORY, Verdict.ADVISORY)
    DECORATES = (Verdict.COSMETIC, Verdict.COSMETIC)


SCHEMA_RULES: dict[str, tuple[Effect, str]] = {
    "parameter-removed": (Effect.SHIFTS, "{it} is no longer declared"),
    "parameter-added-required": (
        Effect.NARROWS,
        "a new {it} is required, with or without a default",
    ),
    "parameter-became-required": (Effect.NARROWS, "{it} that could be left out is now required"),
    "parameter-became-optional": (Effect.WIDENS, "{it} that was required can now be left out"),
    "type-narrowed": (Effect.NARROWS, "some types or values are no longer accepted"),
    "type-widened": (Effect.WIDENS, "more types or values are accepted"),
    "type-changed": (Effect.SHIFTS, "other types or values are accepted than before"),
    "enum-value-removed": (Effect.NARROWS, "one of the listed values is gone"),
    "enum-value-added": (Effect.WIDENS, "one more value is listed"),
    "min-length-raised": (Effect.NARROWS, "strings must be longer"),
    "min-length-lowered": (Effect.WIDENS, "strings may be shorter"),
    "max-length-lowered": (Effect.NARROWS, "strings must be shorter"),
    "max-length-raised": (Effect.WIDENS, "strings may be longer"),
    "minimum-raised": (Effect.NARROWS, "numbers must be larger"),
    "minimum-lowered": (Effect.WIDENS, "numbers may be smaller"),
    "maximum-lowered": (Effect.NARROWS, "numbers must be smaller"),
    "maximum-raised": (Effect.WIDENS, "numbers may be larger"),
    "multiple-of-tightened": (Effect.NARROWS, "numbers must be multiples of a coarser step"),
    "multiple-of-loosened": (Effect.WIDENS, "numbers may be multiples of a finer step"),
    "multiple-of-changed": (Effect.SHIFTS, "numbers must be multiples of an unrelated step"),
    "min-items-raised": (Effect.NARROWS, "arrays must have more items"),
    "min-items-lowered": (Effect.WIDENS, "arrays may have fewer items"),
    "max-items-lowered": (Effect.NARROWS, "arrays must have fewer items"),
    "max-items-raised": (Effect.WIDENS, "arrays may have more items"),
    "unique-items-added": (Effect.NARROWS, "items of an array must differ from each other"),
    "unique-items-removed": (Effect.WIDENS, "items of an array may repeat"),
    "min-properties-raised": (Effect.NARROWS, "objects must have more members"),
    "min-properties-lowered": (Effect.WIDENS, "objects may have fewer members"),
    "max-properties-lowered": (Effect.NARROWS, "objects must have fewer members"),
    "max-properties-raised": (Effect.WIDENS, "objects may have more members"),
    "pattern-added": (Effect.NARROWS, "strings must match a pattern"),
    "pattern-removed": (Effect.WIDENS, "strings need not match a pattern any more"),
    "pattern-changed": (Effect.SHIFTS, "the pattern is another one; containment is not proved"),
    "pattern-narrowed": (Effect.NARROWS, "the pattern matches less, as is proved"),
    "pattern-widened": (Effect.WIDENS, "the pattern matches all that it did and more"),
    "format-added": (Effect.NARROWS, "strings must have a format"),
    "format-removed": (Effect.WIDENS, "strings need not have a format any more"),
    "format-narrowed": (Effect.NARROWS, "the format is a special case of the old one"),
    "format-widened": (Effect.WIDENS, "the format includes the old one"),
    "format-changed": (Effect.SHIFTS, "the format is another one"),
    "content-changed": (Effect.SHIFTS, "the content of a string is encoded in another way"),
    "root-closed": (Effect.NARROWS, "undeclared {it}s are now refused"),
    "root-opened": (Effect.WIDENS, "undeclared {it}s are no longer refused"),
    "object-closed": (Effect.NARROWS, "undeclared members of a nested object are now refused"),
    "object-opened": (Effect.WIDENS, "undeclared members of a nested object are no longer refused"),
    "dependency-added": (Effect.NARROWS, "a member now requires another one"),
    "dependency-removed": (Effect.WIDENS, "a member no longer requires another one"),
    "constraint-added": (Effect.NARROWS, "a rule over the whole value was added, such as `not`"),
    "constraint-removed": (Effect.WIDENS, "a rule over the whole value was removed"),
    "alternative-removed": (Effect.NARROWS, "one of several accepted forms is gone"),
    "alternative-added": (Effect.WIDENS, "one more form is accepted"),
    "schema-narrowed": (Effect.NARROWS, "keywords together accept less; a value shows it"),
    "schema-widened": (Effect.WIDENS, "keywords together accept all that they did and more"),
    "not-provable": (Effect.SHIFTS, "it cannot be proved that what was valid still is"),
    "description-added": (Effect.SPEAKS, "a description appeared"),
    "description-removed": (Effect.SPEAKS, "a description is gone"),
    "description-changed": (Effect.SPEAKS, "a description has another text"),
    "title-changed": (Effect.SPEAKS, "the display name is another one"),
    "default-changed": (Effect.SPEAKS, "the default is another one"),
    "examples-changed": (Effect.SPEAKS, "the examples are others"),
    "deprecated-changed": (Effect.SPEAKS, "the mark `deprecated` was set or taken away"),
    "access-changed": (Effect.SPEAKS, "the mark `readOnly` or `writeOnly` was set or taken away"),
    "format-note-changed": (Effect.SPEAKS, "a format that nobody checks is another one"),
    "content-note-changed": (Effect.SPEAKS, "the encoding of a string is told, or no longer"),
    "unknown-keyword-changed": (
        Effect.SPEAKS,
        "a keyword that is not JSON Schema has another value",
    ),
    "comment-changed": (Effect.DECORATES, "a `$comment` has another text"),
    "identifier-changed": (Effect.DECORATES, "the `$id` is another one"),
    "dialect-changed": (Effect.DECORATES, "the `$schema` is another one, without effect"),
}
"""Rules for both sides; `{it}` is a parameter of an input and a field of an output."""

ONE_SIDED: tuple[Rule, ...] = (
    Rule("tool-removed", Verdict.BREAKING, "the tool is no longer listed"),
    Rule("tool-added", Verdict.COMPATIBLE, "a new tool is listed"),
    Rule("tool-added-invalid", Verdict.ADVISORY, "a new tool is listed that strict clients drop"),
    Rule("tool-duplicated", Verdict.ADVISORY, "a tool is listed twice with the same schemas"),
    Rule("tool-deduplicated", Verdict.COMPATIBLE, "a tool that was listed twice is listed once"),
    Rule(
        "tool-ambiguous",
        Verdict.BREAKING,
        "one name has several schemas; which one counts is unknown",
    ),
    Rule(
        "tool-field-changed",
        Verdict.ADVISORY,
        "a field of the tool that MCP does not define changed",
    ),
    Rule(
        "entry-malformed",
        Verdict.BREAKING,
        "an entry without a name appeared; strict clients refuse the list",
    ),
    Rule("entry-repaired", Verdict.COMPATIBLE, "an entry without a name is gone"),
    Rule(
        "schema-became-invalid",
        Verdict.BREAKING,
        "a schema is no valid one any more, or that of the input no object schema",
    ),
    Rule(
        "schema-repaired",
        Verdict.COMPATIBLE,
        "a schema is a valid one again, or that of the input an object schema",
    ),
    Rule("parameter-added", Verdict.COMPATIBLE, "a new parameter that may be left out"),
    Rule("header-added", Verdict.BREAKING, "a parameter must now be repeated in a request header"),
    Rule("header-changed", Verdict.BREAKING, "the request header of a parameter has another name"),
    Rule(
        "header-misplaced",
        Verdict.BREAKING,
        "`x-mcp-header` is illegal now, as behind a reference: clients must drop the tool",
    ),
    Rule(
        "header-removed", Verdict.ADVISORY, "a parameter is no longer repeated in a request header"
    ),
    Rule("output-schema-added", Verdict.COMPATIBLE, "structured results are now promised"),
    Rule("output-schema-removed", Verdict.BREAKING, "structured results are no longer promised"),
    Rule(
        "output-optional-field-removed",
        Verdict.ADVISORY,
        "a field that was never certain is never sent any more",
    ),
    Rule(
        "output-field-added", Verdict.COMPATIBLE, "a new field in a result that was open for more"
    ),
    Rule(
        "output-field-added-to-closed",
        Verdict.BREAKING,
        "a new field in a result that promised to have no other",
    ),
    Rule(
        "annotation-withdrawn", Verdict.BREAKING, "a hint that clients act on no longer promises it"
    ),
    Rule(
        "annotation-granted",
        Verdict.ADVISORY,
        "a hint promises more, which may unlock automatic approval",
    ),
    Rule("annotation-changed", Verdict.ADVISORY, "an annotation that MCP does not define changed"),
    Rule(
        "task-support-narrowed",
        Verdict.BREAKING,
        "a way to call the tool, plain or as a task, is gone",
    ),
    Rule("task-support-widened", Verdict.COMPATIBLE, "a further way to call the tool"),
    Rule(
        "task-support-retired", Verdict.ADVISORY, "the protocol version no longer has `execution`"
    ),
    Rule("meta-changed", Verdict.ADVISORY, "the tool's `_meta` changed"),
    Rule("icons-changed", Verdict.COSMETIC, "the icons changed"),
)
"""Rules about the tool itself, and those of schemas that only one side has."""


def _on_side(side: Side) -> dict[str, Rule]:
    """The rules of one side by their id of the input side."""
    word = "parameter" if side is Side.INPUT else "field"
    rules = {}
    for base, (effect, summary) in SCHEMA_RULES.items():
        name = base if side is Side.INPUT else f"output-{base.replace('parameter', 'field')}"
        verdict = effect.value[0 if side is Side.INPUT else 1]
        rules[base] = Rule(name, verdict, summary.replace("{it}", word))
    return rules


_BY_SIDE: dict[Side, dict[str, Rule]] = {side: _on_side(side) for side in Side}

RULES: dict[str, Rule] = {
    rule.id: rule
    for rules in (ONE_SIDED, _BY_SIDE[Side.INPUT].values(), _BY_SIDE[Side.OUTPUT].values())
    for rule in rules
}
"""All rules by id."""


def rule_on(side: Side, name: str) -> Rule:
    """Return the rule that `name`, an id of the input side or a one-sided one, stands for on a
    side.
    """
    return _BY_SIDE[side].get(name) or RULES[name]


def change(
    rule: str,
    place: Place,
    message: str,
    before: JSON | Missing = MISSING,
    after: JSON | Missing = MISSING,
    *,
    parameter: str | None = None,
) -> Change:
    """Make a change by a rule of the registry, with its default verdict."""
    return Change(
        tool=place.tool,
        path=place.path,
        pointer=place.pointer,
        rule=rule,
        verdict=RULES[rule].verdict,
        message=message,
        before=before,
        after=after,
        parameter=parameter,
    )
