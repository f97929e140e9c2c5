"""The generated sections of docs/reference/rules.md, out of the registry and its golden cases.

An example is the smallest case of a rule, cut down to the innermost object that differs. A rule
that has no subject here yet comes under "Others".
"""

import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from proxar.contract import Verdict
from proxar.contract.rules import RULES, Rule, Side
from tests.support.install import ROOT

__all__ = ["CASES", "by_subject", "differing_parts", "sections"]

CASES = ROOT / "tests" / "unit" / "contract" / "cases"
WIDTH = 100
"""Characters of an example; longer ones leave out what did not change."""

SUBJECTS: dict[str, tuple[str, ...]] = {
    "The list": ("tool-", "entry-"),
    "The tool beside its schemas": ("annotation-", "task-support-", "meta-", "icons-"),
    "A schema as a whole": ("schema-", "root-", "not-provable", "dialect-", "reference-"),
    "Parameters and fields": ("parameter-", "field-", "optional-field-", "header-"),
    "Types and listed values": ("type-", "enum-", "const-"),
    "Strings": ("min-length-", "max-length-", "pattern-", "format-", "content-"),
    "Numbers": ("minimum-", "maximum-", "multiple-of-"),
    "Arrays": ("min-items-", "max-items-", "unique-items-", "items-", "item-", "contains-"),
    "Objects": ("min-properties-", "max-properties-", "object-", "dependency-", "property-"),
    "Alternatives and conditions": ("alternative-", "constraint-", "condition-"),
    "Words for the reader": (
        *("description-", "title-", "default-", "examples-", "deprecated-", "access-"),
        *("comment-", "identifier-", "unknown-keyword-"),
    ),
}
"""Headings, and how the ids below them begin; `output-` is not looked at."""

OTHERS = "Others"


class Example(NamedTuple):
    """A golden case, as far as one rule needs it."""

    folder: Path
    path: str
    changes: int
    before: Any
    after: Any

    @property
    def size(self) -> tuple[int, int, str]:
        """Least changes first, then least text; by name at last, for the same page everywhere."""
        text = json.dumps([self.before, self.after])
        return self.changes, len(text), str(self.folder)


def sections() -> dict[str, str]:
    """Return the generated text by section name."""
    examples = _examples()
    groups = by_subject(RULES)
    rules = []
    for subject, found in groups.items():
        rules.append(f"## {subject}")
        rules += [_entry(rule, examples.get(rule.id, [])) for rule in found]
    return {"number": _number(), "contents": _contents(groups), "rules": "\n\n".join(rules)}


def by_subject(rules: Mapping[str, Rule]) -> dict[str, list[Rule]]:
    """Return the rules under their headings; within one, a rule for results follows its twin."""
    groups: dict[str, list[Rule]] = {subject: [] for subject in (*SUBJECTS, OTHERS)}
    placed: set[str] = set()
    for rule in rules.values():
        for each in (rule, _twin(rule, rules)):
            if each is not None and each.id not in placed:
                placed.add(each.id)
                groups[_subject(each.id)].append(each)
    return {subject: found for subject, found in groups.items() if found}


def _subject(rule: str) -> str:
    name = rule.removeprefix("output-")
    return next((it for it, beginnings in SUBJECTS.items() if name.startswith(beginnings)), OTHERS)


def _twin(rule: Rule, rules: Mapping[str, Rule] = RULES) -> Rule | None:
    """The rule for results that belongs to one for inputs, by its id."""
    return rules.get(f"output-{rule.id.replace('parameter', 'field')}")


def _number() -> str:
    numbers = Counter(rule.verdict for rule in RULES.values())
    said = ", ".join(f"{numbers[it]} {it}" for it in sorted(Verdict, reverse=True) if numbers[it])
    return f"{len(RULES)} rules: {said}."


def _contents(groups: Mapping[str, list[Rule]]) -> str:
    rows = []
    for subject, rules in groups.items():
        anchor = subject.lower().replace(" ", "-")
        twins = {twin.id for rule in rules if (twin := _twin(rule))}
        links = ", ".join(_link(rule) for rule in rules if rule.id not in twins)
        rows.append(f"- [{subject}](#{anchor}): {links}")
    return "\n".join(rows)


