"""The registry of lint rules: every id that a finding can carry, how bad it is, and what it means.

Ids are permanent and begin with `lint-`, so that no glob over rules of changes meets them. Nothing
changed when a list is linted, so `breaking` is no word here. An *error* is what clients or model
providers in use refuse, the tool or the whole list, or what shows an approver something else than a
model reads. A *warning* is legal and read by all that keep to the standard, and known to go wrong
somewhere.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from proxar.contract.path import Place
from proxar.contract.value import JSON

__all__ = ["LINT_RULES", "Finding", "LintRule", "Severity", "finding"]


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class LintRule:
    """One kind of mistake in a tool list."""

    id: str
    severity: Severity
    summary: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake: where, by which rule, and in words."""

    tool: str
    path: str
    """For people, as in a change."""
    pointer: str
    """The same place as an RFC 6901 pointer inside the tool."""
    rule: str
    severity: Severity
    message: str
    """One line, bounded, with nothing invisible in it."""

    def to_json(self) -> dict[str, JSON]:
        """Return the public form."""
        return {
            "tool": self.tool,
            "path": self.path,
            "pointer": self.pointer,
            "rule": self.rule,
            "severity": self.severity.value,
            "message": self.message,
        }


ERRORS: Final[dict[str, str]] = {
    "lint-entry-malformed": "an entry is no object or has no name: strict clients refuse the list",
    "lint-name-invalid": "a tool's name is not 1 to 128 of `A-Z a-z 0-9 _ . -`",
    "lint-name-duplicated": "several tools have one name: a model sees one and another may run",
    "lint-key-duplicated": "an object has a member twice: readers differ in which one they keep",
    "lint-input-not-object": "the input schema is missing, or its root does not say `type: object`",
    "lint-output-not-object": (
        "the root of the output schema does not say `type: object`: "
        "clients before protocol 2026-07-28 drop the tool or the whole list"
    ),
    "lint-schema-null": "null stands where a schema or a set of schemas belongs",
    "lint-keyword-malformed": "a keyword has a value that JSON Schema does not allow",
    "lint-bound-boolean": "`exclusiveMinimum` or `exclusiveMaximum` is a boolean, as in draft-04",
    "lint-type-invalid": "`type` names no type of JSON Schema, none at all, or one twice",
    "lint-enum-empty": "`enum` lists nothing, so that no value is valid",
    "lint-pattern-invalid": "a regular expression is none of ECMA-262",
    "lint-dialect-unknown": "`$schema` names a dialect that validators do not know",
    "lint-reference-dangling": "a `$ref` points at nothing",
    "lint-reference-external": "a `$ref` points outside of the schema; nobody may fetch it",
    "lint-reference-circular": "references lead back to themselves and never reach a schema",
    "lint-header-invalid": "`x-mcp-header` is no header name (a token of RFC 9110)",
    "lint-header-duplicated": "two parameters ask for one header; case does not tell them apart",
    "lint-header-misplaced": "`x-mcp-header` is not on a parameter that only `properties` lead to",
    "lint-header-type": "`x-mcp-header` is on a parameter that is no string, integer or boolean",
    "lint-text-bidi": "a text has controls that turn the direction of reading around",
    "lint-text-tag": "a text has tag characters, which models read and people do not see",
    "lint-text-selector": "a text has variation selectors that select nothing, and can carry data",
    "lint-text-control": "a text has control characters or lone surrogates",
}

WARNINGS: Final[dict[str, str]] = {
    "lint-name-case-twin": "names of two tools differ in case only",
    "lint-parameter-name-unusual": (
        "a parameter's name is not 1 to 64 of `A-Z a-z 0-9 _ . -`: model providers refuse it"
    ),
    "lint-root-combinator": (
        "the root of the input schema has `anyOf`, `oneOf` or `allOf`: model providers refuse it"
    ),
    "lint-required-undeclared": "a name is required that is not declared",
    "lint-nesting-deep": "the tool is nested deeper than many readers go",
    "lint-schema-recursive": "a schema holds itself: readers that unfold references overflow",
    "lint-number-beyond-64-bits": "a number does not fit 64 bits: readers round or refuse it",
    "lint-text-zero-width": "a text has characters without width: two that look equal differ",
    "lint-text-invisible": "a text has other characters that nobody sees",
    "lint-more-findings": "there are more findings about this tool than are told",
}

LINT_RULES: Final[dict[str, LintRule]] = {
    name: LintRule(name, severity, summary)
    for severity, rules in ((Severity.ERROR, ERRORS), (Severity.WARNING, WARNINGS))
    for name, summary in rules.items()
}
"""All lint rules by id."""


def finding(rule: str, place: Place, message: str) -> Finding:
    """Make a finding by a rule of the registry."""
    return Finding(
        tool=place.tool,
        path=place.path,
        pointer=place.pointer,
        rule=rule,
        severity=LINT_RULES[rule].severity,
        message=message,
    )
