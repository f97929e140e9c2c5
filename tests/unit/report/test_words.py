"""Which words of a text changed."""

from hypothesis import given
from hypothesis import strategies as st

from proxar.report.words import Line, Row, Run, rows


def test_marks_the_words_that_changed() -> None:
    """What is the same on both sides is one run."""
    assert rows("find a thing", "find some thing") == (
        Row(
            (Run("find "), Run("a", True), Run(" thing")),
            (Run("find "), Run("some", True), Run(" thing")),
        ),
    )


def test_leaves_out_what_is_far_from_a_change_and_counts_it() -> None:
    """A long description with one new line is shown as that line and its neighbours."""
    same = (Run("same"),)

    found = rows("same\n" * 9 + "old", "same\n" * 9 + "new")

    assert found == (Row(same, same, skipped=8), Row((Run("old", True),), (Run("new", True),)))


def test_an_absent_text_is_not_an_empty_one() -> None:
    """The one has no line, the other an empty one."""
    assert rows(None, "") == (Row(None, (Run("", True),)),)
    assert rows("a", "") == (Row((Run("a", True),), ()),)


def lines_of(side: list[Line | None]) -> list[str]:
    return ["".join(run.text for run in line) for line in side if line is not None]


@given(st.text("ab \n", max_size=30), st.text("ab \n", max_size=30))
def test_every_line_that_changed_is_there_in_order(before: str, after: str) -> None:
    """Left out are only lines that both sides have."""
    found = rows(before, after)

    hidden = sum(row.skipped for row in found)
    if before != after:
        old, new = lines_of([row.old for row in found]), lines_of([row.new for row in found])
        assert len(old) + hidden <= len(before.split("\n"))
        assert len(new) + hidden <= len(after.split("\n"))
        assert set(before.split("\n")) - set(old) <= set(after.split("\n"))
        assert set(after.split("\n")) - set(new) <= set(before.split("\n"))
    else:
        assert found == ()
