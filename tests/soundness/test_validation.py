"""Two validators that share nothing agree on every value that ours has an opinion on."""

import jsonschema_rs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proxar.contract import JSON
from proxar.contract.validation import Validator
from tests.soundness.schemas import as_floats, old_schemas, schemas, values

SETTINGS = settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
"""Each example is a schema and eight values: 2,400 pairs in both drafts."""

EIGHT_VALUES = st.lists(values, min_size=8, max_size=8)


def assert_agreed(schema: JSON, instances: list[JSON]) -> None:
    ours = Validator(schema)
    theirs = jsonschema_rs.validator_for(as_floats(schema), validate_formats=True)

    for instance in instances:
        answer = ours.is_valid(instance)

        assert answer is not None, (schema, instance)
        assert answer is theirs.is_valid(as_floats(instance)), (schema, instance)


@SETTINGS
@given(schemas, EIGHT_VALUES)
def test_agrees_about_2020_12(schema: JSON, instances: list[JSON]) -> None:
    """All keyword families, formats as assertions."""
    assert_agreed(schema, instances)


@SETTINGS
@given(old_schemas, EIGHT_VALUES)
def test_agrees_about_draft_07(schema: JSON, instances: list[JSON]) -> None:
    """The older words, and `$ref` that hides its neighbours."""
    assert_agreed(schema, instances)
