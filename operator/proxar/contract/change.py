"""One difference between two tool lists, and all of them together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Self

from proxar.contract.canonical import canonical
from proxar.contract.value import JSON, MISSING, Missing
from proxar.contract.verdict import Verdict

__all__ = ["Change", "Diff"]

SUMMARISED = (Verdict.BREAKING, Verdict.ADVISORY, Verdict.COMPATIBLE, Verdict.COSMETIC)


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: where, by which rule, how bad, and in words."""

    tool: str
    path: str
    """For people; of a removed thing the old path, of an added one the new."""
    pointer: str
    """The same place as an RFC 6901 pointer inside the tool."""
    rule: str
    verdict: Verdict
    message: str
    """One line, bounded, with nothing invisible in it."""
    before: JSON | Missing = MISSING
    after: JSON | Missing = MISSING
    parameter: str | None = None
    """The one parameter that a change of `required` is about."""
    renamed_to: str | None = None
    score: float | None = None
    witness: JSON = None
    """Arguments that were valid before and are not after."""
    group: str | None = None
    overridden_by: str | None = None

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that name this change in every run: of tool, path, rule,
        parameter and both values.
        """
        values: list[JSON] = [
            [] if value is MISSING else [value] for value in (self.before, self.after)
        ]
        identity: list[JSON] = [self.tool, self.path, self.rule, self.parameter, *values]
        return sha256(canonical(identity)).hexdigest()[:12]

    def in_group(self, group: str) -> Self:
        """Return the same change as one of a group; a list may have thousands of them."""
        return type(self)(
            self.tool,
            self.path,
            self.pointer,
            self.rule,
            self.verdict,
            self.message,
            self.before,
            self.after,
            self.parameter,
            self.renamed_to,
            self.score,
            self.witness,
            group,
            self.overridden_by,
        )

    def to_json(self) -> dict[str, JSON]:
        """Return the public form; what is absent is left out."""
        document: dict[str, JSON] = {
            "tool": self.tool,
            "path": self.path,
            "pointer": self.pointer,
            "rule": self.rule,
            "verdict": self.verdict.value,
            "message": self.message,
        }
        if self.before is not MISSING:
            document["before"] = self.before
        if self.after is not MISSING:
            document["after"] = self.after
        optional: dict[str, JSON] = {
            "parameter": self.parameter,
            "renamedTo": self.renamed_to,
            "score": None if self.score is None else Decimal(f"{self.score:.2f}"),
            "witness": self.witness,
            "group": self.group,
            "overriddenBy": self.overridden_by,
        }
        return document | {name: value for name, value in optional.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed between two tool lists."""

    verdict: Verdict
    """The worst of all changes, `none` without any."""
    changes: tuple[Change, ...]
    """Worst first, then by tool, then by path."""

    @classmethod
    def of(cls, changes: Iterable[Change], tools: Sequence[str]) -> Self:
        """Put changes in order; `tools` names all tools in theirs."""
        place = {name: index for index, name in reversed(list(enumerate(tools)))}
        ordered = sorted(
            changes,
            key=lambda change: (
                SUMMARISED.index(change.verdict),
                place.get(change.tool, len(place)),  # entries without a name come last
                change.path,
                change.parameter or "",
                change.rule,
                change.message,
            ),
        )
        return cls(ordered[0].verdict if ordered else Verdict.NONE, tuple(ordered))

    @property
    def summary(self) -> dict[str, int]:
        """How many changes there are of each verdict, worst first."""
        return {
            verdict.value: sum(change.verdict is verdict for change in self.changes)
            for verdict in SUMMARISED
        }

    def to_json(self) -> dict[str, JSON]:
        """Return the public form of `-o json`."""
        return {
            "verdict": self.verdict.value,
            "summary": dict(self.summary),
            "changes": [change.to_json() for change in self.changes],
        }
