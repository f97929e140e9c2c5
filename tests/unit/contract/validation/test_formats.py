"""Formats: sure of what all accept and of what none does."""

import pytest

from proxar.contract.validation.formats import has_format
from proxar.contract.witness.scalars import FORMAT_SAMPLES


@pytest.mark.parametrize(
    ("name", "yes", "no", "unsure"),
    [
        ("date", ["2024-02-29"], ["2023-02-29", "2024-2-1", ""], []),
        (
            "time",
            ["12:00:00Z", "12:00:00.5+01:00"],
            ["24:00:00Z", "noon"],
            ["23:59:60Z", "12:00:00"],
        ),
        (
            "date-time",
            ["2024-02-29T12:00:00Z"],
            ["2024-02-29", "2024-02-30T12:00:00Z"],
            ["2024-02-29t12:00:00z"],
        ),
        ("duration", ["P1Y2M3DT4H5M6S", "P2W", "PT1S"], ["P", "PT", "1D", "P1D1Y"], []),
        (
            "email",
            ["a.b@example.com"],
            ["a", "@example.com", "a@"],
            ['"a b"@example.com', "a@localhost"],
        ),
        (
            "hostname",
            ["example.com", "a-b"],
            ["-a.example", "", "a b"],
            ["xn--a", "example.com.", "a_b"],
        ),
        ("ipv4", ["192.0.2.1"], ["192.0.2", "192.0.2.256", "01.2.3.4", "1.2.3.4\n"], []),
        ("ipv6", ["::1", "2001:db8::1", "::ffff:192.0.2.1"], ["1", "fe80::1%eth0", ":::"], []),
        (
            "uri",
            ["https://example.com/a?b#c"],
            ["/a", "a b:c", "https://exämple.com/", "no"],
            ["urn:a:b"],
        ),
        ("uri-reference", ["/a/b", "a"], ["a b", "\\a", "ü"], ["?a[]"]),
        ("json-pointer", ["", "/a~1b"], ["a", "/~2"], []),
        ("relative-json-pointer", ["0", "1#", "2/a"], ["/a", "01"], []),
        ("regex", ["^a+$"], ["(", "["], [r"\p{L}"]),
        (
            "uuid",
            ["123E4567-e89b-12d3-a456-426614174000"],
            ["123e4567", "123e4567e89b12d3a456426614174000"],
            [],
        ),
        ("unheard-of", ["anything"], [], []),
    ],
)
def test_judges_a_format(name: str, yes: list[str], no: list[str], unsure: list[str]) -> None:
    """What validators disagree about is not ours to decide."""
    assert [text for text in yes if has_format(name, text) is not True] == []
    assert [text for text in no if has_format(name, text) is not False] == []
    assert [text for text in unsure if has_format(name, text) is not None] == []


def test_formats_of_numbers_are_bounds() -> None:
    """As OpenAPI has them; about other types they say nothing."""
    assert has_format("int32", 2**31) is False
    assert has_format("uint8", 255) is True
    assert has_format("int32", "a") is True
    assert has_format("date", 1) is True


@pytest.mark.parametrize("name", FORMAT_SAMPLES)
def test_the_first_sample_surely_has_its_format(name: str) -> None:
    """Else no witness could be built with it."""
    assert has_format(name, FORMAT_SAMPLES[name][0]) is True
