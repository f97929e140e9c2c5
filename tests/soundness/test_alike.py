"""What is called alike in all but words accepts the same values, says the independent validator."""

import jsonschema_rs

from proxar.contract.alike import are_alike
from tests.support.schemas import SchemaMaker, plain

PAIRS = 1_500
VALUES = 20


def test_alike_schemas_accept_the_same() -> None:
    """Over pairs of which one is a mutation of the other."""
    alike = 0
    for seed in range(PAIRS):
        maker = SchemaMaker(seed)
        before, after = maker.pair()
        if not are_alike(before, after):
            continue
        try:
            was, now = (
                jsonschema_rs.validator_for(plain(schema), validate_formats=True)
                for schema in (before, after)
            )
        except (ValueError, jsonschema_rs.ReferencingError):
            continue
        alike += 1
        for _ in range(VALUES):
            value = plain(maker.near(before, before))
            assert was.is_valid(value) == now.is_valid(value), (seed, before, after, value)
    assert alike > 20  # else this test shows nothing
