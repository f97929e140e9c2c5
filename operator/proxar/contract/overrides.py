"""Verdicts that a person overruled for one server, with a reason and, if they like, until a day.

An override makes a change louder or quieter and leaves it in the list, marked with who did it. It
can never make a breaking change compatible: "compatible" is a promise about calls, and nobody's
wish makes calls valid.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from proxar.contract.change import Change, Diff
from proxar.contract.verdict import Verdict

__all__ = ["Override", "next_expiry", "with_overrides"]


@dataclass(frozen=True, slots=True)
class Override:
    """One rule of `spec.driftPolicy.rules`."""

    name: str
    rule: str
    """A rule id, or a glob of ids in which `*` stands for any characters."""
    verdict: Verdict
    """`BREAKING`, `ADVISORY`, or `COSMETIC` for what is to be ignored: recorded, never told."""
    tools: tuple[str, ...] = ()
    """Globs of tool names; none means every tool."""
    expires: datetime | None = None
    """From this moment on the default verdict is back."""

    def __post_init__(self) -> None:
        if self.verdict in (Verdict.COMPATIBLE, Verdict.NONE):
            raise ValueError(f"override {self.name}: a change cannot be made {self.verdict}")

    def covers(self, change: Change, now: datetime) -> bool:
        """Whether it speaks of the change, at that moment."""
        if self.expires is not None and self.expires <= now:
            return False
        if not is_match(self.rule, change.rule):
            return False
        return not self.tools or any(is_match(glob, change.tool) for glob in self.tools)


def with_overrides(diff: Diff, overrides: Sequence[Override], now: datetime) -> Diff:
    """Return the diff with the verdicts that the first override that covers a change gives it.

    A change that is compatible or cosmetic by itself is only ever made louder.
    """
    if not overrides:
        return diff
    changes = tuple(_overridden(change, overrides, now) for change in diff.changes)
    # The order was worst first, then by tool and path; sorting is stable.
    ordered = tuple(sorted(changes, key=lambda change: -list(Verdict).index(change.verdict)))
    return Diff(Verdict.worst(change.verdict for change in ordered), ordered)


def next_expiry(overrides: Iterable[Override], now: datetime) -> datetime | None:
    """The next moment at which a default comes back."""
    return min((it.expires for it in overrides if it.expires and it.expires > now), default=None)


def _overridden(change: Change, overrides: Sequence[Override], now: datetime) -> Change:
    for override in overrides:
        if not override.covers(change, now):
            continue
        quieter = override.verdict < change.verdict
        if quieter and change.verdict <= Verdict.COMPATIBLE:
            return change
        return replace(change, verdict=override.verdict, overridden_by=override.name)
    return change


def is_match(glob: str, text: str) -> bool:
    """Whether `text` is what `glob` describes; `*` is its only special character.

    Linear in practice: after a mismatch only the last `*` takes one character more. A regular
    expression of many `.*` would let a server choose names that take for ever.
    """
    at, seen, star, mark = 0, 0, -1, 0
    while seen < len(text):
        if at < len(glob) and glob[at] == "*":
            star, mark = at, seen
            at += 1
        elif at < len(glob) and glob[at] == text[seen]:
            at, seen = at + 1, seen + 1
        elif star >= 0:
            mark += 1
            at, seen = star + 1, mark
        else:
            return False
    return all(character == "*" for character in glob[at:])