def _link(rule: Rule) -> str:
    twin = _twin(rule)
    return f"[{rule.id}](#{rule.id})" + (f" ([output](#{twin.id}))" if twin else "")


def _entry(rule: Rule, examples: list[Example]) -> str:
    facts = f"**{rule.verdict}**, on {_side(rule, examples)}: {rule.summary}."
    if twin := _twin(rule):
        facts += f" In a result it is [{twin.id}](#{twin.id}): {twin.verdict}."
    parts = [f"### {rule.id}", facts]
    if examples:
        parts.append(_shown(min(examples, key=lambda example: example.size)))
    return "\n\n".join(parts)


def _side(rule: Rule, examples: list[Example]) -> str:
    """Where the rule was seen: the sides of its cases, and the one that its id stands for."""
    schemas = [f".{side.value}" for side in Side]
    seen = {next((it for it in schemas if it in example.path), "") for example in examples}
    if _twin(rule):
        seen.add(f".{Side.INPUT.value}")
    elif rule.id.startswith("output-"):
        seen = {f".{Side.OUTPUT.value}"}
    names = [f"`{it[1:]}`" if it else "the tool" for it in ("", *schemas) if it in seen]
    return " and ".join(names) or "the tool"


def _shown(example: Example) -> str:
    before, after = differing_parts(example.before, example.after)
    lines = ["```diff", f"  {example.path}", f"- {before}", f"+ {after}", "```"]
    return "\n".join(lines)


def _examples() -> dict[str, list[Example]]:
    """The cases by the rules that they show."""
    found: dict[str, list[Example]] = {}
    for case in sorted(CASES.glob("*/*/case.toml")):
        before, after = (
            json.loads(case.with_name(f"{name}.json").read_bytes()) for name in ("before", "after")
        )
        changes = tomllib.loads(case.read_text(encoding="utf-8")).get("changes", ())
        for change in changes:
            example = Example(case.parent, change["path"], len(changes), before, after)
            found.setdefault(change["rule"], []).append(example)
    return found


def differing_parts(before: Any, after: Any) -> tuple[str, str]:
    """Return both sides as text, down from the root as long as only one object in them differs."""
    while (inner := _only_difference(before, after)) is not None:
        before, after = inner
    texts = _text(before), _text(after)
    if max(map(len, texts)) > WIDTH and isinstance(before, dict) and isinstance(after, dict):
        return _shortened(before, after), _shortened(after, before)
    return texts


def _only_difference(before: Any, after: Any) -> tuple[Any, Any] | None:
    if isinstance(before, dict) and isinstance(after, dict):
        if before.keys() != after.keys():
            return None
        pairs = [(before[name], after[name]) for name in before]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = list(zip(before, after, strict=True))
    else:
        return None
    differing = [pair for pair in pairs if _text(pair[0]) != _text(pair[1])]
    if len(differing) != 1 or not any(_has_object(side) for side in differing[0]):
        return None
    (pair,) = differing
    return pair if _comparable(*pair) else None


def _has_object(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(item, dict) for item in value)
    )


def _comparable(before: Any, after: Any) -> bool:
    return isinstance(before, dict | list) and type(before) is type(after)


def _shortened(value: dict[str, Any], other: dict[str, Any]) -> str:
    """The members that differ, and a mark for the rest."""
    kept = {
        name: member
        for name, member in value.items()
        if name not in other or _text(member) != _text(other[name])
    }
    members = list(_members(kept))
    return "{" + ", ".join([*members, "…"] if len(kept) < len(value) else members) + "}"


def _members(members: Mapping[str, Any]) -> Iterator[str]:
    for name, member in members.items():
        yield f"{_text(name)}: {_text(member)}"


def _text(value: Any) -> str:
    """JSON on one line; what cannot be seen is escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(it if it.isprintable() else f"\\u{ord(it):04x}" for it in text)
