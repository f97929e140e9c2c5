"""Names, texts and schemas: how alike two are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxar.contract import JSON
from proxar.contract.likeness import Name, Rarity, asserted, text_likeness, words


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("getTinyIssue", ("get", "tiny", "issue")),
        ("get-tiny_issue.v2", ("get", "tiny", "issue", "v", "2")),
        ("HTTPServerURL", ("http", "server", "url")),
        ("Größe_問題", ("gr", "öß", "e", "問題")),
        ("", ()),
        ("__", ()),
    ],
)
def test_splits_names(name: str, tokens: tuple[str, ...]) -> None:
    """Camel, kebab and snake case give the same pieces."""
    assert Name(name).tokens == tokens


@pytest.mark.parametrize(
    ("one", "other", "are_opposites"),
    [
        ("min_price", "maxPrice", True),
        ("include_labels", "exclude_label", True),
        ("start", "end", True),
        ("lat", "longitude", True),
        ("min_temp", "max_temperature", True),
        ("min_price", "max_price_total", True),
        ("watch_issue", "unwatch_issues", True),
        ("x1", "y1", True),
        ("lock", "unlock", True),
        ("start", "begin", False),
        ("read_write", "write_read", False),
        ("read_issue", "get_issue", False),
        ("min_issues", "max_age_of_comments", False),
        ("unit", "units", False),
        ("", "un", False),
    ],
)
def test_opposites(one: str, other: str, are_opposites: bool) -> None:
    """A word and its opposite, and hardly another difference."""
    assert Name(one).is_opposite(Name(other)) == are_opposites
    assert Name(other).is_opposite(Name(one)) == are_opposites


def test_likeness_of_names() -> None:
    """Tokens, letters, abbreviations, and one name inside another."""
    names = ["open_issue", "close_issue", "issue_docs", "issue_documentation", "vote", "watch"]
    rarity = Rarity([Name(name).token_set for name in names])

    def likeness(one: str, other: str) -> float:
        return rarity.likeness(Name(one), Name(other))

    assert likeness("issue_docs", "issue_documentation") > 0.8
    assert likeness("vote", "vote_issue") >= 0.75
    assert likeness("open_issue", "close_issue") < 0.4
    assert likeness("vote", "watch") < 0.2
    assert likeness("", "vote") == 0.0


@given(st.lists(st.text("abcA_1", max_size=12), min_size=2, max_size=6))
def test_likeness_is_symmetric_and_between_0_and_1(names: list[str]) -> None:
    """Whatever the names."""
    one, other = map(Name, names[:2])
    rarity = Rarity([Name(name).token_set for name in names])

    found = rarity.likeness(one, other)

    assert found == pytest.approx(rarity.likeness(other, one))
    assert 0 <= found <= 1 + 1e-9


def test_words_are_those_that_tell() -> None:
    """Without the common ones, in the singular, of the beginning only."""
    assert words("Lists the issues of an open Issue.") == {"list", "issue", "open"}
    assert words("issue " + "x" * 10_000_000) == words("issue " + "x" * 2_000)
    assert words(None) == words(3) == frozenset()
    assert text_likeness(words("open issue"), words("closed issue")) == pytest.approx(1 / 3)
    assert 0 < text_likeness(frozenset(), frozenset()) < 0.5


def test_what_a_schema_asserts_leaves_out_what_it_says() -> None:
    """Below properties a description is a parameter; below const it is data."""
    told: JSON = {"type": "object", "title": "x", "properties": {"title": {"description": "y"}}}
    plain: JSON = {"properties": {"title": {}}, "type": "object"}

    assert asserted(told) == asserted(plain)
    assert asserted({"const": {"title": "x"}}) != asserted({"const": {}})
    assert asserted(None) == "null"
