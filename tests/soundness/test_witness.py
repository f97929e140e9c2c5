"""A witness is what it says, by a validator that shares nothing with us."""

import jsonschema_rs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proxar.contract import JSON, dump
from proxar.contract.validation import is_valid
from proxar.contract.witness import witness
from tests.soundness.schemas import as_floats, old_schemas, schemas


@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.sampled_from([schemas, old_schemas]).flatmap(lambda each: st.tuples(each, each)))
def test_is_right_by_another_validator(pair: tuple[JSON, JSON]) -> None:
    """Whatever changed, a witness was valid and is not any more."""
    before, after = map(as_parameter, pair)

    found = witness(before, after, "/properties/v")

    if found is not None:
        old, new = (
            jsonschema_rs.validator_for(as_floats(schema), validate_formats=True)
            for schema in (before, after)
        )
        assert is_valid(found, before) is True
        assert old.is_valid(as_floats(found))
        assert not new.is_valid(as_floats(found))
        assert dump(found) == dump(witness(before, after, "/properties/v"))


def as_parameter(schema: JSON) -> JSON:
    """The schema as that of the parameter `v`; what its references point at stays at the root."""
    whole = dict(schema) if isinstance(schema, dict) else {}
    root: dict[str, JSON] = {
        name: whole.pop(name) for name in ("$schema", "$defs") if name in whole
    }
    return {**root, "type": "object", "properties": {"v": whole}, "required": []}
