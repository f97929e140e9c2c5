"""Diffs for the tests of renderings, made by hand so that they do not follow the engine."""

from typing import Any

from hypothesis import strategies as st

from proxar.contract import MISSING, Change, Diff, Verdict

__all__ = ["any_diff", "change", "drift"]


def change(**fields: Any) -> Change:
    """A valid change; name only what matters."""
    plain = {
        "tool": "search_issues",
        "path": "search_issues.inputSchema.required",
        "pointer": "/inputSchema/required",
        "rule": "parameter-became-required",
        "verdict": Verdict.BREAKING,
        "message": '"limit" is now required',
    }
    return Change(**{**plain, **fields})


def description(before: Any, after: Any, **fields: Any) -> Change:
    """A changed description of the tool."""
    return change(
        path="search_issues.description",
        pointer="/description",
        rule="description-changed",
        verdict=Verdict.ADVISORY,
        message="the description changed",
        before=before,
        after=after,
        **fields,
    )


def drift() -> Diff:
    """Two tools: one gone, one with a change of each kind."""
    return Diff.of(
        [
            change(parameter="limit"),
            description("Search issues by keyword.", "Search issues by text."),
            change(
                path="search_issues.inputSchema.properties.sort",
                pointer="/inputSchema/properties/sort",
                rule="parameter-added",
                verdict=Verdict.COMPATIBLE,
                message='optional parameter "sort" added',
                after={"type": "string", "enum": ["created", "updated"]},
            ),
            change(
                tool="close_issue",
                path="close_issue",
                pointer="",
                rule="tool-removed",
                message="the tool was removed",
                before={"name": "close_issue", "inputSchema": {"type": "object"}},
            ),
        ],
        ["search_issues", "close_issue"],
    )


HOSTILE = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=["Cs"]),
        st.sampled_from("\x1b\x9b\x00\n\r\t\u202e\u200b\u2028\U000e0041\ufe0f`|<>@#&[]*_\\\"'{}-+"),
    ),
    max_size=40,
)

VALUE = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.decimals(allow_nan=False, allow_infinity=False),
        HOSTILE,
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(HOSTILE, inner, max_size=3),
    max_leaves=5,
)

CHANGE = st.builds(
    Change,
    tool=HOSTILE,
    path=HOSTILE,
    pointer=st.one_of(
        HOSTILE, st.sampled_from(["/description", "/inputSchema/properties/a/title"])
    ),
    rule=st.sampled_from(["description-changed", "tool-removed", "not-provable"]),
    verdict=st.sampled_from([each for each in Verdict if each is not Verdict.NONE]),
    message=HOSTILE,
    before=st.one_of(st.just(MISSING), VALUE),
    after=st.one_of(st.just(MISSING), VALUE),
    witness=st.one_of(st.none(), st.dictionaries(HOSTILE, VALUE, max_size=3)),
    overridden_by=st.one_of(st.none(), HOSTILE),
)

any_diff = st.lists(CHANGE, max_size=6).map(lambda changes: Diff.of(changes, []))
"""Any diff at all, as hostile as a server can make it."""
