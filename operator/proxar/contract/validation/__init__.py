"""Whether a value is valid under a schema, exactly, or not known.

It exists to check what the prover says, so it shares no reasoning with it: it only ever looks at
one value. What is asked may be hostile on both sides; every question ends after its steps. Nothing
is fetched, and nothing is guessed: a dialect, reference, expression or format that cannot be judged
surely gives `None`.
"""

from proxar.contract.validation.validator import DEFAULT_STEPS, Validator, is_valid

__all__ = ["DEFAULT_STEPS", "Validator", "is_valid"]
