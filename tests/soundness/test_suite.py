"""The JSON-Schema-Test-Suite as an oracle: a proof that one schema is within another may not be
contradicted by any value of the suite, and no answer about a value may differ from its own.
"""

import pytest

from proxar.contract import JSON
from proxar.contract.canonical import canonical
from proxar.contract.containment import Contained, Engine
from proxar.contract.validation import Validator
from tests.soundness.suite import DRAFTS, groups

FORMATS_ASSERTED = {"format"}
"""Files in which the suite takes a format for an annotation; here a known one is an assertion."""


@pytest.mark.parametrize("draft", DRAFTS)
def test_no_value_of_the_suite_contradicts_a_proof(draft: str) -> None:
    """Of two schemas of a file: no value is valid under the inner and invalid under the outer."""
    proofs = 0
    for file in groups(draft):
        for inner in file:
            for outer in file:
                if inner is outer:
                    continue
                answer = Engine(has_formats=False).decide(inner.schema, outer.schema)
                if isinstance(answer, Contained):
                    proofs += 1
                    assert not _values(inner.valid) & _values(outer.invalid), (inner, outer)
    assert proofs > 500  # else this test shows nothing


@pytest.mark.parametrize("draft", DRAFTS)
def test_the_validator_knows_every_answer_that_it_gives(draft: str) -> None:
    """Or says that it cannot tell, which it may about a tenth of the suite."""
    told = unknown = 0
    for file in groups(draft):
        for group in file:
            if group.name.split("/")[1].split(":")[0] in FORMATS_ASSERTED:
                continue
            validator = Validator(group.schema)
            for values, expected in ((group.valid, True), (group.invalid, False)):
                for value in values:
                    answer = validator.is_valid(value)
                    unknown += answer is None
                    told += answer is not None
                    assert answer in (None, expected), (group.name, value)
    assert unknown < (told + unknown) / 8


def _values(values: tuple[JSON, ...]) -> set[bytes]:
    """By text: in Python True equals 1 and 1 equals 1.0, and only the latter is so in JSON."""
    return {canonical(value) for value in values}
