"""Which strings satisfy lengths, expressions and formats."""

from collections.abc import Iterator, Sequence

from proxar.contract.containment.language import find_string, is_match
from proxar.contract.containment.literals import (
    FormatIs,
    OneOf,
    PatternIs,
    SizeAtLeast,
    SizeAtMost,
)
from proxar.contract.containment.steps import Steps, Unprovable
from proxar.contract.vocabulary import TEXT_FORMATS

__all__ = ["Strings"]

MAX_EXCLUDED = 40
"""Excluded strings that are tracked beside expressions."""


class Strings:
    """The strings that a set of literals accepts."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.least = 0
        self.most: int | None = None
        self.patterns: set[tuple[str, bool]] = set()
        self.formats: dict[str, bool] = {}
        self.excluded: set[object] = set()
        self.reason = "no string was found that shows it"

    @classmethod
    def of(cls, literals: Sequence[object], steps: Steps) -> "Strings":
        """Return what all the literals together accept."""
        strings = cls(steps)
        for literal in literals:
            match literal:
                case SizeAtLeast(size):
                    strings.least = max(strings.least, size)
                case SizeAtMost(size):
                    strings.most = size if strings.most is None else min(strings.most, size)
                case PatternIs(pattern, wanted):
                    strings.patterns.add((pattern, wanted))
                case FormatIs(name, wanted):
                    strings.formats[name] = wanted
                case OneOf(keys, False):
                    strings.excluded |= keys
        return strings

    @property
    def is_empty(self) -> bool:
        """Whether it is certain that there is none."""
        if self.most is not None and self.least > self.most:
            return True
        wanted = [name for name, holds in self.formats.items() if holds]
        for name, holds in self.formats.items():
            if not holds and any(name == one or name in TEXT_FORMATS[one] for one in wanted):
                return True
        return self._has_empty_patterns()

    def _has_empty_patterns(self) -> bool:
        known = frozenset(
            (pattern, wanted)
            for pattern, wanted in self.patterns
            if is_match(pattern, "", self.steps) is not None
        )
        if len(known) < len(self.patterns):
            self.reason = "pattern: an expression that is not a plain regular one"
        is_bounded = self.least > 0 or self.most is not None
        excluded = self._tracked()
        is_alone = len(known) == 1 and not is_bounded and not excluded
        if not known or (is_alone and all(wanted for _, wanted in known)):
            return False
        try:
            if find_string(known, 0, None, frozenset(), self.steps) is None:
                return True
            if not is_bounded and not excluded:
                return False
            return find_string(known, self.least, self.most, excluded, self.steps) is None
        except Unprovable as refusal:
            self.reason = str(refusal)
            return False

    def _tracked(self) -> frozenset[str]:
        texts = frozenset(str(text) for text in self.excluded if len(str(text)) <= 64)
        return texts if len(texts) <= MAX_EXCLUDED else frozenset()

    @property
    def listed(self) -> list[str] | None:
        """All there may be, where they are few."""
        return [""] if self.most == 0 else None

    def samples(self) -> Iterator[str]:
        """Yield some that are likely to be among them."""
        if self.patterns:
            try:
                found = find_string(
                    frozenset(self.patterns), self.least, self.most, self._tracked(), self.steps
                )
            except Unprovable as refusal:
                self.reason = str(refusal)
            else:
                if found is not None:
                    yield found
            return
        if self.formats:
            self.reason = "format: no string was made up that has or lacks it"
        if self.least > 10_000:
            return
        longest = self.least + 3 if self.most is None else min(self.most, self.least + 3)
        for letter in "axz0_":
            for length in range(self.least, longest + 1):
                yield letter * length
