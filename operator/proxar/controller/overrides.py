"""The verdicts that `spec.driftPolicy.rules` overrules, as the contract takes them."""

from proxar.api import DriftPolicy, OverrideVerdict
from proxar.contract import Verdict
from proxar.contract.overrides import Override

__all__ = ["overrides_of"]

VERDICTS = {
    OverrideVerdict.BREAKING: Verdict.BREAKING,
    OverrideVerdict.ADVISORY: Verdict.ADVISORY,
    OverrideVerdict.IGNORED: Verdict.COSMETIC,
}


def overrides_of(policy: DriftPolicy) -> tuple[Override, ...]:
    """Spell the policy's rules for `proxar.contract.overrides`, in their order."""
    return tuple(
        Override(rule.name, rule.rule, VERDICTS[rule.verdict], rule.tools, rule.expiration_time)
        for rule in policy.rules
    )
